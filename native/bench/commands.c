#include "commands.h"

#include <stdio.h>

#include "agree.h"

void conclude(struct error *error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    agree(MPI_COMM_WORLD, error);
    if (error->status != STATUS_OK && rank == 0) {
        if (error->rank >= 0) {
            fprintf(stderr, "ERROR: %s (rank %d)\n", error->text, error->rank);
        } else {
            fprintf(stderr, "ERROR: %s\n", error->text);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD); /* it is printed before any rank ends the job */
}
