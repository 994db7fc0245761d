"""IOR's three output formats, read so that a broken or unfinished file still gives what it holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from acic.errors import InvalidInput
from acic.store.ior_options import IorOptions, from_command, from_parameters
from acic.store.measurement import Repetition
from acic.units import MIB, parse_bytes
from acic.workloads import Operation


@dataclass(slots=True)
class IorTest:
    """One test of a run: what it was told, and what it reported so far."""

    options: IorOptions | None = None  # None where the output does not tell
    started: str = ""
    begins: int = 0  # where its part of the text does
    ends: int | None = None  # and ends; None where the next one's begins
    nodes: int | None = None
    tasks_per_node: int | None = None
    api_version: str = ""
    repetitions: dict[Operation, list[Repetition]] = field(default_factory=dict)

    def add(self, row: Mapping[str, object]) -> None:
        """Take one result: a write or a read; others (remove) have no bandwidth."""
        access = str(row.get("access"))
        if access in ("write", "read"):
            self.repetitions.setdefault(Operation(access), []).append(_repetition(row))


@dataclass(slots=True)
class IorOutput:
    """A whole file; `finished` is whether IOR says that it came to its end, None where it never does (CSV)."""

    version: str = ""  # with the MPI that acic-bench tells of
    machine: str = ""
    began: str = ""
    command: str = ""
    finished: bool | None = None
    told: IorOptions | None = None  # by the command line that was given for it, which all its tests rest on
    tests: list[IorTest] = field(default_factory=list)
    error: str = ""  # why it failed, as acic-bench's JSON tells
    older: bool = False  # it has results, and is laid out as before IOR 3.1: they are of no test
    strange: str = ""  # the heading of a column that acic needs, in a unit that IOR does not write


_STRING = r'"(?:[^"\\]++|\\.)*+"'  # possessive: each letter that could be given back takes some hundred bytes
_FLAT = re.compile(rf"\{{(?:[^{{}}\"]++|{_STRING})*+\}}")  # an object without an object in it
_PAIR = re.compile(rf"({_STRING})\s*:\s*({_STRING}|[-+\w.]+)")
_NAMES = {  # IOR's columns in CSV and in the table -> its names in JSON
    "bw(MiB/s)": "bwMiB",
    "IOPS": "iops",
    "total(s)": "totalTime",
    "numTasks": "numTasks",
    "block(KiB)": "blockKiB",
    "xfer(KiB)": "xferKiB",
}
_UNITS = {name.partition("(")[0]: name for name in _NAMES if "(" in name}


def parse_json(text: str) -> IorOutput:
    """Return what IOR's JSON holds, well-formed or not.

    Releases of IOR lose or repeat brackets (issues 102, 233 and 264), print messages in between
    (issue 503), and a killed run leaves only the beginning. All that matters stands in objects
    without objects in them, in a fixed order, so those are looked for and the nesting is not.
    """
    heading = dict(_pairs(text))
    output = IorOutput(
        version=_version(str(heading.get("Version", "")), str(heading.get("MPI", ""))),
        machine=str(heading.get("Machine", "")),
        began=str(heading.get("Began", "")),
        command=str(heading.get("Command line", "")),
        finished="Finished" in heading or _is_json(text),
        error=_plain(str(heading.get("Error", ""))) if heading.get("Benchmark") == "acic-bench" else "",
    )
    position = 0
    parameters: dict[str, object] = {}
    for match in _FLAT.finditer(text):
        found = dict(_pairs(match.group()))
        if "transferSize" in found and "operation" not in found:
            started = dict(_pairs(text[position : match.start()])).get("StartTime", "")
            parameters = found
            output.tests.append(IorTest(from_parameters(parameters, {}), started=str(started), begins=position))
            output.tests[-1].nodes = _int(parameters.get("nodes"))
            output.tests[-1].tasks_per_node = _int(parameters.get("tasksPerNode"))
        elif "tasks" in found and output.tests:
            output.tests[-1].options = from_parameters(parameters, found)
            output.tests[-1].api_version = _bare(str(found.get("apiVersion", "")))
        elif "access" in found and output.tests:
            output.tests[-1].add(found)
        position = match.end()
    if not output.tests and output.command:
        output.tests.append(IorTest(_told_by_command(heading), started=str(heading.get("StartTime", ""))))
    return output


def parse_csv(text: str, command: str = "") -> IorOutput:
    """Return what IOR's CSV holds; it tells neither interface nor file sharing, so `command` must.

    A test ends where another header stands, sizes or tasks change, or repetitions are counted anew: files of several
    runs are often put together, and a script of IOR's has several tests.

    Raises:
        InvalidInput: `command` cannot be read.
    """
    told = from_command(command) if command else None
    tests = [IorTest(told)]
    header: list[str] = []
    strange = ""
    before: dict[str, object] = {}  # the number of the last repetition of each access, and what all rows share
    begins = end = last = 0  # of a line, and the end of the last row
    for whole in text.splitlines(keepends=True):
        begins, end = end, end + len(whole)
        line = whole.strip("\r\n")
        cells = line.split(",")
        if cells[0] == "access":
            tests += [IorTest(told, begins=begins)] if header else []
            header, before = [_NAMES.get(name, name) for name in cells], {}
            strange = strange or _strange(cells)
        elif len(cells) == len(header):
            row = dict(zip(header, map(_value, cells), strict=True))
            same = {name: row.get(name) for name in ("blockKiB", "xferKiB", "numTasks")}
            if not _goes_on(before, row, same) and tests[-1].repetitions:
                tests[-1].ends = begins  # what is said between rows may be of either test
                tests.append(IorTest(told, begins=last))
                before = {}
            last = end
            before |= {**same, str(row["access"]): row.get("iter")}
            tests[-1].add(row)
            tests[-1].options = _told_by_row(tests[-1].options, row)
    return IorOutput(command=command, told=told, tests=tests, strange=strange)


def _goes_on(before: Mapping[str, object], row: Mapping[str, object], same: Mapping[str, object]) -> bool:
    """Return whether a row of CSV is of the test that those before it are of."""
    number, last = row.get("iter"), before.get(str(row["access"]))
    anew = isinstance(number, int) and isinstance(last, int) and number <= last
    return not anew and all(before.get(name) == value for name, value in same.items())


def parse_text(text: str) -> IorOutput:
    """Return what IOR's output for people holds."""
    output = IorOutput(finished=bool(re.search(r"^Finished\s*:", text, re.MULTILINE)))
    keys: dict[str, str] = {}
    header: list[str] = []
    begins = 0
    for line in text.splitlines(keepends=True):
        begins += len(line)
        if match := re.match(r"(?:IOR-)?(\S+): MPI Coordinated", line):
            output.version = match.group(1)
        elif line.startswith("Results:") and output.tests:
            _describe(output.tests[-1], keys)
        elif match := re.match(r"(\w[\w ]*?)\s*: (.*)", line):
            keys[match.group(1)] = match.group(2).strip()
            if match.group(1) == "StartTime":
                output.tests.append(IorTest(started=keys["StartTime"], begins=begins))
        elif line.startswith("access "):
            header = [_NAMES.get(name, name) for name in line.split()]
            output.strange = output.strange or _strange(line.split())
        elif re.match(r"(write|read) +[\d.]", line) and len(line.split()) == len(header):
            output.older = not output.tests
            if output.tests:
                output.tests[-1].add(dict(zip(header, map(_value, line.split()), strict=True)))
    output.began, output.machine = keys.get("Began", ""), keys.get("Machine", "")
    output.command = keys.get("Command line", "")
    output.version = _version(output.version, keys.get("MPI", ""))
    return output


