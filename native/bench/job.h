/* A benchmark run: what all its phases share. */
#ifndef ACIC_BENCH_JOB_H
#define ACIC_BENCH_JOB_H

#include <mpi.h>
#include <stdint.h>

#include "backend.h"
#include "clock.h"
#include "error.h"
#include "hints.h"
#include "layout.h"
#include "options.h"
#include "pattern.h"

struct job {
    const struct options *options;
    const struct backend *backend;
    MPI_Comm comm; /* the tasks that take part (-N) */
    int rank, tasks;
    uint64_t *node_of;         /* of each task of the world */
    int nodes, tasks_per_node; /* of the world: how many, and the tasks on rank 0's */
    int shift;                 /* -C: a task reads what the task this much higher wrote */
    struct clock clock;
    struct layout layout;
    uint64_t *buffer;   /* a transfer, page-aligned */
    uint32_t signature; /* in the data; without -G, in those of the first repetition */
    enum packet packet;
    struct hints asked;
    MPI_Info info;    /* `asked`, for MPI */
    int64_t *written; /* by each task, in transfers, in the last write; all of them where none was made */
};

/* Collective over `world`: set the job up; job_free() it, also after a failure. A rank that -N leaves out gets
 * MPI_COMM_NULL as `comm`, and has nothing more to do. `warn` (of TEXT_SIZE) gets a warning, or "". Returns the status
 * noted, the same on every rank. */
int job_make(struct job *job, const struct options *options, MPI_Comm world, char *const *environment, char *warn,
             struct error *error);
void job_free(struct job *job);

#endif
