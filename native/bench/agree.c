#include "agree.h"

#include <string.h>

int agree(MPI_Comm comm, struct error *error) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    struct {
        int status, rank;
    } mine = {error->status, rank}, worst = {STATUS_FAILED, rank};
    const int reduced = MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, comm);
    if (reduced != MPI_SUCCESS) {
        return fail_mpi(error, reduced, "cannot agree with the other ranks", "MPI_Allreduce");
    }
    if (worst.status != STATUS_OK) {
        const int failed = error->status != STATUS_OK;
        int failures = 0;
        int size = 0;
        MPI_Comm_size(comm, &size);
        MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, comm);
        if (error->rank < 0 && failures < size) {
            error->rank = rank;
        }
        const int unclean = error->unclean; /* what this rank left open, the worst one may never have had */
        MPI_Bcast(error, sizeof *error, MPI_BYTE, worst.rank, comm);
        error->unclean |= unclean;
    }
    return error->status;
}

int fail_mpi(struct error *error, int code, const char *doing, const char *what) {
    if (code == MPI_SUCCESS) {
        return STATUS_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "unknown MPI error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return fail(error, STATUS_FAILED, "%s %s: %s", doing, what, text);
}
