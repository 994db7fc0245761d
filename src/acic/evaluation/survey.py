"""Measuring ground truth: every application on every configuration, pass after pass, each run written down at once."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import numpy as np

from acic.benchmarks.kernels import Kernel, Part, kernel, kernels
from acic.campaign.journal import Journal, folder_of, journals
from acic.errors import AcicError, InvalidInput
from acic.evaluation.plan import Plan
from acic.evaluation.truth import OutOfTime, Run
from acic.paths import user_folder
from acic.platforms import Platform, platform_source, read_platform
from acic.space import Configuration
from acic.store.measurement import Outcome

_TRIES = 2  # of a run that fails: once more
_FINAL = (Outcome.OK, Outcome.CORRUPT)  # no second try mends wrong bytes
_SEVERAL = 3  # configurations, and applications, on which everything failed in a row: something else must be wrong


def surveys_folder() -> Path:
    """Return the folder of the user's surveys."""
    return user_folder("state") / "surveys"


def survey_names() -> list[str]:
    """Return the names of the user's surveys, the one that was written to last at the end."""
    return [journal.name for journal in journals(surveys_folder())]


def _folder(name: str) -> Path:
    return folder_of(name, surveys_folder(), kind="survey")


_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


class HopelessRuns(AcicError):
    """So many runs failed that it is not for what they ran, or ran on."""


class Survey:
    """A survey that was begun: its journal, and what it is to measure."""

    def __init__(self, journal: Journal) -> None:
        begun = journal.begun
        self.journal = journal
        self.platform: Platform = read_platform(begun["platform_text"], begun["platform"])
        chosen = [(name, scale) for name, scale in begun["kernels"]]
        known = {(k.name, k.scale): k for part in get_args(Part) for k in kernels(part)}
        if missing := set(chosen) - set(known):
            raise InvalidInput(f"this acic does not know the applications {sorted(missing)}", hint="begin a new survey")
        self.plan = Plan(
            configurations=tuple(Configuration(c) for c in begun["configurations"]),
            kernels=tuple(known[name] for name in chosen),
            passes=begun["passes"],
            seed=begun["seed"],
            points=None if begun.get("points") is None else _points(begun["points"], begun["passes"]),
            first=begun.get("first", 0),
        )

    @classmethod
    def begin(
        cls,
        platform: str,
        configurations: Sequence[Configuration],
        *,
        name: str,
        passes: int,
        seed: int,
        now: datetime,
        chosen: Sequence[Kernel] | None = None,
        done: Sequence[Run] = (),
    ) -> Survey:
        """Return a new survey.

        Args:
            platform: a name or a file.
            configurations: as `balanced_with` draws them.
            name: of the survey.
            passes: through all of them.
            seed: of the order.
            now: the time, for the journal.
            chosen: applications; None for all for development.
            done: runs of the same plan that were made before, which are not made again.

        Raises:
            InvalidInput: there is one of that name already, or runs are of another plan.
        """
        applications = kernels() if chosen is None else chosen
        planned = {(k.name, k.scale, c) for k in applications for c in configurations}
        if any((run.kernel, run.scale, run.configuration) not in planned for run in done):
            raise InvalidInput(
                "some of the runs given are of another plan", hint="give the options they were made with"
            )
        plan = {"passes": passes, "seed": seed}
        return cls._new(name, platform, applications, configurations, plan, now, done)

    def again(self, *, name: str, points: int, seed: int, now: datetime) -> Survey:
        """Return a new survey of `points` that this one has measured, drawn at random: they tell of noise.

        Raises:
            InvalidInput: there is one of that name already, or fewer points were measured.
        """
        configurations = {c: i for i, c in enumerate(self.plan.configurations)}
        applications = {(k.name, k.scale): i for i, k in enumerate(self.plan.kernels)}
        good = ((r.configuration, (r.kernel, r.scale)) for r in self.runs if r.outcome is Outcome.OK)
        mine = {(c, a) for c, a in good if c in configurations and a in applications}  # not what came from elsewhere
        measured = sorted((configurations[c], applications[a]) for c, a in mine)
        if len(measured) < points:
            fewer = (
                f"repeat {len(measured)} at most" if measured else f"measure first: acic survey run {self.journal.name}"
            )
            raise InvalidInput(f"{len(measured)} points were measured in {self.journal.name}", hint=fewer)
        drawn = np.random.default_rng(seed).choice(len(measured), points, replace=False)
        same = {k: v for k, v in self.journal.begun.items() if k not in ("event", "version")}
        begun = same | {
            "time": now.isoformat(),
            "points": [measured[i] for i in sorted(drawn)],
            "passes": 1,
            "seed": seed,
            "again": self.journal.name,
        }
        return Survey(Journal.create(_folder(name), begun, kind="survey"))

    @classmethod
    def of_points(
        cls,
        platform: str,
        points: Mapping[tuple[str, str], Mapping[Configuration, int]],
        *,
        name: str,
        seed: int,
        now: datetime,
        done: Sequence[Run] = (),
    ) -> Survey:
        """Return a new survey of certain configurations for each application: of those that are measured once more.

        Args:
            platform: a name or a file.
            points: how often each configuration is to be run, for each application by its name and scale: once in each
                pass, so that runs of a point are apart and those of an application interleaved.
            name: of the survey.
            seed: of the order.
            now: the time, for the journal.
            done: runs that were made before, of these points and others: they are kept, and all passes come after.

        Raises:
            InvalidInput: there is one of that name already, or an application is not known.
        """
        applications = [kernel(*key) for key in points]
        drawn = list(dict.fromkeys(c for those in points.values() for c in those))
        place = {c: i for i, c in enumerate(drawn)}
        plan = {
            "points": sorted([place[c], i, n] for i, those in enumerate(points.values()) for c, n in those.items()),
            "passes": max((n for those in points.values() for n in those.values()), default=0),
            "first": 1 + max((run.repetition for run in done), default=-1),
            "seed": seed,
        }
        return cls._new(name, platform, applications, drawn, plan, now, done)

    @classmethod
    def _new(
        cls,
        name: str,
        platform: str,
        applications: Sequence[Kernel],
        configurations: Sequence[Configuration],
        plan: Mapping[str, Any],
        now: datetime,
        done: Sequence[Run],
    ) -> Survey:
        """Return a new survey with the runs that were made before; `plan` is what else its first event tells."""
        text = platform_source(platform)
        begun = {
            "time": now.isoformat(),
            "platform": platform,
            "platform_text": text,
            "kernels": [[k.name, k.scale] for k in applications],
            "configurations": [dict(c) for c in configurations],
            "mark": mark(read_platform(text, platform), applications),
            **plan,
        }
        journal = Journal.create(_folder(name), begun, kind="survey")
        for run in done:
            journal.append("ran", **run.content())
        return cls(journal)

    @classmethod
    def open(cls, name: str) -> Survey:
        """Return the survey of that name.

        Raises:
            InvalidInput: there is none, or its applications are no longer what they were.
        """
        return cls(Journal.open(_folder(name), kind="survey"))

    @property
    def runs(self) -> list[Run]:
        """What was measured, in order."""
        return [Run.of(event) for event in self.journal.events() if event["event"] == "ran"]

    @property
    def remaining(self) -> int:
        """How many runs are still to be made, if none fails."""
        return sum(len(them) for _, _, them in self.left())

    def left(self, tries: int = _TRIES) -> Iterator[tuple[int, Configuration, list[Kernel]]]:
        """Yield what is still to be measured, in order, as `Plan.groups` does: what was tried less often than that."""
        done: dict[tuple[Any, ...], int] = {}
        good: set[tuple[Any, ...]] = set()
        for run in self.runs:
            key = (run.repetition, run.configuration, run.kernel, run.scale)
            done[key] = done.get(key, 0) + 1
            good |= {key} if run.outcome in _FINAL else set()
        for number, configuration, them in self.plan.groups():
            keyed = [((number, configuration, k.name, k.scale), k) for k in them]
            if rest := [k for key, k in keyed if key not in good and done.get(key, 0) < tries]:
                yield number, configuration, rest


