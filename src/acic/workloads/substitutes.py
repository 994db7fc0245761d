"""Substitutes: tables from traces and heat maps, where the counters of their module are missing from the log."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acic.workloads.columns import BYTES, CALLS, FIRST, FLOATS, INTEGERS, LAST, READ, SECONDS, WRITE
from acic.workloads.darshan import Heatmap, Log, Segments
from acic.workloads.tables import Table
from acic.workloads.trace import possible

_TRACES = {"POSIX": "DXT_POSIX", "MPI-IO": "DXT_MPIIO"}
_HEATMAPS = {"MPI-IO": "MPIIO", "POSIX": "POSIX", "STDIO": "STDIO"}  # MPI-IO's bytes are POSIX's, too
_NO_FILE = 0


def substitutes(log: Log, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return a table for each module that left no counters, but a trace or a heat map.

    A heat map does not tell files apart, and the files that a level below shows can be the same: it only stands in
    where nothing else is known.
    """
    found = {}
    for name, trace in _TRACES.items():
        if name not in log.modules and trace in log.dxt and possible(segments := log.dxt[trace]):
            found[name] = _from_trace(name, segments)
    if not found and not tables:
        for name, key in _HEATMAPS.items():
            if name not in log.modules and key in log.heatmaps and len((heatmap := log.heatmaps[key]).ranks):
                return {name: _from_heatmap(name, heatmap)}
    return found


def _from_trace(name: str, segments: Segments) -> Table:
    count = len(segments.record_id)
    integers, floats = np.zeros((count, INTEGERS), dtype=np.int64), np.zeros((count, FLOATS))
    record_of, write = segments.record, segments.write
    for direction in (READ, WRITE):
        mine = write == (direction == WRITE)
        # a clock that was set back gives times below zero
        record, start, end = record_of[mine], segments.start[mine].clip(0.0), segments.end[mine].clip(0.0)
        integers[:, CALLS + direction] = np.bincount(record, minlength=count)
        integers[:, BYTES + direction] = np.bincount(record, segments.length[mine], minlength=count)
        floats[:, SECONDS + direction] = np.bincount(record, np.maximum(end - start, 0.0), minlength=count)
        first = np.full(count, np.inf)
        np.minimum.at(first, record, start)
        floats[:, FIRST + direction] = np.where(np.isfinite(first), first, 0)
        np.maximum.at(floats[:, LAST + direction], record, end)
    ids, ranks = segments.record_id, segments.record_rank
    return Table(name, ids, ranks, lambda: (integers, floats), partial=True, source="trace")


def _from_heatmap(name: str, heatmap: Heatmap) -> Table:
    count = len(heatmap.ranks)
    integers, floats = np.zeros((count, INTEGERS), dtype=np.int64), np.zeros((count, FLOATS))
    integers[:, BYTES + READ] = heatmap.read_bytes.sum(axis=1)
    integers[:, BYTES + WRITE] = heatmap.write_bytes.sum(axis=1)
    files = np.full(count, _NO_FILE, dtype=np.uint64)
    return Table(name, files, heatmap.ranks, lambda: (integers, floats), partial=True, source="heat map")
