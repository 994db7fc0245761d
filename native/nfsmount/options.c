#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static const struct numeric {
    const char *name;
    size_t place;
    unsigned least, most;
    const char *help;
} NUMBERS[] = {
#define NUMBER(name, member, least, most, help) {name, offsetof(struct options, member), least, most, help},
    NUMBER("port", nfs_port, 1, 65535, "of the NFS service (2049); no port mapper is asked")
    NUMBER("mountport", mount_port, 1, 65535, "of the MOUNT service (20048)")
    NUMBER("rsize", read_size, 4 * KIB, MIB, "bytes that one call reads at most (1M)")
    NUMBER("wsize", write_size, 4 * KIB, MIB, "bytes that one call writes at most (1M)")
    NUMBER("nconnect", connections, 1, 15, "connections that carry data (4); one more carries the rest, unless it is 1")
    NUMBER("behind", behind, 64 * KIB, 1024 * MIB, "bytes that are under way before a writer waits (16M)")
    NUMBER("readahead", readahead, 4 * KIB, 64 * MIB, "bytes that are read ahead (4M)")
    NUMBER("timeout", timeout, 1, 3600, "seconds that a server may say nothing before calls end with EIO (60)")
    NUMBER("retry", retry, 0, 3600, "seconds that a server may be gone before calls end with EIO (5)")
};

void options_help(void) {
    puts("usage: acic-nfsmount HOST:/EXPORT DIRECTORY [-o OPTION,...]   mount, in the foreground, until unmounted\n"
         "       acic-nfsmount --tell DIRECTORY                          what a mount is set to\n"
         "       acic-nfsmount --exports HOST [-o OPTION,...]            what a server exports\n"
         "       acic-nfsmount --help | --version\n\n"
         "Mounts an NFSv3 export without the kernel's client, through FUSE. Options, sizes with K or M:\n"
         "  async        gather writes and send them behind (default); close and fsync wait for the server's disk\n"
         "  sync         each write waits for the server's disk\n"
         "  rw, ro       as ever");
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        printf("  %-12s %s\n", NUMBERS[i].name, NUMBERS[i].help);
    }
}

static bool complain(const char *problem, const char *what) {
    fprintf(stderr, "acic-nfsmount: %s: %s\nhint: see acic-nfsmount --help\n", problem, what);
    return false;
}

static bool read_number(const struct numeric *numeric, struct options *options, const char *text) {
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    const unsigned long unit = *end == 'K' || *end == 'k' ? KIB : *end == 'M' || *end == 'm' ? MIB : 1;
    end += unit != 1;
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value > UINT_MAX / unit ||
        value * unit < numeric->least || value * unit > numeric->most) {
        fprintf(stderr, "acic-nfsmount: %s=%s is not between %u and %u\nhint: see acic-nfsmount --help\n",
                numeric->name, text, numeric->least, numeric->most);
        return false;
    }
    const unsigned number = (unsigned)(value * unit);
    memcpy((char *)options + numeric->place, &number, sizeof number); /* an int where it is a port */
    return true;
}

static bool read_option(struct options *options, char *text) {
    char *const equals = strchr(text, '=');
    if (equals == NULL) {
        const bool sync = strcmp(text, "sync") == 0, read_only = strcmp(text, "ro") == 0;
        options->sync = sync || (options->sync && strcmp(text, "async") != 0);
        options->read_only = read_only || (options->read_only && strcmp(text, "rw") != 0);
        return sync || read_only || strcmp(text, "async") == 0 || strcmp(text, "rw") == 0 ||
               complain("unknown option", text);
    }
    *equals = '\0';
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if (strcmp(NUMBERS[i].name, text) == 0) {
            return read_number(&NUMBERS[i], options, equals + 1);
        }
    }
    return complain("unknown option", text);
}

static bool read_options(struct options *options, const char *text) {
    char *const copy = strdup(text), *rest = NULL;
    bool right = copy != NULL || complain("no memory", text);
    for (char *word = copy == NULL ? NULL : strtok_r(copy, ",", &rest); right && word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        right = read_option(options, word);
    }
    free(copy);
    return right;
}

static bool read_source(struct options *options, const char *text) {
    const char *const slash = strstr(text, ":/");
    if (slash == NULL || slash == text) {
        return complain("not HOST:/EXPORT", text);
    }
    options->host = strndup(text, (size_t)(slash - text));
    options->path = strdup(slash + 1);
    return options->host != NULL && options->path != NULL;
}

static bool read_place(struct options *options, const char *text) {
    options->mount_point = realpath(text, NULL);
    return options->mount_point != NULL || complain(strerror(errno), text);
}

static bool read_words(struct options *options, char **words, int count) {
    const int wanted = options->action == MOUNT ? 2 : options->action == TELL || options->action == EXPORTS ? 1 : 0;
    if (count != wanted) {
        return complain("wrong number of words", count > wanted ? words[wanted] : "too few");
    }
    switch (options->action) {
    case MOUNT:
        return read_source(options, words[0]) && read_place(options, words[1]);
    case TELL:
        return read_place(options, words[0]);
    case EXPORTS:
        options->host = strdup(words[0]);
        return options->host != NULL;
    default:
        return true;
    }
}

bool options_read(struct options *options, int count, char **arguments) {
    static const struct {
        const char *word;
        enum action action;
    } ACTIONS[] = {{"--tell", TELL}, {"--exports", EXPORTS}, {"--help", HELP}, {"-h", HELP}, {"--version", VERSION}};
    *options = (struct options){.nfs_port = 2049, .mount_port = 20048, .read_size = MIB, .write_size = MIB,
                                .connections = 4, .behind = 16 * MIB, .readahead = 4 * MIB, .timeout = 60, .retry = 5};
    char *words[3] = {0};
    int found = 0;
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof ACTIONS / sizeof *ACTIONS; k++) {
            if (strcmp(arguments[i], ACTIONS[k].word) == 0) {
                options->action = ACTIONS[k].action;
                known = true;
            }
        }
        if (!known && strcmp(arguments[i], "-o") == 0 && i + 1 < count) {
            if (!read_options(options, arguments[++i])) {
                return false;
            }
        } else if (!known && arguments[i][0] == '-') {
            return complain("unknown option", arguments[i]);
        } else if (!known && found < 3) {
            words[found++] = arguments[i];
        }
    }
    return options->action == HELP || options->action == VERSION || read_words(options, words, found);
}

void options_free(struct options *options) {
    free(options->host);
    free(options->path);
    free(options->mount_point);
}
