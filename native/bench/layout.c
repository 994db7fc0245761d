#include "layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct layout layout_of(const struct options *options, int64_t tasks) {
    return (struct layout){
        .block = options->block,
        .transfer = options->transfer,
        .segments = options->segments,
        .tasks = tasks,
        .file_per_task = options->file_per_task > 0,
        .random = options->random > 0,
        .order_of = -1,
        .seed = (uint64_t)options->seed,
    };
}

void layout_free(struct layout *layout) {
    free(layout->order);
    layout->order = NULL;
    layout->order_of = -1;
}

/* Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* One place of a shuffle of 0 .. count-1, without keeping the shuffle (a shared file may have 10^9 places): a Feistel
 * network is a permutation of 2^(2 * half) numbers, and walking on until the result is in range keeps it one of
 * `count`. Black & Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002. */
static int64_t shuffled(int64_t place, int64_t count, uint64_t seed) {
    int half = 1;
    while (half < 31 && (int64_t)1 << (2 * half) < count) {
        half++;
    }
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t value = (uint64_t)place;
    do {
        uint64_t left = value >> half;
        uint64_t right = value & mask;
        for (uint64_t round = 0; round < 6; round++) {
            const uint64_t next = left ^ (mix(right ^ mix(seed ^ round << 56)) & mask);
            left = right;
            right = next;
        }
        value = left << half | right;
    } while (value >= (uint64_t)count);
    return (int64_t)value;
}

int layout_for(struct layout *layout, int64_t task) {
    if (!layout->random || layout->order_of == task) {
        layout->order_of = task;
        return 1;
    }
    const int64_t each = layout->block / layout->transfer;
    if (layout->order == NULL) {
        layout->order = malloc((size_t)each * sizeof *layout->order);
    }
    if (layout->order == NULL) {
        return 0;
    }
    layout->order_of = task;
    for (int64_t i = 0; i < each; i++) {
        layout->order[i] = layout->file_per_task
                               ? shuffled(i, each, layout->seed)
                               : shuffled(i * layout->tasks + task, each * layout->tasks, layout->seed);
    }
    return 1;
}

int64_t layout_transfers(const struct layout *layout) {
    return layout->segments * (layout->block / layout->transfer);
}

int64_t layout_offset(const struct layout *layout, int64_t index) {
    const int64_t each = layout->block / layout->transfer;
    const int64_t segment = index / each;
    const int64_t within = index % each;
    const int64_t start = segment * layout->block * (layout->file_per_task ? 1 : layout->tasks);
    if (layout->random) {
        return start + layout->order[within] * layout->transfer;
    }
    return start + (layout->file_per_task ? 0 : layout->order_of * layout->block) + within * layout->transfer;
}

int64_t layout_file_size(const struct layout *layout) {
    return layout->segments * layout->block * (layout->file_per_task ? 1 : layout->tasks);
}

int layout_name(char *name, size_t size, const struct options *options, int64_t task, int64_t repetition) {
    char own[32] = "";
    char number[32] = "";
    if (options->file_per_task) {
        snprintf(own, sizeof own, ".%08" PRId64, task);
    }
    if (options->multi_file) {
        snprintf(number, sizeof number, ".%" PRId64, repetition);
    }
    const int length = snprintf(name, size, "%s%s%s", options->file, own, number);
    return length >= 0 && (size_t)length < size;
}
