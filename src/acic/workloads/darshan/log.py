"""Darshan logs: read into numpy arrays, safe on any input.

Source of the format: Darshan's `include/darshan-log-format.h` and `darshan-util/darshan-logutils.c`, 3.5.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acic.errors import UnreadableInput
from acic.workloads.darshan import dxt, heatmap, lustre
from acic.workloads.darshan.counters import LAYOUTS
from acic.workloads.darshan.dxt import Segments, read_segments
from acic.workloads.darshan.heatmap import Heatmap, read_heatmaps
from acic.workloads.darshan.job import Job, read_job, read_names
from acic.workloads.darshan.lazy import Lazy
from acic.workloads.darshan.lustre import read_lustre
from acic.workloads.darshan.opening import open_log
from acic.workloads.darshan.records import Module, read_records
from acic.workloads.darshan.regions import Damage, Header, Region, Unpacker

_NEWEST = {
    **{name: layout.version for name, layout in LAYOUTS.items()},
    **dxt.NEWEST,
    "LUSTRE": lustre.NEWEST,
    "HEATMAP": heatmap.NEWEST,
}
_OR_PARTIAL = ", or pass --partial to use the modules that are whole"
_OF_NO_FILES = ("APMPI", "APXC")  # AutoPerf's: MPI calls, and what a Cray's network counted


@dataclass(slots=True)  # not frozen: that takes twice as long to make
class Log:
    """A Darshan log.

    Args:
        path: where it was read from.
        job: the run that it is about.
        names: file name of each record id; a record may have none.
        modules: counters, by Darshan's name of the module ("POSIX", "MPI-IO", ...).
        dxt: single reads and writes, by module ("DXT_POSIX", "DXT_MPIIO"); checked, but made on first use.
        heatmaps: bytes over time, by module ("POSIX", "MPIIO", "STDIO"); checked, but made on first use.
        notes: what was left out and why, one sentence each.
        lost: modules that were left out whole.
        renamed: whether records of a file have its last name, so that a process may have several of one.
    """

    path: Path
    job: Job
    names: Mapping[int, str]
    modules: Mapping[str, Module]
    dxt: Mapping[str, Segments]
    heatmaps: Mapping[str, Heatmap]
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    renamed: bool = False


def read_log(path: Path | str, *, partial: bool = False) -> Log:
    """Return the Darshan log at `path`.

    Modules that this reader does not know are left out, with a note, and those that tell of no files without one; one
    that Darshan itself marked as partial is read like any other.

    Args:
        path: of the log, formats 3.00 to 3.41.
        partial: leave out modules that are cut or damaged, with a note, instead of refusing the log.

    Raises:
        UnreadableInput: there is no such file, it is no Darshan log, or it is truncated or damaged.
    """
    data, header = open_log(path)
    return _Reading(path if isinstance(path, Path) else Path(path), data, header, partial).read()


@dataclass(slots=True)
class _Reading:
    """One log on its way in."""

    path: Path
    data: bytes
    header: Header
    partial: bool
    unpacker: Unpacker = field(init=False)
    modules: dict[str, Module] = field(default_factory=dict)
    dxt: dict[str, Callable[[], Segments]] = field(default_factory=dict)
    heatmaps: dict[str, Callable[[], Heatmap]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def read(self) -> Log:
        try:
            self.unpacker = Unpacker(self.data, self.header.compression)
        except ValueError:
            raise self.unreadable(
                f"it is packed with method {self.header.compression}, which Darshan does not have",
                hint="the file is damaged: copy it again from where Darshan wrote it",
            ) from None
        job = self.read_job()
        if self.header.names.length:
            self.read_region(self.header.names, job)
        for region in self.header.modules:
            self.read_region(region, job)
        return Log(
            path=self.path,
            job=job,
            names=self.names,
            modules=self.modules,
            dxt=Lazy(self.dxt),
            heatmaps=Lazy(self.heatmaps),
            notes=tuple(self.notes),
            lost=tuple(self.lost),
        )

    def read_job(self) -> Job:
        """Return the job, whose record is between the header and the first region."""
        start, size = self.header.size, len(self.data)
        regions = (self.header.names, *self.header.modules)
        end = min([size, *[region.start for region in regions if region.length and region.start > start]])
        try:
            return read_job(self.unpacker.unpack(start, end - start, first=True), self.header)
        except Damage as damage:
            if end == size:
                raise self.unreadable("the log is truncated in its job record", hint=_hint(cut=True)) from damage
            raise self.unreadable(f"the data of its job record {damage}", hint=_hint(cut=False)) from damage

    def read_region(self, region: Region, job: Job) -> None:
        """Read one module, or the names; tell or note what is wrong with it."""
        if region.name in _OF_NO_FILES:
            return
        names = region is self.header.names
        what = "the file names" if names else f"module {region.name}"
        if not names and (note := _unknown(region)):
            self.notes.append(note)
            self.lost.append(region.name)
            return
        cut = region.end > len(self.data)
        try:
            if cut:
                raise Damage("end early")
            if region.start < self.header.size:
                raise Damage("overlap the header")
            self.decode(region, job, self.unpacker.unpack(region.start, region.length))
        except Damage as damage:
            if self.partial:
                self.notes.append(
                    f"{what[0].upper()}{what[1:]} {'were' if names else 'was'} left out: the data {damage}."
                )
                self.lost += [] if names else [region.name]
                return
            problem = f"the log is truncated after {self.last_whole()}" if cut else f"the data of {what} {damage}"
            raise self.unreadable(problem, hint=f"{_hint(cut=cut)}{_OR_PARTIAL}") from damage

    def decode(self, region: Region, job: Job, raw: bytes) -> None:
        """Add the unpacked data of one region to what has been read."""
        order, processes = self.header.order, job.processes
        if region is self.header.names:
            self.names = read_names(raw, self.header)
            return
        note = ""
        if region.name in dxt.NEWEST:
            self.dxt[region.name] = read_segments(raw, region, order, processes)
        elif region.name == "HEATMAP":
            self.heatmaps, note = read_heatmaps(raw, order, processes, self.names)
        elif region.name == "LUSTRE":
            self.modules[region.name] = read_lustre(raw, region, order, processes)
        else:
            self.modules[region.name], note = read_records(raw, region, order, processes)
        if note:
            self.notes.append(note)

    def last_whole(self) -> str:
        """Return the name of the last region that the file holds to its end."""
        regions = [region for region in (self.header.names, *self.header.modules) if region.length]
        whole = [region for region in regions if region.end <= len(self.data)]
        if not whole:
            return "the job record"
        last = max(whole, key=lambda region: region.end)
        return "the file names" if last is self.header.names else f"module {last.name}"

    def unreadable(self, problem: str, *, hint: str) -> UnreadableInput:
        return UnreadableInput(f"cannot read {self.path}: {problem}", hint=hint)


def _unknown(region: Region) -> str:
    """Return a note if this reader does not know the module or its format, else ""."""
    newest = _NEWEST.get(region.name)
    if newest is None:
        return f"Module {region.name} was left out: this reader does not know it."
    if region.version > newest:
        return f"{region.name} is in format {region.version}, newer than this reader's {newest}, and was left out."
    if region.version < 1:
        return f"{region.name} is in format {region.version}, which Darshan does not have, and was left out."
    return ""


def _hint(*, cut: bool) -> str:
    if cut:
        return "the file was cut while it was written or copied: copy it again, or run the job again"
    return "the file is damaged: copy it again from where Darshan wrote it"
