"""How commands take a workload: a Darshan log, a TOML file, or the nine characteristics as options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from acic.cli.option_types import PathName, Size
from acic.errors import InvalidInput
from acic.workloads import Access, Interface, Operation, Workload

Command = TypeVar("Command", bound=Callable[..., Any])

partial_option = click.option(
    "--partial", is_flag=True, help="Use the modules of a damaged log that are whole, and say what was left out."
)

only_option = click.option(
    "--only",
    type=PathName(),
    callback=lambda _, __, value: None if value is None else str(value),
    metavar="DIRECTORY",
    help="Of a log only files below DIRECTORY, named as the job saw it: what lies elsewhere stays as it is.",
)


class LogArgument(click.Argument):
    """The one log, or workload file, that a command takes."""

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Return its value; refuse what is left of the command line, which is another log as a rule."""
        if args and not ctx.resilient_parsing:
            remedy = "Darshan writes a log for each program that a job runs: ask about one after the other; where it "
            remedy += "wrote one for each process, without MPI, describe them together by a workload file"
            if any("-- COMMAND" in piece for piece in ctx.command.collect_usage_pieces(ctx)):
                remedy += "; a command to run stands behind --"
            raise InvalidInput(f"{args[0]} is given beside {opts.get(self.name or '')}", hint=remedy)
        return super().handle_parse_result(ctx, opts, args)


_OPTIONS = (
    click.option("--processes", type=click.IntRange(min=1), help="Processes of the job."),
    click.option("--io-processes", type=click.IntRange(min=1), help="Those that do I/O.  [default: all]"),
    click.option(
        "--interface",
        type=click.Choice([i.value for i in Interface], case_sensitive=False),
        help="What the code calls.",
    ),
    click.option("--iterations", type=click.IntRange(min=1), help="I/O iterations in the run.  [default: 1]"),
    click.option("--data-size", type=Size(), help="What one I/O process moves per iteration, as 64MiB."),
    click.option("--request-size", type=Size(), help="What one call moves.  [default: the data size]"),
    click.option(
        "--operation", type=click.Choice([o.value for o in Operation], case_sensitive=False), help="The direction."
    ),
    click.option("--collective/--independent", default=None, help="Collective MPI-IO or not.  [default: independent]"),
    click.option("--shared/--file-per-process", default=None, help="One file or one each.  [default: shared]"),
    click.option(
        "--access",
        type=click.Choice([a.value for a in Access], case_sensitive=False),
        help="How requests lie in the file.  [default: consecutive]",
    ),
)


def workload_input(command: Command) -> Command:
    """Give a command the optional argument LOG, what to take of it, and the nine characteristics as options.

    The command takes `log`, `partial`, `only` and, as its other keywords, the characteristics.
    """
    for option in (*reversed(_OPTIONS), only_option, partial_option):
        command = option(command)
    return click.argument("log", cls=LogArgument, required=False, type=PathName())(command)


def read_workload(
    log: Path | None, *, partial: bool = False, only: str | None = None, given: Mapping[str, Any] | None = None
) -> Workload:
    """Return the workload that the user named in one of the three ways; options that are None were not given.

    Raises:
        InvalidInput: none, or more than one of them.
    """
    given = {name: value for name, value in (given or {}).items() if value is not None}
    if only is not None and (log is None or is_workload_file(log)):
        raise InvalidInput("--only chooses among the files of a Darshan log", hint="give a log, or leave --only out")
    if partial and (log is None or is_workload_file(log)):
        raise InvalidInput("--partial is for a damaged Darshan log", hint="give a log, or leave --partial out")
    if log is not None and given:
        raise InvalidInput(
            f"both a log and {_option(next(iter(given)))} are given",
            hint="give a log or the characteristics; `acic characterize LOG --toml` makes a file that you can edit",
        )
    if log is None:
        return _from_options(given)
    if is_workload_file(log):
        from acic.workloads.files import load_workload

        return load_workload(log)
    from acic.workloads.characterize import characterize_file

    return characterize_file(log, partial=partial, only=only or "")


def characteristics(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a workload out of `given`."""
    from acic.workloads.parameters import WORKLOAD_PARAMETERS

    return {p.name: given.pop(p.name) for p in WORKLOAD_PARAMETERS if p.name in given}


def is_workload_file(path: Path) -> bool:
    """Return whether a file that stands for a workload is one in TOML, rather than a log: its name says so."""
    return path.suffix.lower() == ".toml"


def _from_options(given: dict[str, Any]) -> Workload:
    from acic.workloads.files import from_options

    needed = ("processes", "interface", "data_size", "operation")
    if missing := [_option(name) for name in needed if name not in given]:
        raise InvalidInput(
            "no workload is given" if not given else f"the workload lacks {', '.join(missing)}",
            hint=f"give a Darshan log, a workload TOML, or at least {', '.join(map(_option, needed))}",
        )
    if given.get("collective") and not Interface(given["interface"]).on_mpi_io:
        raise InvalidInput(f"{given['interface']} has no collective calls", hint="leave --collective out, or say mpiio")
    return from_options(**given)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
