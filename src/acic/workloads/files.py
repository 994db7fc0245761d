"""Workload files: a workload as TOML, to be read and written by people, or as a few options."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

from acic.errors import InvalidInput
from acic.toml import count, each, known, number, parsed, string, strings
from acic.units import GIB, KIB, MIB, TIB, parse_bytes, parse_seconds
from acic.whole import text_of
from acic.workloads.details import details_of
from acic.workloads.parameters import characteristics_of, checked
from acic.workloads.workload import Access, Characteristics, Interface, Operation, Phase, Quality, Workload

_SIZES = ("data_size", "request_size")
_CHARACTERISTICS = tuple(field.name for field in fields(Characteristics))
_PHASE = (*_CHARACTERISTICS, "files", "bytes", "seconds", "imbalance", "example", "quality", "details")
_WORKLOAD = ("name", "processes", "run_seconds", "io_share", "source", "notes", "complete", "phases")
_EXAMPLE = """write a workload like this:
  name = "my application"
  processes = 256

  [[phases]]
  interface = "MPIIO"
  operation = "write"
  iterations = 10
  data_size = "16MiB"
  request_size = "4MiB"
  collective = true
  shared = true"""


def load_workload(path: Path | str) -> Workload:
    """Return the workload in the TOML file at `path`.

    Sizes may be text ("4MiB"), and times too ("10min"). What a phase need not tell: `processes` and `io_processes`
    (those of the workload), `request_size` (all of `data_size`), `access`, and everything that only a log knows.

    Raises:
        UnreadableInput: there is no such file, or it is not TOML.
        InvalidInput: a key or a value in it cannot be right.
    """
    text = text_of(
        Path(path),
        otherwise="if it is a Darshan log, give it a name that does not end in .toml; workload files are TOML",
    )
    content = parsed(text, str(path), hint=_EXAMPLE)
    try:
        return _workload(content, Path(path).stem)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.problem}", hint=error.hint) from error


def dump_workload(workload: Workload) -> str:
    """Return the workload as TOML that `load_workload` reads back, equal."""
    lines = [f"name = {_text(workload.name)}", f"processes = {workload.processes}"]
    lines += _optional(run_seconds=workload.run_seconds, io_share=workload.io_share)
    if workload.source:
        lines.append(f"source = {_text(workload.source)}")
    if workload.notes:
        lines += ["notes = [", *(f"  {_text(note)}," for note in workload.notes), "]"]
    if not workload.complete:
        lines.append("complete = false")
    if not workload.phases:
        lines.append("phases = []")
    for phase in workload.phases:
        lines += ["", "[[phases]]", *_phase_lines(phase)]
    return "\n".join(lines) + "\n"


def from_options(
    *,
    processes: int,
    data_size: int,
    operation: Operation | str,
    io_processes: int | None = None,
    interface: Interface | str = Interface.POSIX,
    iterations: int = 1,
    request_size: int | None = None,
    collective: bool = False,
    shared: bool = True,
    access: Access | str = Access.CONSECUTIVE,
    run_seconds: float | None = None,
    io_share: float | None = None,
    name: str = "options",
) -> Workload:
    """Return the workload of one phase that these characteristics describe.

    Args:
        processes: of the application.
        data_size: what one I/O process moves in one iteration, B.
        operation: "read" or "write".
        io_processes: those of the processes that do I/O; all if not given.
        interface: the highest one that the application calls.
        iterations: how often it comes back to do I/O.
        request_size: what one call moves, B; all of `data_size` if not given.
        collective: whether the I/O processes call together.
        shared: whether they use one file.
        access: how the requests of a process lie in the file.
        run_seconds: wall time of the whole job, s.
        io_share: share of it in which the job waits for I/O, 0 to 1; only beside it.
        name: what to call it.

    Raises:
        InvalidInput: a value is not one that the characteristic can have.
    """
    characteristics = characteristics_of(
        {
            "processes": processes,
            "io_processes": processes if io_processes is None else io_processes,
            "interface": interface,
            "iterations": iterations,
            "data_size": data_size,
            "request_size": data_size if request_size is None else request_size,
            "operation": operation,
            "collective": collective,
            "shared": shared,
            "access": access,
        }
    )
    _check_share(io_share, run_seconds)
    phase = Phase(
        characteristics=characteristics,
        quality=dict.fromkeys(_CHARACTERISTICS, Quality.EXACT),
        files=1 if characteristics.shared else characteristics.io_processes,
        bytes=characteristics.total_bytes,
    )
    return Workload(
        name=name,
        processes=characteristics.processes,
        phases=(phase,),
        run_seconds=run_seconds,
        io_share=io_share,
        source="options",
    )


def _workload(content: Mapping[str, object], stem: str) -> Workload:
    known(content, _WORKLOAD, "a workload")
    if "processes" not in content:
        raise InvalidInput("the workload has no processes", hint=_EXAMPLE)
    processes = int(checked("processes", count("processes", content["processes"])))
    phases = content.get("phases", [])
    if not isinstance(phases, list) or not all(isinstance(phase, dict) for phase in phases):
        raise InvalidInput("phases is not a list of tables", hint=_EXAMPLE)
    complete = content.get("complete", True)
    if not isinstance(complete, bool):
        raise InvalidInput(f"complete is {complete!r}", hint="write complete = false where some of the I/O is not told")
    run_seconds = _seconds("run_seconds", content.get("run_seconds"))
    io_share = number("io_share", content.get("io_share"))
    _check_share(io_share, run_seconds)
    return Workload(
        name=string("name", content.get("name", stem)),
        processes=processes,
        phases=tuple(each("phase", phases, lambda phase: _phase(phase, processes, run_seconds))),
        run_seconds=run_seconds,
        io_share=io_share,
        source=string("source", content.get("source", "TOML")),
        notes=strings("notes", content.get("notes", [])),
        complete=complete,
    )


def _phase(content: Mapping[str, object], processes: int, run: float | None) -> Phase:
    known(content, _PHASE, "a phase")
    given = {name: content[name] for name in _CHARACTERISTICS if name in content}
    given.setdefault("processes", processes)
    given.setdefault("io_processes", given["processes"])
    if "data_size" in given:
        given.setdefault("request_size", given["data_size"])
    for name in _SIZES:
        if isinstance(size := given.get(name), str):
            given[name] = parse_bytes(size)
    characteristics = characteristics_of({name: checked(name, value) for name, value in given.items()})
    if characteristics.processes > processes:
        raise InvalidInput(
            f"processes ({characteristics.processes}) exceeds the workload's ({processes})",
            hint="a phase has at most the processes of the workload; leave its own out",
        )
    seconds, imbalance = _seconds("seconds", content.get("seconds")), number("imbalance", content.get("imbalance"))
    if seconds is not None and run is not None and seconds > run:
        raise InvalidInput(
            f"seconds ({seconds} s) exceeds run_seconds ({run} s)",
            hint="it is the job's wall time in this phase, not that of all processes: correct either, or leave one out",
        )
    if imbalance is not None and imbalance < 1:
        raise InvalidInput(
            f"imbalance is {imbalance}",
            hint="it is the slowest rank's I/O time over the mean rank's, at least 1; leave it out if it is not known",
        )
    details = details_of(content.get("details", {}))
    if (by := details.get("names_by")) is not None and float(by) > processes:
        raise InvalidInput(
            f"names_by in details is {by}", hint=f"it is a number of processes, at most the workload's ({processes})"
        )
    moved = content.get("bytes", characteristics.total_bytes)
    return Phase(
        characteristics=characteristics,
        quality=_quality(content.get("quality", {})),
        files=count("files", content.get("files", 1 if characteristics.shared else characteristics.io_processes)),
        bytes=parse_bytes(moved) if isinstance(moved, str) else count("bytes", moved, least=0),
        seconds=seconds,
        imbalance=imbalance,
        example=string("example", content.get("example", "")),
        details=details,
    )


def _quality(content: object) -> dict[str, Quality]:
    if not isinstance(content, dict):
        raise InvalidInput("quality is not a table", hint='write quality = {iterations = "estimated"}')
    known(content, _CHARACTERISTICS, "quality")
    try:
        return {name: Quality(value) for name, value in content.items()}
    except ValueError as error:
        raise InvalidInput(f"quality: {error}", hint=f"it is one of {', '.join(Quality)}") from None


def _seconds(name: str, value: object) -> float | None:
    return parse_seconds(value) if isinstance(value, str) else number(name, value)


def _check_share(share: float | None, run_seconds: float | None) -> None:
    if share is None:
        return
    if not 0 <= share <= 1:
        raise InvalidInput(f"io_share is {share}", hint="it is the share of the run in which the job waits, 0 to 1")
    if run_seconds is None:
        raise InvalidInput(
            "io_share is a share of run_seconds, which is not told",
            hint="tell run_seconds too, or leave io_share out; each phase's seconds need neither",
        )


def _phase_lines(phase: Phase) -> list[str]:
    write: dict[type, Callable[..., str]] = {bool: lambda flag: str(flag).lower(), int: str}
    lines = []
    for name in _CHARACTERISTICS:
        value = getattr(phase.characteristics, name)
        text = _size(value) if name in _SIZES else write.get(type(value), _text)(value)
        lines.append(f"{name} = {text}")
    lines += [f"files = {phase.files}", f"bytes = {phase.bytes}"]
    lines += _optional(seconds=phase.seconds, imbalance=phase.imbalance)
    if phase.example:
        lines.append(f"example = {_text(phase.example)}")
    if phase.quality:
        lines.append(_table("quality", phase.quality))
    if phase.details:
        lines.append(_table("details", phase.details))
    return lines


def _optional(**values: float | None) -> list[str]:
    return [f"{name} = {value!r}" for name, value in values.items() if value is not None]


def _table(name: str, content: Mapping[str, str | int | float]) -> str:
    pairs = (f"{_key(key)} = {_value(value)}" for key, value in content.items())
    return f"{name} = {{ {', '.join(pairs)} }}"


def _value(value: str | int | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _text(value) if isinstance(value, str) else repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _size(size: int) -> str:
    """Return the size in the largest unit that divides it, which `parse_bytes` reads back exactly."""
    for unit, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size % factor == 0:
            return f'"{size // factor}{unit}"'
    return str(size)


def _text(text: str) -> str:
    # JSON's strings are TOML's, but for DEL, and for halves of surrogate pairs, which no UTF-8 file can hold
    whole = str(text).encode("utf-8", "replace").decode("utf-8")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
