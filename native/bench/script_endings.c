#include <stdio.h>
#include <string.h>

#include "script.h"
#include "script_words.h"

enum { NAME = 4096 };

/* Whether a file is one of those that end; its number, if it is, stands in its path. */
static int ends(const struct ending *ending, const char *path, int64_t *number) {
    const char *const mark = strchr(ending->path, '#');
    *number = 0;
    if (mark == NULL) {
        return strcmp(ending->path, path) == 0;
    }
    const size_t before = (size_t)(mark - ending->path);
    const size_t others = before + strlen(mark + 1);
    const size_t length = strlen(path);
    char digits[20] = "";
    char candidate[NAME];
    if (length <= others || length - others >= sizeof digits || strncmp(path, ending->path, before) != 0) {
        return 0;
    }
    memcpy(digits, path + before, length - others);
    return word_number(digits, 0, ending->count - 1, number) &&
           script_path(candidate, sizeof candidate, ending->path, *number) && strcmp(candidate, path) == 0;
}

int script_removes(const struct script *script, const char *path) {
    int64_t number = 0;
    for (int64_t i = 0; i < script->ending_count; i++) {
        if (script->endings[i].to == NULL && ends(&script->endings[i], path, &number)) {
            return 1;
        }
    }
    return 0;
}

/* The name that is given to exactly this path. */
static int renamed(const struct script *script, const char *path, char *text, size_t size) {
    int64_t number = 0;
    for (int64_t i = 0; i < script->ending_count; i++) {
        if (script->endings[i].to != NULL && ends(&script->endings[i], path, &number)) {
            return script_path(text, size, script->endings[i].to, number);
        }
    }
    return 0;
}

int script_renames(const struct script *script, const char *path, char *text, size_t size) {
    char folder[NAME];
    char other[NAME];
    size_t length = strlen(path);
    if (renamed(script, path, text, size)) {
        return 1;
    }
    while (length > 0 && length < sizeof folder) {
        while (length > 0 && path[length - 1] != '/') {
            length--;
        }
        length -= length > 0;
        snprintf(folder, sizeof folder, "%.*s", (int)length, path);
        if (length > 0 && renamed(script, folder, other, sizeof other)) {
            const int whole = snprintf(text, size, "%s%s", other, path + length);
            return whole >= 0 && (size_t)whole < size;
        }
    }
    return 0;
}
