#include <stdio.h>
#include <strings.h>

#include "agree.h"
#include "commands.h"
#include "output.h"
#include "report.h"

/* What the observer needs to print a result as it comes. */
struct printer {
    struct output *output;
    const struct options *options;
    struct error *error;
};

static void warn(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "WARNING: %s\n", text);
}

static void print_result(void *context, const struct result *result) {
    struct printer *const printer = context;
    struct text text = {0};
    report_text_result(&text, result, (double)printer->options->block, (double)printer->options->transfer);
    output_write(printer->output, &text, printer->error);
}

static void print_help(void) {
    struct text text = {0};
    text_add(&text,
             "usage: acic-bench [OPTIONS]         a parallel I/O benchmark with IOR's options\n"
             "       acic-bench replay FILE ...   replay an application's own I/O; see acic-bench replay -h\n"
             "       acic-bench play FILE ...     do what a script says, rank by rank; see acic-bench play -h\n\n");
    options_help(&text);
    text_add(&text, "\nBuilt in: %s. Exit status: 0 done, 1 bad command line, 2 wrong data, 255 failed.\n",
             backend_names());
    fputs(text.failed ? "no memory\n" : text.data, stdout);
    text_free(&text);
}

/* Run, and tell rank 0's results. Printing fails on rank 0 alone, so the ranks agree once more at the end. */
static void run(struct job *job, const struct heading *heading, struct output *output, int json, struct error *error) {
    const int tells = output->file != NULL;
    struct error printing = NO_ERROR;
    struct printer printer = {output, job->options, &printing};
    const struct observer observer = {&printer, warn, tells && !json ? print_result : NULL};
    struct results results;
    struct text text = {0};
    if (tells && !json) {
        report_text_begin(&text, heading, job);
        output_write(output, &text, &printing);
    }
    benchmark_run(job, &results, &observer, error);
    if (tells && json) {
        struct json summary = {0};
        report_json(&summary, heading, job, &results, error);
        output_write(output, &summary.text, &printing);
    } else if (tells && error->status == STATUS_OK) {
        report_text_end(&text, job, &results);
        output_write(output, &text, &printing);
    }
    results_free(&results);
    if (printing.status != STATUS_OK) {
        fail(error, printing.status, "%s", printing.text);
    }
}

void command_benchmark(int argc, char **argv, char *const *environment, struct error *error) {
    struct options options;
    struct output output = {NULL, ""};
    struct job job = {.comm = MPI_COMM_NULL, .info = MPI_INFO_NULL};
    char warning[TEXT_SIZE] = "";
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct heading heading = heading_of(argc, argv);
    options_parse(&options, argc - 1, argv + 1, error);
    const int json = strcasecmp(options.summary_format, "JSON") == 0;
    if (options.help && error->status == STATUS_OK) {
        if (rank == 0) {
            print_help();
        }
        return;
    }
    if (rank == 0) {
        output_open(&output, options.summary_file, error);
    }
    int made = 0;
    if (agree(MPI_COMM_WORLD, error) == STATUS_OK && options_check(&options, error) == STATUS_OK) {
        made = job_make(&job, &options, MPI_COMM_WORLD, environment, warning, error) == STATUS_OK;
    }
    if (rank == 0 && warning[0] != '\0') {
        warn(NULL, warning);
    }
    if (made && job.comm != MPI_COMM_NULL) {
        run(&job, &heading, &output, json, error);
    } else if (rank == 0 && json && error->status != STATUS_OK && output.file != NULL) {
        struct json summary = {0};
        struct error ignored = NO_ERROR; /* the first failure is told already */
        report_json(&summary, &heading, NULL, NULL, error);
        output_write(&output, &summary.text, &ignored);
    }
    job_free(&job);
    output_close(&output, error);
    conclude(error);
}
