/* Computing that costs a processor, not only time: where a node's share of it is small, or others want it, it takes
 * longer, as an application's own computing does. */
#ifndef ACIC_BENCH_BURN_H
#define ACIC_BENCH_BURN_H

/* Seconds of processor time that this thread has used. */
double burn_used(void);

/* Compute until this thread has used so many more seconds of processor time; 0 or less returns at once. */
void burn(double seconds);

#endif
