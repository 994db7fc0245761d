/* An application's own I/O, read from a file of segments. The format is told in docs/acic-bench.md. */
#ifndef ACIC_BENCH_TRACE_H
#define ACIC_BENCH_TRACE_H

#include <stdint.h>

#include "backend.h"
#include "error.h"

enum interface { POSIX, MPIIO, INTERFACES };

struct segment {
    int64_t offset, length; /* bytes */
    int64_t call;           /* number of the collective call that it is part of; 0: independent */
    double start, end;      /* seconds since the application began */
    int32_t file;
    uint8_t interface, direction;
};

struct trace_file {
    char *name;
    int64_t size;                       /* bytes that are there before the application begins */
    int64_t end;                        /* of all that is written to it, by any rank */
    int written;                        /* by any rank */
    unsigned char *openers[INTERFACES]; /* a bit for each rank that uses it through the interface; NULL: none does */
    int joint;                          /* several ranks open it through MPI-IO, together */
    double first, last;                 /* starts of the first and the last segment through MPI-IO, of any rank */
};

/* A collective call: all ranks that open the file through MPI-IO make it, those without a segment with 0 bytes. */
struct call {
    int32_t file; /* -1: no segment has this number */
    uint8_t direction;
    double start; /* the last rank's: until then the others wait */
    int64_t last; /* of this rank's segments that are part of it, the index; -1: none */
};

/* All segments that start later come after it, on every rank. */
struct trace_barrier {
    double when;
    double before; /* the last end of the segments of any rank that start earlier, but not before an earlier barrier */
};

struct trace {
    int rank, ranks;
    struct trace_file *files;
    int64_t file_count;
    struct segment *segments; /* this rank's, in the order it makes them */
    int64_t segment_count;
    struct call *calls;             /* number 1 is at index 1 */
    int64_t call_count;             /* the highest number */
    struct trace_barrier *barriers; /* in ascending order */
    int64_t barrier_count;
    int64_t total_segments; /* of all ranks */
    double start;           /* the earliest start of any segment */
};

/* Read a trace as one of its ranks does; what is wrong is told with its line. trace_free() it, also after a failure.
 * A rank that the trace does not have reads it too, and has no segments. Returns the status noted. */
int trace_read(struct trace *trace, const char *path, int rank, struct error *error);
void trace_free(struct trace *trace);

/* Whether a rank opens a file through an interface. */
int trace_opens(const struct trace *trace, int64_t file, enum interface interface, int rank);

#endif
