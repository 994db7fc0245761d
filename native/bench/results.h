/* What a run gave, and the summary over its repetitions. */
#ifndef ACIC_BENCH_RESULTS_H
#define ACIC_BENCH_RESULTS_H

#include <stdint.h>

#include "backend.h"
#include "phase.h"

struct result {
    enum direction access;
    int64_t repetition;
    struct figures figures;
};

struct results {
    struct result *items; /* in the order they were made; room for two a repetition */
    int64_t count;
    struct hints in_force; /* of the first file opened */
    int64_t wrong[2];      /* words found wrong after writing (-W) and on reading (-R) */
    char wrong_at[TEXT_SIZE];
};

/* Over the repetitions of one direction; standard deviations are of the population, as IOR's. */
struct statistics {
    int64_t count;
    double max, min, mean, deviation;
};

/* MiB/s and transfers/s over the total time, as IOR counts them. */
double bandwidth(const struct figures *figures);
double operations(const struct figures *figures);

enum measure { BANDWIDTH, OPERATIONS, SECONDS, MEBIBYTES };
struct statistics statistics_of(const struct results *results, enum direction access, enum measure measure);

const char *access_name(enum direction access);

#endif
