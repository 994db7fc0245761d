"""Imports: a file or a folder of measurements, as a report of what was read and what was not."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import cache
from pathlib import Path

from acic.errors import AcicError, InvalidInput, UnreadableInput
from acic.platforms import Platform
from acic.space import Configuration, Value
from acic.store.exchange import is_exchange, read_exchange
from acic.store.folders import Skipped, files_below
from acic.store.ior import IorResult, read_ior
from acic.store.ior_files import is_companion
from acic.store.measurement import Measurement, Outcome, check_figures
from acic.store.naming import NamingRule, overlay
from acic.workloads import Operation


@dataclass(frozen=True, slots=True)
class _Read:
    """What a file gave: `by_command` and `overruled` are as in `IorResult`."""

    measurements: Sequence[Measurement]
    skipped: Sequence[Skipped]
    by_command: bool = False
    overruled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What the files themselves do not tell.

    Args:
        rule: how names tell configurations; without one, every file has the same.
        configuration: values that differ from the baseline; what a name tells goes before them.
        suspect: the direction whose figures are not the storage's (a cache answered), and so are kept
            but teach no model.
        timezone: of times written without one.
        revision: the platform's revision when this was measured; the current one for "".
        contributor: who measured.
        command: the command line of IOR, where its output does not hold it.
        processes: how many processes ran, likewise.
    """

    rule: NamingRule | None = None
    configuration: Mapping[str, Value] | None = None
    suspect: Operation | None = None
    timezone: tzinfo = UTC
    revision: str = ""
    contributor: str = ""
    command: str = ""
    processes: int | None = None

    @property
    def said_of_all(self) -> tuple[str, ...]:
        """The options that are given and say something of every measurement, whatever its file tells; as typed."""
        given = {
            "--set": self.configuration,
            "--suspect": self.suspect,
            "--revision": self.revision,
            "--contributor": self.contributor,
        }
        return tuple(name for name, value in given.items() if value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import found.

    Args:
        files: files that were read.
        measurements: what they told, failures among them.
        failed: how many of the measurements are failures.
        corrupt: how many of those gave back other bytes than were written.
        skipped: what gave no measurement; a failed run whose workload nobody can tell is among them.
        unfit: what in configurations the platform does not have, and in how many measurements.
        failures: why runs failed, and how many measurements that are.
        by_command: of how many files the workload rests on `ImportOptions.command`.
        overruled: what that command gives otherwise than files, whose own was taken, and in how many files.
    """

    files: int
    measurements: tuple[Measurement, ...]
    failed: int
    corrupt: int
    skipped: tuple[Skipped, ...]
    unfit: Mapping[str, int]
    failures: Mapping[str, int]
    by_command: int
    overruled: Mapping[str, int]


def import_path(
    path: Path,
    platform: Platform,
    options: ImportOptions | None = None,
    *,
    known: Sequence[Measurement] = (),
    progress: Callable[[int], None] | None = None,
) -> ImportReport:
    """Return the measurements in a file of IOR's or of acic's own format, or in all files below a folder.

    Nothing is stored. In a folder, what cannot be read or looked into is reported and the rest go on; a
    single file is an error.

    Args:
        path: the file or folder.
        platform: where it was measured.
        options: what the files do not tell.
        known: what `read_own` gave of this one file, which then is not read again.
        progress: is told how many files have been read so far.

    Raises:
        UnreadableInput: there is nothing at `path`, or the one file cannot be read.
        InvalidInput: the options do not fit the platform.
    """
    options = options or ImportOptions()
    if options.rule:
        options.rule.check(platform)
    overlay(platform, options.configuration or {})
    alone = not path.is_dir()
    outputs, skipped = ([path], list[Skipped]()) if alone else _outputs_below(path)
    measurements: list[Measurement] = []
    overruled = Counter[str]()
    files = by_command = 0
    for file in outputs:
        try:
            if options.rule and not options.rule.matches(file) and not is_exchange_file(file):
                skipped.append(Skipped(file, f"its name does not fit the rule {options.rule.template}"))
                continue
            found = _read(file, platform, options, known)
        except AcicError as error:
            if alone:
                raise
            skipped.append(Skipped(file, error.problem.removeprefix(f"{file} ")))
            continue
        files += 1
        measurements += found.measurements
        skipped += found.skipped
        by_command += found.by_command
        overruled.update(found.overruled)
        if progress:
            progress(files)
    failures = Counter(m.note for m in measurements if m.outcome not in (Outcome.OK, Outcome.SUSPECT))
    return ImportReport(
        files=files,
        measurements=tuple(measurements),
        failed=failures.total(),
        corrupt=sum(m.outcome is Outcome.CORRUPT for m in measurements),
        skipped=tuple(skipped),
        unfit=_unfit(measurements, platform),
        failures=failures,
        by_command=by_command,
        overruled=overruled,
    )


def _unfit(measurements: Sequence[Measurement], platform: Platform) -> Counter[str]:
    problem_of = cache(platform.space.problem)
    return Counter(problem for m in measurements if (problem := problem_of(m.configuration)))


def is_exchange_file(path: Path) -> bool:
    """Return whether `path` is one file of acic's own format, which leaves nothing to be told beside it.

    Raises:
        UnreadableInput: it cannot be read, or is no regular file.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return False
        if stat.S_ISREG(mode):
            return is_exchange(path)
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {error.strerror}", hint="check the path") from error
    # a pipe would be empty, or begin in its middle, when it is read after this look at it
    raise UnreadableInput(f"{path} is no regular file", hint="copy what it gives into a file, and import that")


def read_own(path: Path) -> list[Measurement]:
    """Return the measurements in an exchange file that itself tells where they were made: all on one platform.

    Raises:
        InvalidInput: it is no exchange file, or one of several platforms.
        UnreadableInput: it cannot be read, or holds no measurements.
    """
    if not is_exchange_file(path):
        raise InvalidInput(f"{path} does not tell where it was measured", hint="give --platform NAME")
    found = read_exchange(path)
    names = sorted({m.platform for m in found})
    if not names:
        raise UnreadableInput(f"{path} holds no measurements", hint="give another file")
    if len(names) > 1:
        hint = f"import it once for each: --platform {names[0]}"
        raise InvalidInput(f"{path} holds measurements of {', '.join(names)}", hint=hint)
    return found


def _outputs_below(folder: Path) -> tuple[list[Path], list[Skipped]]:
    """Return the files below a folder that do not only tell of others, and what was not looked into."""
    files, skipped = files_below(folder)
    return [one for one in files if not _tells_of_another(one)], skipped


def _tells_of_another(path: Path) -> bool:
    try:
        return path.exists() and is_companion(path)
    except OSError:
        return False  # reading it tells why


def _read(file: Path, platform: Platform, options: ImportOptions, known: Sequence[Measurement]) -> _Read:
    if is_exchange_file(file):
        if said := options.said_of_all:
            hint = f"import it without {' and '.join(said)}"
            raise InvalidInput(f"an exchange file tells {' and '.join(said)} itself", hint=hint)
        return _exchanged(file, known or read_exchange(file), platform)
    told = options.rule.told(file, platform) if options.rule else {}
    configuration = overlay(platform, {**(options.configuration or {}), **told})
    results = read_ior(file, command=options.command, processes=options.processes, timezone=options.timezone)
    unknown = [r for r in results if r.workload is None]
    skipped = [Skipped(file, "; ".join(filter(None, (r.note, r.why_unknown)))) for r in _distinct(unknown)]
    found = [_measurement(r, platform, configuration, options) for r in results if r.workload is not None]
    for one in found:
        try:
            check_figures(one)
        except InvalidInput as error:
            problem = f"{file} cannot be right: {one.workload.operation} {error.problem}"
            raise InvalidInput(problem, hint=error.hint) from error
    overruled = frozenset(r.overruled for r in results if r.overruled)
    return _Read(found, skipped, any(r.by_command for r in results), overruled)


def _exchanged(file: Path, found: Sequence[Measurement], platform: Platform) -> _Read:
    mine = [m for m in found if m.platform == platform.name]
    others = sorted(Counter(m.platform for m in found if m.platform != platform.name).items())
    left = ", which are left out" if mine else f", and none of {platform.name}"
    told = (f"it holds {count:,} measurements of {other}{left}: give --platform {other}" for other, count in others)
    return _Read(mine, [Skipped(file, one) for one in told])


def _measurement(
    result: IorResult, platform: Platform, configuration: Configuration, options: ImportOptions
) -> Measurement:
    if result.workload is None:
        raise InvalidInput("the workload is not known", hint=result.why_unknown)
    measurement = Measurement(
        platform=platform.name,
        revision=options.revision or platform.revision,
        workload=result.workload,
        configuration=configuration,
        outcome=result.outcome,
        time=result.time,
        repetitions=result.repetitions,
        tool="ior",
        tool_version=result.tool_version,
        versions=result.versions,
        host_shape=result.host_shape,
        contributor=options.contributor,
        raw_sha256=result.raw_sha256,
        note=result.note,
    )
    if result.workload.operation is options.suspect and result.outcome is Outcome.OK:
        return replace(measurement, outcome=Outcome.SUSPECT, note=f"imported as suspect: every {options.suspect} was")
    return measurement


def _distinct(results: Iterable[IorResult]) -> list[IorResult]:
    """Leave out a second direction of the same run that could not be told for the same reason."""
    return list({(r.note, r.why_unknown): r for r in results}.values())
