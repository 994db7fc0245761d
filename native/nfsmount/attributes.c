/* What is told and set of a file as a whole: attributes, size, room, symbolic links; and what is told of the mount. */
#include <errno.h>
#include <string.h>

#include "convert.h"
#include "operation.h"
#include "tell.h"

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    (void)file;
    if (operation != NULL) {
        ask_attributes(operation);
    }
}

static int start_setattr(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    SETATTR3args arguments = {.object = handle_of(operation->inode),
                              .new_attributes = attributes_of(&operation->wanted, operation->which)};
    return rpc_nfs3_setattr_async(rpc, answered, &arguments, call);
}

static void done_setattr(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
        return;
    }
    const post_op_attr *const after = &((SETATTR3res *)answer)->SETATTR3res_u.resok.obj_wcc.after;
    if (after->attributes_follow && behind_idle(operation->inode)) {
        reply_attributes(operation, &after->post_op_attr_u.attributes);
    } else {
        ask_attributes(operation);
    }
}

static void settled_setattr(struct waiter *waiter) {
    operation_call(operation_of_waiter(waiter), start_setattr, done_setattr);
}

static void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int which,
                        struct fuse_file_info *file) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    (void)file;
    if (operation != NULL) {
        operation->wanted = *wanted;
        operation->which = which;
        operation->waiter.then = settled_setattr; /* a write that comes later must not undo it */
        behind_settle(operation->inode, &operation->waiter, false);
    }
}

static int start_readlink(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    READLINK3args arguments = {.symlink = handle_of(((struct operation *)call)->inode)};
    return rpc_nfs3_readlink_async(rpc, answered, &arguments, call);
}

static void done_readlink(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error == 0) {
        fuse_reply_readlink(operation->request, ((READLINK3res *)answer)->READLINK3res_u.resok.data);
        operation->request = NULL;
    }
    reply_error(operation, error);
}

static void on_readlink(fuse_req_t request, fuse_ino_t number) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    if (operation != NULL) {
        operation_call(operation, start_readlink, done_readlink);
    }
}

static int start_fsstat(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    FSSTAT3args arguments = {.fsroot = handle_of(((struct operation *)call)->inode)};
    return rpc_nfs3_fsstat_async(rpc, answered, &arguments, call);
}

static void done_fsstat(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error == 0) {
        const FSSTAT3resok *const told = &((FSSTAT3res *)answer)->FSSTAT3res_u.resok;
        const struct statvfs room = {
            .f_bsize = 4096,
            .f_frsize = 4096,
            .f_blocks = told->tbytes / 4096,
            .f_bfree = told->fbytes / 4096,
            .f_bavail = told->abytes / 4096,
            .f_files = told->tfiles,
            .f_ffree = told->ffiles,
            .f_favail = told->afiles,
            .f_namemax = 255,
        };
        fuse_reply_statfs(operation->request, &room);
        operation->request = NULL;
    }
    reply_error(operation, error);
}

static void on_statfs(fuse_req_t request, fuse_ino_t number) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    if (operation != NULL) {
        operation_call(operation, start_fsstat, done_fsstat);
    }
}

static void on_ioctl(fuse_req_t request, fuse_ino_t number, unsigned command, void *argument,
                      struct fuse_file_info *file, unsigned flags, const void *in, size_t in_size, size_t out_size) {
    (void)number, (void)argument, (void)file, (void)flags, (void)in, (void)in_size;
    struct telling telling;
    if (command != TELL_IOCTL || out_size < sizeof telling) {
        fuse_reply_err(request, ENOTTY);
        return;
    }
    tell_mounted(mounted_of(request), &telling);
    fuse_reply_ioctl(request, 0, &telling, sizeof telling);
}

void add_attribute_operations(struct fuse_lowlevel_ops *operations) {
    operations->getattr = on_getattr;
    operations->setattr = on_setattr;
    operations->readlink = on_readlink;
    operations->statfs = on_statfs;
    operations->ioctl = on_ioctl;
}
