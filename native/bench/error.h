/* What went wrong, carried from where it happened to main(), which alone prints and exits. */
#ifndef ACIC_BENCH_ERROR_H
#define ACIC_BENCH_ERROR_H

/* The exit statuses; a higher one wins when ranks fail for different reasons. */
enum status {
    STATUS_OK = 0,
    STATUS_USAGE = 1,      /* the command line cannot be read */
    STATUS_WRONG_DATA = 2, /* bytes read back are not the bytes written */
    STATUS_FAILED = 255,   /* all else, as IOR's MPI_Abort(-1): I/O, MPI, memory, options that contradict one another */
};

struct error {
    int status;      /* enum status; STATUS_OK while nothing failed */
    int rank;        /* whose failure it is; -1 where every rank has it */
    int unclean;     /* a library was left in the middle of something: MPI_Finalize() could hang or crash */
    char text[1024]; /* on one line */
};

#define NO_ERROR ((struct error){.status = STATUS_OK, .rank = -1})

/* Note a failure, unless an earlier one is noted already; return the status now noted. */
int fail(struct error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
