"""Replayed runs are runs that were made, and a search can ask for no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData
from acic.evaluation.replay import Replay, measured_space, replay_of
from acic.search.repair import drawn_values, neighbours, usual_values
from acic.space import Configuration, repaired
from acic.store.measurement import Outcome
from tests.evaluation.made_up import LAB, SLOW, truth

seeds = st.integers(0, 10_000)
some = st.sets(st.sampled_from(SLOW), min_size=1, max_size=40).map(lambda found: sorted(found, key=str))


def made(seed: int = 0, **more: float) -> Replay:
    return replay_of(truth(seed=seed, **more), LAB, "time")  # type: ignore[arg-type]  # checked by the callee


@given(
    seed=seeds,
    repetitions=st.integers(1, 4),
    failing=st.sampled_from([0.0, 0.3]),
    lost=st.sampled_from([0.3, 0.7, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_only_figures_that_were_measured_come_back_each_run_once(
    seed: int, repetitions: int, failing: float, lost: float
) -> None:
    """Where some passes failed, only the others came back."""
    runs = truth(seed=seed, repetitions=repetitions, failing=failing, lost=lost)
    replay = replay_of(runs, LAB, "time")
    for application in replay.applications:
        session = replay.begin(application, rng=np.random.default_rng(seed))
        for configuration in replay.configurations(application):
            known = [r.total for r in runs if (r.kernel, r.scale, r.configuration) == (*application, configuration)]
            again = [session.measure([configuration])[0].objective for _ in range(repetitions)]
            assert sorted(map(str, again)) == sorted(map(str, known))
            if known[0] is not None:
                assert not session.left(configuration)
                with pytest.raises(InvalidInput, match="no more runs"):
                    session.measure([configuration])


@given(measured=some)
@settings(max_examples=20, deadline=None)
def test_exactly_what_was_measured_is_valid(measured: Sequence[Configuration]) -> None:
    space = measured_space(LAB.space, measured)
    assert set(space.configurations()) == set(measured)
    for configuration in SLOW:
        assert (space.problem(configuration) == "") == (configuration in measured)


@given(measured=some, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_every_wish_is_repaired_to_something_measured(measured: Sequence[Configuration], seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = measured_space(LAB.space, measured)
    assert repaired(space, drawn_values(space, rng)) in measured
    here = measured[0]
    for name in space.names:
        around = neighbours(space, here, name, usual_values(space, here))
        assert set(around) <= set(measured) - {here}


def test_a_wish_that_was_not_measured_becomes_the_most_similar_that_was() -> None:
    measured = SLOW[::3]
    space = measured_space(LAB.space, measured)

    def alike(one: Configuration | None, other: Configuration) -> int:
        return sum(one.get(name) == value for name, value in other.items()) if one else -1

    for wish in set(SLOW) - set(measured):
        made_of = repaired(space, {**usual_values(space, LAB.baseline), **wish})
        assert alike(made_of, wish) == max(alike(one, wish) for one in measured)


def test_a_wish_that_was_measured_is_left_as_it_is() -> None:
    space = measured_space(LAB.space, SLOW[:20])
    for configuration in SLOW[:20]:
        assert repaired(space, {**usual_values(space, LAB.baseline), **configuration}) == configuration


def test_regret_is_of_the_medians_and_none_for_the_best() -> None:
    replay = made()
    for i, application in enumerate(replay.table.applications):
        row = replay.table.values[i]
        assert replay.regret(application, replay.table.configurations[int(row.argmin())]) == 0.0
        for configuration, value in zip(replay.table.configurations, row, strict=True):
            assert replay.regret(application, configuration) == pytest.approx(value / row.min() - 1.0)


def test_wrong_bytes_once_are_a_failure_always() -> None:
    runs = truth(applications=1)
    spoilt = runs[-1].configuration
    runs[-1] = replace(runs[-1], outcome=Outcome.CORRUPT, seconds=None)
    replay = replay_of(runs, LAB, "time")
    application = replay.applications[0]
    session = replay.begin(application, rng=np.random.default_rng(0))
    assert [session.measure([spoilt])[0].objective for _ in range(3)] == [None] * 3
    assert replay.regret(application, spoilt) == np.inf


def test_what_fails_in_most_passes_is_infinitely_bad_though_a_run_of_it_may_go_well() -> None:
    replay = replay_of(truth(repetitions=3, failing=0.4, lost=0.7), LAB, "time")
    once = [(key, taken) for key, taken in replay.single.items() if np.isinf(taken).any()]
    assert once
    for (application, configuration), taken in once:
        assert np.isfinite(taken).sum() == 1
        assert replay.regret(application, configuration) == np.inf
    assert all(replay.single[application, LAB.baseline] for application in replay.applications)


def test_cost_is_what_the_platform_bills() -> None:
    runs = truth(repetitions=1)
    seconds, dollars = (replay_of(runs, LAB, goal) for goal in ("time", "cost"))
    application = seconds.applications[0]
    for configuration in seconds.configurations(application):
        took = seconds.single[application, configuration][0]
        assert dollars.single[application, configuration][0] == pytest.approx(LAB.cost(configuration, 1, took))
        assert dollars.value(application, configuration) == dollars.single[application, configuration][0]


def test_an_application_without_its_baseline_cannot_be_begun() -> None:
    runs = [r for r in truth() if r.kernel != "made-up-1" or r.configuration != LAB.baseline]
    runs = [r for r in runs if r.kernel != "made-up-2" or r.configuration == LAB.baseline]
    assert replay_of(runs, LAB, "time").applications == (("made-up-0", "only"),)


def test_what_was_not_measured_is_refused() -> None:
    replay = made()
    application = replay.applications[0]
    absent = next(c for c in SLOW if c not in replay.configurations(application))
    with pytest.raises(MissingData):
        replay.regret(application, absent)
    with pytest.raises(InvalidInput, match="was not measured"):
        replay.begin(application, rng=np.random.default_rng(0)).measure([absent])
    with pytest.raises(InvalidInput):
        measured_space(LAB.space, [])
