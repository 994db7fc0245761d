/* The command line, as IOR's. */
#ifndef ACIC_BENCH_OPTIONS_H
#define ACIC_BENCH_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "text.h"

enum { TEXT_SIZE = 4096 };

#define FIELD_FLAG(field) int64_t field;
#define FIELD_COUNT(field) int64_t field;
#define FIELD_SIZE(field) int64_t field;
#define FIELD_REAL(field) double field;
#define FIELD_TEXT(field) char field[TEXT_SIZE];
#define OPTION(letter, name, directive, kind, field, fallback, value, meaning) FIELD_##kind(field)
#define ALIAS(name, kind, field, meaning)
struct options {
#include "options.def"
};
struct replay_options {
    char trace[TEXT_SIZE]; /* the operand */
#include "replay.def"
};
struct play_options {
    char script[TEXT_SIZE]; /* the operand */
#include "play.def"
};
#undef OPTION
#undef ALIAS

/* Parse a command line without its program name; the first mistake is noted, the rest still read (it may name the
 * summary file, which must not go on looking like an earlier success). Returns the status noted. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);
int replay_options_parse(struct replay_options *options, int argc, char **argv, struct error *error);
int play_options_parse(struct play_options *options, int argc, char **argv, struct error *error);

/* Whether the parsed options make sense together, before any file is touched; returns the status noted. */
int options_check(const struct options *options, struct error *error);

void options_help(struct text *text);
void replay_options_help(struct text *text);
void play_options_help(struct text *text);

/* Read a size: bytes, or with the suffix k, m, g or t (powers of 1024, either case); -1 where it is none. */
int64_t parse_size(const char *text);

#endif
