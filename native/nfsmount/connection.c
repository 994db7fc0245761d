/* Whoever submits a call sends it, if nobody else is at the connection; the connection's thread receives, and sends
 * what is left over. So a call costs no switch to another thread on its way out.
 *
 * Locks: `lock` is held while libnfs works, and so while a call's `done` runs; it is only ever tried by those who
 * submit, who may hold locks that a `done` takes. `lists` is innermost. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "connection.h"
#include "convert.h"

#define ATTEMPT 2.0   /* s for one try to connect */
#define PAUSE_MS 200  /* between two */
#define AGAIN 0.2     /* s until a server is asked again that asked for it */
#define TICK_MS 250   /* between looks at the clock; while idle too: who submits a call does not wake the thread */

struct list {
    struct call *first, **last;
    atomic_uint count;
};

struct connection {
    struct address address;
    pthread_t thread;
    int wake;
    atomic_bool stopping;
    pthread_mutex_t lock;
    struct rpc_context *rpc; /* NULL while there is none */
    bool broken;             /* it is of no more use */
    atomic_bool up;          /* there is one, and of use: for those without the lock */
    double heard, lost;      /* when something last moved, when the connection was lost */
    atomic_uint under_way;
    pthread_mutex_t lists;
    struct list submitted, unanswered, failed, later;
};

static void put(struct connection *connection, struct list *list, struct call *call) {
    call->next = NULL;
    pthread_mutex_lock(&connection->lists);
    *list->last = call;
    list->last = &call->next;
    list->count++;
    pthread_mutex_unlock(&connection->lists);
}

static struct call *take(struct connection *connection, struct list *list) {
    pthread_mutex_lock(&connection->lists);
    struct call *const call = list->first;
    if (call != NULL) {
        list->count--;
        if ((list->first = call->next) == NULL) {
            list->last = &list->first;
        }
    }
    pthread_mutex_unlock(&connection->lists);
    return call;
}

static bool any(struct connection *connection, const struct list *list) {
    pthread_mutex_lock(&connection->lists);
    const bool found = list->first != NULL;
    pthread_mutex_unlock(&connection->lists);
    return found;
}

static void wake(struct connection *connection) {
    const uint64_t one = 1;
    if (write(connection->wake, &one, sizeof one) < 0) {
        return; /* it is awake: the counter is full */
    }
}

/* Only the connection's thread gets an answer; a loss is noted by whoever meets it, and told by the thread. */
static void answered(struct rpc_context *rpc, int status, void *data, void *private_data) {
    struct call *const call = private_data;
    struct connection *const connection = call->connection;
    (void)rpc;
    connection->under_way--;
    if (status != RPC_STATUS_SUCCESS || data == NULL) {
        put(connection, connection->broken ? &connection->unanswered : &connection->failed, call);
    } else if (*(const nfsstat3 *)data == NFS3ERR_JUKEBOX) {
        call->again_at = now() + AGAIN;
        put(connection, &connection->later, call);
    } else {
        call->done(call, error_of(*(const nfsstat3 *)data), data);
    }
}

static void move(struct connection *connection, struct list *from, struct list *to) {
    struct call *call;
    while ((call = take(connection, from)) != NULL) {
        put(connection, to, call);
    }
}

/* Let libnfs work. If the connection breaks, it gives back all calls; else only those that the server refused. */
static void service(struct connection *connection, int events) {
    connection->broken = true;
    connection->broken = rpc_service(connection->rpc, events) != 0;
    connection->up = !connection->broken;
    if (connection->up) {
        move(connection, &connection->unanswered, &connection->failed);
    }
}

static void start_submitted(struct connection *connection) {
    if (connection->rpc == NULL || connection->broken) {
        return;
    }
    struct call *call;
    bool started = false;
    while ((call = take(connection, &connection->submitted)) != NULL) {
        if (call->start(connection->rpc, answered, call) != 0) {
            put(connection, &connection->failed, call);
            continue;
        }
        if (connection->under_way++ == 0) {
            connection->heard = now();
        }
        started = true;
    }
    if (started) {
        service(connection, POLLOUT);
    }
}

void connection_submit(struct connection *connection, struct call *call) {
    call->connection = connection;
    put(connection, &connection->submitted, call);
    bool left = false;
    while (any(connection, &connection->submitted) && pthread_mutex_trylock(&connection->lock) == 0) {
        start_submitted(connection);
        const bool idle = connection->rpc == NULL || connection->broken;
        left = idle || (rpc_which_events(connection->rpc) & POLLOUT) != 0 || any(connection, &connection->failed);
        pthread_mutex_unlock(&connection->lock);
        if (idle) {
            break;
        }
    }
    if (left) {
        wake(connection);
    }
}

static void fail_all(struct connection *connection, struct list *list) {
    struct call *call;
    while ((call = take(connection, list)) != NULL) {
        call->done(call, EIO, NULL);
    }
}

