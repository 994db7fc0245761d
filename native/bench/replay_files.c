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

/* A file of no bytes that is read: its first open makes none that is written, too. */
static int is_empty_input(const struct trace_file *file) {
    return file->size == 0 && !file->written && (file->openers[POSIX] != NULL || file->openers[MPIIO] != NULL);
}

static void look_for_file(const char *path, const struct trace_file *file, struct error *error) {
    const int64_t size = file->size;
    int64_t found = 0;
    struct error own = NO_ERROR;
    if ((size > 0 || is_empty_input(file)) && POSIX_BACKEND.size(path, &found, &own) != STATUS_OK) {
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

/* This rank's chunks of one file; one of no bytes is made by rank 0. What was written is dropped from the page cache,
 * as far as the file system lets us: else the reads to come would be reads of memory. */
static void prepare_file(const struct replay *replay, int64_t file, unsigned char *chunk, struct error *error) {
    const int64_t size = replay->trace.files[file].size;
    const int makes = replay->rank == 0 && is_empty_input(&replay->trace.files[file]);
    const struct place place = {.direction = WRITE, .both = 1};
    struct place here = place;
    struct file opened = {0};
    char path[TEXT_SIZE];
    here.path = path;
    if (((int64_t)replay->rank * CHUNK >= size && !makes) || replay_path(replay, file, path, error) != STATUS_OK ||
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

/* The file that is being checked; it stays open while the segments are of it. */
struct checked {
    struct place place;
    struct file file;
    char path[TEXT_SIZE];
    int32_t number;
    enum interface interface;
};

static void close_checked(struct checked *checked, struct error *error) {
    if (checked->file.is_open) {
        replay_backend(checked->interface)->close(&checked->file, error);
    }
}

/* Open a segment's file, through the interface that wrote it, unless it is. Returns the status noted. */
static int open_checked(struct replay *replay, const struct segment *segment, struct checked *checked,
                        struct error *error) {
    if (checked->file.is_open && checked->number == segment->file && checked->interface == segment->interface) {
        return error->status;
    }
    close_checked(checked, error);
    checked->number = segment->file;
    checked->interface = segment->interface;
    checked->place =
        (struct place){.path = checked->path, .comm = MPI_COMM_SELF, .direction = READ, .info = replay->info};
    if (replay_path(replay, segment->file, checked->path, error) == STATUS_OK) {
        replay_backend(segment->interface)->open(&checked->place, &checked->file, error);
    }
    return error->status;
}

static void check_segment(struct replay *replay, const struct segment *segment, struct checked *checked,
                          struct replayed *replayed, struct error *error) {
    if (open_checked(replay, segment, checked, error) != STATUS_OK) {
        return;
    }
    memset(replay->buffer, 0, (size_t)segment->length);
    const struct backend *const backend = replay_backend(segment->interface);
    const int64_t length = segment->length;
    if (backend->transfer(&checked->file, READ, replay->buffer, length, segment->offset, error) == STATUS_OK) {
        const int64_t wrong = pattern_wrong_in_file(replay->buffer, length, segment->file, segment->offset);
        if (wrong >= 0 && replayed->wrong == 0) {
            snprintf(replayed->wrong_at, TEXT_SIZE, "%.3000s at byte %" PRId64, checked->path,
                     segment->offset + wrong);
        }
        replayed->wrong += wrong >= 0;
    }
}

/* Room for what another rank wrote. */
static void make_room(struct replay *replay, const struct trace *other, struct error *error) {
    int64_t longest = 1;
    for (int64_t i = 0; i < other->segment_count; i++) {
        const struct segment *const s = &other->segments[i];
        longest = s->direction == WRITE && s->length > longest ? s->length : longest;
    }
    unsigned char *const buffer = malloc((size_t)longest);
    if (buffer == NULL) {
        fail(error, STATUS_FAILED, "no memory to check what was written");
        return;
    }
    free(replay->buffer);
    replay->buffer = buffer;
}

int replay_check(struct replay *replay, struct replayed *replayed, struct error *error) {
    const int shift = replay->ranks / 2; /* ranks stand in blocks: that one is on another node, and has it not cached */
    struct trace other;
    struct checked checked = {.file = {0}};
    if (trace_read(&other, replay->options->trace, (replay->rank + shift) % replay->ranks, error) == STATUS_OK) {
        make_room(replay, &other, error);
    }
    agree(replay->comm, error);
    for (int64_t i = 0; i < other.segment_count && error->status == STATUS_OK; i++) {
        if (other.segments[i].direction == WRITE && other.segments[i].length > 0) {
            check_segment(replay, &other.segments[i], &checked, replayed, error);
        }
    }
    close_checked(&checked, error);
    trace_free(&other);
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
