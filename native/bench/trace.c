#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, MOST_RANKS = 1 << 24, MOST_CALLS = 1 << 28, FIELDS = 9 };

/* A file being read. */
struct reader {
    struct trace *trace;
    const char *path;
    int64_t line;
    int has_version;
    int64_t last_call; /* of this rank */
    int64_t capacities[3];
    struct error *error;
};

static int wrong(const struct reader *reader, const char *problem, const char *text) {
    return fail(reader->error, STATUS_FAILED, "%s:%" PRId64 ": %s: %.100s", reader->path, reader->line, problem, text);
}

/* Make room for item `count` of an array of items of `size` bytes; returns the array, NULL where there is no memory. */
static void *grown(struct reader *reader, int which, void *array, int64_t count, size_t size) {
    if (count < reader->capacities[which]) {
        return array;
    }
    const int64_t capacity = 2 * (count + 32);
    void *const larger = realloc(array, (size_t)capacity * size);
    if (larger == NULL) {
        fail(reader->error, STATUS_FAILED, "no memory for the trace %s", reader->path);
        return NULL;
    }
    reader->capacities[which] = capacity;
    return larger;
}

/* A whole number from 0 to `most`, or -1. */
static int64_t number(const char *text, int64_t most) {
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    return errno != 0 || end == text || *end != '\0' || value < 0 || value > most ? -1 : (int64_t)value;
}

/* Seconds, or -1. */
static double seconds(const char *text) {
    char *end = NULL;
    const double value = strtod(text, &end);
    return end == text || *end != '\0' || !isfinite(value) || value < 0 ? -1 : value;
}

static int take_ranks(struct reader *reader, char **word) {
    const int64_t ranks = number(word[1], MOST_RANKS);
    if (ranks < 1 || reader->trace->ranks != 0) {
        return wrong(reader, "`ranks N` must come once, with N above 0", word[1]);
    }
    reader->trace->ranks = (int)ranks;
    return STATUS_OK;
}

