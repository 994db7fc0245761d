/* What the parts that read a trace share; for trace.c and trace_segments.c alone. */
#ifndef ACIC_BENCH_TRACE_READER_H
#define ACIC_BENCH_TRACE_READER_H

#include "trace.h"

enum { FILES, BARRIERS, SEGMENTS, GROWING }; /* the arrays that grow */

/* A file being read. */
struct trace_reader {
    struct trace *trace;
    const char *path;
    int64_t line;
    int has_version;
    int64_t last_call; /* of this rank */
    int64_t capacities[GROWING];
    struct error *error;
};

/* Note what is wrong with the line; returns the status noted. */
int trace_wrong(const struct trace_reader *reader, const char *problem, const char *text);
int trace_no_memory(const struct trace_reader *reader);

/* Make room for item `count` of an array of items of `size` bytes; returns the array, NULL where there is no memory. */
void *trace_grown(struct trace_reader *reader, int which, void *array, int64_t count, size_t size);

/* A whole number from 0 to `most`, or -1. */
int64_t trace_number(const char *text, int64_t most);

/* Seconds, or -1. */
double trace_seconds(const char *text);

/* Take a line on a segment; returns the status noted. */
int trace_take_segment(struct trace_reader *reader, char **word);

#endif
