/* The figures of a phase, of all tasks, from what each task notes down of its own part. */
#ifndef ACIC_BENCH_FIGURES_H
#define ACIC_BENCH_FIGURES_H

#include <stdint.h>

#include "job.h"

/* The moments of one task, in seconds of the job's clock. */
struct moments {
    double open_begin, open_end, move_begin, move_end, close_begin, close_end;
};

/* What one task did in a phase. */
struct account {
    struct moments moments;
    int64_t done, wrong; /* transfers, words */
    int64_t first_wrong; /* file offset, in bytes */
    double stopped;      /* when the deadline stopped it, after the start; 0: it did not */
    int64_t done_then;   /* transfers until then */
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

/* Collective over the job's tasks: make the figures of all from each one's account. Returns an MPI error code. */
int figures_gather(const struct job *job, const struct account *account, struct figures *figures);

/* Likewise: give every task the first place, of the lowest task that has one, where wrong data were found; `path` is
 * that of this task's file, and `wrong_at` of TEXT_SIZE. */
int figures_locate(const struct job *job, const struct account *account, const char *path, char *wrong_at);

#endif
