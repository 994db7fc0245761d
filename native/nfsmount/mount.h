/* A mount, from its begin to its end. */
#ifndef ACIC_NFSMOUNT_MOUNT_H
#define ACIC_NFSMOUNT_MOUNT_H

#include "options.h"

/* Mount, serve until somebody unmounts or ends the program, and clean up; the exit status. Takes the options over. */
int mount_and_serve(const struct options *options);

#endif
