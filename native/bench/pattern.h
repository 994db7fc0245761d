/* What is written, and whether it comes back.
 *
 * PACKET_TIMESTAMP and PACKET_OFFSET are byte for byte what IOR writes for the same signature (-G): a buffer's word i
 * is rank << 32 | (signature + i), and with offset the first word of each 4 KiB of it is rank << 32 | the low half of
 * (file offset * (1 + its number in the buffer)). Neither tells apart all the blocks of a rank. PACKET_VERIFY does:
 * every word holds rank and file offset.
 */
#ifndef ACIC_BENCH_PATTERN_H
#define ACIC_BENCH_PATTERN_H

#include <stdint.h>

enum { WORD = 8 }; /* bytes; transfers are whole words, at offsets that are */

enum packet { PACKET_TIMESTAMP, PACKET_OFFSET, PACKET_VERIFY };

struct pattern {
    enum packet packet;
    uint32_t signature;
    int rank; /* that writes, or wrote, the data */
};

/* The packet that -l names ("t", "timestamp", ...), -1 where there is none. */
int pattern_packet(const char *name);

/* IOR's letter for it; "v" is ours. */
const char *pattern_letter(enum packet packet);

/* Fill a buffer once, before the time is taken; `bytes` is a multiple of WORD. */
void pattern_prepare(const struct pattern *pattern, uint64_t *buffer, int64_t bytes);

/* Make a prepared buffer the data at `offset`; costs nothing with PACKET_TIMESTAMP, and a memset with PACKET_VERIFY. */
void pattern_stamp(const struct pattern *pattern, uint64_t *buffer, int64_t bytes, int64_t offset);

/* Spoil a buffer before a read, so that one that fills nothing, or leaves out a sector, cannot pass as right. */
void pattern_poison(uint64_t *buffer, int64_t bytes);

/* Compare what was read at `offset`; return how many words are wrong, and the first one's index in `first`. */
int64_t pattern_wrong(const struct pattern *pattern, const uint64_t *buffer, int64_t bytes, int64_t offset,
                      int64_t *first);

/* The bytes at `offset` of file number `file` of a replay: the same whoever writes them, as ranks may overlap there.
 * `inverted` gives the bytes that a file is prepared with: wherever they remain, a write was lost. */
void pattern_fill_file(unsigned char *buffer, int64_t bytes, int64_t file, int64_t offset, int inverted);

/* Compare; return the index of a wrong byte (of the first wrong word), -1 where all are right. */
int64_t pattern_wrong_in_file(const unsigned char *buffer, int64_t bytes, int64_t file, int64_t offset);

#endif
