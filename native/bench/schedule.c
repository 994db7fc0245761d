#include "schedule.h"

#include <stdlib.h>
#include <string.h>

/* Something for which ranks wait. */
struct event {
    enum step_kind kind;
    double when;
    int64_t number; /* of the file or the call */
};

/* A schedule being made. */
struct maker {
    struct schedule *schedule;
    const struct trace *trace;
    struct event *events; /* that this rank takes part in, in the order of all */
    int64_t event_count, next;
    double until;       /* the end, in the trace, of this rank's segments so far */
    char *done;         /* for each of this rank's segments */
    int64_t *last_used; /* for each file and interface, this rank's last segment; -1: none */
    char *is_open;      /* likewise */
    int64_t *rest;      /* for each file, this rank's independent segments through MPI-IO that are not done */
    int failed;         /* no memory */
};

/* Add a step that the application made at a time. */
static void emit(struct maker *maker, double when, const struct step *step) {
    struct schedule *const schedule = maker->schedule;
    if (schedule->count == schedule->capacity) {
        const int64_t capacity = 2 * (schedule->capacity + 64);
        struct step *const steps = realloc(schedule->steps, (size_t)capacity * sizeof *steps);
        if (steps == NULL) {
            maker->failed = 1;
            return;
        }
        schedule->steps = steps;
        schedule->capacity = capacity;
    }
    schedule->steps[schedule->count] = *step;
    schedule->steps[schedule->count++].pause = when > maker->until ? when - maker->until : 0;
}

static void emit_file(struct maker *maker, enum step_kind kind, double when, int64_t file, enum interface interface) {
    const struct trace_file *const used = &maker->trace->files[file];
    const enum direction direction = used->written ? WRITE : READ;
    emit(maker, when, &(struct step){.kind = kind, .interface = interface, .file = file, .direction = direction});
    maker->is_open[file * INTERFACES + interface] = kind == STEP_OPEN;
}

/* A segment, with the opening and the closing of a file that this rank has for itself. */
static void emit_segment(struct maker *maker, int64_t index) {
    const struct segment *const s = &maker->trace->segments[index];
    const int64_t place = (int64_t)s->file * INTERFACES + s->interface;
    const int own = s->interface == POSIX || !maker->trace->files[s->file].joint;
    if (own && !maker->is_open[place]) {
        emit_file(maker, STEP_OPEN, s->start, s->file, s->interface);
    }
    emit(maker, s->start,
         &(struct step){
             .kind = s->call > 0 ? STEP_CALL : STEP_TRANSFER,
             .interface = s->interface,
             .file = s->file,
             .direction = s->direction,
             .offset = s->offset,
             .length = s->length,
         });
    maker->until = s->end > maker->until ? s->end : maker->until;
    maker->done[index] = 1;
    maker->rest[s->file] -= s->interface == MPIIO && s->call == 0;
    if (own && maker->last_used[place] == index) {
        emit_file(maker, STEP_CLOSE, s->end, s->file, s->interface);
    }
}

/* What is left to do independently on a file that is about to be closed. */
static void emit_rest(struct maker *maker, int64_t file) {
    for (int64_t i = 0; i < maker->trace->segment_count && maker->rest[file] > 0; i++) {
        const struct segment *const s = &maker->trace->segments[i];
        if (!maker->done[i] && s->file == file && s->interface == MPIIO && s->call == 0) {
            emit_segment(maker, i);
        }
    }
}

/* A rank that was early waited at the barrier, and did not compute: only what was left when the last one's I/O had
 * ended is a pause. */
static void emit_barrier(struct maker *maker, const struct event *event) {
    const double before = maker->trace->barriers[event->number].before;
    maker->until = before > maker->until ? before : maker->until;
    emit(maker, event->when, &(struct step){.kind = STEP_BARRIER});
    maker->until = event->when > maker->until ? event->when : maker->until;
}

static void emit_event(struct maker *maker) {
    const struct event *const event = &maker->events[maker->next++];
    if (event->kind == STEP_CALL) {
        const struct call *const call = &maker->trace->calls[event->number];
        if (call->last >= 0) {
            emit_segment(maker, call->last);
        } else {
            emit(maker, event->when,
                 &(struct step){
                     .kind = STEP_CALL, .interface = MPIIO, .file = call->file, .direction = call->direction});
        }
    } else if (event->kind == STEP_BARRIER) {
        emit_barrier(maker, event);
    } else {
        if (event->kind == STEP_CLOSE) {
            emit_rest(maker, event->number);
        }
        emit_file(maker, event->kind, event->when, event->number, MPIIO);
    }
}

