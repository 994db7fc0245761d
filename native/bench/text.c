#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int reserve(struct text *text, size_t more) {
    if (text->length + more + 1 > text->capacity) {
        const size_t capacity = 2 * (text->length + more + 1);
        char *const data = realloc(text->data, capacity);
        if (data == NULL) {
            text->failed = 1;
            return 0;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return 1;
}

void text_add(struct text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        text->failed = 1;
    } else if (!text->failed && reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void text_free(struct text *text) {
    free(text->data);
    *text = (struct text){0};
}

uint64_t text_number(const char *string) {
    uint64_t hash = 0xCBF29CE484222325U;
    for (; *string != '\0'; string++) {
        hash = (hash ^ (unsigned char)*string) * 0x100000001B3U;
    }
    return hash;
}
