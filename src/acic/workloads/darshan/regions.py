"""The regions of a Darshan log: where they are, and their bytes, unpacked and never more than is sane."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor

MAGIC = 6567223
MODULES = (
    *("NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX"),
    *("DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS"),
)
"""Darshan's modules in the order of their numbers, as of log format 3.41."""

_LATER = {"3.00": ("H5D", "PNETCDF_VAR"), "3.10": ("H5D", "PNETCDF_VAR"), "3.20": ("PNETCDF_VAR",)}
_LATER["3.21"] = _LATER["3.20"]
VERSIONS = (*_LATER, "3.41")
"""Log formats that can be read."""

# Real logs unpack to about ten times their size, and those full of empty heat maps to a hundred times, where zlib can
# reach 1032 times and bzip2 far more: what unpacks to more is a bomb. Small logs may always have _MOST_ANYWAY.
_MOST_EXPANSION = 128
_MOST_ANYWAY = 16 << 20
_MOST = 16 << 30
_SHORT = 1 << 16  # B of packed data that are given to a stream at first
_SMALL = 1 << 12  # B of a region whose rest is copied behind each stream sooner than it is cut


class Damage(Exception):
    """Data that cannot be what Darshan wrote: its text completes "the data of module X ..."."""


class Compression(IntEnum):
    """How the regions of a log are packed."""

    ZLIB = 0
    BZIP2 = 1
    NONE = 2


_KNOWN = frozenset(Compression)


class Region(NamedTuple):
    """One module's part of the log: where it lies in the file, B, and in which format it is."""

    name: str
    version: int
    partial: bool
    start: int
    length: int

    @property
    def end(self) -> int:
        """Offset of the first byte behind it, B."""
        return self.start + self.length


class Header(NamedTuple):
    """The head of a log.

    Args:
        version: log format, as "3.41".
        order: "<" or ">", the byte order of the machine that wrote the log.
        size: of the header, B; the job record follows.
        compression: number as in `Compression`, or any other.
        names: region of the file names; its length may be 0.
        modules: regions that hold something, in the order of module numbers.
    """

    version: str
    order: str
    size: int
    compression: int
    names: Region
    modules: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How the header of one log format is laid out."""

    version: str
    order: str
    head: struct.Struct
    maps: struct.Struct
    slots: int
    known: tuple[str, ...]


def _shapes() -> dict[bytes, _Shape]:
    """Return the shape of the header that begins with these 16 bytes: version and magic number."""
    shapes = {}
    for version in VERSIONS:
        for order in "<>":
            head = struct.Struct(order + ("16xB3xI" if version in _LATER else "16xB7xQ"))
            slots = 16 if version in _LATER else 64
            maps = struct.Struct(f"{order}{2 * slots + 2}Q{slots}I")
            known = tuple(name for name in MODULES if name not in _LATER.get(version, ()))
            begin = struct.pack(order + "8sq", version.encode(), MAGIC)
            shapes[begin] = _Shape(version, order, head, maps, slots, known)
    return shapes


_SHAPES = _shapes()


def read_header(data: bytes) -> Header | None:
    """Return the header at the start of a log, or None if it is cut short or not of a format that we know."""
    shape = _SHAPES.get(data[:16])
    if shape is None or len(data) < shape.head.size + shape.maps.size:
        return None
    compression, partial = shape.head.unpack_from(data)
    numbers = shape.maps.unpack_from(data, shape.head.size)
    slots, known = shape.slots, shape.known
    versions = numbers[2 * slots + 2 :]
    modules = [
        Region(
            known[i] if i < len(known) else f"number {i}",
            versions[i],
            bool(partial >> i & 1),
            numbers[2 * i + 2],
            numbers[2 * i + 3],
        )
        for i in compress(range(slots), numbers[3 : 2 * slots + 2 : 2])
    ]
    names = Region("names", 0, False, numbers[0], numbers[1])
    size = shape.head.size + shape.maps.size
    return Header(shape.version, shape.order, size, compression, names, tuple(modules))


class Unpacker:
    """Unpacks the regions of one log, with a bound on what all of them unpack to.

    Args:
        data: the whole log.
        compression: how it is packed, as in `Compression`.

    Raises:
        ValueError: there is no such compression.
    """

    def __init__(self, data: bytes, compression: int) -> None:
        if compression not in _KNOWN:
            raise ValueError(f"no compression {compression}")
        self._view = memoryview(data)
        self._packed = compression != Compression.NONE
        self._new_stream = _new_stream(compression)
        self._left = min(_MOST_ANYWAY + _MOST_EXPANSION * len(data), _MOST)

    def unpack(self, start: int, length: int, *, first: bool = False) -> bytes:
        """Return the unpacked bytes of a region.

        Args:
            start: of the region in the file, B.
            length: of the region, B.
            first: stop behind the first packed stream, wherever the region ends.

        Raises:
            Damage: the region ends early, does not unpack, or unpacks to too much.
        """
        packed = self._view[start : start + length]
        try:
            if not self._packed:
                unpacked = packed.tobytes()
            elif len(packed) <= _SMALL:
                unpacked = self._small(packed, first=first)
            else:
                unpacked = self._streams(packed, first=first)
        except (zlib.error, OSError, ValueError, EOFError) as error:
            raise Damage("do not unpack") from error
        self._left -= len(unpacked)
        return unpacked

    def _streams(self, packed: memoryview, *, first: bool) -> bytes:
        """Unpack the streams that stand one behind the other: each rank writes its own."""
        at, size, step, left = 0, len(packed), _SHORT, self._left
        pieces: list[bytes] = []
        while at < size:
            stream = self._new_stream()
            # a short piece, because the unused end of it is copied for every stream
            taken = packed[at : at + step]
            piece = stream.decompress(taken, left + 1)
            end = at + len(taken)
            if not stream.eof:
                piece, end = self._rest(stream, piece, packed, end, left)
            end -= len(stream.unused_data)
            left -= len(piece)
            if left < 0:
                raise Damage("unpack to more than a log can hold")
            if first or (end == size and not pieces):
                return piece
            pieces.append(piece)
            step = 2 * (end - at) + 256
            at = end
        return b"".join(pieces)

    def _small(self, packed: memoryview, *, first: bool) -> bytes:
        pieces: list[bytes] = []
        rest: bytes | memoryview = packed
        left = self._left
        while rest:
            stream = self._new_stream()
            piece = stream.decompress(rest, left + 1)
            left -= len(piece)
            if left < 0:
                raise Damage("unpack to more than a log can hold")
            if not stream.eof:
                raise Damage("end early")
            if first:
                return piece
            pieces.append(piece)
            rest = stream.unused_data
        return b"".join(pieces)

    def _rest(
        self, stream: zlib._Decompress | BZ2Decompressor, begun: bytes, packed: memoryview, end: int, left: int
    ) -> tuple[bytes, int]:
        """Return the whole of a long stream of which `begun` is the start, and where what was read for it ends."""
        pieces, left = [begun], left - len(begun)
        while not stream.eof:
            if left < 0:
                raise Damage("unpack to more than a log can hold")
            taken = packed[end : end + _SHORT]
            if not taken:
                raise Damage("end early")
            piece = stream.decompress(taken, left + 1)
            pieces.append(piece)
            end += len(taken)
            left -= len(piece)
        return b"".join(pieces), end


def _new_stream(compression: int) -> Callable[[], zlib._Decompress | BZ2Decompressor]:
    if compression != Compression.BZIP2:
        return zlib.decompressobj
    from bz2 import BZ2Decompressor  # few logs are packed so

    return BZ2Decompressor
