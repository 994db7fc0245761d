"""Notes: what a reader of the characteristics should know, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from acic.units import format_bytes, format_seconds
from acic.workloads.darshan import Job, Log
from acic.workloads.darshan.job import LONGEST_RUN
from acic.workloads.groups import Group
from acic.workloads.phases import Draft
from acic.workloads.tables import lacks_counters
from acic.workloads.timing import APART
from acic.workloads.workload import EXACT, UNKNOWN, Interface, Phase

_MATTERS = 0.01  # share of the bytes from which a phase's doubts are told
_WHOLE = 0.99
_BENEATH = 0.2  # of what an application writes: headers and indices of HDF5 are less
_LEFT_OUT = ("DFS", "DAOS")
UNSEEN = (
    "Darshan leaves out what lies below /dev, /opt, /usr, /var and their like, unless its configuration names it by "
    "NAME_INCLUDE (before 3.4: DARSHAN_EXCLUDE_DIRS=none)"
)
"""What no log tells of by default: darshan-config.c, darshan-core.c of Darshan 3.1 to 3.5."""


def notes(log: Log, drafts: Sequence[Draft], metadata: float, damaged: Sequence[str]) -> tuple[str, ...]:
    """Return the notes on a log and what was found in it, each once.

    Args:
        log: that was read.
        drafts: of the phases.
        metadata: time in metadata calls on files of which nothing is moved, s.
        damaged: traces that cannot be right.
    """
    total = sum([one.group.bytes for one in drafts])
    told = [*log.notes, *modules_missing(log)]
    told += [f"The trace {name} is empty, or holds impossible times or lengths, and was not used." for name in damaged]
    if log.job.end == 0:
        told.append("The log tells no end of the job, which may have been killed: its run time is not known.")
    elif log.job.run_seconds <= 0:
        told.append(f"By the log the job {_impossible(log.job)}, so its run time is not known.")
    source = "what could be read of the log" if lacks_counters(log) else "the log"
    if not drafts:
        told.append(
            f"{source[0].upper()}{source[1:]} records no reads and no writes of files, so there is no phase to "
            f"describe. {UNSEEN}."
        )
    for one in drafts:
        if one.group.bytes >= _MATTERS * total:
            told += [*_of_times(one, log), *_of_draft(one, log, source)]
    told += mapped(log)
    if log.job.processes == 1:
        told.append(
            "This log is of one process. Where a job runs several without MPI (srun, fork, multiprocessing), each has "
            "a log of its own, and this one tells nothing of the others: describe all of them by a workload file."
        )
    if metadata > _MATTERS * log.job.run_seconds > 0:
        told.append(
            f"About {format_seconds(metadata)} went into metadata calls (open, stat) on files of which nothing was "
            "read or written."
        )
    return tuple(dict.fromkeys(told))


def _impossible(job: Job) -> str:
    if job.start < 1:
        return "began in 1970 or before: no clock was right"
    if job.end - job.start > LONGEST_RUN:
        return "ran for more than a year: a clock was wrong"
    return "did not end after it began: a clock was set back"


def mapped(log: Log) -> Iterator[str]:
    """Yield how many files were mapped into memory, of which only opening them is seen."""
    if (module := log.modules.get("POSIX")) is None:
        return
    maps = module.records["POSIX_MMAPS"]
    if maps.max(initial=0) > 0:
        files = len({*module.records["id"][maps > 0].tolist()})
        which = "1 file was" if files == 1 else f"{files} files were"
        yield f"{which} mapped into memory, whose I/O Darshan does not see."


def places(phases: Sequence[Phase]) -> Iterator[str]:
    """Yield where files lie, and how to ask about some of them, if they are on several file systems."""
    moved: dict[tuple[str, str], int] = {}
    for one in phases:
        if mount := str(one.details.get("mount", "")):
            where = mount, str(one.details["file_system"])
            moved[where] = moved.get(where, 0) + one.bytes
    if len(moved) < 2:
        return
    total = sum(moved.values())
    found = sorted(((size, *where) for where, size in moved.items() if size >= _MATTERS * total), reverse=True)
    if len(found) > 1:
        told = " and ".join(f"{size / total:.0%} on {mount} ({kind})" for size, mount, kind in found)
        yield (
            f"What is moved lies on several file systems, {told}: say --only {found[0][1]} if the rest is to stay "
            "where it is."
        )


def layouts(phases: Sequence[Phase]) -> Iterator[str]:
    """Yield which part of a progressive layout (Lustre) stripe size and count are told of."""
    for one in phases:
        if parts := one.details.get("layout_components"):
            start = one.details.get("layout_from")
            which = (
                f"the one from {format_bytes(float(start))} on, which holds most of its bytes" if start else "the first"
            )
            yield (
                f"Lustre lays {one.example.rpartition('/')[2]} out in {parts} components: stripe_size and stripe_count "
                f"are those of {which}; the others are not looked at."
            )


def modules_missing(log: Log) -> Iterator[str]:
    """Yield what modules do not tell, beside what could not be read of the log at all (its own notes)."""
    for name, module in log.modules.items():
        if module.partial:
            yield (
                f"Darshan ran out of memory for module {name}: some files are missing from it, so its bytes and counts "
                "are lower bounds."
            )
        if name in _LEFT_OUT:
            yield f"The log has I/O of module {name}, which is not characterised yet."


def _of_times(one: Draft, log: Log) -> Iterator[str]:
    """Yield which seconds of the log were left out of a phase's, are more than it can have, or lack."""
    table, way = one.group.table, "WRITE" if one.group.direction else "READ"
    if table.source == "counters":
        times = log.modules[table.name].records[f"{table.name.replace('-', '')}_F_{way}_TIME"]
        if not np.minimum.reduce(times) >= 0:  # nor is what is no number
            longer = ": these may take longer than is told" if one.timing.measured else ""
            yield (
                f"Some times of {one.group.interface} {way.lower()}s in the log are below zero or no numbers, and "
                f"count as 0{longer}."
            )
    if not one.timing.measured:
        yield f"The log tells no times of {_what(one)}, so how long they take is not known."
    seconds, run = one.timing.seconds, log.job.run_seconds
    if (spread := one.timing.spread) > max(APART * seconds, _MATTERS * run):
        yield (
            f"Processes do {_what(one)} each at its own time, {format_seconds(spread)} in all, and none begins when "
            f"another ends: {format_seconds(seconds)} of it count, as of the slowest. Where others wait, it is more."
        )
    if seconds * (1 - _MATTERS) > run > 0:
        yield (
            f"By the log {_what(one)} take {format_seconds(seconds)}, longer than the run: a clock jumped, or threads "
            f"did I/O beside one another, so they count as all of its {format_seconds(run)}."
        )


