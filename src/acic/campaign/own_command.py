"""An application's own command line, run with one configuration after the other."""

from __future__ import annotations

import math
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acic.campaign.budget import Budget
from acic.campaign.comparison import in_turn
from acic.campaign.killed import clear_up, commands_folder, noted
from acic.campaign.places import check_directories, storage_directory
from acic.campaign.request import LOCAL, SSH, Where
from acic.campaign.runners import open_runner
from acic.campaign.striping import read_back
from acic.campaign.waiting import Waiting
from acic.cluster import Job, Runner, State, StillRunning, Withdrawn
from acic.errors import InvalidInput, TransientError
from acic.filesystems import WHOLE, Settings, settings
from acic.filesystems.hints import hints_environment, own_variables, romio_hints
from acic.platforms import Platform
from acic.space import Configuration

PLACE = "{directory}"  # in the command: where its files are to go
_LIMIT = 24 * 3600.0  # s of a run, where neither a time limit nor a budget says less


class OwnCommand:
    """Runs an application's own command with one configuration after the other, in rounds.

    The application is not touched, and starts where this program did: hints reach it through ROMIO_HINTS, which is not
    set where the configuration has none, and a layout through the directory that is made for it, and that takes the
    place of `{directory}` in the command.

    Args:
        words: of the command.
        platform: where it runs.
        wanted: the configurations.
        where: how runs are made.
        budget: of all runs: what is left of it limits each, and the run that it ends in gives nothing.
        price: USD per machine and hour; None for the platform's.
        processes: of the application, whose machines are paid.
        time_limit: s for each run, which has failed then; None for what is left of the budget, or a day without one.
        announce: is told what was cleared up after commands that were killed, what waits, and how the budget ended.

    Raises:
        InvalidInput: a place or layout is to be set, and the command does not say where its files go; or the
            budget is money where nothing has a price.
        AcicError: what runs are made with is not there.
    """

    def __init__(
        self,
        words: Sequence[str],
        platform: Platform,
        wanted: Sequence[Configuration],
        where: Where,
        budget: Budget,
        *,
        price: float | None,
        processes: int,
        time_limit: float | None,
        announce: Callable[[str], None],
    ) -> None:
        self._words, self._platform, self._wanted, self._where = words, platform, wanted, where
        self._price, self._processes, self._announce = price, processes, announce
        self._time_limit = time_limit
        check_directories(platform, Path(where.directory))
        _check(words, platform, wanted)
        self._until = math.inf  # when the budget's time is over, by the monotonic clock
        waiting = Waiting(where.runner, announce=announce, enough=self._enough)
        self._runner = open_runner(where, None, watch=waiting.follow)
        for told in clear_up():
            announce(f"note: {told}")
        self._purse = _Purse(budget, platform.at_price(price), wanted, processes, where.nodes)

    def measured(
        self, goal: str, rounds: int, *, seed: int, watch: Callable[[int], None]
    ) -> list[list[tuple[float | None, str]]]:
        """Return, for each configuration, what each round gave: s or USD (None if it failed), and a note.

        Args:
            goal: "time" or "cost".
            rounds: how often each is run.
            seed: of the order in each round.
            watch: is told how many runs were made.

        Raises:
            InvalidInput: what runs print can go nowhere.
        """
        where, platform, purse = self._where, self._platform, self._purse
        beside = commands_folder() if where.runner == LOCAL else Path(where.directory)  # which other nodes see too
        outputs = beside / f"acic-verify-{secrets.token_hex(4)}"
        found: list[list[tuple[float | None, str]]] = [[] for _ in self._wanted]
        turns = list(in_turn(rounds, len(self._wanted), seed=seed))
        with noted(where, outputs) as note_run:
            for done, (turn, position) in enumerate(turns):
                wanted = self._wanted[position]
                name = f"verify-{outputs.name}-{turn}-{position}"
                place = storage_directory(platform, wanted, Path(where.directory)) / f"acic-{name}"
                note_run(name, place)
                how = {"nodes": where.nodes, "machines": self._machines(wanted), "processes": self._processes}
                run = _Run(outputs, place, name, self._limit(purse.left(position)), **how)
                begun = time.monotonic()
                self._until = begun + purse.seconds
                took = run(self._runner, self._words, platform, wanted)
                elapsed = time.monotonic() - begun
                purse.pay(position, elapsed, held=elapsed if where.runner in (LOCAL, SSH) else took.held)
                over = purse.left(position) <= 0
                if not over or took.seconds is not None:
                    found[position].append((self._objective(goal, wanted, took.seconds), took.note))
                    watch(done + 1)
                if over:
                    self._announce(f"note: the budget was used up in run {done + 1} of {len(turns)}")
                    break
        return found

    def _limit(self, left: float) -> float:
        """Return the s that a run may take of which the budget leaves so many."""
        limit = left if self._time_limit is None else min(left, self._time_limit)
        return limit if limit < math.inf else _LIMIT

    def _enough(self) -> str:
        return "the budget was used up" if time.monotonic() >= self._until else ""

    def _machines(self, configuration: Configuration) -> int:
        """Return the machines that the application runs on: what is started here may have others, as in a batch job."""
        if self._where.runner == LOCAL:
            return self._platform.machines(configuration, self._processes)
        return self._where.nodes

    def _objective(self, goal: str, configuration: Configuration, seconds: float | None) -> float | None:
        if seconds is None or goal == "time":
            return seconds
        held = self._where.nodes
        return self._platform.cost(configuration, self._processes, seconds, price=self._price, held=held)


