"""IOR's output files as results: each direction of each test, with every repetition."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from pathlib import Path

from acic.errors import InvalidInput, UnreadableInput
from acic.store.ior_endings import Ending, begins_with_error, endings_of, first_error
from acic.store.ior_files import no_output, read_output, refused
from acic.store.ior_kinds import RUN_IN_JSON, RUN_IN_TEXT, seems_csv, seems_json
from acic.store.ior_options import IorOptions, from_command
from acic.store.ior_output import IorOutput, IorTest, parse_csv, parse_json, parse_text
from acic.store.ior_told import moved_otherwise, overruled
from acic.store.measurement import Outcome, Repetition
from acic.workloads import Characteristics, Operation, characteristics_of, values_of

_STAMP = "%a %b %d %H:%M:%S %Y"
_NO_BENCHMARK = re.compile(r'"Benchmark": "acic-bench".*^  "(Replay|Play)": \{', re.MULTILINE | re.DOTALL)
_MDTEST = re.compile(r"^mdtest-\S+ was launched with \d+ total task", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class IorResult:
    """One direction of one IOR test.

    Args:
        workload: what was run; None where the output does not tell (then `why_unknown` says why).
        time: when the test began; the file's own time where IOR tells none (CSV, an empty file).
        versions: of the interface's library, by IOR's name of the interface.
        by_command: whether its workload rests on the command line that was given, as that of CSV.
        overruled: what that line gives otherwise than the file, whose own was taken.
    """

    workload: Characteristics | None
    outcome: Outcome
    time: datetime
    repetitions: tuple[Repetition, ...] = ()
    tool_version: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    host_shape: dict[str, str | int] = field(default_factory=dict)
    raw_sha256: str = ""
    note: str = ""
    why_unknown: str = ""
    by_command: bool = False
    overruled: str = ""


def read_ior(path: Path, *, command: str = "", processes: int | None = None, timezone: tzinfo = UTC) -> list[IorResult]:
    """Return what the IOR output at `path` (JSON, CSV, or for people; packed by gzip or not) tells.

    A failed run is told by IOR's own ERROR lines, an output that ends early, or the files NAME.rc (exit
    status), NAME.err and NAME.out beside it; what it was doing is one failed result, never left out.

    Args:
        path: the file.
        command: the command line of the run, where the output does not hold it (CSV, empty files).
        processes: how many processes ran, likewise.
        timezone: of the times in the file, which IOR writes without one.

    Raises:
        UnreadableInput: the file, or one beside it, cannot be read, or it is no output of IOR, or in other units.
        InvalidInput: `command` cannot be understood, or a number in the file makes no sense.
    """
    raw = read_output(path)
    try:
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise refused(path, error) from error
    text, sha256 = raw.decode(errors="replace"), hashlib.sha256(raw).hexdigest()
    results: list[IorResult] = []
    for begin, end in pairwise([*_runs(text), len(text)]):
        part = text[begin:end]
        output = _parse(path, part, command)
        common = IorResult(
            workload=None,
            outcome=Outcome.UNKNOWN,
            time=modified,
            tool_version=output.version,
            host_shape={"machine": output.machine} if output.machine else {},
            raw_sha256=sha256,
        )
        endings = endings_of(path, part, output, last=end == len(text))
        for test, ending in zip(output.tests, endings, strict=True):
            test.options = _options(test, output.command or command, processes)
            shared = _of_test(test, output, common, timezone)
            if output.told and test.options:
                told = replace(output.told, tasks=output.told.tasks or processes)
                shared = replace(shared, by_command=True, overruled=overruled(told, test.options))
            results += _results(test, ending, shared)
    return results


def _runs(text: str) -> list[int]:
    """Return where the output of each run begins, as files of several are often put together.

    What a batch job says before the first one, as of modules that it loads, is of no run; but an error there may be of
    one that came to no heading.
    """
    if seems_json(text):
        return [0, *[match.start() for match in RUN_IN_JSON.finditer(text)][1:]]
    begins = [match.start() for match in RUN_IN_TEXT.finditer(text)]
    if not begins or seems_csv(text):
        return [0, *begins]
    error = first_error(text[: begins[0]])
    return begins if error is None else [error, *begins]


def _of_test(test: IorTest, output: IorOutput, common: IorResult, timezone: tzinfo) -> IorResult:
    """Return what all results of a test share."""
    shape: dict[str, str | int] = {"nodes": test.nodes or 0, "tasks_per_node": test.tasks_per_node or 0}
    return replace(
        common,
        time=_time(test.started or output.began, timezone) or common.time,
        versions={test.options.api: test.api_version} if test.options and test.api_version else {},
        host_shape={**{k: v for k, v in shape.items() if v}, **common.host_shape},
    )


def _parse(path: Path, text: str, command: str) -> IorOutput:
    try:
        output = _parsed(path, text, command)
    except ArithmeticError as error:
        raise InvalidInput(
            f"{path} has a number that makes no sense", hint="copy the file again from where IOR wrote it"
        ) from error
    if output.older:
        hint = "run it with IOR 3.1 or newer, or give its JSON or CSV"
        raise UnreadableInput(f"{path} is text of an IOR {output.version} that acic cannot read", hint=hint)
    if output.strange:
        hint = (
            "give figures as IOR writes them: bandwidth in MiB/s (1 MB/s is 0.9537 of these), sizes in KiB, times in s"
        )
        raise UnreadableInput(f"{path} has figures under {output.strange}, a unit that IOR does not write", hint=hint)
    if output.finished and not output.version:
        raise no_output(path)  # JSON, and whole, but not IOR's
    output.tests = output.tests or [IorTest()]
    return output


def _parsed(path: Path, text: str, command: str) -> IorOutput:
    beginning = text.lstrip()[:200]
    if not beginning:
        return IorOutput(command=command)
    if match := _NO_BENCHMARK.search(text):
        raise no_output(path, f", but of `acic-bench {match.group(1).lower()}`")
    if seems_json(text):
        return parse_json(text)
    if seems_csv(text):
        return parse_csv(text, command)
    if beginning.startswith(("IOR-", "acic-bench-")) or begins_with_error(beginning):
        return parse_text(text)
    raise _of_something_else(path, text)


def _of_something_else(path: Path, text: str) -> UnreadableInput:
    """Return the error that a file is no output of IOR; what is known is named."""
    if text.startswith("SQLite format 3"):
        hint = f"write what it holds as a file to import: acic data export FILE.jsonl --store {shlex.quote(str(path))}"
        return UnreadableInput(f"{path} is a database", hint=hint)
    if _MDTEST.search(text):
        problem = f"{path} is of mdtest: it has rates of metadata operations, and acic learns from bandwidths"
        return UnreadableInput(problem, hint="give outputs of IOR or acic-bench")
    return no_output(path)


def _options(test: IorTest, command: str, processes: int | None) -> IorOptions | None:
    options = test.options or (from_command(command) if command else None)
    return replace(options, tasks=options.tasks or processes) if options else None


def _results(test: IorTest, ending: Ending, common: IorResult) -> list[IorResult]:
    found = tuple(r for them in test.repetitions.values() for r in them)
    unknown = "" if test.options else "the output does not tell what IOR was told to do; give its command line"
    if test.options and common.by_command:
        unknown = moved_otherwise(test.options, found)
    if test.options is None or unknown:
        outcome = Outcome.FAILED if ending.error else Outcome.UNKNOWN
        return [replace(common, outcome=outcome, note=ending.error, why_unknown=unknown, repetitions=found)]
    results = []
    done = [operation for operation in test.options.operations if test.repetitions.get(operation)]
    asked = done if test.options.scripted and done and not ending.error else test.options.operations
    for operation in asked:
        repetitions = tuple(test.repetitions.get(operation, ()))
        outcome, note = _outcome(operation, repetitions, test.options, ending)
        workload, why = _workload(test.options, operation)
        result = replace(
            common, workload=workload, why_unknown=why, outcome=outcome, note=note, repetitions=repetitions
        )
        results.append(result)
        if outcome is Outcome.FAILED and not repetitions and not done:
            break  # what should have come after was never begun
    return results


def _outcome(
    operation: Operation, repetitions: Sequence[Repetition], options: IorOptions, ending: Ending
) -> tuple[Outcome, str]:
    done = sum(r.bandwidth is not None for r in repetitions)
    if operation in ending.corrupt:
        return Outcome.CORRUPT, "IOR found data other than it had written"
    if ending.error:
        return Outcome.FAILED, ending.error
    if not done:
        return Outcome.FAILED, "no bandwidth was reported"
    if done < options.repetitions:
        note = f"{done} of {options.repetitions} repetitions were reported"
        return (Outcome.OK if options.may_stop_early else Outcome.FAILED), note
    return Outcome.OK, ""


def _workload(options: IorOptions, operation: Operation) -> tuple[Characteristics | None, str]:
    try:
        return characteristics_of(values_of(options.characteristics(operation))), ""  # of sizes that a store can hold
    except InvalidInput as error:
        return None, error.problem


def _time(text: str, timezone: tzinfo) -> datetime | None:
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=timezone)
    except ValueError:
        return None
