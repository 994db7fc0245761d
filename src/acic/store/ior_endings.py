"""How a run of IOR ended: what its output and the files beside it tell of errors, and of data that were not right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acic.errors import printable
from acic.store.ior_files import beside
from acic.store.ior_output import IorOutput
from acic.workloads import Operation

_LONGEST = 300  # characters of a reason; MPI's begin with the call and end with the cause
_ERROR = re.compile(
    r"^(?:ior )?error:? .*(?:(?<=error stack:)\n.*)?|^Abort\(-?\d+\).*|^.*Assertion .* failed.*|^.*BAD TERMINATION.*",
    re.IGNORECASE | re.MULTILINE,
)
_IGNORED = re.compile(r"^ERROR: ld\.so: .*: ignored\.$", re.MULTILINE)  # LD_PRELOAD of what a node has not
_CAUSE = re.compile(r"^WARNING: (.*failed.*)$|^(.* error while loading shared libraries: .*)$", re.MULTILINE)
_CORRUPT = re.compile(r"incorrect data on (write|read)|FAILED comparison of buffer", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a test ended: `error` is "" if nothing went wrong."""

    error: str
    corrupt: frozenset[Operation]


def begins_with_error(text: str) -> bool:
    """Return whether an output begins with an error, as one that IOR wrote before anything else."""
    return _ERROR.match(text) is not None


def first_error(text: str) -> int | None:
    """Return where a text tells of an error first; None where it tells of none."""
    found = (match.start() for match in _ERROR.finditer(text) if not _IGNORED.match(match.group()))
    return next(found, None)


def endings_of(path: Path, text: str, output: IorOutput, *, last: bool) -> list[Ending]:
    """Return how each test of a run ended: an error ends IOR, and belongs to the test in whose part of the text it is.

    What stands beside the file is of its `last` run, and of that run's last test.
    """
    places = [0, *[test.begins for test in output.tests[1:]], len(text)]
    ends = [end if test.ends is None else test.ends for test, end in zip(output.tests, places[1:], strict=True)]
    parts = [text[begin:end] for begin, end in zip(places, ends, strict=False)]
    endings = [_ending(part, None, finished=True) for part in parts[:-1]]
    out, err = [beside(path, suffix) for suffix in (".out", ".err")] if last else ("", "")
    said = _IGNORED.sub("", "\n".join([parts[-1], out, err]))
    status, empty = _status(path) if last else None, not text.strip()
    lines = err.strip().splitlines()
    ending = _ending(said, status, finished=output.finished, empty=empty, told=output.error, lines=lines)
    return [*endings, ending]


def _ending(
    said: str,
    status: int | None,
    *,
    finished: bool | None,
    empty: bool = False,
    told: str = "",
    lines: Sequence[str] = (),
) -> Ending:
    """Return how a test ended; where nothing else tells why, the last of `lines` (of standard error) does."""
    corrupt: set[Operation] = set()
    for match in _CORRUPT.finditer(said):
        corrupt |= {Operation(match.group(1).lower())} if match.group(1) else set(Operation)
    error = ""
    if status not in (0, None) or told or _ERROR.search(said):
        error = _reason(said) or _short(told) or _short(": ".join([f"exit status {status}", *lines[-1:]]))
    elif empty:
        error = "the output is empty"
    elif finished is False:
        error = "the output ends early"
    return Ending(error, frozenset(corrupt))


def _reason(said: str) -> str:
    """Return the line that tells best why the run failed, on one line that any store can hold."""
    errors = [m.group() for m in _ERROR.finditer(said)]
    plain = next((line for line in errors if line.lower().startswith(("error", "ior error"))), "")
    cause = _CAUSE.search(said)
    line = plain or (cause[cause.lastindex or 0] if cause else "") or next(iter(errors), "")
    return _short(line)


def _short(reason: str) -> str:
    text = printable(" ".join(reason.split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def _status(path: Path) -> int | None:
    text = beside(path, ".rc").strip()
    try:
        return int(text)
    except ValueError:
        return None