/* A name is no path: nothing outside the directory is ever touched. */
static int is_plain(const char *name) {
    return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int take_file(struct reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const int64_t size = number(word[2], INT64_MAX / 2);
    if (number(word[1], INT32_MAX) != trace->file_count || size < 0 || !is_plain(word[3])) {
        return wrong(reader, "a file is `file INDEX SIZE NAME`, indices 0, 1, 2, ... in turn, no / in the name",
                     word[1]);
    }
    struct trace_file *const files = grown(reader, 0, trace->files, trace->file_count, sizeof *files);
    if (files == NULL) {
        return reader->error->status;
    }
    trace->files = files;
    struct trace_file *const file = &files[trace->file_count];
    *file = (struct trace_file){.name = strdup(word[3]), .size = size, .first = INFINITY, .last = -INFINITY};
    if (file->name == NULL) {
        return fail(reader->error, STATUS_FAILED, "no memory for the trace %s", reader->path);
    }
    trace->file_count++;
    return STATUS_OK;
}

static int take_barrier(struct reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const double when = seconds(word[1]);
    const int64_t count = trace->barrier_count;
    if (when < 0 || (count > 0 && when < trace->barriers[count - 1].when) || trace->total_segments > 0) {
        return wrong(reader, "barriers come before the segments, in ascending order of their seconds", word[1]);
    }
    struct trace_barrier *const barriers = grown(reader, 1, trace->barriers, count, sizeof *barriers);
    if (barriers != NULL) {
        trace->barriers = barriers;
        barriers[trace->barrier_count++] = (struct trace_barrier){.when = when};
    }
    return reader->error->status;
}

/* The first barrier after a moment is told of a segment that began then. */
static void note_end(struct trace *trace, double start, double end) {
    int64_t low = 0;
    int64_t high = trace->barrier_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (trace->barriers[middle].when > start) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (low < trace->barrier_count && trace->barriers[low].before < end) {
        trace->barriers[low].before = end;
    }
}

static int mark_opener(struct reader *reader, const struct segment *segment, int64_t rank) {
    unsigned char **const bits = &reader->trace->files[segment->file].openers[segment->interface];
    if (*bits == NULL) {
        *bits = calloc(((size_t)reader->trace->ranks + 7) / 8, 1);
    }
    if (*bits == NULL) {
        return fail(reader->error, STATUS_FAILED, "no memory for the trace %s", reader->path);
    }
    (*bits)[rank / 8] |= (unsigned char)(1U << (rank % 8));
    return STATUS_OK;
}

static int make_calls(struct reader *reader, int64_t most) {
    struct trace *const trace = reader->trace;
    if (most <= trace->call_count) {
        return STATUS_OK;
    }
    const int64_t room = most + most / 2 + 16;
    struct call *const calls = realloc(trace->calls, (size_t)(room + 1) * sizeof *calls);
    if (calls == NULL) {
        return fail(reader->error, STATUS_FAILED, "no memory for the trace %s", reader->path);
    }
    trace->calls = calls;
    for (int64_t i = trace->call_count + 1; i <= room; i++) {
        calls[i] = (struct call){.file = -1, .last = -1};
    }
    trace->call_count = room;
    return STATUS_OK;
}

static int take_call(struct reader *reader, const struct segment *segment, int64_t rank, const char *word) {
    struct trace *const trace = reader->trace;
    if (segment->interface != MPIIO) {
        return wrong(reader, "only MPI-IO has collective calls", word);
    }
    if (make_calls(reader, segment->call) != STATUS_OK) {
        return reader->error->status;
    }
    struct call *const call = &trace->calls[segment->call];
    if (call->file >= 0 && (call->file != segment->file || call->direction != segment->direction)) {
        return wrong(reader, "a collective call is on one file, and writes or reads", word);
    }
    call->file = segment->file;
    call->direction = segment->direction;
    call->start = segment->start > call->start ? segment->start : call->start;
    if (rank == trace->rank) {
        if (segment->call <= reader->last_call) {
            return wrong(reader, "a rank's collective calls must have ascending numbers, each once", word);
        }
        reader->last_call = segment->call;
        call->last = trace->segment_count;
    }
    return STATUS_OK;
}

/* rank interface operation call file offset length start end */
static int take_segment(struct reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const int64_t rank = number(word[0], trace->ranks - 1);
    const int interface = strcmp(word[1], "posix") == 0 ? POSIX : strcmp(word[1], "mpiio") == 0 ? MPIIO : -1;
    const int direction = strcmp(word[2], "write") == 0 ? WRITE : strcmp(word[2], "read") == 0 ? READ : -1;
    const int64_t call = number(word[3], MOST_CALLS);
    const int64_t file = number(word[4], trace->file_count - 1);
    const int64_t offset = number(word[5], INT64_MAX / 2);
    const int64_t length = number(word[6], interface == MPIIO ? INT32_MAX : INT64_MAX / 2);
    const double start = seconds(word[7]);
    const double end = seconds(word[8]);
    if (rank < 0 || interface < 0 || direction < 0 || call < 0 || file < 0 || offset < 0 || length < 0) {
        return wrong(reader, "not a segment `rank posix|mpiio write|read call file offset length start end`", word[0]);
    }
    if (start < 0 || end < start) {
        return wrong(reader, "a segment's start and end are seconds, the end not before the start", word[7]);
    }
    const struct segment segment = {
        offset, length, call, start, end, (int32_t)file, (uint8_t)interface, (uint8_t)direction};
    struct trace_file *const used = &trace->files[file];
    if (direction == WRITE) {
        used->written = 1;
        used->end = offset + length > used->end ? offset + length : used->end;
    }
    if (interface == MPIIO) {
        used->first = start < used->first ? start : used->first;
        used->last = start > used->last ? start : used->last;
    }
    note_end(trace, start, end);
    trace->start = start < trace->start ? start : trace->start;
    trace->total_segments++;
    if (mark_opener(reader, &segment, rank) != STATUS_OK ||
        (call > 0 && take_call(reader, &segment, rank, word[3]) != STATUS_OK) || rank != trace->rank) {
        return reader->error->status;
    }
    struct segment *const segments = grown(reader, 2, trace->segments, trace->segment_count, sizeof *segments);
    if (segments != NULL) {
        trace->segments = segments;
        segments[trace->segment_count++] = segment;
    }
    return reader->error->status;
}

static int take_line(struct reader *reader, char *line) {
    char *word[FIELDS + 1] = {0};
    char *rest = NULL;
    int count = 0;
    for (char *w = strtok_r(line, " \t\r\n", &rest); w != NULL && count <= FIELDS;
         w = strtok_r(NULL, " \t\r\n", &rest)) {
        word[count++] = w;
    }
    if (count == 0 || word[0][0] == '#') {
        return STATUS_OK;
    }
    if (!reader->has_version) {
        reader->has_version = count == 2 && strcmp(word[0], "acic-replay") == 0 && strcmp(word[1], "1") == 0;
        return reader->has_version ? STATUS_OK : wrong(reader, "the first line must be `acic-replay 1`", word[0]);
    }
    if (count == 2 && strcmp(word[0], "ranks") == 0) {
        return take_ranks(reader, word);
    }
    if (count == 4 && strcmp(word[0], "file") == 0) {
        return take_file(reader, word);
    }
    if (count == 2 && strcmp(word[0], "barrier") == 0) {
        return take_barrier(reader, word);
    }
    if (count == FIELDS && reader->trace->ranks > 0) {
        return take_segment(reader, word);
    }
    return wrong(reader, "not a line of a trace (`ranks N` comes before the segments)", word[0]);
}

static void find_joint(struct trace *trace) {
    for (int64_t i = 0; i < trace->file_count; i++) {
        int openers = 0;
        for (int rank = 0; rank < trace->ranks && openers < 2; rank++) {
            openers += trace_opens(trace, i, MPIIO, rank);
        }
        trace->files[i].joint = openers > 1;
    }
}

int trace_read(struct trace *trace, const char *path, int rank, struct error *error) {
    *trace = (struct trace){.rank = rank, .start = INFINITY};
    struct reader reader = {.trace = trace, .path = path, .error = error};
    char line[LINE];
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return fail(error, STATUS_FAILED, "cannot open the trace %s: %s", path, strerror(errno));
    }
    while (error->status == STATUS_OK && fgets(line, sizeof line, file) != NULL) {
        reader.line++;
        if (strchr(line, '\n') == NULL && !feof(file)) {
            wrong(&reader, "the line is too long", line);
        } else {
            take_line(&reader, line);
        }
    }
    if (ferror(file)) {
        fail(error, STATUS_FAILED, "cannot read the trace %s: %s", path, strerror(errno));
    } else if (error->status == STATUS_OK && (trace->ranks == 0 || trace->total_segments == 0)) {
        fail(error, STATUS_FAILED, "the trace %s has no segments", path);
    }
    fclose(file);
    find_joint(trace);
    return error->status;
}

void trace_free(struct trace *trace) {
    for (int64_t i = 0; i < trace->file_count; i++) {
        free(trace->files[i].name);
        free(trace->files[i].openers[POSIX]);
        free(trace->files[i].openers[MPIIO]);
    }
    free(trace->files);
    free(trace->segments);
    free(trace->calls);
    free(trace->barriers);
    *trace = (struct trace){0};
}

int trace_opens(const struct trace *trace, int64_t file, enum interface interface, int rank) {
    const unsigned char *const bits = trace->files[file].openers[interface];
    return bits != NULL && rank < trace->ranks && (bits[rank / 8] >> (rank % 8) & 1);
}
