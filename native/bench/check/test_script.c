/* Scripts that are wrong, or could come to a halt, are refused with their line; of those that are right, each rank gets
 * its own acts. A view's pieces are the elements of its boxes, in the file's order. */
#include <string.h>
#include <unistd.h>

#include "../burn.h"
#include "../script.h"
#include "../script_words.h"
#include "check.h"

static const char HEAD[] = "acic-script 1\nranks 4\n";

static void save(const char *path, const char *head, const char *text) {
    FILE *const file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(head, file) >= 0 && fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static void refused(const char *path) {
    static const char *const WRONG[] = {
        "",
        "# only a comment",
        "nonsense",
        "4 barrier",
        "0-4 barrier",
        "2-1 barrier",
        "0, barrier",
        "-1 barrier",
        "99999999999 barrier",
        "0 dance",
        "0 barrier now",
        "0 compute",
        "0 compute -1",
        "0 compute nan",
        "ranks 4",
        "0 open f posix w",
        "0 open f stdio w a\n0 close f",
        "0 open f posix a a\n0 close f",
        "0 open f posix w /a\n0 close f",
        "0 open f posix w a/../b\n0 close f",
        "0 open f posix w ..\n0 close f",
        "0 open f posix w a//b\n0 close f",
        "0 open f posix w a",                                                /* not closed */
        "0 open f posix w a\n1 open f posix w b\n0 close f",                 /* one name, two files */
        "0 close f",                                                         /* not open */
        "0 open f posix w a\n1 write f 0 8\n0 close f",                      /* not its file */
        "0 open f posix r a\n0 write f 0 8\n0 close f",                      /* not to be written */
        "0-1 open f posix w a\n0 close f",                                   /* not all that opened it */
        "* open f mpiio w a\n0 sync f\n* close f",                           /* sync is collective there */
        "0 open f posix w a\n0 write_all f 0 8\n0 close f",                  /* no collective POSIX */
        "0 open f posix w a\n0 write f 0 0\n0 close f",                      /* no bytes */
        "0 open f posix w a\n0 write f 0 8 0\n0 close f",                    /* no times */
        "0 open f posix w a\n0 write f -1 8\n0 close f",
        "0 open f posix w a\n0 write f 0 8 2 0\n0 close f",                  /* no stride */
        "0 open f posix w a\n0 sync f now\n0 close f",
        "0 open f mpiio w a\n0 write f 0 4294967296\n0 close f",             /* more than MPI counts */
        "* open f mpiio w a\n0-2 write_all f 0 8\n* close f",                /* who waits for rank 3? */
        "* open f mpiio w a\n0-2 write_all f 0 8\n0 compute 1\n3 write_all f 0 8\n* close f",
        "* open f mpiio w a\n0-2 write_all f 0 8\n3 read_all f 0 8\n* close f",
        "* open f mpiio w a\n0-2 write_all f 0 8\n2-3 write_all f 0 8\n* close f",
        "* open f mpiio w a\n* open g mpiio w b\n0-2 write_all f 0 8\n3 write_all g 0 8\n* close f\n* close g",
        "* open f mpiio w a\n* view f 0 8 4 4 4\n* close f",                 /* no box */
        "* open f mpiio w a\n* view f 0 8 4 4 4 0 0 0 5 1 1\n* close f",     /* outside */
        "* open f mpiio w a\n* view f 0 8 4 4 4 0 0 0 1 1\n* close f",
        "* open f mpiio w a\n* view f 0 8 2147483647 2147483647 2147483647 2147483646 2147483646 0 1 1 1\n* close f",
        "* open f mpiio w a\n* view f 0 8 4 4 4 2 0 0 1 1 1 0 0 0 1 1 1\n* close f", /* backwards */
        "* open f mpiio w a\n* view f 0 8 4 4 4 0 0 0 1 1 1\n* write_all f 0 12\n* close f",
        "* open f mpiio w a\n* view f 0 8 4 4 4 0 0 0 1 1 1\n* write f 0 8\n* close f",
        "0 put a 2 8", /* two files of one name */
        "0 put a# 2",
        "0 put a# 0 8",
        "0 stat a# 2 8",
        "0 mkdir a 2",
        "0 unlink ../a",
        "0 rename a",
        "0 rename a ../b",
        "0 rename a b 2",
        "0 rename a# b 2",
        "0 rename a# b# 0",
        "0 rename a b 1 1",
        "0 rename a b\n1 rename a c", /* another name than before */
        "0 rename a b\n0 rename b a",
        "0 rename a a",
        "0 rename a b\n0 rename b c\n0 rename c a", /* names go round */
        "0 rename a/b c\n0 rename c a/b",
        "0 rename a# b# 4\n0 rename a2 c2", /* of the same name, by other patterns */
        "0 rename a2 c2\n0 rename a# b# 4",
        "0 rename b2 a2\n0 rename a# b# 4",
        "0 rename e/x d/x\n0 rename d e",
    };
    struct script script;
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        for (int rank = 0; rank < 5; rank++) { /* the fifth has no part in it */
            struct error error = NO_ERROR;
            save(path, HEAD, WRONG[i]);
            if (script_read(&script, path, rank, &error) != STATUS_FAILED && rank < 4) {
                /* what only a rank that uses a view can tell */
                CHECK(strstr(WRONG[i], "view") != NULL);
            }
            CHECK(rank > 0 || (error.status == STATUS_FAILED && error.text[0] != '\0'));
            script_free(&script);
        }
    }
    struct error error = NO_ERROR;
    save(path, "ranks 2\n", "");
    CHECK(script_read(&script, path, 0, &error) == STATUS_FAILED && strstr(error.text, ":1:") != NULL);
    script_free(&script);
}

