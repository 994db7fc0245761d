/* What a running mount tells of itself: asked by an ioctl, since asking for an extended attribute costs a call for each
 * write of everybody (the kernel looks for security.capability). */
#ifndef ACIC_NFSMOUNT_TELL_H
#define ACIC_NFSMOUNT_TELL_H

#include <sys/ioctl.h>

struct mounted;

struct telling {
    char text[1024];
};

#define TELL_IOCTL _IOR('A', 0xC1, struct telling)

void tell_mounted(struct mounted *mounted, struct telling *telling);

/* Print what the mount at a path tells; an errno value. */
int tell_print(const char *path);

#endif
