"""What `walk`, `tune` and `verify` share: a campaign that measures an application's replica, and tables of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from acic.cli.measuring import (
    budget_of,
    check_placing,
    contributor_option,
    platform_of,
    where_of,
)
from acic.cli.measuring_shown import campaign_progress
from acic.cli.option_types import Share, Size
from acic.cli.output import say
from acic.cli.platform_option import platform_option
from acic.cli.resuming import open_begun, typed_anew
from acic.cli.settings_option import settings_of
from acic.errors import AcicError, InvalidInput
from acic.units import format_bytes, format_seconds, format_usd

if TYPE_CHECKING:
    from acic.campaign.controller import Controller
    from acic.campaign.meter import Meter, Reading
    from acic.campaign.objective import Objective
    from acic.campaign.points import Field
    from acic.campaign.repeats import Repeats
    from acic.campaign.session import Session
    from acic.platforms import Platform
    from acic.space import Configuration, Value
    from acic.workloads import Characteristics, Workload

GOALS = ("time", "cost")


@dataclass(frozen=True, slots=True)
class Bench:
    """A campaign at work that measures a workload's replica.

    Args:
        session: the campaign.
        controller: at work.
        meter: measures.
        phases: of the replica.
        workload: the application.
        readings: what was measured by now.
    """

    session: Session
    controller: Controller
    meter: Meter
    phases: tuple[Characteristics, ...]
    workload: Workload
    readings: dict[Configuration, Reading] = dataclass_field(default_factory=dict)

    @property
    def field(self) -> Field:
        """The space of what is measured."""
        return self.session.field

    @property
    def computing(self) -> float:
        """The s of a run that are no I/O, by the log, as much of them as the replica moves of the bytes; 0.0 untold."""
        from acic.campaign.objective import computing_of

        return computing_of(self.workload, self.phases)

    @property
    def io_by_log(self) -> float | None:
        """The s of I/O that the log tells, likewise; None where it does not."""
        from acic.campaign.objective import io_of

        return io_of(self.workload, self.phases)

    def objective(self, goal: str, phases: Sequence[Characteristics] = ()) -> Objective:
        """Return what tells readings of `phases`, without them those of the replica, for that goal."""
        from acic.campaign.objective import Objective, computing_of

        return Objective(
            platform=self.field.platform,
            goal=goal,
            processes=self.workload.processes,
            computing=computing_of(self.workload, phases or self.phases),
            held=self.session.request.where.nodes,
        )


@contextmanager
def bench(
    workload: Workload,
    given: dict[str, Any],
    *,
    kind: str,
    store_url: str | None,
    repeats: Repeats,
    search: Mapping[str, Any],
    more: Sequence[Characteristics] = (),
    held: Mapping[str, Value] | None = None,
) -> Iterator[Bench]:
    """Open a campaign that measures the replica of `workload`, or go on with one, while the block runs.

    Args:
        workload: whose phases.
        given: the command's options: platform_name, budget, name, resume, verify, time_limit, seed, and how runs are
            made.
        kind: "walk", "tune" or "verify": part of the campaign's name.
        store_url: of the training database.
        repeats: how often each point is run.
        search: the command's own options, and shrink (`as_begun`).
        more: other workloads to measure besides.
        held: values of the baseline that all configurations have (`held_of`).

    Raises:
        InvalidInput: the campaign to go on with measures other workloads, or was another search.
    """
    from acic.campaign.fitting import replica, uneven
    from acic.campaign.meter import Meter
    from acic.campaign.request import Request
    from acic.campaign.searched import AnotherSearch
    from acic.campaign.session import Session
    from acic.store.database import Store

    platform = platform_of(given["platform_name"])
    check_placing(platform, given)
    if not workload.phases:
        raise InvalidInput(f"{workload.name} did no I/O that was recorded", hint="give the log of another run")
    phases = replica(platform, [p.characteristics for p in workload.phases], search["shrink"])
    for before, after in zip(workload.phases, phases, strict=True):
        if before.characteristics != after:
            say(f"note: {unlike(before.characteristics, after)}")
    if told := uneven([p.characteristics for p in workload.phases], phases):
        say(f"note: {told}")
    like = (*phases, *more)
    budget = budget_of(given["budget"])
    budget.check(platform.at_price(search.get("price")))
    begun = search
    if given["resume"]:
        session = open_begun(kind, given["name"], like)
        begun = session.request.search
        total = session.request.budget if given["budget"] is None else budget
        session.request = replace(session.request, budget=total, search=search)
        say(f"going on with the campaign {session.journal.name}")
        store_url = session.choose_store(store_url, announce=say)
    else:
        request = Request(
            platform=given["platform_name"],
            budget=budget,
            where=where_of(given, platform),
            like=like,
            only=held or {},
            repeats=repeats,
            screen=False,
            verify=given["verify"],
            time_limit=given["time_limit"],
            seed=given["seed"],
            contributor=given["contributor"],
            kind=kind,
            search=search,
        )
    with (
        Store.open(store_url, announce=say) as store,
        campaign_progress() as show,
    ):  # first: without a store nothing is begun
        store.check_writable()
        if not given["resume"]:
            asked, now = replace(request, store=store.kept), datetime.now(UTC)
            session = Session.begin(asked, name=given["name"], now=now, announce=say)
            say(f"campaign {session.journal.name}; interrupt it as you like: {session.resumed_by} goes on")
        controller = session.controller(store, watch=show, announce=say)
        with controller.at_work():
            meter = Meter(controller, session.field)
            try:
                yield Bench(session, controller, meter, tuple(phases), workload)
            except AnotherSearch as error:
                raise typed_anew(error, begun, search) from error


def check_goal(
    platform: Platform,
    goal: str,
    price: float | None = None,
    *,
    otherwise: str = "use --goal time",
    varied: Collection[str] = (),
) -> None:
    """Raise InvalidInput where a cost is to be told, and `price` and the platform tell none: before anything is run.

    `varied` are the parameters that a search begins to try other values of.
    """
    from acic.campaign.budget import check_prices

    if goal == "cost" and price is None:
        check_prices(platform, otherwise=otherwise, varied=varied)


def amount(value: float | None, goal: str) -> str:
    """Return seconds or USD as text; "failed" for None."""
    if value is None:
        return "failed"
    return format_seconds(value) if goal == "time" else format_usd(value)


keep_option = click.option(
    "--keep", multiple=True, metavar="NAME=VALUE", help="Leave this as it is in the baseline; repeat."
)


def held_of(platform: Platform, keep: Sequence[str]) -> dict[str, Value]:
    """Return what a search leaves as it is in the baseline, which it begins at and compares with.

    Raises:
        InvalidInput: no such parameter, or another value than the baseline's.
    """
    held = settings_of(platform, keep, "--keep")
    for name, value in held.items():
        usual = platform.baseline.get(name)
        if value != usual:
            text = platform.space[name].text
            raise InvalidInput(
                f"--keep {name}={text(value)}: a search begins at the baseline, which has {name} {text(usual)}",
                hint=f"keep that, or give {platform.name} another baseline in a file of its own (docs/platforms.md)",
            )
    return held


def ranks_of(platform: Platform, workload: Workload, goal: str, held: Collection[str] = ()) -> list[str]:
    """Return what matters to `workload`, by rank, as the last whole screening on the platform tells; [] without.

    What is `held` has no rank.
    A screening that held one of its parameters at a value (`--only`) tells nothing of that, and so no ranks.
    """
    from acic.campaign.journal import journals
    from acic.campaign.meter import known_ranks
    from acic.campaign.planning import is_whole
    from acic.campaign.points import Field
    from acic.campaign.session import Session
    from acic.campaign.state import replay

    names = Field(platform, [phase.characteristics for phase in workload.phases], held=held).system.names
    for journal in reversed(journals()):
        try:
            other = Session.open(journal.name)
            if other.platform.name != platform.name or set(other.request.only) & set(names):
                continue
            state = replay(other.journal.events(), other.field)
            if is_whole(other.field, state) and (ranks := known_ranks(state.ranks, goal, names)):
                return ranks
        except AcicError:
            continue  # of a platform that has changed since, or damaged
    return []


def apply_options(command: Any) -> Any:
    """Give a command the options that `bench` takes."""
    options = (
        platform_option,
        click.option("--budget", help="What may be spent: 10min, 2h, 50USD.  [default: no limit]"),
        click.option("--shrink", type=Size(least=1), help="Move at most so much in a run of the replica, as 1GiB."),
        click.option(
            "--verify-bytes",
            "verify",
            type=Share(),
            default=0.1,
            show_default=True,
            help="Part of the points to read back and compare.",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of every random choice."
        ),
        click.option("--name", help="What to call the campaign.  [default: platform and time]"),
        contributor_option,
        click.option("--resume", is_flag=True, help="Go on with that --name, or the last of this command."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def unlike(before: Characteristics, after: Characteristics) -> str:
    """Return in a sentence in what a replica is less than the phase that it repeats."""
    names = ("processes", "io_processes", "iterations", "data_size")
    pairs = [(n, getattr(before, n), getattr(after, n)) for n in names if getattr(before, n) != getattr(after, n)]
    changed = ", ".join(f"{n.replace('_', ' ')} {_size(n, a)} instead of {_size(n, b)}" for n, b, a in pairs)
    told = [f"smaller than the application: {changed}"] if pairs else []
    if before.access is not after.access:
        told.append(f"{after.access} and not {before.access}, for which a benchmark has no such order")
    return f"the replica of the {before.operation}s is {'; and '.join(told)}"


def _size(name: str, value: int) -> str:
    return format_bytes(value) if name == "data_size" else str(value)
