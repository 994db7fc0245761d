"""Iterations: how often the application came back to do I/O, by the best evidence that the log has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, groupby

import numpy as np
from numpy.typing import NDArray

from acic.workloads.bursts import bursts
from acic.workloads.columns import BYTES, CALLS, FIRST, LAST, OPENS, READ, SECONDS, SWITCHES, SYNCS, WRITE
from acic.workloads.darshan import Heatmap
from acic.workloads.groups import Group
from acic.workloads.participants import HeatmapOf, moved_by
from acic.workloads.sequences import of_records
from acic.workloads.traced import Traced
from acic.workloads.workload import ESTIMATED, EXACT, UNKNOWN, Interface, Quality

_WHOLE = 0.99  # share of the bytes from which a trace is complete
_BUSY = 0.5  # share of the time between first and last request that is I/O, if there are no pauses to speak of
_FEW = 1000  # requests of a process that can each be an iteration
_LARGE = 1 << 18  # B; smaller requests are pieces of an iteration
_TOLERANCE = 0.25  # by which iterations may differ in size
_MOST = 0.5
_SAME = 0.01


@dataclass(slots=True)
class Iterations:
    """How often a group's files are read, or written.

    Args:
        count: of iterations.
        quality: how far the count can be trusted.
        how: what separates them: "one", "files", "again", "pauses", "calls", "turns", "syncs", "passes", "waits"; of
            files that are opened again, and may be written over or appended to, "opens".
        pause: typical time between two, s, or in all where there is one; None if not known.
        by: what told it: "trace", "records", "heat map" or "counters".
    """

    count: int
    quality: Quality
    how: str = "one"
    pause: float | None = None
    by: str = "counters"


def iterations(
    group: Group,
    processes: int,
    *,
    traced: Traced | None,
    heatmap_of: HeatmapOf,
    spent: float,
    sure: bool,
    waits: int,
    over: float | None,
) -> Iterations:
    """Return how often the application came back.

    Args:
        group: of files.
        processes: that use them.
        traced: its requests as DXT has them.
        heatmap_of: gives the heat map of the module that counts the group's requests.
        spent: mean time of a process inside the interface, s.
        sure: whether the number of processes is beyond doubt.
        waits: how often each process waited for non-blocking requests.
        over: how often each byte of the files is moved; None if that is not known.
    """
    uses = group.uses_by(processes)
    each = uses / processes  # files that a process uses
    if not group.calls:
        heatmap = heatmap_of(group)
        return (heatmap and _from_heatmap(group, heatmap)) or Iterations(1, UNKNOWN)
    if group.calls <= uses:
        whole = each == int(each) and (group.calls == uses or group.collective)
        quality = EXACT if whole and sure and not group.table.partial else ESTIMATED
        return Iterations(max(1, round(each)), quality, "files" if each > 1 else "one")
    if group.spans and each == 1:
        return Iterations(1, EXACT if not group.table.partial else ESTIMATED)
    if waits > 1:
        return Iterations(waits, ESTIMATED, "waits")
    if found := _from_records(group, processes):
        return found
    if traced is not None:
        return _from_trace(group, processes, traced, spent)
    if each > 1:
        return Iterations(max(1, round(each)), ESTIMATED, "files")
    heatmap = heatmap_of(group)
    return (
        _from_syncs(group, processes)
        or _from_passes(group, over)
        or (heatmap and _from_heatmap(group, heatmap))
        or _from_counters(group, processes)
    )


def _from_records(group: Group, processes: int) -> Iterations | None:
    """Return what the records of a file's datasets or variables tell; None if that is nothing."""
    if group.table.name not in ("H5D", "PNETCDF_VAR") or len(group.rows) <= len(group.files):
        return None
    table, rows = group.table, group.rows
    calls, ranks, moved = table.counters, table.rank_list, table.moved(group.direction)
    each = [calls[row][CALLS + group.direction] / (processes if ranks[row] < 0 else 1) for row in rows]
    typical = sorted(each)[len(each) // 2]
    if typical > 1 and _in_turn(group):
        # variables that are written again in each step; all of them in all steps, or no rule is known
        whole = sum([moved[row] for row, mine in zip(rows, each, strict=True) if mine == typical])
        if typical == int(typical) and whole >= _WHOLE * group.bytes:
            count = int(typical) * max(1, round(group.uses_by(processes) / max(processes, 1)))
            return Iterations(count, ESTIMATED, "again", by="records")
        return None
    found = bursts(of_records(group), least_share=1.0)
    sure = found.sure and not table.partial and each.count(1) == len(each)
    return Iterations(found.count, EXACT if sure else ESTIMATED, found.how, found.pause, "records")


def _from_syncs(group: Group, processes: int) -> Iterations | None:
    """Return that each process syncs what it wrote, again and again; None where it does not, or others do not."""
    syncs = sum(group.totals[SYNCS : SYNCS + 3]) / processes
    if group.direction != WRITE or syncs < 2 or syncs != int(syncs) or group.calls % int(syncs * processes):
        return None
    return Iterations(int(syncs), ESTIMATED, "syncs")


def _from_passes(group: Group, over: float | None) -> Iterations | None:
    """Return that each process reads its own input several times, or opens its own file to write it anew each time.

    None where it does not.
    """
    if over is None or group.shared or group.totals[BYTES + 1 - group.direction]:
        return None
    passes = round(over)
    if passes < 2 or abs(over - passes) > _SAME * over:
        return None
    anew = group.direction == READ or group.totals[OPENS] == passes * len(group.rows)
    return Iterations(passes, ESTIMATED, "passes") if anew else None


def _in_turn(group: Group) -> bool:
    """Whether most records were used in turn, rather than one after the other."""
    times, d = group.table.times, group.direction
    spans = sorted([(times[row][FIRST + d], times[row][LAST + d]) for row in group.rows])
    last = accumulate([end for _, end in spans], max)
    overlapping = len([1 for (start, _), until in zip(spans[1:], last, strict=False) if start < until])
    return overlapping > _MOST * (len(spans) - 1)


def _from_trace(group: Group, processes: int, traced: Traced, spent: float) -> Iterations:
    # what HDF5 compresses is less in the trace
    whole = traced.bytes >= _WHOLE * group.bytes or (group.table.name == "H5D" and not traced.partial)
    known = whole and not group.table.partial
    # between two requests of a library's file is also what the library does
    library = group.interface in (Interface.HDF5, Interface.PNETCDF)
    if whole and not library and traced.steady:
        return Iterations(1, EXACT if known else ESTIMATED, by="trace")
    if whole and (files := traced.file_by_file()):
        quality = EXACT if known and traced.even else ESTIMATED
        return Iterations(files[0], quality, "files", files[1], "trace")
    found = bursts(traced.processes(), spent=spent, least_share=1.0 if library else 0.05)
    count = found.count
    each = group.bytes / processes
    if not whole:
        count = max(count, round(each / max(found.moved, 1)) if found.count > 1 else 1)
    sure = found.sure and known and abs(count * found.moved - each) <= _TOLERANCE * each
    return Iterations(count, EXACT if sure else ESTIMATED, found.how, found.pause, "trace")


def _from_heatmap(group: Group, heatmap: Heatmap) -> Iterations | None:
    """Return the stretches of bins with I/O, of all ranks together or of most by themselves, if the group made them."""
    of_ranks = moved_by(heatmap, group.direction)
    moved: list[int] = np.add.reduce(of_ranks).tolist()
    if not group.bytes * _WHOLE <= sum(moved) <= group.bytes / _WHOLE:
        return None
    return _alike(moved, heatmap.bin_seconds) or _each(of_ranks, heatmap.bin_seconds)


def _alike(moved: list[int], width: float) -> Iterations | None:
    """Return the stretches of bins of `width` s in which some bytes were moved, if they are of about the same size."""
    busy = list(map(bool, moved))
    used = moved[busy.index(True) : len(busy) - busy[::-1].index(True)]
    empty = used.count(0)
    if not empty:
        return None
    sizes = [sum(bins) for busy, bins in groupby(used, bool) if busy]
    middle = sorted(sizes)[len(sizes) // 2]
    if max(max(sizes) - middle, middle - min(sizes)) > _TOLERANCE * middle:
        return None
    pause = empty / (len(sizes) - 1) * width
    return Iterations(len(sizes), ESTIMATED, "pauses", pause, "heat map")


def _each(moved: NDArray[np.int64], width: float) -> Iterations | None:
    """Return what most ranks have in common, each of which comes in its own time, shape (ranks, bins)."""
    rows = list(filter(any, moved.tolist()))
    found = [one for row in rows if (one := _alike(row, width))]
    if len(found) <= _MOST * len(rows):
        return None
    count, often = Counter([one.count for one in found]).most_common(1)[0]
    if often <= _MOST * len(rows):
        return None
    pauses = [one.pause or 0.0 for one in found if one.count == count]
    return Iterations(count, ESTIMATED, "pauses", sum(pauses) / often, "heat map")


def _from_counters(group: Group, processes: int) -> Iterations:
    """Return a guess: one iteration if the time is full of I/O, else each collective or large call is one."""
    calls = group.calls / processes
    turns = (group.totals[SWITCHES] / processes + 1) / 2
    if (
        2 <= turns <= _FEW
        and turns == int(turns)
        and group.calls % (processes * int(turns)) == 0
        and calls >= 2 * turns
    ):
        return Iterations(int(turns), ESTIMATED, "turns")
    if _is_busy(group, processes):
        return Iterations(1, ESTIMATED)
    if group.collective:
        together = group.collective_calls or group.calls
        return Iterations(max(1, round(together / processes)), ESTIMATED, "calls")
    if calls <= _FEW and group.bytes >= _LARGE * group.calls:
        return Iterations(max(1, round(calls)), UNKNOWN, "calls")
    return Iterations(1, UNKNOWN)


def _is_busy(group: Group, processes: int) -> bool:
    """Whether the time between a process's first and last request is full of I/O."""
    times, d = group.table.times, group.direction
    directions = [d]
    if group.totals[SWITCHES] > 2 * len(group.rows) * processes:
        directions = [READ, WRITE]  # they alternate, so the time of both counts
    spent: float = sum([group.times[SECONDS + one] for one in directions])
    rows = [times[row] for row in group.rows]
    began = [row[FIRST + one] for one in directions for row in rows]
    ended = [row[LAST + one] for one in directions for row in rows]
    if group.reduced:
        last = max(ended)
        first = min([last, *[time for time in began if time > 0]])
        return spent >= _BUSY * (last - first) * processes
    if len(directions) > 1:
        both = slice(None, len(rows)), slice(len(rows), None)
        began, ended = [*map(min, *[began[one] for one in both])], [*map(max, *[ended[one] for one in both])]
    return spent >= _BUSY * (sum(ended) - sum(began))
