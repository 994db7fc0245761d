"""From what a user asked for to a campaign that can run: everything that its first event keeps."""

from __future__ import annotations

import hashlib
import math
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acic.benchmarks import ACIC_BENCH, Benchmark, find_benchmark
from acic.campaign.beside import beside
from acic.campaign.controller import Controller
from acic.campaign.journal import Journal, campaigns_folder, folder_of, free_folder, journals
from acic.campaign.places import found_on, same_places, storage_directories
from acic.campaign.planning import Planner
from acic.campaign.points import Field
from acic.campaign.promising import Advice
from acic.campaign.request import LOCAL, TRAIN, Request
from acic.campaign.rules import Rules
from acic.campaign.runners import open_trials
from acic.campaign.settable import check_settable
from acic.campaign.storing import Storing
from acic.campaign.view import View
from acic.campaign.waiting import Waiting
from acic.errors import InvalidInput
from acic.filesystems import DEPLOYMENT, LAB
from acic.platforms import Platform, load_platform, platform_source, read_platform
from acic.space import Value
from acic.store.database import Store
from acic.store.location import locate
from acic.store.rows import check_text
from acic.toml import string, table

if TYPE_CHECKING:
    from acic.lab import Lab


class Session:
    """A campaign that was opened: the request, its field and its planner, and the controller when it is to run."""

    def __init__(self, journal: Journal, request: Request, platform: Platform) -> None:
        self.journal = journal
        self.request = request
        self.platform = platform
        self.field = request.field(platform)
        self.planner = planner_of(self.field, request)

    @classmethod
    def begin(
        cls, request: Request, *, name: str | None, now: datetime, announce: Callable[[str], None] = lambda _: None
    ) -> Session:
        """Return a new campaign, its first event written; `announce` is told what takes long before, as a build does.

        Raises:
            InvalidInput: the name is taken or none for a folder, or the request cannot be met.
        """
        text = platform_source(request.platform)
        platform = read_platform(text, request.platform)
        check_request(request, name)
        if LAB in platform.apply:
            nodes = platform.compute_nodes or 1
            request = replace(request, where=replace(request.where, runner=LAB, nodes=nodes))
        benchmark = _can_run(platform, request, announce)
        deployed = request.where.runner == LAB
        places = {} if deployed else found_on(storage_directories(platform, Path(request.where.directory)))
        mark = _mark(request.field(platform))
        named = str(benchmark.program) if os.sep in (request.where.benchmark or "") else benchmark.name
        request = replace(request, where=replace(request.where, benchmark=named))  # whatever is installed later
        machine = socket.gethostname()
        found = {"mark": mark, "places": places, "machine": machine, "platform_text": text}
        begun = {"time": now.isoformat(), **request.event(), **found}
        if name:
            return cls(Journal.create(folder_of(name, campaigns_folder()), begun), request, platform)
        kind = "" if request.kind == TRAIN else f"{request.kind}-"
        return cls(_create_unnamed(f"{kind}{platform.name}", now, begun), request, platform)

    @classmethod
    def open(cls, name: str | None = None, *, kind: str = "") -> Session:
        """Return the campaign of that name, or the newest of the `kind` that is asked for; of any, where none is.

        Raises:
            InvalidInput: there is none, or the one of that name is of another kind.
            UnreadableInput: its journal is damaged.
        """
        journal = _last(kind) if name is None else Journal.open(folder_of(name, campaigns_folder()))
        begun = journal.begun
        try:
            request, text = Request.of(begun), string("platform_text", begun["platform_text"])
            for name in ("mark", "machine"):
                string(name, begun[name])
            table("places", begun["places"])
        except (LookupError, TypeError, ValueError, InvalidInput) as error:
            raise journal.damaged("the first line") from error
        if kind and request.kind != kind:
            raise InvalidInput(
                f"the campaign {journal.name} is no `acic {kind}`",
                hint=f"go on with it by `acic {request.kind} ... --resume --name {journal.name}`, or name another",
            )
        return cls(journal, request, read_platform(text, request.platform))

    @property
    def resumed_by(self) -> str:
        """The command that goes on with it; a search is told its job and platform again."""
        rest = "" if self.request.kind == TRAIN else " ..."
        return f"acic {self.request.kind}{rest} --resume --name {self.journal.name}"

    def choose_store(self, given: str | None, *, announce: Callable[[str], None] = lambda _: None) -> str | None:
        """Choose the store to go on with: that of the beginning, unless another is `given`.

        Returns:
            Its place; None for the user's own.

        Raises:
            InvalidInput: what is given is none.
        """
        began = self.request.store
        if given is None:
            return began or None
        named = locate(given).kept
        if began and named != began:
            announce(f"note: the campaign began with the store {began}; it goes on with {named}")
        self.request = replace(self.request, store=named)
        return given

    def controller(
        self,
        store: Store,
        *,
        advice: Advice | None = None,
        watch: Callable[[View], None] = lambda _: None,
        announce: Callable[[str], None] = lambda _: None,
    ) -> Controller:
        """Return what runs the campaign.

        Args:
            store: where measurements go.
            advice: ranks configurations where a model is to choose them.
            watch: is told how far it is, before each run, and while one waits in a queue.
            announce: is told what the store lacked, and what is waited for: a queue, a scheduler, or the store.

        Raises:
            InvalidInput: the platform is no longer what it was when the campaign began.
            AcicError: no benchmark or launcher can be found, or a scheduler is not there.
        """
        request, begun = self.request, self.journal.begun
        self._check_unchanged(begun)
        check_settable(self.platform, request.only)
        if told := beside(request.where.runner, self.journal.name):
            announce(f"note: {told}")
        devices = same_places(begun["places"])
        paid = self.platform.at_price(request.search.get("price"))
        waiting = Waiting(
            request.where.runner,
            announce=announce,
            watch=watch,
            note=self.journal.note_waiting,
            enough=lambda: made.enough(),
        )
        trials, benchmark = open_trials(
            paid,
            request.where,
            self.journal.raw,
            devices=devices,
            only=request.only,
            watch=waiting.follow,
            announce=announce,
        )
        storing = Storing(
            store,
            self.platform,
            tool=benchmark.name,
            contributor=request.contributor,
            host_shape={"nodes": request.where.nodes, "machine": begun["machine"]},
            announce=announce,
        )
        asked = {"budget": asdict(request.budget), "search": dict(request.search), "store": request.store}
        made = Controller(
            self.journal,
            self.field,
            replace(self.planner, advice=advice),
            Rules(request.budget, request.repeats, request.verify, request.time_limit, request.where.nodes),
            trials,
            storing,
            options={name: value for name, value in asked.items() if value},
            watch=waiting.show,
        )
        return made

    def _check_unchanged(self, begun: Mapping[str, Any]) -> None:
        """Refuse to go on where new figures would be of something else than what was `begun`.

        Raises:
            InvalidInput: the platform is no longer what it was, or runs were made on another machine.
        """
        request = self.request
        if begun["mark"] != _mark(request.field(load_platform(request.platform))):
            raise InvalidInput(
                f"{request.platform} is no longer what it was when the campaign {self.journal.name} began",
                hint="begin a new campaign; what this one measured is in the store",
            )
        if request.where.runner == LOCAL and begun["machine"] != socket.gethostname():
            raise InvalidInput(
                f"the campaign {self.journal.name} measured {begun['machine']}, and this machine is another one",
                hint="go on with it there, or begin a new campaign here; what it measured is in the store",
            )


