"""What `acic lab` shows: the lab, and what ran in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.lab_output import passing_on
from acic.cli.output import emit_json, say, table
from acic.errors import TransientError
from acic.units import format_bandwidth, format_bytes, format_seconds, format_setting

if TYPE_CHECKING:
    from acic.cluster import Ending, Job
    from acic.lab import Lab, Site


def run_command(
    opened: Lab,
    site: Site,
    command: Sequence[str],
    processes: int,
    outputs: Path,
    seconds: float,
    as_json: bool,
    **how: Any,
) -> None:
    """Run a command on what is deployed, and show what it says: as it comes, or in one with how it ended as JSON.

    `how` are further arguments of `acic.lab.trial.run`.

    Raises:
        AcicError: it failed, with its own exit status where it has one, or its `results` could not be copied, which
            then is the cause of the first.
    """
    from acic.cluster import State
    from acic.lab.results import ResultsStay
    from acic.lab.trial import run

    over: list[Ending] = []
    ran = partial(run, opened, command, processes=processes, folder=outputs, seconds=seconds)
    ran = partial(ran, ended=over.append, **how)
    stay: ResultsStay | None = None
    try:
        if as_json:
            _as_json(ran, over, site)
        else:
            with passing_on() as begin:
                ran(begun=begin)
    except ResultsStay as error:
        stay = error
    (ending,) = over
    if not as_json and ending.seconds is not None:
        say(f"{format_seconds(ending.seconds)} on {told(site.configuration)}")
    if ending.state is not State.DONE:
        failed = TransientError(f"the command failed: {ending.reason}", hint=ending.hint or "what it said stands above")
        failed.exit_status = ending.exit_status or failed.exit_status
        if stay:
            failed.add_note(f"{stay.problem}; {stay.hint}")
        raise failed from stay
    if stay:
        raise stay


def _as_json(ran: Callable[..., tuple[Job, Ending]], over: Sequence[Ending], site: Site) -> None:
    """Let a job run, and print what it said and how it ended (`over`), also where it or what follows is interrupted."""
    from acic.cluster import Ending, State
    from acic.lab.results import ResultsStay

    begun: list[Job] = []
    try:
        ran(begun=begun.append)
    except (KeyboardInterrupt, ResultsStay):
        for job in begun:
            _emit(job, next(iter(over), Ending(state=State.CANCELLED)), site)
        raise
    _emit(begun[0], over[0], site)


def _emit(job: Job, ending: Ending, site: Site) -> None:
    out, err = (path.read_text(errors="replace") if path.exists() else "" for path in (job.stdout, job.stderr))
    result = {"state": ending.state.value, "exit_status": ending.exit_status, "seconds": ending.seconds}
    emit_json({"configuration": dict(site.configuration), **result, "stdout": out, "stderr": err})


def run_benchmark(opened: Lab, site: Site, processes: int, outputs: Path, seconds: float, as_json: bool) -> None:
    """Write and read by acic-bench, and show how fast that was."""
    from acic.lab.trial import bandwidths

    found = list(bandwidths(opened, processes=processes, folder=outputs, seconds=seconds))
    if as_json:
        emit_json({"configuration": dict(site.configuration), "processes": processes, "bandwidths": found})
        return
    patterns = list(dict.fromkeys(one.pattern for one in found))
    rates = {(one.pattern, one.operation): format_bandwidth(one.rate) for one in found}
    rows = [[pattern, rates[pattern, "write"], rates[pattern, "read"]] for pattern in patterns]
    click.echo(told(site.configuration))
    table(["pattern", "write", "read"], rows, right=["write", "read"])


def show(opened: Lab, as_json: bool) -> None:
    """Show nodes, disks, network, and what is deployed."""
    site = opened.site
    nodes = [
        {
            "name": node.name,
            "address": node.address,
            "mounted": node.mounted("/acic/mnt"),
            "disks": opened.room.devices[node.name].table() if node.name in opened.room.devices else None,
        }
        for node in opened.nodes.values()
    ]
    if as_json:
        deployed = None if site is None else dict(site.configuration)
        emit_json({"name": opened.room.names.name, "instance_type": opened.nic, "nodes": nodes, "deployed": deployed})
        return
    rows = [
        [str(node["name"]), str(node["address"]), _disks(opened, str(node["name"])), str(node["mounted"])]
        for node in nodes
    ]
    rate = opened.facts.nics[opened.nic] / 1e6
    share = f"{opened.facts.cpu:g} cores and {format_bytes(opened.facts.memory)} each"
    click.echo(f"{opened.nic}: {rate:g} Mbit/s, {share}")
    table(["node", "address", "disks", "mounted"], rows)
    click.echo("deployed: " + ("nothing" if site is None else told(site.configuration)))


def _disks(opened: Lab, node: str) -> str:
    devices = opened.room.devices.get(node)
    return "" if devices is None else f"{len(devices.loops)} x {devices.profile}, {devices.kind}"


def told(configuration: Mapping[str, Any]) -> str:
    """Return a configuration as a line of text."""
    return ", ".join(f"{name} {format_setting(name, value)}" for name, value in configuration.items())
