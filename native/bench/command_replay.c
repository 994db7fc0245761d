#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "agree.h"
#include "commands.h"
#include "describe.h"
#include "output.h"
#include "replay.h"
#include "report.h"

static const double KIBIBYTE = 1024;

static void print_help(void) {
    struct text text = {0};
    text_add(&text, "usage: acic-bench replay [OPTIONS] FILE   replay the I/O of an application, read from FILE\n\n");
    replay_options_help(&text);
    text_add(
        &text,
        "\nThe format of FILE is told in docs/acic-bench.md. Exit status: 0 done, 1 bad command line, 2 wrong data, "
        "255 failed.\n");
    fputs(text.failed ? "no memory\n" : text.data, stdout);
    text_free(&text);
}

static struct result result_of(const struct replayed *replayed, enum direction access) {
    return (struct result){.access = access, .repetition = 0, .figures = replayed->figures[access]};
}

/* The mean length of the transfers, in bytes. */
static double mean_length(const struct figures *figures) {
    return (double)figures->bytes / (double)figures->transfers;
}

static void make_json(struct json *json, const struct heading *heading, const struct replay *replay,
                      const struct replayed *replayed, const struct error *error) {
    const int good = error->status == STATUS_OK;
    report_heading(json, heading, error);
    json_open(json, "Replay", '{');
    json_string(json, "trace", replay->options->trace);
    json_string(json, "directory", replay->options->directory);
    json_real(json, "think", replay->options->think);
    json_integer(json, "ranks", replay->ranks);
    json_integer(json, "files", replay->trace.file_count);
    json_integer(json, "segments", replay->trace.total_segments);
    if (good && !replay->options->prepare_only) {
        json_real(json, "totalTime", replayed->total);
        json_real(json, "ioTime", replayed->in_io);
        json_real(json, "computeTime", replayed->computing);
    }
    json_close(json, '{');
    report_hints(json, &replay->asked, &replayed->in_force);
    json_open(json, "Results", '[');
    for (enum direction access = WRITE; good && access <= READ; access++) {
        const struct result result = result_of(replayed, access);
        if (result.figures.transfers > 0) {
            report_result(json, &result, (double)result.figures.bytes / replay->ranks, mean_length(&result.figures));
        }
    }
    json_close(json, '[');
    json_open(json, "Elapsed", '{');
    for (enum direction access = WRITE; good && access <= READ; access++) {
        json_real(json, access_name(access), replayed->elapsed[access]);
    }
    json_close(json, '{');
    report_end(json, error);
}

static void make_text(struct text *text, const struct heading *heading, const struct replay *replay,
                      const struct replayed *replayed) {
    char now[64];
    text_add(text, "%s: replay of %s\n%-20s: %s\n%-20s: %s\n", BENCH_VERSION, replay->options->trace, "Began",
             heading->began, "Command line", heading->command);
    text_add(text, "%-20s: %d\n%-20s: %" PRId64 "\n%-20s: %" PRId64 "\n%-20s: %g\n\n", "ranks", replay->ranks, "files",
             replay->trace.file_count, "segments", replay->trace.total_segments, "think", replay->options->think);
    for (enum direction access = WRITE; access <= READ; access++) {
        const struct result result = result_of(replayed, access);
        if (result.figures.transfers > 0) {
            text_add(text, "%-6s %10.2f MiB/s %10.2f MiB in %" PRId64 " transfers, %.6f s in I/O, %.6f s elapsed\n",
                     access_name(access), bandwidth(&result.figures),
                     (double)result.figures.bytes / KIBIBYTE / KIBIBYTE, result.figures.transfers, result.figures.total,
                     replayed->elapsed[access]);
        }
    }
    time_of_day(now, sizeof now);
    text_add(text, "total  %.6f s, %.6f s of it in I/O\n%-20s: %s\n", replayed->total, replayed->in_io, "Finished",
             now);
}

/* Prepare, replay, check and clean up; a failure is told at the end of all. */
static void run(struct replay *replay, struct replayed *replayed, struct error *error) {
    const struct replay_options *const options = replay->options;
    if (options->use_existing && replay_look(replay, error) != STATUS_OK) {
        return; /* what is there was not prepared for this trace: it may be somebody's own */
    }
    if (!options->use_existing && replay_remove(replay, error) == STATUS_OK) {
        replay_prepare(replay, error);
    }
    if (error->status == STATUS_OK && !options->prepare_only && replay_run(replay, replayed, error) == STATUS_OK) {
        replay_check_sizes(replay, error);
    }
    if (error->status == STATUS_OK && options->check_write && !options->prepare_only) {
        replay_check(replay, replayed, error);
    }
    if (!options->keep && !(options->prepare_only && error->status == STATUS_OK)) {
        replay_remove(replay, error);
    }
}

static void tell(struct output *output, const struct heading *heading, const struct replay *replay,
                 const struct replayed *replayed, struct error *error) {
    struct json json = {0};
    struct error printing = NO_ERROR;
    if (output->file != NULL && strcasecmp(replay->options->summary_format, "JSON") == 0) {
        make_json(&json, heading, replay, replayed, error);
    } else if (output->file != NULL && error->status == STATUS_OK && !replay->options->prepare_only) {
        make_text(&json.text, heading, replay, replayed);
    }
    if (output_write(output, &json.text, &printing) != STATUS_OK) {
        fail(error, printing.status, "%s", printing.text);
    }
}

void command_replay(int argc, char **argv, char *const *environment, struct error *error) {
    struct replay_options options;
    struct output output = {NULL, ""};
    struct replay replay = {.options = &options, .comm = MPI_COMM_NULL, .info = MPI_INFO_NULL};
    struct replayed replayed = {0};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct heading heading = heading_of(argc, argv);
    replay_options_parse(&options, argc - 2, argv + 2, error);
    if (options.help && error->status == STATUS_OK) {
        if (rank == 0) {
            print_help();
        }
        return;
    }
    if (rank == 0) {
        output_open(&output, options.summary_file, error);
    }
    if (agree(MPI_COMM_WORLD, error) == STATUS_OK &&
        replay_make(&replay, &options, MPI_COMM_WORLD, environment, error) == STATUS_OK &&
        replay.comm != MPI_COMM_NULL) {
        run(&replay, &replayed, error);
    }
    if (rank == 0) {
        tell(&output, &heading, &replay, &replayed, error);
    }
    replay_free(&replay);
    output_close(&output, error);
    conclude(error);
}