def _check(words: Sequence[str], platform: Platform, wanted: Sequence[Configuration]) -> None:
    """Refuse a command whose runs could not differ as the configurations do, before any of them is made.

    Raises:
        InvalidInput: they have to be deployed, or a place or layout is to be set and the command does not name its own;
            or all of it is quoted as one word.
    """
    if len(words) == 1 and len(words[0].split()) > 1 and shutil.which(words[0]) is None:
        shell = shlex.join(["sh", "-c", *words])
        raise InvalidInput(
            f"there is no program {words[0]!r}",
            hint=f"leave out the quotes around the whole command, or have a shell read it: -- {shell}",
        )
    if set(WHOLE) & set(platform.apply):
        raise InvalidInput(
            f"the configurations of {platform.name} have to be deployed, which is not done for a command of one's own",
            hint="deploy one after the other, and time the command on each (in the lab: `acic lab run`)",
        )
    placed = platform.roles.storage or any(_settings(platform, one, Path(PLACE)).layout for one in wanted)
    if placed and not _tells_place(words):
        raise InvalidInput(
            "the command does not say where its files go, so their place cannot be changed",
            hint=f"write {PLACE} where it names its output directory",
        )


def _tells_place(words: Sequence[str]) -> bool:
    return any(PLACE in word for word in words)


def _settings(platform: Platform, configuration: Configuration, place: Path, **how: Any) -> Settings:
    """Return what has to be set for a run whose files go to `place`, which is on the storage that is chosen."""
    kinds = [kind for kind in platform.apply if kind != "storage"]
    how = {"directory": str(place), "storage": platform.roles.storage, **how}
    return settings(kinds, configuration, platform.baseline, **how)


class _Purse:
    """What is left of a budget while runs are paid from it: `seconds`, inf where time is no limit, and money.

    Raises:
        InvalidInput: it is money, and the platform has no prices.
        MissingData: or one of the configurations has none.
    """

    def __init__(
        self, budget: Budget, platform: Platform, wanted: Sequence[Configuration], processes: int, held: int
    ) -> None:
        budget.check(platform)
        self.seconds = math.inf if budget.seconds is None else budget.seconds
        self._dollars = math.inf if budget.dollars is None else budget.dollars
        priced = budget.dollars is not None
        self._rates = [platform.cost(one, processes, 1.0, held=held) if priced else 0.0 for one in wanted]  # USD/s

    def left(self, position: int) -> float:
        """Return how long a run on that configuration may take, s; inf where nothing limits it."""
        rate = self._rates[position]
        return min(self.seconds, self._dollars / rate if rate else math.inf)

    def pay(self, position: int, seconds: float, *, held: float) -> None:
        """Take a run out of it: the s that passed, and the USD of the s for which that configuration's jobs held it."""
        self.seconds -= seconds
        self._dollars -= held * self._rates[position]


@dataclass(frozen=True, slots=True)
class _Took:
    """What a run gave: its s, None if it failed, a note, and the s for which its job can have had its machines."""

    seconds: float | None
    note: str
    held: float


class _Run:
    """One run of the command; its files go to a directory of its own."""

    def __init__(
        self, outputs: Path, place: Path, name: str, limit: float, *, nodes: int, machines: int, processes: int
    ) -> None:
        self._outputs, self._place, self._name = outputs, place, name
        self._limit, self._nodes, self._machines, self._processes = limit, nodes, machines, processes

    def __call__(self, runner: Runner, words: Sequence[str], platform: Platform, configuration: Configuration) -> _Took:
        place = self._place
        place.mkdir(mode=0o755)  # a link that another user put there would be written through
        how = {"machines": self._machines, "own_folder": _tells_place(words)}
        try:
            wanted = _settings(platform, configuration, place, **how)
            took = self._measured(runner, self._job(words, place, wanted))
            if took.seconds is not None:
                took = replace(took, note=read_back(wanted, place)[0])
        except StillRunning:
            raise  # it writes there
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        shutil.rmtree(place, ignore_errors=True)
        return took

    def _job(self, words: Sequence[str], place: Path, wanted: Settings) -> Job:
        environment: dict[str, str] = {}
        if wanted.hints:
            hints = self._outputs / f"{self._name}.hints"
            hints.write_text(romio_hints(wanted.hints), encoding="utf-8")
            environment = hints_environment(hints)
        return Job(
            name=self._name,
            command=tuple(word.replace(PLACE, str(place)) for word in words),
            processes=0,
            folder=self._outputs,
            directory=Path.cwd(),  # where the user stands: `./app` and the files it reads are found there
            time_limit=self._limit,
            nodes=self._nodes,
            environment=environment,
            without=own_variables(hinted=bool(wanted.hints)),
            before=wanted.layout,
            slots=self._processes,
        )

    def _measured(self, runner: Runner, job: Job) -> _Took:
        asked = time.monotonic()
        try:
            runner.submit(job)
        except TransientError as error:  # a scheduler that does not answer just now costs a run, and not all before it
            return _Took(None, error.problem, held=0.0)
        try:
            ending = runner.wait(job)
        except Withdrawn as error:
            return _Took(None, error.problem, held=0.0)
        held = ending.held(time.monotonic() - asked, job.time_limit)
        if ending.state is State.DONE:
            return _Took(ending.seconds, "" if ending.seconds is not None else "nobody saw how long it took", held)
        return _Took(None, "; ".join(filter(None, [ending.reason or str(ending.state), *job.last_said()])), held)
