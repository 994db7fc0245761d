#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "operation.h"

#define DIRECTORY_SECONDS 1.0 /* that the kernel trusts a directory's name and attributes; those of files never */

struct mounted *mounted_of(fuse_req_t request) {
    return fuse_req_userdata(request);
}

struct inode *inode_of(struct mounted *mounted, fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? mounted->inodes.root : (struct inode *)(uintptr_t)number;
}

struct operation *operation_of_waiter(struct waiter *waiter) {
    return (struct operation *)((char *)waiter - offsetof(struct operation, waiter));
}

struct operation *operation_make(fuse_req_t request, fuse_ino_t inode, const char *name, const char *other_name) {
    struct operation *const operation = calloc(1, sizeof *operation);
    if (operation != NULL) {
        operation->request = request;
        operation->mounted = mounted_of(request);
        operation->inode = inode_of(operation->mounted, inode);
        operation->name = name == NULL ? NULL : strdup(name);
        operation->other_name = other_name == NULL ? NULL : strdup(other_name);
        inode_hold(&operation->mounted->inodes, operation->inode);
        if ((name == NULL) == (operation->name == NULL) && (other_name == NULL) == (operation->other_name == NULL)) {
            return operation;
        }
        operation_free(operation);
    }
    fuse_reply_err(request, ENOMEM);
    return NULL;
}

void operation_free(struct operation *operation) {
    struct inode *const held[] = {operation->inode, operation->directory, operation->other};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        if (held[i] != NULL) {
            inode_release(&operation->mounted->inodes, held[i], 1);
        }
    }
    free(operation->name);
    free(operation->other_name);
    free(operation->data);
    free(operation);
}

void operation_call(struct operation *operation, starter *start, finisher *done) {
    operation->call.start = start;
    operation->call.done = done;
    server_submit(&operation->mounted->server, &operation->call, false);
}

void reply_error(struct operation *operation, int error) {
    if (operation->request != NULL) {
        fuse_reply_err(operation->request, error);
    }
    operation_free(operation);
}

void done_reply(struct call *call, int error, void *answer) {
    (void)answer;
    reply_error((struct operation *)call, error);
}

static double trust_in(const struct stat *attributes) {
    return S_ISDIR(attributes->st_mode) ? DIRECTORY_SECONDS : 0.0;
}

void reply_attributes(struct operation *operation, const fattr3 *attributes) {
    const struct stat told = stat_of(attributes);
    inode_told(operation->inode, &told);
    fuse_reply_attr(operation->request, &told, trust_in(&told));
    operation_free(operation);
}

static void give_entry(struct operation *operation, const fattr3 *attributes) {
    struct mounted *const mounted = operation->mounted;
    struct inode *const found = operation->other;
    struct fuse_entry_param entry = {.ino = (fuse_ino_t)(uintptr_t)found, .attr = stat_of(attributes)};
    inode_told(found, &entry.attr);
    entry.attr_timeout = entry.entry_timeout = trust_in(&entry.attr);
    inode_hold(&mounted->inodes, found); /* for the kernel */
    int failed;
    if (operation->file.flags == 0) {
        failed = fuse_reply_entry(operation->request, &entry);
    } else {
        operation->file.flags &= ~O_CREAT;
        const int error = open_file_make(mounted, found, &operation->file);
        failed = error != 0 ? fuse_reply_err(operation->request, error), 1
                            : fuse_reply_create(operation->request, &entry, &operation->file);
        if (error == 0 && failed != 0) {
            open_file_free(mounted, found, &operation->file);
        }
    }
    if (failed != 0) { /* nobody waits any more */
        inode_release(&mounted->inodes, found, 1);
    }
    operation_free(operation);
}

static int start_getattr(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    GETATTR3args arguments = {.object = handle_of(operation->inode)};
    return rpc_nfs3_getattr_async(rpc, answered, &arguments, call);
}

static void done_getattr(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
    } else {
        reply_attributes(operation, &((GETATTR3res *)answer)->GETATTR3res_u.resok.obj_attributes);
    }
}

static void settled_getattr(struct waiter *waiter) {
    operation_call(operation_of_waiter(waiter), start_getattr, done_getattr);
}

void ask_attributes(struct operation *operation) {
    operation->waiter.then = settled_getattr;
    behind_settle(operation->inode, &operation->waiter, false);
}

static int start_getattr_found(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    GETATTR3args arguments = {.object = handle_of(((struct operation *)call)->other)};
    return rpc_nfs3_getattr_async(rpc, answered, &arguments, call);
}

static void done_getattr_found(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
    } else {
        give_entry(operation, &((GETATTR3res *)answer)->GETATTR3res_u.resok.obj_attributes);
    }
}

static void settled_entry(struct waiter *waiter) {
    operation_call(operation_of_waiter(waiter), start_getattr_found, done_getattr_found);
}

void reply_entry(struct operation *operation, const nfs_fh3 *handle, const post_op_attr *attributes) {
    struct inodes *const inodes = &operation->mounted->inodes;
    operation->other = inode_get(inodes, handle->data.data_val, handle->data.data_len);
    if (operation->other == NULL) {
        reply_error(operation, ENOMEM);
        return;
    }
    inode_named(inodes, operation->other, operation->inode, operation->name);
    if (attributes->attributes_follow && behind_idle(operation->other)) {
        give_entry(operation, &attributes->post_op_attr_u.attributes);
        return;
    }
    operation->waiter.then = settled_entry;
    behind_settle(operation->other, &operation->waiter, false);
}

static int start_lookup(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    LOOKUP3args arguments = {.what = place_of(operation->inode, operation->name)};
    return rpc_nfs3_lookup_async(rpc, answered, &arguments, call);
}

static void done_lookup(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
    } else {
        const LOOKUP3resok *const found = &((LOOKUP3res *)answer)->LOOKUP3res_u.resok;
        reply_entry(operation, &found->object, &found->obj_attributes);
    }
}

void look_up(struct operation *operation) {
    operation_call(operation, start_lookup, done_lookup);
}
