#include "describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

static const double KIBIBYTE = 1024;

void time_of_day(char *text, size_t size) {
    const time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) == NULL || strftime(text, size, "%a %b %e %H:%M:%S %Y", &local) == 0) {
        snprintf(text, size, "%s", "");
    }
}

const char *human_size(char *text, size_t size, int64_t bytes) {
    const double mebibyte = KIBIBYTE * KIBIBYTE;
    const double value = (double)bytes;
    if (value < mebibyte) {
        snprintf(text, size, "%" PRId64 " bytes", bytes);
    } else {
        const int large = value >= KIBIBYTE * mebibyte;
        const double shown = value / (large ? KIBIBYTE * mebibyte : mebibyte);
        snprintf(text, size, shown == (double)(int64_t)shown ? "%.0f %s" : "%.2f %s", shown, large ? "GiB" : "MiB");
    }
    return text;
}

#define LINE(name, ...) \
    (lines[n].key = (name), lines[n].is_number = 0, snprintf(lines[n].value, TEXT_SIZE, __VA_ARGS__), n++)
#define NUMBER(name, number) (LINE(name, "%" PRId64, (int64_t)(number)), lines[n - 1].is_number = 1)

int describe_options(struct line lines[LINES], const struct job *job) {
    const struct options *const o = job->options;
    char version[64] = "";
    char size[64];
    job->backend->version(version, sizeof version);
    int n = 0;
    LINE("api", "%s", job->backend->name);
    LINE("apiVersion", "%s", version);
    LINE("test filename", "%s", o->file);
    LINE("access", "%s", o->file_per_task ? "file-per-process" : "single-shared-file");
    LINE("type", "%s", o->collective ? "collective" : "independent");
    NUMBER("segments", o->segments);
    LINE("ordering in a file", "%s", o->random ? "random" : "sequential");
    LINE("ordering inter file", "%s", o->reorder ? "constant task offset" : "no tasks offsets");
    NUMBER("nodes", job->nodes);
    NUMBER("tasks", job->tasks);
    NUMBER("clients per node", job->tasks_per_node);
    LINE("memoryBuffer", "CPU");
    LINE("dataAccess", "CPU");
    LINE("GPUDirect", "0");
    NUMBER("repetitions", o->repetitions);
    LINE("xfersize", "%s", human_size(size, sizeof size, o->transfer));
    LINE("blocksize", "%s", human_size(size, sizeof size, o->block));
    LINE("aggregate filesize", "%s", human_size(size, sizeof size, o->block * o->segments * job->tasks));
    return n;
}

int describe_file_system(struct line lines[LINES], const char *path) {
    char folder[TEXT_SIZE];
    struct statvfs fs;
    int n = 0;
    snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash == NULL) {
        snprintf(folder, sizeof folder, ".");
    } else {
        slash[slash == folder] = '\0';
    }
    LINE("Path", "%s", path);
    if (statvfs(folder, &fs) == 0) {
        const double blocks = (double)fs.f_blocks;
        const double nodes = (double)fs.f_files;
        LINE("Capacity", "%.1f GiB", blocks * (double)fs.f_frsize / KIBIBYTE / KIBIBYTE / KIBIBYTE);
        LINE("Used Capacity", "%.1f%%", blocks > 0 ? 100 * (1 - (double)fs.f_bfree / blocks) : 0);
        LINE("Inodes", "%.1f Mi", nodes / KIBIBYTE / KIBIBYTE);
        LINE("Used Inodes", "%.1f%%", nodes > 0 ? 100 * (1 - (double)fs.f_ffree / nodes) : 0);
    }
    return n;
}
