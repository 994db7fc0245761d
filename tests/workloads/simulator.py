"""A Darshan in miniature: from the calls that processes make, the log that Darshan would leave, in memory.

What a test knows of the calls is the truth that the characterisation is held against. Each loss of the real Darshan can
be switched on: no trace, a trace that ends early, no heat map, records merged over all processes, partial modules.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acic.units import GIB, KIB, MIB
from acic.workloads.darshan import Heatmap, Job, Log, Module, Segments
from acic.workloads.darshan.counters import LAYOUTS

BIN_SECONDS = 0.1
DXT_LIMIT = 65_532
_SIZES = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
UPPER = (100, KIB, 10 * KIB, 100 * KIB, MIB, 4 * MIB, 10 * MIB, 100 * MIB, GIB)  # of the bins; darshan-common.h


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One read or write of a process."""

    rank: int
    offset: int
    length: int
    start: float
    end: float
    write: bool = True
    file: str = "/scratch/out"
    collective: bool = False
    beside: bool = False  # by POSIX itself, of an application that does the rest by MPI-IO


def loop(
    *,
    processes: int,
    iterations: int = 1,
    requests: int = 1,
    size: int = 1 << 20,
    pause: float = 0.0,
    write: bool = True,
    shared: bool = True,
    interleaved: bool = False,
    collective: bool = False,
    seconds: float = 1e-3,
    begin: float = 0.1,
    file: str = "/scratch/out",
    file_each: bool = False,
    io_processes: int | None = None,
) -> list[Call]:
    """Return the calls of processes that do `requests` requests, pause, and so on.

    Args:
        processes: of the job.
        iterations: how often.
        requests: of each process in each iteration.
        size: of a request, B.
        pause: between iterations, s.
        write: or read.
        shared: one file; else one for each process.
        interleaved: request after request of the processes in turn; else a block of requests each.
        collective: whether the calls are.
        seconds: that a request takes.
        begin: of the first one, s.
        file: its name.
        file_each: each iteration has a file of its own.
        io_processes: the first so many do I/O; all if not given.
    """
    active = processes if io_processes is None else io_processes
    calls = []
    for iteration in range(iterations):
        start = begin + iteration * (requests * seconds * 1.01 + pause)
        for rank in range(active):
            name = file + (f".{iteration}" if file_each else "") + ("" if shared else f".{rank:08}")
            done = 0 if file_each else iteration
            for i in range(requests):
                if not shared:
                    offset = (done * requests + i) * size
                elif interleaved:
                    offset = ((done * requests + i) * active + rank) * size
                else:
                    offset = ((done * active + rank) * requests + i) * size
                at = start + i * seconds * 1.01 + rank * 1e-6
                calls.append(
                    Call(
                        rank=rank,
                        offset=offset,
                        length=size,
                        start=at,
                        end=at + seconds,
                        write=write,
                        file=name,
                        collective=collective,
                    )
                )
    return calls


