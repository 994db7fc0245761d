"""Phases: from a group of files, and all that the log tells about it, to the characteristics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acic.workloads import access, sizes
from acic.workloads.columns import COLLECTIVE, LIBRARY_DATA, SYNCS, UNALIGNED, WRITE
from acic.workloads.details import possible
from acic.workloads.evidence import Evidence
from acic.workloads.groups import Group
from acic.workloads.growing import read_while_written
from acic.workloads.iterations import Iterations, iterations
from acic.workloads.participants import even, io_processes, ranks_apart, written_before, written_by_others
from acic.workloads.tables import Table
from acic.workloads.timing import Timing, timing
from acic.workloads.workload import (
    ESTIMATED,
    EXACT,
    UNKNOWN,
    Access,
    Characteristics,
    Interface,
    Operation,
    Phase,
    Quality,
)

_LIBRARY_FILES = {
    Interface.HDF5: (".h5", ".hdf5", ".he5", ".hdf", ".nc4", ".h5part"),
    Interface.PNETCDF: (".nc", ".cdf", ".ncf"),
}
_LIBRARY_ENDINGS = tuple(ending for endings in _LIBRARY_FILES.values() for ending in endings)
_LIBRARY_MODULES = {"H5D", "H5F", "PNETCDF_FILE", "PNETCDF_VAR"}
_ALIKE = 0.01


@dataclass(slots=True, kw_only=True)
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
    over: float | None
    covered: float | None
    cut: bool
    even: bool
    name: str
    hidden_library: Interface | None

    @property
    def certain(self) -> bool:
        """Whether nothing is left to be learnt from another phase."""
        guessed = not self.tells and self.iterations.quality is not EXACT
        return not guessed and self.access_quality is not UNKNOWN

    @property
    def tells(self) -> bool:
        """Whether its iterations were seen, rather than guessed from counters."""
        return self.iterations.by != "counters"


def draft(group: Group, evidence: Evidence) -> Draft:
    """Return what the log tells about a group."""
    traced = evidence.traced(group)
    processes, processes_quality = io_processes(group, traced, evidence.heatmap)
    several = group.calls > group.uses_by(processes)
    over = access.times_over(group, evidence.tables)
    found = iterations(
        group,
        processes,
        traced=traced,
        heatmap_of=evidence.heatmap,
        spent=evidence.spent(group, processes) if traced is not None and several else 0.0,
        sure=processes_quality is EXACT,
        waits=evidence.waits(group),
        over=over,
    )
    if found.how == "again" and access.may_append(group):
        found = replace(found, how="opens")
    name, _ = evidence.place(group.example)
    covered = None if traced is None else traced.bytes / group.bytes
    request, request_quality = sizes.request_size(group, traced if _same_level(group, covered) else None)
    pattern = access.of_trace(traced) if traced is not None and several else None
    if pattern is None:
        pattern, pattern_quality = access.of_counters(group, processes, evidence.tables)
    else:
        pattern_quality = EXACT if covered is not None and covered > 1 - _ALIKE else ESTIMATED
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
        over=over,
        covered=covered,
        cut=traced is not None and traced.bytes < group.bytes and (traced.partial or group.table.name != "H5D"),
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
    if not same or abs(a.bytes - b.bytes) > _ALIKE * b.bytes or not other.tells:
        return one
    if not one.tells and one.iterations.quality is not EXACT:
        one = replace(one, iterations=replace(other.iterations, quality=ESTIMATED))
    if one.access_quality is UNKNOWN:
        one = replace(one, access=other.access, access_quality=ESTIMATED)
    return one


def phase(found: Draft, evidence: Evidence) -> Phase:
    """Return the phase of a draft."""
    group, repeats, run = found.group, found.iterations, evidence.log.job.run_seconds
    moved = sizes.data_bytes(group)
    data = max(1, round(moved / (found.processes * repeats.count)))
    request = max(1, found.request)
    if request > data:  # processes that do less than the others pull the mean down
        data, request = (request, request) if found.request_quality is EXACT else (data, data)
    exact = (
        found.processes_quality is EXACT
        and repeats.quality is EXACT
        and data * found.processes * repeats.count == group.bytes
        and found.even
    )
    worst = UNKNOWN if UNKNOWN in (found.processes_quality, repeats.quality) else ESTIMATED
    quality = {
        "processes": EXACT,
        "io_processes": found.processes_quality,
        "interface": ESTIMATED if found.hidden_library else EXACT,
        "iterations": repeats.quality,
        "data_size": EXACT if exact else worst,
        "request_size": found.request_quality,
        "operation": EXACT,
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
            request_size=request,
            operation=Operation.WRITE if group.direction == WRITE else Operation.READ,
            collective=group.collective,
            shared=group.shared,
            access=found.access,
        ),
        quality=quality,
        files=len(group.files),
        bytes=group.bytes,
        seconds=_seconds(found.timing, run),
        imbalance=found.timing.imbalance,
        example=found.name,
        details=possible(_details(found, evidence)),
    )


def _seconds(timing: Timing, run: float) -> float | None:
    """Return what a phase takes of a run, s; None where nobody measured it."""
    if not timing.measured:
        return None
    return min(timing.seconds, run) if run > 0 else timing.seconds


def _hidden_library(group: Group, name: str, tables: Mapping[str, Table]) -> Interface | None:
    """Return the library that the file's name speaks of, if the modules of libraries are missing from the log."""
    if group.interface in LIBRARY_DATA or not _LIBRARY_MODULES.isdisjoint(tables):
        return None
    name = name.lower()
    if not name.endswith(_LIBRARY_ENDINGS):
        return None
    return next((library for library, endings in _LIBRARY_FILES.items() if name.endswith(endings)), None)


