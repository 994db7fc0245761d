"""Details of a phase as files have them: free, but for those that advice and replicas make use of."""

from __future__ import annotations

from collections.abc import Mapping

from acic.errors import InvalidInput
from acic.workloads.workload import Phase

NAMED = ("asked_files", "empty_files", "removed_files", "renames")
"""What is done to names, beside opening files to move something."""

_COUNTED = {
    *("began", "ended", "idle_seconds", "input_writers", "jumps", "names_by", "opens", "pause_seconds", "ranks_apart"),
    *("syncs", "times_over", *NAMED),
}
_ABOVE_ZERO = ("ranks_apart", "times_over")
_PROCESSES = ("input_writers", "names_by")
_FLAGS = {
    *("collective_buffering", "contiguous", "file_views"),
    *("read_while_written", "written_before", "written_by_others"),
}
_LIMITED = _COUNTED | _FLAGS
_VALUES = (str, int, float)  # made once: a union of types is made anew each time
_NO_NUMBERS = (str, bool)
_MOST = 2**63


def details_of(content: object) -> dict[str, str | int | float]:
    """Return the details that a file's table tells.

    Raises:
        InvalidInput: it is no table, or one of its values is of no use.
    """
    if not isinstance(content, dict):
        raise InvalidInput("details is not a table", hint="write details = {opens = 8}")
    for name, value in content.items():
        if problem := _problem(name, value):
            raise InvalidInput(f"{name} in details is {value!r}", hint=problem)
    return dict(content)


def possible(details: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
    """Return the details that a file may have: damaged logs tell of pauses longer than the world is old."""
    return {name: value for name, value in details.items() if name not in _LIMITED or not _problem(name, value)}


def names_by(phase: Phase, more: int, processes: float) -> float:
    """Return how many processes do all that is done to names, if all did as much as the busiest.

    Args:
        phase: whose details tell of some of it.
        more: is done that they do not tell of yet.
        processes: that do this, all as much; the busiest of both are taken to be one.
    """
    told = sum(float(phase.details.get(name, 0)) for name in NAMED)
    if not told:
        return processes
    by = float(phase.details.get("names_by", phase.characteristics.io_processes))
    found = (told + more) / (told / by + more / processes)
    return max(min(by, processes), min(found, max(by, processes)))  # between the two, however it is rounded


def _problem(name: str, value: object) -> str:
    """Return what a value has to be, where it is not."""
    if not isinstance(value, _VALUES):
        return "a detail is a text, a number, true or false"
    if name in _FLAGS and not isinstance(value, bool):
        return "it is true or false"
    if name not in _COUNTED:
        return ""
    number = None if isinstance(value, _NO_NUMBERS) else value
    if name in _PROCESSES:
        return "" if number is not None and 1 <= number <= _MOST else "it is a number of processes, at least 1"
    if number is None or not 0 <= number <= _MOST or (number == 0 and name in _ABOVE_ZERO):  # nan is not between
        return f"it is a number, {'above' if name in _ABOVE_ZERO else 'at least'} 0"
    return ""
