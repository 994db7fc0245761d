#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "ending.h"
#include "mount.h"
#include "operation.h"

enum { REQUEST = 1 << 20, THREADS = 8, BACKGROUND = 64 };

static int complain(const struct options *options, const char *doing, int error, const char *hint) {
    fprintf(stderr, "acic-nfsmount: cannot %s %s:%s: %s\nhint: %s\n", doing, options->host, options->path,
            strerror(error), hint);
    return 1;
}

static void on_init(void *data, struct fuse_conn_info *connection) {
    const struct mounted *const mounted = data;
    connection->max_write = REQUEST;
    connection->max_read = mounted->options.read_size;
    connection->max_background = BACKGROUND;
    connection->congestion_threshold = BACKGROUND;
    /* O_TRUNC as a setattr before the open; set-user-ID bits cleared by the kernel; nothing in pipes, as libnfs wants
     * bytes; no second look at attributes with each read. */
    connection->want &= ~(unsigned)(FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_AUTO_INVAL_DATA |
                                    FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE |
                                    FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
    /* No FUSE_CAP_WRITEBACK_CACHE, ever: it writes whole pages, with bytes of theirs that others have written since. */
}

static struct fuse_session *session_of(struct mounted *mounted) {
    const struct options *const options = &mounted->options;
    struct fuse_lowlevel_ops operations = {.init = on_init};
    add_attribute_operations(&operations);
    add_name_operations(&operations);
    add_making_operations(&operations);
    add_directory_operations(&operations);
    add_file_operations(&operations);
    add_reading_operations(&operations);
    add_writing_operations(&operations);
    char name[4096 + 300];
    snprintf(name, sizeof name, "fsname=%s:%s", options->host, options->path);
    char flags[160];
    snprintf(flags, sizeof flags, "subtype=acic-nfsmount,default_permissions,allow_other,max_read=%u%s",
             options->read_size, options->read_only ? ",ro" : "");
    char *words[] = {"acic-nfsmount", "-o", name, "-o", flags, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(5, words);
    struct fuse_session *const session = fuse_session_new(&arguments, &operations, sizeof operations, mounted);
    fuse_opt_free_args(&arguments);
    return session;
}

static int serve(struct mounted *mounted) {
    struct fuse_loop_config *const config = fuse_loop_cfg_create();
    if (config == NULL) {
        return complain(&mounted->options, "serve", ENOMEM, "free some memory");
    }
    fuse_loop_cfg_set_max_threads(config, THREADS);
    fuse_loop_cfg_set_idle_threads(config, THREADS);
    fuse_loop_cfg_set_clone_fd(config, 1);
    const int status = fuse_session_loop_mt(mounted->session, config);
    fuse_loop_cfg_destroy(config);
    const bool settled = settle_open(mounted);
    if (status < 0) {
        return complain(&mounted->options, "serve", -status, "see what the kernel says: dmesg");
    }
    return settled ? 0 : 1;
}

static int mount_session(struct mounted *mounted) {
    const struct options *const options = &mounted->options;
    int status = 1;
    mounted->session = session_of(mounted);
    if (mounted->session == NULL) {
        return complain(options, "mount", EINVAL, "this libfuse does not know our options");
    }
    if (fuse_set_signal_handlers(mounted->session) == 0) {
        if (fuse_session_mount(mounted->session, options->mount_point) != 0) {
            complain(options, "mount", errno, "be root, or have /dev/fuse, fusermount3 and user_allow_other");
        } else {
            status = serve(mounted);
            fuse_session_unmount(mounted->session);
        }
        fuse_remove_signal_handlers(mounted->session);
    }
    server_disconnect(&mounted->server); /* whoever still waits is told an error */
    fuse_session_destroy(mounted->session);
    return status;
}

int mount_and_serve(const struct options *options) {
    struct mounted *const mounted = calloc(1, sizeof *mounted);
    if (mounted == NULL) {
        return complain(options, "mount", ENOMEM, "free some memory");
    }
    mallopt(M_MMAP_THRESHOLD, 64 << 20); /* libnfs takes a new buffer for each call: they are to be used again */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_ARENA_MAX, 2);
    mounted->options = *options;
    mounted->server.address = (struct address){.host = options->host,
                                               .nfs_port = options->nfs_port,
                                               .mount_port = options->mount_port,
                                               .silence = options->timeout,
                                               .absence = options->retry};
    mounted->server.count = (int)options->connections;
    int status = 1, error = server_mount(&mounted->server, options->path);
    if (error == 0) {
        error = server_connect(&mounted->server);
    }
    if (error != 0) {
        complain(options, "reach", error, "see whether the server runs, and `acic-nfsmount --exports HOST`");
    } else if (getrandom(&mounted->mark, sizeof mounted->mark, 0) < 0) {
        complain(options, "mount", errno, "this system gives no random numbers");
    } else if ((error = inodes_make(&mounted->inodes, &mounted->server.root)) != 0) {
        complain(options, "mount", error, "free some memory");
    } else {
        struct options *const own = &mounted->options;
        own->read_size = own->read_size < mounted->server.read_max ? own->read_size : mounted->server.read_max;
        own->write_size = own->write_size < mounted->server.write_max ? own->write_size : mounted->server.write_max;
        mounted->writers.server = &mounted->server;
        mounted->writers.inodes = &mounted->inodes;
        mounted->writers.size = own->write_size;
        budget_make(&mounted->writers.budget, own->behind);
        pthread_mutex_init(&mounted->open_files.lock, NULL);
        status = mount_session(mounted);
        open_files_free(mounted);
        inodes_free(&mounted->inodes);
    }
    server_disconnect(&mounted->server);
    free(mounted);
    return status;
}
