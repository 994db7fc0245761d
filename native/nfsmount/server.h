/* The server: its connections, and what it tells of itself when it is mounted. */
#ifndef ACIC_NFSMOUNT_SERVER_H
#define ACIC_NFSMOUNT_SERVER_H

#include <stdio.h>

#include "connection.h"

enum { CONNECTIONS_MAX = 16 };

struct handle {
    unsigned size;
    char bytes[NFS3_FHSIZE];
};

struct server {
    struct address address;
    int count;                                       /* of connections that carry data */
    struct connection *connections[CONNECTIONS_MAX]; /* the first is for short calls; alone if count is 1 */
    struct handle root;
    unsigned read_max, write_max; /* B in one call */
};

/* Ask the server for the handle of an exported directory; an errno value. */
int server_mount(struct server *server, const char *path);

/* Print what the server exports, a path on each line; an errno value. */
int server_exports(const struct address *address, FILE *out);

/* Open all connections, and ask for the sizes that the server allows; an errno value. */
int server_connect(struct server *server);

void server_disconnect(struct server *server);

/* Submit a call: one that carries data where the least is under way, a short one on a connection without such. */
void server_submit(struct server *server, struct call *call, bool carries_data);

#endif
