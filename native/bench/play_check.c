#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "pattern.h"
#include "play.h"

/* How often a place was written before is told up to here in its data, and then from 0 again. */
enum { GENERATIONS = 256 };

/* What the pieces of a transfer are filled with or compared to. */
struct pieces {
    struct play *play;
    int64_t number;
    int64_t wrong; /* the place of the first wrong byte in the file; -1: none */
};

static void fill_piece(void *context, int64_t in_buffer, int64_t in_file, int64_t length) {
    const struct pieces *const pieces = context;
    struct play *const play = pieces->play;
    for (int64_t part = 0; length > 0; in_buffer += part, in_file += part, length -= part) {
        struct span *span = NULL;
        part = play_span(play, pieces->number, in_file, length, &span);
        const int64_t before = span != NULL && span->writer == play->rank ? span->done++ : 0;
        pattern_fill_file(play->buffer + in_buffer, part, pieces->number ^ before % GENERATIONS, in_file, 0);
    }
}

/* The generation that a place must have; -1 where that is not known. It is where one rank alone writes it: to that rank
 * while it runs, and to the one that reads it back afterwards. */
static int64_t generation_of(const struct play *play, const struct span *span) {
    if (span == NULL || span->times == 0) {
        return -1;
    }
    const int64_t done = play->author >= 0 ? span->times : span->done;
    const int author = play->author >= 0 ? play->author : play->rank;
    return span->writer == author && done > 0 ? (done - 1) % GENERATIONS : -1;
}

/* The first byte, in [0, bytes), that no write of the place left there; -1: none. */
static int64_t wrong_in_all(const unsigned char *buffer, int64_t bytes, int64_t number, int64_t offset) {
    int64_t right = 0;
    for (int64_t generation = 0; generation < GENERATIONS; generation++) {
        const int64_t more = pattern_wrong_in_file(buffer + right, bytes - right, number ^ generation, offset + right);
        if (more < 0) {
            return -1;
        }
        right += more;
        generation = more > 0 ? -1 : generation; /* from there on another one may be right */
    }
    return right;
}

static void compare_piece(void *context, int64_t in_buffer, int64_t in_file, int64_t length) {
    struct pieces *const pieces = context;
    const struct play *const play = pieces->play;
    for (int64_t part = 0; length > 0; in_buffer += part, in_file += part, length -= part) {
        const unsigned char *const buffer = play->buffer + in_buffer;
        struct span *span = NULL;
        part = play_span(play, pieces->number, in_file, length, &span);
        const int64_t generation = generation_of(play, span);
        const int64_t wrong = generation < 0
                                  ? wrong_in_all(buffer, part, pieces->number, in_file)
                                  : pattern_wrong_in_file(buffer, part, pieces->number ^ generation, in_file);
        if (wrong >= 0 && pieces->wrong < 0) {
            pieces->wrong = in_file + wrong;
        }
    }
}

void play_fill(struct play *play, const struct view *view, const char *path, int64_t offset, int64_t bytes) {
    struct pieces pieces = {.play = play, .number = play_number(&play->script, path), .wrong = -1};
    view_pieces(view, offset, bytes, fill_piece, &pieces);
}

void play_compare(struct play *play, const struct view *view, const char *path, int64_t offset, int64_t bytes) {
    struct pieces pieces = {.play = play, .number = play_number(&play->script, path), .wrong = -1};
    view_pieces(view, offset, bytes, compare_piece, &pieces);
    if (pieces.wrong >= 0) {
        if (play->wrong == 0) {
            snprintf(play->wrong_at, TEXT_SIZE, "%.3000s at byte %" PRId64, path, pieces.wrong);
        }
        play->wrong++;
    }
}

/* A transfer to read back, piece by piece. */
struct back {
    struct play *play;
    struct file *file;
    const char *path;
    struct error *error;
};

static void read_back(void *context, int64_t in_buffer, int64_t in_file, int64_t length) {
    const struct back *const back = context;
    (void)in_buffer;
    memset(back->play->buffer, 0, (size_t)length);
    if (back->error->status == STATUS_OK &&
        POSIX_BACKEND.transfer(back->file, READ, back->play->buffer, length, in_file, back->error) == STATUS_OK) {
        play_compare(back->play, NULL, back->path, in_file, length);
    }
}

/* What `act` of another rank wrote to one file. */
static void check_file(struct play *play, const struct script *other, const struct act *act, const char *own,
                       struct error *error) {
    char path[TEXT_SIZE];
    const struct place place = {.path = path, .direction = READ};
    struct file file = {0};
    if (!play_find(play, other, own, path, error) || error->status != STATUS_OK) {
        return;
    }
    if (POSIX_BACKEND.open(&place, &file, error) != STATUS_OK) {
        return;
    }
    struct back back = {.play = play, .file = &file, .path = own, .error = error};
    const int64_t times = act->action == ACT_WRITE ? act->count : 1;
    for (int64_t i = 0; i < times; i++) {
        view_pieces(act->in, act->offset + i * act->stride, act->bytes, read_back, &back);
    }
    POSIX_BACKEND.close(&file, error);
}

static void check_act(struct play *play, const struct script *other, const struct act *act, struct error *error) {
    char own[TEXT_SIZE];
    if (act->action == ACT_PUT) {
        for (int64_t i = 0; i < act->count && error->status == STATUS_OK; i++) {
            script_path(own, sizeof own, act->path, i);
            check_file(play, other, act, own, error);
        }
    } else if ((act->action == ACT_WRITE || act->action == ACT_WRITE_ALL) && act->bytes > 0) {
        check_file(play, other, act, other->openings[act->opening].path, error);
    }
}

/* Room for what the other rank wrote. */
static void make_room(struct play *play, const struct script *other, struct error *error) {
    if (other->longest > play->script.longest) {
        unsigned char *const larger = realloc(play->buffer, (size_t)other->longest);
        if (larger == NULL) {
            fail(error, STATUS_FAILED, "no memory to check what was written");
            return;
        }
        play->buffer = larger;
    }
}

int play_check(struct play *play, struct error *error) {
    const int shift = play->ranks > 1 ? play->ranks / 2 : 0; /* ranks stand in blocks: that one is on another node */
    struct script other;
    play->author = (play->rank + shift) % play->ranks;
    if (script_read(&other, play->options->script, play->author, error) == STATUS_OK) {
        make_room(play, &other, error);
    }
    if (agree(play->comm, error) == STATUS_OK) {
        for (int64_t i = 0; i < other.act_count && error->status == STATUS_OK; i++) {
            check_act(play, &other, &other.acts[i], error);
        }
    }
    script_free(&other);
    if (error->status == STATUS_OK && play->wrong > 0) {
        fail(error, STATUS_WRONG_DATA, "incorrect data (%" PRId64 " transfers), first in %.900s", play->wrong,
             play->wrong_at);
    }
    return agree(play->comm, error);
}
