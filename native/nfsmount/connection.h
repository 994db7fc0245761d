/* One TCP connection to the server, and the remote procedures that are under way on it. */
#ifndef ACIC_NFSMOUNT_CONNECTION_H
#define ACIC_NFSMOUNT_CONNECTION_H

#include <nfsc/libnfs-zdr.h>

#include <nfsc/libnfs.h>

#include <nfsc/libnfs-raw-mount.h>
#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw.h>

#include <stdbool.h>
#include <stddef.h>

/* A remote procedure: the first member of what is to be known when it ends. */
struct call {
    struct call *next;
    struct connection *connection;
    /* Encode and queue it; whatever it points to must be alive until `done`, as it may be sent twice. */
    int (*start)(struct rpc_context *rpc, rpc_cb answered, struct call *call);
    /* Called once, by the connection's thread, or not at all where the procedure is never submitted. `error` is an
     * errno value; `answer` is the procedure's result, NULL where the server gave none. It may submit calls. */
    void (*done)(struct call *call, int error, void *answer);
    double again_at; /* s; for a server that asked to be asked later */
};

struct address {
    const char *host;
    int nfs_port, mount_port;
    double silence; /* s that a server with work to do may say nothing: what it was asked then fails */
    double absence; /* s that a server may be away: until then what it was asked is asked again */
};

/* Return a context connected to a program of the server, NULL where there is none within `seconds`. */
struct rpc_context *rpc_connected(const char *host, int port, int program, int version, double seconds);

/* Let libnfs work until `*finished` or `seconds` are over. */
void rpc_wait(struct rpc_context *rpc, const bool *finished, double seconds);

/* Connect, and start the thread that drives the connection; NULL, with errno, if that is impossible. */
struct connection *connection_open(const struct address *address);

/* End every call with an error, and the thread with it. */
void connection_close(struct connection *connection);

/* Have a call made. It does not block, and never ends the call itself: any lock may be held. */
void connection_submit(struct connection *connection, struct call *call);

/* How many calls are under way or wait to be, more than of any other while there is no connection; and whether there is
 * one. Any lock may be held. */
unsigned connection_load(struct connection *connection);
bool connection_up(struct connection *connection);

double now(void); /* s, of a clock that only goes on */

#endif
