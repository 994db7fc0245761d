/* What main() can be asked for. The only code, with main(), that prints. */
#ifndef ACIC_BENCH_COMMANDS_H
#define ACIC_BENCH_COMMANDS_H

#include "error.h"

/* Collective over MPI_COMM_WORLD; `argv` is the whole command line. Every rank gets the same error, which is printed.
 */
void command_benchmark(int argc, char **argv, char *const *environment, struct error *error);
void command_replay(int argc, char **argv, char *const *environment, struct error *error);
void command_play(int argc, char **argv, char *const *environment, struct error *error);

/* The end of every command: agree on the failure, if any, and print it as one ERROR line. */
void conclude(struct error *error);

#endif
