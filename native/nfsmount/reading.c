/* Reading. The kernel caches and reads ahead; each of its requests is one call, replied from where its data arrived. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "operation.h"

static int start_read(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    const size_t left = operation->size - operation->filled, most = operation->mounted->options.read_size;
    READ3args arguments = {.file = handle_of(operation->inode),
                           .offset = operation->offset + operation->filled,
                           .count = (count3)(left < most ? left : most)};
    return rpc_nfs3_read_async(rpc, answered, &arguments, call);
}

static void done_read(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
        return;
    }
    const READ3resok *const read = &((READ3res *)answer)->READ3res_u.resok;
    const size_t left = operation->size - operation->filled;
    const size_t size = read->data.data_len < left ? read->data.data_len : left;
    const bool finished = read->eof || size == left || size == 0;
    if (finished && operation->filled == 0) {
        fuse_reply_buf(operation->request, read->data.data_val, size);
        operation_free(operation);
        return;
    }
    if (operation->data == NULL && (operation->data = malloc(operation->size)) == NULL) {
        reply_error(operation, ENOMEM);
        return;
    }
    memcpy(operation->data + operation->filled, read->data.data_val, size);
    operation->filled += size;
    if (finished) {
        fuse_reply_buf(operation->request, operation->data, operation->filled);
        operation_free(operation);
    } else { /* a server may give less than was asked for */
        server_submit(&operation->mounted->server, call, true);
    }
}

static void settled_read(struct waiter *waiter) {
    struct operation *const operation = operation_of_waiter(waiter);
    operation->call.start = start_read;
    operation->call.done = done_read;
    server_submit(&operation->mounted->server, &operation->call, true);
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    (void)file;
    if (operation != NULL) {
        operation->size = size;
        operation->offset = (uint64_t)offset;
        operation->waiter.then = settled_read;
        behind_settle(operation->inode, &operation->waiter, false);
    }
}

void add_reading_operations(struct fuse_lowlevel_ops *operations) {
    operations->read = on_read;
}
