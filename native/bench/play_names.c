#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "play.h"
#include "text.h"

int64_t play_number(const struct script *script, const char *path) {
    char name[TEXT_SIZE];
    char next[TEXT_SIZE];
    snprintf(name, sizeof name, "%s", path);
    for (int64_t i = 0; i < script->ending_count && script_renames(script, name, next, sizeof next); i++) {
        memcpy(name, next, sizeof name);
    }
    return (int64_t)(text_number(name) >> 1);
}

int play_find(const struct play *play, const struct script *script, const char *own, char path[TEXT_SIZE],
              struct error *error) {
    char name[TEXT_SIZE];
    char next[TEXT_SIZE];
    struct stat found;
    int removed = 0;
    snprintf(name, sizeof name, "%s", own);
    for (int64_t i = 0; play_path(play, name, 0, path, error) == STATUS_OK; i++) {
        if (stat(path, &found) == 0 || errno != ENOENT) {
            return 1;
        }
        removed |= script_removes(script, name);
        if (i >= script->ending_count || !script_renames(script, name, next, sizeof next)) {
            return !removed;
        }
        memcpy(name, next, sizeof name);
    }
    return 1;
}
