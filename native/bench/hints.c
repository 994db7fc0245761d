#include "hints.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agree.h"

static const char PREFIX[] = "IOR_HINT__MPI__";
/* No MPI knows it. Open MPI 4 tells of an open file what was asked for, whoever does its I/O, and so this too. */
static const char PROBE[] = "acic_probe";

int hints_set(struct hints *hints, const char *name, const char *value, struct error *error) {
    int place = 0;
    while (place < hints->count && strcmp(hints->hint[place].name, name) != 0) {
        place++;
    }
    if (place == HINTS || strlen(name) >= HINT_NAME || strlen(value) >= HINT_VALUE || name[0] == '\0') {
        return fail(error, STATUS_FAILED, "hint %.60s: too many hints, or too long", name);
    }
    struct hint *const hint = &hints->hint[place];
    memcpy(hint->name, name, strlen(name) + 1);
    memcpy(hint->value, value, strlen(value) + 1);
    hints->count += place == hints->count;
    return STATUS_OK;
}

const char *hints_get(const struct hints *hints, const char *name) {
    for (int i = 0; i < hints->count; i++) {
        if (strcmp(hints->hint[i].name, name) == 0) {
            return hints->hint[i].value;
        }
    }
    return NULL;
}

/* Cut white space off both ends; returns the new start. */
static char *trimmed(char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

/* Take "IOR_HINT__MPI__name=value"; returns 0 where the text is not of that form. */
static int take(struct hints *hints, char *text, struct error *error) {
    char *const equals = strchr(text, '=');
    if (strncmp(text, PREFIX, sizeof PREFIX - 1) != 0 || equals == NULL) {
        return 0;
    }
    *equals = '\0';
    hints_set(hints, trimmed(text + sizeof PREFIX - 1), trimmed(equals + 1), error);
    return 1;
}

int hints_read_file(struct hints *hints, const char *path, struct error *error) {
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return fail(error, STATUS_FAILED, "cannot open the hints file %s: %s", path, strerror(errno));
    }
    char line[HINT_NAME + HINT_VALUE];
    for (int number = 1; error->status == STATUS_OK && fgets(line, sizeof line, file) != NULL; number++) {
        line[strcspn(line, "#\n")] = '\0';
        char *const text = trimmed(line);
        if (*text != '\0' && !take(hints, text, error)) {
            fail(error, STATUS_FAILED, "%s:%d: a hint is a line %sname=value, not %.80s", path, number, PREFIX, text);
        }
    }
    if (ferror(file)) {
        fail(error, STATUS_FAILED, "cannot read the hints file %s: %s", path, strerror(errno));
    }
    fclose(file);
    return error->status;
}

int hints_read_environment(struct hints *hints, char *const *environment, struct error *error) {
    for (; *environment != NULL && error->status == STATUS_OK; environment++) {
        char text[HINT_NAME + HINT_VALUE];
        if (strncmp(*environment, PREFIX, sizeof PREFIX - 1) == 0) {
            snprintf(text, sizeof text, "%s", *environment);
            take(hints, text, error);
        }
    }
    return error->status;
}

int hints_to_info(const struct hints *hints, MPI_Info *info, struct error *error) {
    *info = MPI_INFO_NULL;
    if (hints->count > 0) {
        fail_mpi(error, MPI_Info_create(info), "cannot make", "MPI_Info");
    }
    if (*info != MPI_INFO_NULL) {
        fail_mpi(error, MPI_Info_set(*info, PROBE, "1"), "cannot set the hint", PROBE);
    }
    for (int i = 0; i < hints->count && error->status == STATUS_OK; i++) {
        const struct hint *const hint = &hints->hint[i];
        fail_mpi(error, MPI_Info_set(*info, hint->name, hint->value), "cannot set the hint", hint->name);
    }
    return error->status;
}

int hints_from_info(struct hints *hints, MPI_Info info, struct error *error) {
    int count = 0;
    int echoed = 0;
    char probed[2] = "";
    int code = MPI_Info_get(info, PROBE, 1, probed, &echoed);
    if (code == MPI_SUCCESS && !echoed) {
        code = MPI_Info_get_nkeys(info, &count);
    }
    for (int i = 0; i < count && code == MPI_SUCCESS && error->status == STATUS_OK; i++) {
        char name[MPI_MAX_INFO_KEY + 1] = "";
        char value[HINT_VALUE] = "";
        int length = HINT_VALUE - 1;
        int found = 0;
        code = MPI_Info_get_nthkey(info, i, name);
        if (code == MPI_SUCCESS) {
            code = MPI_Info_get(info, name, length, value, &found);
        }
        if (found && hints->count < HINTS) {
            hints_set(hints, name, value, error);
        }
    }
    return fail_mpi(error, code, "cannot read", "the hints in force");
}
