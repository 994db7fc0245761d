/* What an application does, step by step and rank by rank, read from a file. The format is told in docs/acic-bench.md.
 *
 * Where ranks wait for one another, the file's order is the order for all of them, and all that take part stand
 * together in it: so no script that is taken can come to a halt.
 */
#ifndef ACIC_BENCH_SCRIPT_H
#define ACIC_BENCH_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "view.h"

enum { MOST_RANKS = 1024 };

/* A set of ranks. */
struct group {
    unsigned char has[MOST_RANKS / 8];
    int count;
};

enum action {
    ACT_BARRIER,
    ACT_COMPUTE,
    ACT_OPEN,
    ACT_CLOSE,
    ACT_SYNC,
    ACT_VIEW,
    ACT_WRITE,
    ACT_READ,
    ACT_WRITE_ALL,
    ACT_READ_ALL,
    ACT_MKDIR,
    ACT_RMDIR,
    ACT_PUT,
    ACT_GET,
    ACT_STAT,
    ACT_UNLINK,
    ACT_RENAME,
    ACTIONS,
};

/* A file while it is open. */
struct opening {
    char *name, *path;
    int mpiio, writes; /* through MPI-IO, by all its ranks together; made if it is not there, and written to */
    int group;
    int is_open;
    const struct view *view; /* of the script's rank, while the script is read */
};

struct act {
    enum action action;
    int group;             /* of a barrier: the ranks that wait */
    int64_t opening;       /* of those on an open file */
    char *path;            /* of those on files by name; # stands for the number */
    char *to;              /* of a renaming: the other name */
    int64_t count;         /* how many times */
    int64_t offset, bytes; /* of the first transfer, or of each small file */
    int64_t stride;        /* from a transfer's offset to the next one's */
    double seconds;        /* of computing */
    struct view *view;     /* ACT_VIEW: the one to set; it is the script's */
    const struct view *in; /* the view that a collective transfer is in; NULL: none */
};

/* Names that some ranks remove, or change. */
struct ending {
    char *path, *to; /* # stands for the number; NULL: they are removed */
    int64_t count;
    int64_t line; /* of the script */
};

struct script {
    int rank, ranks;
    struct group *groups; /* the first has all ranks */
    int64_t group_count;
    struct opening *openings;
    int64_t opening_count;
    struct act *acts; /* this rank's, in order */
    int64_t act_count;
    struct ending *endings; /* of all ranks */
    int64_t ending_count;
    int64_t all_acts; /* of all ranks */
    int64_t made;     /* files that all ranks make */
    int64_t longest;  /* of this rank's transfers, bytes */
};

/* Read a script as one of its ranks does; what is wrong is told with its line. script_free() it, also after a failure.
 * A rank that the script does not have reads it too, and does nothing. Returns the status noted. */
int script_read(struct script *script, const char *path, int rank, struct error *error);
void script_free(struct script *script);

int group_has(const struct group *group, int rank);

/* Whether some rank removes a file. */
int script_removes(const struct script *script, const char *path);

/* The name that some rank gives a file, or a folder that it is in; returns 0 where none does. */
int script_renames(const struct script *script, const char *path, char *text, size_t size);

/* The path of file number `number`; returns 0 where it does not fit. */
int script_path(char *text, size_t size, const char *path, int64_t number);

#endif
