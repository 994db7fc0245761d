/* The ranks of a job agree on whether a step went well, so that none goes on alone and hangs. */
#ifndef ACIC_BENCH_AGREE_H
#define ACIC_BENCH_AGREE_H

#include <mpi.h>

#include "error.h"

/* Collective over `comm`: give every rank the worst failure of any (of the lowest such rank); return its status. */
int agree(MPI_Comm comm, struct error *error);

/* Note a failed MPI call, told by MPI's own words; return the status noted (STATUS_OK for MPI_SUCCESS). */
int fail_mpi(struct error *error, int code, const char *doing, const char *what);

#endif
