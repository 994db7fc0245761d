/* JSON that is always valid: commas, escapes and numbers are made here and nowhere else. */
#ifndef ACIC_BENCH_JSON_H
#define ACIC_BENCH_JSON_H

#include <stdint.h>

#include "text.h"

struct json {
    struct text text;
    int depth;
    int filled; /* whether the open object or array has a member already */
};

/* `key` is NULL inside an array and for the outermost object; `bracket` is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

void json_string(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, int64_t value);
/* A number that JSON cannot hold (infinite, not a number) becomes null. */
void json_real(struct json *json, const char *key, double value);

#endif
