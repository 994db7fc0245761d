#include "phase.h"

#include <strings.h>

#include "agree.h"

/* A phase under way on one task. */
struct run {
    struct job *job;
    enum phase phase;
    int source; /* the task whose share of the layout this one moves */
    struct pattern pattern;
    struct place place;
    struct file file;
    char path[TEXT_SIZE];
    int lockstep; /* tasks wait for one another at transfers or syncs: none may leave early */
    double aside; /* seconds spent on what IOR does not do: taken off the moments that follow */
    struct account account;
    struct error *error;
};

static int64_t wrong_words(const struct run *run, int64_t offset, int64_t *first) {
    const struct job *const job = run->job;
    const int64_t bytes = job->layout.transfer;
    const int64_t wrong = pattern_wrong(&run->pattern, job->buffer, bytes, offset, first);
    if (wrong > 0 && !job->options->write && job->options->packet[0] == '\0') {
        struct pattern other = run->pattern; /* written by a run without -W or -R: IOR's data, right as well */
        int64_t other_first = 0;
        other.packet = PACKET_TIMESTAMP;
        if (pattern_wrong(&other, job->buffer, bytes, offset, &other_first) == 0) {
            return 0;
        }
    }
    return wrong;
}

static double moment(const struct run *run) {
    return clock_now(&run->job->clock) - run->aside;
}

/* Agree where a task that fails would leave others waiting. What the last task to come spends here is the price of
 * agreeing; what earlier ones do is waiting, which the next collective call would have cost them anyway. */
static void agree_aside(struct run *run) {
    const double begin = clock_here();
    agree(run->job->comm, run->error);
    run->aside += clock_here() - begin;
}

/* Agree, where one task's failure makes it unsafe for the others to go on with the file. */
static int is_safe(struct run *run) {
    if (run->job->backend->is_fragile && run->lockstep) {
        agree_aside(run);
    }
    return run->error->status == STATUS_OK || !run->job->backend->is_fragile;
}

static void sync_file(struct run *run) {
    if (is_safe(run)) {
        run->job->backend->sync(&run->file, run->error);
    }
}

static void transfer(struct run *run) {
    const struct job *const job = run->job;
    const int64_t bytes = job->layout.transfer;
    const int64_t offset = layout_offset(&job->layout, run->account.done);
    const int comparing = run->phase == PHASE_CHECK_WRITE || (run->phase == PHASE_READ && job->options->check_read);
    if (run->phase == PHASE_WRITE) {
        pattern_stamp(&run->pattern, job->buffer, bytes, offset);
    } else if (comparing) {
        pattern_poison(job->buffer, bytes);
    }
    const int moved = job->backend->transfer(&run->file, run->place.direction, job->buffer, bytes, offset, run->error);
    if (run->phase == PHASE_WRITE && job->options->fsync_each) {
        sync_file(run);
    }
    if (comparing && moved == STATUS_OK) {
        int64_t first = 0;
        const int64_t wrong = wrong_words(run, offset, &first);
        struct account *const account = &run->account;
        account->first_wrong = wrong > 0 && account->wrong == 0 ? offset + first * WORD : account->first_wrong;
        account->wrong += wrong;
    }
}

/* After a failure a task goes on where the others wait for it; else it stops. */
static int may_go_on(const struct run *run) {
    return run->error->status == STATUS_OK || run->lockstep;
}

/* Whether the deadline has passed; in lockstep all stop as soon as one would. */
static int stonewalled(const struct run *run) {
    const int64_t deadline = run->phase == PHASE_CHECK_WRITE ? 0 : run->job->options->deadline;
    if (deadline == 0) {
        return 0;
    }
    int stop = moment(run) - run->account.moments.move_begin >= (double)deadline;
    if (run->lockstep) {
        const int mine = stop;
        fail_mpi(run->error, MPI_Allreduce(&mine, &stop, 1, MPI_INT, MPI_MAX, run->job->comm), "cannot agree on",
                 "the deadline");
    }
    return stop;
}

static void move(struct run *run) {
    struct job *const job = run->job;
    int64_t count = run->phase == PHASE_WRITE ? layout_transfers(&job->layout) : job->written[run->source];
    run->account.moments.move_begin = moment(run);
    for (; run->account.done < count && may_go_on(run); run->account.done++) {
        if (stonewalled(run)) {
            run->account.stopped = moment(run) - run->account.moments.move_begin;
            break;
        }
        transfer(run);
    }
    run->account.done_then = run->account.done;
    if (job->options->wear_out && run->phase != PHASE_CHECK_WRITE) {
        int64_t furthest = run->account.done;
        const int64_t mine = may_go_on(run) ? run->account.done : 0;
        fail_mpi(run->error, MPI_Allreduce(&mine, &furthest, 1, MPI_INT64_T, MPI_MAX, job->comm), "cannot agree on",
                 "the transfers to wear out");
        count = furthest < count ? furthest : count;
        for (; run->account.done < count && may_go_on(run); run->account.done++) {
            transfer(run);
        }
    }
    if (run->phase == PHASE_WRITE && job->options->fsync && may_go_on(run)) {
        sync_file(run);
    }
    run->account.moments.move_end = moment(run);
}

static void barrier(const struct run *run) {
    if (run->job->options->barriers) {
        fail_mpi(run->error, MPI_Barrier(run->job->comm), "cannot", "wait for the other tasks");
    }
}