def _version(version: str, mpi: str) -> str:
    return f"{version} with {mpi}" if version and mpi else version


def _strange(names: Sequence[str]) -> str:
    """Return the first column that has another unit than IOR's, "" for none: its figures would be passed over."""
    whole = (name for name in names if "(" in name and name.endswith(")"))  # and not cut off
    return next((name for name in whole if _UNITS.get(name.partition("(")[0], name) != name), "")


def _told_by_command(heading: Mapping[str, object]) -> IorOptions | None:
    """Return what a file that ends inside its parameters tells of them."""
    nodes, per_node = _int(heading.get("nodes")), _int(heading.get("tasksPerNode"))
    try:
        options = from_command(str(heading["Command line"]))
    except InvalidInput:
        return None
    return replace(options, tasks=options.tasks or (nodes * per_node if nodes and per_node else None))


def _describe(test: IorTest, keys: Mapping[str, str]) -> None:
    """Fill in what the block `Options` says; exact sizes are on the command line, rounded ones in the block."""
    try:
        options = from_command(keys.get("Command line", ""))
        sizes = (
            parse_bytes(keys["blocksize"].removesuffix("ytes")),
            parse_bytes(keys["xfersize"].removesuffix("ytes")),
        )
    except (InvalidInput, KeyError):
        return
    exact = options.block_size, options.transfer_size
    rounded = all(size and abs(told / size - 1) < 0.01 for told, size in zip(sizes, exact, strict=True))
    block_size, transfer_size = exact if rounded else sizes
    test.nodes, test.tasks_per_node = _int(_value(keys.get("nodes"))), _int(_value(keys.get("clients per node")))
    test.api_version = _bare(keys.get("apiVersion", ""))
    test.options = replace(
        options,
        api=keys.get("api", options.api),
        tasks=_int(_value(keys.get("tasks"))),
        block_size=block_size,
        transfer_size=transfer_size,
        segments=_int(_value(keys.get("segments"))) or 1,
        repetitions=_int(_value(keys.get("repetitions"))) or 1,
        collective=keys.get("type") == "collective",
        file_per_process=keys.get("access") == "file-per-process",
        random=keys.get("ordering in a file") == "random",
    )


def _told_by_row(options: IorOptions | None, row: Mapping[str, object]) -> IorOptions | None:
    """Return `options` with what a CSV row tells better than the command line: sizes and tasks."""
    block, transfer, tasks = row.get("blockKiB"), row.get("xferKiB"), _int(row.get("numTasks"))
    if options is None or not _is_size(block) or not _is_size(transfer):
        return options
    return replace(
        options, block_size=round(block * 1024), transfer_size=round(transfer * 1024), tasks=tasks or options.tasks
    )


def _is_size(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and 0 < value < math.inf


def _repetition(row: Mapping[str, object]) -> Repetition:
    bandwidth, seconds, iops = (_figure(row.get(name)) for name in ("bwMiB", "totalTime", "iops"))
    return Repetition(bandwidth=None if bandwidth is None else bandwidth * MIB, seconds=seconds, iops=iops)


def _figure(value: object) -> float | None:
    """Return a number that can be a measurement: not the inf or nan of a run too short for IOR's clock."""
    return float(value) if isinstance(value, int | float) and 0 <= value < math.inf else None


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    for name, value in _PAIR.findall(text):
        yield name[1:-1], value[1:-1] if value.startswith('"') else _value(value)


def _plain(text: str) -> str:
    """Return a string of JSON as it was before it was written, or as it is where it is none."""
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _bare(version: str) -> str:
    """Return "4.0" for MPI-IO's "(4.0)", and HDF5's "1.10.8 (Parallel)" as it is."""
    return version[1:-1] if version.startswith("(") else version


def _value(text: str | None) -> object:
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            continue
    return text


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
