#include <strings.h>

#include "options.h"
#include "pattern.h"

/* What IOR refuses too, plus what it would run into later. */
static int check_sizes(const struct options *options, struct error *error) {
    if (options->transfer <= 0 || options->block <= 0 || options->segments <= 0 || options->repetitions <= 0) {
        return fail(error, STATUS_FAILED, "-t, -b, -s and -i must be above zero");
    }
    if (options->transfer % WORD != 0) {
        return fail(error, STATUS_FAILED, "transfer size (-t) must be a multiple of %d bytes", WORD);
    }
    if (options->block % options->transfer != 0) {
        return fail(error, STATUS_FAILED, "block size (-b) must be a multiple of transfer size (-t)");
    }
    if (options->segments > INT64_MAX / options->block) {
        return fail(error, STATUS_FAILED, "-s times -b is larger than any file");
    }
    if (options->transfer > INT32_MAX && strcasecmp(options->api, "POSIX") != 0) {
        return fail(error, STATUS_FAILED, "transfer size (-t) must be below 2 GiB with -a %s", options->api);
    }
    return STATUS_OK;
}

int options_check(const struct options *options, struct error *error) {
    if (check_sizes(options, error) != STATUS_OK) {
        return error->status;
    }
    if (strcasecmp(options->summary_format, "default") != 0 && strcasecmp(options->summary_format, "JSON") != 0) {
        return fail(error, STATUS_FAILED, "summaryFormat must be default or JSON, not %s", options->summary_format);
    }
    if (options->packet[0] != '\0' && pattern_packet(options->packet) < 0) {
        return fail(error, STATUS_FAILED, "-l must be timestamp (t), offset (o) or verify (v), not %s",
                    options->packet);
    }
    if (options->signature > INT32_MAX) {
        return fail(error, STATUS_FAILED, "-G must be below 2^31");
    }
    const int only_checks = !options->write && (options->check_read || options->check_write);
    if (only_checks && options->signature == 0) {
        return fail(error, STATUS_FAILED, "-R or -W without -w needs the -G that the data were written with");
    }
    if (options->random > 1) {
        return fail(error, STATUS_FAILED, "-z twice (overlapping random offsets) is not supported");
    }
    if (options->random && options->collective && strcasecmp(options->api, "POSIX") != 0) {
        return fail(error, STATUS_FAILED, "-z (random offsets) does not go with -c (collective)");
    }
    if (options->random && strcasecmp(options->api, "HDF5") == 0) {
        return fail(error, STATUS_FAILED, "-z (random offsets) does not go with -a HDF5");
    }
    if (options->direct && strcasecmp(options->api, "POSIX") != 0) {
        return fail(error, STATUS_FAILED, "--posix.odirect needs -a POSIX");
    }
    if (options->wear_out && options->deadline == 0) {
        return fail(error, STATUS_FAILED, "stoneWallingWearOut needs a deadline (-D)");
    }
    return STATUS_OK;
}