def _last(kind: str) -> Journal:
    """Return the newest journal, of that kind of campaign unless it is "".

    Raises:
        InvalidInput: there is none.
        UnreadableInput: a newer one is damaged, so that it may be the one.
    """
    for journal in reversed(journals()):
        if not kind or journal.begun.get("kind", TRAIN) == kind:
            return journal
    what = f" of `acic {kind}`" if kind else ""
    begin = f"acic {kind} --help tells how" if kind not in ("", TRAIN) else "acic train --platform here --budget 10min"
    raise InvalidInput(f"there is no campaign{what} yet", hint=begin)


def _create_unnamed(of: str, now: datetime, begun: Mapping[str, Any]) -> Journal:
    """Return the journal of a new campaign that got no name, under the first that is free."""
    while True:
        folder = free_folder(of, now)
        with suppress(InvalidInput):  # another campaign took it meanwhile
            return Journal.create(folder, begun)


def check_request(request: Request, name: str | None) -> None:
    """Refuse what can be met nowhere, so that it is not planned either; nothing is built or written for that.

    Raises:
        AcicError: the name is none for a folder, no database can hold the contributor's, the time limit is none, the
            benchmark that is named is not there, or the platform's configurations differ by what no run would set.
    """
    check_text("contributor", request.contributor)
    check_settable(load_platform(request.platform), request.only)
    if name:
        folder_of(name, campaigns_folder())
    if request.time_limit is not None and not 0 < request.time_limit < math.inf:
        raise InvalidInput(f"a time limit of {request.time_limit:g} s", hint="give more than nothing, as 60s")
    if request.where.benchmark not in (None, ACIC_BENCH):  # which is built where it is not there yet
        find_benchmark(request.where.benchmark)


def _can_run(platform: Platform, request: Request, announce: Callable[[str], None]) -> Benchmark:
    """Raise AcicError if no run could be made, before anything is written; return the benchmark in them."""
    if DEPLOYMENT in platform.apply:
        raise InvalidInput(
            f"the configurations of {platform.name} have to be deployed, and acic does not do that by itself yet",
            hint=f"deploy them, run IOR, and give its outputs to `acic data import --platform {platform.argument}`",
        )
    if request.where.runner == LAB:
        from acic.cluster.lab import LabFacts
        from acic.lab import Lab

        with closing(Lab.open(facts=LabFacts.of(platform.lab))) as lab:  # it is up, and nobody works on it
            _need_file_systems(lab, platform, request.only)
        return find_benchmark(request.where.benchmark, announce=announce)
    outputs = Path(request.where.directory)
    return open_trials(platform, request.where, outputs, only=request.only, announce=announce)[1]


def _need_file_systems(lab: Lab, platform: Platform, only: Mapping[str, Value]) -> None:
    """Raise InvalidInput where the lab cannot deploy what the campaign would ask for: each such run would fail."""
    asked = platform.space["file_system"].values
    for name in (str(one) for one in asked if only.get("file_system", one) == one):
        try:
            lab.need(name)
        except InvalidInput as error:
            rest = ", ".join(str(one) for one in asked if one != name)
            remedy = f"{error.hint}; or measure one alone: --only file_system=NAME (of {rest})"
            raise InvalidInput(error.problem, hint=remedy) from error


def planner_of(field: Field, request: Request) -> Planner:
    """Return the planner that the request asks for."""
    return Planner(field, request.seed, request.active, request.screen, request.budget.points, spread=request.spread)


def _mark(field: Field) -> str:
    """Return what changes when rows, or what is recorded of them, would mean something else."""
    platform = field.platform
    rest = (platform.name, platform.revision, dict(platform.baseline), platform.roles, platform.apply, field.fixed)
    return hashlib.sha256(repr((field.space, field.like, *rest)).encode()).hexdigest()[:16]
