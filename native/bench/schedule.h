/* What one rank does in a replay, in order, so that no two ranks can wait for one another for ever.
 *
 * Ranks wait for one another in collective calls, in opens and closes of files that several open through MPI-IO, and at
 * barriers. These are put into one order, by time, the same on every rank; each rank makes its own part of them in that
 * order, and its independent operations in between, in the order of the trace. Independent operations wait for nobody,
 * so the lowest event that is not over yet can always go on.
 */
#ifndef ACIC_BENCH_SCHEDULE_H
#define ACIC_BENCH_SCHEDULE_H

#include "trace.h"

/* In the order that they take at one moment. */
enum step_kind { STEP_BARRIER, STEP_OPEN, STEP_CALL, STEP_TRANSFER, STEP_CLOSE };

struct step {
    enum step_kind kind;
    enum interface interface; /* of an open, a close, a call or a transfer */
    int64_t file;
    enum direction direction;
    int64_t offset, length; /* bytes; a call without a segment of this rank has 0 */
    double pause;           /* seconds, in the trace, since this rank's last transfer or barrier ended */
};

struct schedule {
    struct step *steps;
    int64_t count, capacity;
};

/* Make the schedule of the trace's rank; schedule_free() it, also after a failure. Returns the status noted. */
int schedule_make(struct schedule *schedule, const struct trace *trace, struct error *error);
void schedule_free(struct schedule *schedule);

#endif
