#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script_reader.h"
#include "script_words.h"

enum { LINE = 65536, WORDS = 4096, NAME = 4096 };

int script_wrong(const struct script_reader *reader, const char *problem, const char *text) {
    return fail(reader->error, STATUS_FAILED, "%s:%" PRId64 ": %s: %.100s", reader->path, reader->line, problem, text);
}

int script_no_memory(const struct script_reader *reader) {
    return fail(reader->error, STATUS_FAILED, "no memory for the script %s", reader->path);
}

void *script_grown(struct script_reader *reader, int which, void *array, int64_t count, size_t size) {
    if (count < reader->capacities[which]) {
        return array;
    }
    const int64_t capacity = 2 * (count + 32);
    void *const larger = realloc(array, (size_t)capacity * size);
    if (larger == NULL) {
        script_no_memory(reader);
        return NULL;
    }
    reader->capacities[which] = capacity;
    return larger;
}

int group_has(const struct group *group, int rank) {
    return rank < MOST_RANKS && (group->has[rank / 8] >> (rank % 8) & 1);
}

int script_group(struct script_reader *reader, const struct group *group) {
    struct script *const script = reader->script;
    for (int64_t i = 0; i < script->group_count; i++) {
        if (memcmp(script->groups[i].has, group->has, sizeof group->has) == 0) {
            return (int)i;
        }
    }
    struct group *const groups = script_grown(reader, GROUPS, script->groups, script->group_count, sizeof *groups);
    if (groups == NULL) {
        return -1;
    }
    script->groups = groups;
    groups[script->group_count] = *group;
    return (int)script->group_count++;
}

static int take_ranks(struct script_reader *reader, char **word) {
    struct group all;
    int64_t ranks = 0;
    if (reader->script->ranks != 0 || !word_number(word[1], 1, MOST_RANKS, &ranks)) {
        return script_wrong(reader, "`ranks N` must come once, with N from 1 to 1024", word[1]);
    }
    reader->script->ranks = (int)ranks;
    word_group("*", (int)ranks, &all);
    script_group(reader, &all);
    return reader->error->status;
}

static int take_line(struct script_reader *reader, char *line) {
    char *word[WORDS] = {0};
    char *rest = NULL;
    int count = 0;
    for (char *w = strtok_r(line, " \t\r\n", &rest); w != NULL; w = strtok_r(NULL, " \t\r\n", &rest)) {
        if (count == WORDS) {
            return script_wrong(reader, "too many words", w);
        }
        word[count++] = w;
    }
    if (count == 0 || word[0][0] == '#') {
        return STATUS_OK;
    }
    if (!reader->has_version) {
        reader->has_version = count == 2 && strcmp(word[0], "acic-script") == 0 && strcmp(word[1], "1") == 0;
        return reader->has_version ? STATUS_OK : script_wrong(reader, "the first line must be `acic-script 1`", word[0]);
    }
    if (count == 2 && strcmp(word[0], "ranks") == 0) {
        return take_ranks(reader, word);
    }
    if (count < 2 || reader->script->ranks == 0) {
        return script_wrong(reader, "not a line of a script (`ranks N` comes first)", word[0]);
    }
    return script_take_act(reader, word, count);
}

static void check_end(struct script_reader *reader) {
    const struct script *const script = reader->script;
    if (script->all_acts == 0) {
        fail(reader->error, STATUS_FAILED, "the script %s does nothing", reader->path);
    } else if (reader->call_action >= 0) {
        script_wrong(reader, "ranks of the last collective call have no line", "end");
    }
    for (int64_t i = 0; i < script->opening_count; i++) {
        if (script->openings[i].is_open) {
            script_wrong(reader, "the file is not closed", script->openings[i].name);
        }
    }
    if (reader->error->status == STATUS_OK) {
        script_check_names(reader);
    }
}

int script_read(struct script *script, const char *path, int rank, struct error *error) {
    *script = (struct script){.rank = rank};
    struct script_reader reader = {.script = script, .path = path, .call_action = -1, .error = error};
    static char line[LINE];
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return fail(error, STATUS_FAILED, "cannot open the script %s: %s", path, strerror(errno));
    }
    while (error->status == STATUS_OK && fgets(line, sizeof line, file) != NULL) {
        reader.line++;
        if (strchr(line, '\n') == NULL && !feof(file)) {
            script_wrong(&reader, "the line is too long", line);
        } else {
            take_line(&reader, line);
        }
    }
    if (ferror(file)) {
        fail(error, STATUS_FAILED, "cannot read the script %s: %s", path, strerror(errno));
    } else if (error->status == STATUS_OK) {
        check_end(&reader);
    }
    fclose(file);
    return error->status;
}

void script_free(struct script *script) {
    for (int64_t i = 0; i < script->act_count; i++) {
        free(script->acts[i].path);
        free(script->acts[i].to);
        free(script->acts[i].view);
    }
    for (int64_t i = 0; i < script->opening_count; i++) {
        free(script->openings[i].name);
        free(script->openings[i].path);
    }
    for (int64_t i = 0; i < script->ending_count; i++) {
        free(script->endings[i].path);
        free(script->endings[i].to);
    }
    free(script->acts);
    free(script->openings);
    free(script->endings);
    free(script->groups);
    *script = (struct script){0};
}

int script_path(char *text, size_t size, const char *path, int64_t number) {
    const char *const mark = strchr(path, '#');
    const int length = mark == NULL
                           ? snprintf(text, size, "%s", path)
                           : snprintf(text, size, "%.*s%" PRId64 "%s", (int)(mark - path), path, number, mark + 1);
    return length >= 0 && (size_t)length < size;
}
