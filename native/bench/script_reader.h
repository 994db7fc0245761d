/* What the parts that read a script share; for script.c, script_acts.c and script_names.c alone. */
#ifndef ACIC_BENCH_SCRIPT_READER_H
#define ACIC_BENCH_SCRIPT_READER_H

#include "script.h"

/* A file being read. */
struct script_reader {
    struct script *script;
    const char *path;
    int64_t line;
    int has_version;
    int64_t capacities[4];
    int call_action;      /* of the collective call whose ranks' lines are being read; -1: none */
    int64_t call_opening; /* its file */
    struct group called;  /* the ranks that have had their line */
    struct error *error;
};

enum { GROUPS, ACTS, OPENINGS, ENDINGS }; /* the arrays that grow */

/* Note what is wrong with the line; returns the status noted. */
int script_wrong(const struct script_reader *reader, const char *problem, const char *text);
int script_no_memory(const struct script_reader *reader);

/* Make room for item `count` of an array of items of `size` bytes; returns the array, NULL where there is no memory. */
void *script_grown(struct script_reader *reader, int which, void *array, int64_t count, size_t size);

/* The index of a group, added where it is new; -1 where there is no memory. */
int script_group(struct script_reader *reader, const struct group *group);

/* Take a line on what ranks do; returns the status noted. */
int script_take_act(struct script_reader *reader, char **word, int count);

/* script_names.c: take a line on files by name; returns the status noted. */
int script_take_names(struct script_reader *reader, enum action action, const struct group *group, char **word,
                      int count);

/* script_names.c: check that each name is changed to one other only, and that names do not go round; returns the status
 * noted. */
int script_check_names(struct script_reader *reader);

/* Add what some ranks do; to what is done if this rank is one of them. What `act` owns is freed if it is not. */
int script_add(struct script_reader *reader, const struct group *group, struct act *act);

#endif
