/* One phase of a benchmark: all tasks write, or read, their share of the layout once. */
#ifndef ACIC_BENCH_PHASE_H
#define ACIC_BENCH_PHASE_H

#include "figures.h"
#include "job.h"

enum phase {
    PHASE_WRITE,
    PHASE_CHECK_WRITE, /* each task reads what it wrote itself, or with -C another, and compares (-W) */
    PHASE_READ,        /* compares too, with -R */
};

/* Collective over the job's tasks: run a phase. `in_force`, where it is not NULL, gets the hints in force on rank 0's
 * file. Wrong data are no failure here, but told in `figures` (the first place in `wrong_at`, of TEXT_SIZE). Returns
 * the status noted, the same on every rank. */
int phase_run(struct job *job, enum phase phase, int64_t repetition, struct figures *figures, struct hints *in_force,
              char *wrong_at, struct error *error);

#endif
