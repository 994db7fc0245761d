#include <inttypes.h>
#include <stdio.h>

#include "agree.h"
#include "backend.h"

static void mpiio_version(char *text, size_t size) {
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    snprintf(text, size, "(%d.%d)", version, subversion);
}

static int mpiio_open(const struct place *place, struct file *file, struct error *error) {
    const int writing = place->direction == WRITE || place->both;
    const int access = place->both ? MPI_MODE_RDWR : MPI_MODE_WRONLY;
    const int mode = (writing ? MPI_MODE_CREATE | access : MPI_MODE_RDONLY) | (place->alone ? MPI_MODE_UNIQUE_OPEN : 0);
    *file = (struct file){.place = place, .handle = MPI_FILE_NULL};
    const int code = MPI_File_open(place->comm, place->path, mode, place->info, &file->handle);
    file->is_open = code == MPI_SUCCESS;
    if (fail_mpi(error, code, "cannot open", place->path) == STATUS_OK && writing && !place->both) {
        fail_mpi(error, MPI_File_set_size(file->handle, 0), "cannot empty", place->path); /* IOR does, with -E too */
    }
    return error->status;
}

static int mpiio_transfer(struct file *file, enum direction direction, void *buffer, int64_t bytes, int64_t offset,
                          struct error *error) {
    MPI_Status status;
    const MPI_Offset at = (MPI_Offset)offset;
    const int count = (int)bytes;
    int code = MPI_SUCCESS;
    if (direction == WRITE) {
        code = file->place->collective ? MPI_File_write_at_all(file->handle, at, buffer, count, MPI_BYTE, &status)
                                       : MPI_File_write_at(file->handle, at, buffer, count, MPI_BYTE, &status);
    } else {
        code = file->place->collective ? MPI_File_read_at_all(file->handle, at, buffer, count, MPI_BYTE, &status)
                                       : MPI_File_read_at(file->handle, at, buffer, count, MPI_BYTE, &status);
    }
    if (code != MPI_SUCCESS) {
        return fail_mpi(error, code, direction == WRITE ? "cannot write" : "cannot read", file->place->path);
    }
    int moved = 0;
    MPI_Get_count(&status, MPI_BYTE, &moved);
    if (moved != count) {
        return fail(error, STATUS_FAILED, "only %d of %d bytes %s at %" PRId64 " of %s", moved, count,
                    direction == WRITE ? "written" : "read", offset, file->place->path);
    }
    return STATUS_OK;
}

static int mpiio_sync(struct file *file, struct error *error) {
    return fail_mpi(error, MPI_File_sync(file->handle), "cannot sync", file->place->path);
}

static int mpiio_hints(struct file *file, struct hints *hints, struct error *error) {
    MPI_Info info = MPI_INFO_NULL;
    if (fail_mpi(error, MPI_File_get_info(file->handle, &info), "cannot read the hints of", file->place->path) !=
        STATUS_OK) {
        return error->status;
    }
    if (info != MPI_INFO_NULL) {
        hints_from_info(hints, info, error);
        MPI_Info_free(&info);
    }
    return error->status;
}

static int mpiio_close(struct file *file, struct error *error) {
    fail_mpi(error, MPI_File_close(&file->handle), "cannot close", file->place->path);
    file->is_open = 0;
    return error->status;
}

static int mpiio_size(const char *path, int64_t *bytes, struct error *error) {
    MPI_File handle = MPI_FILE_NULL;
    MPI_Offset found = 0;
    int code = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &handle);
    if (code == MPI_SUCCESS) {
        code = MPI_File_get_size(handle, &found);
        MPI_File_close(&handle);
    }
    *bytes = (int64_t)found;
    return fail_mpi(error, code, "cannot find the size of", path);
}

static int mpiio_remove(const char *path, int *existed, struct error *error) {
    const int code = MPI_File_delete(path, MPI_INFO_NULL);
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    *existed = code == MPI_SUCCESS;
    return class == MPI_ERR_NO_SUCH_FILE ? STATUS_OK : fail_mpi(error, code, "cannot remove", path);
}

const struct backend MPIIO_BACKEND = {
    .name = "MPIIO",
    .version = mpiio_version,
    .open = mpiio_open,
    .transfer = mpiio_transfer,
    .sync = mpiio_sync,
    .hints = mpiio_hints,
    .close = mpiio_close,
    .size = mpiio_size,
    .remove = mpiio_remove,
};
