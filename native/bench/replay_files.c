#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "pattern.h"
#include "replay.h"

enum { CHUNK = 4 << 20 };

int replay_path(const struct replay *replay, int64_t file, char path[TEXT_SIZE], struct error *error) {
    const char *const name = replay->trace.files[file].name;
    const int length = snprintf(path, TEXT_SIZE, "%s/%s", replay->options->directory, name);
    return length >= TEXT_SIZE ? fail(error, STATUS_FAILED, "the path of %.100s is too long", name) : STATUS_OK;
}

/* Do something for each of the files, shared out among the ranks. Collective. */
static int each_file(struct replay *replay,
                     void (*act)(const char *path, const struct trace_file *file, struct error *error),
                     struct error *error) {
    char path[TEXT_SIZE];
    for (int64_t i = replay->rank; i < replay->trace.file_count; i += replay->ranks) {
        struct error own = NO_ERROR; /* all files get their turn, in spite of an earlier failure */
        if (replay_path(replay, i, path, &own) == STATUS_OK) {
            act(path, &replay->trace.files[i], &own);
        }
        if (own.status != STATUS_OK) {
            fail(error, own.status, "%s", own.text);
        }
    }
    return agree(replay->comm, error);
}

static void remove_file(const char *path, const struct trace_file *file, struct error *error) {
    (void)file;
    int existed = 0;
    POSIX_BACKEND.remove(path, &existed, error);
}

static void look_for_file(const char *path, const struct trace_file *file, struct error *error) {
    const int64_t size = file->size;
    int64_t found = 0;
    struct error own = NO_ERROR;
    if (size > 0 && POSIX_BACKEND.size(path, &found, &own) != STATUS_OK) {
        fail(error, STATUS_FAILED, "%s; run with --prepare first", own.text);
    } else if (found < size) {
        fail(error, STATUS_FAILED, "%s has %" PRId64 " bytes, the trace needs %" PRId64 "; run with --prepare first",
             path, found, size);
    }
}

static void check_size(const char *path, const struct trace_file *file, struct error *error) {
    if (file->end > 0) {
        backend_holds(&POSIX_BACKEND, path, file->end, error);
    }
}

int replay_check_sizes(struct replay *replay, struct error *error) {
    return each_file(replay, check_size, error);
}

int replay_remove(struct replay *replay, struct error *error) {
    return each_file(replay, remove_file, error);
}

int replay_look(struct replay *replay, struct error *error) {
    return each_file(replay, look_for_file, error);
}

/* This rank's chunks of one file. What was written is dropped from the page cache, as far as the file system lets us:
 * else the reads to come would be reads of memory. */
static void prepare_file(const struct replay *replay, int64_t file, unsigned char *chunk, struct error *error) {
    const int64_t size = replay->trace.files[file].size;
    const struct place place = {.direction = WRITE, .both = 1};
    struct place here = place;
    struct file opened = {0};
    char path[TEXT_SIZE];
    here.path = path;
    if ((int64_t)replay->rank * CHUNK >= size || replay_path(replay, file, path, error) != STATUS_OK ||
        POSIX_BACKEND.open(&here, &opened, error) != STATUS_OK) {
        return;
    }
    for (int64_t at = (int64_t)replay->rank * CHUNK; at < size && error->status == STATUS_OK;
         at += (int64_t)replay->ranks * CHUNK) {
        const int64_t bytes = size - at < CHUNK ? size - at : CHUNK;
        pattern_fill_file(chunk, bytes, file, at, 1);
        POSIX_BACKEND.transfer(&opened, WRITE, chunk, bytes, at, error);
    }
    POSIX_BACKEND.sync(&opened, error);
    posix_fadvise(opened.descriptor, 0, 0, POSIX_FADV_DONTNEED);
    POSIX_BACKEND.close(&opened, error);
}

int replay_prepare(struct replay *replay, struct error *error) {
    unsigned char *const chunk = malloc(CHUNK);
    if (chunk == NULL) {
        fail(error, STATUS_FAILED, "no memory to prepare files");
    }
    for (int64_t i = 0; i < replay->trace.file_count && error->status == STATUS_OK; i++) {
        prepare_file(replay, i, chunk, error);
    }
    free(chunk);
    return agree(replay->comm, error);
}

/* One written segment, through the interface that wrote it. */
static void check_segment(struct replay *replay, const struct segment *segment, struct replayed *replayed,
                          struct error *error) {
    const struct backend *const backend = segment->interface == POSIX ? &POSIX_BACKEND : &MPIIO_BACKEND;
    char path[TEXT_SIZE];
    struct place place = {.path = path, .comm = MPI_COMM_SELF, .direction = READ, .info = replay->info};
    struct file file = {0};
    if (replay_path(replay, segment->file, path, error) != STATUS_OK ||
        backend->open(&place, &file, error) != STATUS_OK) {
        return;
    }
    memset(replay->buffer, 0, (size_t)segment->length);
    if (backend->transfer(&file, READ, replay->buffer, segment->length, segment->offset, error) == STATUS_OK) {
        const int64_t wrong = pattern_wrong_in_file(replay->buffer, segment->length, segment->file, segment->offset);
        if (wrong >= 0 && replayed->wrong == 0) {
            snprintf(replayed->wrong_at, TEXT_SIZE, "%.3000s at byte %" PRId64, path, segment->offset + wrong);
        }
        replayed->wrong += wrong >= 0;
    }
    backend->close(&file, error);
}

int replay_check(struct replay *replay, struct replayed *replayed, struct error *error) {
    const struct trace *const trace = &replay->trace;
    for (int64_t i = 0; i < trace->segment_count && error->status == STATUS_OK; i++) {
        if (trace->segments[i].direction == WRITE && trace->segments[i].length > 0) {
            check_segment(replay, &trace->segments[i], replayed, error);
        }
    }
    if (agree(replay->comm, error) != STATUS_OK) {
        return error->status;
    }
    int64_t all = 0;
    fail_mpi(error, MPI_Allreduce(&replayed->wrong, &all, 1, MPI_INT64_T, MPI_SUM, replay->comm), "cannot count",
             "errors");
    if (replayed->wrong > 0) {
        fail(error, STATUS_WRONG_DATA, "incorrect data on write (%" PRId64 " segments of all ranks), first in %.900s",
             all, replayed->wrong_at);
    }
    replayed->wrong = all;
    return agree(replay->comm, error);
}
