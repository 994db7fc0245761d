/* The files that the kernel knows: one for each file handle, so that hard links share pages and pending writes. */
#ifndef ACIC_NFSMOUNT_INODE_H
#define ACIC_NFSMOUNT_INODE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

#include "behind.h"
#include "server.h"

struct inode {
    struct inode *next; /* with the same hash */
    uint64_t references;
    struct handle handle;
    struct behind behind;
    _Atomic uint64_t group; /* 1 + that of a directory with the setgid bit, as last told; 0 for all else */
    /* Where the file was found last, to keep it if that name goes while it is open (names.c). */
    struct inode *next_open;
    unsigned opens;
    struct inode *directory;
    char *name;
    uint64_t named; /* after all whose number is smaller */
    bool hidden; /* the name is ours: removed with the last close */
};

struct inodes {
    pthread_mutex_t lock;
    struct inode *root, *open;
    uint64_t named;
    struct inode **buckets;
};

int inodes_make(struct inodes *inodes, const struct handle *root); /* an errno value */
void inodes_free(struct inodes *inodes);

/* Return the file of a handle with one more reference; NULL without memory. */
struct inode *inode_get(struct inodes *inodes, const char *handle, unsigned size);
void inode_hold(struct inodes *inodes, struct inode *inode);
void inode_release(struct inodes *inodes, struct inode *inode, uint64_t references);

/* Note where a file was found last. */
void inode_named(struct inodes *inodes, struct inode *inode, struct inode *directory, const char *name);

/* Note that a file is kept under a name of ours, which goes with its last close; false if that was meanwhile, and so
 * nobody will remove it. */
bool inode_hidden(struct inodes *inodes, struct inode *inode, struct inode *directory, const char *name);

/* Note whether a file is a directory that gives its group to what is made in it. */
void inode_told(struct inode *inode, const struct stat *attributes);

void inode_opened(struct inodes *inodes, struct inode *inode);

/* Note a close; true if it was the last one of a hidden file, whose directory and name are then given to the caller. */
bool inode_closed(struct inodes *inodes, struct inode *inode, struct inode **directory, char **name);

/* Return the open file that was found last under that name, with a reference; NULL if there is none. */
struct inode *inode_open_as(struct inodes *inodes, const struct inode *directory, const char *name);

/* Write where a file was found last, from the mount on; the end of it if it does not fit. */
void inode_path(struct inodes *inodes, const struct inode *inode, char *path, size_t size);

/* Go through the open files, from NULL to NULL: return the one after that, with a reference, and give that one's back.
 * If it was closed meanwhile, the first one: some come twice, but none is left out that is open all the time. */
struct inode *inode_open_after(struct inodes *inodes, struct inode *inode);

static inline nfs_fh3 handle_of(struct inode *inode) {
    return (nfs_fh3){.data = {.data_len = inode->handle.size, .data_val = inode->handle.bytes}};
}

#endif
