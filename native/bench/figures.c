#include "figures.h"

#include <inttypes.h>
#include <stdio.h>

int figures_gather(const struct job *job, const struct account *account, struct figures *figures) {
    const struct moments *const m = &account->moments;
    const double seconds = m->move_end - m->move_begin;
    const double latency = account->done > 0 ? seconds / (double)account->done : 0;
    const double begins[] = {m->open_begin, m->move_begin, m->close_begin, latency};
    const double ends[] = {m->open_end, m->move_end, m->close_end, account->stopped};
    const int64_t stopped_at = account->stopped > 0 ? account->done_then : account->done;
    const int64_t counts[] = {account->done, account->wrong, stopped_at};
    double first[4];
    double last[4];
    int64_t sum[3];
    int code = MPI_Allreduce(begins, first, 4, MPI_DOUBLE, MPI_MIN, job->comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(ends, last, 4, MPI_DOUBLE, MPI_MAX, job->comm);
    code = code != MPI_SUCCESS ? code : MPI_Allreduce(counts, sum, 3, MPI_INT64_T, MPI_SUM, job->comm);
    if (code == MPI_SUCCESS) {
        *figures = (struct figures){
            .bytes = sum[0] * job->layout.transfer,
            .transfers = sum[0],
            .open = last[0] - first[0],
            .move = last[1] - first[1],
            .close = last[2] - first[2],
            .total = last[2] - first[0],
            .latency = first[3],
            .wrong = sum[1],
            .stonewall_seconds = last[3],
            .stonewall_bytes = last[3] > 0 ? sum[2] * job->layout.transfer : 0,
        };
    }
    return code;
}

int figures_locate(const struct job *job, const struct account *account, const char *path, char *wrong_at) {
    int lowest = job->tasks;
    const int mine = account->wrong > 0 ? job->rank : lowest;
    int code = MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, job->comm);
    snprintf(wrong_at, TEXT_SIZE, "%.3000s at byte %" PRId64, path, account->first_wrong);
    if (code == MPI_SUCCESS && lowest < job->tasks) {
        code = MPI_Bcast(wrong_at, TEXT_SIZE, MPI_CHAR, lowest, job->comm);
    }
    return code;
}
