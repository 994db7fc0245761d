"""Options of the commands that make runs, and what is told of how these ended."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acic.cli.option_types import Duration, PathName, Text
from acic.cli.output import say
from acic.cli.unused_options import refuse_typed
from acic.errors import AcicError, InvalidInput
from acic.paths import resolved

if TYPE_CHECKING:
    from acic.campaign.budget import Budget
    from acic.campaign.request import Where
    from acic.campaign.session import Session
    from acic.campaign.state import State
    from acic.platforms import Platform

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--runner",
        default="local",
        show_default=True,
        metavar="NAME",
        help="Where runs are made: local, ssh, or a batch scheduler: slurm, pbs, lsf, cobalt.",
    ),
    click.option("--host", "hosts", multiple=True, metavar="NAME[:SLOTS]", help="A machine, for --runner ssh; repeat."),
    click.option(
        "--nodes", type=click.IntRange(1), help="Machines of each run.  [default: 1; with --runner ssh, all of --host]"
    ),
    click.option("--queue", default="", help="The scheduler's queue or partition."),
    click.option("--account", default="", help="The scheduler's account or project."),
    click.option(
        "--attribute",
        "attributes",
        multiple=True,
        metavar="NAME=VALUE",
        help="Passed to the scheduler as it is; repeat.",
    ),
    click.option(
        "--directory",
        type=PathName(file_okay=False),
        help="Where runs write, if the platform has no choice of storage.  [default: the platform's, or here]",
    ),
    click.option("--benchmark", metavar="NAME", help="ior, acic-bench, or a path.  [default: ior if found]"),
    click.option(
        "--time-limit",
        type=Duration(),
        help="After which a job of a run is ended, as 10min.  "
        "[default: far above what is expected; of a command of your own a day]",
    ),
)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


contributor_option = click.option(
    "--contributor",
    type=Text(),
    default=_login,
    envvar="ACIC_CONTRIBUTOR",
    help="Who measures; also $ACIC_CONTRIBUTOR.  [default: your login name]",
)


def measuring_options(command: Command) -> Command:
    """Give a command the options that say how runs are made."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_placing(platform: Platform, given: dict[str, Any]) -> None:
    """Refuse options of where runs are made that were typed, where the platform's configurations say that.

    Raises:
        InvalidInput: one was typed.
    """
    from acic.filesystems import LAB

    if LAB in platform.apply:
        placing = {"runner", "hosts", "nodes", "queue", "account", "attributes", "directory"}
        refuse_typed(f"on {platform.name}, whose runs are made in the lab", placing)
    if given["directory"] and platform.roles.storage:
        raise InvalidInput(
            f"--directory does nothing on {platform.name}: its configurations choose the storage",
            hint="leave it out; acic platform detect --storage DIR describes this machine with the places you choose",
        )


def where_of(given: dict[str, Any], platform: Platform) -> Where:
    """Return how runs are to be made on `platform`; takes its options out of `given`.

    Raises:
        AcicError: options that do not go together, or a scheduler that is not known.
    """
    from acic.campaign.request import LOCAL, SSH, Where
    from acic.campaign.runners import batch_runner

    names = ("runner", "hosts", "nodes", "queue", "account", "attributes", "directory", "benchmark")
    mine = {name: given.pop(name) for name in names}
    if (mine["runner"] == SSH) != bool(mine["hosts"]):
        raise InvalidInput("--host and --runner ssh go together", hint="--runner ssh --host node1:16 --host node2:16")
    mine["nodes"] = mine["nodes"] or max(1, len(mine["hosts"]))
    if mine["runner"] == LOCAL and mine["nodes"] > 1:
        raise InvalidInput("--runner local has one machine", hint="choose --runner ssh, or a scheduler")
    queued = {"--queue": mine["queue"], "--account": mine["account"], "--attribute": mine["attributes"]}
    typed = next((option for option, value in queued.items() if value), None)
    if typed and mine["runner"] in (LOCAL, SSH):
        raise InvalidInput(
            f"{typed} does nothing with --runner {mine['runner']}", hint=f"choose a scheduler, or leave {typed} out"
        )
    pairs = []
    for text in mine["attributes"]:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInput(f"{text!r} is no attribute", hint="write NAME=VALUE")
        pairs.append((name, value))
    directory = str(resolved(mine["directory"] or Path(platform.directory or Path.cwd())))
    where = Where(**mine | {"attributes": tuple(pairs), "directory": directory})
    if where.runner not in (LOCAL, SSH):
        batch_runner(where, None)  # a plan for a scheduler that nobody knows would be shown for nothing
    _note_aggregators(platform, where.nodes)
    return where


