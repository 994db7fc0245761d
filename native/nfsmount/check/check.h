/* A check that fails tells its place, and ends the test program with status 1. */
#ifndef ACIC_NFSMOUNT_CHECK_H
#define ACIC_NFSMOUNT_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#endif