def darshan_log(
    calls: Iterable[Call],
    *,
    processes: int,
    interface: str = "POSIX",
    trace: bool = True,
    heatmap: bool = True,
    counters: bool = True,
    merge: bool = True,
    limit: int = DXT_LIMIT,
    partial: Sequence[str] = (),
    run_seconds: float | None = None,
    exe: str = "/bin/app -x",
    opened: Sequence[str] = (),
) -> Log:
    """Return the log of `calls`.

    Args:
        calls: of all processes.
        processes: of the job.
        interface: "POSIX", "STDIO", or "MPI-IO", whose calls go to POSIX one by one.
        trace: whether DXT was on.
        heatmap: whether there is a heat map.
        counters: whether there are counters.
        merge: whether records of a file that all processes use are merged.
        limit: segments of a process that the trace keeps.
        partial: modules for which Darshan ran out of memory.
        run_seconds: of the job; a little after the last call if not given.
        exe: command line.
        opened: files that all processes open, whoever moves something.
    """
    made = sorted(calls, key=lambda call: call.start)
    names = {_key(name): name for name in dict.fromkeys(call.file for call in made)}
    levels = [interface, "POSIX"] if interface == "MPI-IO" else [interface]
    seen = {level: [call for call in made if level == "POSIX" or not call.beside] for level in levels}
    modules = {
        level: _module(level, seen[level], processes, merge, level in partial, opened) for level in levels if counters
    }
    traced = {"POSIX": "DXT_POSIX", "MPI-IO": "DXT_MPIIO"}
    seconds = max((call.end for call in made), default=0.0) + 0.1 if run_seconds is None else run_seconds
    return Log(
        path=Path("synthetic.darshan"),
        job=Job(
            uid=1,
            start=1.7e9,
            end=1.7e9 + seconds,
            run_seconds=seconds,
            processes=processes,
            jobid=1,
            exe=exe,
            metadata={},
            log_version="3.41",
            mounts=(("/scratch", "lustre"), ("/", "ext4")),
        ),
        names=names,
        modules=modules if made else {},
        dxt={traced[level]: _segments(seen[level], limit) for level in levels if trace and made and level in traced},
        heatmaps={level.replace("-", ""): _heatmap(seen[level], seconds) for level in levels if heatmap and made},
    )


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")


def _module(
    level: str, calls: Sequence[Call], processes: int, merge: bool, partial: bool, opened: Sequence[str]
) -> Module:
    of_record: dict[tuple[str, int], list[Call]] = defaultdict(list)
    of_record.update({(file, rank): [] for file in opened for rank in range(processes)})
    for call in calls:
        of_record[call.file, call.rank].append(call)
    rows = {key: _counters(level, mine) for key, mine in of_record.items()}
    files: dict[str, list[int]] = defaultdict(list)
    for file, rank in rows:
        files[file].append(rank)
    records: list[tuple[str, int, dict[str, float]]] = []
    for file, ranks in files.items():
        if merge and len(ranks) == processes:
            records.append((file, -1, _merged([rows[file, rank] for rank in ranks], ranks)))
        else:
            records += [(file, rank, rows[file, rank]) for rank in ranks]
    return Module(level, LAYOUTS[level].version, partial, _table(level, records))


def _table(level: str, records: Sequence[tuple[str, int, dict[str, float]]]) -> NDArray[np.void]:
    layout = LAYOUTS[level]
    table = np.zeros(len(records), dtype=layout.dtype())
    for i, (file, rank, counters) in enumerate(records):
        table["id"][i], table["rank"][i] = _key(file), rank
        for name, value in counters.items():
            if f"{layout.prefix}_{name}" in (table.dtype.names or ()):
                table[f"{layout.prefix}_{name}"][i] = value
    return table


