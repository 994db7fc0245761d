#include "burn.h"

#include <time.h>

enum { ROUND = 20000 }; /* multiplications between two looks at the clock, some 20 us */

static volatile double sink; /* what is computed is used, so that no compiler leaves it out */

double burn_used(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

void burn(double seconds) {
    const double end = burn_used() + seconds;
    double value = sink + 1;
    while (seconds > 0 && burn_used() < end) {
        for (int i = 0; i < ROUND; i++) {
            value = value * 0.999999 + 1e-6;
        }
    }
    sink = value;
}
