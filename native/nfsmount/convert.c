#define FUSE_USE_VERSION 312
#include <errno.h>
#include <fuse_lowlevel.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "convert.h"

int error_of(nfsstat3 status) {
    switch (status) {
    case NFS3ERR_NAMETOOLONG:
        return ENAMETOOLONG;
    case NFS3ERR_NOTEMPTY:
        return ENOTEMPTY;
    case NFS3ERR_DQUOT:
        return EDQUOT;
    case NFS3ERR_STALE:
    case NFS3ERR_BADHANDLE:
        return ESTALE;
    case NFS3ERR_REMOTE:
        return EREMOTE;
    case NFS3ERR_BAD_COOKIE:
    case NFS3ERR_TOOSMALL:
    case NFS3ERR_BADTYPE:
        return EINVAL;
    case NFS3ERR_NOTSUPP:
        return EOPNOTSUPP;
    case NFS3ERR_JUKEBOX:
        return EAGAIN;
    default:
        return status >= 0 && status <= NFS3ERR_MLINK ? (int)status : EIO; /* the low ones are errno values */
    }
}

static mode_t type_of(ftype3 type) {
    static const mode_t TYPES[] = {[NF3REG] = S_IFREG, [NF3DIR] = S_IFDIR,   [NF3BLK] = S_IFBLK, [NF3CHR] = S_IFCHR,
                                   [NF3LNK] = S_IFLNK, [NF3SOCK] = S_IFSOCK, [NF3FIFO] = S_IFIFO};
    return type < sizeof TYPES / sizeof *TYPES ? TYPES[type] : 0;
}

static struct timespec time_of(const nfstime3 *time) {
    return (struct timespec){.tv_sec = time->seconds, .tv_nsec = time->nseconds};
}

static nfstime3 time_to(const struct timespec *time) {
    return (nfstime3){.seconds = (u_int)time->tv_sec, .nseconds = (u_int)time->tv_nsec};
}

struct stat stat_of(const fattr3 *attributes) {
    return (struct stat){
        .st_ino = attributes->fileid,
        .st_mode = type_of(attributes->type) | (attributes->mode & 07777),
        .st_nlink = attributes->nlink,
        .st_uid = attributes->uid,
        .st_gid = attributes->gid,
        .st_rdev = makedev(attributes->rdev.specdata1, attributes->rdev.specdata2),
        .st_size = (off_t)attributes->size,
        .st_blksize = 4096,
        .st_blocks = (blkcnt_t)((attributes->used + 511) / 512),
        .st_atim = time_of(&attributes->atime),
        .st_mtim = time_of(&attributes->mtime),
        .st_ctim = time_of(&attributes->ctime),
    };
}

sattr3 attributes_of(const struct stat *wanted, int which) {
    sattr3 attributes;
    memset(&attributes, 0, sizeof attributes);
    if ((attributes.mode.set_it = (which & FUSE_SET_ATTR_MODE) != 0)) {
        attributes.mode.set_mode3_u.mode = wanted->st_mode & 07777;
    }
    if ((attributes.uid.set_it = (which & FUSE_SET_ATTR_UID) != 0)) {
        attributes.uid.set_uid3_u.uid = wanted->st_uid;
    }
    if ((attributes.gid.set_it = (which & FUSE_SET_ATTR_GID) != 0)) {
        attributes.gid.set_gid3_u.gid = wanted->st_gid;
    }
    if ((attributes.size.set_it = (which & FUSE_SET_ATTR_SIZE) != 0)) {
        attributes.size.set_size3_u.size = (size3)wanted->st_size;
    }
    if (which & FUSE_SET_ATTR_ATIME_NOW) {
        attributes.atime.set_it = SET_TO_SERVER_TIME;
    } else if (which & FUSE_SET_ATTR_ATIME) {
        attributes.atime.set_it = SET_TO_CLIENT_TIME;
        attributes.atime.set_atime_u.atime = time_to(&wanted->st_atim);
    }
    if (which & FUSE_SET_ATTR_MTIME_NOW) {
        attributes.mtime.set_it = SET_TO_SERVER_TIME;
    } else if (which & FUSE_SET_ATTR_MTIME) {
        attributes.mtime.set_it = SET_TO_CLIENT_TIME;
        attributes.mtime.set_mtime_u.mtime = time_to(&wanted->st_mtim);
    }
    return attributes;
}

sattr3 attributes_new(mode_t mode, uid_t uid, gid_t gid) {
    const struct stat wanted = {.st_mode = mode, .st_uid = uid, .st_gid = gid};
    return attributes_of(&wanted, FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID);
}
