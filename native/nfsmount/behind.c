#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "chunk.h"

void behind_make(struct behind *behind) {
    pthread_mutex_init(&behind->lock, NULL);
    behind->last = &behind->first;
}

void behind_free(struct behind *behind) {
    for (struct chunk *chunk = behind->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        chunk_free(chunk);
    }
    pthread_mutex_destroy(&behind->lock);
}

static int start_write(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct chunk *const chunk = (struct chunk *)call;
    const size_t left = chunk->length - chunk->answered;
    WRITE3args arguments = {
        .file = handle_of(chunk->inode),
        .offset = chunk->offset + chunk->answered,
        .count = (count3)left,
        .stable = chunk->stable,
        .data = {.data_len = (u_int)left, .data_val = chunk->data + chunk->answered},
    };
    return rpc_nfs3_write_async(rpc, answered, &arguments, call);
}

static void note_error(struct behind *behind, int error) {
    behind->error = error;
    behind->errors++;
}

/* A server whose verifier changes was started anew, and may have lost what it had not committed. */
static void note_verifier(struct behind *behind, const char *verifier) {
    if (behind->unstable != behind->committed && memcmp(behind->verifier, verifier, sizeof behind->verifier) != 0) {
        note_error(behind, EIO);
    }
    memcpy(behind->verifier, verifier, sizeof behind->verifier);
}

static void ended(struct written *written, int error) {
    if (error != 0) {
        written->error = error;
    }
    if (--written->left == 0) {
        written->then(written, written->error);
    }
}

static void done_write(struct call *call, int error, void *answer);

/* Send every closed chunk that overlaps none of those before it. */
static void send_closed(struct behind *behind) {
    for (struct chunk *chunk = behind->first; chunk != NULL; chunk = chunk->next) {
        bool free_to_go = !chunk->sent && chunk->stream == NULL;
        for (const struct chunk *older = behind->first; free_to_go && older != chunk; older = older->next) {
            free_to_go = !chunk_overlaps(older, chunk->offset, chunk->length);
        }
        if (free_to_go) {
            chunk->sent = true;
            chunk->call.start = start_write;
            chunk->call.done = done_write;
            server_submit(chunk->writers->server, &chunk->call, true);
        }
    }
}

static void take_out(struct behind *behind, struct chunk *gone) {
    struct chunk **link = &behind->first;
    while (*link != gone) {
        link = &(*link)->next;
    }
    *link = gone->next;
    if (*link == NULL) {
        behind->last = link;
    }
}

static struct waiter *take_waiters(struct behind *behind) {
    struct waiter *taken = NULL, **link = &behind->waiters;
    while (*link != NULL) {
        struct waiter *const waiter = *link;
        if (behind->first == NULL || behind->first->sequence > waiter->upto) {
            *link = waiter->next;
            waiter->next = taken;
            taken = waiter;
        } else {
            link = &waiter->next;
        }
    }
    return taken;
}

/* Note an answer; true if bytes of the chunk are still to be sent. */
static bool note_answer(struct chunk *chunk, const WRITE3resok *answer, int *error) {
    struct behind *const behind = &chunk->inode->behind;
    if (answer->count == 0 || answer->count > chunk->length - chunk->answered) {
        *error = EIO;
        return false;
    }
    if (answer->committed == UNSTABLE) {
        note_verifier(behind, answer->verf);
        behind->unstable++;
    }
    chunk->answered += answer->count;
    return chunk->answered < chunk->length;
}

static void done_write(struct call *call, int error, void *answer) {
    struct chunk *const chunk = (struct chunk *)call;
    struct behind *const behind = &chunk->inode->behind;
    struct writers *const writers = chunk->writers;
    pthread_mutex_lock(&behind->lock);
    if (error == 0 && note_answer(chunk, &((WRITE3res *)answer)->WRITE3res_u.resok, &error)) {
        pthread_mutex_unlock(&behind->lock);
        server_submit(writers->server, call, true);
        return;
    }
    take_out(behind, chunk);
    if (error != 0 && chunk->written == NULL) {
        note_error(behind, error);
    }
    send_closed(behind);
    struct waiter *waiter = take_waiters(behind);
    pthread_mutex_unlock(&behind->lock);
    if (chunk->written != NULL) {
        ended(chunk->written, error);
    }
    while (waiter != NULL) {
        struct waiter *const next = waiter->next;
        waiter->then(waiter);
        waiter = next;
    }
    budget_give(&writers->budget, chunk_cost(chunk));
    inode_release(writers->inodes, chunk->inode, 1);
    chunk_free(chunk);
}

static void close_chunk(struct chunk *chunk) {
    if (chunk->stream != NULL) {
        chunk_close(chunk);
        budget_take(&chunk->writers->budget, chunk_cost(chunk));
    }
}

/* Whether a chunk other than `own` has some of these bytes; one that is gathered by another open file is closed. */
static bool met_others(struct behind *behind, const struct chunk *own, uint64_t offset, size_t size) {
    bool met = false;
    for (struct chunk *chunk = behind->first; chunk != NULL; chunk = chunk->next) {
        if (chunk != own && chunk_overlaps(chunk, offset, size)) {
            close_chunk(chunk);
            met = true;
        }
    }
    return met;
}

