#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "agree.h"
#include "commands.h"
#include "describe.h"
#include "output.h"
#include "play.h"
#include "report.h"

static const double MEBIBYTE = 1048576;

static void print_help(void) {
    struct text text = {0};
    text_add(&text, "usage: acic-bench play [OPTIONS] FILE   do what the script FILE says, rank by rank\n\n");
    play_options_help(&text);
    text_add(
        &text,
        "\nThe format of FILE is told in docs/acic-bench.md. Exit status: 0 done, 1 bad command line, 2 wrong data, "
        "255 failed.\n");
    fputs(text.failed ? "no memory\n" : text.data, stdout);
    text_free(&text);
}

static void add_figures(struct json *json, const struct played *played) {
    static const char *const NAMES[ACTIVITIES] = {"openTime",  "writeTime",    "readTime",    "syncTime",
                                                  "closeTime", "metadataTime", "computeTime", "waitTime"};
    const struct tally *const all = &played->all;
    json_real(json, "totalTime", played->total);
    json_real(json, "ioTime", all->io);
    for (int i = 0; i < ACTIVITIES; i++) {
        json_real(json, NAMES[i], all->seconds[i]);
    }
    json_real(json, "computeProcessorTime", all->burnt);
    json_integer(json, "bytesWritten", all->bytes[WRITE]);
    json_integer(json, "bytesRead", all->bytes[READ]);
    json_integer(json, "writes", all->transfers[WRITE]);
    json_integer(json, "reads", all->transfers[READ]);
    json_integer(json, "opens", all->opens);
    json_integer(json, "syncs", all->syncs);
    json_integer(json, "metadataCalls", all->metadata);
}

static void make_json(struct json *json, const struct heading *heading, const struct play *play,
                      const struct played *played, const struct error *error) {
    report_heading(json, heading, error);
    json_open(json, "Play", '{');
    json_string(json, "script", play->options->script);
    json_string(json, "directory", play->options->directory);
    json_integer(json, "ranks", play->ranks);
    json_integer(json, "acts", play->script.all_acts);
    json_integer(json, "filesMade", play->script.made);
    if (error->status == STATUS_OK) {
        add_figures(json, played);
    }
    json_close(json, '{');
    report_hints(json, &play->asked, &played->in_force);
    report_end(json, error);
}

static void make_text(struct text *text, const struct heading *heading, const struct play *play,
                      const struct played *played) {
    char now[64];
    const struct tally *const all = &played->all;
    time_of_day(now, sizeof now);
    text_add(text, "%s: %s\n%-20s: %s\n%-20s: %s\n%-20s: %d\n\n", BENCH_VERSION, play->options->script, "Began",
             heading->began, "Command line", heading->command, "ranks", play->ranks);
    text_add(text, "write  %10.2f MiB in %" PRId64 " transfers\nread   %10.2f MiB in %" PRId64 " transfers\n",
             (double)all->bytes[WRITE] / MEBIBYTE, all->transfers[WRITE], (double)all->bytes[READ] / MEBIBYTE,
             all->transfers[READ]);
    text_add(text, "total  %.6f s, %.6f s in I/O, %.6f s in computing\n%-20s: %s\n", played->total, all->io,
             all->seconds[IN_COMPUTE], "Finished", now);
}

static void tell(struct output *output, const struct heading *heading, const struct play *play,
                 const struct played *played, struct error *error) {
    struct json json = {0};
    struct error printing = NO_ERROR;
    if (output->file != NULL && strcasecmp(play->options->summary_format, "JSON") == 0) {
        make_json(&json, heading, play, played, error);
    } else if (output->file != NULL && error->status == STATUS_OK) {
        make_text(&json.text, heading, play, played);
    }
    if (output_write(output, &json.text, &printing) != STATUS_OK) {
        fail(error, printing.status, "%s", printing.text);
    }
}

void command_play(int argc, char **argv, char *const *environment, struct error *error) {
    struct play_options options;
    struct output output = {NULL, ""};
    struct play play = {.options = &options, .comm = MPI_COMM_NULL, .info = MPI_INFO_NULL};
    struct played played = {.total = 0};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct heading heading = heading_of(argc, argv);
    play_options_parse(&options, argc - 2, argv + 2, error);
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
        play_make(&play, &options, MPI_COMM_WORLD, environment, error) == STATUS_OK && play.comm != MPI_COMM_NULL &&
        play_run(&play, &played, error) == STATUS_OK && options.check) {
        play_check(&play, error);
    }
    if (rank == 0) {
        tell(&output, &heading, &play, &played, error);
    }
    play_free(&play);
    output_close(&output, error);
    conclude(error);
}
