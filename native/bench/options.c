#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { FLAG, COUNT, SIZE, REAL, TEXT };

struct option {
    char letter;
    const char *name, *directive;
    enum kind kind;
    size_t offset;
    const char *fallback; /* NULL for an alias */
    const char *value, *meaning;
};

#define ALIAS(name, kind, field, meaning) {0, name, "", kind, offsetof(OWNER, field), NULL, "", meaning},
#define OPTION(letter, name, directive, kind, field, fallback, value, meaning) \
    {letter, name, directive, kind, offsetof(OWNER, field), fallback, value, meaning},
static const struct option BENCHMARK[] = {
#define OWNER struct options
#include "options.def"
#undef OWNER
    {0}};
static const struct option REPLAY[] = {
#define OWNER struct replay_options
#include "replay.def"
#undef OWNER
    {0}};
static const struct option PLAY[] = {
#define OWNER struct play_options
#include "play.def"
#undef OWNER
    {0}};

struct parser {
    const struct option *table;
    char *values; /* the struct that the table's offsets are in */
    char *operand;
    struct error *error;
};

int64_t parse_size(const char *text) {
    static const char SUFFIXES[] = "kmgt";
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || number < 0 || text[0] == '+' || text[0] == ' ') {
        return -1;
    }
    int shift = 0;
    if (*end != '\0') {
        const char *const found = strchr(SUFFIXES, *end | 0x20);
        if (found == NULL || end[1] != '\0') {
            return -1;
        }
        shift = 10 * (int)(found - SUFFIXES + 1);
    }
    return number > (INT64_MAX >> shift) ? -1 : (int64_t)number << shift;
}

static void set(const struct parser *parser, const struct option *option, const char *shown, const char *text) {
    char *const field = parser->values + option->offset;
    char *end = NULL;
    int good = 1;
    if (option->kind == TEXT) {
        good = strlen(text) < TEXT_SIZE;
        memcpy(field, good ? text : "", good ? strlen(text) + 1 : 1);
    } else if (option->kind == REAL) {
        const double number = strtod(text, &end);
        good = end != text && *end == '\0' && isfinite(number) && number >= 0;
        memcpy(field, &number, sizeof number);
    } else {
        const int64_t number = parse_size(text);
        good = number >= 0 && (option->kind == SIZE || strspn(text, "0123456789") == strlen(text));
        memcpy(field, &number, sizeof number);
    }
    if (!good) {
        static const char *const WANTED[] = {"0 or 1", "a whole number", "a size as 262144, 256k, 4m or 1g", "a number",
                                             "a shorter text"};
        fail(parser->error, STATUS_USAGE, "%s: %s is not %s", shown, text, WANTED[option->kind]);
    }
}

static void raise_flag(const struct parser *parser, const struct option *option) {
    int64_t number = 0;
    memcpy(&number, parser->values + option->offset, sizeof number);
    number++;
    memcpy(parser->values + option->offset, &number, sizeof number);
}

static int is_end(const struct option *option) {
    return option->meaning == NULL;
}

static const struct option *by_letter(const struct parser *parser, char letter) {
    const struct option *option = parser->table;
    while (!is_end(option) && option->letter != letter) {
        option++;
    }
    return is_end(option) ? NULL : option;
}

static const struct option *by_name(const struct parser *parser, const char *name, size_t length, int directive) {
    for (const struct option *option = parser->table; !is_end(option); option++) {
        const char *const candidate = directive ? option->directive : option->name;
        if (strlen(candidate) == length && length > 0 && strncasecmp(candidate, name, length) == 0) {
            return option;
        }
    }
    return NULL;
}

