/* One phase of a benchmark: all tasks write, or read, their share of the layout once. */
#ifndef ACIC_BENCH_PHASE_H
#define ACIC_BENCH_PHASE_H

#include "job.h"

enum phase {
    PHASE_WRITE,
    PHASE_CHECK_WRITE, /* each task reads what it wrote itself, and compares (-W) */
    PHASE_READ,        /* compares too, with -R */
};

/* What a phase moved, over all tasks. Times are seconds; open, move and close go from the first task's begin to the
 * last one's end, total from the first open to the last close. */
struct figures {
    int64_t bytes, transfers;
    double open, move, close, total;
    double latency;           /* seconds a transfer, of the fastest task */
    int64_t wrong;            /* words read that are not what was written */
    double stonewall_seconds; /* when the deadline (-D) stopped the last task; 0 where it stopped none */
    int64_t stonewall_bytes;  /* moved until then */
};

/* Collective over the job's tasks: run a phase. `in_force`, where it is not NULL, gets the hints in force on rank 0's
 * file. Wrong data are no failure here, but told in `figures` (the first place in `wrong_at`, of TEXT_SIZE). Returns
 * the status noted, the same on every rank. */
int phase_run(struct job *job, enum phase phase, int64_t repetition, struct figures *figures, struct hints *in_force,
              char *wrong_at, struct error *error);

#endif