/* Let go of a connection that is of no use; what was under way is asked again, unless the server kept silent. */
static void drop(struct connection *connection, bool silent) {
    connection->broken = !silent;
    connection->up = false;
    rpc_destroy_context(connection->rpc);
    connection->rpc = NULL;
    connection->broken = false;
    connection->lost = now();
    move(connection, &connection->unanswered, &connection->submitted);
}

static void reconnect(struct connection *connection) {
    const struct address *const address = &connection->address;
    struct rpc_context *const rpc =
        rpc_connected(address->host, address->nfs_port, NFS_PROGRAM, NFS_V3, ATTEMPT);
    if (rpc != NULL) {
        pthread_mutex_lock(&connection->lock);
        connection->rpc = rpc;
        connection->up = true;
        pthread_mutex_unlock(&connection->lock);
        return;
    }
    if (now() - connection->lost > address->absence) {
        fail_all(connection, &connection->submitted);
    }
    poll(NULL, 0, PAUSE_MS);
}

static void ask_again(struct connection *connection) {
    struct call *call;
    pthread_mutex_lock(&connection->lists);
    const bool due = connection->later.first != NULL && connection->later.first->again_at <= now();
    pthread_mutex_unlock(&connection->lists);
    if (due && (call = take(connection, &connection->later)) != NULL) {
        connection_submit(connection, call);
    }
}

static void work(struct connection *connection) {
    pthread_mutex_lock(&connection->lock);
    start_submitted(connection);
    struct pollfd files[] = {{.fd = rpc_get_fd(connection->rpc), .events = (short)rpc_which_events(connection->rpc)},
                             {.fd = connection->wake, .events = POLLIN}};
    const bool broken = connection->broken;
    pthread_mutex_unlock(&connection->lock);
    const bool more = broken || any(connection, &connection->submitted);
    uint64_t count;
    if (poll(files, 2, more ? 0 : TICK_MS) > 0 && files[1].revents != 0 &&
        read(connection->wake, &count, sizeof count) < 0) {
        return; /* somebody else's wish to wake up was served */
    }
    pthread_mutex_lock(&connection->lock);
    if (files[0].revents != 0 && !connection->broken) {
        connection->heard = now();
        service(connection, files[0].revents);
        start_submitted(connection);
    }
    const bool silent = connection->under_way > 0 && now() - connection->heard > connection->address.silence;
    if (connection->broken || silent) {
        drop(connection, silent && !connection->broken);
    }
    pthread_mutex_unlock(&connection->lock);
}

static void *serve(void *argument) {
    struct connection *const connection = argument;
    while (!connection->stopping) {
        if (connection->rpc == NULL) {
            reconnect(connection);
        } else {
            work(connection);
        }
        fail_all(connection, &connection->failed);
        ask_again(connection);
    }
    pthread_mutex_lock(&connection->lock);
    if (connection->rpc != NULL) {
        drop(connection, true);
    }
    pthread_mutex_unlock(&connection->lock);
    while (any(connection, &connection->failed) || any(connection, &connection->later) ||
           any(connection, &connection->submitted)) { /* what ends may submit something */
        fail_all(connection, &connection->failed);
        fail_all(connection, &connection->later);
        fail_all(connection, &connection->submitted);
    }
    return NULL;
}

struct connection *connection_open(const struct address *address) {
    struct rpc_context *const rpc =
        rpc_connected(address->host, address->nfs_port, NFS_PROGRAM, NFS_V3, address->silence);
    if (rpc == NULL) {
        errno = ECONNREFUSED;
        return NULL;
    }
    struct connection *const connection = calloc(1, sizeof *connection);
    const int wake_file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (connection != NULL && wake_file >= 0) {
        connection->address = *address;
        connection->rpc = rpc;
        connection->up = true;
        connection->wake = wake_file;
        pthread_mutex_init(&connection->lock, NULL);
        pthread_mutex_init(&connection->lists, NULL);
        struct list *const lists[] = {&connection->submitted, &connection->unanswered, &connection->failed,
                                      &connection->later};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            lists[i]->last = &lists[i]->first;
        }
        if ((errno = pthread_create(&connection->thread, NULL, serve, connection)) == 0) {
            return connection;
        }
    }
    if (wake_file >= 0) {
        close(wake_file);
    }
    free(connection);
    rpc_destroy_context(rpc);
    return NULL;
}

void connection_close(struct connection *connection) {
    connection->stopping = true;
    wake(connection);
    pthread_join(connection->thread, NULL);
    close(connection->wake);
    pthread_mutex_destroy(&connection->lock);
    pthread_mutex_destroy(&connection->lists);
    free(connection);
}

unsigned connection_load(struct connection *connection) {
    const unsigned load = connection->under_way + connection->submitted.count;
    return connection->up ? load : UINT_MAX / 2 + load;
}

bool connection_up(struct connection *connection) {
    return connection->up;
}
