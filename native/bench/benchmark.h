/* A whole benchmark: repetitions of write, check and read, and the files before and after. */
#ifndef ACIC_BENCH_BENCHMARK_H
#define ACIC_BENCH_BENCHMARK_H

#include "results.h"

/* Called on the job's rank 0, as things happen; either may be NULL. */
struct observer {
    void *context;
    void (*warn)(void *context, const char *text);
    void (*result)(void *context, const struct result *result);
};

/* Collective over the job's tasks: run everything that the options ask for. `results` is to be freed with
 * results_free(), also after a failure; wrong data are a failure once everything has run. Returns the status noted, the
 * same on every rank. */
int benchmark_run(struct job *job, struct results *results, const struct observer *observer, struct error *error);
void results_free(struct results *results);

#endif