static void ask_hints(struct run *run, struct hints *in_force) {
    const double begin = clock_here();
    if (in_force != NULL && run->job->rank == 0 && run->error->status == STATUS_OK) {
        run->job->backend->hints(&run->file, in_force, run->error);
    }
    run->aside += clock_here() - begin;
}

static void open_move_close(struct run *run, struct hints *in_force) {
    struct job *const job = run->job;
    struct moments *const moments = &run->account.moments;
    moments->open_begin = moment(run);
    job->backend->open(&run->place, &run->file, run->error);
    moments->open_end = moment(run);
    if (run->lockstep || job->options->wear_out) {
        agree_aside(run); /* else one task would wait for another that has no file */
    }
    barrier(run);
    if (run->error->status == STATUS_OK) {
        move(run);
    } else {
        moments->move_begin = moments->move_end = moments->open_end;
    }
    ask_hints(run, in_force);
    barrier(run);
    moments->close_begin = moment(run);
    const int safe = is_safe(run);
    if (run->file.is_open && safe) {
        job->backend->close(&run->file, run->error);
    } else if (run->file.is_open) {
        run->error->unclean = 1;
    }
    moments->close_end = moment(run);
}

/* The task whose share a task moves. With -C the check is twice as far away as the read, as in IOR, so that it does not
 * bring what is read then into the reader's cache; where that is back at the writer, and nothing is read, as far. */
static int source_of(const struct job *job, enum phase phase) {
    const int twice = (int)((int64_t)2 * job->shift % job->tasks);
    const int reads = job->options->read || job->options->check_read;
    const int away = phase == PHASE_WRITE  ? 0
                     : phase == PHASE_READ ? job->shift
                     : twice == 0 && !reads ? job->shift
                                            : twice;
    return (job->rank + away) % job->tasks;
}

static void prepare(struct run *run, int64_t repetition) {
    struct job *const job = run->job;
    const struct options *const options = job->options;
    run->source = source_of(job, run->phase);
    const uint32_t signature = job->signature + (options->signature == 0 ? (uint32_t)repetition : 0);
    run->pattern = (struct pattern){.packet = job->packet, .signature = signature, .rank = run->source};
    const int together = strcasecmp(options->api, "POSIX") != 0;
    const int always = strcasecmp(options->api, "HDF5") == 0;
    const int waits = options->collective || options->fsync || options->fsync_each || always;
    run->lockstep = together && !options->file_per_task && waits;
    run->place = (struct place){
        .path = run->path,
        .comm = options->file_per_task ? MPI_COMM_SELF : job->comm,
        .direction = run->phase == PHASE_WRITE ? WRITE : READ,
        .alone = 1,
        .collective = together && options->collective,
        .direct = options->direct > 0,
        .info = job->info,
        .segments = job->layout.segments,
        .segment_bytes = layout_file_size(&job->layout) / job->layout.segments,
    };
    if (!layout_name(run->path, sizeof run->path, options, run->source, repetition)) {
        fail(run->error, STATUS_FAILED, "the file's name is too long");
    }
    if (!layout_for(&job->layout, run->source)) {
        fail(run->error, STATUS_FAILED, "no memory for the order of the transfers");
    }
    if (run->phase == PHASE_WRITE) {
        pattern_prepare(&run->pattern, job->buffer, job->layout.transfer);
    }
}

/* Look whether all that was written is in the files, as far as their sizes tell. Collective. */
static int check_size(const struct run *run) {
    const struct job *const job = run->job;
    int64_t end = 0;
    for (int64_t i = 0; i < run->account.done; i++) {
        const int64_t after = layout_offset(&job->layout, i) + job->layout.transfer;
        end = after > end ? after : end;
    }
    if (!job->options->file_per_task) {
        const int64_t mine = end;
        fail_mpi(run->error, MPI_Allreduce(&mine, &end, 1, MPI_INT64_T, MPI_MAX, job->comm), "cannot find",
                 "the file's end");
    }
    if (run->error->status == STATUS_OK && end > 0 && (job->rank == 0 || job->options->file_per_task)) {
        backend_holds(job->backend, run->path, end, run->error);
    }
    return agree(job->comm, run->error);
}

int phase_run(struct job *job, enum phase phase, int64_t repetition, struct figures *figures, struct hints *in_force,
              char *wrong_at, struct error *error) {
    struct run run = {.job = job, .phase = phase, .error = error};
    *figures = (struct figures){0};
    wrong_at[0] = '\0';
    prepare(&run, repetition);
    if (agree(job->comm, error) != STATUS_OK || clock_align(&job->clock, job->comm, error) != STATUS_OK) {
        return agree(job->comm, error);
    }
    int code = MPI_Barrier(job->comm);
    open_move_close(&run, in_force);
    code = code != MPI_SUCCESS ? code : figures_gather(job, &run.account, figures);
    if (figures->wrong > 0 && code == MPI_SUCCESS) {
        code = figures_locate(job, &run.account, run.path, wrong_at);
    }
    if (phase == PHASE_WRITE && code == MPI_SUCCESS) {
        code = MPI_Allgather(&run.account.done, 1, MPI_INT64_T, job->written, 1, MPI_INT64_T, job->comm);
    }
    fail_mpi(error, code, "cannot gather", "the tasks' results");
    if (agree(job->comm, error) == STATUS_OK && phase == PHASE_WRITE) {
        check_size(&run);
    }
    return error->status;
}
