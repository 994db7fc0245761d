#include <stdio.h>

#include "agree.h"
#include "burn.h"
#include "play.h"

static const double SHORTEST = 5e-5; /* seconds between two looks at a barrier */
static const double LONGEST = 1e-3;

void play_lap(struct play *play, enum activity activity) {
    const double now = clock_now(&play->clock);
    play->mine.seconds[activity] += now - play->lap;
    play->lap = now;
}

void play_skip(struct play *play) {
    play->lap = clock_now(&play->clock);
}

int play_path(const struct play *play, const char *path, int64_t number, char text[TEXT_SIZE], struct error *error) {
    const int length = snprintf(text, TEXT_SIZE, "%s/", play->options->directory);
    if (length < 0 || length >= TEXT_SIZE || !script_path(text + length, (size_t)(TEXT_SIZE - length), path, number)) {
        return fail(error, STATUS_FAILED, "the path of %.100s is too long", path);
    }
    return STATUS_OK;
}

/* A barrier that leaves the processor to others: MPI's own would use it up in waiting, and a node's share of it is what
 * the ranks that compute, and a file system's servers, are to have. */
static void wait_for_all(struct play *play, const struct act *act, struct error *error) {
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    int code = MPI_Ibarrier(play->comms[act->group], &request);
    double pause = SHORTEST;
    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            clock_sleep(pause);
            pause = pause < LONGEST ? 1.5 * pause : LONGEST;
        }
    }
    fail_mpi(error, code, "cannot", "wait for the other ranks");
    play_lap(play, IN_WAIT);
}

static void compute(struct play *play, const struct act *act) {
    const double before = burn_used();
    burn(act->seconds);
    play->mine.burnt += burn_used() - before;
    play_lap(play, IN_COMPUTE);
}

void play_act(struct play *play, const struct act *act, struct error *error) {
    play_skip(play);
    if (act->action == ACT_BARRIER) {
        wait_for_all(play, act, error);
    } else if (act->action == ACT_COMPUTE) {
        if (error->status == STATUS_OK) {
            compute(play, act);
        }
    } else if (act->action >= ACT_MKDIR) {
        play_by_name(play, act, error);
    } else {
        play_on_file(play, act, error);
    }
}
