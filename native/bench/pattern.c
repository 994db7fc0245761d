#include "pattern.h"

#include <string.h>
#include <strings.h>

enum { STAMP_EVERY = 4096 / WORD, POISON_EVERY = 512 / WORD };

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15U; /* 2^64 / golden ratio: spreads small numbers over all bits */

int pattern_packet(const char *name) {
    static const char *const NAMES[][2] = {{"t", "timestamp"}, {"o", "offset"}, {"v", "verify"}};
    for (int i = 0; i < 3; i++) {
        if (strcasecmp(name, NAMES[i][0]) == 0 || strcasecmp(name, NAMES[i][1]) == 0) {
            return i;
        }
    }
    return -1;
}

const char *pattern_letter(enum packet packet) {
    return packet == PACKET_TIMESTAMP ? "g" : packet == PACKET_OFFSET ? "o" : "v";
}

static uint64_t timestamp_word(const struct pattern *pattern, int64_t index) {
    return (uint64_t)(unsigned)pattern->rank << 32 | (pattern->signature + (uint64_t)index);
}

static uint64_t offset_word(const struct pattern *pattern, int64_t index, int64_t offset) {
    const uint32_t product = (uint32_t)((uint64_t)offset * (uint64_t)(index / STAMP_EVERY + 1));
    return (uint64_t)(unsigned)pattern->rank << 32 | product;
}

/* Ranks below 2^20 and offsets below 2^47 give different words. */
static uint64_t verify_word(const struct pattern *pattern, int64_t index, int64_t offset) {
    const uint64_t place = (uint64_t)(unsigned)pattern->rank << 44 | ((uint64_t)offset / WORD + (uint64_t)index);
    return place ^ (pattern->signature * GOLDEN);
}

static uint64_t expected(const struct pattern *pattern, int64_t index, int64_t offset) {
    if (pattern->packet == PACKET_VERIFY) {
        return verify_word(pattern, index, offset);
    }
    if (pattern->packet == PACKET_OFFSET && index % STAMP_EVERY == 0) {
        return offset_word(pattern, index, offset);
    }
    return timestamp_word(pattern, index);
}

void pattern_prepare(const struct pattern *pattern, uint64_t *buffer, int64_t bytes) {
    for (int64_t i = 0; i < bytes / WORD; i++) {
        buffer[i] = timestamp_word(pattern, i);
    }
}

void pattern_stamp(const struct pattern *pattern, uint64_t *buffer, int64_t bytes, int64_t offset) {
    if (pattern->packet == PACKET_OFFSET) {
        for (int64_t i = 0; i < bytes / WORD; i += STAMP_EVERY) {
            buffer[i] = offset_word(pattern, i, offset);
        }
    } else if (pattern->packet == PACKET_VERIFY) {
        for (int64_t i = 0; i < bytes / WORD; i++) {
            buffer[i] = verify_word(pattern, i, offset);
        }
    }
}

void pattern_poison(uint64_t *buffer, int64_t bytes) {
    for (int64_t i = 0; i < bytes / WORD; i += POISON_EVERY) {
        buffer[i] = 0xBADBADBADBADBAD5U;
    }
}

int64_t pattern_wrong(const struct pattern *pattern, const uint64_t *buffer, int64_t bytes, int64_t offset,
                      int64_t *first) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < bytes / WORD; i++) {
        if (buffer[i] != expected(pattern, i, offset)) {
            *first = wrong == 0 ? i : *first;
            wrong++;
        }
    }
    return wrong;
}

/* Word `index` of a file; its lowest byte comes first on the machines that we run on, which is all that -W needs. */
static uint64_t file_word(int64_t file, int64_t index) {
    return ((uint64_t)index + 1) * GOLDEN ^ (uint64_t)file * (GOLDEN << 1 | 1);
}

/* The bytes of one word that lie in [offset, offset + bytes): how many, and from which of the word's on. */
static int64_t piece(int64_t offset, int64_t bytes) {
    const int64_t rest = WORD - offset % WORD;
    return rest < bytes ? rest : bytes;
}

void pattern_fill_file(unsigned char *buffer, int64_t bytes, int64_t file, int64_t offset, int inverted) {
    for (int64_t length = 0; bytes > 0; buffer += length, offset += length, bytes -= length) {
        const uint64_t word = file_word(file, offset / WORD);
        const uint64_t stored = inverted ? ~word : word;
        length = piece(offset, bytes);
        memcpy(buffer, (const unsigned char *)&stored + offset % WORD, (size_t)length);
    }
}

int64_t pattern_wrong_in_file(const unsigned char *buffer, int64_t bytes, int64_t file, int64_t offset) {
    int64_t at = 0;
    for (int64_t length = 0; at < bytes; at += length) {
        const uint64_t word = file_word(file, (offset + at) / WORD);
        length = piece(offset + at, bytes - at);
        if (memcmp(buffer + at, (const unsigned char *)&word + (offset + at) % WORD, (size_t)length) != 0) {
            return at;
        }
    }
    return -1;
}
