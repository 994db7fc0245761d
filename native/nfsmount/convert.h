/* Between NFSv3's notions and POSIX's. */
#ifndef ACIC_NFSMOUNT_CONVERT_H
#define ACIC_NFSMOUNT_CONVERT_H

#include <sys/stat.h>

#include "connection.h"

int error_of(nfsstat3 status); /* an errno value, 0 for NFS3_OK */

struct stat stat_of(const fattr3 *attributes);

/* The attributes of `wanted` that the FUSE_SET_ATTR_* bits of `which` name. */
sattr3 attributes_of(const struct stat *wanted, int which);

/* Attributes of something new. */
sattr3 attributes_new(mode_t mode, uid_t uid, gid_t gid);

#endif
