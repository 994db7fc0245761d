/* Does what a script says, and takes its time. */
#ifndef ACIC_BENCH_PLAY_H
#define ACIC_BENCH_PLAY_H

#include "backend.h"
#include "clock.h"
#include "hints.h"
#include "options.h"
#include "script.h"

/* What a rank's time goes to. */
enum activity { IN_OPEN, IN_WRITE, IN_READ, IN_SYNC, IN_CLOSE, IN_METADATA, IN_COMPUTE, IN_WAIT, ACTIVITIES };

/* What a rank did, or all of them. */
struct tally {
    double seconds[ACTIVITIES]; /* of all ranks: of the one with most in each */
    double io;                  /* all of them but computing and waiting; of all ranks: of the one with most */
    double burnt;               /* processor time of computing; of all ranks: of the one with most */
    int64_t bytes[2], transfers[2];
    int64_t opens, syncs, metadata;
};

struct played {
    struct tally all;
    double total;          /* seconds from the first rank's begin to the last one's end */
    struct hints in_force; /* of the first file that rank 0 opens through MPI-IO */
};

/* A file that this rank has open. */
struct play_file {
    struct place place;
    struct file file;
    char path[TEXT_SIZE];
};

/* Bytes of a file, up to the next span of it: who writes them, and how often. */
struct span {
    int64_t number, begin; /* of the file, see play_number(); the first byte */
    int64_t times, done;   /* written by all of the script; by this rank so far, where it is the only writer */
    int writer;            /* the only rank that writes them; -1: several do, or the file gets another name */
};

/* A script under way on one rank. */
struct play {
    const struct play_options *options;
    MPI_Comm comm; /* the script's ranks */
    int rank, ranks;
    struct script script;
    struct clock clock;
    struct hints asked;
    MPI_Info info;
    unsigned char *buffer; /* room for this rank's longest transfer */
    MPI_Comm *comms;          /* of each group that this rank is in, else MPI_COMM_NULL */
    struct play_file **files; /* of each opening; NULL: this rank has it not open */
    struct tally mine;
    double lap; /* the end of what was last put down */
    struct played *played;
    struct span *spans; /* with --fill or -W: of all files, in order */
    int64_t span_count;
    int author;    /* the rank whose writes are read back; -1: that is still to come */
    int64_t wrong; /* transfers whose bytes are not what was written */
    char wrong_at[TEXT_SIZE];
};

/* Collective over `world`: read the script and make ready; play_free() it, also after a failure. A rank that the script
 * does not have gets MPI_COMM_NULL as `comm`, and has nothing more to do. Returns the status noted. */
int play_make(struct play *play, const struct play_options *options, MPI_Comm world, char *const *environment,
              struct error *error);
void play_free(struct play *play);

/* Collective over the script's ranks: do it all. Returns the status noted, the same on every rank. */
int play_run(struct play *play, struct played *played, struct error *error);

/* play_acts.c: do one thing. After a failure only what others wait for is done. */
void play_act(struct play *play, const struct act *act, struct error *error);

/* play_files.c: those on open files, and those on files by name. Time is put down by them. */
void play_on_file(struct play *play, const struct act *act, struct error *error);
void play_by_name(struct play *play, const struct act *act, struct error *error);

/* Put the time since the last lap down to an activity, or to nothing. */
void play_lap(struct play *play, enum activity activity);
void play_skip(struct play *play);

/* The path of a file of the script; returns the status noted. */
int play_path(const struct play *play, const char *path, int64_t number, char text[TEXT_SIZE], struct error *error);

/* play_settle.c: sync what this rank's script wrote and nobody removed, for file systems whose clients hold data back. */
void play_settle(struct play *play, struct error *error);

/* play_spans.c: find what all ranks write; returns the status noted. Then the span of a place (NULL: nobody writes the
 * file, there or before), and how many of the `length` bytes from there on are in it. */
int play_spans_make(struct play *play, struct error *error);
int64_t play_span(const struct play *play, int64_t number, int64_t offset, int64_t length, struct span **span);

/* play_names.c: a file's number in its data, by the last name that it gets, so that files that change places are found
 * out. */
int64_t play_number(const struct script *script, const char *path);

/* The path of what was written under a name, which some rank of the script may have changed; returns 0 where it is gone
 * because some rank removed it. */
int play_find(const struct play *play, const struct script *script, const char *own, char path[TEXT_SIZE],
              struct error *error);

/* Make a transfer's data; compare them. `path` is the script's own. */
void play_fill(struct play *play, const struct view *view, const char *path, int64_t offset, int64_t bytes);
void play_compare(struct play *play, const struct view *view, const char *path, int64_t offset, int64_t bytes);

/* Collective: read back what another rank wrote, of files that are still there, and compare. Returns the status noted.
 */
int play_check(struct play *play, struct error *error);

#endif