static void append(struct behind *behind, struct chunk *chunk) {
    chunk->sequence = ++behind->sequence;
    chunk->next = NULL;
    *behind->last = chunk;
    behind->last = &chunk->next;
}

/* Put bytes that fit into one call where they belong. */
static int place(struct writers *writers, struct inode *inode, struct stream *stream, const char *data, size_t size,
                 uint64_t offset, stable_how stable, struct written *written) {
    struct behind *const behind = &inode->behind;
    struct chunk *chunk = stream->gathering;
    const bool met = met_others(behind, chunk, offset, size);
    if (chunk == NULL || met || written != NULL || !chunk_add(chunk, data, size, offset)) {
        if (chunk != NULL) {
            close_chunk(chunk);
        }
        chunk = chunk_make(writers, inode, data, size, offset);
        if (chunk == NULL) {
            return ENOMEM;
        }
        chunk->stable = stable;
        append(behind, chunk);
        if (written != NULL) {
            chunk->written = written;
            written->left++;
            budget_take(&writers->budget, chunk_cost(chunk));
            return 0;
        }
        chunk->stream = stream;
        stream->gathering = chunk;
        writers->budget.gathered += size;
    }
    if (chunk->offset + chunk->length == chunk->limit || writers->budget.gathered > writers->budget.limit) {
        close_chunk(chunk);
    }
    return 0;
}

int behind_write(struct writers *writers, struct inode *inode, struct stream *stream, const char *data, size_t size,
                 uint64_t offset, stable_how stable, struct written *written) {
    int error = written == NULL ? behind_error(inode, stream) : 0;
    if (written != NULL) {
        written->left = 1; /* itself, so that it does not end too early */
        written->error = 0;
    }
    pthread_mutex_lock(&inode->behind.lock);
    while (size > 0 && error == 0) {
        const size_t room = writers->size - offset % writers->size, piece = size < room ? size : room;
        error = place(writers, inode, stream, data, piece, offset, stable, written);
        data += piece;
        offset += piece;
        size -= piece;
    }
    send_closed(&inode->behind);
    pthread_mutex_unlock(&inode->behind.lock);
    if (written != NULL) {
        ended(written, error);
    }
    return error;
}

void behind_settle(struct inode *inode, struct waiter *waiter, bool durable) {
    struct behind *const behind = &inode->behind;
    pthread_mutex_lock(&behind->lock);
    struct chunk *const first = behind->first;
    if (durable && first != NULL && first->next == NULL && first->stream != NULL &&
        behind->unstable == behind->committed) {
        first->stable = FILE_SYNC; /* it is all there is: one call instead of two */
    }
    for (struct chunk *chunk = first; chunk != NULL; chunk = chunk->next) {
        close_chunk(chunk);
    }
    waiter->upto = behind->sequence;
    if (first != NULL) {
        waiter->next = behind->waiters;
        behind->waiters = waiter;
    }
    send_closed(behind);
    pthread_mutex_unlock(&behind->lock);
    if (first == NULL) {
        waiter->then(waiter);
    }
}

bool behind_idle(struct inode *inode) {
    pthread_mutex_lock(&inode->behind.lock);
    const bool idle = inode->behind.first == NULL;
    pthread_mutex_unlock(&inode->behind.lock);
    return idle;
}

bool behind_needs_commit(struct inode *inode, uint64_t *mark) {
    pthread_mutex_lock(&inode->behind.lock);
    *mark = inode->behind.unstable;
    const bool needed = *mark != inode->behind.committed;
    pthread_mutex_unlock(&inode->behind.lock);
    return needed;
}

void behind_committed(struct inode *inode, uint64_t mark, const char *verifier) {
    struct behind *const behind = &inode->behind;
    pthread_mutex_lock(&behind->lock);
    note_verifier(behind, verifier);
    if (mark > behind->committed) {
        behind->committed = mark;
    }
    pthread_mutex_unlock(&behind->lock);
}

void behind_not_committed(struct inode *inode, int error) {
    pthread_mutex_lock(&inode->behind.lock);
    note_error(&inode->behind, error);
    pthread_mutex_unlock(&inode->behind.lock);
}

static int untold(const struct behind *behind, const struct stream *stream) {
    return stream->errors_told != behind->errors ? behind->error : 0;
}

int behind_error(struct inode *inode, struct stream *stream) {
    pthread_mutex_lock(&inode->behind.lock);
    const int error = untold(&inode->behind, stream);
    stream->errors_told = inode->behind.errors;
    pthread_mutex_unlock(&inode->behind.lock);
    return error;
}

int behind_pending(struct inode *inode, const struct stream *stream) {
    pthread_mutex_lock(&inode->behind.lock);
    const int error = untold(&inode->behind, stream);
    pthread_mutex_unlock(&inode->behind.lock);
    return error;
}
