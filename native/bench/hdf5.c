/* HDF5 through its MPI-IO driver. As with IOR, each segment is a data set of its own, of 8-byte integers, made or
 * opened when the first transfer comes to it (which is collective: all ranks come to it in turn). */
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "pattern.h"

enum id { FILE_ID, TRANSFER_ID, SET_ID, SPACE_ID, MEMORY_ID };

static void hdf5_version(char *text, size_t size) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "%u.%u.%u (Parallel)", major, minor, release);
}

static herr_t innermost(unsigned depth, const H5E_error2_t *found, void *text) {
    (void)depth;
    snprintf(text, 768, "%.700s", found->desc); /* walked upward, so the first is the cause */
    return 1;
}

/* Note HDF5's own words on its last failure. */
static int fail_hdf5(struct error *error, const char *doing, const char *path) {
    char text[768] = "unknown HDF5 error";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, text);
    H5Eclear2(H5E_DEFAULT);
    return fail(error, STATUS_FAILED, "%s %s: %s", doing, path, text);
}

static int hdf5_open(const struct place *place, struct file *file, struct error *error) {
    *file = (struct file){.place = place, .segment = -1};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a library does not print */
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, place->comm, place->info);
    H5Pset_dxpl_mpio(transfer, place->collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    const hid_t id = place->direction == WRITE ? H5Fcreate(place->path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                                               : H5Fopen(place->path, H5F_ACC_RDONLY, access);
    file->is_open = id >= 0;
    file->hdf5[FILE_ID] = id;
    file->hdf5[TRANSFER_ID] = transfer;
    if (!file->is_open) {
        fail_hdf5(error, "cannot open", place->path); /* any further call would forget why */
        H5Pclose(transfer);
    }
    H5Pclose(access);
    return error->status;
}

static int leave_segment(struct file *file) {
    int good = 1;
    if (file->segment >= 0) {
        good = H5Sclose(file->hdf5[MEMORY_ID]) >= 0 && H5Sclose(file->hdf5[SPACE_ID]) >= 0;
        good = H5Dclose(file->hdf5[SET_ID]) >= 0 && good;
        file->segment = -1;
    }
    return good;
}

/* Make or open the data set of a segment, in place of the one before. Collective over the file's ranks. */
static int enter_segment(struct file *file, int64_t segment, int64_t bytes, struct error *error) {
    if (file->segment == segment) {
        return STATUS_OK;
    }
    char name[64];
    const hsize_t words = (hsize_t)(file->place->segment_bytes / WORD);
    const hsize_t moved = (hsize_t)(bytes / WORD);
    const int left = leave_segment(file);
    snprintf(name, sizeof name, "Dataset-0000.%04" PRId64, segment);
    const hid_t space = H5Screate_simple(1, &words, NULL);
    const hid_t set = file->place->direction == WRITE ? H5Dcreate2(file->hdf5[FILE_ID], name, H5T_NATIVE_LLONG, space,
                                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                                                      : H5Dopen2(file->hdf5[FILE_ID], name, H5P_DEFAULT);
    if (!left || set < 0) {
        fail_hdf5(error, "cannot make or open a data set of", file->place->path);
        H5Sclose(space);
        return error->status;
    }
    file->hdf5[SET_ID] = set;
    file->hdf5[SPACE_ID] = space;
    file->hdf5[MEMORY_ID] = H5Screate_simple(1, &moved, NULL);
    file->segment = segment;
    return STATUS_OK;
}

static int hdf5_transfer(struct file *file, enum direction direction, void *buffer, int64_t bytes, int64_t offset,
                         struct error *error) {
    const hsize_t begin = (hsize_t)(offset % file->place->segment_bytes / WORD);
    const hsize_t count = (hsize_t)(bytes / WORD);
    if (enter_segment(file, offset / file->place->segment_bytes, bytes, error) != STATUS_OK) {
        return error->status;
    }
    const hid_t set = file->hdf5[SET_ID];
    const hid_t space = file->hdf5[SPACE_ID];
    const hid_t memory = file->hdf5[MEMORY_ID];
    const hid_t transfer = file->hdf5[TRANSFER_ID];
    herr_t code = H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &count, NULL);
    if (code >= 0) {
        code = direction == WRITE ? H5Dwrite(set, H5T_NATIVE_LLONG, memory, space, transfer, buffer)
                                  : H5Dread(set, H5T_NATIVE_LLONG, memory, space, transfer, buffer);
    }
    return code < 0 ? fail_hdf5(error, direction == WRITE ? "cannot write" : "cannot read", file->place->path)
                    : STATUS_OK;
}

static int hdf5_sync(struct file *file, struct error *error) {
    if (H5Fflush(file->hdf5[FILE_ID], H5F_SCOPE_GLOBAL) < 0) {
        return fail_hdf5(error, "cannot flush", file->place->path);
    }
    return STATUS_OK;
}

static int hdf5_hints(struct file *file, struct hints *hints, struct error *error) {
    MPI_File *below = NULL;
    MPI_Info info = MPI_INFO_NULL;
    if (H5Fget_vfd_handle(file->hdf5[FILE_ID], H5P_DEFAULT, (void **)&below) < 0 || below == NULL ||
        MPI_File_get_info(*below, &info) != MPI_SUCCESS) {
        return fail_hdf5(error, "cannot read the hints of", file->place->path);
    }
    hints_from_info(hints, info, error);
    MPI_Info_free(&info);
    return error->status;
}

static int hdf5_close(struct file *file, struct error *error) {
    const int left = leave_segment(file);
    H5Pclose(file->hdf5[TRANSFER_ID]);
    if (H5Fclose(file->hdf5[FILE_ID]) < 0 || !left) {
        fail_hdf5(error, "cannot close", file->place->path);
    }
    file->is_open = 0;
    return error->status;
}

/* More than the data, as there is a header too. */
static int hdf5_size(const char *path, int64_t *bytes, struct error *error) {
    return MPIIO_BACKEND.size(path, bytes, error);
}

static int hdf5_remove(const char *path, int *existed, struct error *error) {
    return MPIIO_BACKEND.remove(path, existed, error);
}

const struct backend HDF5_BACKEND = {
    .name = "HDF5",
    .is_fragile = 1, /* ranks that fail to write metadata leave the others waiting for them */
    .version = hdf5_version,
    .open = hdf5_open,
    .transfer = hdf5_transfer,
    .sync = hdf5_sync,
    .hints = hdf5_hints,
    .close = hdf5_close,
    .size = hdf5_size,
    .remove = hdf5_remove,
};
