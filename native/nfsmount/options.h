/* The command line. */
#ifndef ACIC_NFSMOUNT_OPTIONS_H
#define ACIC_NFSMOUNT_OPTIONS_H

#include <stdbool.h>

enum action { MOUNT, TELL, EXPORTS, HELP, VERSION };

struct options {
    enum action action;
    char *host, *path, *mount_point; /* allocated; NULL where the action has none */
    int nfs_port, mount_port;
    unsigned read_size, write_size, behind, readahead; /* B */
    unsigned connections, timeout, retry;              /* timeout, retry: s */
    bool sync, read_only;
};

/* Read the command line; false, with a message on standard error, if it makes no sense. */
bool options_read(struct options *options, int count, char **arguments);
void options_free(struct options *options);

void options_help(void);

#endif
