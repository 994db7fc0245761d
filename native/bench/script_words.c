#include "script_words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int word_number(const char *text, int64_t least, int64_t most, int64_t *number) {
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *number = (int64_t)value;
    return errno == 0 && end != text && *end == '\0' && value >= least && value <= most;
}

int word_seconds(const char *text, double *seconds) {
    char *end = NULL;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*seconds) && *seconds >= 0;
}

static void add(struct group *group, int64_t rank) {
    unsigned char *const byte = &group->has[rank / 8];
    const unsigned char bit = (unsigned char)(1U << (rank % 8));
    group->count += (*byte & bit) == 0;
    *byte |= bit;
}

/* "3" or "4-7", up to a comma or the end; returns the length taken, 0 where there is none. */
static size_t take_span(const char *text, int ranks, struct group *group) {
    const size_t digits = strspn(text, "0123456789");
    const int64_t first = digits > 0 && digits < 9 ? atoll(text) : -1;
    int64_t last = first;
    size_t length = digits;
    if (text[length] == '-') {
        const size_t more = strspn(text + length + 1, "0123456789");
        last = more > 0 && more < 9 ? atoll(text + length + 1) : -1;
        length += 1 + more;
    }
    if (first < 0 || last < first || last >= ranks) {
        return 0;
    }
    for (int64_t rank = first; rank <= last; rank++) {
        add(group, rank);
    }
    return length;
}

int word_group(const char *text, int ranks, struct group *group) {
    *group = (struct group){.count = 0};
    if (strcmp(text, "*") == 0) {
        for (int rank = 0; rank < ranks; rank++) {
            add(group, rank);
        }
        return 1;
    }
    for (;;) {
        const size_t length = take_span(text, ranks, group);
        if (length == 0 || (text[length] != ',' && text[length] != '\0')) {
            return 0;
        }
        if (text[length] == '\0') {
            return 1;
        }
        text += length + 1;
    }
}

int word_path(const char *text) {
    if (text[0] == '/') {
        return 0;
    }
    for (const char *part = text; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && strncmp(part, "..", 2) == 0)) {
            return 0;
        }
    }
    return 1;
}

int word_action(const char *name) {
    static const char *const NAMES[ACTIONS] = {
        [ACT_BARRIER] = "barrier", [ACT_COMPUTE] = "compute",     [ACT_OPEN] = "open",         [ACT_CLOSE] = "close",
        [ACT_SYNC] = "sync",       [ACT_VIEW] = "view",           [ACT_WRITE] = "write",       [ACT_READ] = "read",
        [ACT_MKDIR] = "mkdir",     [ACT_WRITE_ALL] = "write_all", [ACT_READ_ALL] = "read_all", [ACT_RMDIR] = "rmdir",
        [ACT_PUT] = "put",         [ACT_GET] = "get",             [ACT_STAT] = "stat",         [ACT_UNLINK] = "unlink",
        [ACT_RENAME] = "rename",
    };
    for (int action = 0; action < ACTIONS; action++) {
        if (strcmp(NAMES[action], name) == 0) {
            return action;
        }
    }
    return -1;
}