def _of_draft(one: Draft, log: Log, source: str) -> Iterator[str]:
    group = one.group
    if group.table.source != "counters":
        yield (
            f"Module {group.table.name} left no counters: {_what(one)} are told by the {group.table.source} alone, "
            "which may not have all of them."
        )
    if one.processes_quality is not EXACT and group.reduced:
        yield (
            f"Darshan merged the records of all processes: how many of them take part in {_what(one)} is estimated "
            "from how unevenly the bytes are spread."
        )
    if one.cut and one.covered is not None and one.covered < _WHOLE and group.table.source == "counters":
        yield (
            f"The trace (DXT) ends early and holds {one.covered:.0%} of the bytes in {_what(one)}; the rest is assumed "
            "to go on likewise."
        )
    if more := _beneath(group, log):
        yield (
            f"HDF5 wrote {format_bytes(more)} more than {_what(one)} have: as a rule it fills datasets, or writes "
            "whole chunks. That is no phase here; H5Pset_fill_time with H5D_FILL_TIME_NEVER spares what is overwritten."
        )
    if one.iterations.quality is UNKNOWN:
        remedy = "" if group.interface is Interface.STDIO else "; Darshan's extended tracing (DXT) would tell"
        yield f"The log does not tell where one iteration of {_what(one)} ends and the next begins{remedy}."
    if library := one.hidden_library:
        yield (
            f"The files of {_what(one)} are named like those of {library}, but {source} has no module of that library: "
            f"the application may call {library}, and Darshan saw the level below."
        )


def _beneath(group: Group, log: Log) -> int:
    """Return by how many B HDF5 wrote more to the files of its datasets than it was asked to; 0 for little."""
    lower = log.modules.get("MPI-IO") or log.modules.get("POSIX")
    if group.table.name != "H5D" or not group.direction or lower is None:
        return 0
    wrote = lower.records[f"{'MPIIO' if lower is log.modules.get('MPI-IO') else 'POSIX'}_BYTES_WRITTEN"]
    mine = np.isin(lower.records["id"], np.array(group.files, dtype=np.uint64))
    more = int(wrote[mine].clip(0).sum()) - group.bytes
    return more if more > _BENEATH * group.bytes else 0


def _what(one: Draft) -> str:
    group, name = one.group, one.name.rpartition("/")[2]
    verb = "writes" if group.direction else "reads"
    return f"the {group.interface} {verb} of {name}" if name else f"the {group.interface} {verb}"
