/* Names: lookup, unlink, rmdir, rename, link, forget. NFSv3 knows no open files: one that is open when its name goes is
 * kept under one of ours, as every NFS client does, which goes with the last close. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static void on_lookup(fuse_req_t request, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation != NULL) {
        look_up(operation);
    }
}

static void on_forget(fuse_req_t request, fuse_ino_t number, uint64_t count) {
    struct mounted *const mounted = mounted_of(request);
    if (number != FUSE_ROOT_ID) {
        inode_release(&mounted->inodes, inode_of(mounted, number), count);
    }
    fuse_reply_none(request);
}

static int start_remove(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    REMOVE3args arguments = {.object = place_of(operation->inode, operation->name)};
    return rpc_nfs3_remove_async(rpc, answered, &arguments, call);
}

static int start_rmdir(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RMDIR3args arguments = {.object = place_of(operation->inode, operation->name)};
    return rpc_nfs3_rmdir_async(rpc, answered, &arguments, call);
}

/* If a file is open under that name, hold it, and give the operation a name of ours for it; false if there is none. */
static bool open_here(struct operation *operation, const struct inode *directory, const char *name) {
    static atomic_uint number;
    static const size_t size = 64;
    struct mounted *const mounted = operation->mounted;
    operation->other = inode_open_as(&mounted->inodes, directory, name);
    operation->data = operation->other == NULL ? NULL : malloc(size);
    if (operation->data != NULL) {
        snprintf(operation->data, size, ".nfs-%016" PRIx64 "-%u", mounted->mark, number++);
    }
    return operation->data != NULL;
}

/* Note where the open file is kept; false if it was closed meanwhile, and the name is to be removed. */
static bool kept(struct operation *operation, struct inode *directory) {
    return inode_hidden(&operation->mounted->inodes, operation->other, directory, operation->data);
}

static int start_hide(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RENAME3args arguments = {.from = place_of(operation->inode, operation->name),
                             .to = place_of(operation->inode, operation->data)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

static int start_remove_hidden(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    REMOVE3args arguments = {.object = place_of(operation->inode, operation->data)};
    return rpc_nfs3_remove_async(rpc, answered, &arguments, call);
}

static void done_remove_hidden(struct call *call, int error, void *answer) {
    (void)answer;
    reply_error((struct operation *)call, error == ENOENT ? 0 : error);
}

static void done_hide(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    (void)answer;
    if (error == 0 && !kept(operation, operation->inode)) {
        operation_call(operation, start_remove_hidden, done_remove_hidden);
    } else {
        reply_error(operation, error == ENOENT ? 0 : error);
    }
}

static void on_unlink(fuse_req_t request, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation == NULL) {
        return;
    }
    if (open_here(operation, operation->inode, operation->name)) {
        operation_call(operation, start_hide, done_hide);
    } else {
        operation_call(operation, start_remove, done_reply);
    }
}

static void on_rmdir(fuse_req_t request, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation != NULL) {
        operation_call(operation, start_rmdir, done_reply);
    }
}

