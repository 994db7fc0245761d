"""Lustre: over which storage targets each file is striped."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.job import text
from acic.workloads.darshan.records import Module, check_ranks
from acic.workloads.darshan.regions import Damage, Region

NEWEST = 2
"""Newest format of the module that can be read."""

_COUNTERS = ("STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_PATTERN", "FLAGS", "EXT_START", "EXT_END", "MIRROR_ID")
DTYPE = np.dtype([("id", "u8"), ("rank", "i8"), *((f"LUSTRE_COMP_{name}", "i8") for name in _COUNTERS)])
_COMPONENT = 72


def read_lustre(raw: bytes, region: Region, order: str, processes: int) -> Module:
    """Return the layout components of all files, each with its storage targets.

    Raises:
        Damage: the data end within a record, or hold an impossible rank.
    """
    walk = _Walk(raw, order)
    if region.version == 1:
        walk.old()
    else:
        walk.new()
    records = np.array(walk.rows, dtype=DTYPE)
    check_ranks(records["rank"].tolist(), processes)
    return Module(region.name, region.version, region.partial, records, tuple(walk.osts), tuple(walk.pools))


class _Walk:
    def __init__(self, raw: bytes, order: str) -> None:
        self.raw = raw
        self.rows: list[tuple[int, ...]] = []
        self.osts: list[NDArray[np.int64]] = []
        self.pools: list[str] = []
        self._order = order
        self._at = 0
        words = np.frombuffer(raw[: len(raw) // 8 * 8], dtype=np.int64)
        self._words = words if order == "<" else words.byteswap()

    def _take(self, form: struct.Struct) -> tuple[int, ...]:
        if len(self.raw) - self._at < form.size:
            raise Damage("end within a record")
        values = form.unpack_from(self.raw, self._at)
        self._at += form.size
        return values

    def _targets(self, count: int) -> NDArray[np.int64]:
        if not 0 <= count <= (len(self.raw) - self._at) // 8:
            raise Damage("end within a record")
        targets = self._words[self._at // 8 : self._at // 8 + count]
        self._at += 8 * count
        return targets

    def old(self) -> None:
        """Format 1: one component a file."""
        head = struct.Struct(self._order + "Qq5q")
        while self._at < len(self.raw):
            key, rank, _osts, _mdts, _offset, size, count = self._take(head)
            # what that format does not tell is -1, as in libdarshan-util
            self.rows.append((key, rank, size, count, -1, -1, 0, -1, -1))
            self.osts.append(self._targets(count))
            self.pools.append("")

    def new(self) -> None:
        """Format 2: any number of components a file, of which those behind a stripe size of -1 are unused."""
        head = struct.Struct(self._order + "Qqqq")
        component = struct.Struct(self._order + "7q")
        while self._at < len(self.raw):
            key, rank, components, stripes = self._take(head)
            if components < 1:
                continue
            if components > (len(self.raw) - self._at) // _COMPONENT:
                raise Damage("end within a record")
            first, self._at = self._at, self._at + components * _COMPONENT
            targets = self._targets(stripes)
            used = 0
            for i in range(components):
                counters = component.unpack_from(self.raw, first + i * _COMPONENT)
                if counters[0] == -1:
                    break
                count = counters[1]
                if not 0 <= count <= stripes - used:
                    raise Damage("hold more stripes than they say")
                self.rows.append((key, rank, *counters))
                self.osts.append(targets[used : used + count])
                self.pools.append(text(self.raw[first + i * _COMPONENT + 56 : first + (i + 1) * _COMPONENT]))
                used += count
