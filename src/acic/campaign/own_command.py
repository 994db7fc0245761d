"""An application's own command line, run with one configuration after the other."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from acic.campaign.budget import Budget
from acic.campaign.killed import clear_up, commands_folder, noted
from acic.campaign.places import check_directories, storage_directory
from acic.campaign.request import LOCAL, SSH, Where
from acic.campaign.runners import open_runner
from acic.campaign.striping import read_back
from acic.campaign.turns import Took, Turns
from acic.campaign.waiting import Waiting
from acic.cluster import Job, Runner, State, StillRunning, Withdrawn
from acic.errors import InvalidInput, TransientError, on_one_line
from acic.filesystems import DEPLOYMENT, Settings, settings
from acic.filesystems.hints import hints_environment, own_variables, romio_hints
from acic.platforms import Platform
from acic.space import Configuration

PLACE = "{directory}"  # in the command: where its files are to go
_BETWEEN = re.compile(r"[\s;&|()`\"']+")  # what ends a word of a shell's command line
_QUEUES = frozenset({"sbatch", "qsub", "bsub", "salloc"})  # end when a job waits, or wait in its place


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
        budget: of all runs: what is left of it limits each, and of the run that it ends in only a figure counts.
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
        self._processes = processes
        check_directories(platform, Path(where.directory))
        _check(words, platform, wanted)
        _check_queues(words, where)
        how: dict[str, Any] = {"price": price, "processes": processes, "held": where.nodes, "time_limit": time_limit}
        self._turns = Turns(platform, wanted, budget, **how, announce=announce)
        waiting = Waiting(where.runner, announce=announce, enough=self._turns.enough)
        self._runner = open_runner(where, None, watch=waiting.follow)
        for told in clear_up():
            announce(f"note: {told}")

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
        beside = commands_folder() if self._where.runner == LOCAL else Path(self._where.directory)  # other nodes see it
        outputs = beside / f"acic-verify-{secrets.token_hex(4)}"
        with noted(self._where, outputs) as note_run:
            run = partial(self._run, outputs, note_run)
            return self._turns.measured(run, goal, rounds, seed=seed, watch=watch)

    def _run(
        self, outputs: Path, note_run: Callable[[str, Path], None], turn: int, position: int, limit: float
    ) -> Took:
        where, wanted = self._where, self._wanted[position]
        name = f"verify-{outputs.name}-{turn}-{position}"
        place = storage_directory(self._platform, wanted, Path(where.directory)) / f"acic-{name}"
        how = {"nodes": where.nodes, "machines": self._machines(wanted), "processes": self._processes}
        try:
            note_run(name, place)
            took = _Run(outputs, place, name, limit, **how)(self._runner, self._words, self._platform, wanted)
        except OSError as error:  # no room for its hints, say, which costs a run, and not all before it
            took = Took(None, on_one_line(error))
        return replace(took, held=None) if where.runner in (LOCAL, SSH) else took

    def _machines(self, configuration: Configuration) -> int:
        """Return the machines that the application runs on: what is started here may have others, as in a batch job."""
        if self._where.runner == LOCAL:
            return self._platform.machines(configuration, self._processes)
        return self._where.nodes


def _check(words: Sequence[str], platform: Platform, wanted: Sequence[Configuration]) -> None:
    """Refuse a command whose runs could not differ as the configurations do, before any of them is made.

    Raises:
        InvalidInput: they have to be deployed, or a place or layout is to be set and the command does not name its own;
            or all of it is quoted as one word.
    """
    check_quotes(words)
    if DEPLOYMENT in platform.apply:
        raise InvalidInput(
            f"the configurations of {platform.name} have to be deployed, which acic does in the lab alone",
            hint="deploy one after the other, and time the command on each",
        )
    placed = platform.roles.storage or any(_settings(platform, one, Path(PLACE)).layout for one in wanted)
    if placed and not _tells_place(words):
        raise InvalidInput(
            "the command does not say where its files go, so their place cannot be changed",
            hint=f"write {PLACE} where it names its output directory",
        )


def _check_queues(words: Sequence[str], where: Where) -> None:
    """Refuse a command that hands the application to a batch system, whose queue would be timed.

    Raises:
        InvalidInput: it does; Slurm's `srun` does outside of an allocation.
    """
    alone = where.runner == LOCAL and "SLURM_JOB_ID" not in os.environ
    queued = _QUEUES | ({"srun"} if alone else set())
    if program := next((name for name in programs(words) if name in queued), None):
        raise InvalidInput(
            f"{program} would be timed in its queue, and not the application",
            hint="have acic submit the application itself (--runner slurm --nodes N -- srun ./app ...), or start acic "
            "within an allocation",
        )


def programs(words: Sequence[str]) -> list[str]:
    """Return the names of all that a command may start, those in a shell's command line among its words as well."""
    return [PurePath(part).name for word in words for part in _BETWEEN.split(word)]


