#include <inttypes.h>
#include <stdio.h>

#include "describe.h"
#include "report.h"

static const double KIBIBYTE = 1024;

void report_text_begin(struct text *text, const struct heading *heading, const struct job *job) {
    struct line lines[LINES];
    text_add(text, "%s: MPI Coordinated Test of Parallel I/O\n", BENCH_VERSION);
    text_add(text, "%-20s: %s\n%-20s: %s\n", "Began", heading->began, "Command line", heading->command);
    text_add(text, "%-20s: %s\n", "Machine", heading->machine);
    text_add(text, "%-20s: %s\n%-20s: %d\n", "MPI", heading->mpi, "TestID", 0);
    text_add(text, "%-20s: %s\n\nOptions: \n", "StartTime", heading->began);
    const int count = describe_options(lines, job);
    for (int i = 0; i < count; i++) {
        text_add(text, "%-20s: %s\n", lines[i].key, lines[i].value);
    }
    text_add(text, "\nResults: \n\n");
    text_add(text, "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   "
                   "total(s)   iter\n");
    text_add(text, "------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   "
                   "--------   ----\n");
}

void report_text_result(struct text *text, const struct result *result, double block, double transfer) {
    const struct figures *const f = &result->figures;
    text_add(text, "%-9s %-10.2f %-10.2f %-11.6f %-10.2f %-10.2f %-10.6f %-10.6f %-10.6f %-10.6f %-4" PRId64 "\n",
             access_name(result->access), bandwidth(f), (double)f->transfers / f->move, f->latency, block / KIBIBYTE,
             transfer / KIBIBYTE, f->open, f->move, f->close, f->total, result->repetition);
}

void report_text_hints(struct text *text, const struct hints *asked, const struct hints *in_force) {
    text_add(text, "\nhints asked for {\n");
    for (int i = 0; i < asked->count; i++) {
        text_add(text, "\t%s = %s\n", asked->hint[i].name, asked->hint[i].value);
    }
    text_add(text, "}\n\nhints in force {\n");
    for (int i = 0; i < in_force->count; i++) {
        text_add(text, "\t%s = %s\n", in_force->hint[i].name, in_force->hint[i].value);
    }
    text_add(text, "}\n");
}

void report_text_end(struct text *text, const struct job *job, const struct results *results) {
    char now[64];
    if (job->options->verbose || job->options->show_hints) {
        report_text_hints(text, &job->asked, &results->in_force);
    }
    text_add(text, "\nSummary of all tests:\n");
    text_add(text, "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s)  reps\n");
    for (enum direction access = WRITE; access <= READ; access++) {
        const struct statistics bw = statistics_of(results, access, BANDWIDTH);
        if (bw.count > 0) {
            text_add(text, "%-9s %10.2f %10.2f %10.2f %10.2f %10.5f %5" PRId64 "\n", access_name(access), bw.max,
                     bw.min, bw.mean, bw.deviation, statistics_of(results, access, SECONDS).mean, bw.count);
        }
    }
    time_of_day(now, sizeof now);
    text_add(text, "%-20s: %s\n", "Finished", now);
}
