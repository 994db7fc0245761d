/* What a run was told and where it ran, as lines for the JSON and for people. */
#ifndef ACIC_BENCH_DESCRIBE_H
#define ACIC_BENCH_DESCRIBE_H

#include "job.h"

struct line {
    const char *key;
    int is_number; /* a whole number, in JSON without quotes */
    char value[TEXT_SIZE];
};
enum { LINES = 20 };

/* IOR's block `Options`; returns how many lines. */
int describe_options(struct line lines[LINES], const struct job *job);

/* IOR's lines on the file system that `path` is on, as far as it is there; returns how many lines. */
int describe_file_system(struct line lines[LINES], const char *path);

/* A size as IOR shows it: "4 MiB", "262144 bytes". */
const char *human_size(char *text, size_t size, int64_t bytes);

/* The time of day, as ctime() writes it. */
void time_of_day(char *text, size_t size);

#endif
