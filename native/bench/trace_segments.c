#include <stdlib.h>
#include <string.h>

#include "trace_reader.h"

enum { MOST_CALLS = 1 << 28 };

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

static int mark_opener(struct trace_reader *reader, const struct segment *segment, int64_t rank) {
    unsigned char **const bits = &reader->trace->files[segment->file].openers[segment->interface];
    if (*bits == NULL) {
        *bits = calloc(((size_t)reader->trace->ranks + 7) / 8, 1);
    }
    if (*bits == NULL) {
        return trace_no_memory(reader);
    }
    (*bits)[rank / 8] |= (unsigned char)(1U << (rank % 8));
    return STATUS_OK;
}

static int make_calls(struct trace_reader *reader, int64_t most) {
    struct trace *const trace = reader->trace;
    if (most <= trace->call_count) {
        return STATUS_OK;
    }
    const int64_t room = most + most / 2 + 16;
    struct call *const calls = realloc(trace->calls, (size_t)(room + 1) * sizeof *calls);
    if (calls == NULL) {
        return trace_no_memory(reader);
    }
    trace->calls = calls;
    for (int64_t i = trace->call_count + 1; i <= room; i++) {
        calls[i] = (struct call){.file = -1, .last = -1};
    }
    trace->call_count = room;
    return STATUS_OK;
}

static int take_call(struct trace_reader *reader, const struct segment *segment, int64_t rank, const char *word) {
    struct trace *const trace = reader->trace;
    if (segment->interface != MPIIO) {
        return trace_wrong(reader, "only MPI-IO has collective calls", word);
    }
    if (make_calls(reader, segment->call) != STATUS_OK) {
        return reader->error->status;
    }
    struct call *const call = &trace->calls[segment->call];
    if (call->file >= 0 && (call->file != segment->file || call->direction != segment->direction)) {
        return trace_wrong(reader, "a collective call is on one file, and writes or reads", word);
    }
    call->file = segment->file;
    call->direction = segment->direction;
    call->start = segment->start > call->start ? segment->start : call->start;
    if (rank == trace->rank) {
        if (segment->call <= reader->last_call) {
            return trace_wrong(reader, "a rank's collective calls must have ascending numbers, each once", word);
        }
        reader->last_call = segment->call;
        call->last = trace->segment_count;
    }
    return STATUS_OK;
}

/* rank interface operation call file offset length start end */
int trace_take_segment(struct trace_reader *reader, char **word) {
    struct trace *const trace = reader->trace;
    const int64_t rank = trace_number(word[0], trace->ranks - 1);
    const int interface = strcmp(word[1], "posix") == 0 ? POSIX : strcmp(word[1], "mpiio") == 0 ? MPIIO : -1;
    const int direction = strcmp(word[2], "write") == 0 ? WRITE : strcmp(word[2], "read") == 0 ? READ : -1;
    const int64_t call = trace_number(word[3], MOST_CALLS);
    const int64_t file = trace_number(word[4], trace->file_count - 1);
    const int64_t offset = trace_number(word[5], INT64_MAX / 2);
    const int64_t length = trace_number(word[6], interface == MPIIO ? INT32_MAX : INT64_MAX / 2);
    const double start = trace_seconds(word[7]);
    const double end = trace_seconds(word[8]);
    if (rank < 0 || interface < 0 || direction < 0 || call < 0 || file < 0 || offset < 0 || length < 0) {
        return trace_wrong(reader, "not a segment `rank posix|mpiio write|read call file offset length start end`",
                           word[0]);
    }
    if (start < 0 || end < start) {
        return trace_wrong(reader, "a segment's start and end are seconds, the end not before the start", word[7]);
    }
    const struct segment segment = {
        offset, length, call, start, end, (int32_t)file, (uint8_t)interface, (uint8_t)direction};
    struct trace_file *const used = &trace->files[file];
    if (direction == WRITE) {
        used->written = 1;
        used->end = length > 0 && offset + length > used->end ? offset + length : used->end; /* 0 B make no file longer */
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
    struct segment *const segments = trace_grown(reader, SEGMENTS, trace->segments, trace->segment_count,
                                                 sizeof *segments);
    if (segments != NULL) {
        trace->segments = segments;
        segments[trace->segment_count++] = segment;
    }
    return reader->error->status;
}
