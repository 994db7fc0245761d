"""The fields of JSON outputs as docs/json.md tells them, held against real outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


def documented(command: str) -> set[str]:
    """Return the fields that the page lists of a command."""
    section = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    (mine,) = (one for one in section if one.startswith(f"{command}\n"))
    return set(re.findall(r"^\| `([^`]+)` \|", mine, flags=re.MULTILINE))


def check_fields(command: str, output: Any) -> None:
    """Hold both ways: each documented field is there, and each that is there is documented, or what holds it is."""
    fields, known = set(_fields(output, "")), documented(command)
    assert known <= fields
    assert {field for field in fields if not any(field == one or _within(one, field) for one in known)} == set()


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
