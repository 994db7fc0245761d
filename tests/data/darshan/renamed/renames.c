/* Makes the logs beside it, on 4 ranks under Darshan 3.5.0: renames FOLDER HOW [plain]
 * Files have 64 KiB, moved in requests of 16 KiB. What is written is written as NAME.tmp and renamed to NAME, or with
 * `plain` as NAME at once.
 *   next    each rank writes 3 files, and reads those of the next rank
 *   own     each rank writes 3 files, and reads them again
 *   all     rank 0 writes 3 files, which all read
 *   mpiio   all write 3 files together by collective calls of MPI-IO, and read them so; rank 0 renames
 *   update  each rank reads a file that was there before, writes it anew, and replaces it
 *   turns   each rank writes 3 files under one name, by turns, and reads those of the next rank
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 16 << 10, PIECES = 4, FILES = 3 };

static int rank, size, plain;
static const char *folder;
static char buffer[PIECE * PIECES];

static void check(int good, const char *what)
{
    if (!good) {
        perror(what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void move(const char *name, int writes)
{
    const int file = open(name, writes ? O_CREAT | O_TRUNC | O_WRONLY : O_RDONLY, 0644);
    check(file >= 0, name);
    for (int i = 0; i < PIECES; i++) {
        char *piece = buffer + i * PIECE;
        check((writes ? write(file, piece, PIECE) : read(file, piece, PIECE)) == PIECE, name);
    }
    close(file);
}

static void together(const char *name, int writes)
{
    MPI_File file;
    const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const MPI_Offset mine = (MPI_Offset)rank * sizeof buffer;
    check(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS, name);
    if (writes) MPI_File_write_at_all(file, mine, buffer, sizeof buffer, MPI_BYTE, MPI_STATUS_IGNORE);
    else MPI_File_read_at_all(file, mine, buffer, sizeof buffer, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void name_of(char *name, int of, int number, const char *ending)
{
    snprintf(name, 4096, "%s/part.%d.%d%s", folder, of, number, ending);
}

int main(int count, char **words)
{
    static char made[4096], name[4096];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    folder = words[1];
    const char *how = words[2];
    plain = count > 3;
    const int all = !strcmp(how, "all"), mpiio = !strcmp(how, "mpiio"), update = !strcmp(how, "update");
    const int other = !strcmp(how, "next") || !strcmp(how, "turns") ? (rank + 1) % size : rank;
    for (int i = 0; i < (update ? 1 : FILES); i++) {
        name_of(name, all || mpiio ? 0 : rank, i, "");
        name_of(made, all || mpiio ? 0 : rank, strcmp(how, "turns") ? i : 0, plain ? "" : ".tmp");
        if (update) move(name, 0);
        if (mpiio) together(made, 1);
        else if (!all || rank == 0) move(made, 1);
        if (!plain && (rank == 0 || !(all || mpiio))) check(!rename(made, name), name);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; !update && i < FILES; i++) {
        name_of(name, all || mpiio ? 0 : other, i, "");
        if (mpiio) together(name, 0);
        else move(name, 0);
    }
    MPI_Finalize();
    return 0;
}
