#include <stdlib.h>

#include "agree.h"
#include "pattern.h"
#include "replay.h"

static int needs_memory(const struct schedule *schedule, int64_t *bytes) {
    *bytes = 1;
    for (int64_t i = 0; i < schedule->count; i++) {
        *bytes = schedule->steps[i].length > *bytes ? schedule->steps[i].length : *bytes;
    }
    return (uint64_t)*bytes <= SIZE_MAX / 2;
}

static void make_ready(struct replay *replay, char *const *environment, struct error *error) {
    int64_t bytes = 0;
    if (schedule_make(&replay->schedule, &replay->trace, error) != STATUS_OK) {
        return;
    }
    hints_read_environment(&replay->asked, environment, error);
    if (replay->options->hints_file[0] != '\0') {
        hints_read_file(&replay->asked, replay->options->hints_file, error);
    }
    if (error->status == STATUS_OK) {
        hints_to_info(&replay->asked, &replay->info, error);
    }
    if (needs_memory(&replay->schedule, &bytes)) {
        replay->buffer = malloc((size_t)bytes);
    }
    if (replay->buffer == NULL) {
        fail(error, STATUS_FAILED, "no memory for the longest segment of the trace");
    } else {
        pattern_fill_file(replay->buffer, bytes, replay->rank, 0, 0);
    }
}

int replay_make(struct replay *replay, const struct replay_options *options, MPI_Comm world, char *const *environment,
                struct error *error) {
    int size = 0;
    *replay = (struct replay){.options = options, .comm = MPI_COMM_NULL, .info = MPI_INFO_NULL};
    MPI_Comm_rank(world, &replay->rank);
    MPI_Comm_size(world, &size);
    if (trace_read(&replay->trace, options->trace, replay->rank, error) == STATUS_OK && replay->trace.ranks > size) {
        fail(error, STATUS_FAILED, "the trace has %d ranks: run it with mpiexec -n %d", replay->trace.ranks,
             replay->trace.ranks);
    }
    if (agree(world, error) != STATUS_OK) {
        return error->status;
    }
    replay->ranks = replay->trace.ranks;
    const int colour = replay->rank < replay->ranks ? 0 : MPI_UNDEFINED;
    fail_mpi(error, MPI_Comm_split(world, colour, replay->rank, &replay->comm), "cannot choose", "the ranks");
    if (replay->comm != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(replay->comm, MPI_ERRORS_RETURN);
        make_ready(replay, environment, error);
    }
    return agree(world, error);
}

void replay_free(struct replay *replay) {
    trace_free(&replay->trace);
    schedule_free(&replay->schedule);
    free(replay->buffer);
    if (replay->info != MPI_INFO_NULL) {
        MPI_Info_free(&replay->info);
    }
    if (replay->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&replay->comm);
    }
}
