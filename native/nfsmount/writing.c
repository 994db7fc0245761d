/* Writing: behind the application's back, unless it asked for more, with `-o sync`, O_SYNC or O_DIRECT. */
#include <fcntl.h>
#include <stddef.h>

#include "operation.h"

static void reply_written(struct waiter *waiter) {
    struct operation *const operation = operation_of_waiter(waiter);
    fuse_reply_write(operation->request, operation->size);
    operation_free(operation);
}

static void done_through(struct written *written, int error) {
    struct operation *const operation =
        (struct operation *)((char *)written - offsetof(struct operation, written));
    if (error != 0) {
        reply_error(operation, error);
    } else {
        reply_written(&operation->waiter);
    }
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char *data, size_t size, off_t offset,
                      struct fuse_file_info *file) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    if (operation == NULL) {
        return;
    }
    struct mounted *const mounted = operation->mounted;
    struct stream *const stream = &((struct open_file *)(uintptr_t)file->fh)->stream;
    const bool stable = mounted->options.sync || (file->flags & (O_SYNC | O_DSYNC)) != 0;
    operation->size = size;
    if (stable || (file->flags & O_DIRECT) != 0) {
        operation->written.then = done_through;
        behind_write(&mounted->writers, operation->inode, stream, data, size, (uint64_t)offset,
                     stable ? FILE_SYNC : UNSTABLE, &operation->written);
        return;
    }
    const int error =
        behind_write(&mounted->writers, operation->inode, stream, data, size, (uint64_t)offset, UNSTABLE, NULL);
    if (error != 0) {
        reply_error(operation, error);
    } else {
        operation->waiter.then = reply_written;
        budget_wait(&mounted->writers.budget, &operation->waiter);
    }
}

void add_writing_operations(struct fuse_lowlevel_ops *operations) {
    operations->write = on_write;
}
