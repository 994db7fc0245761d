"""How much training is enough: every order is of the same runs, none is made up, and all of them end alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from acic.errors import InvalidInput, MissingData
from acic.evaluation.learning_curves import PARTS, figure_8, learning_curves, untaught
from acic.evaluation.orders import ORDERS, in_order
from acic.evaluation.taught import Judge, judge_of, taught
from acic.evaluation.training import Training, training_of
from acic.models.registry import learner
from acic.space import Configuration
from acic.store.bundled import bundled
from acic.store.measurement import Outcome
from tests.evaluation.made_up import LAB, kernels_truth


@pytest.fixture(scope="module")
def training() -> Training:
    return training_of(bundled(LAB), LAB)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return judge_of(kernels_truth(configurations=40), LAB, "time")


def test_the_screening_is_found_among_the_measurements(training: Training) -> None:
    assert training.screened.sum() == 40  # a folded-over design of 19 parameters
    assert set(training.ranks) == {*LAB.space.names, *LAB.training}
    assert training.depth.max() <= len(training.ranks)
    assert (training.depth[training.screened] > 10).all()


def test_seconds_are_those_of_the_measurements(training: Training) -> None:
    spent = sum(r.seconds or 0.0 for m in bundled(LAB) for r in m.repetitions)
    assert training.seconds.sum() == pytest.approx(spent)
    assert (training.seconds > 0).all()


def test_baselines_are_of_the_same_workload_on_the_baseline(training: Training) -> None:
    rows = training.rows
    for row in np.flatnonzero(training.baseline >= 0):
        base = training.baseline[row]
        assert rows.workload[base] == rows.workload[row]
        assert rows.configurations[rows.configuration[base]] == LAB.baseline
    lacking = {rows.workload[i] for i in np.flatnonzero(training.baseline < 0)}
    with_one = {rows.workload[i] for i in np.flatnonzero(training.baseline >= 0)}
    assert not lacking & with_one


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_has_every_run_once_and_a_workloads_baseline_first(training: Training, name: str) -> None:
    order = in_order(training, ORDERS[name](training, np.random.default_rng(1)))
    assert sorted(order) == list(range(len(training)))
    place = np.argsort(order)
    known = training.baseline >= 0
    assert (place[training.baseline[known]] <= place[known]).all()
    if name != "active":  # it fits some thirty models; a minute of tests
        assert_array_equal(order, in_order(training, ORDERS[name](training, np.random.default_rng(1))))
        assert (order != in_order(training, ORDERS[name](training, np.random.default_rng(2)))).any()


def test_the_papers_plan_screens_first_and_goes_down_the_ranks(training: Training) -> None:
    order = ORDERS["paper"](training, np.random.default_rng(0))
    assert training.screened[order[:40]].all()
    assert (np.diff(training.depth[order[40:]]) >= 0).all()


def test_even_orders_are_more_even_than_chance(training: Training) -> None:
    def crowded(name: str) -> float:
        """Chance that two of the first 40 runs have the same value of a parameter, over parameters and seeds."""
        found = []
        for seed in range(5):
            first = training.levels[ORDERS[name](training, np.random.default_rng(seed))[:40]]
            found.append(np.mean([((np.bincount(column) / len(column)) ** 2).sum() for column in first.T]))
        return float(np.mean(found))

    assert crowded("sobol") < crowded("random")
    assert crowded("latin hypercube") < crowded("random")


def test_what_gave_wrong_bytes_is_never_advised(training: Training, judge: Judge) -> None:
    unsafe = {m.configuration for m in bundled(LAB) if m.outcome is Outcome.CORRUPT}
    assert unsafe & set(judge.table.configurations)
    everything = np.ones(len(training))
    learned = taught(training.rows, LAB, learner("cart"), weight=everything, believed=everything > 0, seed=0)
    for order in judge.orders(learned).values():
        assert not unsafe & {judge.table.configurations[column] for column in order}


def test_all_orders_end_alike_and_seeds_repeat(training: Training, judge: Judge) -> None:
    curves = learning_curves(training, judge, orders=["paper", "random"], models=["cart"], seeds=1)
    assert [one.name for one in curves] == ["cart, paper", "cart, random"]
    assert curves[0].middle[-1] == curves[1].middle[-1]
    assert curves[0].spent == tuple(part * len(training) for part in PARTS)
    assert (curves[0].spent[0], curves[0].middle[0]) == (0.0, np.median(judge.untaught()))
    assert curves == learning_curves(training, judge, orders=["paper", "random"], models=["cart"], seeds=1, processes=2)


def test_minutes_are_those_of_the_machine(training: Training, judge: Judge) -> None:
    (curve,) = learning_curves(training, judge, orders=["random"], models=["cart"], seeds=1, minutes=True)
    assert_allclose(curve.spent[-1], training.seconds.sum() / 60.0)


def test_figure_8_tells_what_the_training_takes(training: Training, judge: Judge) -> None:
    regret, runs, minutes = figure_8(training, judge, models=["cart"], seeds=1)
    assert regret.spent == tuple(range(1, len(training.ranks) + 1))
    assert runs.name == "runs"
    assert runs.middle[-1] == len(training)
    assert minutes.middle[-1] == pytest.approx(training.seconds.sum() / 60.0)
    assert (np.diff(runs.middle) >= 0).all()
    assert (np.diff(minutes.middle) >= 0).all()
    assert np.isnan(regret.middle[0])  # of three runs nothing is learned: a gap, no figure of CART's
    assert np.isfinite(regret.middle[-1])


def test_in_cost_figure_8_tells_what_the_training_costs(training: Training) -> None:
    in_cost = judge_of(kernels_truth(configurations=40), LAB, "cost")
    *_, dollars = figure_8(training, in_cost, models=["nearest"], seeds=1)
    rows = training.rows
    paid = sum(
        LAB.cost(rows.configurations[c], rows.workloads[w].processes, float(s))
        for w, c, s in zip(rows.workload, rows.configuration, training.seconds, strict=True)
    )
    assert dollars.name == "USD"
    assert dollars.middle[-1] == pytest.approx(paid)


def test_where_nothing_is_learned_a_prior_answers_and_other_models_change_nothing(judge: Judge) -> None:
    assert untaught(judge, "cart") == np.median(judge.untaught())
    assert untaught(judge, "prior+extra-trees") < untaught(judge, "cart")


def test_runs_on_other_machines_do_not_hide_the_screening(training: Training) -> None:
    own = bundled(LAB)
    other = replace(own[0], configuration=Configuration({**own[0].configuration, "instance_type": "lab.1g"}))
    more = training_of([*own, other], LAB)
    assert more.ranks == training.ranks
    assert more.screened.sum() == 40
    assert len(more) == len(training) + 1


def test_without_a_screening_there_are_no_ranks(training: Training) -> None:
    some = [m for m in bundled(LAB) if m.configuration != LAB.baseline][:-30]
    with pytest.raises(MissingData, match="screening"):
        training_of(some[::2], LAB)
    assert len(training)


def test_an_order_that_there_is_not_is_refused(training: Training, judge: Judge) -> None:
    with pytest.raises(InvalidInput, match="no order"):
        learning_curves(training, judge, orders=["luck"])
