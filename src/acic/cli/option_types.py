"""Types of options and arguments, with one error and a remedy for what is none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from acic.errors import InvalidInput
from acic.units import format_bytes, parse_bytes, parse_seconds


class Size(click.ParamType[int]):
    """A size with a unit: 4MiB, 4MB, 4m (IOR's, 4 MiB).

    Args:
        least: B that it has to have.
    """

    name = "size"

    def __init__(self, least: int = 0) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return bytes."""
        if isinstance(value, int):
            return value
        try:
            size = parse_bytes(value)
        except InvalidInput as error:
            self.fail(f"{error.problem}; {error.hint}", param, ctx)
        if size < self._least:
            self.fail(f"{value} is too little; give {format_bytes(self._least)} or more", param, ctx)
        return size


class Duration(click.ParamType[float]):
    """A time with its unit, more than nothing: 90s, 10min."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        if isinstance(value, float):
            return value
        try:
            seconds = parse_seconds(value)
        except InvalidInput as error:
            self.fail(f"{error.problem}; {error.hint}", param, ctx)
        if not 0 < seconds < math.inf:
            self.fail(f"{value} is no time to end after; give more than nothing, as 60s", param, ctx)
        return seconds


class PathName(click.Path):
    """The name of a file or folder.

    An empty one, as of a variable that is not set, would be the folder one is in. `-` is no name, but elsewhere
    standard input or output; results go there anyway, and files are read and written whole.
    """

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return its path."""
        if value == "":
            self.fail("the name is empty; is a variable not set?", param, ctx)
        if value == "-":
            self.fail("- would be a stream; name a file (./- if that is its name)", param, ctx)
        return super().convert(value, param, ctx)


class Text(click.ParamType[str]):
    """Text that a database can hold: what was typed in another encoding than UTF-8 is none."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("it is not valid text; write it in UTF-8", param, ctx)
        return text


class Share(click.FloatRange):
    """A part of a whole, 0 to 1; what is no number is none."""

    def __init__(self, *, min_open: bool = False) -> None:
        super().__init__(0, 1, min_open=min_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the part."""
        share: float = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is no part of a whole; give 0 to 1", param, ctx)
        return share
