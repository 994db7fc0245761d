#include "trace_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, MOST_RANKS = 1 << 24, FIELDS = 9 };

int trace_wrong(const struct trace_reader *reader, const char *problem, const char *text) {
    return fail(reader->error, STATUS_FAILED, "%s:%" PRId64 ": %s: %.100s", reader->path, reader->line, problem, text);
}

int trace_no_memory(const struct trace_reader *reader) {
    return fail(reader->error, STATUS_FAILED, "no memory for the trace %s", reader->path);
}

void *trace_grown(struct trace_reader *reader, int which, void *array, int64_t count, size_t size) {
    if (count < reader->capacities[which]) {
        return array;
    }
    const int64_t capacity = 2 * (count + 32);
    void *const larger = realloc(array, (size_t)capacity * size);
    if (larger == NULL) {
        trace_no_memory(reader);
        return NULL;
    }
    reader->capacities[which] = capacity;
    return larger;
}

int64_t trace_number(const char *text, int64_t most) {
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    return errno != 0 || end == text || *end != '\0' || value < 0 || value > most ? -1 : (int64_t)value;
}

double trace_seconds(const char *text) {
    char *end = NULL;
    const double value = strtod(text, &end);
    return end == text || *end != '\0' || !isfinite(value) || value < 0 ? -1 : value;
}

static int take_ranks(struct trace_reader *reader, char **word) {
    const int64_t ranks = trace_number(word[1], MOST_RANKS);
    if (ranks < 1 || reader->trace->ranks != 0) {
        return trace_wrong(reader, "`ranks N` must come once, with N above 0", word[1]);
    }
    reader->trace->ranks = (int)ranks;
    return STATUS_OK;
}

/* A name is no path: nothing outside the directory is ever touched. */
static int is_plain(const char *name) {
    return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int take_file(struct trace_reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const int64_t size = trace_number(word[2], INT64_MAX / 2);
    if (trace_number(word[1], INT32_MAX) != trace->file_count || size < 0 || !is_plain(word[3])) {
        return trace_wrong(reader, "a file is `file INDEX SIZE NAME`, indices 0, 1, 2, ... in turn, no / in the name",
                           word[1]);
    }
    struct trace_file *const files = trace_grown(reader, FILES, trace->files, trace->file_count, sizeof *files);
    if (files == NULL) {
        return reader->error->status;
    }
    trace->files = files;
    struct trace_file *const file = &files[trace->file_count];
    *file = (struct trace_file){.name = strdup(word[3]), .size = size, .first = INFINITY, .last = -INFINITY};
    if (file->name == NULL) {
        return trace_no_memory(reader);
    }
    trace->file_count++;
    return STATUS_OK;
}

static int take_barrier(struct trace_reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const double when = trace_seconds(word[1]);
    const int64_t count = trace->barrier_count;
    if (when < 0 || (count > 0 && when < trace->barriers[count - 1].when) || trace->total_segments > 0) {
        return trace_wrong(reader, "barriers come before the segments, in ascending order of their seconds", word[1]);
    }
    struct trace_barrier *const barriers = trace_grown(reader, BARRIERS, trace->barriers, count, sizeof *barriers);
    if (barriers != NULL) {
        trace->barriers = barriers;
        barriers[trace->barrier_count++] = (struct trace_barrier){.when = when};
    }
    return reader->error->status;
}

static int take_line(struct trace_reader *reader, char *line) {
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
        return reader->has_version ? STATUS_OK : trace_wrong(reader, "the first line must be `acic-replay 1`", word[0]);
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
        return trace_take_segment(reader, word);
    }
    return trace_wrong(reader, "not a line of a trace (`ranks N` comes before the segments)", word[0]);
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
    struct trace_reader reader = {.trace = trace, .path = path, .error = error};
    char line[LINE];
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return fail(error, STATUS_FAILED, "cannot open the trace %s: %s", path, strerror(errno));
    }
    while (error->status == STATUS_OK && fgets(line, sizeof line, file) != NULL) {
        reader.line++;
        if (strchr(line, '\n') == NULL && !feof(file)) {
            trace_wrong(&reader, "the line is too long", line);
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
