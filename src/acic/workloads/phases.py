"""Phases: from a group of files, and all that the log tells about it, to the characteristics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from acic.workloads import access, sizes
from acic.workloads.darshan import Heatmap, Log
from acic.workloads.groups import Group
from acic.workloads.iterations import Iterations, iterations
from acic.workloads.participants import even, io_processes
from acic.workloads.sequences import Trace, Traced
from acic.workloads.tables import BYTES, COLLECTIVE, OPENS, SECONDS, SYNCS, UNALIGNED, WAITS, WRITE, Table
from acic.workloads.timing import Timing, timing
from acic.workloads.workload import Access, Characteristics, Interface, Operation, Phase, Quality

_LIBRARY_DATA = {Interface.HDF5: "H5D", Interface.PNETCDF: "PNETCDF_VAR"}
_LIBRARY_FILES = {
    Interface.HDF5: (".h5", ".hdf5", ".he5", ".hdf", ".nc4", ".h5part"),
    Interface.PNETCDF: (".nc", ".cdf", ".ncf"),
}
_LIBRARY_MODULES = {"H5D", "H5F", "PNETCDF_FILE", "PNETCDF_VAR"}
_ALIKE = 0.01


class Evidence:
    """The log, beside its counters: traces and heat maps, prepared when first asked for."""

    def __init__(self, log: Log, tables: Mapping[str, Table]) -> None:
        self.log = log
        self.tables = tables
        self.processes = log.job.processes
        self._traces: dict[str, Trace] = {}
        self._places: dict[int, tuple[str, dict[str, str | int]]] = {}

    def traced(self, group: Group) -> Traced | None:
        """Return the traced requests of a group, at its level or, if they are the same there, below."""
        if group.table.name == "STDIO" or group.spans:
            return None
        if group.table.name != "POSIX" and (found := self._trace("DXT_MPIIO", group)) is not None:
            return found
        if group.table.name == "POSIX" or not group.collective:
            return self._trace("DXT_POSIX", group)
        return None

    def _trace(self, name: str, group: Group) -> Traced | None:
        trace = self._traces.get(name)
        if trace is None:
            segments = self.log.dxt.get(name)
            if segments is None or not len(segments.length):
                return None
            trace = self._traces[name] = Trace(segments)
        return trace.of(group)

    def heatmap(self, group: Group) -> Heatmap | None:
        """Return the heat map of the level that counts the group's requests."""
        name = group.table.name
        if name in ("POSIX", "STDIO"):
            return self.log.heatmaps.get(name)
        return self.log.heatmaps.get("MPIIO" if "MPI-IO" in self.tables else "POSIX")

    def spent(self, group: Group, processes: int) -> float:
        """Return the mean time of a process inside the interface, for the group's requests, s."""
        d = group.direction
        table = self.tables.get(_LIBRARY_DATA.get(group.interface, ""))
        if table is None or table is group.table:
            return group.times[SECONDS + d] / processes
        moved = int(table.integers[:, BYTES + d].sum())
        return float(table.floats[:, SECONDS + d].sum()) * min(1.0, group.bytes / max(moved, 1)) / processes

    def place(self, file: int) -> tuple[str, dict[str, str | int]]:
        """Return the name of a file, and what is known of where it lies."""
        found = self._places.get(file)
        if found is None:
            name = self.log.names.get(file, "")
            mount = next((kind for where, kind in self.log.job.mounts if name.startswith(where)), "")
            found = self._places[file] = name, {"mount": mount, **_striping(file, self.log)}
        return found

    def waits(self, group: Group) -> int:
        """Return how often each process waited for PnetCDF's non-blocking requests on the group's files."""
        table = self.tables.get("PNETCDF_FILE")
        if table is None or group.interface is not Interface.PNETCDF:
            return 0
        if group.totals[BYTES + 1 - group.direction]:
            return 0  # a wait may have been for reads or for writes
        files = table.summary(table.rows_of(group.files))
        return sum(files.totals[WAITS : WAITS + 2]) // self.processes if not files.ranks else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was found out about a group, before phases are compared with one another."""

    group: Group
    processes: int
    processes_quality: Quality
    iterations: Iterations
    request: int
    request_quality: Quality
    access: Access
    access_quality: Quality
    timing: Timing
    covered: float | None
    even: bool
    name: str
    hidden_library: Interface | None

    @property
    def certain(self) -> bool:
        """Whether nothing is left to be learnt from another phase."""
        guessed = self.iterations.by == "counters" and self.iterations.quality is not Quality.EXACT
        return not guessed and self.access_quality is not Quality.UNKNOWN


