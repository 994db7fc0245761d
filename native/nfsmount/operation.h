/* What the kernel asks for, from its request to the reply: mostly one remote procedure, at times a few in a row. */
#ifndef ACIC_NFSMOUNT_OPERATION_H
#define ACIC_NFSMOUNT_OPERATION_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include "inode.h"
#include "options.h"

/* An open file, behind fuse_file_info.fh. */
struct open_file {
    struct stream stream;
    struct inode *inode; /* that it holds */
    struct open_file *next, *previous;
};

/* All of them: those that are still open when the program is asked to end. */
struct open_files {
    pthread_mutex_t lock;
    struct open_file *first;
};

struct mounted {
    struct options options;
    struct server server;
    struct inodes inodes;
    struct writers writers;
    struct open_files open_files;
    struct fuse_session *session;
    uint64_t mark; /* random: in names of ours, that no two mounts have one */
};

struct operation {
    struct call call;     /* first: a call is its operation */
    struct waiter waiter; /* for what has to end before */
    struct written written;
    struct mounted *mounted;
    fuse_req_t request; /* NULL once nobody waits for a reply */
    struct inode *inode, *directory, *other;
    char *name, *other_name; /* of our own */
    struct fuse_file_info file;
    struct stat wanted;
    int which, error;
    uint64_t offset, mark;
    size_t size, filled;
    char *data;
};

/* Make an operation for a request, on a file that the kernel or the operation holds; NULL, with the reply given,
 * without memory. Names are copied; each may be NULL. */
struct operation *operation_make(fuse_req_t request, fuse_ino_t inode, const char *name, const char *other_name);
void operation_free(struct operation *operation);

/* Submit the call that `start` makes; `done` gets its answer. */
typedef int starter(struct rpc_context *rpc, rpc_cb answered, struct call *call);
typedef void finisher(struct call *call, int error, void *answer);
void operation_call(struct operation *operation, starter *start, finisher *done);

/* Reply, and free the operation. */
void reply_error(struct operation *operation, int error);
void reply_attributes(struct operation *operation, const fattr3 *attributes);

/* Reply with a file that was found or made, with attributes that tell of what is written to it; opened as well, if the
 * request was to create it. */
void reply_entry(struct operation *operation, const nfs_fh3 *handle, const post_op_attr *attributes);

/* A finisher for calls of which only the success matters. */
finisher done_reply;

/* Ask for the attributes of the operation's file, once what is written to it has arrived, and reply them. */
void ask_attributes(struct operation *operation);

/* Look the operation's name up in its directory, and reply the entry. */
void look_up(struct operation *operation);

struct inode *inode_of(struct mounted *mounted, fuse_ino_t number);
struct mounted *mounted_of(fuse_req_t request);
struct operation *operation_of_waiter(struct waiter *waiter);

static inline diropargs3 place_of(struct inode *directory, char *name) {
    return (diropargs3){.dir = handle_of(directory), .name = name};
}

/* Fill in the operations of each kind. */
void add_attribute_operations(struct fuse_lowlevel_ops *operations);
void add_name_operations(struct fuse_lowlevel_ops *operations);
void add_making_operations(struct fuse_lowlevel_ops *operations);
void add_directory_operations(struct fuse_lowlevel_ops *operations);
void add_file_operations(struct fuse_lowlevel_ops *operations);
void add_reading_operations(struct fuse_lowlevel_ops *operations);
void add_writing_operations(struct fuse_lowlevel_ops *operations);

/* Open a file that was just created: its reply's fuse_file_info; an errno value. */
int open_file_make(struct mounted *mounted, struct inode *inode, struct fuse_file_info *file);
void open_file_free(struct mounted *mounted, struct inode *inode, struct fuse_file_info *file);
void open_files_free(struct mounted *mounted);

#endif
