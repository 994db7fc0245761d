/* Where a command's summary goes: a file of its own, or standard output. */
#ifndef ACIC_BENCH_OUTPUT_H
#define ACIC_BENCH_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"
#include "text.h"

struct output {
    FILE *file;       /* NULL on ranks that print nothing */
    const char *path; /* "" for standard output */
};

/* Open (rank 0 only; `path` "" for standard output). An existing file is emptied at once: should this run die, an older
 * success must not stand for it. Returns the status noted. */
int output_open(struct output *output, const char *path, struct error *error);

/* Write the text and have it reach the file system; a summary that does not fit is cut to nothing. Frees the text.
 * Returns the status noted. */
int output_write(struct output *output, struct text *text, struct error *error);

void output_close(struct output *output, struct error *error);

#endif
