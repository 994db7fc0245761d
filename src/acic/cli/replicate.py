"""`acic replicate`: an application's I/O as IOR command lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from acic.cli.output import emit_json, json_option, say
from acic.cli.workload_input import read_workload, workload_input


@click.command(epilog="Example: acic replicate run.darshan > replica.sh")
@json_option
@workload_input
def replicate(log: Path | None, partial: bool, as_json: bool, **given: Any) -> None:
    """Print the IOR command lines that replay an application's I/O.

    LOG is a Darshan log or a workload file (.toml). One line per phase, largest first; comment lines
    say what IOR cannot reproduce.
    """
    from acic.workloads.replica import ior_commands

    workload = read_workload(log, partial=partial, given=given)
    commands = ior_commands(workload)
    if as_json:
        emit_json({"workload": workload.name, "commands": commands})
        return
    if not commands:
        say("note: the log has no phase to replay")
    for command in commands:
        click.echo(str(command))
