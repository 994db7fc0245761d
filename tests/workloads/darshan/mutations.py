"""Damage to a Darshan log: what disks, networks, editors and killed jobs do, and worse."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable

_MAGIC = struct.pack("<q", 6567223)
_ODD = (0, 1, 2, 7, 8, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return a damaged copy of a log; one in many is left as it was."""
    kind = rng.choice(
        (_flip, _flip, _cut, _splice, _edit_header, _edit_header, _edit_region, _edit_region, _edit_region)
    )
    damaged = kind(data, rng)
    return _flip(damaged, rng) if rng.random() < 0.1 else damaged


def _flip(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 16) if damaged else 0):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _splice(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted(rng.choices(range(len(data) + 1), k=2))
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[start:end] + data[rng.choice((at, at + end - start)) :]


def _edit_header(data: bytes, rng: random.Random) -> bytes:
    """Change numbers in the header: where regions are, how long, in which version and packing."""
    damaged = bytearray(data)
    size = min(len(data), _header_size(data))
    for _ in range(rng.randint(1, 3) if size >= 24 else 0):
        value = rng.choice((*_ODD, len(data), rng.randrange(len(data)), rng.getrandbits(64)))
        at = rng.randrange(8, size - 8, 4)
        used = [i for i in range(24, size - 8, 8) if any(damaged[i : i + 8])]
        if used and rng.random() < 0.7:
            at = rng.choice(used)
        damaged[at : at + 8] = struct.pack("<Q", value)
    return bytes(damaged)


def _edit_region(data: bytes, rng: random.Random) -> bytes:
    """Unpack a region, damage what is in it, and pack it again: no checksum will tell."""
    entries = [at for at in range(_maps(data), _header_size(data) - 15, 16) if _region(data, at)]
    if not entries:
        return _flip(data, rng)
    entry = rng.choice(entries)
    start, length = struct.unpack_from("<QQ", data, entry)
    try:
        raw = zlib.decompress(data[start : start + length])
    except zlib.error:
        return _flip(data, rng)
    inner: Callable[[bytes, random.Random], bytes] = rng.choice((_flip, _cut, _splice, _edit_words, _edit_words))
    packed = zlib.compress(inner(raw, rng), 1)
    damaged = bytearray(data)
    struct.pack_into("<QQ", damaged, entry, len(data), len(packed))
    return bytes(damaged) + packed


def _edit_words(raw: bytes, rng: random.Random) -> bytes:
    """Replace 8-byte words: counts, ranks and sizes."""
    damaged = bytearray(raw)
    for _ in range(rng.randint(1, 4) if len(raw) >= 8 else 0):
        # most counts stand at the beginning of a record
        word = rng.randrange(min(len(raw) // 8, 16) if rng.random() < 0.5 else len(raw) // 8)
        struct.pack_into("<Q", damaged, 8 * word, rng.choice((*_ODD, rng.getrandbits(64))))
    return bytes(damaged)


def _header_size(data: bytes) -> int:
    return 1328 if data[:4] == b"3.41" else 360


def _maps(data: bytes) -> int:
    return 32 if data[:4] == b"3.41" else 24


def _region(data: bytes, at: int) -> bool:
    """Whether the 16 bytes at `at` may be the place of a region."""
    if data[8:16] != _MAGIC or at + 16 > len(data):
        return False
    start, length = struct.unpack_from("<QQ", data, at)
    return bool(length) and start >= _header_size(data) and start + length <= len(data)
