/* Text that grows; an allocation that fails is remembered, not reported at every call. */
#ifndef ACIC_BENCH_TEXT_H
#define ACIC_BENCH_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* NUL-terminated once something was added; text_free() it */
    size_t length, capacity;
    int failed; /* no memory: what was added after is lost */
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

/* A number for a string, by which two can be told apart: its FNV-1a. */
uint64_t text_number(const char *string);

#endif
