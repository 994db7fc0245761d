#include "report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "describe.h"

static const double KIBIBYTE = 1024;

static void name_library(char *text, size_t size) {
    char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(whole, &length);
    whole[strcspn(whole, ",\n")] = '\0';
    size_t end = 0;
    for (const char *c = whole; *c != '\0' && end + 1 < size; c++) {
        const int blank = isspace((unsigned char)*c);
        if (!blank || (end > 0 && text[end - 1] != ' ')) {
            text[end++] = (char)(blank ? ' ' : *c);
        }
    }
    text[end] = '\0';
}

struct heading heading_of(int argc, char **argv) {
    struct heading heading = {.command = ""};
    size_t length = 0;
    for (int i = 0; i < argc && length < sizeof heading.command; i++) {
        const int added =
            snprintf(heading.command + length, sizeof heading.command - length, "%s%s", i > 0 ? " " : "", argv[i]);
        length += added > 0 ? (size_t)added : 0;
    }
    struct utsname machine;
    if (uname(&machine) == 0) {
        snprintf(heading.machine, sizeof heading.machine, "%.100s %.100s", machine.sysname, machine.nodename);
    }
    name_library(heading.mpi, sizeof heading.mpi);
    time_of_day(heading.began, sizeof heading.began);
    return heading;
}

void report_heading(struct json *json, const struct heading *heading, const struct error *error) {
    json_open(json, NULL, '{');
    json_string(json, "Version", BENCH_VERSION);
    json_string(json, "Benchmark", "acic-bench");
    json_string(json, "Began", heading->began);
    json_string(json, "Command line", heading->command);
    json_string(json, "Machine", heading->machine);
    json_string(json, "MPI", heading->mpi);
    json_string(json, "Status",
                error->status == STATUS_OK           ? "ok"
                : error->status == STATUS_WRONG_DATA ? "wrong data"
                                                     : "failed");
    if (error->status != STATUS_OK) {
        json_string(json, "Error", error->text);
        json_integer(json, "Exit status", error->status);
    }
}

void report_end(struct json *json, const struct error *error) {
    char now[64];
    time_of_day(now, sizeof now);
    json_string(json, error->status == STATUS_OK ? "Finished" : "Gave up", now);
    json_close(json, '{');
    text_add(&json->text, "\n");
}

static void lines_of(struct json *json, const struct line *lines, int count) {
    for (int i = 0; i < count; i++) {
        int64_t number = 0;
        if (lines[i].is_number && sscanf(lines[i].value, "%" SCNd64, &number) == 1) {
            json_integer(json, lines[i].key, number);
        } else {
            json_string(json, lines[i].key, lines[i].value);
        }
    }
}

static void parameters(struct json *json, const struct job *job, const struct heading *heading) {
    const struct options *const o = job->options;
    char platform[300];
    const char *const node = strchr(heading->machine, ' ');
    snprintf(platform, sizeof platform, "%s(Linux)", node != NULL ? node + 1 : "");
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"deadlineForStonewall", o->deadline},
        {"stoneWallingWearOut", o->wear_out},
        {"maxTimeDuration", 0},
        {"outlierThreshold", 0},
        {"dryRun", 0},
        {"nodes", job->nodes},
        {"memoryPerTask", 0},
        {"memoryPerNode", 0},
        {"tasksPerNode", job->tasks_per_node},
        {"repetitions", o->repetitions},
        {"multiFile", o->multi_file},
        {"interTestDelay", o->delay},
        {"fsync", o->fsync},
        {"fsyncperwrite", o->fsync_each},
        {"useExistingTestFile", o->use_existing},
        {"uniqueDir", 0},
        {"singleXferAttempt", 0},
        {"readFile", o->read},
        {"writeFile", o->write},
        {"filePerProc", o->file_per_task},
        {"reorderTasks", o->reorder},
        {"reorderTasksRandom", 0},
        {"reorderTasksRandomSeed", 0},
        {"randomOffset", o->random},
        {"checkWrite", o->check_write},
        {"checkRead", o->check_read},
        {"dataPacketType", job->packet},
        {"keepFile", o->keep},
        {"keepFileWithError", o->keep_wrong},
        {"warningAsErrors", 0},
        {"verbose", o->verbose},
        {"setTimeStampSignature/incompressibleSeed", o->signature},
        {"collective", o->collective},
        {"segmentCount", o->segments},
        {"transferSize", o->transfer},
        {"blockSize", o->block},
        {"taskPerNodeOffset", o->shift},
        {"useO_DIRECT", o->direct},
        {"signatureInForce", job->signature},
    };
    json_open(json, "Parameters", '{');
    json_integer(json, "testID", 0);
    json_integer(json, "refnum", o->reference);
    json_string(json, "api", job->backend->name);
    json_string(json, "platform", platform);
    json_string(json, "testFileName", o->file);
    json_string(json, "options", "");
    json_string(json, "data packet type", pattern_letter(job->packet));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        json_integer(json, numbers[i].key, numbers[i].value);
    }
    json_close(json, '{');
}

static void hints_of(struct json *json, const char *key, const struct hints *hints) {
    json_open(json, key, '{');
    for (int i = 0; i < hints->count; i++) {
        json_string(json, hints->hint[i].name, hints->hint[i].value);
    }
    json_close(json, '{');
}

