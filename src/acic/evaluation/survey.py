"""Surveys: which applications are to be measured on which configurations, and what was measured so far."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import numpy as np

from acic.benchmarks.kernels import Kernel, Part, kernel, kernels
from acic.campaign.journal import Journal, folder_of, journals
from acic.errors import InvalidInput
from acic.evaluation.plan import Plan
from acic.evaluation.truth import Run
from acic.paths import user_folder
from acic.platforms import Platform, platform_source, read_platform
from acic.space import Configuration
from acic.store.measurement import Outcome

TRIES = 2  # of a run that fails: once more
FINAL = (Outcome.OK, Outcome.CORRUPT)  # no second try mends wrong bytes


def survey_names() -> list[str]:
    """Return the names of the user's surveys, the one that was written to last at the end."""
    return [journal.name for journal in journals(_surveys())]


def _surveys() -> Path:
    return user_folder("state") / "surveys"


def _folder(name: str) -> Path:
    return folder_of(name, _surveys(), kind="survey")


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
        events = ({"event": "ran", **run.content()} for run in done)
        return cls(Journal.create(_folder(name), begun, kind="survey", events=events))

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

    def left(self, tries: int = TRIES) -> Iterator[tuple[int, Configuration, list[Kernel]]]:
        """Yield what is still to be measured, in order, as `Plan.groups` does: what was tried less often than that."""
        done: dict[tuple[Any, ...], int] = {}
        good: set[tuple[Any, ...]] = set()
        for run in self.runs:
            key = (run.repetition, run.configuration, run.kernel, run.scale)
            done[key] = done.get(key, 0) + 1
            good |= {key} if run.outcome in FINAL else set()
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
