"""What a campaign measures next: screening, baselines, then samples or the model's own choice, chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

import numpy as np

from acic.campaign.points import WORKLOAD, Field, Rows
from acic.campaign.promising import Advice, promising
from acic.campaign.sampling import FEWEST_PARAMETERS, ordered, sampled
from acic.campaign.screening import log_results, parameter_effects, ranking, screening_rows
from acic.campaign.state import Progress, Stage, State
from acic.errors import MissingData
from acic.space import valid_rows

CHUNK = 48  # points planned at a time: enough to spread them at random, few enough to follow what was learned
MOST_MISSING = 0.1  # of the screening's points, beside which it still ranks
BATCH = 8  # points that the model chooses before it learns from them
TOGETHER = 5  # configurations tried with one workload, so that one baseline serves them all


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans a campaign's points. What it plans depends on the journal's events, the seed and `advice` alone.

    Args:
        field: what there is to measure.
        seed: of every random choice.
        active: let a model choose after the screening.
        screen: begin with a screening.
        points: how many points at most, in all; None for no limit.
        spread: sample all parameters at once, rather than the most important ones first.
        advice: ranks configurations for `active` where deploying costs time; None to learn from this campaign alone.
    """

    field: Field
    seed: int
    active: bool = False
    screen: bool = True
    points: int | None = None
    spread: bool = False
    advice: Advice | None = None

    def next(self, state: State) -> tuple[Stage, Rows] | None:
        """Return the next points to measure, in order; None if there is nothing left."""
        rng = np.random.default_rng([self.seed, len(state.stages)])
        if not state.stages and self.screen:
            stage, rows = Stage.SCREENING, _distinct(screening_rows(self.field))  # constraints make some alike
            rows = rows[ordered(rows, self.field.space, self.field.platform.deployment, rng=rng)]
        elif not state.stages or state.stages == [Stage.SCREENING]:
            stage, rows = Stage.BASELINE, self._baselines(state.rows, state)
        elif self.active:
            stage, rows = Stage.ACTIVE, self._chosen(state, rng)
        else:
            stage, rows = Stage.SAMPLING, self._samples(state, CHUNK, rng)
        room = None if self.points is None else max(0, self.points - len(state.progress))
        if stage in (Stage.SAMPLING, Stage.ACTIVE):
            if not len(rows):
                return None
            rows = self._with_baselines(rows, state, room)
            rows = rows[ordered(rows, self.field.space, self.field.platform.deployment, rng=rng)]
        rows = rows[:room]
        return (stage, rows) if len(rows) or stage is Stage.BASELINE else None

    def sample(self, ranked: Sequence[str], count: int, *, rng: np.random.Generator, done: Rows | None = None) -> Rows:
        """Return `count` new points by rank; those with one workload, in fives, share a baseline."""
        field = self.field
        if field.platform.deployment:
            return self._grid(ranked, count, rng=rng, done=done)
        rows = self._sampled(ranked, count, rng, done)
        width = len(field.workload_names)
        if field.like or not len(rows):
            return rows
        shared = rows.copy()
        shared[:, :width] = rows[np.arange(len(rows)) // TOGETHER * TOGETHER, :width]
        shared = valid_rows(field.sampling_space, shared)
        known = set() if done is None else {row.tobytes() for row in done}
        fresh = {row.tobytes(): i for i, row in reversed(list(enumerate(shared))) if row.tobytes() not in known}
        return shared[sorted(fresh.values())]

    def _grid(self, ranked: Sequence[str], count: int, *, rng: np.random.Generator, done: Rows | None) -> Rows:
        """Return about `count` new points: some workloads on some configurations, for deploying costs time."""
        space = self.field.sampling_space
        side = max(1, math.isqrt(count))
        rows = self._sampled(ranked, count * side, rng, done)
        width = len(self.field.workload_names)
        before = rows[:0] if done is None else done
        workloads = _new_first(rows[:, :width], before[:, :width])
        systems = _new_first(rows[:, width:], before[:, width:])
        systems = systems[: max(side, count // max(1, len(workloads)))]  # of one kind few, of the other more
        workloads = workloads[: max(1, count // max(1, len(systems)))]
        grid = [np.concatenate([workload, system]) for system in systems for workload in workloads]
        grid = list(valid_rows(space, np.array(grid, dtype=np.int8).reshape(-1, rows.shape[1])))
        known = set() if done is None else {row.tobytes() for row in done}
        fresh = [row for row in grid if row.tobytes() not in known]
        return _distinct(np.array(fresh or rows[:count], dtype=np.int8).reshape(-1, rows.shape[1]))

    def _sampled(self, ranked: Sequence[str], count: int, rng: np.random.Generator, done: Rows | None) -> Rows:
        field = self.field
        fewest = len(ranked) if self.spread else FEWEST_PARAMETERS
        return sampled(field.sampling_space, ranked, field.default, count, rng=rng, done=done, fewest=fewest)

    def _samples(self, state: State, count: int, rng: np.random.Generator) -> Rows:
        ranked = state.ranks.get("time") or ranking(self.field, {})
        done = state.rows
        while len(rows := self.sample(ranked, count, rng=rng, done=done)) and state.avoided:
            avoided = np.array([self.field.point(row).configuration in state.avoided for row in rows])
            if not avoided.all():
                return np.asarray(rows[~avoided])
            done = np.vstack([done, rows]) if len(done) else rows
        return rows

    def _chosen(self, state: State, rng: np.random.Generator) -> Rows:
        if self.advice is not None and self.field.platform.deployment:
            rows = promising(self.field, state, self.advice, rng=rng)
            return rows if len(rows) else self._samples(state, BATCH, rng)  # all of that grid is planned already
        from acic.campaign.active import chosen

        return chosen(self.field, state, BATCH, rng=rng)

    def _with_baselines(self, rows: Rows, state: State, room: int | None) -> Rows:
        """Return the samples `rows` and the baselines that they lack: in turn, where there is not room for all."""
        whole = _distinct(np.vstack([self._baselines(rows, state), rows]))  # a sample may be a baseline
        if room is None or len(whole) <= room:
            return whole
        pairs = _distinct(np.stack([self.field.baseline_rows(rows), rows], axis=1).reshape(-1, rows.shape[1]))
        wanted = {row.tobytes() for row in whole}
        return pairs[[row.tobytes() in wanted for row in pairs]][:room]

    def _baselines(self, rows: Rows, state: State) -> Rows:
        """Return the baseline of each workload in `rows` (all workloads, if there are none) that is not planned yet."""
        field = self.field
        if not len(rows):
            start = field.row(field.default)[None, :]
            several = WORKLOAD in field.space.names
            rows = np.repeat(start, len(field.like) if several else 1, axis=0)
            if several:
                rows[:, field.space.names.index(WORKLOAD)] = np.arange(len(field.like))
        wanted = {row.tobytes(): row for row in field.baseline_rows(rows)}
        for row in state.rows:
            wanted.pop(row.tobytes(), None)
        return np.array(list(wanted.values()), dtype=np.int8).reshape(-1, len(field.space.parameters))


def _new_first(rows: Rows, before: Rows) -> Rows:
    """Return each row once, in order, but those that are in `before` last."""
    known = {row.tobytes() for row in np.ascontiguousarray(before)}
    found = _distinct(np.ascontiguousarray(rows))
    return found[np.argsort([row.tobytes() in known for row in found], kind="stable")]


def _distinct(rows: Rows) -> Rows:
    """Return each row once, where it comes first."""
    return rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]


def screened(field: Field, state: State, *, held: int = 1) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
    """Return ranks and effects by goal ("time", and "cost" where no run was free), from the screening runs.

    Machines of each run that were asked for count as `held`, where its processes need fewer.
    """
    runs = [p for p in state.progress if p.stage is Stage.SCREENING]
    by_row = {p.row.tobytes(): p for p in runs}
    in_order = [by_row.get(row.tobytes()) for row in screening_rows(field)]
    figures = [_bandwidth(p) for p in in_order]
    sizes = {"time": parameter_effects(field, log_results(figures))}
    with suppress(MissingData):  # nobody is billed here
        prices = [_price(field, p, held) for p in in_order]
        if 0.0 not in prices:  # which has no logarithm: all runs on a free machine would count as failed
            sizes["cost"] = parameter_effects(field, log_results(figures, lambda i: prices[i]))
    return {goal: ranking(field, effect) for goal, effect in sizes.items()}, sizes


def is_whole(field: Field, state: State) -> bool:
    """Return whether nearly every run of the screening's design gave a figure: a part cannot tell parameters apart."""
    done, whole = screening_measured(field, state)
    return whole - done <= MOST_MISSING * whole


def screening_measured(field: Field, state: State) -> tuple[int, int]:
    """Return how many points of the screening's design gave a figure, and how many it has."""
    measured = {p.row.tobytes() for p in state.progress if p.stage is Stage.SCREENING and p.bandwidths}
    wanted = {row.tobytes() for row in screening_rows(field)}
    return len(wanted & measured), len(wanted)


def _bandwidth(progress: Progress | None) -> float | None:
    return median(progress.bandwidths) if progress and progress.bandwidths else None


def _price(field: Field, progress: Progress | None, held: int) -> float:
    """Return what a second of the run's machines costs, USD; NaN where there was none."""
    if progress is None:
        return math.nan
    point = progress.point
    return field.platform.cost(point.configuration, point.workload.processes, 1.0, held=held)
