/* Hints files, and JSON that is always valid. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../hints.h"
#include "../json.h"
#include "check.h"

static int read_hints(struct hints *hints, const char *text, struct error *error) {
    char path[] = "/tmp/acic-bench-check-XXXXXX";  /* mkstemp makes it unique; POSIX has a /tmp */
    const int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    CHECK(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    *hints = (struct hints){0};
    *error = NO_ERROR;
    const int status = hints_read_file(hints, path, error);
    unlink(path);
    return status;
}

static void hints(void) {
    static struct hints h;
    struct error error;
    CHECK(read_hints(
              &h,
              "# a comment\n\nIOR_HINT__MPI__cb_nodes=2\n  IOR_HINT__MPI__a = b c  # why\nIOR_HINT__MPI__cb_nodes=3",
              &error) == STATUS_OK);
    CHECK(h.count == 2 && strcmp(hints_get(&h, "cb_nodes"), "3") == 0 && strcmp(hints_get(&h, "a"), "b c") == 0);
    CHECK(hints_get(&h, "nothing") == NULL);
    static const char *const WRONG[] = {"cb_nodes=2\n", "IOR_HINT__GPFS__x=1\n", "IOR_HINT__MPI__x\n",
                                        "IOR_HINT__MPI__=1\n", "setenv IOR_HINT__MPI__x 1\n"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        CHECK(read_hints(&h, WRONG[i], &error) == STATUS_FAILED && error.text[0] != '\0');
    }
    CHECK(hints_read_file(&h, "/nonexistent/hints", &error) == STATUS_FAILED);
    char *environment[] = {"PATH=/", "IOR_HINT__MPI__romio_ds_write=disable", NULL};
    h = (struct hints){0};
    error = NO_ERROR;
    CHECK(hints_read_environment(&h, environment, &error) == STATUS_OK);
    CHECK(h.count == 1 && strcmp(hints_get(&h, "romio_ds_write"), "disable") == 0);
    for (int i = 0; i < HINTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i);
        hints_set(&h, name, "x", &error);
    }
    CHECK(error.status == STATUS_FAILED && h.count == HINTS);
}

static void json(void) {
    struct json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "a", "quote \" back \\ line \n tab \t bell \a");
    json_string(&j, "b", "caf\xc3\xa9 \xff \xc3");
    json_open(&j, "empty", '[');
    json_close(&j, '[');
    json_open(&j, "list", '[');
    json_integer(&j, NULL, -3);
    json_real(&j, NULL, 0.1);
    json_real(&j, NULL, NAN);
    json_real(&j, NULL, INFINITY);
    json_close(&j, '[');
    json_close(&j, '{');
    CHECK(!j.text.failed);
    CHECK(strcmp(j.text.data, "{\n  \"a\": \"quote \\\" back \\\\ line \\u000a tab \\u0009 bell \\u0007\",\n"
                              "  \"b\": \"caf\xc3\xa9 \\u00ff \\u00c3\",\n  \"empty\": [],\n"
                              "  \"list\": [\n    -3,\n    0.1,\n    null,\n    null\n  ]\n}") == 0);
    text_free(&j.text);
}

static void numbers(void) {
    CHECK(text_number("") == 0xCBF29CE484222325U && text_number("a") == 0xAF63DC4C8601EC8CU); /* FNV-1a's own examples */
}

static void errors(void) {
    struct error error = NO_ERROR;
    CHECK(fail(&error, STATUS_FAILED, "first %d", 1) == STATUS_FAILED);
    CHECK(fail(&error, STATUS_USAGE, "second") == STATUS_FAILED && strcmp(error.text, "first 1") == 0);
}

int main(void) {
    hints();
    json();
    numbers();
    errors();
    return 0;
}
