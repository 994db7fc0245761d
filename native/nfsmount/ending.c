#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ending.h"

struct last_wish {
    struct call call; /* first: a call is its wish */
    struct waiter waiter;
    struct inode *inode;
    uint64_t mark;
    sem_t granted;
};

static void settled(struct waiter *waiter) {
    sem_post(&((struct last_wish *)((char *)waiter - offsetof(struct last_wish, waiter)))->granted);
}

static int start_commit(struct rpc_context *rpc, rpc_cb answered, struct call *call) {
    COMMIT3args arguments = {.file = handle_of(((struct last_wish *)call)->inode)};
    return rpc_nfs3_commit_async(rpc, answered, &arguments, call);
}

static void done_commit(struct call *call, int error, void *answer) {
    struct last_wish *const wish = (struct last_wish *)call;
    if (error == 0) {
        behind_committed(wish->inode, wish->mark, ((COMMIT3res *)answer)->COMMIT3res_u.resok.verf);
    } else {
        behind_not_committed(wish->inode, error);
    }
    sem_post(&wish->granted);
}

static void wait_for(struct last_wish *wish) {
    while (sem_wait(&wish->granted) != 0) { /* a signal */
    }
}

static void settle(struct mounted *mounted, struct inode *inode) {
    struct last_wish wish = {
        .call = {.start = start_commit, .done = done_commit}, .waiter.then = settled, .inode = inode};
    sem_init(&wish.granted, 0, 0);
    behind_settle(inode, &wish.waiter, true);
    wait_for(&wish);
    if (behind_needs_commit(inode, &wish.mark)) {
        server_submit(&mounted->server, &wish.call, false);
        wait_for(&wish);
    }
    sem_destroy(&wish.granted);
}

/* Return the error of a file that one of those who have it open was not told; 0 if there is none. */
static int untold_error(struct mounted *mounted, struct inode *inode) {
    int error = 0;
    pthread_mutex_lock(&mounted->open_files.lock);
    for (struct open_file *open = mounted->open_files.first; open != NULL && error == 0; open = open->next) {
        error = open->inode == inode ? behind_pending(inode, &open->stream) : 0;
    }
    pthread_mutex_unlock(&mounted->open_files.lock);
    return error;
}

bool settle_open(struct mounted *mounted) {
    bool all = true;
    struct inode *inode = NULL;
    while ((inode = inode_open_after(&mounted->inodes, inode)) != NULL) { /* releases may still be under way */
        settle(mounted, inode);
        const int error = untold_error(mounted, inode);
        if (error != 0) {
            char path[4096];
            inode_path(&mounted->inodes, inode, path, sizeof path);
            fprintf(stderr, "acic-nfsmount: what was written to %s%s is not all there: %s\n"
                            "hint: write that file anew\n", mounted->options.mount_point, path, strerror(error));
            all = false;
        }
    }
    return all;
}