def check_quotes(words: Sequence[str]) -> None:
    """Refuse a command that is quoted as one word.

    Raises:
        InvalidInput: it is.
    """
    if len(words) == 1 and len(words[0].split()) > 1 and shutil.which(words[0]) is None:
        shell = shlex.join(["sh", "-c", *words])
        raise InvalidInput(
            f"there is no program {words[0]!r}",
            hint=f"leave out the quotes around the whole command, or have a shell read it: -- {shell}",
        )


def _tells_place(words: Sequence[str]) -> bool:
    return any(PLACE in word for word in words)


def _settings(platform: Platform, configuration: Configuration, place: Path, **how: Any) -> Settings:
    """Return what has to be set for a run whose files go to `place`, which is on the storage that is chosen."""
    kinds = [kind for kind in platform.apply if kind != "storage"]
    how = {"directory": str(place), "storage": platform.roles.storage, **how}
    return settings(kinds, configuration, platform.baseline, **how)


class _Run:
    """One run of the command; its files go to a directory of its own, beside its hints."""

    def __init__(
        self, outputs: Path, place: Path, name: str, limit: float, *, nodes: int, machines: int, processes: int
    ) -> None:
        self._outputs, self._place, self._name = outputs, place, name
        self._limit, self._nodes, self._machines, self._processes = limit, nodes, machines, processes

    def __call__(self, runner: Runner, words: Sequence[str], platform: Platform, configuration: Configuration) -> Took:
        place, files = self._place, self._place / "files"
        place.mkdir(mode=0o755)  # a link that another user put there would be written through
        how = {"machines": self._machines, "own_folder": _tells_place(words)}
        try:
            files.mkdir(mode=0o755)
            wanted = _settings(platform, configuration, files, **how)
            took = self._measured(runner, self._job(words, files, wanted))
            if took.seconds is not None:
                took = replace(took, note=read_back(wanted, files)[0])
        except StillRunning:
            raise  # it writes there
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        shutil.rmtree(place, ignore_errors=True)
        return took

    def _job(self, words: Sequence[str], files: Path, wanted: Settings) -> Job:
        environment: dict[str, str] = {}
        if wanted.hints:
            hints = self._place / "hints"  # all ranks see that, also of a launcher that starts them on other machines
            hints.write_text(romio_hints(wanted.hints), encoding="utf-8")
            environment = hints_environment(hints)
        return Job(
            name=self._name,
            command=tuple(word.replace(PLACE, str(files)) for word in words),
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

    def _measured(self, runner: Runner, job: Job) -> Took:
        asked = time.monotonic()
        try:
            runner.submit(job)
        except TransientError as error:  # a scheduler that does not answer just now costs a run, and not all before it
            return Took(None, error.problem, held=0.0)
        try:
            ending = runner.wait(job)
        except Withdrawn as error:
            return Took(None, error.problem, held=0.0)
        held = ending.held(time.monotonic() - asked, job.time_limit)
        if ending.state is State.DONE:
            return Took(ending.seconds, "" if ending.seconds is not None else "nobody saw how long it took", held)
        return Took(None, "; ".join(filter(None, [ending.reason or str(ending.state), *job.last_said()])), held)
