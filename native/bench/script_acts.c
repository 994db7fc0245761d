#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "script_reader.h"
#include "script_words.h"

int script_add(struct script_reader *reader, const struct group *group, struct act *act) {
    struct script *const script = reader->script;
    script->all_acts += group->count;
    if (!group_has(group, script->rank)) {
        free(act->path);
        free(act->to);
        return reader->error->status;
    }
    struct act *const acts = script_grown(reader, ACTS, script->acts, script->act_count, sizeof *acts);
    if (acts == NULL) {
        free(act->path);
        free(act->to);
        return reader->error->status;
    }
    script->acts = acts;
    acts[script->act_count++] = *act;
    script->longest = act->bytes > script->longest ? act->bytes : script->longest;
    return reader->error->status;
}

/* The index of the file that is open under a name; -1 where none is. */
static int64_t opening_named(const struct script *script, const char *name) {
    for (int64_t i = script->opening_count - 1; i >= 0; i--) {
        if (script->openings[i].is_open && strcmp(script->openings[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void count_made(struct script *script, const char *path) {
    for (int64_t i = 0; i + 1 < script->opening_count; i++) {
        if (script->openings[i].writes && strcmp(script->openings[i].path, path) == 0) {
            return;
        }
    }
    script->made++;
}

/* RANKS open NAME posix|mpiio r|w PATH */
static int take_open(struct script_reader *reader, const struct group *group, char **word, int count) {
    struct script *const script = reader->script;
    const int mpiio = count == 6 && strcmp(word[3], "mpiio") == 0;
    const int writes = count == 6 && strcmp(word[4], "w") == 0;
    if (count != 6 || (!mpiio && strcmp(word[3], "posix") != 0) || (!writes && strcmp(word[4], "r") != 0) ||
        !word_path(word[5])) {
        return script_wrong(reader, "not `RANKS open NAME posix|mpiio r|w PATH`, with a path in the folder", word[0]);
    }
    if (opening_named(script, word[2]) >= 0) {
        return script_wrong(reader, "a file of this name is open already", word[2]);
    }
    struct opening *const openings = script_grown(reader, OPENINGS, script->openings, script->opening_count, sizeof *openings);
    if (openings == NULL) {
        return reader->error->status;
    }
    script->openings = openings;
    struct opening *const opening = &openings[script->opening_count];
    *opening = (struct opening){.name = strdup(word[2]),
                                .path = strdup(word[5]),
                                .mpiio = mpiio,
                                .writes = writes,
                                .group = script_group(reader, group),
                                .is_open = 1};
    script->opening_count++;
    if (opening->name == NULL || opening->path == NULL) {
        return script_no_memory(reader);
    }
    if (writes) {
        count_made(script, opening->path);
    }
    return script_add(reader, group, &(struct act){.action = ACT_OPEN, .opening = script->opening_count - 1, .count = 1});
}

static int is_same(const struct group *one, const struct group *other) {
    return memcmp(one->has, other->has, sizeof one->has) == 0;
}

static int is_part(const struct group *part, const struct group *whole) {
    for (size_t i = 0; i < sizeof part->has; i++) {
        if (part->has[i] & ~whole->has[i]) {
            return 0;
        }
    }
    return 1;
}

/* RANKS view NAME BASE ELEMENT D D D {START START START SIZE SIZE SIZE}... */
static struct view *take_view(struct script_reader *reader, char **word, int count) {
    const int64_t boxes = (count - 8) / 6;
    if (count < 14 || (count - 8) % 6 != 0) {
        script_wrong(reader, "not `RANKS view NAME BASE ELEMENT D D D` and boxes `START START START SIZE SIZE SIZE`", word[0]);
        return NULL;
    }
    struct view *const view = calloc(1, sizeof *view + (size_t)boxes * sizeof view->boxes[0]);
    if (view == NULL) {
        script_no_memory(reader);
        return NULL;
    }
    int good = word_number(word[3], 0, INT64_MAX / 2, &view->base) && word_number(word[4], 1, INT_MAX, &view->element);
    for (int d = 0; d < DIMENSIONS; d++) {
        good = good && word_number(word[5 + d], 1, INT_MAX, &view->whole[d]);
        for (int64_t b = 0; b < boxes; b++) {
            good = good && word_number(word[8 + 6 * b + d], 0, INT_MAX, &view->boxes[b].start[d]) &&
                   word_number(word[11 + 6 * b + d], 1, INT_MAX, &view->boxes[b].size[d]);
        }
    }
    view->count = boxes;
    const char *const mistake = good ? view_mistake(view) : "a view's numbers are whole and not negative";
    if (mistake != NULL) {
        script_wrong(reader, mistake, word[2]);
        free(view);
        return NULL;
    }
    return view;
}

/* RANKS write|read|write_all|read_all NAME OFFSET BYTES [COUNT [STRIDE]] */
static int take_transfer(struct script_reader *reader, char **word, int count, struct act *act) {
    const struct opening *const opening = &reader->script->openings[act->opening];
    const int joint = act->action == ACT_WRITE_ALL || act->action == ACT_READ_ALL;
    const int64_t most = opening->mpiio ? INT_MAX : INT64_MAX / 4;
    act->count = 1;
    if (count < 5 || count > (joint ? 5 : 7) || !word_number(word[3], 0, INT64_MAX / 4, &act->offset) ||
        !word_number(word[4], joint ? 0 : 1, most, &act->bytes) ||
        (count > 5 && !word_number(word[5], 1, INT_MAX, &act->count))) {
        return script_wrong(reader, "not `RANKS write|read NAME OFFSET BYTES [COUNT [STRIDE]]` or `RANKS write_all|read_all "
                             "NAME OFFSET BYTES`", word[0]);
    }
    act->stride = act->bytes;
    if (count > 6 && !word_number(word[6], 1, INT64_MAX / 4 / act->count, &act->stride)) {
        return script_wrong(reader, "not a stride, in bytes", word[6]);
    }
    if ((act->action == ACT_WRITE || act->action == ACT_WRITE_ALL) && !opening->writes) {
        return script_wrong(reader, "the file is open to be read only", word[2]);
    }
    return STATUS_OK;
}

/* What some ranks do on an open file: those of a joint file together. */
static int take_on_file(struct script_reader *reader, enum action action, const struct group *group, char **word,
                        int count) {
    struct script *const script = reader->script;
    const int64_t index = count > 2 ? opening_named(script, word[2]) : -1;
    if (index < 0) {
        return script_wrong(reader, "no file is open under this name", count > 2 ? word[2] : "");
    }
    struct opening *const opening = &script->openings[index];
    const struct group *const users = &script->groups[opening->group];
    const int by_line = action == ACT_VIEW || action == ACT_WRITE_ALL || action == ACT_READ_ALL;
    const int whole = action == ACT_CLOSE || (action == ACT_SYNC && opening->mpiio);
    const int transfers = action == ACT_WRITE || action == ACT_READ || action == ACT_WRITE_ALL || action == ACT_READ_ALL;
    struct act act = {.action = action, .opening = index, .count = 1};
    if (!is_part(group, users) || (whole && !is_same(group, users))) {
        return script_wrong(reader, "these are not the ranks that opened the file", word[0]);
    }
    if ((by_line && !opening->mpiio) || (!transfers && !by_line && count != 3)) {
        return script_wrong(reader, by_line ? "only a file of MPI-IO has this" : "too many words", word[1]);
    }
    if (action == ACT_VIEW) {
        act.view = take_view(reader, word, count);
    } else if (transfers) {
        take_transfer(reader, word, count, &act);
    }
    if (reader->error->status != STATUS_OK) {
        return reader->error->status;
    }
    if (by_line) {
        reader->call_action = (int)action;
        reader->call_opening = index;
    }
    const int mine = group_has(group, script->rank);
    if (action == ACT_VIEW && mine) {
        opening->view = act.view;
    } else if (action == ACT_VIEW) {
        free(act.view);
    }
    if (transfers && mine && opening->view != NULL) {
        const int64_t seen = view_bytes(opening->view);
        if (!by_line || act.offset % seen != 0 || act.bytes % seen != 0) {
            return script_wrong(reader, "with a view, transfers are collective and of whole arrays", word[2]);
        }
        act.in = opening->view;
    }
    opening->is_open = action != ACT_CLOSE;
    return script_add(reader, group, &act);
}

static int take_other(struct script_reader *reader, enum action action, const struct group *group, char **word,
                      int count) {
    struct act act = {.action = action, .count = 1};
    if (action == ACT_BARRIER) {
        act.group = script_group(reader, group);
        return count != 2 ? script_wrong(reader, "not `RANKS barrier`", word[0]) : script_add(reader, group, &act);
    }
    if (count != 3 || !word_seconds(word[2], &act.seconds)) {
        return script_wrong(reader, "not `RANKS compute SECONDS`", word[0]);
    }
    return script_add(reader, group, &act);
}

/* The lines of a collective call stand together, one for each rank that has the file open. */
static int take_part(struct script_reader *reader, enum action action, const struct group *group, char **word,
                     int count) {
    const struct script *const script = reader->script;
    const int by_line = action == ACT_VIEW || action == ACT_WRITE_ALL || action == ACT_READ_ALL;
    if (reader->call_action >= 0 && ((int)action != reader->call_action || count < 3 ||
                                     opening_named(script, word[2]) != reader->call_opening)) {
        return script_wrong(reader, "ranks of the collective call before have no line yet", word[0]);
    }
    for (size_t i = 0; i < sizeof group->has && by_line; i++) {
        if (reader->called.has[i] & group->has[i]) {
            return script_wrong(reader, "a rank has two lines in a collective call", word[0]);
        }
        reader->called.has[i] |= group->has[i];
    }
    return STATUS_OK;
}

static void end_call(struct script_reader *reader) {
    const struct script *const script = reader->script;
    if (reader->call_action >= 0 &&
        is_same(&reader->called, &script->groups[script->openings[reader->call_opening].group])) {
        reader->call_action = -1;
        reader->called = (struct group){.count = 0};
    }
}

int script_take_act(struct script_reader *reader, char **word, int count) {
    struct group group;
    const int action = word_action(word[1]);
    if (action < 0) {
        return script_wrong(reader, "unknown action", word[1]);
    }
    if (!word_group(word[0], reader->script->ranks, &group)) {
        return script_wrong(reader, "not ranks as `*`, `3` or `0,4-7`", word[0]);
    }
    if (take_part(reader, (enum action)action, &group, word, count) != STATUS_OK) {
        return reader->error->status;
    }
    if (action == ACT_BARRIER || action == ACT_COMPUTE) {
        return take_other(reader, (enum action)action, &group, word, count);
    }
    if (action == ACT_OPEN) {
        return take_open(reader, &group, word, count);
    }
    if (action >= ACT_MKDIR) {
        return script_take_names(reader, (enum action)action, &group, word, count);
    }
    if (take_on_file(reader, (enum action)action, &group, word, count) == STATUS_OK) {
        end_call(reader);
    }
    return reader->error->status;
}

