#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script_reader.h"
#include "script_words.h"

enum { NAME = 4096 };

/* Whether what gets one name after the other gets one again, as names that are looked for must not. */
static int goes_round(const struct script *script, const char *path) {
    char from[NAME];
    char next[NAME];
    char before[NAME];
    int64_t steps = 0;
    int64_t until = 1;
    snprintf(from, sizeof from, "%s", path);
    memcpy(before, from, sizeof before);
    while (script_renames(script, from, next, sizeof next)) {
        memcpy(from, next, sizeof from);
        if (strcmp(from, before) == 0) {
            return 1;
        }
        if (++steps == until) { /* the round may begin behind what there was before: Brent, BIT 20, 1980 */
            memcpy(before, from, sizeof before);
            until *= 2;
        }
    }
    return 0;
}

/* Each number by itself: a#, a2 and the folder of a2/b are different patterns, but not different names. */
static int check_name(struct script_reader *reader, const struct ending *ending, int64_t number) {
    char from[NAME];
    char to[NAME];
    char other[NAME];
    if (!script_path(from, sizeof from, ending->path, number) || !script_path(to, sizeof to, ending->to, number)) {
        return script_wrong(reader, "the path is too long", ending->path);
    }
    if (!script_renames(reader->script, from, other, sizeof other) || strcmp(to, other) != 0) {
        return script_wrong(reader, "a name is changed to another one than before", from);
    }
    return goes_round(reader->script, from) ? script_wrong(reader, "names go round", from) : STATUS_OK;
}

int script_check_names(struct script_reader *reader) {
    const struct script *const script = reader->script;
    for (int64_t i = 0; i < script->ending_count; i++) {
        const struct ending *const ending = &script->endings[i];
        reader->line = ending->line;
        for (int64_t k = 0; ending->to != NULL && k < ending->count; k++) {
            if (check_name(reader, ending, k) != STATUS_OK) {
                return reader->error->status;
            }
        }
    }
    return STATUS_OK;
}

/* Note that names end; `to` is NULL where they are removed. */
static int note_ending(struct script_reader *reader, const char *path, const char *to, int64_t count) {
    struct script *const script = reader->script;
    for (int64_t i = 0; to != NULL && i < script->ending_count; i++) {
        const struct ending *const known = &script->endings[i];
        if (known->to != NULL && known->count == count && strcmp(known->path, path) == 0 && strcmp(known->to, to) == 0) {
            return STATUS_OK; /* it is done again */
        }
    }
    struct ending *const endings = script_grown(reader, ENDINGS, script->endings, script->ending_count, sizeof *endings);
    if (endings == NULL) {
        return reader->error->status;
    }
    script->endings = endings;
    struct ending *const ending = &endings[script->ending_count++];
    *ending = (struct ending){
        .path = strdup(path), .to = to == NULL ? NULL : strdup(to), .count = count, .line = reader->line};
    return ending->path == NULL || (to != NULL && ending->to == NULL) ? script_no_memory(reader) : STATUS_OK;
}

/* RANKS mkdir|rmdir PATH, stat|unlink PATH [COUNT], put|get PATH COUNT BYTES */
static int take_by_name(struct script_reader *reader, enum action action, const struct group *group, char **word,
                        int count) {
    struct act act = {.action = action, .count = 1};
    const int sized = action == ACT_PUT || action == ACT_GET;
    const int counted = sized || action == ACT_STAT || action == ACT_UNLINK;
    if (count < (sized ? 5 : 3) || count > (sized ? 5 : counted ? 4 : 3) || !word_path(word[2]) ||
        (count > 3 && !word_number(word[3], 1, INT_MAX, &act.count)) ||
        (count > 4 && !word_number(word[4], 1, INT64_MAX / 4, &act.bytes))) {
        return script_wrong(reader, "not `RANKS mkdir|rmdir PATH`, `RANKS stat|unlink PATH [COUNT]` or `RANKS put|get PATH "
                             "COUNT BYTES`", word[0]);
    }
    if (act.count > 1 && strchr(word[2], '#') == NULL) {
        return script_wrong(reader, "the path of several files has # for the number", word[2]);
    }
    if (action == ACT_UNLINK && note_ending(reader, word[2], NULL, act.count) != STATUS_OK) {
        return reader->error->status;
    }
    reader->script->made += action == ACT_PUT ? act.count : 0;
    act.path = strdup(word[2]);
    return act.path == NULL ? script_no_memory(reader) : script_add(reader, group, &act);
}

/* RANKS rename PATH TO [COUNT] */
static int take_rename(struct script_reader *reader, const struct group *group, char **word, int count) {
    struct act act = {.action = ACT_RENAME, .count = 1};
    if (count < 4 || count > 5 || !word_path(word[2]) || !word_path(word[3]) ||
        (count > 4 && !word_number(word[4], 1, INT_MAX, &act.count))) {
        return script_wrong(reader, "not `RANKS rename PATH TO [COUNT]`, with paths in the folder", word[0]);
    }
    if (act.count > 1 && (strchr(word[2], '#') == NULL || strchr(word[3], '#') == NULL)) {
        return script_wrong(reader, "the paths of several files have # for the number", word[2]);
    }
    if (note_ending(reader, word[2], word[3], act.count) != STATUS_OK) {
        return reader->error->status;
    }
    act.path = strdup(word[2]);
    act.to = strdup(word[3]);
    if (act.path == NULL || act.to == NULL) {
        free(act.path);
        free(act.to);
        return script_no_memory(reader);
    }
    return script_add(reader, group, &act);
}

int script_take_names(struct script_reader *reader, enum action action, const struct group *group, char **word,
                      int count) {
    return action == ACT_RENAME ? take_rename(reader, group, word, count)
                                : take_by_name(reader, action, group, word, count);
}