def draft(group: Group, evidence: Evidence) -> Draft:
    """Return what the log tells about a group."""
    traced = evidence.traced(group)
    processes, processes_quality = io_processes(group, traced, evidence.heatmap)
    several = group.calls > group.uses
    found = iterations(
        group,
        processes,
        traced=traced,
        heatmap_of=evidence.heatmap,
        spent=evidence.spent(group, processes) if traced is not None and several else 0.0,
        sure=processes_quality is Quality.EXACT,
        waits=evidence.waits(group),
    )
    name, _ = evidence.place(group.files[0])
    covered = None if traced is None else traced.bytes / group.bytes
    request, request_quality = sizes.request_size(group, traced if _same_level(group, covered) else None)
    pattern = access.of_trace(traced) if traced is not None and several else None
    if pattern is None:
        pattern, pattern_quality = access.of_counters(group, evidence.tables)
    else:
        pattern_quality = Quality.EXACT if covered is not None and covered > 1 - _ALIKE else Quality.ESTIMATED
    return Draft(
        group=group,
        processes=processes,
        processes_quality=processes_quality,
        iterations=found,
        request=request,
        request_quality=request_quality,
        access=pattern,
        access_quality=pattern_quality,
        timing=timing(group, processes, traced, evidence.tables),
        covered=covered,
        even=even(group, traced),
        name=name,
        hidden_library=_hidden_library(group, name, evidence.tables),
    )


def _same_level(group: Group, covered: float | None) -> bool:
    """Whether the trace has the requests that the group counts, and not those of another level."""
    return group.table.name not in ("H5D", "PNETCDF_VAR") and covered is not None and covered <= 1 + _ALIKE


def mirror(one: Draft, other: Draft) -> Draft:
    """Return `one` with what is only known of `other`, the same files used the same way in the other direction."""
    a, b = one.group, other.group
    same = a.table is b.table and set(a.files) == set(b.files) and abs(a.calls - b.calls) <= _ALIKE * b.calls
    if not same or abs(a.bytes - b.bytes) > _ALIKE * b.bytes or other.iterations.by != "trace":
        return one
    if one.iterations.by == "counters" and one.iterations.quality is not Quality.EXACT:
        one = replace(one, iterations=replace(other.iterations, quality=Quality.ESTIMATED))
    if one.access_quality is Quality.UNKNOWN:
        one = replace(one, access=other.access, access_quality=Quality.ESTIMATED)
    return one


def phase(found: Draft, evidence: Evidence) -> Phase:
    """Return the phase of a draft."""
    group, repeats = found.group, found.iterations
    moved = sizes.data_bytes(group)
    data = max(1, round(moved / (found.processes * repeats.count)))
    exact = (
        found.processes_quality is Quality.EXACT
        and repeats.quality is Quality.EXACT
        and data * found.processes * repeats.count == group.bytes
        and found.even
    )
    worst = Quality.UNKNOWN if Quality.UNKNOWN in (found.processes_quality, repeats.quality) else Quality.ESTIMATED
    quality = {
        "processes": Quality.EXACT,
        "io_processes": found.processes_quality,
        "interface": Quality.ESTIMATED if found.hidden_library else Quality.EXACT,
        "iterations": repeats.quality,
        "data_size": Quality.EXACT if exact else worst,
        "request_size": found.request_quality,
        "operation": Quality.EXACT,
        "collective": _collective_quality(group, evidence.tables),
        "shared": _shared_quality(group),
        "access": found.access_quality,
    }
    return Phase(
        characteristics=Characteristics(
            processes=group.processes,
            io_processes=min(found.processes, group.processes),
            interface=group.interface,
            iterations=repeats.count,
            data_size=data,
            request_size=min(max(found.request, 1), data),
            operation=Operation.WRITE if group.direction == WRITE else Operation.READ,
            collective=group.collective,
            shared=group.shared,
            access=found.access,
        ),
        quality=quality,
        files=len(group.files),
        bytes=group.bytes,
        seconds=found.timing.seconds,
        imbalance=found.timing.imbalance,
        example=found.name,
        details=_details(found, evidence),
    )


