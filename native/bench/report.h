/* The summary of a benchmark: JSON of IOR's layout, or text for people. */
#ifndef ACIC_BENCH_REPORT_H
#define ACIC_BENCH_REPORT_H

#include "benchmark.h"
#include "json.h"

#define BENCH_VERSION "acic-bench-0.1.0"

/* What every summary begins with. */
struct heading {
    char command[2 * TEXT_SIZE]; /* the command line */
    char began[64];              /* the time of day, as ctime() writes it */
    char machine[256];           /* "Linux name" */
    char mpi[128];               /* "Open MPI v4.1.4": the library as it names itself, as far as the first comma */
};
struct heading heading_of(int argc, char **argv);

/* IOR's JSON, with what is ours added: "Benchmark", "Status", "Hints", "Errors", and each
 * result's "bytes", "transfers" and "repetition". After a failure (`error`) there is neither a result nor a summary in
 * it, and no "Finished". `job` is NULL where the failure came before there was one. */
void report_json(struct json *json, const struct heading *heading, const struct job *job, const struct results *results,
                 const struct error *error);

/* The parts that a replay's summary has in common with it. */
void report_heading(struct json *json, const struct heading *heading, const struct error *error);
void report_hints(struct json *json, const struct hints *asked, const struct hints *in_force);
void report_result(struct json *json, const struct result *result, double block, double transfer);
void report_end(struct json *json, const struct error *error);

/* The same for people: what stands before the first result, a result's line, and the end. */
void report_text_begin(struct text *text, const struct heading *heading, const struct job *job);
void report_text_result(struct text *text, const struct result *result, double block, double transfer);
void report_text_end(struct text *text, const struct job *job, const struct results *results);
void report_text_hints(struct text *text, const struct hints *asked, const struct hints *in_force);

#endif