def _points(told: Sequence[Sequence[int]], passes: int) -> dict[tuple[int, int], int]:
    """Return how often a configuration and an application meet; `passes` times where a journal does not tell."""
    whole = [(*one, passes)[:3] for one in told]
    return {(configuration, application): count for configuration, application, count in whole}


def mark(platform: Platform, chosen: Sequence[Kernel]) -> str:
    """Return what changes when a run would mean something else."""
    facts = (
        platform.name,
        platform.revision,
        platform.lab,
        [(k.key, k.processes, [k.prepares, k.run]) for k in chosen],
    )
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def measure(
    survey: Survey,
    run: Callable[[Kernel, Configuration, int], Run],
    *,
    seconds: float | None = None,
    watch: Callable[[int, Run], None] = lambda _, __: None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Measure what is left of `survey`, until it is done or the time is up; return how many runs were made.

    Args:
        survey: what to measure.
        run: makes one run, of an application on a configuration in a pass; never raises for what a run does. Where it
            is `OutOfTime`, this ends as where the time is up.
        seconds: to stop after, between runs; None for no limit.
        watch: is told of each run, and how many were made in all.
        clock: seconds that never go back.

    Raises:
        InvalidInput: another process is at work on it, or the platform or the applications are no longer the same.
        HopelessRuns: everything failed in a row, on several configurations and with several applications.
    """
    if survey.journal.begun["mark"] != mark(survey.platform, survey.plan.kernels):
        raise InvalidInput(f"the applications of {survey.journal.name} have changed", hint="begin a new survey")
    end = None if seconds is None else clock() + seconds
    made, failed = 0, list[Run]()
    with survey.journal.locked():
        notes = {(r.repetition, r.configuration, r.kernel, r.scale): r.note for r in survey.runs}
        total = len(survey.runs)
        for application, configuration, number, again in _turns(survey):
            if (end is not None and clock() >= end) or survey.journal.pause_asked:
                break
            try:
                found = run(application, configuration, number)
            except OutOfTime:
                break
            survey.journal.append("ran", **found.content())
            made += 1
            watch(total + made, found)
            key = (number, configuration, application.name, application.scale)
            known = again and _alike(found.note, notes.get(key, ""))  # what fails for good, fails again
            failed = [*failed, found] if found.outcome not in _FINAL and not known else []
            notes[key] = found.note
            _stop_if_hopeless(failed)
    return made


def _turns(survey: Survey) -> Iterator[tuple[Kernel, Configuration, int, bool]]:
    """Yield each run that is left, by its pass; what failed comes again when all else was tried, which is told."""
    for tries in range(1, _TRIES + 1):
        for number, configuration, them in survey.left(tries):
            for one in them:
                yield one, configuration, number, tries > 1


def _alike(note: str, other: str) -> bool:
    """Return whether two runs failed of the same, but for its numbers."""
    return _NUMBER.sub("", note) == _NUMBER.sub("", other)


def _stop_if_hopeless(failed: Sequence[Run]) -> None:
    configurations, applications = {r.configuration for r in failed}, {(r.kernel, r.scale) for r in failed}
    if min(len(configurations), len(applications)) >= _SEVERAL:
        raise HopelessRuns(
            f"{len(failed)} runs in a row failed; the last: {failed[-1].note}",
            hint="look at the lab (acic lab status; acic lab audit), mend it, and go on with the same command",
        )
