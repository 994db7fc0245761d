/* A rank's part of an array in a file: boxes of up to three dimensions, as subarray types describe it to MPI-IO. */
#ifndef ACIC_BENCH_VIEW_H
#define ACIC_BENCH_VIEW_H

#include <mpi.h>
#include <stdint.h>

#include "error.h"

enum { DIMENSIONS = 3 };

struct box {
    int64_t start[DIMENSIONS], size[DIMENSIONS]; /* elements; the last dimension varies fastest */
};

struct view {
    int64_t base;              /* the array's first byte in the file */
    int64_t element;           /* bytes */
    int64_t whole[DIMENSIONS]; /* elements of the array of all ranks, which follows itself again and again */
    int64_t count;
    struct box boxes[];
};

/* What is wrong with a view (boxes must lie in the array, and each behind the one before it); NULL: nothing. */
const char *view_mistake(const struct view *view);

/* Bytes that a rank sees of one array. */
int64_t view_bytes(const struct view *view);

/* Make it the view of an open file. Collective over the file's ranks; returns an MPI error code. */
int view_set(const struct view *view, MPI_File file);

/* A piece of a transfer: where in the rank's buffer, where in the file. */
typedef void view_piece(void *context, int64_t in_buffer, int64_t in_file, int64_t length);

/* Tell every contiguous piece of a transfer, in order. With a view, offset and length count what the rank sees, in
 * whole arrays; NULL is a file without a view, a single piece. */
void view_pieces(const struct view *view, int64_t offset, int64_t length, view_piece *piece, void *context);

#endif
