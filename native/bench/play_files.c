#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agree.h"
#include "play.h"

static const struct backend *backend_of(const struct opening *opening) {
    return opening->mpiio ? &MPIIO_BACKEND : &POSIX_BACKEND;
}

static void open_it(struct play *play, const struct opening *opening, struct play_file *open, struct error *error) {
    const struct group *const group = &play->script.groups[opening->group];
    open->place = (struct place){
        .path = open->path,
        .comm = opening->mpiio && group->count > 1 ? play->comms[opening->group] : MPI_COMM_SELF,
        .direction = opening->writes ? WRITE : READ,
        .both = opening->writes,
        .info = opening->mpiio ? play->info : MPI_INFO_NULL,
    };
    backend_of(opening)->open(&open->place, &open->file, error);
    play->mine.opens++;
    play_lap(play, IN_OPEN);
    if (open->file.is_open && opening->mpiio && play->rank == 0 && play->played->in_force.count == 0) {
        MPIIO_BACKEND.hints(&open->file, &play->played->in_force, error);
    }
}

/* One transfer; a rank that failed still joins those of all. */
static void transfer(struct play *play, const struct act *act, int64_t offset, struct error *error) {
    const struct opening *const opening = &play->script.openings[act->opening];
    struct play_file *const open = play->files[act->opening];
    const enum direction direction = act->action == ACT_WRITE || act->action == ACT_WRITE_ALL ? WRITE : READ;
    if (direction == WRITE && (play->options->fill || play->options->check)) {
        play_fill(play, act->in, opening->path, offset, act->bytes);
    } else if (direction == READ && play->options->check) {
        memset(play->buffer, 0, (size_t)act->bytes);
    }
    open->place.collective = act->action == ACT_WRITE_ALL || act->action == ACT_READ_ALL;
    play_skip(play);
    backend_of(opening)->transfer(&open->file, direction, play->buffer, act->bytes, offset, error);
    play_lap(play, direction == WRITE ? IN_WRITE : IN_READ);
    play->mine.bytes[direction] += act->bytes;
    play->mine.transfers[direction] += act->bytes > 0;
    if (direction == READ && play->options->check && error->status == STATUS_OK) {
        play_compare(play, act->in, opening->path, offset, act->bytes);
    }
}

static void close_it(struct play *play, const struct opening *opening, struct play_file *open, struct error *error) {
    if (open->file.is_open) {
        backend_of(opening)->close(&open->file, error);
    }
    play_lap(play, IN_CLOSE);
}

void play_on_file(struct play *play, const struct act *act, struct error *error) {
    const struct opening *const opening = &play->script.openings[act->opening];
    struct play_file *const open = play->files[act->opening];
    const int good = error->status == STATUS_OK;
    if (act->action == ACT_OPEN) {
        if (good || opening->mpiio) {
            open_it(play, opening, open, error);
        }
    } else if (act->action == ACT_CLOSE) {
        close_it(play, opening, open, error);
    } else if (!open->file.is_open) {
        return; /* it failed, and of those that open together, all did */
    } else if (act->action == ACT_VIEW) {
        fail_mpi(error, view_set(act->view, open->file.handle), "cannot set the view of", open->path);
        play_lap(play, IN_METADATA);
    } else if (act->action == ACT_SYNC) {
        if (good || opening->mpiio) {
            backend_of(opening)->sync(&open->file, error);
            play->mine.syncs++;
        }
        play_lap(play, IN_SYNC);
    } else if (act->action == ACT_WRITE_ALL || act->action == ACT_READ_ALL) {
        transfer(play, act, act->offset, error);
    } else {
        for (int64_t i = 0; i < act->count && error->status == STATUS_OK; i++) {
            transfer(play, act, act->offset + i * act->stride, error);
        }
    }
}

/* Write, or read, a whole small file. */
static void small_file(struct play *play, const struct act *act, const char *path, const char *own,
                       struct error *error) {
    const enum direction direction = act->action == ACT_PUT ? WRITE : READ;
    const struct place place = {.path = path, .direction = direction, .both = direction == WRITE};
    struct file file = {0};
    if (direction == WRITE && (play->options->fill || play->options->check)) {
        play_fill(play, NULL, own, 0, act->bytes);
    } else if (play->options->check) {
        memset(play->buffer, 0, (size_t)act->bytes);
    }
    play_skip(play);
    POSIX_BACKEND.open(&place, &file, error);
    play_lap(play, IN_OPEN);
    play->mine.opens++;
    if (!file.is_open) {
        return;
    }
    POSIX_BACKEND.transfer(&file, direction, play->buffer, act->bytes, 0, error);
    play_lap(play, direction == WRITE ? IN_WRITE : IN_READ);
    POSIX_BACKEND.close(&file, error);
    play_lap(play, IN_CLOSE);
    play->mine.bytes[direction] += act->bytes;
    play->mine.transfers[direction]++;
    if (direction == READ && play->options->check && error->status == STATUS_OK) {
        play_compare(play, NULL, own, 0, act->bytes);
    }
}

/* `to` is the other name of a renaming. */
static void change_names(struct play *play, enum action action, const char *path, const char *to, struct error *error) {
    static const char *const NAMES[ACTIONS] = {
        [ACT_MKDIR] = "mkdir", [ACT_RMDIR] = "rmdir", [ACT_STAT] = "stat", [ACT_UNLINK] = "unlink", [ACT_RENAME] = "rename"};
    struct stat found;
    const int code = action == ACT_MKDIR    ? mkdir(path, 0775)
                     : action == ACT_RMDIR  ? rmdir(path)
                     : action == ACT_STAT   ? stat(path, &found)
                     : action == ACT_UNLINK ? unlink(path)
                                            : rename(path, to);
    if (code != 0) {
        fail(error, STATUS_FAILED, "%s(\"%s\") failed: %s", NAMES[action], path, strerror(errno));
    }
    play->mine.metadata++;
    play_lap(play, IN_METADATA);
}

void play_by_name(struct play *play, const struct act *act, struct error *error) {
    char path[TEXT_SIZE];
    char to[TEXT_SIZE] = "";
    char own[TEXT_SIZE];
    for (int64_t i = 0; i < act->count && error->status == STATUS_OK; i++) {
        script_path(own, sizeof own, act->path, i);
        if (play_path(play, act->path, i, path, error) != STATUS_OK ||
            (act->to != NULL && play_path(play, act->to, i, to, error) != STATUS_OK)) {
            return;
        }
        if (act->action == ACT_PUT || act->action == ACT_GET) {
            small_file(play, act, path, own, error);
        } else {
            change_names(play, act->action, path, to, error);
        }
    }
}
