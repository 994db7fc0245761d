#include "json.h"

#include <inttypes.h>
#include <math.h>

enum { INDENT = 2 };

/* Length of the UTF-8 character at `c`, 0 where there is none. */
static int utf8(const unsigned char *c) {
    const int length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const int overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const int beyond = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

static void quoted(struct json *json, const char *value) {
    text_add(&json->text, "\"");
    const unsigned char *c = (const unsigned char *)value;
    while (*c != '\0') {
        const int length = utf8(c);
        if (*c == '"' || *c == '\\') {
            text_add(&json->text, "\\%c", *c);
        } else if (*c < 0x20 || length == 0) { /* a path need not be UTF-8: its stray bytes become Latin-1 characters */
            text_add(&json->text, "\\u%04x", *c);
        } else {
            text_add(&json->text, "%.*s", length, (const char *)c);
        }
        c += length > 0 ? length : 1;
    }
    text_add(&json->text, "\"");
}

static void begin(struct json *json, const char *key) {
    if (json->depth > 0) {
        text_add(&json->text, "%s\n%*s", json->filled ? "," : "", INDENT * json->depth, "");
    }
    json->filled = 1;
    if (key != NULL) {
        quoted(json, key);
        text_add(&json->text, ": ");
    }
}

void json_open(struct json *json, const char *key, char bracket) {
    begin(json, key);
    text_add(&json->text, "%c", bracket);
    json->depth++;
    json->filled = 0;
}

void json_close(struct json *json, char bracket) {
    json->depth--;
    if (json->filled) {
        text_add(&json->text, "\n%*s", INDENT * json->depth, "");
    }
    text_add(&json->text, "%c", bracket == '{' ? '}' : ']');
    json->filled = 1;
}

void json_string(struct json *json, const char *key, const char *value) {
    begin(json, key);
    quoted(json, value);
}

void json_integer(struct json *json, const char *key, int64_t value) {
    begin(json, key);
    text_add(&json->text, "%" PRId64, value);
}

void json_real(struct json *json, const char *key, double value) {
    begin(json, key);
    if (isfinite(value)) {
        text_add(&json->text, "%.9g", value);
    } else {
        text_add(&json->text, "null");
    }
}
