#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

enum { TURNS = 4 }; /* looks for a file that gets another name, or is removed, while it is looked for */

/* A file that some rank has removed holds nothing back; one whose name was changed does. */
static void settle_file(struct play *play, const char *own, struct error *error) {
    char path[TEXT_SIZE];
    if (play_path(play, own, 0, path, error) != STATUS_OK) {
        return;
    }
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    for (int i = 0; descriptor < 0 && errno == ENOENT && i < TURNS; i++) {
        if (!play_find(play, &play->script, own, path, error)) {
            return;
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (descriptor < 0 || fsync(descriptor) != 0) {
        fail(error, STATUS_FAILED, "cannot sync \"%s\" at the end: %s", path, strerror(errno));
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    play->mine.syncs++;
}

void play_settle(struct play *play, struct error *error) {
    const struct script *const script = &play->script;
    char own[TEXT_SIZE];
    play_skip(play);
    for (int64_t i = 0; i < script->opening_count && error->status == STATUS_OK; i++) {
        if (play->files[i] != NULL && script->openings[i].writes) {
            settle_file(play, script->openings[i].path, error);
        }
    }
    for (int64_t i = 0; i < script->act_count; i++) {
        const struct act *const act = &script->acts[i];
        for (int64_t k = 0; act->action == ACT_PUT && k < act->count && error->status == STATUS_OK; k++) {
            script_path(own, sizeof own, act->path, k);
            settle_file(play, own, error);
        }
    }
    play_lap(play, IN_SYNC);
}
