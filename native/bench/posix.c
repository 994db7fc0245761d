#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"

static void posix_version(char *text, size_t size) {
    snprintf(text, size, "%s", "");
}

static int posix_open(const struct place *place, struct file *file, struct error *error) {
    const int access = place->direction == WRITE || place->both ? O_RDWR | O_CREAT : O_RDONLY;
    *file = (struct file){.place = place};
    file->descriptor = open(place->path, access | (place->direct ? O_DIRECT : 0) | O_CLOEXEC, 0664);
    file->is_open = file->descriptor >= 0;
    if (!file->is_open) {
        fail(error, STATUS_FAILED, "open(\"%s\") to %s failed: %s", place->path,
             place->direction == WRITE ? "write" : "read", strerror(errno));
    }
    return error->status;
}

/* IOR seeks and writes; pwrite() would save a system call, and so be faster than IOR on tmpfs with small transfers. */
static int posix_transfer(struct file *file, enum direction direction, void *buffer, int64_t bytes, int64_t offset,
                          struct error *error) {
    const char *const doing = direction == WRITE ? "write" : "read";
    if (lseek(file->descriptor, (off_t)offset, SEEK_SET) < 0) {
        return fail(error, STATUS_FAILED, "seek(\"%s\", %" PRId64 ") failed: %s", file->place->path, offset,
                    strerror(errno));
    }
    for (char *rest = buffer; bytes > 0;) {
        const ssize_t moved = direction == WRITE ? write(file->descriptor, rest, (size_t)bytes)
                                                 : read(file->descriptor, rest, (size_t)bytes);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved < 0) {
            return fail(error, STATUS_FAILED, "%s(\"%s\", %" PRId64 " bytes at %" PRId64 ") failed: %s", doing,
                        file->place->path, bytes, offset, strerror(errno));
        }
        if (moved == 0) {
            return fail(error, STATUS_FAILED, "%s(\"%s\") ends at %" PRId64 ", %" PRId64 " bytes too early", doing,
                        file->place->path, offset, bytes);
        }
        rest += moved;
        offset += moved;
        bytes -= moved;
    }
    return STATUS_OK;
}

static int posix_sync(struct file *file, struct error *error) {
    if (fsync(file->descriptor) != 0) {
        return fail(error, STATUS_FAILED, "fsync(\"%s\") failed: %s", file->place->path, strerror(errno));
    }
    return STATUS_OK;
}

static int posix_hints(struct file *file, struct hints *hints, struct error *error) {
    (void)file;
    (void)hints;
    return error->status;
}

static int posix_close(struct file *file, struct error *error) {
    if (close(file->descriptor) != 0) { /* NFS tells here what the disk said to earlier writes */
        fail(error, STATUS_FAILED, "close(\"%s\") failed: %s", file->place->path, strerror(errno));
    }
    file->is_open = 0;
    return error->status;
}

/* Opened, not asked for by name: NFS clients tell for seconds what they remember of a name, but ask the server at an
 * open. */
static int posix_size(const char *path, int64_t *bytes, struct error *error) {
    struct stat found;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &found) != 0) {
        fail(error, STATUS_FAILED, "cannot find the size of \"%s\": %s", path, strerror(errno));
    } else {
        *bytes = S_ISREG(found.st_mode) ? (int64_t)found.st_size : INT64_MAX; /* a device has no size */
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return error->status;
}

static int posix_remove(const char *path, int *existed, struct error *error) {
    *existed = unlink(path) == 0;
    if (!*existed && errno != ENOENT) {
        return fail(error, STATUS_FAILED, "unlink(\"%s\") failed: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

const struct backend POSIX_BACKEND = {
    .name = "POSIX",
    .version = posix_version,
    .open = posix_open,
    .transfer = posix_transfer,
    .sync = posix_sync,
    .hints = posix_hints,
    .close = posix_close,
    .size = posix_size,
    .remove = posix_remove,
};