def _counters(level: str, calls: Sequence[Call]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    found["OPENS"] = 1
    sizes = Counter(call.length for call in calls)
    strides: Counter[int] = Counter()
    ends: dict[bool, int] = {}
    last: bool | None = None
    for call in calls:
        kind, plural = ("WRITTEN", "WRITES") if call.write else ("READ", "READS")
        verb = "WRITE" if call.write else "READ"
        if level == "MPI-IO":
            found[f"{'COLL' if call.collective else 'INDEP'}_{plural}"] += 1
        else:
            found[plural] += 1
        found[f"BYTES_{kind}"] += call.length
        found[f"SIZE_{verb}{'_AGG' * (level == 'MPI-IO')}_{_SIZES[bisect_left(UPPER, call.length)]}"] += 1
        found[f"F_{verb}_TIME"] += call.end - call.start
        found.setdefault(f"F_{verb}_START_TIMESTAMP", call.start)
        found[f"F_{verb}_END_TIMESTAMP"] = max(found[f"F_{verb}_END_TIMESTAMP"], call.end)
        found[f"MAX_BYTE_{kind}"] = max(found[f"MAX_BYTE_{kind}"], call.offset + call.length - 1)
        if call.write in ends:
            found[f"SEQ_{plural}"] += call.offset >= ends[call.write]
            found[f"CONSEC_{plural}"] += call.offset == ends[call.write]
            if call.offset != ends[call.write]:
                strides[call.offset - ends[call.write]] += 1
                found["SEEKS"] += 1
        ends[call.write] = call.offset + call.length
        found["RW_SWITCHES"] += last is not None and last is not call.write
        last = call.write
    _top_four(found, "ACCESS", "ACCESS", sizes)
    _top_four(found, "STRIDE", "STRIDE", strides)
    return found


def _top_four(found: dict[str, float], kind: str, what: str, counted: Counter[int]) -> None:
    for i, (value, count) in enumerate(counted.most_common(4), 1):
        found[f"{kind}{i}_{what}"], found[f"{kind}{i}_COUNT"] = value, count


def _merged(rows: Sequence[dict[str, float]], ranks: Sequence[int]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for name in dict.fromkeys(name for row in rows for name in row if not name.startswith(("ACCESS", "STRIDE"))):
        values = [row[name] for row in rows if name in row]
        fold = min if "START_TIMESTAMP" in name else max if "TIMESTAMP" in name or "MAX_BYTE" in name else sum
        found[name] = fold(values)
    for kind in ("ACCESS", "STRIDE"):
        together: Counter[int] = Counter()
        for row in rows:
            for i in (1, 2, 3, 4):
                together[int(row.get(f"{kind}{i}_{kind}", 0))] += int(row.get(f"{kind}{i}_COUNT", 0))
        _top_four(found, kind, kind, +together)
    times = [row.get("F_READ_TIME", 0.0) + row.get("F_WRITE_TIME", 0.0) for row in rows]
    moved = [row.get("BYTES_READ", 0.0) + row.get("BYTES_WRITTEN", 0.0) for row in rows]
    for word, which in (("FASTEST", times.index(min(times))), ("SLOWEST", times.index(max(times)))):
        found[f"{word}_RANK"], found[f"{word}_RANK_BYTES"] = ranks[which], moved[which]
        found[f"F_{word}_RANK_TIME"] = times[which]
    found["F_VARIANCE_RANK_BYTES"] = float(np.var(moved))
    found["F_VARIANCE_RANK_TIME"] = float(np.var(times))
    return found


def _segments(calls: Sequence[Call], limit: int) -> Segments:
    kept: dict[tuple[str, int], tuple[list[Call], list[Call]]] = {}
    used: Counter[int] = Counter()
    cut = set()
    for call in calls:
        if used[call.rank] >= limit:
            cut.add(call.rank)
            continue
        used[call.rank] += 1
        kept.setdefault((call.file, call.rank), ([], []))[0 if call.write else 1].append(call)
    flat = [call for writes, reads in kept.values() for call in (*writes, *reads)]
    record_id = np.array([_key(file) for file, _ in kept], dtype=np.uint64)
    record_rank = np.array([rank for _, rank in kept], dtype=np.int64)
    return Segments(
        offset=np.array([call.offset for call in flat], dtype=np.int64),
        length=np.array([call.length for call in flat], dtype=np.int64),
        start=np.array([call.start for call in flat]),
        end=np.array([call.end for call in flat]),
        thread=None,
        record_id=record_id,
        record_rank=record_rank,
        requests=np.array([len(writes) + len(reads) for writes, reads in kept.values()], dtype=np.int64),
        writes=np.array([len(writes) for writes, _ in kept.values()], dtype=np.int64),
        partial=bool(cut),
    )


def _heatmap(calls: Sequence[Call], seconds: float) -> Heatmap:
    ranks = sorted({call.rank for call in calls})
    row = {rank: i for i, rank in enumerate(ranks)}
    bins = int(seconds / BIN_SECONDS) + 1
    both = np.zeros((2, len(ranks), bins), dtype=np.int64)
    for call in calls:
        both[int(call.write), row[call.rank], min(int(call.start / BIN_SECONDS), bins - 1)] += call.length
    return Heatmap(np.array(ranks), BIN_SECONDS, both[0], both[1])
