#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mount.h"
#include "server.h"
#include "tell.h"

static int list_exports(const struct options *options) {
    const struct address address = {.host = options->host, .mount_port = options->mount_port};
    const int error = server_exports(&address, stdout);
    if (error != 0) {
        fprintf(stderr, "acic-nfsmount: %s tells no exports: %s\nhint: see whether it serves MOUNT at port %d\n",
                options->host, strerror(error), options->mount_port);
    }
    return error != 0;
}

static int tell(const struct options *options) {
    const int error = tell_print(options->mount_point);
    if (error != 0) {
        fprintf(stderr, "acic-nfsmount: %s is no mount of this program: %s\nhint: see findmnt\n", options->mount_point,
                strerror(error));
    }
    return error != 0;
}

int main(int count, char **arguments) {
    struct options options;
    int status = 2;
    if (options_read(&options, count, arguments)) {
        switch (options.action) {
        case MOUNT:
            status = mount_and_serve(&options);
            break;
        case TELL:
            status = tell(&options);
            break;
        case EXPORTS:
            status = list_exports(&options);
            break;
        case HELP:
            options_help();
            status = 0;
            break;
        case VERSION:
            puts("acic-nfsmount " NFSMOUNT_VERSION);
            status = 0;
            break;
        }
    }
    options_free(&options);
    return status;
}
