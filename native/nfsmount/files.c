/* Open files: open, flush (each close), fsync, release (the last close).
 *
 * Close-to-open: a close waits until the server has the data on its disk, and the kernel drops what it has cached of a
 * file when that is opened. Attributes of files are never cached: the kernel asks for the size before each open. */
#include <errno.h>
#include <stdlib.h>

#include "operation.h"
#include "readahead.h"

int open_file_make(struct mounted *mounted, struct inode *inode, struct fuse_file_info *file) {
    struct open_file *const open = calloc(1, sizeof *open);
    if (open == NULL) {
        return ENOMEM;
    }
    pthread_mutex_lock(&inode->behind.lock);
    open->stream.errors_told = inode->behind.errors; /* those before are others' */
    pthread_mutex_unlock(&inode->behind.lock);
    open->inode = inode;
    inode_opened(&mounted->inodes, inode);
    pthread_mutex_lock(&mounted->open_files.lock);
    open->next = mounted->open_files.first;
    if (open->next != NULL) {
        open->next->previous = open;
    }
    mounted->open_files.first = open;
    pthread_mutex_unlock(&mounted->open_files.lock);
    file->fh = (uintptr_t)open;
    file->keep_cache = 0;
    return 0;
}

static void forget_open(struct mounted *mounted, struct open_file *open) {
    pthread_mutex_lock(&mounted->open_files.lock);
    if (open->next != NULL) {
        open->next->previous = open->previous;
    }
    if (open->previous != NULL) {
        open->previous->next = open->next;
    } else {
        mounted->open_files.first = open->next;
    }
    pthread_mutex_unlock(&mounted->open_files.lock);
    free(open);
}

void open_files_free(struct mounted *mounted) {
    while (mounted->open_files.first != NULL) {
        forget_open(mounted, mounted->open_files.first);
    }
    pthread_mutex_destroy(&mounted->open_files.lock);
}

static struct open_file *open_file_of(const struct operation *operation) {
    return (struct open_file *)(uintptr_t)operation->file.fh;
}

static int start_remove_hidden(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    REMOVE3args arguments = {.object = place_of(operation->directory, operation->name)};
    return rpc_nfs3_remove_async(rpc, answered, &arguments, call);
}

/* End an open file whose data are written; the name that hid it goes with its last one. */
static void close_and_reply(struct operation *operation) {
    forget_open(operation->mounted, open_file_of(operation));
    if (inode_closed(&operation->mounted->inodes, operation->inode, &operation->directory, &operation->name)) {
        operation_call(operation, start_remove_hidden, done_reply);
    } else {
        reply_error(operation, 0);
    }
}

void open_file_free(struct mounted *mounted, struct inode *inode, struct fuse_file_info *file) {
    struct inode *directory;
    char *name;
    forget_open(mounted, (struct open_file *)(uintptr_t)file->fh);
    if (inode_closed(&mounted->inodes, inode, &directory, &name)) { /* it was hidden while it was opened: it stays so */
        inode_release(&mounted->inodes, directory, 1);
        free(name);
    }
}

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    struct mounted *const mounted = mounted_of(request);
    struct inode *const inode = inode_of(mounted, number);
    readahead_set(mounted);
    const int error = open_file_make(mounted, inode, file);
    if (error != 0) {
        fuse_reply_err(request, error);
    } else if (fuse_reply_open(request, file) != 0) {
        open_file_free(mounted, inode, file);
    }
}

static int start_commit(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    COMMIT3args arguments = {.file = handle_of(((struct operation *)call)->inode)};
    return rpc_nfs3_commit_async(rpc, answered, &arguments, call);
}

enum { FLUSH, FSYNC, RELEASE };

/* A flush may come from a child that closes its copy of a descriptor: the error stays for those who have the file. */
static void durable(struct operation *operation, int error) {
    struct stream *const stream = &open_file_of(operation)->stream;
    if (operation->which == RELEASE) {
        close_and_reply(operation);
        return;
    }
    if (error == 0) {
        error = operation->which == FSYNC ? behind_error(operation->inode, stream)
                                          : behind_pending(operation->inode, stream);
    }
    reply_error(operation, error);
}

static void done_commit(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error == 0) {
        behind_committed(operation->inode, operation->mark, ((COMMIT3res *)answer)->COMMIT3res_u.resok.verf);
    } else if (answer != NULL) { /* told by the server, perhaps once: it is for all who have the file open */
        behind_not_committed(operation->inode, error);
        error = 0;
    }
    durable(operation, error);
}

static void settled_flush(struct waiter *waiter) {
    struct operation *const operation = operation_of_waiter(waiter);
    if (behind_needs_commit(operation->inode, &operation->mark)) {
        operation_call(operation, start_commit, done_commit);
    } else {
        durable(operation, 0);
    }
}

/* Reply when all that was written is on the server's disk; with RELEASE the file is closed then. */
static void make_durable(fuse_req_t request, fuse_ino_t number, const struct fuse_file_info *file, int which) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    if (operation != NULL) {
        operation->file = *file;
        operation->which = which;
        operation->waiter.then = settled_flush;
        behind_settle(operation->inode, &operation->waiter, true);
    }
}

static void on_flush(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    make_durable(request, number, file, FLUSH);
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int only_data, struct fuse_file_info *file) {
    (void)only_data;
    make_durable(request, number, file, FSYNC);
}

static void on_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    make_durable(request, number, file, RELEASE);
}

void add_file_operations(struct fuse_lowlevel_ops *operations) {
    operations->open = on_open;
    operations->flush = on_flush;
    operations->fsync = on_fsync;
    operations->release = on_release;
}