/* IOR separates directives by commas or semicolons. */
static void take_directives(const struct parser *parser, const char *text) {
    char part[TEXT_SIZE];
    while (*text != '\0') {
        const size_t length = strcspn(text, ",;");
        if (length >= sizeof part) {
            fail(parser->error, STATUS_USAGE, "-O: a directive is too long");
            return;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        text += length + (text[length] != '\0');
        char *const equals = strchr(part, '=');
        const size_t name = equals != NULL ? (size_t)(equals - part) : strlen(part);
        const struct option *const option = by_name(parser, part, name, 1);
        if (option == NULL || equals == NULL) {
            fail(parser->error, STATUS_USAGE, "-O: %s is no directive NAME=VALUE that is known; see --help", part);
        } else {
            set(parser, option, part, equals + 1);
        }
    }
}

static void take_value(const struct parser *parser, const struct option *option, const char *shown, const char *value) {
    if (value == NULL) {
        fail(parser->error, STATUS_USAGE, "%s needs a value: %s", shown, option->value);
    } else {
        set(parser, option, shown, value);
        if (option->letter == 'O') {
            take_directives(parser, value);
        }
    }
}

/* Take "--name", "--name=value" or "--name value"; return how many words more were taken. */
static int take_long(const struct parser *parser, const char *word, const char *next) {
    const size_t length = strcspn(word + 2, "=");
    const struct option *const option = by_name(parser, word + 2, length, 0);
    const char *const value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    if (option == NULL) {
        fail(parser->error, STATUS_USAGE, "unknown option %s; see --help", word);
        return 0;
    }
    if (option->kind == FLAG && value == NULL) {
        raise_flag(parser, option);
        return 0;
    }
    take_value(parser, option, word, value != NULL ? value : next);
    return value == NULL && next != NULL;
}

/* Take "-b 4m", "-b=4m", "-b4m" or flags together, "-wrk"; return how many words more were taken. */
static int take_short(const struct parser *parser, const char *word, const char *next) {
    for (const char *c = word + 1; *c != '\0'; c++) {
        const struct option *const option = by_letter(parser, *c);
        if (option == NULL) {
            fail(parser->error, STATUS_USAGE, "unknown option -%c in %s; see --help", *c, word);
            return 0;
        }
        if (option->kind == FLAG) {
            raise_flag(parser, option);
            continue;
        }
        const char *const attached = c[1] == '=' ? c + 2 : c + 1;
        const int separate = *attached == '\0';
        take_value(parser, option, word, separate ? next : attached);
        return separate && next != NULL;
    }
    return 0;
}

static int parse(const struct parser *parser, int argc, char **argv) {
    for (const struct option *option = parser->table; !is_end(option); option++) {
        if (option->fallback != NULL) {
            set(parser, option, option->name, option->fallback);
        }
    }
    for (int i = 0; i < argc; i++) {
        const char *const next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strncmp(argv[i], "--", 2) == 0) {
            i += take_long(parser, argv[i], next);
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            i += take_short(parser, argv[i], next);
        } else if (parser->operand == NULL || parser->operand[0] != '\0' || strlen(argv[i]) >= TEXT_SIZE) {
            fail(parser->error, STATUS_USAGE, "unexpected argument %s; see --help", argv[i]);
        } else {
            memcpy(parser->operand, argv[i], strlen(argv[i]) + 1);
        }
    }
    return parser->error->status;
}

int options_parse(struct options *options, int argc, char **argv, struct error *error) {
    const struct parser parser = {BENCHMARK, (char *)options, NULL, error};
    parse(&parser, argc, argv);
    if (!options->read && !options->write && !options->check_read && !options->check_write) {
        options->read = options->write = 1; /* IOR's default, only where none of the four is asked for */
    }
    return error->status;
}

int replay_options_parse(struct replay_options *options, int argc, char **argv, struct error *error) {
    options->trace[0] = '\0';
    const struct parser parser = {REPLAY, (char *)options, options->trace, error};
    parse(&parser, argc, argv);
    if (options->trace[0] == '\0' && !options->help) {
        fail(error, STATUS_USAGE, "replay needs the trace's file: acic-bench replay FILE");
    }
    return error->status;
}

int play_options_parse(struct play_options *options, int argc, char **argv, struct error *error) {
    options->script[0] = '\0';
    const struct parser parser = {PLAY, (char *)options, options->script, error};
    parse(&parser, argc, argv);
    if (options->script[0] == '\0' && !options->help) {
        fail(error, STATUS_USAGE, "play needs the script's file: acic-bench play FILE");
    }
    return error->status;
}

/* "  -b SIZE, -O blockSize=SIZE   contiguous bytes ... [1m]" */
static void help(struct text *text, const struct option *table) {
    for (const struct option *option = table; !is_end(option); option++) {
        const char *const gap = option->value[0] != '\0' ? " " : "";
        const char *separator = "  ";
        if (option->letter != 0) {
            text_add(text, "%s-%c%s%s", separator, option->letter, gap, option->value);
            separator = ", ";
        }
        if (option->name[0] != '\0') {
            text_add(text, "%s--%s%s%s", separator, option->name, gap, option->value);
            separator = ", ";
        }
        if (option->directive[0] != '\0') {
            text_add(text, "%s-O %s=%s", separator, option->directive, option->value[0] != '\0' ? option->value : "1");
        }
        text_add(text, "\n        %s", option->meaning);
        if (option->kind != FLAG && option->fallback != NULL && option->fallback[0] != '\0') {
            text_add(text, " [%s]", option->fallback);
        }
        text_add(text, "\n");
    }
}

void options_help(struct text *text) {
    help(text, BENCHMARK);
}

void replay_options_help(struct text *text) {
    help(text, REPLAY);
}

void play_options_help(struct text *text) {
    help(text, PLAY);
}
