/* Traces that are wrong are refused with their line; of those that are right, no replay can come to a halt, and every
 * segment is made once. The second is tried on random traces, with all ranks' schedules played against one another. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../schedule.h"
#include "../trace.h"
#include "check.h"

static const char HEAD[] = "acic-replay 1\nranks 2\nfile 0 0 a\nfile 1 10 b\n";

static void save(const char *path, const char *head, const char *text) {
    FILE *const file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(head, file) >= 0 && fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static void refused(const char *path) {
    static const char *const WRONG[] = {
        "2 posix write 0 0 0 1 0 0",
        "0 stdio write 0 0 0 1 0 0",
        "0 posix append 0 0 0 1 0 0",
        "0 posix write 0 2 0 1 0 0",
        "0 posix write 0 0 -1 1 0 0",
        "0 posix write 0 0 0 x 0 0",
        "0 posix write 0 0 0 1 2 1",
        "0 posix write 0 0 0 1 nan 0",
        "0 posix write 1 0 0 1 0 0",
        "0 posix write 0 0 0 1 0",
        "0 posix write 0 0 0 1 0 0 0",
        "barrier 2\nbarrier 1\n0 posix write 0 0 0 1 0 0",
        "0 posix write 0 0 0 1 0 0\nbarrier 1",
        "0 mpiio write 1 0 0 1 0 0\n1 mpiio read 1 0 0 1 0 0",
        "0 mpiio write 1 0 0 1 0 0\n1 mpiio write 1 1 0 1 0 0",
        "0 mpiio write 2 0 0 1 0 0\n0 mpiio write 1 0 0 1 0 0",
        "file 3 0 c\n0 posix write 0 0 0 1 0 0",
        "file 2 0 a/b\n0 posix write 0 0 0 1 0 0",
        "file 2 0 ..\n0 posix write 0 0 0 1 0 0",
        "ranks 3\n0 posix write 0 0 0 1 0 0",
        "0 mpiio write 0 0 0 4294967296 0 0",
        "nonsense",
        "",
        "# only a comment",
    };
    struct trace trace;
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        struct error error = NO_ERROR;
        save(path, HEAD, WRONG[i]);
        CHECK(trace_read(&trace, path, 0, &error) == STATUS_FAILED && error.text[0] != '\0');
        trace_free(&trace);
    }
    struct error error = NO_ERROR;
    save(path, "ranks 2\n", "");
    CHECK(trace_read(&trace, path, 0, &error) == STATUS_FAILED && strstr(error.text, ":1:") != NULL);
    trace_free(&trace);
}

static void taken(const char *path) {
    struct trace trace;
    struct error error = NO_ERROR;
    save(path, HEAD,
         "0 posix write 0 0 0 8 1.5 2\r\n\n# comment\n1 mpiio read 0 1 4 6 3 3.25\n0 posix read 0 0 0 8 2.5 3");
    CHECK(trace_read(&trace, path, 0, &error) == STATUS_OK);
    CHECK(trace.ranks == 2 && trace.file_count == 2 && trace.segment_count == 2 && trace.total_segments == 3);
    CHECK(trace.start == 1.5 && trace.files[0].written && !trace.files[1].written && trace.files[1].size == 10);
    CHECK(trace_opens(&trace, 0, POSIX, 0) && !trace_opens(&trace, 0, POSIX, 1) && trace_opens(&trace, 1, MPIIO, 1));
    CHECK(!trace.files[0].joint && !trace.files[1].joint);
    struct schedule schedule;
    CHECK(schedule_make(&schedule, &trace, &error) == STATUS_OK && schedule.count == 4);
    CHECK(schedule.steps[0].kind == STEP_OPEN && schedule.steps[3].kind == STEP_CLOSE);
    CHECK(schedule.steps[1].pause == 0 && schedule.steps[2].pause == 0.5);
    schedule_free(&schedule);
    trace_free(&trace);
}

/* Waiting for a slower rank is no pause; what all had before the barrier, and each one's own after it, is. */
static void pauses(const char *path) {
    struct trace trace;
    struct schedule schedule;
    struct error error = NO_ERROR;
    save(path, HEAD, "barrier 6\n0 posix write 0 0 0 8 0 5\n1 posix write 0 0 0 8 0 2\n1 posix write 0 0 0 8 7 8\n");
    CHECK(trace_read(&trace, path, 1, &error) == STATUS_OK && schedule_make(&schedule, &trace, &error) == STATUS_OK);
    CHECK(schedule.count == 5 && schedule.steps[2].kind == STEP_BARRIER);
    CHECK(schedule.steps[2].pause == 1 && schedule.steps[3].pause == 1);
    schedule_free(&schedule);
    trace_free(&trace);
}

