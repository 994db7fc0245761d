"""Measuring in the loop, replayed: how near the best each strategy comes with how many real runs of the application.

Figure 9 of Liu et al., SC13, section 5.5 (`FIGURE_9`), and beyond: `loops` gives curves of regret over runs, `needed`
how many runs it takes. A strategy is a function of `STRATEGIES`: a `Trail`. All begin with a run of the baseline,
which counts: a search compares with it, and acic is asked with its log. The answer of a strategy after some runs rests
on these runs alone, noise and all; its regret is that of the medians.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import inf
from statistics import median
from types import MappingProxyType
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.evaluation.field import Application
from acic.evaluation.parallel import spread
from acic.evaluation.picks import Curve
from acic.evaluation.replay import Replay, Session
from acic.search import Observation, PbWalk, Search, Tpe
from acic.search.registry import STRATEGIES as SEARCHES
from acic.space import Configuration

Floats = NDArray[np.float64]

RUNS = 40  # of one search at most
SEEDS = 10  # as many orders as the paper's random walk has
WITHIN = 0.05
WIDEST = 8  # configurations that successive halving begins with, the baseline among them
FIGURE_9 = ("random-walk", "pb-walk", "model")  # the paper's: a seed is an order; by ranks; what the model advises
_LOW, _HIGH = 0.1, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What is known before the first run.

    Args:
        ranked: for each application the columns of the truth's table as acic advises them, best first; only the
            strategies `model` and `halving` look at it.
        ranks: parameters as the screening of the training ranks them, most important first; for `pb-walk`.
    """

    ranked: Mapping[Application, Sequence[int]]
    ranks: Sequence[str] = ()


Trail = Callable[[Replay, Application, Before, int, np.random.Generator, Session], "list[Configuration | None]"]
"""Returns what it holds to be best after each run, at most as many as the number given; None while all have failed."""


def regrets(
    replay: Replay, before: Before, name: str, *, runs: int = RUNS, seeds: int = SEEDS, processes: int = 1
) -> Floats:
    """Return the regret after each run, shape (seeds, applications, runs); inf while every run has failed.

    A strategy that has ended keeps its answer. With one seed all strategies meet the same noise.

    Args:
        replay: answers for runs; its `applications` are those of the second axis.
        before: what is known before the first run.
        name: of `STRATEGIES`.
        runs: of one search at most, >= 1.
        seeds: how many searches for each application, >= 1.
        processes: of this machine, that share the seeds; the figures do not depend on it.

    Raises:
        InvalidInput: no such strategy, a count that is not positive, or no application to begin with.
    """
    if name not in STRATEGIES:
        raise InvalidInput(f"there is no strategy {name!r}", hint=f"choose among {', '.join(STRATEGIES)}")
    if min(runs, seeds) < 1:
        raise InvalidInput(f"{runs} runs and {seeds} seeds were asked for", hint="give at least one of each")
    if not replay.applications:
        raise InvalidInput("no application was measured on the baseline and elsewhere", hint="measure more")
    return np.array(spread(partial(_of_seed, replay, before, name, runs), range(seeds), processes=processes))


def needed(found: Floats, *, within: float = WITHIN) -> Floats:
    """Return after how many runs the median application stays within `within` of the best, for each seed; inf: never.

    Args:
        found: of `regrets`, shape (seeds, applications, runs).
        within: 0.05 is 5 %.
    """
    there = np.flip(np.logical_and.accumulate(np.flip(found <= within, axis=2), axis=2), axis=2)  # from then on
    first = np.where(there.any(axis=2), there.argmax(axis=2) + 1.0, inf)
    return np.quantile(first, 0.5, axis=1, method="higher")  # between a number and never there is nothing


def curve(name: str, found: Floats) -> Curve:
    """Return the median over the applications, against runs; its middle, low and high are over the seeds."""
    medians = np.quantile(found, 0.5, axis=1, method="higher")
    return curve_over(name, np.arange(1, found.shape[2] + 1), medians)


def curve_over(name: str, spent: Iterable[float], figures: Floats) -> Curve:
    """Return the curve of `figures`, shape (seeds, points), over what was spent: each value is that of a seed.

    Low and high are the quantiles' outer neighbours: of up to ten seeds the least and the largest.
    """
    low = np.quantile(figures, _LOW, axis=0, method="lower")
    middle, high = (np.quantile(figures, q, axis=0, method="higher") for q in (0.5, _HIGH))
    line = tuple(map(float, spent))
    return Curve(name=name, spent=line, middle=tuple(middle), low=tuple(low), high=tuple(high))


