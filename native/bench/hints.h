/* MPI-IO hints: asked for (IOR's hints file and environment), and found in force on an open file. */
#ifndef ACIC_BENCH_HINTS_H
#define ACIC_BENCH_HINTS_H

#include <mpi.h>

#include "error.h"

enum { HINT_NAME = 256, HINT_VALUE = 1024, HINTS = 64 };

struct hint {
    char name[HINT_NAME], value[HINT_VALUE];
};
struct hints {
    int count;
    struct hint hint[HINTS];
};

/* Add those of a file: lines IOR_HINT__MPI__name=value, empty lines, and comments after #. A line of any other form is
 * an error: IOR leaves it out without a word, and then runs without the hint. Returns the status noted. */
int hints_read_file(struct hints *hints, const char *path, struct error *error);

/* Add those of the environment: variables IOR_HINT__MPI__name. Returns the status noted. */
int hints_read_environment(struct hints *hints, char *const *environment, struct error *error);

/* Set a hint, in place of an earlier value. Returns the status noted. */
int hints_set(struct hints *hints, const char *name, const char *value, struct error *error);

/* The value of a hint, NULL where it is not set. */
const char *hints_get(const struct hints *hints, const char *name);

/* As an MPI_Info (MPI_INFO_NULL for none), which the caller frees, with one hint more that no MPI knows. */
int hints_to_info(const struct hints *hints, MPI_Info *info, struct error *error);

/* Add those of an open file's MPI_Info, which the caller keeps; none where it tells the hint that no MPI knows: then it
 * tells whatever was asked for, and what is in force is not known. */
int hints_from_info(struct hints *hints, MPI_Info info, struct error *error);

#endif