static int start_rename(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RENAME3args arguments = {.from = place_of(operation->inode, operation->name),
                             .to = place_of(operation->directory, operation->other_name)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

static void note_moved(struct operation *operation) {
    struct inodes *const inodes = &operation->mounted->inodes;
    struct inode *const moved = inode_open_as(inodes, operation->inode, operation->name);
    if (moved != NULL) {
        inode_named(inodes, moved, operation->directory, operation->other_name);
        inode_release(inodes, moved, 1);
    }
}

static void done_rename(struct call *call, int error, void *answer) {
    (void)answer;
    if (error == 0) {
        note_moved((struct operation *)call);
    }
    reply_error((struct operation *)call, error);
}

/* A file that is open under the new name is kept by a second one before it is replaced: so that name is there at any
 * moment, and whatever becomes of the rename, nothing is lost when the second one goes with the last close. */
static int start_keep(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    LINK3args arguments = {.file = handle_of(operation->other),
                           .link = place_of(operation->directory, operation->data)};
    return rpc_nfs3_link_async(rpc, answered, &arguments, call);
}

static int start_remove_kept(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    REMOVE3args arguments = {.object = place_of(operation->directory, operation->data)};
    return rpc_nfs3_remove_async(rpc, answered, &arguments, call);
}

static void done_remove_kept(struct call *call, int error, void *answer) {
    (void)answer;
    if (error != 0 && error != ENOENT) {
        reply_error((struct operation *)call, error);
    } else {
        operation_call((struct operation *)call, start_rename, done_rename);
    }
}

static void rename_kept(struct operation *operation) {
    if (kept(operation, operation->directory)) {
        operation_call(operation, start_rename, done_rename);
    } else {
        operation_call(operation, start_remove_kept, done_remove_kept);
    }
}

/* Where the server makes no second name, the file has to leave its own first. */
static int start_leave(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RENAME3args arguments = {.from = place_of(operation->directory, operation->other_name),
                             .to = place_of(operation->directory, operation->data)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

static int start_come_back(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RENAME3args arguments = {.from = place_of(operation->directory, operation->data),
                             .to = place_of(operation->directory, operation->other_name)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

static void done_come_back(struct call *call, int error, void *answer) {
    (void)error, (void)answer;
    reply_error((struct operation *)call, ((struct operation *)call)->error);
}

static void done_rename_left(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    operation->error = error;
    if (error == 0) {
        const bool is_kept = kept(operation, operation->directory);
        note_moved(operation);
        if (is_kept) {
            reply_error(operation, 0);
        } else {
            operation_call(operation, start_remove_kept, done_remove_hidden);
        }
    } else if (answer != NULL && error != ENOENT) {
        operation_call(operation, start_come_back, done_come_back);
    } else { /* it may be done, by a call whose answer was lost: neither file is to be replaced by the other */
        reply_error(operation, error);
    }
}

static void done_leave(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    (void)answer;
    if (error == 0) {
        operation_call(operation, start_rename, done_rename_left);
    } else if (error == ENOENT) {
        operation_call(operation, start_rename, done_rename);
    } else {
        reply_error(operation, error);
    }
}

static void done_keep(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error == 0 || error == EEXIST) { /* the name is ours alone: the call was sent twice */
        rename_kept(operation);
    } else if (answer != NULL) {
        operation_call(operation, start_leave, done_leave);
    } else {
        reply_error(operation, error);
    }
}

static void on_rename(fuse_req_t request, fuse_ino_t from, const char *name, fuse_ino_t to, const char *new_name,
                       unsigned flags) {
    if (flags != 0) { /* NFSv3 can do neither without a race */
        fuse_reply_err(request, flags == RENAME_NOREPLACE ? EINVAL : ENOSYS);
        return;
    }
    struct operation *const operation = operation_make(request, from, name, new_name);
    if (operation == NULL) {
        return;
    }
    operation->directory = inode_of(operation->mounted, to);
    inode_hold(&operation->mounted->inodes, operation->directory);
    const bool same = operation->directory == operation->inode && strcmp(name, new_name) == 0;
    if (!same && open_here(operation, operation->directory, operation->other_name)) {
        operation_call(operation, start_keep, done_keep);
    } else {
        operation_call(operation, start_rename, done_rename);
    }
}

static int start_link(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    LINK3args arguments = {.file = handle_of(operation->directory),
                           .link = place_of(operation->inode, operation->name)};
    return rpc_nfs3_link_async(rpc, answered, &arguments, call);
}

static void done_link(struct call *call, int error, void *answer) {
    (void)answer;
    if (error != 0) {
        reply_error((struct operation *)call, error);
    } else {
        look_up((struct operation *)call);
    }
}

static void on_link(fuse_req_t request, fuse_ino_t file, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation != NULL) {
        operation->directory = inode_of(operation->mounted, file); /* that is linked: the name alone matters later */
        inode_hold(&operation->mounted->inodes, operation->directory);
        operation_call(operation, start_link, done_link);
    }
}

void add_name_operations(struct fuse_lowlevel_ops *operations) {
    operations->lookup = on_lookup;
    operations->forget = on_forget;
    operations->unlink = on_unlink;
    operations->rmdir = on_rmdir;
    operations->rename = on_rename;
    operations->link = on_link;
}
