#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agree.h"

enum { KEY = 128, ROUNDS = 20, TAG = 71 };

double clock_here(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_now(const struct clock *clock) {
    return clock_here() + clock->offset;
}

void clock_sleep(double seconds) {
    if (seconds <= 0) {
        return;
    }
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)(1e9 * (seconds - (double)rest.tv_sec));
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) {
    }
}

/* What names the clock: the boot of the kernel, and the time namespace. Nodes that are namespaces of one machine have
 * one clock, though MPI may say that they share nothing. */
static void clock_key(char key[KEY]) {
    char boot[48] = "";
    char space[48] = "";
    memset(key, 0, KEY);
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file != NULL) {
        if (fgets(boot, sizeof boot, file) == NULL) {
            boot[0] = '\0';
        }
        fclose(file);
    }
    const ssize_t length = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    if (boot[0] != '\0') {
        snprintf(key, KEY, "%s %s", boot, space);
    }
}

/* Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989: of several round trips believe the
 * shortest, and put rank 0's reading in its middle. */
static int ask(double *offset, MPI_Comm comm) {
    double shortest = 1e9;
    int code = MPI_SUCCESS;
    for (int i = 0; i < ROUNDS && code == MPI_SUCCESS; i++) {
        const double sent = clock_here();
        double theirs = 0;
        code = MPI_Sendrecv(&sent, 1, MPI_DOUBLE, 0, TAG, &theirs, 1, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
        const double round_trip = clock_here() - sent;
        if (round_trip < shortest) {
            shortest = round_trip;
            *offset = theirs - (sent + round_trip / 2);
        }
    }
    return code;
}

static int answer(int rank, MPI_Comm comm) {
    int code = MPI_SUCCESS;
    for (int i = 0; i < ROUNDS && code == MPI_SUCCESS; i++) {
        double ignored = 0;
        code = MPI_Recv(&ignored, 1, MPI_DOUBLE, rank, TAG, comm, MPI_STATUS_IGNORE);
        const double mine = clock_here();
        if (code == MPI_SUCCESS) {
            code = MPI_Send(&mine, 1, MPI_DOUBLE, rank, TAG, comm);
        }
    }
    return code;
}

int clock_align(struct clock *clock, MPI_Comm comm, struct error *error) {
    char mine[KEY];
    char theirs[KEY];
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    clock_key(mine);
    memcpy(theirs, mine, KEY);
    clock->offset = 0;
    int code = MPI_Bcast(theirs, KEY, MPI_CHAR, 0, comm);
    const int same = rank == 0 || (mine[0] != '\0' && memcmp(mine, theirs, KEY) == 0);
    int all_same = same;
    if (code == MPI_SUCCESS) {
        code = MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, comm);
    }
    for (int other = 1; other < size && code == MPI_SUCCESS && !all_same; other++) {
        int shared = same;
        code = MPI_Bcast(&shared, 1, MPI_INT, other, comm);
        if (code == MPI_SUCCESS && !shared && (rank == other || rank == 0)) {
            code = rank == 0 ? answer(other, comm) : ask(&clock->offset, comm);
        }
    }
    return fail_mpi(error, code, "cannot align", "the ranks' clocks");
}
