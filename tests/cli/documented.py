"""The fields of JSON outputs as docs/json.md tells them, held against real outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.cli.commands import command_of

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
OF_ALL = {"acic", "error"}  # which the page tells once


@cache
def sections() -> dict[str, str]:
    """Return the page's text on each command, by its words; one may be on several."""
    found: dict[str, str] = {}
    for section in re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        found |= dict.fromkeys(heading.split(", "), text)
    return found


def documented(command: str) -> set[str]:
    """Return the fields that the page lists of a command."""
    return set(re.findall(r"^\| `([^`]+)` \|", sections()[command], flags=re.MULTILINE))


def check_fields(command: str, *outputs: Any) -> None:
    """Hold both ways: each field of the page is in one of the outputs, and each that is in one is on the page."""
    lacking = documented(command) - {field for one in outputs for field in _fields(one, "")}
    assert not lacking, f"{command} has no {lacking}"
    for one in outputs:
        check_documented(command, one)


def check_documented(command: str, output: Any) -> None:
    """Hold that each field that is there is documented, or what holds it is."""
    known = documented(command) | OF_ALL
    untold = {f for f in _fields(output, "") if not any(f == one or _within(one, f) for one in known)}
    assert not untold, f"{PAGE.name} does not tell {untold} of {command}"


def check_answer(words: Iterable[str], status: int, out: str) -> None:
    """Hold that a command line with --json printed one object, with an error if it failed, and with documented fields.

    What calls for none is let pass.
    """
    own = list(takewhile("--".__ne__, words))
    if "--json" not in own:
        return
    answer = json.loads(out)
    assert ("error" in answer) == (status != 0), answer
    if "error" in answer:
        assert answer["error"]["exit_status"] == status
        check_fields("Errors", {"error": answer["error"]})
    if command := command_of(own):
        check_documented(" ".join(command), answer)


def _within(one: str, other: str) -> bool:
    """Return whether one field holds the other, or lies in it."""
    return any(long.startswith((f"{short}.", f"{short}[")) for short, long in ((one, other), (other, one)))


def _fields(value: Any, path: str) -> Iterator[str]:
    if path:
        yield path
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _fields(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for part in value:
            yield from _fields(part, f"{path}[]")
