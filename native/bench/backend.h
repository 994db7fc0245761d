/* One interface to files: a table of functions each for POSIX, MPI-IO and HDF5, as in IOR.
 *
 * Every function notes a failure in `error` and returns the status noted; none prints, waits for other ranks (but where
 * its interface does) or exits. With MPIIO and HDF5, open and close are collective over `place->comm`.
 */
#ifndef ACIC_BENCH_BACKEND_H
#define ACIC_BENCH_BACKEND_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "hints.h"

enum direction { WRITE, READ };

/* How a file is opened. */
struct place {
    const char *path;
    MPI_Comm comm; /* the ranks that open it together; MPI_COMM_SELF for a file of one */
    enum direction direction;
    int both;                        /* replay: written and read in one open, and nothing that is there is cut off */
    int alone;                       /* nobody else has the file open meanwhile: MPI_MODE_UNIQUE_OPEN, as IOR says */
    int collective;                  /* transfers are collective over `comm` */
    int direct;                      /* O_DIRECT */
    MPI_Info info;                   /* hints, or MPI_INFO_NULL */
    int64_t segments, segment_bytes; /* HDF5: a data set of segment_bytes for each segment */
};

/* An open file: kept by the caller, so that no rank can fail to join an open for want of memory. */
struct file {
    const struct place *place; /* kept by the caller while the file is open */
    int is_open;               /* also after an open that failed half-way: then it is to be closed all the same */
    int descriptor;            /* POSIX */
    MPI_File handle;           /* MPIIO */
    int64_t hdf5[5];           /* HDF5: its identifiers */
    int64_t segment;           /* HDF5: the segment whose data set is open; -1: none */
};

struct backend {
    const char *name;
    int is_fragile; /* after a failed transfer its sync and close may hang or crash: the file is then abandoned */
    void (*version)(char *text, size_t size);
    int (*open)(const struct place *place, struct file *file, struct error *error);
    /* Move `bytes` at `offset`; fewer is a failure. With `collective`, every rank of the communicator calls it. */
    int (*transfer)(struct file *file, enum direction direction, void *buffer, int64_t bytes, int64_t offset,
                    struct error *error);
    int (*sync)(struct file *file, struct error *error);
    /* Add the hints in force to `hints`; nothing for an interface without. */
    int (*hints)(struct file *file, struct hints *hints, struct error *error);
    int (*close)(struct file *file, struct error *error); /* after it, is_open is 0 in any case */
    /* The bytes of a closed file. */
    int (*size)(const char *path, int64_t *bytes, struct error *error);
    /* Remove a file, if there is one; `existed` tells. */
    int (*remove)(const char *path, int *existed, struct error *error);
};

extern const struct backend POSIX_BACKEND, MPIIO_BACKEND;
#ifdef WITH_HDF5
extern const struct backend HDF5_BACKEND;
#endif

/* The interface of IOR's name, in either case; NULL where it is unknown or was not built in. */
const struct backend *backend_named(const char *name);

/* The names of those built in, "POSIX, MPIIO". */
const char *backend_names(void);

/* Note a failure unless a closed file has at least so many bytes: there are MPI-IO libraries that tell success when the
 * file system is full. Returns the status noted. */
int backend_holds(const struct backend *backend, const char *path, int64_t bytes, struct error *error);

#endif
