#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "operation.h"
#include "readahead.h"

static struct mounted *to_be_set;

/* Return the device number of a mount as the kernel writes it, "" if it is not found. Asking the mount itself would
 * wait for us. */
static void device_of(const char *path, char *device, size_t size) {
    FILE *const table = fopen("/proc/self/mountinfo", "re");
    char line[8192], number[32], place[4096];
    device[0] = '\0';
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
        if (sscanf(line, "%*d %*d %31s %*s %4095s", number, place) == 2 && strcmp(place, path) == 0) {
            snprintf(device, size, "%s", number); /* the last one is on top */
        }
    }
    if (table != NULL) {
        fclose(table);
    }
}

static void set(void) {
    char device[32], path[128];
    device_of(to_be_set->options.mount_point, device, sizeof device);
    snprintf(path, sizeof path, "/sys/class/bdi/%s/read_ahead_kb", device);
    FILE *const file = device[0] == '\0' ? NULL : fopen(path, "we");
    if (file != NULL) {
        fprintf(file, "%u\n", to_be_set->options.readahead / 1024);
        fclose(file);
    }
}

void readahead_set(struct mounted *mounted) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    to_be_set = mounted;
    pthread_once(&once, set);
}
