#include "results.h"

#include <math.h>

static const double MEBIBYTE = 1024.0 * 1024.0;

double bandwidth(const struct figures *figures) {
    return (double)figures->bytes / MEBIBYTE / figures->total;
}

double operations(const struct figures *figures) {
    return (double)figures->transfers / figures->total;
}

static double value_of(const struct figures *figures, enum measure measure) {
    switch (measure) {
    case BANDWIDTH:
        return bandwidth(figures);
    case OPERATIONS:
        return operations(figures);
    case SECONDS:
        return figures->total;
    case MEBIBYTES:
        return (double)figures->bytes / MEBIBYTE;
    }
    return NAN;
}

struct statistics statistics_of(const struct results *results, enum direction access, enum measure measure) {
    struct statistics found = {0};
    double squares = 0;
    for (int64_t i = 0; i < results->count; i++) {
        if (results->items[i].access == access) {
            const double value = value_of(&results->items[i].figures, measure);
            const double before = value - found.mean;
            found.max = found.count == 0 || value > found.max ? value : found.max;
            found.min = found.count == 0 || value < found.min ? value : found.min;
            found.count++;
            found.mean += before / (double)found.count; /* Welford, Technometrics 4(3), 1962 */
            squares += before * (value - found.mean);
        }
    }
    found.deviation = found.count > 0 ? sqrt(squares / (double)found.count) : 0;
    return found;
}

const char *access_name(enum direction access) {
    return access == WRITE ? "write" : "read";
}