static void taken(const char *path) {
    struct script script;
    struct error error = NO_ERROR;
    save(path, HEAD,
         "* compute 0.5\r\n# comment\n\n0,2-3 open f mpiio w a\n0 write_all f 0 8\n2-3 write_all f 8 16\n"
         "2 write f 64 8 3 32\n0,2-3 sync f\n0,2-3 close f\n1 put d/x#.y 5 100\n* barrier\n0 unlink d/x#.y 5\n"
         "1-2 open f posix r a\n1-2 read f 0 4\n1-2 close f");
    CHECK(script_read(&script, path, 2, &error) == STATUS_OK);
    CHECK(script.ranks == 4 && script.act_count == 10 && script.all_acts == 29 && script.made == 6);
    CHECK(script.longest == 16 && script.opening_count == 2 && script.ending_count == 1);
    static const enum action ORDER[] = {ACT_COMPUTE, ACT_OPEN,    ACT_WRITE_ALL, ACT_WRITE, ACT_SYNC,
                                        ACT_CLOSE,   ACT_BARRIER, ACT_OPEN,      ACT_READ,  ACT_CLOSE};
    for (int64_t i = 0; i < script.act_count; i++) {
        CHECK(script.acts[i].action == ORDER[i]);
    }
    const struct act *const act = &script.acts[3];
    CHECK(script.acts[0].seconds == 0.5 && act->offset == 64 && act->bytes == 8 && act->count == 3);
    CHECK(act->stride == 32 && script.acts[2].offset == 8 && script.acts[7].opening == 1);
    CHECK(script_removes(&script, "d/x4.y") && !script_removes(&script, "d/x5.y") && !script_removes(&script, "a"));
    CHECK(!script_removes(&script, "d/x04.y") && !script_removes(&script, "d/x+1.y"));
    CHECK(!script_removes(&script, "d/x.y"));
    script_free(&script);
    error = NO_ERROR;
    CHECK(script_read(&script, path, 7, &error) == STATUS_OK && script.act_count == 0);
    script_free(&script);
}

/* Not by trying one number after another: whoever asks may have his time taken. */
static void many_removals(const char *path) {
    struct script script;
    struct error error = NO_ERROR;
    save(path, HEAD, "0 unlink far# 2000000000\n1 unlink own\n2 unlink a#0 50\n");
    CHECK(script_read(&script, path, 0, &error) == STATUS_OK && script.ending_count == 3);
    CHECK(script_removes(&script, "far1999999999") && !script_removes(&script, "far2000000000"));
    CHECK(!script_removes(&script, "far99999999999999999999") && !script_removes(&script, "far"));
    CHECK(script_removes(&script, "own") && !script_removes(&script, "own0"));
    CHECK(script_removes(&script, "a40") && script_removes(&script, "a490") && !script_removes(&script, "a500"));
    CHECK(!script_removes(&script, "a0") && !script_removes(&script, "a"));
    script_free(&script);
}

