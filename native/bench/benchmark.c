#include "benchmark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"

struct bench {
    struct job *job;
    struct results *results;
    const struct observer *observer;
    struct error *error;
};

/* Remove this repetition's files: each task its own, or rank 0 the shared one. Collective. */
static int remove_files(const struct bench *bench, int64_t repetition, int warn) {
    const struct job *const job = bench->job;
    char path[TEXT_SIZE];
    int existed = 0;
    struct error error = NO_ERROR;
    if (job->rank == 0 || job->options->file_per_task) {
        if (layout_name(path, sizeof path, job->options, job->rank, repetition)) {
            job->backend->remove(path, &existed, &error);
        }
    }
    if (warn && existed && job->rank == 0 && bench->observer->warn != NULL) {
        char text[TEXT_SIZE + 64];
        snprintf(text, sizeof text, "the file \"%s\" existed already and was removed", path);
        bench->observer->warn(bench->observer->context, text);
    }
    if (error.status != STATUS_OK) {
        fail(bench->error, error.status, "%s", error.text);
    }
    return agree(job->comm, bench->error);
}

static int timed(const struct bench *bench, enum phase phase, int64_t repetition) {
    struct results *const results = bench->results;
    struct result *const result = &results->items[results->count];
    struct hints *const hints = results->count == 0 ? &results->in_force : NULL;
    char wrong_at[TEXT_SIZE];
    clock_sleep((double)bench->job->options->delay);
    *result = (struct result){.access = phase == PHASE_WRITE ? WRITE : READ, .repetition = repetition};
    if (phase_run(bench->job, phase, repetition, &result->figures, hints, wrong_at, bench->error) == STATUS_OK) {
        results->count++;
        if (result->figures.wrong > 0 && results->wrong[0] + results->wrong[1] == 0) {
            memcpy(results->wrong_at, wrong_at, sizeof wrong_at);
        }
        results->wrong[1] += result->figures.wrong;
        if (bench->job->rank == 0 && bench->observer->result != NULL) {
            bench->observer->result(bench->observer->context, result);
        }
    }
    return bench->error->status;
}

static int check_write(const struct bench *bench, int64_t repetition) {
    struct results *const results = bench->results;
    struct hints *const hints = results->count == 0 ? &results->in_force : NULL;
    struct figures figures;
    char wrong_at[TEXT_SIZE];
    phase_run(bench->job, PHASE_CHECK_WRITE, repetition, &figures, hints, wrong_at, bench->error);
    if (figures.wrong > 0 && results->wrong[0] + results->wrong[1] == 0) {
        memcpy(results->wrong_at, wrong_at, sizeof wrong_at);
    }
    results->wrong[0] += figures.wrong;
    return bench->error->status;
}

static int one_repetition(const struct bench *bench, int64_t repetition) {
    const struct options *const options = bench->job->options;
    const int64_t wrong_before = bench->results->wrong[0] + bench->results->wrong[1];
    int status = STATUS_OK;
    if (options->write) {
        if (!options->use_existing) {
            status = remove_files(bench, repetition, 1);
        }
        status = status != STATUS_OK ? status : timed(bench, PHASE_WRITE, repetition);
    }
    if (status == STATUS_OK && options->check_write) {
        status = check_write(bench, repetition);
    }
    if (status == STATUS_OK && (options->read || options->check_read)) {
        status = timed(bench, PHASE_READ, repetition);
    }
    const int wrong = bench->results->wrong[0] + bench->results->wrong[1] > wrong_before;
    const int left_by_failure = status != STATUS_OK && !options->write; /* not ours, perhaps: leave it */
    if (!options->keep && !(wrong && options->keep_wrong) && !left_by_failure) {
        remove_files(bench, repetition, 0); /* after a full disk too: others need the space */
    }
    return bench->error->status;
}

/* Wrong data are a failure, told in IOR's words. */
static int judge(const struct bench *bench) {
    const struct results *const results = bench->results;
    const int64_t *const wrong = results->wrong;
    if (wrong[0] + wrong[1] > 0) {
        const char *const which = wrong[0] == 0   ? "read"
                                  : wrong[1] == 0 ? "write"
                                                  : "write, and incorrect data on read";
        fail(bench->error, STATUS_WRONG_DATA, "incorrect data on %s (%" PRId64 " errors found), first in %.800s", which,
             wrong[0] + wrong[1], results->wrong_at);
    }
    return bench->error->status;
}

int benchmark_run(struct job *job, struct results *results, const struct observer *observer, struct error *error) {
    const struct bench bench = {job, results, observer, error};
    *results = (struct results){0};
    results->items = calloc((size_t)job->options->repetitions, 2 * sizeof *results->items);
    if (results->items == NULL) {
        fail(error, STATUS_FAILED, "no memory for %" PRId64 " repetitions", job->options->repetitions);
    }
    agree(job->comm, error);
    for (int64_t i = 0; i < job->options->repetitions && error->status == STATUS_OK; i++) {
        one_repetition(&bench, i);
    }
    return error->status != STATUS_OK ? error->status : judge(&bench);
}

void results_free(struct results *results) {
    free(results->items);
    results->items = NULL;
}
