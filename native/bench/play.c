#include "play.h"

#include <stdlib.h>

#include "agree.h"
#include "pattern.h"

/* A communicator for each group, made before the time is taken. */
static void make_comms(struct play *play, struct error *error) {
    const struct script *const script = &play->script;
    play->comms = malloc(((size_t)script->group_count + 1) * sizeof(MPI_Comm));
    for (int64_t i = 0; play->comms != NULL && i < script->group_count; i++) {
        play->comms[i] = MPI_COMM_NULL;
    }
    if (play->comms == NULL) {
        fail(error, STATUS_FAILED, "no memory for the script's groups");
    }
    if (agree(play->comm, error) != STATUS_OK) {
        return;
    }
    for (int64_t i = 0; i < script->group_count; i++) {
        const int mine = group_has(&script->groups[i], play->rank);
        const int colour = mine ? 0 : MPI_UNDEFINED;
        play->comms[i] = mine ? MPI_COMM_SELF : MPI_COMM_NULL;
        if (script->groups[i].count == 1) {
            continue;
        }
        fail_mpi(error, MPI_Comm_split(play->comm, colour, play->rank, &play->comms[i]), "cannot group", "the ranks");
        if (mine) {
            MPI_Comm_set_errhandler(play->comms[i], MPI_ERRORS_RETURN);
        }
    }
}

/* Room for everything that this rank opens: while others wait for it, nothing may fail for want of memory. */
static void make_files(struct play *play, struct error *error) {
    const struct script *const script = &play->script;
    play->files = calloc((size_t)script->opening_count + 1, sizeof(struct play_file *));
    int good = play->files != NULL;
    for (int64_t i = 0; i < script->opening_count && good; i++) {
        if (group_has(&script->groups[script->openings[i].group], play->rank)) {
            play->files[i] = calloc(1, sizeof *play->files[i]);
            good = play->files[i] != NULL;
            if (good) {
                play_path(play, script->openings[i].path, 0, play->files[i]->path, error);
            }
        }
    }
    play->buffer = malloc((size_t)script->longest + 1);
    if (!good || play->buffer == NULL) {
        fail(error, STATUS_FAILED, "no memory for the script's files");
        return;
    }
    pattern_fill_file(play->buffer, script->longest + 1, play->rank, 0, 0);
}

static void make_ready(struct play *play, char *const *environment, struct error *error) {
    hints_read_environment(&play->asked, environment, error);
    if (play->options->hints_file[0] != '\0') {
        hints_read_file(&play->asked, play->options->hints_file, error);
    }
    if (error->status == STATUS_OK) {
        hints_to_info(&play->asked, &play->info, error);
    }
    make_files(play, error);
    if (error->status == STATUS_OK && (play->options->fill || play->options->check)) {
        play_spans_make(play, error);
    }
    make_comms(play, error);
}

int play_make(struct play *play, const struct play_options *options, MPI_Comm world, char *const *environment,
              struct error *error) {
    int size = 0;
    *play = (struct play){.options = options, .comm = MPI_COMM_NULL, .info = MPI_INFO_NULL, .author = -1};
    MPI_Comm_rank(world, &play->rank);
    MPI_Comm_size(world, &size);
    if (script_read(&play->script, options->script, play->rank, error) == STATUS_OK && play->script.ranks > size) {
        fail(error, STATUS_FAILED, "the script has %d ranks: run it with mpiexec -n %d", play->script.ranks,
             play->script.ranks);
    }
    if (agree(world, error) != STATUS_OK) {
        return error->status;
    }
    play->ranks = play->script.ranks;
    const int colour = play->rank < play->ranks ? 0 : MPI_UNDEFINED;
    fail_mpi(error, MPI_Comm_split(world, colour, play->rank, &play->comm), "cannot choose", "the ranks");
    if (play->comm != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(play->comm, MPI_ERRORS_RETURN);
        make_ready(play, environment, error);
    }
    return agree(world, error);
}

void play_free(struct play *play) {
    for (int64_t i = 0; play->comms != NULL && i < play->script.group_count; i++) {
        if (play->comms[i] != MPI_COMM_NULL && play->comms[i] != MPI_COMM_SELF) {
            MPI_Comm_free(&play->comms[i]);
        }
    }
    for (int64_t i = 0; play->files != NULL && i < play->script.opening_count; i++) {
        free(play->files[i]);
    }
    free(play->comms);
    free(play->files);
    free(play->buffer);
    free(play->spans);
    script_free(&play->script);
    if (play->info != MPI_INFO_NULL) {
        MPI_Info_free(&play->info);
    }
    if (play->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&play->comm);
    }
}

/* Make the figures of all ranks from each one's; returns an MPI error code. */
static int reduce(struct play *play, double begin, double end) {
    struct tally *const mine = &play->mine;
    struct tally *const all = &play->played->all;
    double most[ACTIVITIES + 3];
    double found[ACTIVITIES + 3];
    double first = 0;
    for (int i = 0; i < ACTIVITIES; i++) {
        most[i] = mine->seconds[i];
        mine->io += i < IN_COMPUTE ? mine->seconds[i] : 0;
    }
    most[ACTIVITIES] = mine->io;
    most[ACTIVITIES + 1] = mine->burnt;
    most[ACTIVITIES + 2] = end;
    const int64_t counts[] = {mine->bytes[WRITE], mine->bytes[READ], mine->transfers[WRITE], mine->transfers[READ],
                              mine->opens,        mine->syncs,       mine->metadata};
    int64_t sum[7] = {0};
    int code = MPI_Allreduce(most, found, ACTIVITIES + 3, MPI_DOUBLE, MPI_MAX, play->comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, play->comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(counts, sum, 7, MPI_INT64_T, MPI_SUM, play->comm);
    *all = (struct tally){.io = found[ACTIVITIES],
                          .burnt = found[ACTIVITIES + 1],
                          .bytes = {sum[0], sum[1]},
                          .transfers = {sum[2], sum[3]},
                          .opens = sum[4],
                          .syncs = sum[5],
                          .metadata = sum[6]};
    for (int i = 0; i < ACTIVITIES; i++) {
        all->seconds[i] = found[i];
    }
    play->played->total = found[ACTIVITIES + 2] - first;
    return code;
}

int play_run(struct play *play, struct played *played, struct error *error) {
    *played = (struct played){0};
    play->played = played;
    if (clock_align(&play->clock, play->comm, error) == STATUS_OK) {
        const struct act all = {.action = ACT_BARRIER, .group = 0};
        int code = MPI_Barrier(play->comm);
        const double begin = clock_now(&play->clock);
        for (int64_t i = 0; i < play->script.act_count; i++) {
            play_act(play, &play->script.acts[i], error);
        }
        if (play->options->settle) {
            play_settle(play, error);
        }
        const double end = clock_now(&play->clock);
        const double waited = play->mine.seconds[IN_WAIT];
        play_act(play, &all, error); /* who is done leaves the processor to the others */
        play->mine.seconds[IN_WAIT] = waited;
        code = code != MPI_SUCCESS ? code : reduce(play, begin, end);
        fail_mpi(error, code, "cannot gather", "the ranks' results");
    }
    return agree(play->comm, error);
}
