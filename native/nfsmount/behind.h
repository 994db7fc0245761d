/* Write-behind: what an application writes is gathered into large calls, several of which are under way at once.
 *
 * Only bytes that were written are ever sent: nothing is read to fill a page. Two calls that overlap are never under
 * way together, so that the later write wins, whichever connection is faster. */
#ifndef ACIC_NFSMOUNT_BEHIND_H
#define ACIC_NFSMOUNT_BEHIND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "server.h"

struct inode;
struct inodes;
struct chunk;

/* Something to be done when its time has come; `then` is called once. */
struct waiter {
    struct waiter *next;
    uint64_t upto; /* the last chunk that is waited for */
    void (*then)(struct waiter *waiter);
};

/* Bytes that are on their way; who writes more than the limit waits. */
struct budget {
    pthread_mutex_t lock;
    uint64_t limit, used;
    struct waiter *first, **last;
    atomic_uint_fast64_t gathered; /* B that wait for more to come */
};

struct writers {
    struct server *server;
    struct inodes *inodes;
    unsigned size; /* B in one call at most */
    struct budget budget;
};

/* Of one file. */
struct behind {
    pthread_mutex_t lock;
    struct chunk *first, **last; /* oldest first */
    uint64_t sequence;           /* of the youngest chunk */
    struct waiter *waiters;
    int error;                    /* the last one that nobody waited for */
    unsigned errors;              /* how many */
    uint64_t unstable, committed; /* answered calls whose data the server need not have on its disk; those it has */
    char verifier[NFS3_WRITEVERFSIZE];
};

/* Of one open file. */
struct stream {
    struct chunk *gathering;
    unsigned errors_told;
};

/* Somebody who waits for the server's answer to a write. */
struct written {
    atomic_uint left;
    atomic_int error;
    void (*then)(struct written *written, int error);
};

void behind_make(struct behind *behind);
void behind_free(struct behind *behind);

/* Take bytes to be written. Without `written` they are taken for good, unless an errno value is returned: that of an
 * earlier write, or ENOMEM. With it, `written->then` is called when the server has them as `stable` says. */
int behind_write(struct writers *writers, struct inode *inode, struct stream *stream, const char *data, size_t size,
                 uint64_t offset, stable_how stable, struct written *written);

/* Send what was gathered, and call `waiter->then` when all that was written until now is answered. If the data must be
 * on the server's disk after that, a single call may do without a COMMIT. */
void behind_settle(struct inode *inode, struct waiter *waiter, bool durable);

/* Whether nothing is gathered or on its way. */
bool behind_idle(struct inode *inode);

/* Whether a COMMIT is needed; `mark` is to be given to behind_committed(). */
bool behind_needs_commit(struct inode *inode, uint64_t *mark);
void behind_committed(struct inode *inode, uint64_t mark, const char *verifier);
void behind_not_committed(struct inode *inode, int error); /* what the server answered to a COMMIT */

/* Return the error that this open file was not told yet; 0 if there is none. The first counts as telling, the second
 * only looks. */
int behind_error(struct inode *inode, struct stream *stream);
int behind_pending(struct inode *inode, const struct stream *stream);

/* Call `waiter->then` as soon as more may be written. */
void budget_wait(struct budget *budget, struct waiter *waiter);
void budget_make(struct budget *budget, uint64_t limit);

#endif