void report_hints(struct json *json, const struct hints *asked, const struct hints *in_force) {
    json_open(json, "Hints", '{');
    hints_of(json, "asked", asked);
    hints_of(json, "in force", in_force);
    json_open(json, "not in force", '[');
    for (int i = 0; i < asked->count; i++) {
        const char *const value = hints_get(in_force, asked->hint[i].name);
        if (value == NULL || strcmp(value, asked->hint[i].value) != 0) {
            json_string(json, NULL, asked->hint[i].name);
        }
    }
    json_close(json, '[');
    json_close(json, '{');
}

void report_result(struct json *json, const struct result *result, double block, double transfer) {
    const struct figures *const f = &result->figures;
    json_open(json, NULL, '{');
    json_string(json, "access", access_name(result->access));
    json_real(json, "bwMiB", bandwidth(f));
    json_real(json, "blockKiB", block / KIBIBYTE);
    json_real(json, "xferKiB", transfer / KIBIBYTE);
    json_real(json, "iops", (double)f->transfers / f->move);
    json_real(json, "latency", f->latency);
    json_real(json, "openTime", f->open);
    json_real(json, "wrRdTime", f->move);
    json_real(json, "closeTime", f->close);
    json_real(json, "totalTime", f->total);
    json_integer(json, "repetition", result->repetition);
    json_integer(json, "bytes", f->bytes);
    json_integer(json, "transfers", f->transfers);
    if (f->stonewall_seconds > 0) {
        json_real(json, "stonewallTime", f->stonewall_seconds);
        json_integer(json, "stonewallBytes", f->stonewall_bytes);
    }
    json_close(json, '{');
}

static void summary(struct json *json, const struct job *job, const struct results *results, enum direction access) {
    const struct options *const o = job->options;
    const struct statistics bw = statistics_of(results, access, BANDWIDTH);
    const struct statistics ops = statistics_of(results, access, OPERATIONS);
    if (bw.count == 0) {
        return;
    }
    json_open(json, NULL, '{');
    json_string(json, "operation", access_name(access));
    json_string(json, "API", job->backend->name);
    json_integer(json, "TestID", 0);
    json_integer(json, "ReferenceNumber", o->reference);
    json_integer(json, "segmentCount", o->segments);
    json_integer(json, "blockSize", o->block);
    json_integer(json, "transferSize", o->transfer);
    json_integer(json, "numTasks", job->tasks);
    json_integer(json, "tasksPerNode", job->tasks_per_node);
    json_integer(json, "repetitions", o->repetitions);
    json_integer(json, "filePerProc", o->file_per_task);
    json_integer(json, "reorderTasks", o->reorder);
    json_integer(json, "taskPerNodeOffset", o->shift);
    json_integer(json, "reorderTasksRandom", 0);
    json_integer(json, "reorderTasksRandomSeed", 0);
    json_real(json, "bwMaxMIB", bw.max);
    json_real(json, "bwMinMIB", bw.min);
    json_real(json, "bwMeanMIB", bw.mean);
    json_real(json, "bwStdMIB", bw.deviation);
    json_real(json, "OPsMax", ops.max);
    json_real(json, "OPsMin", ops.min);
    json_real(json, "OPsMean", ops.mean);
    json_real(json, "OPsSD", ops.deviation);
    json_real(json, "MeanTime", statistics_of(results, access, SECONDS).mean);
    json_real(json, "xsizeMiB", statistics_of(results, access, MEBIBYTES).mean);
    json_close(json, '{');
}

static void test(struct json *json, const struct heading *heading, const struct job *job, const struct results *results,
                 int good) {
    struct line lines[LINES];
    json_open(json, NULL, '{');
    json_integer(json, "TestID", 0);
    json_string(json, "StartTime", heading->began);
    lines_of(json, lines, describe_file_system(lines, job->options->file));
    parameters(json, job, heading);
    json_open(json, "Options", '{');
    lines_of(json, lines, describe_options(lines, job));
    json_close(json, '{');
    report_hints(json, &job->asked, &results->in_force);
    json_open(json, "Errors", '{');
    json_integer(json, "checkWrite", results->wrong[0]);
    json_integer(json, "checkRead", results->wrong[1]);
    json_string(json, "first", results->wrong_at);
    json_close(json, '{');
    json_open(json, "Results", '[');
    for (int64_t i = 0; i < results->count && good; i++) {
        report_result(json, &results->items[i], (double)job->options->block, (double)job->options->transfer);
    }
    json_close(json, '[');
    json_close(json, '{');
}

void report_json(struct json *json, const struct heading *heading, const struct job *job, const struct results *results,
                 const struct error *error) {
    const int good = error->status == STATUS_OK;
    report_heading(json, heading, error);
    json_open(json, "tests", '[');
    if (job != NULL && job->backend != NULL) {
        test(json, heading, job, results, good);
    }
    json_close(json, '[');
    json_open(json, "summary", '[');
    if (job != NULL && good) {
        summary(json, job, results, WRITE);
        summary(json, job, results, READ);
    }
    json_close(json, '[');
    report_end(json, error);
}
