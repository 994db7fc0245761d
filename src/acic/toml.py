"""TOML that people write: what its tables may hold, each mistake told with its key and a remedy."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from acic.errors import CONTROL, InvalidInput, UnreadableInput

Made = TypeVar("Made")

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")  # of what files and folders are called by
NAME_HINT = "use up to 60 letters (A-Z, a-z), digits, '.', '_' and '-', and begin with a letter or digit"
_SHOWN = 200  # characters of a text that is refused
_MOST = sys.float_info.max  # whole numbers in TOML have no end


def parsed(text: str, name: str, *, hint: str) -> dict[str, Any]:
    """Return what a TOML file's text holds; `name` and `hint` are for the error.

    Raises:
        UnreadableInput: it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not only its own: of a number, or a list, that has no end
        raise UnreadableInput(f"{name} is not TOML: {error}", hint=hint) from error


def known(content: Mapping[str, object], names: Sequence[str], what: str, *, needed: Iterable[str] = ()) -> None:
    """Check that a table has no keys but `names`, and all that are `needed`; `what` is for the error.

    Raises:
        InvalidInput: it has another, or lacks one.
    """
    for name in content:
        if name not in names:
            raise InvalidInput(f"{what} has no {name!r}", hint=f"{meant(name, names)}it has {', '.join(names)}")
    for name in needed:
        if name not in content:
            raise InvalidInput(f"{what} lacks {name!r}", hint=f"it needs {', '.join(needed)}")


def check_lines(content: Mapping[str, object], *, prose: Iterable[str] = ()) -> None:
    """Check that all keys and texts in a table, and in those within it, are one line without control characters.

    Args:
        content: the table.
        prose: keys of texts for people, which may have several lines.

    Raises:
        InvalidInput: one is not, with its key.
    """
    left: list[tuple[str, object]] = [("", content)]  # a list, as tables within tables have no end
    while left:
        where, held = left.pop()
        if isinstance(held, dict):
            left += ((where, key) for key in held)
            left += ((f"{where}: {key}" if where else key, one) for key, one in held.items())
        elif isinstance(held, list):
            numbered = any(isinstance(one, dict) for one in held)
            left += ((f"{where} {number}" if numbered else where, one) for number, one in enumerate(held, 1))
        elif isinstance(held, str):
            told = held.replace("\n", "").replace("\t", "") if where.rpartition(": ")[2] in prose else held
            if CONTROL.search(told):
                raise InvalidInput(
                    f"{where or 'a key'} has {held[:_SHOWN]!r}",
                    hint="write it on one line, without control characters: it is printed, and commands are made of it",
                )


def meant(name: str, names: Iterable[str]) -> str:
    """Return the beginning of a hint: the one of `names` that a misspelt one is most like; "" if none is."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), 1)
    return f"did you mean {near[0]!r}? " if near else ""


def each(what: str, contents: Iterable[Mapping[str, Any]], make: Callable[[Mapping[str, Any]], Made]) -> list[Made]:
    """Return what is made of each table of a list; an error tells which one it is of.

    Raises:
        InvalidInput: as `make`.
    """
    found = []
    for number, content in enumerate(contents, 1):
        try:
            found.append(make(content))
        except InvalidInput as error:
            raise InvalidInput(f"{what} {number}: {error.problem}", hint=error.hint) from error
    return found


def count(name: str, value: object, *, least: int = 1) -> int:
    """Return a whole number.

    Raises:
        InvalidInput: it is none, or below `least`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
        raise InvalidInput(f"{name} is {value!r}", hint=f"it is a whole number, at least {least}")
    return value


def number(name: str, value: object) -> float | None:
    """Return a number, 0 or more; None for what is not there.

    Raises:
        InvalidInput: it is none.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise InvalidInput(f"{name} is {value!r}", hint="it is a number, at least 0")
    return float(value)


def string(name: str, value: object) -> str:
    """Return a text.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is {value!r}", hint="it is a text, in quotes")
    return value


def label(name: str, value: object) -> str:
    """Return a text that files and folders can be called by.

    Raises:
        InvalidInput: it is none.
    """
    if not NAME.fullmatch(string(name, value)):
        raise InvalidInput(f"{name} is {value!r}", hint=NAME_HINT)
    return str(value)


def strings(name: str, value: object) -> tuple[str, ...]:
    """Return texts.

    Raises:
        InvalidInput: it is no list of them.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidInput(f"{name} is not a list of texts", hint=f'write {name} = ["one", "another"]')
    return tuple(value)


def flag(name: str, value: object) -> bool:
    """Return true or false.

    Raises:
        InvalidInput: it is neither.
    """
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is {value!r}", hint="it is true or false, without quotes")
    return value


def table(name: str, value: object) -> Mapping[str, Any]:
    """Return a table.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} is not a table", hint=f"write [{name}], and its keys below")
    return value


def tables(name: str, value: object) -> list[Mapping[str, Any]]:
    """Return tables.

    Raises:
        InvalidInput: it is no list of them.
    """
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidInput(f"{name} is not a list of tables", hint=f"write [[{name}]] above each, and its keys below")
    return value
