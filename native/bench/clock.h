/* One clock for all ranks of a job, that no change of the time of day moves. */
#ifndef ACIC_BENCH_CLOCK_H
#define ACIC_BENCH_CLOCK_H

#include <mpi.h>

#include "error.h"

/* Seconds by this machine's monotonic clock. */
double clock_here(void);

struct clock {
    double offset; /* seconds to add to clock_here() to have rank 0's */
};

/* Collective: learn each rank's offset to rank 0, exactly 0 on the same machine, else to within half of the shortest
 * round trip seen. Returns the status noted. */
int clock_align(struct clock *clock, MPI_Comm comm, struct error *error);

/* Seconds by rank 0's clock. */
double clock_now(const struct clock *clock);

/* Wait; 0 or less returns at once. */
void clock_sleep(double seconds);

#endif
