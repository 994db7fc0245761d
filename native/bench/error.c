#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int fail(struct error *error, int status, const char *format, ...) {
    if (error->status == STATUS_OK) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        for (char *c = error->text; *c != '\0'; c++) {
            *c = *c == '\n' ? ' ' : *c; /* MPI and HDF5 give stacks of lines */
        }
        error->status = status;
    }
    return error->status;
}
