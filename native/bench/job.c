#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "agree.h"
#include "text.h"

enum { PAGE = 4096 };

/* Which node this rank is on: a number made of its name and of its kernel's boot. MPI's own answer, by shared memory, is
 * that every rank has a node of its own where MPICH is told to do without (MPIR_CVAR_NOLOCAL). */
static uint64_t this_node(void) {
    char name[MPI_MAX_PROCESSOR_NAME + 64] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    FILE *const boot = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (boot != NULL) {
        if (fgets(name + length, (int)sizeof name - length, boot) == NULL) {
            name[length] = '\0';
        }
        fclose(boot);
    }
    return text_number(name);
}

/* The node of each task of `comm`, how many of them are on rank 0's, and how many nodes there are. */
static int find_nodes(struct job *job, MPI_Comm comm, struct error *error) {
    const uint64_t mine = this_node();
    int leads = 1;
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    job->node_of = malloc((size_t)size * sizeof *job->node_of);
    if (job->node_of == NULL) {
        fail(error, STATUS_FAILED, "no memory for the nodes of %d tasks", size);
    }
    if (agree(comm, error) != STATUS_OK) {
        return error->status;
    }
    int code = MPI_Allgather(&mine, 1, MPI_UINT64_T, job->node_of, 1, MPI_UINT64_T, comm);
    for (int i = 0; i < size && code == MPI_SUCCESS; i++) {
        job->tasks_per_node += job->node_of[i] == job->node_of[0];
        leads = leads && (i >= rank || job->node_of[i] != mine);
    }
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(&leads, &job->nodes, 1, MPI_INT, MPI_SUM, comm);
    return fail_mpi(error, code, "cannot find", "the nodes of the tasks");
}

/* IOR's rule for -C -Q N: N nodes further where ranks fill nodes one after another, N ranks further where they are
 * dealt round. On nodes with different numbers of tasks, some are then still given what their own node wrote. */
static void find_shift(struct job *job, char *warn) {
    if (!job->options->reorder) {
        return;
    }
    const int blocks = job->tasks > 1 && job->node_of[0] == job->node_of[1];
    const int64_t step = blocks ? job->tasks_per_node : 1;
    int own = 0;
    job->shift = (int)(job->options->shift % job->tasks * step % job->tasks);
    for (int i = 0; i < job->tasks; i++) {
        own += job->node_of[i] == job->node_of[(i + job->shift) % job->tasks];
    }
    if (own > 0 && (job->options->read || job->options->check_read)) {
        const size_t length = strlen(warn);
        snprintf(warn + length, TEXT_SIZE - length, "%s-C: %d of %d tasks read what their own node wrote",
                 length > 0 ? "; " : "", own, job->tasks);
    }
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
        const int hdf5 = strcasecmp(options->api, "HDF5") == 0;
        return fail(error, STATUS_FAILED, "unknown I/O interface %s; built in: %s%s", options->api, backend_names(),
                    hdf5 ? "; build it where h5pcc, of a parallel HDF5 of the same MPI, is on PATH" : "");
    }
    if (find_nodes(job, world, error) != STATUS_OK || choose_tasks(job, world, warn, error) != STATUS_OK ||
        job->comm == MPI_COMM_NULL) {
        return error->status;
    }
    find_shift(job, warn);
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
    free(job->node_of);
    layout_free(&job->layout);
    if (job->info != MPI_INFO_NULL) {
        MPI_Info_free(&job->info);
    }
    if (job->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&job->comm);
    }
}
