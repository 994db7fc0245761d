"""An application's own command line, run with one configuration after the other."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acic.cli.measuring import where_of
from acic.cli.output import progress, say
from acic.errors import InvalidInput
from acic.units import parse_seconds

if TYPE_CHECKING:
    from acic.cluster import Job, Runner
    from acic.filesystems import Settings
    from acic.platforms import Platform
    from acic.space import Configuration

PLACE = "{directory}"  # in the command: where its files are to go
_LIMIT = 24 * 3600.0  # s, where no budget says less


def by_command(
    words: Sequence[str],
    platform: Platform,
    wanted: Sequence[Configuration],
    given: dict[str, Any],
    *,
    goal: str,
    rounds: int,
    processes: int,
) -> list[list[tuple[float | None, str]]]:
    """Return, for each configuration, what each round gave: s or USD (None if it failed), and a note.

    The application is not touched: hints reach it through ROMIO_HINTS, a layout through the directory that is made
    for it, and that takes the place of `{directory}` in the command.

    Raises:
        InvalidInput: a place or layout is to be set, and the command does not say where its files go.
    """
    from acic.campaign.places import check_directories
    from acic.campaign.session import open_runner

    where = where_of(given)
    check_directories(platform, Path(where.directory))
    runner = open_runner(where, None)
    limit = parse_seconds(given["budget"]) if given["budget"] else _LIMIT
    found: list[list[tuple[float | None, str]]] = [[] for _ in wanted]
    with (
        tempfile.TemporaryDirectory(prefix="acic-verify-", dir=where.directory) as outputs,
        progress("running", total=rounds * len(wanted)) as seen,
    ):
        for turn in range(rounds):
            order = np.random.default_rng([given["seed"], turn]).permutation(len(wanted)).tolist()
            for done, position in enumerate(order):
                run = _Run(
                    Path(outputs), Path(where.directory), f"verify-{Path(outputs).name}-{turn}-{position}", limit
                )
                seconds, note = run(runner, words, platform, wanted[position])
                found[position].append((_objective(platform, wanted[position], processes, seconds, goal), note))
                seen(turn * len(wanted) + done + 1)
    return found


class _Run:
    """One run of the command; its files go to a directory of its own."""

    def __init__(self, outputs: Path, directory: Path, name: str, limit: float) -> None:
        self._outputs, self._directory, self._name, self._limit = outputs, directory, name, limit

    def __call__(
        self, runner: Runner, words: Sequence[str], platform: Platform, configuration: Configuration
    ) -> tuple[float | None, str]:
        from acic.campaign.places import storage_directory
        from acic.filesystems import settings

        place = storage_directory(platform, configuration, self._directory) / f"acic-{self._name}"
        kinds = [kind for kind in platform.apply if kind != "storage"]
        wanted = settings(kinds, configuration, platform.baseline, directory=str(place))
        if (wanted.layout or platform.roles.storage) and not any(PLACE in word for word in words):
            raise InvalidInput(
                "the command does not say where its files go, so their place cannot be changed",
                hint=f"write {PLACE} where it names its output directory",
            )
        if wanted.file_per_process:
            say("note: only the application itself can write a file per process; that part is left out here")
        place.mkdir()
        try:
            return self._measured(runner, self._job(words, place, wanted))
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _job(self, words: Sequence[str], place: Path, wanted: Settings) -> Job:
        from acic.cluster import Job

        environment = {}
        if wanted.hints:
            hints = self._outputs / f"{self._name}.hints"
            hints.write_text("".join(f"{k} {v}\n" for k, v in wanted.hints.items()), encoding="utf-8")
            environment["ROMIO_HINTS"] = str(hints)
        return Job(
            name=self._name,
            command=tuple(word.replace(PLACE, str(place)) for word in words),
            processes=0,
            folder=self._outputs,
            time_limit=self._limit,
            environment=environment,
            before=wanted.layout,
        )

    def _measured(self, runner: Runner, job: Job) -> tuple[float | None, str]:
        from acic.cluster import State

        runner.submit(job)
        ending = runner.wait(job)
        if ending.state is State.DONE:
            return ending.seconds, ""
        said = job.stderr.read_text(errors="replace").strip().splitlines() if job.stderr.exists() else []
        return None, "; ".join(filter(None, [ending.reason or str(ending.state), said[-1] if said else ""]))


def _objective(
    platform: Platform, configuration: Configuration, processes: int, seconds: float | None, goal: str
) -> float | None:
    if seconds is None or goal == "time":
        return seconds
    return platform.cost(configuration, processes, seconds)