def _shared_quality(group: Group) -> Quality:
    if group.table.source == "heat map":
        return UNKNOWN
    alone = group.processes == 1  # a file of one process is shared and private alike
    return ESTIMATED if alone or (group.table.partial and not group.shared) else EXACT


def _collective_quality(group: Group, tables: Mapping[str, Table]) -> Quality:
    if group.table.source == "heat map":
        return UNKNOWN
    if group.table.name in ("POSIX", "STDIO"):
        return EXACT if group.interface in (Interface.POSIX, Interface.STDIO) else ESTIMATED
    if group.table.source == "trace":
        return ESTIMATED
    if group.table.name == "H5D":
        return _confirmed(group, tables.get("MPI-IO"))
    few = min(group.collective_calls, group.calls - group.collective_calls)
    return EXACT if few <= _ALIKE * group.calls and not _may_fill(group) else ESTIMATED


def _may_fill(group: Group) -> bool:
    """Return whether the collective calls of a group that is independent may move bytes that count.

    HDF5 fills a dataset collectively when it makes it, by a few large calls; nobody counts their bytes apart.
    """
    if group.collective or not group.collective_calls:
        return False
    return group.collective_calls * max(group.common_sizes, default=0) > _ALIKE * group.bytes


def _confirmed(group: Group, lower: Table | None) -> Quality:
    """Return whether MPI-IO saw as much as HDF5 was asked for; HDF5 may break a collective request up."""
    if lower is None:
        return ESTIMATED if group.collective else EXACT
    seen = lower.about(group.files).totals[COLLECTIVE + group.direction] > 0
    return EXACT if seen is group.collective else ESTIMATED


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
    if found.iterations.pause:
        details["pause_seconds" if found.iterations.count > 1 else "idle_seconds"] = found.iterations.pause
    if (gathered := evidence.gathered(group)) is not None:
        details["collective_buffering"] = gathered
    if evidence.viewed(group):
        details["file_views"] = True
    if found.covered:
        details["traced_share"] = min(1.0, found.covered)
    if (spells := found.timing.spells).first and any(spells.last):
        details["began"], details["ended"] = min(spells.first), max(spells.last)
    details |= _parts(found, evidence)
    if opens := evidence.opens(group):
        details["opens"] = opens
    renames, names_by = evidence.renames(group)
    if renames:
        details["renames"], details["names_by"] = renames, names_by
    if syncs := sum(totals[SYNCS : SYNCS + 3]):
        details["syncs"] = syncs
    if unaligned := totals[UNALIGNED]:
        details["unaligned_requests"] = unaligned
    details.update(evidence.place(group.example)[1])
    return details


def _parts(found: Draft, evidence: Evidence) -> dict[str, str | int | float]:
    """Return who moves which part of the files, as far as that is not what one would think."""
    group = found.group
    parts: dict[str, str | int | float] = {}
    if found.over is not None and abs(found.over - 1.0) > _ALIKE:
        parts["times_over"] = found.over
    if group.shared and found.iterations.count > 1 and access.contiguous(group, found.processes, evidence.tables):
        parts["contiguous"] = True
    if group.direction != WRITE and (jumps := access.jumps(group, found.processes, evidence.tables)):
        parts["jumps"] = jumps
    everyone = found.processes == group.processes and found.processes_quality is EXACT  # whose ranks are all there are
    if not everyone and (apart := ranks_apart(group, evidence.heatmap)) is not None and apart > 1.0:
        parts["ranks_apart"] = apart
    if written_by_others(group):
        parts["written_by_others"] = True
    if written_before(group):
        parts["written_before"] = True
    if read_while_written(group):
        parts["read_while_written"] = True
    return parts
