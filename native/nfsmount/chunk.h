/* Consecutive bytes to be written by one call: gathered, then closed, then sent. Used under the lock of their file. */
#ifndef ACIC_NFSMOUNT_CHUNK_H
#define ACIC_NFSMOUNT_CHUNK_H

#include "inode.h"

/* B that a chunk takes beside its own: itself, its call, what libnfs makes of that. */
enum { CHUNK_COST = 1 << 12 };

struct chunk {
    struct call call; /* first: a call is its chunk */
    struct chunk *next;
    struct writers *writers;
    struct inode *inode;
    struct stream *stream; /* that gathers it; NULL once it is closed */
    struct written *written;
    uint64_t sequence, offset, limit; /* `limit`: where the next call's bytes begin */
    size_t length, capacity, answered;
    stable_how stable;
    bool sent;
    char *data;
};

/* Make a chunk of the file, closed; NULL without memory. */
struct chunk *chunk_make(struct writers *writers, struct inode *inode, const char *data, size_t size, uint64_t offset);
void chunk_free(struct chunk *chunk);

/* Put bytes over the chunk's own or after them; false if they do not belong there. */
bool chunk_add(struct chunk *chunk, const char *data, size_t size, uint64_t offset);

/* Let no more bytes come. */
void chunk_close(struct chunk *chunk);

/* What a closed chunk takes of the budget. */
static inline uint64_t chunk_cost(const struct chunk *chunk) {
    return chunk->length + CHUNK_COST;
}

bool chunk_overlaps(const struct chunk *chunk, uint64_t offset, size_t size);

#endif
