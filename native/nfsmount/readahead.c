#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "operation.h"
#include "readahead.h"

static struct mounted *to_be_set;

/* Return whether a path is what mountinfo writes of it, where \040 is a blank. */
static int is_place(const char *place, const char *path) {
    while (*place != '\0' && *path != '\0') {
        unsigned letter = (unsigned char)*place;
        int length = 1;
        if (*place == '\\' && sscanf(place, "\\%3o%n", &letter, &length) != 1) {
            length = 1;
        }
        if (letter != (unsigned char)*path) {
            return 0;
        }
        place += length;
        path++;
    }
    return *place == *path;
}

/* Return the device number of a mount as the kernel writes it, "" if it is not found. Asking the mount itself would
 * wait for us. */
static void device_of(const char *path, char *device, size_t size) {
    FILE *const table = fopen("/proc/self/mountinfo", "re");
    char line[8192], number[32], place[4096];
    device[0] = '\0';
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
        if (sscanf(line, "%*d %*d %31s %*s %4095s", number, place) == 2 && is_place(place, path)) {
            snprintf(device, size, "%s", number); /* the last one is on top */
        }
    }
    if (table != NULL) {
        fclose(table);
    }
}

/* Open the setting of a mount; NULL where it is not found, or not to be opened. */
static FILE *setting(const struct mounted *mounted, const char *mode) {
    char device[32], path[128];
    device_of(mounted->options.mount_point, device, sizeof device);
    snprintf(path, sizeof path, "/sys/class/bdi/%s/read_ahead_kb", device);
    return device[0] == '\0' ? NULL : fopen(path, mode);
}

static void set(void) {
    FILE *const file = setting(to_be_set, "we");
    if (file != NULL) {
        fprintf(file, "%u\n", to_be_set->options.readahead / 1024);
        fclose(file);
    }
}

long readahead_in_force(const struct mounted *mounted) {
    FILE *const file = setting(mounted, "re");
    long kibibytes = -1;
    if (file != NULL) {
        if (fscanf(file, "%ld", &kibibytes) != 1) {
            kibibytes = -1;
        }
        fclose(file);
    }
    return kibibytes < 0 ? -1 : kibibytes * 1024;
}

void readahead_set(struct mounted *mounted) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    to_be_set = mounted;
    pthread_once(&once, set);
}