/* A rank that comes late to a call has first done what it did before, though the others have come already. */
static void latecomers(const char *path) {
    static const char *const EARLIER[] = {"5 5.1", "5.2 5.2"};
    for (size_t i = 0; i < sizeof EARLIER / sizeof EARLIER[0]; i++) {
        struct trace trace;
        struct schedule schedule;
        struct error error = NO_ERROR;
        char text[256];
        snprintf(text, sizeof text,
                 "0 posix write 0 0 0 8 %s\n0 mpiio write 1 1 0 8 5.2 6\n1 mpiio write 1 1 8 8 4.9 6\n", EARLIER[i]);
        save(path, HEAD, text);
        CHECK(trace_read(&trace, path, 0, &error) == STATUS_OK && trace.calls[1].start == 5.2);
        CHECK(schedule_make(&schedule, &trace, &error) == STATUS_OK && schedule.count == 6);
        int64_t write = 0;
        int64_t call = 0;
        for (int64_t k = 0; k < schedule.count; k++) {
            write = schedule.steps[k].kind == STEP_TRANSFER ? k : write;
            call = schedule.steps[k].kind == STEP_CALL ? k : call;
        }
        CHECK(write > 0 && call > write);
        schedule_free(&schedule);
        trace_free(&trace);
    }
}

enum { RANKS = 5, FILES = 4, SEGMENTS = 60 };

/* A trace with clocks that disagree, collective calls that some ranks are not part of, and barriers anywhere. */
static void random_trace(const char *path, unsigned *seed) {
    FILE *const file = fopen(path, "w");
    CHECK(file != NULL);
    fprintf(file, "acic-replay 1\nranks %d\n", RANKS);
    for (int i = 0; i < FILES; i++) {
        fprintf(file, "file %d 1000 f%d\n", i, i);
    }
    double barrier = 0;
    for (int i = rand_r(seed) % 4; i > 0; i--) {
        barrier += rand_r(seed) % 30;
        fprintf(file, "barrier %g\n", barrier);
    }
    int call = 0;
    double when = 0;
    for (int i = 0; i < SEGMENTS; i++) {
        const int target = rand_r(seed) % FILES;
        const char *const operation = rand_r(seed) % 2 ? "write" : "read";
        when += rand_r(seed) % 3;
        if (rand_r(seed) % 3 == 0) {
            call++;
            for (int rank = 0; rank < RANKS; rank++) {
                if (rand_r(seed) % 3) {
                    const double start = when + rand_r(seed) % 20;
                    fprintf(file, "%d mpiio %s %d %d %d %d %g %g\n", rank, operation, call, target, rank, call, start,
                            start + 1);
                }
            }
        } else {
            const double start = when + rand_r(seed) % 20;
            fprintf(file, "%d %s %s 0 %d 0 8 %g %g\n", rand_r(seed) % RANKS, rand_r(seed) % 2 ? "posix" : "mpiio",
                    operation, target, start, start);
        }
    }
    CHECK(fclose(file) == 0);
}

/* Whether all ranks that make this step with others have come to it: then none waits for ever. */
static int all_there(const struct trace *traces, const struct schedule *schedules, const int64_t *at,
                     const struct step *step) {
    for (int rank = 0; rank < RANKS; rank++) {
        if (step->kind != STEP_BARRIER && !trace_opens(&traces[0], step->file, MPIIO, rank)) {
            continue;
        }
        if (at[rank] >= schedules[rank].count) {
            return 0;
        }
        const struct step *const other = &schedules[rank].steps[at[rank]];
        const int same_file = step->kind == STEP_BARRIER || (other->file == step->file && other->interface == MPIIO);
        if (other->kind != step->kind || !same_file || other->direction != step->direction) {
            return 0;
        }
    }
    return 1;
}

