#include <stdlib.h>
#include <string.h>

#include "chunk.h"

enum { SMALLEST = 1 << 16 };

struct chunk *chunk_make(struct writers *writers, struct inode *inode, const char *data, size_t size, uint64_t offset) {
    struct chunk *const chunk = calloc(1, sizeof *chunk);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->writers = writers;
    chunk->inode = inode;
    chunk->offset = offset;
    chunk->limit = (offset / writers->size + 1) * writers->size;
    if (!chunk_add(chunk, data, size, offset)) {
        free(chunk);
        return NULL;
    }
    inode_hold(writers->inodes, inode);
    return chunk;
}

void chunk_free(struct chunk *chunk) {
    free(chunk->data);
    free(chunk);
}

static bool make_room(struct chunk *chunk, size_t length) {
    const size_t most = chunk->limit - chunk->offset;
    size_t capacity = chunk->capacity;
    if (capacity == 0) {
        capacity = length; /* which may be all */
    } else if (capacity < SMALLEST) {
        capacity = SMALLEST;
    }
    while (capacity < length) {
        capacity *= 2;
    }
    capacity = capacity < most ? capacity : most;
    char *const data = realloc(chunk->data, capacity);
    if (data == NULL) {
        return false;
    }
    chunk->data = data;
    chunk->capacity = capacity;
    return true;
}

bool chunk_add(struct chunk *chunk, const char *data, size_t size, uint64_t offset) {
    if (offset < chunk->offset || offset > chunk->offset + chunk->length || offset + size > chunk->limit) {
        return false;
    }
    const size_t from = offset - chunk->offset, length = from + size;
    if (length > chunk->capacity && !make_room(chunk, length)) {
        return false;
    }
    memcpy(chunk->data + from, data, size);
    if (length > chunk->length) {
        if (chunk->stream != NULL) {
            chunk->writers->budget.gathered += length - chunk->length;
        }
        chunk->length = length;
    }
    return true;
}

/* It may wait for long, among thousands. */
static void give_room_back(struct chunk *chunk) {
    char *const data = chunk->capacity > chunk->length ? realloc(chunk->data, chunk->length) : NULL;
    if (data != NULL) {
        chunk->data = data;
        chunk->capacity = chunk->length;
    }
}

void chunk_close(struct chunk *chunk) {
    if (chunk->stream != NULL) {
        chunk->writers->budget.gathered -= chunk->length;
        chunk->stream->gathering = NULL;
        chunk->stream = NULL;
        give_room_back(chunk);
    }
}

bool chunk_overlaps(const struct chunk *chunk, uint64_t offset, size_t size) {
    return chunk->offset < offset + size && offset < chunk->offset + chunk->length;
}
