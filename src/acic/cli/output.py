"""How commands speak: results on stdout, everything else on stderr."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

import click

import acic
from acic.errors import CONTROL

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, in base units (B, s, USD)."
)

_ANY_WIDTH = 1_000_000  # letters: more than any table needs
_LEAST_WIDTH = 12  # letters of a cell in a line, before a terminal is left to break lines itself


def say(message: str) -> None:
    """Print a message for the person, not a result; lines behind its first are indented.

    So the name of a file, which may have several, cannot look like a message of its own.
    """
    click.echo(_printable_lines(message).replace("\n", "\n  "), err=True)


def printable(text: str) -> str:
    """Return `text` with its control characters written out: a terminal obeys them, whoever wrote them."""
    return CONTROL.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


@dataclass(slots=True)
class Answer:
    """What a command line with --json prints in the end: one object, whatever became of it.

    Args:
        asked: whether it has --json.
        result: what was found, as JSON's own types; None where it came to nothing.
        begun: whether printing has begun; a second try would stand behind what the first one wrote.
    """

    asked: bool
    result: Mapping[str, Any] | None = None
    begun: bool = False

    def tell(self, error: Mapping[str, Any] | None = None) -> None:
        """Print the result, and the error where there is one, if that was asked for and there is anything to tell.

        Raises:
            OSError: nobody takes it, or not all of it.
        """
        if not self.asked or self.begun or (self.result is None and error is None):
            return
        self.begun = True
        told = {"acic": acic.__version__, **(self.result or {}), **({} if error is None else {"error": plain(error)})}
        click.echo(json.dumps(told, indent=2, allow_nan=False))


def emit_json(result: Mapping[str, Any]) -> None:
    """Have a result printed as one JSON object, when the command has ended: an error may yet come to it.

    Non-finite numbers become null, because JSON has none. Outside of a command it is printed at once.
    """
    context = click.get_current_context(silent=True)
    answer = context.find_object(Answer) if context else None
    if answer is None:
        Answer(asked=True, result=plain(result)).tell()
    else:
        answer.asked, answer.result = True, plain(result)


def plain(value: Any) -> Any:
    """Return `value` as JSON's own types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        if {"value", "low", "high"} <= fields.keys() and fields["low"] == 0.0 < fields["value"]:
            fields["low"] = None  # times, seconds and USD are above 0: an end at 0 is one that nothing tells
        return plain(fields)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, str | PurePath):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, set | frozenset):  # in one order, whatever the run
        return plain(sorted(value, key=str))
    if isinstance(value, Iterable):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value if abs(value) != float("inf") and value == value else None
    return plain(value.item()) if hasattr(value, "item") else value  # a number of numpy's


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Iterable[str] = (),
    upright: bool = False,
) -> None:
    """Print a table, as wide as it needs to be; where a terminal is too narrow for it, a block of lines for each row.

    Args:
        columns: their names.
        rows: a cell for each column.
        title: a line above the table.
        right: names of columns of numbers.
        upright: a block is for each column behind the first, which names what the rows are.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[_printable_lines(cell) for cell in row] for row in rows]
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in set(right) else "left")
    for row in cells:
        made.add_row(*row)
    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    if title:
        console.print(printable(title), style="table.title", soft_wrap=True)
    width = console.measure(made, options=console.options.update(max_width=_ANY_WIDTH)).maximum
    if not sys.stdout.isatty():
        console.width = width
        with console.capture() as drawn:
            console.print(made)
        click.echo("\n".join(line.rstrip() for line in drawn.get().splitlines()))
    elif width <= console.width:
        console.print(made)
    else:
        names, *blocks = zip(columns, *cells, strict=True) if upright else (columns, *cells)
        click.echo("\n" + "\n\n".join(_block(names, block, console.width) for block in blocks) + "\n")


def _block(names: Sequence[str], cells: Sequence[str], width: int) -> str:
    """Return a row as lines of its columns' names and its cells; one without a name is the heading."""
    headings = [cell for name, cell in zip(names, cells, strict=True) if not name]
    indent = "  " if headings else ""
    at = len(indent) + max(map(len, names)) + 2
    lines = [
        textwrap.fill(
            cell,
            max(width, at + _LEAST_WIDTH),
            initial_indent=f"{indent}{name}: ".ljust(at),
            subsequent_indent=" " * at,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for name, cell in zip(names, cells, strict=True)
        if name and cell
    ]
    return "\n".join([*headings, *lines])


@contextmanager
def progress(label: str, *, total: int | None = None, unit: str = "") -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left on stderr while the block runs; the block calls it with what is done."""
    if not sys.stderr.isatty():
        yield lambda done: None  # noqa: ARG005 (nothing is shown)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def late_progress(label: str, *, unit: str = "") -> Iterator[Callable[[int, int], None]]:
    """Show a bar as `progress` does, but from the first call on, which tells what is done and of how much."""
    shown: list[Callable[[int], None]] = []
    with ExitStack() as stack:

        def show(done: int, total: int) -> None:
            if not shown:
                shown.append(stack.enter_context(progress(label, total=total, unit=unit)))
            shown[0](done)

        yield show