static int is_together(const struct trace *trace, const struct step *step) {
    return step->kind == STEP_BARRIER ||
           (step->interface == MPIIO && trace->files[step->file].joint && step->kind != STEP_TRANSFER);
}

static void advance_together(const struct trace *traces, int64_t *at, const struct step *step, int *open) {
    CHECK(step->kind != STEP_CALL || *open);
    *open = step->kind == STEP_OPEN ? 1 : step->kind == STEP_CLOSE ? 0 : *open;
    for (int rank = 0; rank < RANKS; rank++) {
        at[rank] += step->kind == STEP_BARRIER || trace_opens(&traces[0], step->file, MPIIO, rank);
    }
}

/* Play all schedules; returns how many segments with bytes were made. */
static int64_t play(const struct trace *traces, const struct schedule *schedules) {
    int64_t at[RANKS] = {0};
    int64_t made = 0;
    int open[RANKS + 1][FILES][INTERFACES] = {0}; /* the last: by all that open it together */
    for (int moved = 1; moved;) {
        moved = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            if (at[rank] >= schedules[rank].count) {
                continue;
            }
            const struct step *const step = &schedules[rank].steps[at[rank]];
            if (!is_together(&traces[rank], step)) {
                const int joint = step->interface == MPIIO && traces[0].files[step->file].joint;
                int *const is_open = &open[joint ? RANKS : rank][step->file][step->interface];
                CHECK(*is_open == (step->kind != STEP_OPEN));
                *is_open = step->kind == STEP_OPEN ? 1 : step->kind == STEP_CLOSE ? 0 : *is_open;
                made += step->length > 0;
                at[rank]++;
                moved = 1;
            } else if (all_there(traces, schedules, at, step)) {
                for (int other = 0; other < RANKS && step->kind == STEP_CALL; other++) {
                    made += trace_opens(&traces[0], step->file, MPIIO, other) &&
                            schedules[other].steps[at[other]].length > 0;
                }
                advance_together(traces, at, step, &open[RANKS][step->file][MPIIO]);
                moved = 1;
            }
        }
    }
    for (int rank = 0; rank < RANKS; rank++) {
        CHECK(at[rank] == schedules[rank].count);
    }
    return made;
}

/* Each rank makes its collective calls in the order of their numbers, which random_trace() gives as their lengths. */
static void in_order(const struct schedule *schedule) {
    int64_t last = 0;
    for (int64_t i = 0; i < schedule->count; i++) {
        if (schedule->steps[i].kind == STEP_CALL && schedule->steps[i].length > 0) {
            CHECK(schedule->steps[i].length > last);
            last = schedule->steps[i].length;
        }
    }
}

static void never_halts(const char *path) {
    for (unsigned number = 1; number <= 300; number++) {
        unsigned seed = number;
        struct trace traces[RANKS];
        struct schedule schedules[RANKS];
        random_trace(path, &seed);
        for (int rank = 0; rank < RANKS; rank++) {
            struct error error = NO_ERROR;
            CHECK(trace_read(&traces[rank], path, rank, &error) == STATUS_OK);
            CHECK(schedule_make(&schedules[rank], &traces[rank], &error) == STATUS_OK);
            in_order(&schedules[rank]);
        }
        CHECK(play(traces, schedules) == traces[0].total_segments);
        for (int rank = 0; rank < RANKS; rank++) {
            trace_free(&traces[rank]);
            schedule_free(&schedules[rank]);
        }
    }
}

int main(void) {
    char path[] = "/tmp/acic-bench-check-XXXXXX";  /* mkstemp makes it unique; POSIX has a /tmp */
    const int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    close(descriptor);
    refused(path);
    taken(path);
    pauses(path);
    latecomers(path);
    never_halts(path);
    unlink(path);
    return 0;
}
