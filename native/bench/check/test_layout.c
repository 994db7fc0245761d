/* Every byte of the file is covered once, whatever the order; the data tell every block from every other. */
#include <stdlib.h>
#include <string.h>

#include "../layout.h"
#include "../pattern.h"
#include "check.h"

static void covers_once(struct options *options, int tasks) {
    struct layout layout = layout_of(options, tasks);
    const int64_t files = options->file_per_task ? tasks : 1;
    const int64_t size = layout_file_size(&layout);
    const int64_t places = size / options->transfer;
    char *const seen = calloc((size_t)(files * places), 1);
    CHECK(seen != NULL);
    for (int task = 0; task < tasks; task++) {
        CHECK(layout_for(&layout, task));
        for (int64_t i = 0; i < layout_transfers(&layout); i++) {
            const int64_t offset = layout_offset(&layout, i);
            CHECK(offset >= 0 && offset % options->transfer == 0 && offset + options->transfer <= size);
            char *const place = &seen[(options->file_per_task ? task : 0) * places + offset / options->transfer];
            CHECK(!*place);
            *place = 1;
        }
    }
    for (int64_t i = 0; i < files * places; i++) {
        CHECK(seen[i]);
    }
    free(seen);
    layout_free(&layout);
}

static void layouts(void) {
    for (int tasks = 1; tasks <= 7; tasks++) {
        for (int each = 1; each <= 9; each++) {
            for (int variant = 0; variant < 4; variant++) {
                struct options options = {.block = 16L * each,
                                          .transfer = 16,
                                          .segments = 1 + each % 3,
                                          .file_per_task = variant & 1,
                                          .random = variant >> 1,
                                          .seed = each};
                covers_once(&options, tasks);
            }
        }
    }
}

/* A shuffle that shuffles: few transfers stay where they would be in order. */
static void shuffles(void) {
    struct options options = {.block = 8 * 4096, .transfer = 8, .segments = 1, .random = 1};
    struct layout layout = layout_of(&options, 2);
    int stayed = 0;
    CHECK(layout_for(&layout, 1));
    for (int64_t i = 0; i < layout_transfers(&layout); i++) {
        stayed += layout_offset(&layout, i) == (4096 + i) * 8;
    }
    CHECK(stayed < 40);
    layout_free(&layout);
}

static void names(void) {
    char name[64];
    struct options options = {.file = "d/f"};
    CHECK(layout_name(name, sizeof name, &options, 3, 2) && strcmp(name, "d/f") == 0);
    options.multi_file = 1;
    CHECK(layout_name(name, sizeof name, &options, 3, 2) && strcmp(name, "d/f.2") == 0);
    options.file_per_task = 1;
    CHECK(layout_name(name, sizeof name, &options, 3, 2) && strcmp(name, "d/f.00000003.2") == 0);
    CHECK(!layout_name(name, 10, &options, 3, 2));
}

static void data(void) {
    enum { BYTES = 3 * 4096 };
    uint64_t buffer[BYTES / WORD];
    int64_t first = -1;
    for (int packet = PACKET_TIMESTAMP; packet <= PACKET_VERIFY; packet++) {
        const struct pattern mine = {(enum packet)packet, 77, 5};
        struct pattern other = mine;
        pattern_prepare(&mine, buffer, BYTES);
        pattern_stamp(&mine, buffer, BYTES, 8192);
        CHECK(pattern_wrong(&mine, buffer, BYTES, 8192, &first) == 0);
        other.rank = 6;
        CHECK(pattern_wrong(&other, buffer, BYTES, 8192, &first) == BYTES / WORD && first == 0);
        const int64_t moved = pattern_wrong(&mine, buffer, BYTES, 8192 + BYTES, &first);
        CHECK(moved == (packet == PACKET_TIMESTAMP ? 0 : packet == PACKET_OFFSET ? 3 : BYTES / WORD));
        buffer[700] ^= 1;
        CHECK(pattern_wrong(&mine, buffer, BYTES, 8192, &first) == 1 && first == 700);
    }
    CHECK(pattern_packet("offset") == PACKET_OFFSET && pattern_packet("T") == PACKET_TIMESTAMP &&
          pattern_packet("x") == -1);
}

/* A replay's bytes are the same in whatever pieces they are written. */
static void pieces(void) {
    unsigned char whole[100];
    unsigned char part[100];
    pattern_fill_file(whole, 100, 3, 1000, 0);
    for (int64_t from = 0; from < 20; from++) {
        for (int64_t length = 1; from + length <= 40; length++) {
            pattern_fill_file(part, length, 3, 1000 + from, 0);
            CHECK(memcmp(part, whole + from, (size_t)length) == 0);
            CHECK(pattern_wrong_in_file(part, length, 3, 1000 + from) == -1);
            part[length - 1] ^= 0x40;
            CHECK(pattern_wrong_in_file(part, length, 3, 1000 + from) >= 0);
        }
    }
    pattern_fill_file(part, 100, 3, 1000, 1);
    for (int i = 0; i < 100; i++) {
        CHECK(part[i] != whole[i]);
    }
    pattern_fill_file(part, 100, 4, 1000, 0);
    CHECK(memcmp(part, whole, 100) != 0);
}

int main(void) {
    layouts();
    shuffles();
    names();
    data();
    pieces();
    return 0;
}
