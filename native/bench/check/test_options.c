/* The command line: every way to write an option, and every way to write it wrong. */
#include <string.h>

#include "../options.h"
#include "check.h"

enum { MOST = 16 };

/* Parse words separated by blanks. */
static int parse(struct options *options, const char *line, struct error *error) {
    char words[512];
    char *argv[MOST];
    int argc = 0;
    CHECK(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *word = strtok(words, " "); word != NULL && argc < MOST; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    *error = NO_ERROR;
    return options_parse(options, argc, argv, error);
}

static void sizes(void) {
    CHECK(parse_size("0") == 0);
    CHECK(parse_size("8") == 8);
    CHECK(parse_size("4k") == 4096);
    CHECK(parse_size("4K") == 4096);
    CHECK(parse_size("2m") == 2 << 20);
    CHECK(parse_size("1g") == 1 << 30);
    CHECK(parse_size("1t") == (int64_t)1 << 40);
    CHECK(parse_size("9223372036854775807") == INT64_MAX);
    static const char *const WRONG[] = {"",    "k",       "-1", "+1", " 1", "1x", "1kk", "1.5m", "9223372036854775808",
                                        "9g9", "8388608t"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        CHECK(parse_size(WRONG[i]) == -1);
    }
}

static void spellings(void) {
    struct options o;
    struct error error;
    CHECK(parse(&o, "", &error) == STATUS_OK);
    CHECK(o.block == 1 << 20 && o.transfer == 256 << 10 && o.segments == 1 && o.write && o.read && !o.keep);
    CHECK(strcmp(o.api, "POSIX") == 0 && strcmp(o.file, "testFile") == 0);
    static const char *const SAME[] = {"-b 4m",
                                       "-b=4m",
                                       "-b4m",
                                       "-O blockSize=4m",
                                       "-O BLOCKSIZE=4m",
                                       "-kb 4m",
                                       "-O api=POSIX,blockSize=4m",
                                       "-O api=POSIX;blockSize=4m"};
    for (size_t i = 0; i < sizeof SAME / sizeof SAME[0]; i++) {
        CHECK(parse(&o, SAME[i], &error) == STATUS_OK && o.block == 4 << 20);
    }
    CHECK(parse(&o, "-wk", &error) == STATUS_OK && o.write && !o.read && o.keep);
    CHECK(parse(&o, "-R", &error) == STATUS_OK && !o.write && !o.read && o.check_read);
    CHECK(parse(&o, "--collective", &error) == STATUS_OK && o.collective);
    CHECK(parse(&o, "-O collective=1", &error) == STATUS_OK && o.collective);
    CHECK(parse(&o, "-O collective=0", &error) == STATUS_OK && !o.collective);
    CHECK(parse(&o, "--mpiio.hintsFileName=h", &error) == STATUS_OK && strcmp(o.hints_file, "h") == 0);
    CHECK(parse(&o, "--hdf5.hintsFileName h", &error) == STATUS_OK && strcmp(o.hints_file, "h") == 0);
    CHECK(parse(&o, "-O summaryFormat=JSON -O summaryFile=a/b", &error) == STATUS_OK &&
          strcmp(o.summary_file, "a/b") == 0);
}

static void mistakes(void) {
    struct options o;
    struct error error;
    static const char *const WRONG[] = {
        "-q",         "-b",      "-b 1x",         "-i -1",       "-i 1.5",          "extra",
        "--nonsense", "-O",      "-O nonsense=1", "-O keepFile", "-O keepFile=yes", "-D 1k",
        "-",          "-b -t 4k"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        CHECK(parse(&o, WRONG[i], &error) == STATUS_USAGE && error.text[0] != '\0');
    }
    CHECK(parse(&o, "-q -O summaryFile=found", &error) == STATUS_USAGE && strcmp(o.summary_file, "found") == 0);
}

static void contradictions(void) {
    struct options o;
    struct error error;
    static const char *const WRONG[] = {"-b 3m -t 2m",
                                        "-t 13 -b 26",
                                        "-t 0",
                                        "-s 0",
                                        "-i 0",
                                        "-z -c -a MPIIO",
                                        "-z -z",
                                        "-R",
                                        "-r -W",
                                        "-l x",
                                        "-O summaryFormat=CSV",
                                        "-O stoneWallingWearOut=1",
                                        "-t 4g -b 4g -a MPIIO",
                                        "-a MPIIO --posix.odirect",
                                        "-G 4294967295",
                                        "-s 9223372036854775807"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        CHECK(parse(&o, WRONG[i], &error) == STATUS_OK);
        CHECK(options_check(&o, &error) == STATUS_FAILED && error.text[0] != '\0');
    }
    static const char *const RIGHT[] = {"",     "-z -c -a POSIX", "-R -G 1",    "-w -R",
                                        "-l o", "-l timestamp",   "-t 4g -b 4g"};
    for (size_t i = 0; i < sizeof RIGHT / sizeof RIGHT[0]; i++) {
        CHECK(parse(&o, RIGHT[i], &error) == STATUS_OK && options_check(&o, &error) == STATUS_OK);
    }
}

static void replays(void) {
    struct replay_options o;
    struct error error = NO_ERROR;
    char *right[] = {"-k", "trace", "--think", "0.5", "--dir=d"};
    CHECK(replay_options_parse(&o, 5, right, &error) == STATUS_OK);
    CHECK(o.keep && o.think == 0.5 && strcmp(o.trace, "trace") == 0 && strcmp(o.directory, "d") == 0);
    static char *wrong[][2] = {{"a", "b"},           {"--think=x", "a"}, {"--think=-1", "a"},
                               {"--think=nan", "a"}, {"-b", "a"},        {"-k", "-e"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        error = NO_ERROR;
        CHECK(replay_options_parse(&o, 2, wrong[i], &error) == STATUS_USAGE);
    }
}

static void helps(void) {
    struct text text = {0};
    options_help(&text);
    CHECK(!text.failed && strstr(text.data, "-b SIZE") != NULL && strstr(text.data, "--posix.odirect") != NULL);
    text_free(&text);
}

int main(void) {
    sizes();
    spellings();
    mistakes();
    contradictions();
    replays();
    helps();
    return 0;
}
