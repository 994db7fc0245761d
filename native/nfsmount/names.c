/* Names: lookup, unlink, rmdir, rename, link, forget. NFSv3 knows no open files: one that is open when its name goes is
 * renamed, as every NFS client does, and removed with the last close. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int start_rename(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    RENAME3args arguments = {.from = place_of(operation->inode, operation->name),
                             .to = place_of(operation->directory, operation->other_name)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

/* Renames one open file to a hidden name, on behalf of `after`. */
struct hiding {
    struct call call;
    struct operation *after;
    void (*then)(struct operation *after);
    struct inode *directory; /* held by `after` */
    const char *name;
    char hidden[64];
};

static int start_hiding(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct hiding *const hiding = (struct hiding *)call;
    RENAME3args arguments = {.from = place_of(hiding->directory, (char *)hiding->name),
                             .to = place_of(hiding->directory, hiding->hidden)};
    return rpc_nfs3_rename_async(rpc, answered, &arguments, call);
}

static void go_on(struct hiding *hiding, int error) {
    if (error == 0 || error == ENOENT) {
        hiding->then(hiding->after);
    } else {
        reply_error(hiding->after, error);
    }
    free(hiding);
}

static int start_remove_unneeded(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct hiding *const hiding = (struct hiding *)call;
    REMOVE3args arguments = {.object = place_of(hiding->directory, hiding->hidden)};
    return rpc_nfs3_remove_async(rpc, answered, &arguments, call);
}

static void done_remove_unneeded(struct call *call, int error, void *answer) {
    (void)answer;
    go_on((struct hiding *)call, error);
}

static void done_hiding(struct call *call, int error, void *answer) {
    struct hiding *const hiding = (struct hiding *)call;
    struct operation *const after = hiding->after;
    (void)answer;
    if (error == 0 && !inode_hidden(&after->mounted->inodes, after->other, hiding->directory, hiding->hidden)) {
        hiding->call.start = start_remove_unneeded;
        hiding->call.done = done_remove_unneeded;
        server_submit(&after->mounted->server, &hiding->call, false);
        return;
    }
    go_on(hiding, error);
}

/* If a file is open under that name, keep it under another one; then go on. */
static void hide_open(struct operation *after, struct inode *directory, const char *name,
                      void (*then)(struct operation *after), void (*not_open)(struct operation *after)) {
    static atomic_uint number;
    after->other = inode_open_as(&after->mounted->inodes, directory, name);
    struct hiding *const hiding = after->other == NULL ? NULL : calloc(1, sizeof *hiding);
    if (hiding == NULL) {
        not_open(after);
        return;
    }
    *hiding = (struct hiding){.call = {.start = start_hiding, .done = done_hiding},
                              .after = after,
                              .then = then,
                              .directory = directory,
                              .name = name};
    char host[32] = "";
    gethostname(host, sizeof host - 1);
    snprintf(hiding->hidden, sizeof hiding->hidden, ".nfs-%s-%d-%u", host, (int)getpid(), number++);
    server_submit(&after->mounted->server, &hiding->call, false);
}

static void just_reply(struct operation *operation) {
    reply_error(operation, 0);
}

static void remove_name(struct operation *operation) {
    operation_call(operation, start_remove, done_reply);
}

static void on_unlink(fuse_req_t request, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation != NULL) {
        hide_open(operation, operation->inode, operation->name, just_reply, remove_name);
    }
}

static void on_rmdir(fuse_req_t request, fuse_ino_t directory, const char *name) {
    struct operation *const operation = operation_make(request, directory, name, NULL);
    if (operation != NULL) {
        operation_call(operation, start_rmdir, done_reply);
    }
}

static void done_rename(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    struct inodes *const inodes = &operation->mounted->inodes;
    (void)answer;
    if (error == 0) {
        struct inode *const moved = inode_open_as(inodes, operation->inode, operation->name);
        if (moved != NULL) {
            inode_named(inodes, moved, operation->directory, operation->other_name);
            inode_release(inodes, moved, 1);
        }
    }
    reply_error(operation, error);
}

static void rename_it(struct operation *operation) {
    operation_call(operation, start_rename, done_rename);
}

static void on_rename(fuse_req_t request, fuse_ino_t from, const char *name, fuse_ino_t to, const char *new_name,
                       unsigned flags) {
    if (flags != 0) { /* NFSv3 can do neither without a race */
        fuse_reply_err(request, flags == RENAME_NOREPLACE ? EINVAL : ENOSYS);
        return;
    }
    struct operation *const operation = operation_make(request, from, name, new_name);
    if (operation != NULL) {
        operation->directory = inode_of(operation->mounted, to);
        inode_hold(&operation->mounted->inodes, operation->directory);
        const bool same = operation->directory == operation->inode && strcmp(name, new_name) == 0;
        if (same) {
            rename_it(operation);
        } else {
            hide_open(operation, operation->directory, operation->other_name, rename_it, rename_it);
        }
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
