#include <errno.h>
#include <semaphore.h>
#include <string.h>

#include "server.h"

#define MOUNT_SECONDS 10.0

struct mounting {
    bool finished;
    int error;
    struct handle *root; /* to be found out */
    FILE *out;           /* for the exports */
};

static void mounted(struct rpc_context *rpc, int status, void *data, void *private_data) {
    struct mounting *const mounting = private_data;
    const mountres3 *const result = data;
    (void)rpc;
    mounting->finished = true;
    if (status != RPC_STATUS_SUCCESS || result == NULL) {
        mounting->error = EIO;
    } else if (result->fhs_status != MNT3_OK) { /* the low ones are errno values */
        mounting->error = result->fhs_status <= MNT3ERR_INVAL ? (int)result->fhs_status : EIO;
    } else {
        const fhandle3 *const handle = &result->mountres3_u.mountinfo.fhandle;
        mounting->error = handle->fhandle3_len > NFS3_FHSIZE ? EIO : 0;
        if (mounting->error == 0) {
            mounting->root->size = handle->fhandle3_len;
            memcpy(mounting->root->bytes, handle->fhandle3_val, handle->fhandle3_len);
        }
    }
}

int server_mount(struct server *server, const char *path) {
    struct mounting mounting = {.error = EIO, .root = &server->root};
    const struct address *const address = &server->address;
    struct rpc_context *const rpc =
        rpc_connected(address->host, address->mount_port, MOUNT_PROGRAM, MOUNT_V3, MOUNT_SECONDS);
    if (rpc == NULL) {
        return ECONNREFUSED;
    }
    char name[4096];
    snprintf(name, sizeof name, "%s", path);
    if (rpc_mount3_mnt_async(rpc, mounted, name, &mounting) == 0) {
        rpc_wait(rpc, &mounting.finished, MOUNT_SECONDS);
    }
    rpc_destroy_context(rpc);
    return mounting.error;
}

static void told(struct rpc_context *rpc, int status, void *data, void *private_data) {
    struct mounting *const mounting = private_data;
    (void)rpc;
    mounting->finished = true;
    mounting->error = status == RPC_STATUS_SUCCESS && data != NULL ? 0 : EIO;
    if (mounting->error == 0) {
        for (const exportnode *node = *(exports *)data; node != NULL; node = node->ex_next) {
            fprintf(mounting->out, "%s\n", node->ex_dir);
        }
    }
}

int server_exports(const struct address *address, FILE *out) {
    struct mounting mounting = {.error = EIO, .out = out};
    struct rpc_context *const rpc =
        rpc_connected(address->host, address->mount_port, MOUNT_PROGRAM, MOUNT_V3, MOUNT_SECONDS);
    if (rpc == NULL) {
        return ECONNREFUSED;
    }
    if (rpc_mount3_export_async(rpc, told, &mounting) == 0) {
        rpc_wait(rpc, &mounting.finished, MOUNT_SECONDS);
    }
    rpc_destroy_context(rpc);
    return mounting.error;
}

struct asking {
    struct call call;
    struct server *server;
    int error;
    sem_t ended;
};

static int start_fsinfo(struct rpc_context *rpc, rpc_cb done, struct call *call) {
    struct server *const server = ((struct asking *)call)->server;
    FSINFO3args arguments = {.fsroot.data = {.data_len = server->root.size, .data_val = server->root.bytes}};
    return rpc_nfs3_fsinfo_async(rpc, done, &arguments, call);
}

static void done_fsinfo(struct call *call, int error, void *answer) {
    struct asking *const asking = (struct asking *)call;
    asking->error = error;
    if (error == 0) {
        const FSINFO3resok *const info = &((FSINFO3res *)answer)->FSINFO3res_u.resok;
        asking->server->read_max = info->rtmax;
        asking->server->write_max = info->wtmax;
    }
    sem_post(&asking->ended);
}

int server_connect(struct server *server) {
    const int opened = server->count > 1 ? server->count + 1 : 1;
    for (int i = 0; i < opened; i++) {
        server->connections[i] = connection_open(&server->address);
        if (server->connections[i] == NULL) {
            const int error = errno;
            server_disconnect(server);
            return error;
        }
    }
    struct asking asking = {.call = {.start = start_fsinfo, .done = done_fsinfo}, .server = server};
    sem_init(&asking.ended, 0, 0);
    server_submit(server, &asking.call, false);
    while (sem_wait(&asking.ended) != 0) {
    }
    sem_destroy(&asking.ended);
    if (asking.error != 0) {
        server_disconnect(server);
    }
    return asking.error;
}

void server_disconnect(struct server *server) {
    for (int i = CONNECTIONS_MAX - 1; i >= 0; i--) { /* what ends on those for data may submit a short call */
        if (server->connections[i] != NULL) {
            connection_close(server->connections[i]);
            server->connections[i] = NULL;
        }
    }
}

void server_submit(struct server *server, struct call *call, bool carries_data) {
    struct connection *chosen = server->connections[0];
    if (carries_data && server->count > 1) {
        chosen = server->connections[1];
        for (int i = 2; i <= server->count; i++) {
            if (connection_load(server->connections[i]) < connection_load(chosen)) {
                chosen = server->connections[i];
            }
        }
    }
    connection_submit(chosen, call);
}
