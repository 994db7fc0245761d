#include "backend.h"

#include <inttypes.h>
#include <strings.h>

static const struct backend *const BACKENDS[] = {
    &POSIX_BACKEND,
    &MPIIO_BACKEND,
#ifdef WITH_HDF5
    &HDF5_BACKEND,
#endif
};

const struct backend *backend_named(const char *name) {
    for (size_t i = 0; i < sizeof BACKENDS / sizeof BACKENDS[0]; i++) {
        if (strcasecmp(BACKENDS[i]->name, name) == 0) {
            return BACKENDS[i];
        }
    }
    return NULL;
}

const char *backend_names(void) {
#ifdef WITH_HDF5
    return "POSIX, MPIIO, HDF5";
#else
    return "POSIX, MPIIO";
#endif
}

int backend_holds(const struct backend *backend, const char *path, int64_t bytes, struct error *error) {
    int64_t found = 0;
    if (backend->size(path, &found, error) == STATUS_OK && found < bytes) {
        fail(error, STATUS_FAILED, "%s has %" PRId64 " bytes, but %" PRId64 " were written, with success told", path,
             found, bytes);
    }
    return error->status;
}
