/* How far the kernel reads ahead of a sequential reader. FUSE sets 128 KiB, too little for a fast network; a mount's
 * own setting is in sysfs. */
#ifndef ACIC_NFSMOUNT_READAHEAD_H
#define ACIC_NFSMOUNT_READAHEAD_H

struct mounted;

/* Set it, once, and after the kernel has set its own: on the first open. Where sysfs cannot be written, it stays. */
void readahead_set(struct mounted *mounted);

/* Return what the kernel has in force, in bytes; -1 where sysfs does not tell. */
long readahead_in_force(const struct mounted *mounted);

#endif