def _note_aggregators(platform: Platform, machines: int) -> None:
    """Say so where the baseline has fewer aggregators than ROMIO takes by itself, as jobs do that nobody changed."""
    wanted = platform.baseline.get("cb_nodes")
    if "romio" in platform.apply and isinstance(wanted, int) and wanted < machines:
        say(
            f"note: the baseline is run with cb_nodes {wanted} on {machines} machines, as the platform's file says; "
            f"ROMIO takes {machines} by itself. If jobs get that, put cb_nodes = {machines} into [baseline.values]"
        )


def platform_of(name: str, *, keep_it: bool = True) -> Platform:
    """Return the platform; this machine is written down the first time, so that it stays the same from then on."""
    from datetime import date

    from acic.platforms import load_platform
    from acic.platforms.here import HERE, doubts, find_machine, platform_text
    from acic.platforms.own_file import keep, kept_file

    if keep_it and name == HERE and not kept_file().exists():
        found = find_machine()
        keep(platform_text(found, today=date.today()))
        for doubt in doubts(found):
            say(f"note: {doubt}")
        say(f"this machine is described in {kept_file()}: look at it, and edit it if it is wrong")
    return load_platform(name)


def budget_of(text: str | None) -> Budget:
    """Return the budget that was typed; no limit where none was.

    Raises:
        InvalidInput: it is none. An empty one, as of a variable that is not set, is not taken for no limit.
    """
    from acic.campaign.budget import Budget

    return Budget() if text is None else Budget.parse(text)


def set_budget(session: Session, text: str | None) -> None:
    """Give a campaign of `acic train` another budget, in all, if there is one; its points are limited as before.

    Raises:
        InvalidInput: it is none, or money where nothing has a price.
    """
    if text is not None:
        given = budget_of(text)
        given.check(session.platform)
        points = session.request.budget.points
        session.request = replace(session.request, budget=replace(given, points=points))


def offer_larger_budget(session: Session, state: State, *, by: str, times: float = 1.0) -> None:
    """Say how a campaign goes on that has used up its budget.

    Args:
        session: of the campaign.
        state: how it ended.
        by: the command.
        times: of what was spent it is known to take so many to come to anything.
    """
    from acic.campaign.controller import USED_UP

    if state.ended == USED_UP:
        text = session.request.budget.doubled(times * state.seconds, times * state.dollars)
        say(f"note: a larger budget goes on with it: {by} --resume --name {session.journal.name} --budget {text}")


def check_measured(state: State) -> None:
    """Refuse to call a campaign of `acic train` done of which no run gave a figure.

    Raises:
        AcicError: it ended so.
    """
    attempts = [attempt for _, attempt in state.attempts]
    if state.ended and attempts and not any(p.bandwidths for p in state.progress):
        why = attempts[-1].note or str(attempts[-1].outcome)
        raise AcicError(
            f"nothing was measured in {len(attempts)} runs; the last: {why}", hint="see to it, then begin anew"
        )


def check_paused(session: Session, state: State) -> None:
    """Raise AcicError where a campaign of `acic train` was paused: how it goes on is what to do next."""
    from acic.campaign.controller import ASKED

    if state.paused:
        to_see = "" if state.paused.startswith(ASKED) else "see to it, then: "
        raise AcicError(f"the campaign has stopped: {state.paused}", hint=to_see + session.resumed_by)


def note_no_baseline(session: Session, state: State) -> None:
    """Say that a campaign of `acic train` ended before it measured any baseline, and how to come by one."""
    from acic.campaign.controller import USED_UP

    measured = [p for p in state.progress if p.bandwidths]
    if state.ended and measured and all(p.point.configuration != session.platform.baseline for p in measured):
        tried = [a for p in state.progress if p.point.configuration == session.platform.baseline for a in p.attempts]
        how = "it comes after the screening" if state.ended == USED_UP else "a campaign with --no-screen begins with it"
        how = f"its {len(tried)} runs failed, the last: {tried[-1].note or tried[-1].outcome}" if tried else how
        say(
            "note: the baseline was measured with no workload, so that `acic recommend` cannot answer "
            f"from this campaign alone yet; {how}"
        )


def note_own_hints() -> None:
    """Say that the user's own hints for MPI-IO are not taken, where there are any."""
    from acic.filesystems.hints import HINTS_VARIABLE

    if os.environ.get(HINTS_VARIABLE):
        say(
            f"note: {HINTS_VARIABLE} is set, and is not used for what is measured: "
            "each run has the hints of its configuration alone, that of the baseline too"
        )


def note_open_mpi() -> None:
    """Say what becomes of the user's own choice of Open MPI's MPI-IO, where there is one."""
    from acic.filesystems.hints import HINTS_VARIABLE, ompio_kept, own_variables

    if kept := ompio_kept():
        say(f"note: {kept} is set: if that has Open MPI use OMPIO, no run takes its hints; unset it then")
    for name in set(own_variables(hinted=False)) - {HINTS_VARIABLE}:
        say(f"note: {name} is set as acic tells to, and is not used for runs that have no hints")
