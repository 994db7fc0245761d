/* Reading directories. The server's cookies are the offsets; an open directory keeps the verifier that goes with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "operation.h"

enum { LARGEST = 1 << 16 };

struct open_directory {
    cookieverf3 verifier;
};

static void on_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    struct open_directory *const directory = calloc(1, sizeof *directory);
    (void)number;
    if (directory == NULL) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    file->fh = (uintptr_t)directory;
    if (fuse_reply_open(request, file) != 0) {
        free(directory);
    }
}

static void on_releasedir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    (void)number;
    free((struct open_directory *)(uintptr_t)file->fh);
    fuse_reply_err(request, 0);
}

static int start_readdir(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    struct operation *const operation = (struct operation *)call;
    READDIR3args arguments = {.dir = handle_of(operation->inode),
                              .cookie = operation->offset,
                              .count = (count3)operation->size};
    if (operation->offset != 0) {
        const struct open_directory *const directory = (struct open_directory *)(uintptr_t)operation->file.fh;
        memcpy(arguments.cookieverf, directory->verifier, sizeof arguments.cookieverf);
    }
    return rpc_nfs3_readdir_async(rpc, answered, &arguments, call);
}

static void done_readdir(struct call *call, int error, void *answer) {
    struct operation *const operation = (struct operation *)call;
    if (error != 0) {
        reply_error(operation, error);
        return;
    }
    const READDIR3resok *const listed = &((READDIR3res *)answer)->READDIR3res_u.resok;
    struct open_directory *const directory = (struct open_directory *)(uintptr_t)operation->file.fh;
    memcpy(directory->verifier, listed->cookieverf, sizeof directory->verifier);
    for (const entry3 *entry = listed->reply.entries; entry != NULL; entry = entry->nextentry) {
        const struct stat told = {.st_ino = entry->fileid};
        const size_t room = operation->size - operation->filled;
        const size_t needed = fuse_add_direntry(operation->request, operation->data + operation->filled, room,
                                                entry->name, &told, (off_t)entry->cookie);
        if (needed > room) {
            break; /* asked for again, from the last cookie on */
        }
        operation->filled += needed;
    }
    fuse_reply_buf(operation->request, operation->data, operation->filled);
    operation_free(operation);
}

static void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file) {
    struct operation *const operation = operation_make(request, number, NULL, NULL);
    if (operation == NULL) {
        return;
    }
    operation->file = *file;
    operation->offset = (uint64_t)offset;
    operation->size = size < LARGEST ? size : LARGEST;
    operation->data = malloc(operation->size);
    if (operation->data == NULL) {
        reply_error(operation, ENOMEM);
    } else {
        operation_call(operation, start_readdir, done_readdir);
    }
}

static void on_fsyncdir(fuse_req_t request, fuse_ino_t number, int only_data, struct fuse_file_info *file) {
    (void)number, (void)only_data, (void)file;
    fuse_reply_err(request, 0); /* an NFS server answers when a change of a directory is on its disk */
}

void add_directory_operations(struct fuse_lowlevel_ops *operations) {
    operations->opendir = on_opendir;
    operations->readdir = on_readdir;
    operations->releasedir = on_releasedir;
    operations->fsyncdir = on_fsyncdir;
}
