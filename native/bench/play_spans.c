#include <stdlib.h>

#include "play.h"

enum { MANY = -1 };

/* A piece that some rank writes. */
struct piece {
    int64_t number, begin, end;
    int rank;
};

/* All pieces of all ranks, while they are gathered. */
struct gathered {
    struct piece *pieces;
    int64_t count, capacity;
    int64_t number; /* of the file that is at hand */
    int rank, author;
    int failed; /* no memory */
};

static void gather_piece(void *context, int64_t in_buffer, int64_t in_file, int64_t length) {
    struct gathered *const all = context;
    (void)in_buffer;
    if (all->count == all->capacity) {
        const int64_t capacity = 2 * (all->capacity + 64);
        struct piece *const larger = realloc(all->pieces, (size_t)capacity * sizeof *larger);
        all->failed |= larger == NULL;
        if (larger == NULL) {
            return;
        }
        all->pieces = larger;
        all->capacity = capacity;
    }
    all->pieces[all->count++] = (struct piece){all->number, in_file, in_file + length, all->author};
}

/* Whose are a file's pieces: nobody's where the file gets another name, under which what was written before may be. */
static void begin_file(struct gathered *all, const struct script *script, const char *own) {
    char other[TEXT_SIZE];
    all->number = play_number(script, own);
    all->author = script_renames(script, own, other, sizeof other) ? MANY : all->rank;
}

static void gather_act(struct gathered *all, const struct script *script, const struct act *act) {
    char own[TEXT_SIZE];
    if (act->action == ACT_PUT) {
        for (int64_t i = 0; i < act->count; i++) {
            script_path(own, sizeof own, act->path, i);
            begin_file(all, script, own);
            gather_piece(all, 0, 0, act->bytes);
        }
    } else if ((act->action == ACT_WRITE || act->action == ACT_WRITE_ALL) && act->bytes > 0) {
        begin_file(all, script, script->openings[act->opening].path);
        for (int64_t i = 0; i < act->count; i++) {
            view_pieces(act->in, act->offset + i * act->stride, act->bytes, gather_piece, all);
        }
    }
}

static void gather(struct gathered *all, const struct play *play, struct error *error) {
    for (all->rank = 0; all->rank < play->script.ranks && error->status == STATUS_OK; all->rank++) {
        struct script script;
        script_read(&script, play->options->script, all->rank, error);
        for (int64_t i = 0; i < script.act_count && error->status == STATUS_OK; i++) {
            gather_act(all, &script, &script.acts[i]);
        }
        script_free(&script);
    }
}

static int by_place(const void *left, const void *right) {
    const struct span *const a = left;
    const struct span *const b = right;
    return a->number != b->number ? (a->number < b->number ? -1 : 1) : (a->begin > b->begin) - (a->begin < b->begin);
}

/* The index of the first span that begins behind a place. */
static int64_t behind(const struct play *play, int64_t number, int64_t offset) {
    const struct span place = {.number = number, .begin = offset};
    int64_t low = 0;
    int64_t high = play->span_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (by_place(&play->spans[middle], &place) > 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* A span from each place where a piece begins or ends to the next one. */
static void cut(struct play *play, const struct gathered *all) {
    int64_t kept = 0;
    for (int64_t i = 0; i < all->count; i++) {
        play->spans[2 * i] = (struct span){.number = all->pieces[i].number, .begin = all->pieces[i].begin};
        play->spans[2 * i + 1] = (struct span){.number = all->pieces[i].number, .begin = all->pieces[i].end};
    }
    qsort(play->spans, (size_t)(2 * all->count), sizeof *play->spans, by_place);
    for (int64_t i = 0; i < 2 * all->count; i++) {
        if (kept == 0 || by_place(&play->spans[kept - 1], &play->spans[i]) != 0) {
            play->spans[kept++] = play->spans[i];
        }
    }
    play->span_count = kept;
}

static void count_writes(struct play *play, const struct piece *piece) {
    for (int64_t i = behind(play, piece->number, piece->begin) - 1;
         play->spans[i].number == piece->number && play->spans[i].begin < piece->end; i++) {
        struct span *const span = &play->spans[i];
        span->writer = span->times == 0 || span->writer == piece->rank ? piece->rank : MANY;
        span->times++;
    }
}

int play_spans_make(struct play *play, struct error *error) {
    struct gathered all = {0};
    gather(&all, play, error);
    play->spans = malloc((size_t)(2 * all.count + 1) * sizeof *play->spans);
    if (all.failed || play->spans == NULL) {
        fail(error, STATUS_FAILED, "no memory for what the script writes");
    } else if (error->status == STATUS_OK) {
        cut(play, &all);
        for (int64_t i = 0; i < all.count; i++) {
            count_writes(play, &all.pieces[i]);
        }
    }
    free(all.pieces);
    return error->status;
}

int64_t play_span(const struct play *play, int64_t number, int64_t offset, int64_t length, struct span **span) {
    const int64_t next = behind(play, number, offset);
    const int same = next < play->span_count && play->spans[next].number == number;
    *span = next > 0 && play->spans[next - 1].number == number ? &play->spans[next - 1] : NULL;
    return same && play->spans[next].begin - offset < length ? play->spans[next].begin - offset : length;
}
