/* What makes something new: mkdir, create, symlink, mknod. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "convert.h"
#include "operation.h"

static sattr3 attributes_asked(const struct operation *operation) {
    return attributes_new(operation->wanted.st_mode, operation->wanted.st_uid, operation->wanted.st_gid);
}

/* What local file systems do in a directory with the setgid bit, and a server for who asks as himself: all gets its
 * group, and directories the bit too. A program that runs as the group is only made by who is in it. */
static void take_group(struct stat *wanted, const struct inode *directory, const struct fuse_ctx *who) {
    const uint64_t group = directory->group;
    if (group == 0) {
        return;
    }
    wanted->st_gid = (gid_t)(group - 1);
    if (S_ISDIR(wanted->st_mode)) {
        wanted->st_mode |= S_ISGID;
    } else if ((wanted->st_mode & S_IXGRP) != 0 && who->uid != 0 && who->gid != wanted->st_gid) {
        wanted->st_mode &= ~(mode_t)S_ISGID;
    }
}

static struct operation *making(fuse_req_t request, fuse_ino_t directory, const char *name, const char *other,
                                mode_t mode) {
    struct operation *const operation = operation_make(request, directory, name, other);
    if (operation != NULL) {
        const struct fuse_ctx *const who = fuse_req_ctx(request);
        operation->wanted = (struct stat){.st_mode = mode, .st_uid = who->uid, .st_gid = who->gid};
        take_group(&operation->wanted, operation->inode, who);
    }
    return operation;
}

/* Reply what a server tells of what it made; where it tells nothing, look it up. */
static void reply_made(struct operation *operation, const post_op_fh3 *made, const post_op_attr *attributes) {
    if (made->handle_follows) {
        reply_entry(operation, &made->post_op_fh3_u.handle, attributes);
    } else {
        look_up(operation);
    }
}

static int start_mkdir(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    MKDIR3args arguments = {.where = place_of(operation->inode, operation->name),
                            .attributes = attributes_asked(operation)};
    return rpc_nfs3_mkdir_async(rpc, answered, &arguments, call);
}

static void done_mkdir(struct call *call, int error, void *answer) {
    if (error != 0) {
        reply_error((struct operation *)call, error);
    } else {
        const MKDIR3resok *const made = &((MKDIR3res *)answer)->MKDIR3res_u.resok;
        reply_made((struct operation *)call, &made->obj, &made->obj_attributes);
    }
}

static void on_mkdir(fuse_req_t request, fuse_ino_t directory, const char *name, mode_t mode) {
    struct operation *const operation = making(request, directory, name, NULL, S_IFDIR | mode);
    if (operation != NULL) {
        operation_call(operation, start_mkdir, done_mkdir);
    }
}

static int start_symlink(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    SYMLINK3args arguments = {
        .where = place_of(operation->inode, operation->name),
        .symlink = {.symlink_attributes = attributes_asked(operation), .symlink_data = operation->other_name}};
    return rpc_nfs3_symlink_async(rpc, answered, &arguments, call);
}

static void done_symlink(struct call *call, int error, void *answer) {
    if (error != 0) {
        reply_error((struct operation *)call, error);
    } else {
        const SYMLINK3resok *const made = &((SYMLINK3res *)answer)->SYMLINK3res_u.resok;
        reply_made((struct operation *)call, &made->obj, &made->obj_attributes);
    }
}

static void on_symlink(fuse_req_t request, const char *target, fuse_ino_t directory, const char *name) {
    struct operation *const operation = making(request, directory, name, target, 0777);
    if (operation != NULL) {
        operation_call(operation, start_symlink, done_symlink);
    }
}

static int start_mknod(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    MKNOD3args arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.where = place_of(operation->inode, operation->name);
    const mode_t mode = operation->wanted.st_mode;
    if (S_ISFIFO(mode) || S_ISSOCK(mode)) {
        arguments.what.type = S_ISFIFO(mode) ? NF3FIFO : NF3SOCK;
        arguments.what.mknoddata3_u.pipe_attributes = attributes_asked(operation);
    } else {
        devicedata3 *const device = &arguments.what.mknoddata3_u.chr_device;
        arguments.what.type = S_ISCHR(mode) ? NF3CHR : NF3BLK;
        device->dev_attributes = attributes_asked(operation);
        device->spec = (specdata3){major(operation->wanted.st_rdev), minor(operation->wanted.st_rdev)};
    }
    return rpc_nfs3_mknod_async(rpc, answered, &arguments, call);
}

static void done_mknod(struct call *call, int error, void *answer) {
    if (error != 0) {
        reply_error((struct operation *)call, error);
    } else {
        const MKNOD3resok *const made = &((MKNOD3res *)answer)->MKNOD3res_u.resok;
        reply_made((struct operation *)call, &made->obj, &made->obj_attributes);
    }
}

/* Only where there is no such file: a server need not say whether it made one, and it must be told apart. */
static int start_create(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    CREATE3args arguments = {.where = place_of(operation->inode, operation->name), .how = {.mode = GUARDED}};
    arguments.how.createhow3_u.g_obj_attributes = attributes_asked(operation);
    return rpc_nfs3_create_async(rpc, answered, &arguments, call);
}

/* A file that came since the kernel looked is opened as all others are, with permissions checked and O_TRUNC obeyed: at
 * ESTALE the kernel looks once more. */
static void done_create(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error == EEXIST && operation->file.flags != 0 && (operation->file.flags & O_EXCL) == 0) {
        reply_error(operation, ESTALE);
    } else if (error != 0) {
        reply_error(operation, error);
    } else {
        const CREATE3resok *const made = &((CREATE3res *)answer)->CREATE3res_u.resok;
        reply_made(operation, &made->obj, &made->obj_attributes);
    }
}

static void on_create(fuse_req_t request, fuse_ino_t directory, const char *name, mode_t mode,
                       struct fuse_file_info *file) {
    struct operation *const operation = making(request, directory, name, NULL, mode);
    if (operation != NULL) {
        operation->file = *file;
        operation->file.flags |= O_CREAT; /* whatever the kernel tells: an operation with flags opens */
        operation_call(operation, start_create, done_create);
    }
}

static void on_mknod(fuse_req_t request, fuse_ino_t directory, const char *name, mode_t mode, dev_t device) {
    struct operation *const operation = making(request, directory, name, NULL, mode);
    if (operation != NULL) {
        operation->wanted.st_rdev = device;
        if (S_ISREG(mode)) {
            operation_call(operation, start_create, done_create);
        } else {
            operation_call(operation, start_mknod, done_mknod);
        }
    }
}

void add_making_operations(struct fuse_lowlevel_ops *operations) {
    operations->mkdir = on_mkdir;
    operations->symlink = on_symlink;
    operations->mknod = on_mknod;
    operations->create = on_create;
}
