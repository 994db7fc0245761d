/* Write-behind against a server that answers in any order, in part, or with an error: at the end every byte is the one
 * that was written last, none was written that nobody wrote, and every waiter was called, once, and not too early. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../chunk.h"
#include "check.h"

enum { FILE_SIZE = 4096, LARGEST = 256, STREAMS = 3, CALLS_MAX = 1024 };

static unsigned char on_server[FILE_SIZE], expected[FILE_SIZE];
static bool written[FILE_SIZE];
static struct chunk *under_way[CALLS_MAX];
static int count, stable_calls;
static unsigned state = 1;

static unsigned draw(unsigned below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* In place of server.c. */
void server_submit(struct server *server, struct call *call, bool carries_data) {
    struct chunk *const chunk = (struct chunk *)call;
    (void)server;
    CHECK(carries_data && count < CALLS_MAX);
    for (int i = 0; i < count; i++) {
        CHECK(!chunk_overlaps(under_way[i], chunk->offset + chunk->answered, chunk->length - chunk->answered));
    }
    under_way[count++] = chunk;
}

static void answer_one(int error, bool whole) {
    const int which = (int)draw((unsigned)count);
    struct chunk *const chunk = under_way[which];
    under_way[which] = under_way[--count];
    const size_t left = chunk->length - chunk->answered, size = whole ? left : 1 + draw((unsigned)left);
    WRITE3res result = {.status = NFS3_OK};
    result.WRITE3res_u.resok.count = (count3)size;
    result.WRITE3res_u.resok.committed = chunk->stable;
    stable_calls += chunk->stable == FILE_SYNC;
    if (error == 0) {
        for (size_t i = 0; i < size; i++) {
            CHECK(written[chunk->offset + chunk->answered + i]);
        }
        memcpy(on_server + chunk->offset + chunk->answered, chunk->data + chunk->answered, size);
    }
    chunk->call.done(&chunk->call, error, error == 0 ? &result : NULL);
}

struct mark {
    struct waiter waiter;
    int called;
};

static void reached(struct waiter *waiter) {
    ((struct mark *)waiter)->called++;
}

struct sink {
    struct written written;
    int called, error;
};

static void through(struct written *written_through, int error) {
    struct sink *const sink = (struct sink *)written_through;
    sink->called++;
    sink->error = error;
}

struct place {
    struct inodes inodes;
    struct writers writers;
    struct stream streams[STREAMS];
    struct inode *file;
};

static void begin(struct place *place, unsigned seed) {
    const struct handle root = {.size = 1, .bytes = "r"};
    *place = (struct place){.writers = {.size = LARGEST}};
    state = seed;
    memset(on_server, 0, sizeof on_server);
    memset(expected, 0, sizeof expected);
    memset(written, 0, sizeof written);
    stable_calls = 0;
    CHECK(inodes_make(&place->inodes, &root) == 0);
    place->writers.inodes = &place->inodes;
    budget_make(&place->writers.budget, 4 * (LARGEST + CHUNK_COST));
    place->file = inode_get(&place->inodes, "f", 1);
}

static void end(struct place *place) {
    CHECK(behind_idle(place->file) && count == 0);
    CHECK(place->writers.budget.used == 0 && place->writers.budget.gathered == 0);
    CHECK(place->file->references == 1);
    inodes_free(&place->inodes);
}

static void finish(struct place *place) {
    struct mark mark = {.waiter.then = reached};
    behind_settle(place->file, &mark.waiter, false);
    while (count > 0) {
        answer_one(0, draw(2));
    }
    CHECK(mark.called == 1);
}

static void put(struct place *place, struct stream *stream, size_t offset, size_t size, struct sink *sink) {
    unsigned char data[FILE_SIZE];
    for (size_t i = 0; i < size; i++) {
        data[i] = (unsigned char)draw(256);
        written[offset + i] = true;
    }
    memcpy(expected + offset, data, size);
    CHECK(behind_write(&place->writers, place->file, stream, (char *)data, size, offset, sink ? FILE_SYNC : UNSTABLE,
                       sink ? &sink->written : NULL) == 0);
}

static void any_order_is_right(unsigned seed) {
    struct place place;
    begin(&place, seed);
    struct sink sinks[16] = {0};
    struct mark marks[16] = {0};
    int used = 0, marked = 0;
    size_t next[STREAMS] = {0};
    for (int step = 0; step < 300; step++) {
        const unsigned what = draw(20), stream = draw(STREAMS);
        if (what < 12) {
            const size_t size = 1 + draw(draw(4) == 0 ? 600 : 40);
            const size_t offset = draw(3) == 0 || next[stream] + size > FILE_SIZE ? draw((unsigned)(FILE_SIZE - size))
                                                                                  : next[stream];
            next[stream] = offset + size;
            put(&place, &place.streams[stream], offset, size, NULL);
        } else if (what == 12 && used < 16) {
            sinks[used].written.then = through;
            put(&place, &place.streams[stream], draw(FILE_SIZE - 300), 1 + draw(300), &sinks[used]);
            used++;
        } else if (what == 13 && marked < 16) {
            marks[marked].waiter.then = reached;
            behind_settle(place.file, &marks[marked].waiter, draw(2));
            marked++;
        } else if (count > 0) {
            answer_one(0, draw(3) > 0);
        }
    }
    finish(&place);
    CHECK(memcmp(on_server, expected, sizeof expected) == 0);
    for (int i = 0; i < used; i++) {
        CHECK(sinks[i].called == 1 && sinks[i].error == 0);
    }
    for (int i = 0; i < marked; i++) {
        CHECK(marks[i].called == 1);
    }
    end(&place);
}

