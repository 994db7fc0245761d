#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "burn.h"
#include "pattern.h"

/* A file that this rank opens. */
struct opened {
    struct place place;
    struct file file;
    char *path;
};

/* A replay under way on one rank. */
struct player {
    struct replay *replay;
    struct replayed *replayed;
    struct opened *files; /* for each file and interface */
    MPI_Comm *comms;      /* for each file, of the ranks that open it through MPI-IO together; one for each set */
    struct figures mine[2];
    double first[2], last[2]; /* moments of this rank's first and last transfer */
    double until;             /* end of its last transfer or barrier */
    double burnt;             /* seconds of processor time that the pause since then has had */
    double computing;         /* seconds */
    struct error *error;
};

const struct backend *replay_backend(enum interface interface) {
    return interface == POSIX ? &POSIX_BACKEND : &MPIIO_BACKEND;
}

static struct opened *opened_of(const struct player *player, const struct step *step) {
    return &player->files[step->file * INTERFACES + step->interface];
}

/* Room for everything that this rank opens: while others wait for it, nothing may fail for want of memory. */
static void make_room(struct player *player) {
    const struct replay *const replay = player->replay;
    const size_t files = (size_t)replay->trace.file_count;
    player->comms = malloc((files + 1) * sizeof(MPI_Comm));
    player->files = calloc(files * INTERFACES + 1, sizeof(struct opened));
    for (size_t i = 0; player->comms != NULL && i < files; i++) {
        player->comms[i] = MPI_COMM_NULL;
    }
    int good = player->comms != NULL && player->files != NULL;
    for (size_t i = 0; i < files * INTERFACES && good; i++) {
        char path[TEXT_SIZE];
        const int64_t file = (int64_t)(i / INTERFACES);
        if (trace_opens(&replay->trace, file, (enum interface)(i % INTERFACES), replay->rank) &&
            replay_path(replay, file, path, player->error) == STATUS_OK) {
            player->files[i].path = strdup(path);
            good = player->files[i].path != NULL;
        }
    }
    if (!good) {
        fail(player->error, STATUS_FAILED, "no memory for the replay's files");
    }
}

/* The first file that the same ranks open together, which has their communicator: MPICH has 2,048 of them in all. */
static int64_t first_alike(const struct trace *trace, int64_t file) {
    const size_t size = ((size_t)trace->ranks + 7) / 8;
    int64_t i = 0;
    while (i < file && (!trace->files[i].joint ||
                        memcmp(trace->files[i].openers[MPIIO], trace->files[file].openers[MPIIO], size) != 0)) {
        i++;
    }
    return i;
}

/* A communicator for each set of ranks that open files together. */
static void make_comms(struct player *player) {
    const struct trace *const trace = &player->replay->trace;
    make_room(player);
    if (agree(player->replay->comm, player->error) != STATUS_OK) {
        return;
    }
    for (int64_t i = 0; i < trace->file_count; i++) {
        const int64_t first = trace->files[i].joint ? first_alike(trace, i) : i;
        if (first < i) {
            player->comms[i] = player->comms[first];
        } else if (trace->files[i].joint) {
            const int colour = trace_opens(trace, i, MPIIO, trace->rank) ? 0 : MPI_UNDEFINED;
            const int code = MPI_Comm_split(player->replay->comm, colour, trace->rank, &player->comms[i]);
            fail_mpi(player->error, code, "cannot group", "the ranks that open a file");
            if (player->comms[i] != MPI_COMM_NULL) {
                MPI_Comm_set_errhandler(player->comms[i], MPI_ERRORS_RETURN);
            }
        }
    }
    agree(player->replay->comm, player->error);
}

static void free_player(struct player *player) {
    const struct trace *const trace = &player->replay->trace;
    const int64_t files = trace->file_count;
    for (int64_t i = 0; player->comms != NULL && i < files; i++) {
        if (player->comms[i] != MPI_COMM_NULL && first_alike(trace, i) == i) {
            MPI_Comm_free(&player->comms[i]);
        }
    }
    for (int64_t i = 0; player->files != NULL && i < files * INTERFACES; i++) {
        free(player->files[i].path);
    }
    free(player->comms);
    free(player->files);
}

static void open_file(struct player *player, const struct step *step) {
    struct replay *const replay = player->replay;
    const struct trace_file *const used = &replay->trace.files[step->file];
    struct opened *const opened = opened_of(player, step);
    opened->place = (struct place){
        .path = opened->path,
        .comm = step->interface == MPIIO && used->joint ? player->comms[step->file] : MPI_COMM_SELF,
        .direction = step->direction,
        .both = used->written,
        .info = step->interface == MPIIO ? replay->info : MPI_INFO_NULL,
    };
    replay_backend(step->interface)->open(&opened->place, &opened->file, player->error);
    if (opened->file.is_open && step->interface == MPIIO && replay->rank == 0 &&
        player->replayed->in_force.count == 0) {
        MPIIO_BACKEND.hints(&opened->file, &player->replayed->in_force, player->error);
    }
}

static void close_file(struct player *player, const struct step *step) {
    struct opened *const opened = opened_of(player, step);
    if (opened->file.is_open) {
        const struct backend *const backend = replay_backend(step->interface);
        if (player->replay->options->fsync && opened->place.both) {
            backend->sync(&opened->file, player->error);
        }
        backend->close(&opened->file, player->error);
    }
}

