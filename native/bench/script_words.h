/* The words of a script's lines. */
#ifndef ACIC_BENCH_SCRIPT_WORDS_H
#define ACIC_BENCH_SCRIPT_WORDS_H

#include "script.h"

/* A whole number from `least` to `most`; returns whether the text is one. */
int word_number(const char *text, int64_t least, int64_t most, int64_t *number);

/* Seconds, finite and not negative; returns whether the text is that. */
int word_seconds(const char *text, double *seconds);

/* Ranks: `*`, or numbers and spans from 0 to ranks - 1 with commas between them, as `0,4-7`; returns whether the text
 * is that. */
int word_group(const char *text, int ranks, struct group *group);

/* Whether a path stays in the folder: relative, without `..`. */
int word_path(const char *text);

/* The action of a name, or -1. */
int word_action(const char *name);

#endif