static void small_writes_are_gathered(void) {
    struct place place;
    begin(&place, 7);
    for (size_t i = 0; i < 2 * LARGEST; i += 8) {
        put(&place, &place.streams[0], i, 8, NULL);
    }
    CHECK(count == 2); /* of the largest size, sent as soon as they were full */
    finish(&place);
    end(&place);
}

static void a_single_call_is_durable_by_itself(void) {
    struct place place;
    begin(&place, 8);
    struct mark mark = {.waiter.then = reached};
    uint64_t commit;
    put(&place, &place.streams[0], 3, 100, NULL);
    behind_settle(place.file, &mark.waiter, true);
    CHECK(mark.called == 0);
    answer_one(0, true);
    CHECK(mark.called == 1 && stable_calls == 1 && !behind_needs_commit(place.file, &commit));
    put(&place, &place.streams[0], 0, 2 * LARGEST, NULL);
    finish(&place);
    CHECK(behind_needs_commit(place.file, &commit));
    behind_committed(place.file, commit, place.file->behind.verifier);
    CHECK(!behind_needs_commit(place.file, &commit) && behind_error(place.file, &place.streams[0]) == 0);
    end(&place);
}

static void an_error_is_told_to_every_open_file_once(void) {
    struct place place;
    begin(&place, 9);
    struct sink sink = {.written.then = through};
    put(&place, &place.streams[0], 0, LARGEST, NULL);
    answer_one(ENOSPC, true);
    CHECK(behind_write(&place.writers, place.file, &place.streams[0], "x", 1, 0, UNSTABLE, NULL) == ENOSPC);
    CHECK(behind_error(place.file, &place.streams[0]) == 0);
    CHECK(behind_pending(place.file, &place.streams[1]) == ENOSPC); /* a look leaves it */
    CHECK(behind_error(place.file, &place.streams[1]) == ENOSPC);
    CHECK(behind_pending(place.file, &place.streams[1]) == 0);
    put(&place, &place.streams[2], 0, LARGEST, &sink); /* who waits is told, and nobody else */
    answer_one(EIO, true);
    CHECK(sink.called == 1 && sink.error == EIO && behind_error(place.file, &place.streams[0]) == 0);
    end(&place);
}

static void a_commit_that_fails_is_told_to_every_open_file(void) {
    struct place place;
    begin(&place, 12);
    uint64_t commit;
    put(&place, &place.streams[0], 0, LARGEST, NULL);
    answer_one(0, true);
    CHECK(behind_needs_commit(place.file, &commit));
    behind_not_committed(place.file, ENOSPC);
    CHECK(behind_error(place.file, &place.streams[0]) == ENOSPC && behind_error(place.file, &place.streams[0]) == 0);
    CHECK(behind_error(place.file, &place.streams[1]) == ENOSPC && behind_needs_commit(place.file, &commit));
    end(&place);
}

static void a_server_that_starts_anew_may_have_lost_data(void) {
    struct place place;
    begin(&place, 10);
    uint64_t commit;
    put(&place, &place.streams[0], 0, LARGEST, NULL);
    answer_one(0, true);
    CHECK(behind_needs_commit(place.file, &commit));
    behind_committed(place.file, commit, "anewanew");
    CHECK(behind_error(place.file, &place.streams[0]) == EIO);
    end(&place);
}

static void who_writes_too_much_waits(void) {
    struct place place;
    begin(&place, 11);
    struct mark mark = {.waiter.then = reached}, free_again = {.waiter.then = reached};
    put(&place, &place.streams[0], 0, 2 * LARGEST, NULL);
    budget_wait(&place.writers.budget, &mark.waiter);
    CHECK(mark.called == 1);
    put(&place, &place.streams[0], 2 * LARGEST, 2 * LARGEST, NULL);
    budget_wait(&place.writers.budget, &free_again.waiter);
    CHECK(free_again.called == 0);
    answer_one(0, true);
    CHECK(free_again.called == 1);
    finish(&place);
    end(&place);
}

/* A few bytes here and there must not take a call's room each. */
static void small_writes_take_little(void) {
    struct place place;
    begin(&place, 13);
    struct mark mark = {.waiter.then = reached};
    for (size_t i = 0; i < 5; i++) {
        put(&place, &place.streams[0], 300 * i, 1, NULL);
        put(&place, &place.streams[0], 300 * i + 1, 1, NULL);
    }
    CHECK(count == 4); /* and one that is gathered */
    for (int i = 0; i < count; i++) {
        CHECK(under_way[i]->length == 2 && under_way[i]->capacity == 2);
    }
    budget_wait(&place.writers.budget, &mark.waiter);
    CHECK(mark.called == 1);
    put(&place, &place.streams[0], 2000, 1, NULL); /* that one is closed: they take more than so many full calls may */
    mark.called = 0;
    budget_wait(&place.writers.budget, &mark.waiter);
    CHECK(mark.called == 0);
    finish(&place);
    CHECK(mark.called == 1);
    end(&place);
}

int main(void) {
    for (unsigned seed = 1; seed <= 30; seed++) {
        any_order_is_right(seed);
    }
    small_writes_are_gathered();
    a_single_call_is_durable_by_itself();
    an_error_is_told_to_every_open_file_once();
    a_commit_that_fails_is_told_to_every_open_file();
    a_server_that_starts_anew_may_have_lost_data();
    who_writes_too_much_waits();
    small_writes_take_little();
    return 0;
}