/* One transfer; the file says whether collectively. A rank that failed still joins collective calls. */
static void transfer(struct player *player, const struct step *step) {
    struct opened *const opened = opened_of(player, step);
    const int joins = step->kind == STEP_CALL;
    if (!opened->file.is_open || (player->error->status != STATUS_OK && !joins)) {
        return;
    }
    opened->place.collective = joins;
    replay_backend(step->interface)
        ->transfer(&opened->file, step->direction, player->replay->buffer, step->length, step->offset, player->error);
}

static void note(struct player *player, const struct step *step, double begin, double end) {
    struct figures *const mine = &player->mine[step->direction];
    const double seconds = end - begin;
    if (step->kind == STEP_OPEN) {
        mine->open += seconds;
    } else if (step->kind == STEP_CLOSE) {
        mine->close += seconds;
    } else if (step->kind != STEP_BARRIER) {
        mine->move += seconds;
        mine->bytes += step->length;
        mine->transfers += step->kind == STEP_TRANSFER || step->length > 0; /* not who only joins a call */
        player->first[step->direction] =
            begin < player->first[step->direction] ? begin : player->first[step->direction];
        player->last[step->direction] = end > player->last[step->direction] ? end : player->last[step->direction];
    }
    if (step->kind == STEP_BARRIER || step->kind == STEP_TRANSFER || step->length > 0) {
        player->until = end;
        player->burnt = 0;
    }
}

/* Wait, or compute, until a step's pause is over; steps that follow one another without a transfer have parts of one
 * pause. */
static void think(struct player *player, const struct step *step) {
    struct replay *const replay = player->replay;
    const double pause = step->pause * replay->options->think;
    const double begin = clock_now(&replay->clock);
    if (!replay->options->burn) {
        clock_sleep(player->until + pause - begin);
    } else if (pause > player->burnt) {
        burn(pause - player->burnt);
        player->burnt = pause;
        player->computing += clock_now(&replay->clock) - begin;
    }
}

static void play(struct player *player, const struct step *step) {
    struct replay *const replay = player->replay;
    if (player->error->status == STATUS_OK && replay->options->think > 0) {
        think(player, step);
    }
    if (replay->options->check_write && step->direction == WRITE && step->length > 0) {
        pattern_fill_file(replay->buffer, step->length, step->file, step->offset, 0);
    }
    const double begin = clock_now(&replay->clock);
    switch (step->kind) {
    case STEP_BARRIER:
        fail_mpi(player->error, MPI_Barrier(replay->comm), "cannot", "wait for the other ranks");
        break;
    case STEP_OPEN:
        open_file(player, step);
        break;
    case STEP_CLOSE:
        close_file(player, step);
        break;
    case STEP_CALL:
    case STEP_TRANSFER:
        transfer(player, step);
        break;
    }
    note(player, step, begin, clock_now(&replay->clock));
}

/* Make the figures of all ranks from each one's; returns an MPI error code. */
static int reduce(const struct player *player, double begin, double end) {
    const struct figures *const w = &player->mine[WRITE];
    const struct figures *const r = &player->mine[READ];
    const double total[] = {w->open + w->move + w->close, r->open + r->move + r->close};
    const double least[] = {begin, player->first[WRITE], player->first[READ]};
    const double most[] = {end,
                           player->last[WRITE],
                           player->last[READ],
                           w->open,
                           w->move,
                           w->close,
                           r->open,
                           r->move,
                           r->close,
                           total[0],
                           total[1],
                           total[0] + total[1],
                           player->computing};
    const int64_t counts[] = {w->bytes, w->transfers, r->bytes, r->transfers};
    double min[3];
    double max[13];
    int64_t sum[4];
    const MPI_Comm comm = player->replay->comm;
    struct replayed *const all = player->replayed;
    int code = MPI_Allreduce(least, min, 3, MPI_DOUBLE, MPI_MIN, comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(most, max, 13, MPI_DOUBLE, MPI_MAX, comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(counts, sum, 4, MPI_INT64_T, MPI_SUM, comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    for (int d = WRITE; d <= READ; d++) {
        const double *const times = &max[3 + 3 * d];
        all->figures[d] = (struct figures){.bytes = sum[2 * d],
                                           .transfers = sum[2 * d + 1],
                                           .open = times[0],
                                           .move = times[1],
                                           .close = times[2],
                                           .total = max[9 + d]};
        all->figures[d].latency = sum[2 * d + 1] > 0 ? times[1] / (double)sum[2 * d + 1] * player->replay->ranks : 0;
        all->elapsed[d] = sum[2 * d + 1] > 0 ? max[1 + d] - min[1 + d] : 0;
    }
    all->total = max[0] - min[0];
    all->in_io = max[11];
    all->computing = max[12];
    return code;
}

int replay_run(struct replay *replay, struct replayed *replayed, struct error *error) {
    struct player player = {
        .replay = replay, .replayed = replayed, .first = {1e300, 1e300}, .last = {0, 0}, .error = error};
    *replayed = (struct replayed){0};
    make_comms(&player);
    if (error->status == STATUS_OK && clock_align(&replay->clock, replay->comm, error) == STATUS_OK) {
        int code = MPI_Barrier(replay->comm);
        const double begin = player.until = clock_now(&replay->clock);
        for (int64_t i = 0; i < replay->schedule.count; i++) {
            play(&player, &replay->schedule.steps[i]);
        }
        const double end = clock_now(&replay->clock);
        code = code != MPI_SUCCESS ? code : reduce(&player, begin, end);
        fail_mpi(error, code, "cannot gather", "the ranks' results");
    }
    agree(replay->comm, error);
    free_player(&player);
    return error->status;
}