static void renames(const char *path) {
    struct script script;
    struct error error = NO_ERROR;
    char to[32];
    char few[4];
    save(path, HEAD, "0 rename t#.tmp t# 12\n1 rename now last\n* rename now last\n2 rename last d/older\n"
                     "3 rename made/in done\n0 unlink d/older\n3 rename x#y z 1\n");
    CHECK(script_read(&script, path, 2, &error) == STATUS_OK && script.act_count == 2 && script.ending_count == 6);
    CHECK(script.acts[0].action == ACT_RENAME && strcmp(script.acts[0].to, "last") == 0);
    CHECK(script_renames(&script, "t11.tmp", to, sizeof to) && strcmp(to, "t11") == 0);
    CHECK(!script_renames(&script, "t12.tmp", to, sizeof to) && !script_renames(&script, "t1", to, sizeof to));
    CHECK(script_renames(&script, "now", to, sizeof to) && strcmp(to, "last") == 0);
    CHECK(script_renames(&script, "made/in/part/a", to, sizeof to) && strcmp(to, "done/part/a") == 0);
    CHECK(script_renames(&script, "made/in", to, sizeof to) && strcmp(to, "done") == 0);
    CHECK(!script_renames(&script, "made/inn", to, sizeof to) && !script_renames(&script, "made", to, sizeof to));
    CHECK(!script_renames(&script, "", to, sizeof to) && !script_renames(&script, "/", to, sizeof to));
    CHECK(!script_renames(&script, "made/in/part", few, sizeof few));
    CHECK(script_removes(&script, "d/older") && !script_removes(&script, "now"));
    script_free(&script);
    save(path, HEAD, "0 rename a# b# 4\n1 rename a2 b2\n2 rename a# b# 8\n0 rename b# c# 2\n0 rename a/b a\n");
    CHECK(script_read(&script, path, 2, &error) == STATUS_OK && script.ending_count == 5);
    CHECK(script_renames(&script, "a7", to, sizeof to) && strcmp(to, "b7") == 0);
    script_free(&script);
    save(path, HEAD, "0 rename b2 a2\n0 compute 1\n0 rename a# b# 4\n");
    CHECK(script_read(&script, path, 3, &error) == STATUS_FAILED && strstr(error.text, ":3: names go round") != NULL);
    script_free(&script);
}

static void groups(void) {
    struct group group;
    CHECK(word_group("0,4-6,5,9", 10, &group) && group.count == 5);
    for (int rank = 0; rank < 12; rank++) {
        CHECK(group_has(&group, rank) == (rank == 0 || (rank >= 4 && rank <= 6) || rank == 9));
    }
    CHECK(word_group("*", 1024, &group) && group.count == 1024 && group_has(&group, 1023));
    CHECK(!word_group("10", 10, &group) && !word_group("", 10, &group) && !word_group("1-", 10, &group));
}

/* Every byte of a small file, marked by the piece that has it. */
struct marks {
    int64_t expected; /* in the buffer: pieces follow one another */
    int64_t last;     /* in the file: they ascend */
    int marked[4096];
};

static void mark(void *context, int64_t in_buffer, int64_t in_file, int64_t length) {
    struct marks *const marks = context;
    CHECK(in_buffer == marks->expected && in_file > marks->last);
    for (int64_t i = 0; i < length; i++) {
        marks->marked[in_file + i]++;
    }
    marks->expected += length;
    marks->last = in_file + length - 1;
}

static void pieces(const char *path) {
    struct script script;
    struct error error = NO_ERROR;
    save(path, HEAD,
         "0 open f mpiio w a\n0 view f 16 4 4 3 5 0 1 2 2 2 2 2 0 0 1 3 4\n0 write_all f 80 160\n0 close f\n");
    CHECK(script_read(&script, path, 0, &error) == STATUS_OK);
    const struct act *const act = &script.acts[2];
    CHECK(act->in != NULL && view_bytes(act->in) == (8 + 12) * 4);
    struct marks marks = {.last = -1};
    view_pieces(act->in, act->offset, act->bytes, mark, &marks);
    CHECK(marks.expected == 160);
    const int64_t array = (int64_t)4 * 3 * 5 * 4;
    for (int64_t at = 0; at < 4096; at++) {
        const int64_t turn = (at - 16) / array;
        const int64_t place = (at - 16) % array / 4;
        const int64_t x = place % 5;
        const int64_t y = place / 5 % 3;
        const int64_t z = place / 15;
        const int first = z < 2 && y >= 1 && x >= 2 && x < 4;
        const int second = z == 2 && x < 4;
        CHECK(marks.marked[at] == (at >= 16 && (turn == 1 || turn == 2) && (first || second)));
    }
    script_free(&script);
    struct marks plain = {.last = -1};
    view_pieces(NULL, 100, 50, mark, &plain);
    CHECK(plain.expected == 50 && plain.marked[100] == 1 && plain.marked[149] == 1 && plain.marked[150] == 0);
}

static void burning(void) {
    const double before = burn_used();
    burn(0.05);
    const double used = burn_used() - before;
    CHECK(used >= 0.05 && used < 0.2);
    burn(0);
    burn(-1);
    CHECK(burn_used() - before - used < 0.02);
}

int main(void) {
    char path[] = "/tmp/acic-bench-check-XXXXXX"; /* mkstemp makes it unique; POSIX has a /tmp */
    const int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    close(descriptor);
    refused(path);
    taken(path);
    many_removals(path);
    renames(path);
    groups();
    pieces(path);
    burning();
    unlink(path);
    return 0;
}