def loops(
    replay: Replay,
    before: Before,
    *,
    names: Sequence[str] = (),
    runs: int = RUNS,
    seeds: int = SEEDS,
    processes: int = 1,
) -> tuple[Curve, ...]:
    """Return the curve of each strategy called; of all that can be run here, where none is called."""
    names = names or available()
    return tuple(curve(n, regrets(replay, before, n, runs=runs, seeds=seeds, processes=processes)) for n in names)


def available() -> tuple[str, ...]:
    """Return the strategies that can be run here: Optuna is an extra."""
    return tuple(name for name in STRATEGIES if name != Tpe.name or find_spec("optuna"))


def _of_seed(replay: Replay, before: Before, name: str, runs: int, seed: int) -> Floats:
    trail = STRATEGIES[name]
    rows = np.empty((len(replay.applications), runs))
    for row, application in zip(rows, replay.applications, strict=True):
        own = crc32(" ".join(application).encode())
        session = replay.begin(application, rng=np.random.default_rng([seed, own]))
        rng = np.random.default_rng([seed, own, crc32(name.encode())])
        answers = trail(replay, application, before, runs, rng, session)[:runs]
        after = [inf if answer is None else replay.regret(application, answer) for answer in answers]
        row[:] = [*after, *[after[-1]] * (runs - len(after))]
    return rows


def _top(
    replay: Replay, application: Application, before: Before, runs: int, _: np.random.Generator, session: Session
) -> list[Configuration | None]:
    """Run the baseline and what acic advises, one after the other, and keep the fastest."""
    return _fastest_so_far(session.measure(_to_run(replay, application, before)[:runs]))


def _halving(
    replay: Replay, application: Application, before: Before, runs: int, _: np.random.Generator, session: Session
) -> list[Configuration | None]:
    """Run the baseline and the best that acic advises once each, the better half once more, and so on; by medians.

    Source: Jamieson & Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", 2016;
    the resource is the number of repetitions. It ends where no more repetitions were measured.
    """
    first = session.measure(_to_run(replay, application, before)[: min(WIDEST, runs)])
    answers = _fastest_so_far(first)
    seen = {one.configuration: [one.objective] for one in first if one.objective is not None}
    alive = list(seen)
    while len(alive) > 1:
        alive = sorted(alive, key=lambda c: median(seen[c]))[: len(alive) // 2]
        again = [c for c in alive if session.left(c)]
        if not again:
            break
        for one in session.measure(again):
            seen[one.configuration].append(one.objective or inf)
            answers.append(min(alive, key=lambda c: median(seen[c])))
    return answers


def _searched(
    make: Callable[[Before], Search],
    replay: Replay,
    application: Application,
    before: Before,
    runs: int,
    rng: np.random.Generator,
    session: Session,
) -> list[Configuration | None]:
    """Let a strategy of `acic.search` ask for runs of what was measured."""
    found = make(before).run(
        replay.space(application), replay.platform.baseline, session.measure, rng=rng, max_runs=runs
    )
    return _fastest_so_far(found.observations)


def _fastest_so_far(observations: Sequence[Observation]) -> list[Configuration | None]:
    least, answer, answers = inf, None, []
    for one in observations:
        if one.objective is not None and one.objective < least:
            least, answer = one.objective, one.configuration
        answers.append(answer)
    return answers


def _to_run(replay: Replay, application: Application, before: Before) -> list[Configuration]:
    """Return the baseline, and then what acic advises of what was measured with the application, best first.

    Raises:
        InvalidInput: nothing is advised for it.
    """
    order = [replay.table.configurations[column] for column in before.ranked.get(application, ())]
    measured = set(replay.configurations(application))
    advised = [c for c in order if c in measured]
    if not advised:
        raise InvalidInput(f"nothing is advised for {' '.join(application)}", hint="rank its configurations first")
    return list(dict.fromkeys((replay.platform.baseline, *advised)))


def _pb_walk(before: Before) -> Search:
    return PbWalk(ranks=before.ranks)


def _plain(search: Search) -> Trail:
    return partial(_searched, partial(_itself, search))


def _itself(search: Search, _: Before) -> Search:
    return search


_OWN: Mapping[str, Trail] = {  # that know more before the first run than a search does
    "model": _top,
    "halving": _halving,
    PbWalk.name: partial(_searched, _pb_walk),
}
STRATEGIES: Mapping[str, Trail] = MappingProxyType(
    {**_OWN, **{one.name: _plain(one) for one in SEARCHES if one.name not in _OWN}}
)
"""By name: what acic advises, run in two ways, and the searches that `acic.search` has."""
