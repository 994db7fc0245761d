/* Replays an application's own I/O, and takes its time. */
#ifndef ACIC_BENCH_REPLAY_H
#define ACIC_BENCH_REPLAY_H

#include "clock.h"
#include "hints.h"
#include "options.h"
#include "phase.h"
#include "schedule.h"
#include "trace.h"

/* What all parts of a replay share. */
struct replay {
    const struct replay_options *options;
    MPI_Comm comm; /* the trace's ranks */
    int rank, ranks;
    struct trace trace;
    struct schedule schedule;
    struct clock clock;
    struct hints asked;
    MPI_Info info;
    unsigned char *buffer; /* room for this rank's longest segment */
};

/* What a replay took. `figures` (by direction) has as open, move and close the seconds of the rank that spent most in
 * each, and as total those of the rank that spent most in all three; pauses and waiting at barriers are in none. */
struct replayed {
    struct figures figures[2];
    double elapsed[2]; /* seconds from the first transfer's begin to the last one's end, by direction */
    double total;      /* seconds from the first rank's begin to the last one's end */
    double in_io;      /* seconds of the rank that spent most in I/O, both directions */
    double computing;  /* seconds of the rank that spent most in computing (--burn) */
    int64_t wrong;     /* with -W: segments whose bytes are not what was written */
    char wrong_at[TEXT_SIZE];
    struct hints in_force; /* of the first file that rank 0 opens through MPI-IO */
};

/* Collective over `world`: read the trace and make ready; replay_free() it, also after a failure. A rank that the trace
 * does not have gets MPI_COMM_NULL as `comm`, and has nothing more to do. Returns the status noted. */
int replay_make(struct replay *replay, const struct replay_options *options, MPI_Comm world, char *const *environment,
                struct error *error);
void replay_free(struct replay *replay);

const struct backend *replay_backend(enum interface interface);

/* Collective over the trace's ranks: replay. Returns the status noted, the same on every rank. */
int replay_run(struct replay *replay, struct replayed *replayed, struct error *error);

/* replay_files.c, all collective likewise. Remove the trace's files; make those that are there before the application
 * begins, and drop them from this node's page cache; look whether they are there (-E). */
int replay_remove(struct replay *replay, struct error *error);
int replay_prepare(struct replay *replay, struct error *error);
int replay_look(struct replay *replay, struct error *error);

/* Look whether the files are as long as all that was written. */
int replay_check_sizes(struct replay *replay, struct error *error);

/* Read back what another rank wrote, and compare; wrong bytes are told in `replayed`. */
int replay_check(struct replay *replay, struct replayed *replayed, struct error *error);

/* The path of a file of the trace; returns the status noted. */
int replay_path(const struct replay *replay, int64_t file, char path[TEXT_SIZE], struct error *error);

#endif
