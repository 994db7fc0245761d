#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inode.h"

enum { BUCKETS = 1 << 14 };

static size_t bucket_of(const char *handle, unsigned size) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (unsigned i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)handle[i]) * 1099511628211u;
    }
    return hash % BUCKETS;
}

int inodes_make(struct inodes *inodes, const struct handle *root) {
    *inodes = (struct inodes){.buckets = calloc(BUCKETS, sizeof *inodes->buckets)};
    if (inodes->buckets == NULL) {
        return ENOMEM;
    }
    pthread_mutex_init(&inodes->lock, NULL);
    inodes->root = inode_get(inodes, root->bytes, root->size);
    return inodes->root == NULL ? ENOMEM : 0;
}

static void inode_free(struct inode *inode) {
    behind_free(&inode->behind);
    free(inode->name);
    free(inode);
}

void inodes_free(struct inodes *inodes) {
    for (size_t i = 0; inodes->buckets != NULL && i < BUCKETS; i++) {
        for (struct inode *inode = inodes->buckets[i], *next; inode != NULL; inode = next) {
            next = inode->next;
            inode_free(inode);
        }
    }
    free(inodes->buckets);
    pthread_mutex_destroy(&inodes->lock);
}

struct inode *inode_get(struct inodes *inodes, const char *handle, unsigned size) {
    if (size > NFS3_FHSIZE) {
        return NULL;
    }
    pthread_mutex_lock(&inodes->lock);
    struct inode **const bucket = &inodes->buckets[bucket_of(handle, size)];
    struct inode *inode = *bucket;
    while (inode != NULL && (inode->handle.size != size || memcmp(inode->handle.bytes, handle, size) != 0)) {
        inode = inode->next;
    }
    if (inode == NULL && (inode = calloc(1, sizeof *inode)) != NULL) {
        inode->handle.size = size;
        memcpy(inode->handle.bytes, handle, size);
        behind_make(&inode->behind);
        inode->next = *bucket;
        *bucket = inode;
    }
    if (inode != NULL) {
        inode->references++;
    }
    pthread_mutex_unlock(&inodes->lock);
    return inode;
}

void inode_hold(struct inodes *inodes, struct inode *inode) {
    pthread_mutex_lock(&inodes->lock);
    inode->references++;
    pthread_mutex_unlock(&inodes->lock);
}

void inode_release(struct inodes *inodes, struct inode *inode, uint64_t references) {
    struct inode *directory = NULL;
    pthread_mutex_lock(&inodes->lock);
    inode->references -= references;
    const bool gone = inode->references == 0;
    if (gone) {
        struct inode **link = &inodes->buckets[bucket_of(inode->handle.bytes, inode->handle.size)];
        while (*link != inode) {
            link = &(*link)->next;
        }
        *link = inode->next;
        directory = inode->directory;
    }
    pthread_mutex_unlock(&inodes->lock);
    if (gone) {
        inode_free(inode);
    }
    if (directory != NULL) {
        inode_release(inodes, directory, 1);
    }
}

/* Note a place of a file: true if it is noted. A place that is ours is noted for open files alone, and stays. */
static bool put_at(struct inodes *inodes, struct inode *inode, struct inode *directory, const char *name, bool hidden) {
    char *copy = strdup(name);
    struct inode *before = NULL;
    pthread_mutex_lock(&inodes->lock);
    const bool noted = copy != NULL && (hidden ? inode->opens > 0 : !inode->hidden);
    if (noted) {
        char *const old = inode->name;
        inode->name = copy;
        copy = old;
        before = inode->directory;
        directory->references++;
        inode->directory = directory;
        inode->hidden = hidden;
        inode->named = ++inodes->named;
    }
    pthread_mutex_unlock(&inodes->lock);
    free(copy);
    if (before != NULL) {
        inode_release(inodes, before, 1);
    }
    return noted;
}

void inode_named(struct inodes *inodes, struct inode *inode, struct inode *directory, const char *name) {
    put_at(inodes, inode, directory, name, false);
}

bool inode_hidden(struct inodes *inodes, struct inode *inode, struct inode *directory, const char *name) {
    return put_at(inodes, inode, directory, name, true);
}

void inode_told(struct inode *inode, const struct stat *attributes) {
    const bool gives = S_ISDIR(attributes->st_mode) && (attributes->st_mode & S_ISGID) != 0;
    inode->group = gives ? 1 + (uint64_t)attributes->st_gid : 0;
}

void inode_opened(struct inodes *inodes, struct inode *inode) {
    pthread_mutex_lock(&inodes->lock);
    inode->references++;
    if (inode->opens++ == 0) {
        inode->next_open = inodes->open;
        inodes->open = inode;
    }
    pthread_mutex_unlock(&inodes->lock);
}

bool inode_closed(struct inodes *inodes, struct inode *inode, struct inode **directory, char **name) {
    pthread_mutex_lock(&inodes->lock);
    const bool last = --inode->opens == 0;
    const bool remove = last && inode->hidden;
    if (last) {
        struct inode **link = &inodes->open;
        while (*link != inode) {
            link = &(*link)->next_open;
        }
        *link = inode->next_open;
    }
    if (remove) {
        *directory = inode->directory;
        *name = inode->name;
        inode->directory = NULL;
        inode->name = NULL;
        inode->hidden = false;
    }
    pthread_mutex_unlock(&inodes->lock);
    inode_release(inodes, inode, 1);
    return remove;
}

struct inode *inode_open_as(struct inodes *inodes, const struct inode *directory, const char *name) {
    pthread_mutex_lock(&inodes->lock);
    struct inode *found = NULL; /* another node may have put it in the place of one that is open here too */
    for (struct inode *inode = inodes->open; inode != NULL; inode = inode->next_open) {
        if (inode->directory == directory && inode->name != NULL && strcmp(inode->name, name) == 0 &&
            (found == NULL || found->named < inode->named)) {
            found = inode;
        }
    }
    if (found != NULL) {
        found->references++;
    }
    pthread_mutex_unlock(&inodes->lock);
    return found;
}

void inode_path(struct inodes *inodes, const struct inode *inode, char *path, size_t size) {
    size_t at = size - 1;
    path[at] = '\0';
    pthread_mutex_lock(&inodes->lock);
    for (; inode != NULL && inode->name != NULL && strlen(inode->name) < at; inode = inode->directory) {
        const size_t length = strlen(inode->name);
        at -= length + 1;
        path[at] = '/';
        memcpy(path + at + 1, inode->name, length);
    }
    pthread_mutex_unlock(&inodes->lock);
    memmove(path, path + at, size - at);
}

struct inode *inode_open_after(struct inodes *inodes, struct inode *inode) {
    pthread_mutex_lock(&inodes->lock);
    struct inode *const next = inode != NULL && inode->opens > 0 ? inode->next_open : inodes->open;
    if (next != NULL) {
        next->references++;
    }
    pthread_mutex_unlock(&inodes->lock);
    if (inode != NULL) {
        inode_release(inodes, inode, 1);
    }
    return next;
}
