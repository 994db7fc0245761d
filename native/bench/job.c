#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"

enum { PAGE = 4096 };

/* How many tasks share the node of `comm`'s rank 0, and how many nodes there are. */
static int count_nodes(struct job *job, MPI_Comm comm, struct error *error) {
    MPI_Comm node = MPI_COMM_NULL;
    int rank_in_node = 0;
    int code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (code == MPI_SUCCESS) {
        MPI_Comm_rank(node, &rank_in_node);
        MPI_Comm_size(node, &job->tasks_per_node);
        const int leads = rank_in_node == 0;
        code = MPI_Allreduce(&leads, &job->nodes, 1, MPI_INT, MPI_SUM, comm);
        MPI_Comm_free(&node);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Bcast(&job->tasks_per_node, 1, MPI_INT, 0, comm);
    }
    return fail_mpi(error, code, "cannot find", "the nodes of the tasks");
}

/* Whether neighbouring ranks are on one node (filled node by node), not dealt round. */
static int block_mapped(MPI_Comm comm, int *blocks, struct error *error) {
    char names[2][MPI_MAX_PROCESSOR_NAME] = {"", ""};
    int rank = 0;
    int size = 1;
    int length = 0;
    int code = MPI_SUCCESS;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 2 && i < size && code == MPI_SUCCESS; i++) {
        if (rank == i) {
            MPI_Get_processor_name(names[i], &length);
        }
        code = MPI_Bcast(names[i], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, i, comm);
    }
    *blocks = strcmp(names[0], names[1]) == 0;
    return fail_mpi(error, code, "cannot find", "the names of the nodes");
}

/* IOR's rule for -C -Q N: N nodes further where ranks fill nodes one after another, N ranks further where they are
 * dealt round. */
static int find_shift(struct job *job, MPI_Comm comm, struct error *error) {
    int blocks = 0;
    if (block_mapped(comm, &blocks, error) == STATUS_OK && job->options->reorder) {
        const int64_t step = blocks ? job->tasks_per_node : 1;
        job->shift = (int)(job->options->shift % job->tasks * step % job->tasks);
    }
    return error->status;
}

static int choose_tasks(struct job *job, MPI_Comm world, char *warn, struct error *error) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    job->tasks = size;
    if (job->options->tasks > size) {
        snprintf(warn, TEXT_SIZE, "more tasks asked for (%" PRId64 ") than there are: running with %d",
                 job->options->tasks, size);
    } else if (job->options->tasks > 0) {
        job->tasks = (int)job->options->tasks;
    }
    const int colour = rank < job->tasks ? 0 : MPI_UNDEFINED;
    const int code = MPI_Comm_split(world, colour, rank, &job->comm);
    if (code == MPI_SUCCESS && job->comm != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(job->comm, &job->rank);
    }
    return fail_mpi(error, code, "cannot choose", "the tasks");
}

static void read_hints(struct job *job, char *const *environment, struct error *error) {
    hints_read_environment(&job->asked, environment, error);
    if (job->options->hints_file[0] != '\0') {
        hints_read_file(&job->asked, job->options->hints_file, error);
    }
    if (error->status == STATUS_OK) {
        hints_to_info(&job->asked, &job->info, error);
    }
}

/* With -W or -R the data must tell blocks apart; without, they are IOR's. */
static void choose_data(struct job *job, struct error *error) {
    const struct options *const options = job->options;
    const int checked = options->check_read || options->check_write;
    const int asked = pattern_packet(options->packet);
    job->packet = asked >= 0 ? (enum packet)asked : checked ? PACKET_VERIFY : PACKET_TIMESTAMP;
    job->signature = (uint32_t)options->signature;
    if (job->signature == 0) {
        job->signature = (uint32_t)time(NULL) & 0x7fffffff;
        fail_mpi(error, MPI_Bcast(&job->signature, 1, MPI_UINT32_T, 0, job->comm), "cannot share", "the signature");
    }
}

static void allocate(struct job *job, struct error *error) {
    void *buffer = NULL;
    job->written = malloc((size_t)job->tasks * sizeof *job->written);
    if (posix_memalign(&buffer, PAGE, (size_t)job->options->transfer) != 0 || job->written == NULL) {
        fail(error, STATUS_FAILED, "no memory for a transfer of %" PRId64 " bytes", job->options->transfer);
        free(buffer);
        return;
    }
    job->buffer = buffer;
    memset(job->buffer, 0, (size_t)job->options->transfer); /* its pages exist before the time is taken */
    for (int i = 0; i < job->tasks; i++) {
        job->written[i] = layout_transfers(&job->layout);
    }
}

int job_make(struct job *job, const struct options *options, MPI_Comm world, char *const *environment, char *warn,
             struct error *error) {
    *job = (struct job){.options = options, .comm = MPI_COMM_NULL, .info = MPI_INFO_NULL};
    warn[0] = '\0';
    job->backend = backend_named(options->api);
    if (job->backend == NULL) {
        return fail(error, STATUS_FAILED, "unknown I/O interface %s; built in: %s", options->api, backend_names());
    }
    if (count_nodes(job, world, error) != STATUS_OK || choose_tasks(job, world, warn, error) != STATUS_OK ||
        find_shift(job, world, error) != STATUS_OK || job->comm == MPI_COMM_NULL) {
        return error->status;
    }
    job->layout = layout_of(options, job->tasks);
    if (options->block > INT64_MAX / options->segments / job->tasks) {
        return fail(error, STATUS_FAILED, "the file would be larger than any can be");
    }
    read_hints(job, environment, error);
    allocate(job, error);
    choose_data(job, error);
    return agree(job->comm, error);
}

void job_free(struct job *job) {
    free(job->buffer);
    free(job->written);
    layout_free(&job->layout);
    if (job->info != MPI_INFO_NULL) {
        MPI_Info_free(&job->info);
    }
    if (job->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&job->comm);
    }
}
