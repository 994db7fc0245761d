#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "error.h"

int main(int argc, char **argv) {
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fprintf(stderr, "ERROR: MPI_Init failed\n");
        return STATUS_FAILED;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int replay = argc > 1 && strcmp(argv[1], "replay") == 0;
    const int play = argc > 1 && strcmp(argv[1], "play") == 0;
    struct error error = NO_ERROR;
    (replay ? command_replay : play ? command_play : command_benchmark)(argc, argv, environ, &error);
    fflush(stdout);
    if (error.unclean) {
        MPI_Abort(MPI_COMM_WORLD, error.status);
    }
    MPI_Finalize();
    return error.status;
}
