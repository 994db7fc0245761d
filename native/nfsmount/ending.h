/* What is still to be done when the program is asked to end before all files were closed. */
#ifndef ACIC_NFSMOUNT_ENDING_H
#define ACIC_NFSMOUNT_ENDING_H

#include "operation.h"

/* Send what is gathered of files that are still open, and have it on the server's disk; false, with a message for each
 * file, if that failed, or if an earlier error was not told to those who have it open. */
bool settle_open(struct mounted *mounted);

#endif
