"""Judging methods of choosing a configuration on ground truth: who stays how far behind the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from zlib import crc32

import numpy as np

from acic.advisor.knowledge import Knowledge
from acic.benchmarks.kernels import Part, kernel
from acic.errors import InvalidInput, MissingData
from acic.evaluation.advising import asked, candidates
from acic.evaluation.field import Application, Table, goals_of, table_of
from acic.evaluation.fresh import Fresh, FreshScore
from acic.evaluation.levels import pooled
from acic.evaluation.methods import Method, Scene
from acic.evaluation.noise import Noise, noise_of
from acic.evaluation.observations import Observation, observations
from acic.evaluation.picks import Picks
from acic.evaluation.regret import Score, score
from acic.evaluation.truth import Run, read_truth
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome
from acic.workloads import Workload

GOALS = ("time", "cost")
_FILES: Mapping[Part, tuple[str, str]] = {
    "development": ("truth", "fresh"),
    "test": ("test", "test-fresh"),
    "heldout": ("heldout", "heldout-fresh"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much ground truth there is.

    Args:
        applications: that are judged by; `unasked` ended badly on the baseline, so nobody can ask for advice on them.
        configurations: that can be chosen; `partial` were measured, but not with every application.
        runs: in all, whatever became of them.
        repetitions: good runs of an application on a configuration that can be chosen: the fewest of those that have
            any, and the most.
    """

    applications: int
    unasked: tuple[Application, ...]
    configurations: int
    partial: int
    runs: int
    repetitions: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The best configuration of an application that was measured.

    Args:
        application: which one; processes: how many it has.
        configuration: the best by its median.
        value, baseline: s or USD.
        near: how many configurations are within the noise of it, itself included: any of them may be the best.
    """

    application: Application
    processes: int
    configuration: Configuration
    value: float
    baseline: float
    near: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the ground truth says of the methods, for one goal.

    Args:
        goal: "time" or "cost".
        table: the truth, as far as it can be judged by.
        picks: of each method; several of a random one.
        scores: in the order of `picks`.
        fresh: the same by fresh runs; without methods whose choices were not run again.
        optima: of every application.
    """

    goal: str
    table: Table
    picks: tuple[tuple[Picks, ...], ...]
    scores: tuple[Score, ...]
    fresh: tuple[FreshScore, ...]
    optima: tuple[Optimum, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """What the ground truth says.

    Args:
        platform: whose it is.
        extent: how much of it there is.
        noise: of repeated runs, fresh ones among them, without the levels of their sessions (`pooled`); NaN where
            nothing was repeated.
        judgements: one for each goal.
        observations: the paper's, tested; without prices none on cost.
    """

    platform: Platform
    extent: Extent
    noise: Noise
    judgements: tuple[Judgement, ...]
    observations: tuple[Observation, ...]


def bundled_truth(platform: str, part: Part = "development") -> list[Run]:
    """Return the ground truth that comes with acic for the platform called so.

    Raises:
        MissingData: there is none.
    """
    if not (runs := _bundled(platform, _FILES[part][0])):
        raise MissingData(f"no ground truth comes with acic for {platform}", hint="give a file: --truth FILE")
    return runs


def bundled_fresh(platform: str, part: Part = "development") -> list[Run]:
    """Return the fresh runs that come with acic beside that ground truth; none where there are none."""
    return _bundled(platform, _FILES[part][1])


def bundled_transfer(platform: str) -> list[Run]:
    """Return the runs on another kind of instance that come with acic; none where there are none."""
    return _bundled(platform, "transfer")


def _bundled(platform: str, kind: str) -> list[Run]:
    file = resources.files("acic.evaluation").joinpath("data", f"{platform}-{kind}.parquet")
    if not file.is_file():
        return []
    with resources.as_file(file) as path:
        return read_truth(path)


def evaluate(
    runs: Sequence[Run],
    platform: Platform,
    chosen: Sequence[Method],
    knowledge: Callable[[str], Knowledge],
    *,
    goals: Sequence[str] = GOALS,
    fresh: Sequence[Run] = (),
    logs: Mapping[Application, Workload] | None = None,
    seed: int = 0,
    watch: Callable[[int], None] = lambda _: None,
) -> Evaluated:
    """Return how good the methods are on `runs`.

    Args:
        runs: the ground truth.
        platform: where it was measured.
        chosen: the methods.
        knowledge: what a model learned of the platform's training, by its name.
        goals: "time", "cost" or both.
        fresh: runs of the best few of each application and of what was chosen, made after; none for none.
        logs: what the log of a run on the baseline tells of each application, for advice to ask by, in place of its
            description; applications without are left out. None asks by descriptions.
        seed: of whatever is drawn.
        watch: is told how many methods were judged.

    Raises:
        InvalidInput: a run is of an application or a configuration that this acic does not know.
        MissingData: too little was measured, or "cost" is a goal and the platform has no prices.
    """
    if not runs:
        raise MissingData("the ground truth is empty", hint="measure some: acic survey")
    check_known([*runs, *fresh], platform)
    if logs is not None:
        runs, fresh = ([run for run in those if (run.kernel, run.scale) in logs] for those in (runs, fresh))
    told = dict.fromkeys((*goals_of(platform), *goals))  # observations are of both, whatever is judged
    tables = {goal: candidates(table_of(runs, platform, goal), platform) for goal in told}
    again = {goal: Fresh(fresh, platform, goal) for goal in told}
    noise = noise_of(pooled(runs, fresh))
    questions = {a: asked(a, runs, platform, (logs or {}).get(a)) for a in tables["time"].applications}
    judgements = []
    for number, goal in enumerate(goals):
        scene = Scene(platform=platform, table=tables[goal], asked=questions, knowledge=knowledge, seed=seed)
        found = []
        for done, method in enumerate(chosen, 1):
            found.append(tuple(method.picks(scene)))
            watch(number * len(chosen) + done)
        judgements.append(_judged(scene, found, noise, again[goal]))
    return Evaluated(
        platform=platform,
        extent=_extent(runs, tables["time"]),
        noise=noise,
        judgements=tuple(judgements),
        observations=observations(tables, runs, again["time"], noise=noise.covers, rng=np.random.default_rng(seed)),
    )


def _judged(scene: Scene, picks: Sequence[tuple[Picks, ...]], noise: Noise, again: Fresh) -> Judgement:
    table = scene.table
    baseline = table.configurations.index(scene.platform.baseline)
    fresh = [again.score(one, table, rng=_own(scene.seed, one[0].method), noise=noise.covers) for one in picks]
    return Judgement(
        goal=table.goal,
        table=table,
        picks=tuple(picks),
        scores=tuple(score(one, table, baseline, noise=noise.covers) for one in picks),
        fresh=tuple(one for one in fresh if one is not None),
        optima=tuple(_optima(table, baseline, noise.covers)),
    )


def _own(seed: int, method: str) -> np.random.Generator:
    """Return what a method's intervals are drawn from: of one for all, each hung on what was judged before it."""
    return np.random.default_rng([seed, crc32(method.encode())])


def _optima(table: Table, baseline: int, noise: float) -> Iterable[Optimum]:
    limit = np.exp(np.nan_to_num(noise))
    for application, row in zip(table.applications, table.values, strict=True):
        best = int(row.argmin())
        yield Optimum(
            application=application,
            processes=kernel(*application).processes,
            configuration=table.configurations[best],
            value=float(row[best]),
            baseline=float(row[baseline]),
            near=int((row <= row[best] * limit).sum()),
        )


def _extent(runs: Sequence[Run], table: Table) -> Extent:
    known, chosen = set(table.applications), set(table.configurations)
    good: Counter[tuple[Application, Configuration]] = Counter(
        ((run.kernel, run.scale), run.configuration) for run in runs if run.outcome is Outcome.OK
    )
    mine = [count for (application, one), count in good.items() if application in known and one in chosen]
    return Extent(
        applications=len(known),
        unasked=tuple(sorted({(run.kernel, run.scale) for run in runs} - known)),
        configurations=len(chosen),
        partial=len({run.configuration for run in runs} - chosen),
        runs=len(runs),
        repetitions=(min(mine), max(mine)),
    )


def check_known(runs: Iterable[Run], platform: Platform) -> None:
    """Raise InvalidInput for an application or a configuration that is not known here."""
    for name, scale in {(run.kernel, run.scale) for run in runs}:
        kernel(name, scale)
    for configuration in {run.configuration for run in runs}:
        if problem := platform.space.problem(configuration):
            raise InvalidInput(
                f"the ground truth has a configuration that {platform.name} has not: {problem}",
                hint="give --platform the platform that it was measured on",
            )