def _hidden_library(group: Group, name: str, tables: Mapping[str, Table]) -> Interface | None:
    """Return the library that the file's name speaks of, if the modules of libraries are missing from the log."""
    if group.interface in _LIBRARY_DATA or not _LIBRARY_MODULES.isdisjoint(tables):
        return None
    name = name.lower()
    return next((library for library, endings in _LIBRARY_FILES.items() if name.endswith(endings)), None)


def _shared_quality(group: Group) -> Quality:
    if group.table.source == "heat map":
        return Quality.UNKNOWN
    alone = group.processes == 1  # a file of one process is shared and private alike
    return Quality.ESTIMATED if alone or (group.table.partial and not group.shared) else Quality.EXACT


def _collective_quality(group: Group, tables: Mapping[str, Table]) -> Quality:
    if group.table.source == "heat map":
        return Quality.UNKNOWN
    if group.table.name in ("POSIX", "STDIO"):
        return Quality.EXACT if group.interface in (Interface.POSIX, Interface.STDIO) else Quality.ESTIMATED
    if group.table.source == "trace":
        return Quality.ESTIMATED
    if group.table.name == "H5D":
        return _confirmed(group, tables.get("MPI-IO"))
    few = min(group.collective_calls, group.calls - group.collective_calls)
    return Quality.EXACT if few <= _ALIKE * group.calls else Quality.ESTIMATED


def _confirmed(group: Group, lower: Table | None) -> Quality:
    """Return whether MPI-IO saw as much as HDF5 was asked for; HDF5 may break a collective request up."""
    if lower is None:
        return Quality.ESTIMATED if group.collective else Quality.EXACT
    seen = lower.summary(lower.rows_of(group.files)).totals[COLLECTIVE + group.direction] > 0
    return Quality.EXACT if seen is group.collective else Quality.ESTIMATED


def _details(found: Draft, evidence: Evidence) -> dict[str, str | int | float]:
    """Return what else people may want to know, in B and s."""
    group, totals = found.group, found.group.totals
    details: dict[str, str | int | float] = {
        "requests": group.calls,
        "counted_at": group.table.name,
        "iterations_are": found.iterations.how,
        "iterations_told_by": found.iterations.by,
        "metadata_seconds": found.timing.metadata,
    }
    optional = {
        "pause_seconds": found.iterations.pause,
        "traced_share": None if found.covered is None else min(1.0, found.covered),
        "opens": totals[OPENS],
        "syncs": sum(totals[SYNCS : SYNCS + 3]),
        "unaligned_requests": totals[UNALIGNED],
        **evidence.place(group.files[0])[1],
    }
    for key, value in optional.items():
        if value:
            details[key] = value
    return details


def _striping(file: int, log: Log) -> dict[str, int]:
    """Return how Lustre stripes a file."""
    layouts = log.modules.get("LUSTRE")
    if layouts is None:
        return {}
    rows = np.flatnonzero(layouts.records["id"] == np.uint64(file))
    if not len(rows):
        return {}
    row = layouts.records[rows[0]]
    return {
        "stripe_size": max(0, int(row["LUSTRE_COMP_STRIPE_SIZE"])),
        "stripe_count": max(0, int(row["LUSTRE_COMP_STRIPE_COUNT"])),
    }
