"""`acic lab`: a virtual cluster on this machine, with real file systems."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.lab_deployed import PLATFORM, deployed, wanted_of
from acic.cli.lab_opened import opened_lab
from acic.cli.lab_shown import run_benchmark, run_command, show
from acic.cli.option_types import Duration, PathName, Text
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.unused_options import refuse_typed
from acic.errors import AcicError, InvalidInput, with_sudo

if TYPE_CHECKING:
    from acic.lab import LabFacts
    from acic.platforms import Platform

_STATE = Path("/run/acic-lab")

state_option = click.option(
    "--state",
    type=PathName(file_okay=False),
    default=_STATE,
    show_default=True,
    help="Folder for the lab's record.",
)


@click.group(epilog="Example: sudo acic lab up && sudo acic lab run --fs gluster --servers 4")
def lab() -> None:
    """Make a virtual cluster on this machine, and run jobs on real file systems in it.

    Nodes are Linux namespaces with a share of the processor and memory each, links and disks are as slow as the
    platform `lab` says. All of it needs root, and `acic lab down` leaves nothing behind.
    """


@lab.command(epilog="Example: sudo acic lab up --instance-type lab.1g")
@click.option("--platform", "platform_name", default="lab", show_default=True, help="A lab's name or file.")
@click.option("--instance-type", help="Type of all nodes: the network they have.  [default: the platform's]")
@click.option("--name", default="acic", show_default=True, help="Up to 6 letters: several labs can be up at once.")
@click.option("--network", default="", help="Network of the nodes, 10.N.0.0/24.  [default: the platform's]")
@state_option
@json_option
def up(platform_name: str, instance_type: str | None, name: str, network: str, state: Path, as_json: bool) -> None:
    """Make the nodes, their network and their shares; what a killed command left is removed first.

    The command returns, the lab stays.
    """
    from acic.cluster.lab import Names, check_machine, doubts
    from acic.lab import Lab, LabFacts
    from acic.platforms import is_platform_file, load_platform

    _need_root()
    platform = load_platform(platform_name)
    facts = LabFacts.of(platform.lab)
    _need_healthy()
    check_machine(facts, most_devices(platform), Names(name).images.parent)
    nic = instance_type or platform.default_instance or next(iter(facts.nics))
    made = Lab.up(facts, nic=nic, state=state, name=name, network=network)
    source = str(Path(platform_name).absolute()) if is_platform_file(platform_name) else platform_name
    made.room.remember(PLATFORM, source)
    show(made, as_json)
    made.close()
    for doubt in doubts(facts):
        say(f"note: {doubt}")
    say(f"next: {with_sudo('lab', 'run', '--fs', 'gluster', '--servers', str(most_servers(platform, facts)))}")


def most_servers(platform: Platform, facts: LabFacts) -> int:
    """Return the most servers that the platform varies and the lab has nodes for, dedicated or not."""
    varied = [int(one) for one in platform.space["servers"].values] if "servers" in platform.space.names else []
    return max((one for one in varied if one <= facts.server_nodes), default=1)


def most_devices(platform: Platform) -> int:
    """Return the most disks of a server that the platform varies; 1 where it varies none."""
    name = platform.roles.devices
    return max((one for one in platform.space[name].values if isinstance(one, int)), default=1) if name else 1


@lab.command(epilog="Example: sudo acic lab status --json")
@state_option
@json_option
def status(state: Path, as_json: bool) -> None:
    """Show nodes, network, disks, and what is deployed."""
    from acic.lab import Lab

    _need_root()
    show(Lab.open(state, control=False), as_json)


@lab.command(
    epilog="Example: sudo acic lab run --fs gluster --servers 4 --device ephemeral\n\n"
    "Example: sudo acic lab run --processes 4 -- ./app --output {directory}",
)
@click.option("--fs", "file_system", help="nfs, gluster, ceph or orangefs.")
@click.option("--servers", type=click.IntRange(1), help="I/O servers.")
@click.option("--placement", help="dedicated or part-time: on nodes of their own, or on compute nodes.")
@click.option("--device", help="Disks: ephemeral or EBS.")
@click.option("--raid-devices", type=click.IntRange(1, 8), help="Disks of each server, in RAID-0.")
@click.option("--stripe-size", help="Bytes of a file on each server, as 64KiB; a multiple of it goes around.")
@click.option("--consistency", help="relaxed or strict.")
@click.option("--metadata", help="one or all: servers with metadata.")
@click.option("--instance-type", help="Type of all nodes: the network they have.")
@click.option("--processes", type=click.IntRange(0), default=8, show_default=True, help="MPI processes; 0: no MPI.")
@click.option("--time-limit", type=Duration(), default="10min", show_default=True, help="After which a run is ended.")
@click.option(
    "--results",
    type=PathName(file_okay=False),
    help="Copy what COMMAND leaves in {directory} to this folder, a new or empty one.",
)
@click.option(
    "--prepare",
    type=Text(),
    metavar="COMMAND",
    help="A shell's command that runs before, on the first node: it makes the input, in {directory}.",
)
@click.option("--fresh/--no-fresh", default=True, show_default=True, help="Empty all caches before COMMAND starts.")
@click.option("--keep/--no-keep", default=True, show_default=True, help="Leave the file system up for the next run.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@state_option
@json_option
def run(
    command: tuple[str, ...],
    processes: int,
    time_limit: float,
    results: Path | None,
    prepare: str | None,
    fresh: bool,
    keep: bool,
    state: Path,
    as_json: bool,
    **asked: Any,
) -> None:
    """Deploy a file system on disks and servers, and run a command on all compute nodes by MPI.

    COMMAND stands after `--`, and {directory} in it is where its files are to go. They are removed when it has ended:
    let it copy what is to last, since the machine's folders are there at the same paths, or have --results copy all of
    it. Its standard input is empty.
    Without a command, acic-bench writes and reads. What is not asked for is as in the platform's baseline; if nothing
    is asked for, what is deployed stays.
    """
    from acic.lab.directories import reclaim
    from acic.lab.results import check_results

    _need_root()
    if not command:
        refuse_typed("for acic-bench, which runs where no command is given", {"results", "prepare", "fresh"})
    if not command and processes == 0:
        raise InvalidInput(
            "acic-bench, which runs where no command is given, is run by MPI",
            hint="leave --processes out, or give a command",
        )
    if results is not None:
        check_results(results, command)
    with opened_lab(state, keep=keep) as opened:
        wanted = wanted_of(opened, {name: value for name, value in asked.items() if value is not None})
        reclaim(opened)  # which may take down what is deployed
        site = deployed(opened, wanted)
        with tempfile.TemporaryDirectory(dir=opened.room.names.images) as outputs:
            if command:
                how = {"prepare": prepare or "", "fresh": fresh, "results": results}
                run_command(opened, site, command, processes, Path(outputs), time_limit, as_json, **how)
            else:
                run_benchmark(opened, site, processes, Path(outputs), time_limit, as_json)


@lab.command(epilog="Example: sudo acic lab shell c0")
@click.argument("node")
@state_option
@json_option
def shell(node: str, state: Path, as_json: bool) -> None:
    """Open a shell in a node: c0, s0, archive and so on. With --json, print what would."""
    from acic.lab import Lab

    _need_root()
    entering = Lab.open(state, control=False).room.node(node).enter([os.environ.get("SHELL", "/bin/sh")])
    if as_json:
        emit_json({"node": node, "command": entering})
        return
    done = subprocess.run(entering, check=False, env=os.environ | {"PS1": f"{node}# "})  # noqa: S603  # a list
    raise click.exceptions.Exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)  # as shells have it


@lab.command(epilog="Example: sudo acic lab down")
@click.option("--name", default="", help="Of the lab, where its record is lost.  [default: what the record says]")
@state_option
@json_option
def down(name: str, state: Path, as_json: bool) -> None:
    """Remove everything of the lab, also what a killed command left; safe at any time."""
    from acic.lab import clean_up

    _need_root()
    clean_up(state, name=name)
    if as_json:
        emit_json({"down": True})
    else:
        say("the lab is down")


@lab.command(epilog="Example: acic lab doctor")
@click.option("--all", "everything", is_flag=True, help="Show what is there, too.")
@json_option
def doctor(everything: bool, as_json: bool) -> None:
    """Say what this machine lacks for a lab, and the command that brings it; nothing is changed.

    The exit status is 1 if something is missing that no lab can do without.
    """
    from acic.cluster.lab.doctor import Finding, cautions, command, findings
    from acic.lab.bridge import PACKAGES, lacking

    found = [*findings(_programs()), *cautions()]
    problem = lacking()
    found.append(Finding(what="headers (NFS)", well=not problem, problem=problem, package=PACKAGES, optional=True))
    needed = [finding for finding in found if not finding.well and not finding.optional]
    if as_json:
        emit_json({"well": not needed, "command": command(found), "findings": found})
    else:
        shown = [finding for finding in found if everything or not finding.well]
        rows = [
            [finding.what, "yes" if finding.well else _lacking(finding.optional), finding.hint] for finding in shown
        ]
        if rows:
            table(["what", "there", "hint"], rows)
        if packages := command(found):
            click.echo(packages)
        if not needed:
            click.echo("this machine can have a lab")
    if needed:
        raise MissingPart(needed[0].problem, hint=command(found) or needed[0].hint)


@lab.command(epilog="Example: sudo acic lab audit")
@state_option
@json_option
def audit(state: Path, as_json: bool) -> None:
    """Check that everything is as slow, as small and as deployed as it says; the exit status is 1 if not."""
    from acic.lab import Lab

    _need_root()
    opened = Lab.open(state, control=False)
    troubles = opened.audit()
    if as_json:
        emit_json({"honest": not troubles, "troubles": troubles})
    else:
        for trouble in troubles:
            click.echo(trouble)
    if troubles:
        raise MissingPart(
            f"{len(troubles)} things in the lab are not what they should be",
            hint="acic lab down, then up: a new one is",
        )
    if not as_json:
        click.echo("all is as it should be")


class MissingPart(AcicError):
    """Something that the lab needs is missing, or not as it should be."""


def _need_root() -> None:
    if os.geteuid() != 0:
        raise InvalidInput("the lab needs root: it makes namespaces, links and disks", hint=with_sudo(*sys.argv[1:]))


def _need_healthy() -> None:
    from acic.cluster.lab.doctor import command, findings

    missing = [finding for finding in findings() if not finding.well]
    if missing:
        raise InvalidInput(
            f"this machine cannot have a lab: {'; '.join(finding.problem for finding in missing)}",
            hint=command(missing) or missing[0].hint,
        )


def _programs() -> dict[str, list[tuple[str, str]]]:
    """Return what file systems need: programs, and packages that bring them, as far as they go together."""
    from acic.filesystems.registry import FILE_SYSTEMS

    found = {}
    for name, file_system in FILE_SYSTEMS.items():
        packages = " ".join(file_system.packages)
        found[name] = [(program, packages) for program in file_system.programs]
    return found


def _lacking(optional: bool) -> str:
    return "no, and can do without" if optional else "no"