static int by_order(const void *left, const void *right) {
    const struct event *const a = left;
    const struct event *const b = right;
    if (a->when != b->when) {
        return a->when < b->when ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* All events that this rank takes part in. A call is not put before one with a lower number, nor a close before the
 * file's last call. */
static int collect(struct maker *maker) {
    const struct trace *const trace = maker->trace;
    const size_t most = (size_t)(2 * trace->file_count + trace->call_count + trace->barrier_count + 1);
    maker->events = malloc(most * sizeof *maker->events);
    double *const last = malloc((size_t)(trace->file_count + 1) * sizeof *last);
    if (maker->events == NULL || last == NULL) {
        free(last);
        return 0;
    }
    int64_t count = 0;
    double when = 0;
    for (int64_t i = 0; i < trace->file_count; i++) {
        last[i] = trace->files[i].last;
    }
    for (int64_t i = 1; i <= trace->call_count; i++) {
        const struct call *const call = &trace->calls[i];
        if (call->file < 0) {
            continue;
        }
        when = call->start > when ? call->start : when;
        last[call->file] = when > last[call->file] ? when : last[call->file];
        if (trace_opens(trace, call->file, MPIIO, trace->rank)) {
            maker->events[count++] = (struct event){STEP_CALL, when, i};
        }
    }
    for (int64_t i = 0; i < trace->file_count; i++) {
        if (trace_opens(trace, i, MPIIO, trace->rank) && trace->files[i].joint) {
            maker->events[count++] = (struct event){STEP_OPEN, trace->files[i].first, i};
            maker->events[count++] = (struct event){STEP_CLOSE, last[i], i};
        }
    }
    for (int64_t i = 0; i < trace->barrier_count; i++) {
        maker->events[count++] = (struct event){STEP_BARRIER, trace->barriers[i].when, i};
    }
    maker->event_count = count;
    free(last);
    qsort(maker->events, (size_t)count, sizeof *maker->events, by_order);
    return 1;
}

static void find_uses(struct maker *maker) {
    for (int64_t i = 0; i < maker->trace->segment_count; i++) {
        const struct segment *const s = &maker->trace->segments[i];
        maker->last_used[(int64_t)s->file * INTERFACES + s->interface] = i;
        maker->rest[s->file] += s->interface == MPIIO && s->call == 0;
    }
}

/* Make the events that come before a segment, or that it needs: the open of its file, or the call that it is part of.
 */
static void place_segment(struct maker *maker, int64_t index) {
    const struct segment *const s = &maker->trace->segments[index];
    const char *const is_open = &maker->is_open[(int64_t)s->file * INTERFACES + s->interface];
    const int joint = s->interface == MPIIO && maker->trace->files[s->file].joint;
    while (maker->next < maker->event_count && !maker->done[index]) {
        const struct event *const event = &maker->events[maker->next];
        const int own_later = event->kind == STEP_CALL && maker->trace->calls[event->number].last > index;
        const int earlier = event->kind == STEP_CLOSE ? event->when < s->start : event->when <= s->start;
        const int before = earlier && !own_later;
        const int needed = s->call > 0 || (joint && !*is_open);
        if (!before && !needed) {
            break;
        }
        emit_event(maker);
    }
    if (!maker->done[index]) {
        emit_segment(maker, index);
    }
}

int schedule_make(struct schedule *schedule, const struct trace *trace, struct error *error) {
    *schedule = (struct schedule){0};
    const size_t segments = (size_t)trace->segment_count + 1;
    const size_t places = (size_t)trace->file_count * INTERFACES + 1;
    struct maker maker = {.schedule = schedule, .trace = trace, .until = trace->start};
    maker.done = calloc(segments, 1);
    maker.last_used = malloc(places * sizeof *maker.last_used);
    maker.is_open = calloc(places, 1);
    maker.rest = calloc(places, sizeof *maker.rest);
    if (maker.done == NULL || maker.last_used == NULL || maker.is_open == NULL || maker.rest == NULL ||
        !collect(&maker)) {
        maker.failed = 1;
    } else {
        memset(maker.last_used, -1, places * sizeof *maker.last_used);
        find_uses(&maker);
        for (int64_t i = 0; i < trace->segment_count; i++) {
            place_segment(&maker, i);
        }
        while (maker.next < maker.event_count) {
            emit_event(&maker);
        }
    }
    free(maker.done);
    free(maker.last_used);
    free(maker.is_open);
    free(maker.rest);
    free(maker.events);
    return maker.failed ? fail(error, STATUS_FAILED, "no memory for the replay") : STATUS_OK;
}

void schedule_free(struct schedule *schedule) {
    free(schedule->steps);
    *schedule = (struct schedule){0};
}
