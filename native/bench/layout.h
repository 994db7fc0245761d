/* Where each task's transfers go: IOR's layout of segments, blocks and transfers, and its file names. */
#ifndef ACIC_BENCH_LAYOUT_H
#define ACIC_BENCH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"

struct layout {
    int64_t block, transfer, segments; /* B, B, count */
    int64_t tasks;
    int file_per_task;
    int random;
    int64_t *order; /* with -z: the slots of one segment that `order_of` takes, in turn */
    int64_t order_of;
    uint64_t seed;
};

/* The layout of `tasks` tasks; layout_free() it. */
struct layout layout_of(const struct options *options, int64_t tasks);
void layout_free(struct layout *layout);

/* Make ready for layout_offset() of `task`; needed before it, for -z. Returns 0 where there is no memory. */
int layout_for(struct layout *layout, int64_t task);

/* Transfers of each task, over all segments. */
int64_t layout_transfers(const struct layout *layout);

/* File offset in bytes of a task's transfer number `index`, for the task that layout_for() was told. */
int64_t layout_offset(const struct layout *layout, int64_t index);

/* Bytes of the shared file, or of each task's own file. */
int64_t layout_file_size(const struct layout *layout);

/* The file that holds the data of `task` in a repetition: NAME[.00000000][.0], as IOR's -F and -m. Returns 0 where the
 * name is too long for `name`. */
int layout_name(char *name, size_t size, const struct options *options, int64_t task, int64_t repetition);

#endif
