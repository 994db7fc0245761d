#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int output_open(struct output *output, const char *path, struct error *error) {
    output->path = path;
    output->file = path[0] == '\0' ? stdout : fopen(path, "w");
    if (output->file == NULL) {
        fail(error, STATUS_FAILED, "cannot open the summary file %s: %s", path, strerror(errno));
    }
    return error->status;
}

int output_write(struct output *output, struct text *text, struct error *error) {
    if (output->file != NULL && text->failed) {
        fail(error, STATUS_FAILED, "no memory for the summary");
    } else if (output->file != NULL && text->length > 0) {
        const size_t written = fwrite(text->data, 1, text->length, output->file);
        if (written != text->length || fflush(output->file) != 0) {
            fail(error, STATUS_FAILED, "cannot write the summary%s%s: %s", output->path[0] != '\0' ? " to " : "",
                 output->path, strerror(errno));
            if (output->path[0] != '\0' && ftruncate(fileno(output->file), 0) != 0) {
                fail(error, STATUS_FAILED, "cannot empty the summary %s: %s", output->path, strerror(errno));
            }
        }
    }
    text_free(text);
    return error->status;
}

void output_close(struct output *output, struct error *error) {
    if (output->file != NULL && output->path[0] != '\0' && fclose(output->file) != 0) {
        fail(error, STATUS_FAILED, "cannot close the summary %s: %s", output->path, strerror(errno));
    }
    output->file = NULL;
}
