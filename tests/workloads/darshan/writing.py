"""Darshan logs made by hand: any format version, byte order and packing, so that rare ones can be tested too."""

from __future__ import annotations

import bz2
import struct
import zlib
from collections.abc import Mapping, Sequence

from acic.workloads.darshan.regions import MAGIC, MODULES, Compression

LATER = {"3.00": ("H5D", "PNETCDF_VAR"), "3.10": ("H5D", "PNETCDF_VAR"), "3.20": ("PNETCDF_VAR",)}
PROCESSES = 4


def pack(raw: bytes, compression: Compression) -> bytes:
    """Return one packed stream."""
    if compression is Compression.ZLIB:
        return zlib.compress(raw)
    return bz2.compress(raw) if compression is Compression.BZIP2 else raw


def darshan_log(
    modules: Mapping[str, tuple[int, Sequence[bytes]]],
    *,
    version: str = "3.41",
    order: str = "<",
    compression: Compression = Compression.ZLIB,
    names: Mapping[int, str] | None = None,
    partial: Sequence[str] = (),
    exe: str = "./app -x",
    mounts: str = "\next4\t/\nlustre\t/scratch",
    processes: int = PROCESSES,
    began: int = 1_700_000_000,
    ended: int = 1_700_000_010,
) -> bytes:
    """Return a log with these modules: format version and raw pieces, each packed by itself."""
    old = version != "3.41"
    known = [name for name in MODULES if name not in LATER.get(version, LATER["3.20"] if old else ())]
    slots = 16 if old else 64
    head = struct.Struct(order + ("8sqB3xI" if old else "8sqB7xQ"))
    maps = struct.Struct(f"{order}{2 * slots + 2}Q{slots}I")
    times = (began, ended) if old else (began, 250_000_000, ended, 750_000_000)
    numbers = (1000, *times, processes, 77)
    metadata = b"lib_ver=3.4.5\nh=romio_no_indep_rw=true;cb_nodes=4\n"
    job = struct.pack(f"{order}{len(numbers)}q1024s", *numbers, metadata) + (exe + mounts).encode()
    if compression is Compression.NONE:
        job = job.ljust(4096, b"\0")
    body = pack(job, compression)
    size = head.size + maps.size

    table = names_table({7: "/scratch/out"} if names is None else names, version, order)
    regions = [0] * (2 * slots + 2)
    versions = [0] * slots
    if table:
        packed = pack(table, compression)
        regions[:2] = size + len(body), len(packed)
        body += packed
    flags = 0
    for i, name in enumerate(known):
        if name in modules:
            module_version, pieces = modules[name]
            packed = b"".join(pack(piece, compression) for piece in pieces)
            regions[2 * i + 2 : 2 * i + 4] = size + len(body), len(packed)
            versions[i] = module_version
            body += packed
            flags |= (name in partial) << i
    return head.pack(version.encode(), MAGIC, compression, flags) + maps.pack(*regions, *versions) + body


def names_table(names: Mapping[int, str], version: str, order: str) -> bytes:
    """Return the table of record names."""
    if version == "3.00":
        encoded = [(key, name.encode()) for key, name in names.items()]
        return b"".join(struct.pack(order + "QI", key, len(name)) + name for key, name in encoded)
    return b"".join(struct.pack(order + "Q", key) + name.encode() + b"\0" for key, name in names.items())


def record(
    order: str, integers: int, floats: int, *, key: int = 7, rank: int = -1, file_id: int | None = None
) -> bytes:
    """Return a record of counters that all differ: integers 1001, 1002, ...; floats 0.5, 1.5, ..."""
    head = struct.pack(order + "Qq", key, rank) + (b"" if file_id is None else struct.pack(order + "Q", file_id))
    counters = struct.pack(f"{order}{integers}q", *range(1001, 1001 + integers))
    return head + counters + struct.pack(f"{order}{floats}d", *(i + 0.5 for i in range(floats)))


def trace(
    order: str,
    writes: Sequence[tuple[int, int, float, float]],
    reads: Sequence[tuple[int, int, float, float]],
    *,
    key: int = 7,
    rank: int = 0,
    thread: int | None = None,
    host: bytes = b"node1",
) -> bytes:
    """Return a DXT record: offset, length, start and end of each write and each read."""
    head = struct.pack(order + "Qqq64sqq", key, rank, 0, host, len(writes), len(reads))
    form = order + "qqdd" + ("" if thread is None else "Q")
    end = () if thread is None else (thread,)
    return head + b"".join(struct.pack(form, *segment, *end) for segment in (*writes, *reads))


def heat(
    order: str, writes: Sequence[int], reads: Sequence[int], *, key: int, rank: int, seconds: float = 0.1
) -> bytes:
    """Return a heat map record."""
    bins = len(writes)
    return struct.pack(f"{order}Qqdqqq{2 * bins}q", key, rank, seconds, bins, 0, 0, *writes, *reads)
