"""`acic characterize`: what an application does to storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, printable, say, table
from acic.cli.workload_input import LogArgument, only_option, partial_option, read_workload
from acic.errors import InvalidInput
from acic.units import format_bytes, format_seconds
from acic.workloads import Phase, Quality, Workload

SHOWN = 6  # phases in the table, those that take longest; JSON and TOML have all


@click.command(epilog="Example: acic characterize run.darshan")
@click.argument("log", cls=LogArgument, type=PathName())
@partial_option
@only_option
@click.option("--toml", "as_toml", is_flag=True, help="Print a workload file, to edit and to give to other commands.")
@json_option
def characterize(log: Path, partial: bool, only: str | None, as_toml: bool, as_json: bool) -> None:
    """Show what an application does to storage, from its Darshan log.

    LOG is a Darshan 3 log. A phase is one direction of one interface on a group of files alike; for each
    come the nine characteristics of ACIC. A value marked ~ is estimated, one marked ? is a guess.
    """
    if as_json and as_toml:
        raise InvalidInput("both --json and --toml are given", hint="give the one that you want")
    workload = read_workload(log, partial=partial, only=only)
    if as_json:
        emit_json({"workload": workload})
    elif as_toml:
        from acic.workloads.files import dump_workload

        click.echo(dump_workload(workload), nl=False)
    else:
        show(workload)


def show(workload: Workload) -> None:
    """Print the workload for people."""
    click.echo(printable(_headline(workload)))
    shown, rest = _longest(workload.phases)
    if shown:
        rows = [[name, *(cell(phase) for _, phase in shown)] for name, cell in _ROWS]
        table(["", *(f"phase {number}" for number, _ in shown)], rows, upright=True)
    if rest:
        seconds = [phase.seconds for phase in rest]
        known = f", which take {format_seconds(sum(s or 0.0 for s in seconds))} in all," if None not in seconds else ""
        click.echo(f"{len(rest)} smaller phases{known} are not shown; --json has them.")
    for note in workload.notes:
        say(f"note: {note}")


def _longest(phases: Sequence[Phase]) -> tuple[list[tuple[int, Phase]], list[Phase]]:
    """Return the phases to show with their numbers, and the others: those that take longest, or move most."""
    numbered = list(enumerate(phases, 1))
    if all(phase.seconds is not None for phase in phases):
        numbered.sort(key=lambda pair: -(pair[1].seconds or 0.0))
    return sorted(numbered[:SHOWN], key=lambda pair: pair[0]), [phase for _, phase in numbered[SHOWN:]]


def _headline(workload: Workload) -> str:
    parts = [f"{workload.name}: {workload.processes} process{'es' if workload.processes > 1 else ''}"]
    if workload.run_seconds is not None:
        parts.append(f"ran {format_seconds(workload.run_seconds)}")
    if workload.io_share is not None:
        parts.append(f"{workload.io_share:.1%} of it in I/O")
    if not workload.phases:
        parts.append("no I/O was recorded" if workload.complete else "what could be read of its log has no I/O")
    return ", ".join(parts) + (f" ({workload.source})" if workload.source else "")


def _value(phase: Phase, name: str) -> str:
    value = getattr(phase.characteristics, name)
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    if name in ("data_size", "request_size"):
        text = format_bytes(value)
    return phase.quality.get(name, Quality.EXACT).mark + text


_ROWS: tuple[tuple[str, Callable[[Phase], str]], ...] = (
    ("interface", lambda p: _value(p, "interface")),
    ("operation", lambda p: _value(p, "operation")),
    ("I/O processes", lambda p: _value(p, "io_processes")),
    ("iterations", lambda p: _value(p, "iterations")),
    ("data per process and iteration", lambda p: _value(p, "data_size")),
    ("request", lambda p: _value(p, "request_size")),
    ("collective", lambda p: _value(p, "collective")),
    ("shared file", lambda p: _value(p, "shared")),
    ("access", lambda p: _value(p, "access")),
    ("files", lambda p: str(p.files)),
    ("moved", lambda p: format_bytes(p.bytes)),
    ("time in I/O", lambda p: "not known" if p.seconds is None else format_seconds(p.seconds)),
    ("slowest rank over mean", lambda p: "not known" if p.imbalance is None else f"{p.imbalance:.2f}"),
    ("example file", lambda p: printable(Path(p.example).name)),
)
