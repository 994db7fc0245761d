"""`acic replicate`: an application's I/O as IOR command lines."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, printable, say
from acic.cli.workload_input import is_workload_file, read_workload, workload_input
from acic.errors import AcicError, InvalidInput
from acic.whole import refuse_to_replace

if TYPE_CHECKING:
    from acic.workloads.replay import Replay

EXAMPLES = """Example: acic replicate run.darshan > replica.sh

Example: acic replicate run.darshan --replay run.trace"""


@click.command(epilog=EXAMPLES)
@json_option
@click.option(
    "--replay",
    type=PathName(dir_okay=False),
    metavar="FILE",
    help="Write every single read and write to FILE, for `acic-bench replay`; the log needs DXT.",
)
@workload_input
def replicate(
    log: Path | None, replay: Path | None, partial: bool, only: str | None, as_json: bool, **given: Any
) -> None:
    """Print the IOR command lines that replay an application's I/O.

    LOG is a Darshan log or a workload file (.toml). One line per phase, largest first; comment lines
    say what IOR cannot reproduce.

    With --replay, the application's own requests are written to a file, in their order and with their
    times, and the command line that makes them again is printed; acic-bench is built where it is not there yet.
    """
    from acic.workloads.replay import save_replay
    from acic.workloads.replica import ior_commands

    if replay is not None:
        refuse_to_replace(replay, log)
        made = save_replay(_traced(log, given), replay, partial=partial, only=only or "")
        _show_replay(made, replay, as_json)
        return
    workload = read_workload(log, partial=partial, only=only, given=given)
    commands = ior_commands(workload)
    if as_json:
        emit_json({"workload": workload.name, "notes": workload.notes, "commands": commands})
        return
    for note in workload.notes:
        say(f"note: {note}")
    if not commands:
        say("note: the log has no phase to replay")
    for command in commands:
        click.echo(str(command))


def _traced(log: Path | None, given: Mapping[str, Any]) -> Path:
    """Return the log, which alone tells of single requests."""
    if log is None or is_workload_file(log) or any(value is not None for value in given.values()):
        raise InvalidInput(
            "--replay needs a Darshan log, and nothing beside it",
            hint="a workload file or characteristics do not tell single requests; leave out --replay for IOR commands",
        )
    return log


def _command(made: Replay, trace: Path) -> list[str]:
    """Return what replays a trace, by paths, as no PATH may have these programs; by names where one is missing."""
    from acic.benchmarks import ACIC_BENCH, find_benchmark
    from acic.cluster.launcher import find_launcher

    replay = ("replay", str(trace))
    try:
        found = find_benchmark(ACIC_BENCH, announce=say)
        return find_launcher(found.mpiexec).by_hand([str(found.program), *replay], made.ranks)
    except AcicError as error:  # the trace is made, and may be run elsewhere
        say(f"note: {error.problem}; {error.hint}")
        return ["mpiexec", "-n", str(made.ranks), ACIC_BENCH, *replay]


def _show_replay(made: Replay, trace: Path, as_json: bool) -> None:
    command = _command(made, trace)
    if as_json:
        facts = {name: getattr(made, name) for name in ("ranks", "bytes_read", "bytes_written", "files", "differences")}
        emit_json({"trace": str(trace), "command": command, **facts})
        return
    for difference in made.differences:
        click.echo(f"# {printable(difference)}")  # names of files may have line breaks, which end a comment
    click.echo(shlex.join(command))
