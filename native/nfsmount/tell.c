#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "operation.h"
#include "readahead.h"
#include "tell.h"

void tell_mounted(struct mounted *mounted, struct telling *telling) {
    const struct options *const options = &mounted->options;
    struct server *const server = &mounted->server;
    int up = 0;
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        up += server->connections[i] != NULL && connection_up(server->connections[i]);
    }
    char readahead[32] = "unknown";
    const long ahead = readahead_in_force(mounted);
    if (ahead >= 0) {
        snprintf(readahead, sizeof readahead, "%ld", ahead);
    }
    memset(telling, 0, sizeof *telling);
    snprintf(telling->text, sizeof telling->text,
             "server=%.200s\nexport=%.500s\nport=%d\nmountport=%d\n%s\nrsize=%u\nwsize=%u\nconnections=%d\nup=%d\n"
             "behind=%u\nreadahead=%s\ntimeout=%u\nretry=%u\n",
             options->host, options->path, options->nfs_port, options->mount_port, options->sync ? "sync" : "async",
             options->read_size, options->write_size, server->count, up, options->behind, readahead,
             options->timeout, options->retry);
}

int tell_print(const char *path) {
    struct telling telling = {0};
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    const int error = ioctl(file, TELL_IOCTL, &telling) < 0 ? errno : 0;
    close(file);
    if (error == 0) {
        fwrite(telling.text, 1, strnlen(telling.text, sizeof telling.text), stdout);
    }
    return error;
}
