"""A contract for every method of choosing, and what each of them may look at."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from acic.errors import InvalidInput
from acic.evaluation.advising import asked, candidates
from acic.evaluation.field import Table, table_of
from acic.evaluation.methods import Baseline, Best, Fixed, Method, Random, Scene, family_of, methods
from acic.evaluation.regret import score
from tests.evaluation.pretend import LAB, SIX, knowledge, truth

NAMES = ("model:ridge", "model:cart", "fixed", "fixed-all", "rules", "random", "baseline", "best")


def scene(goal: str = "time", *, values: Table | None = None) -> Scene:
    runs = truth()
    table = candidates(table_of(runs, LAB, goal), LAB) if values is None else values
    questions = {a: asked(a, runs, LAB) for a in table.applications}
    return Scene(platform=LAB, table=table, asked=questions, knowledge=knowledge)


def other_truth(table: Table, rows: list[int] | None = None) -> Table:
    """The same with values of some applications, or all, that have nothing to do with it."""
    values = table.values.copy()
    changed = list(range(len(values))) if rows is None else rows
    values[changed] = np.random.default_rng(5).uniform(1.0, 9.0, values[changed].shape)
    return replace(table, values=values)


@pytest.fixture(params=NAMES)
def method(request: pytest.FixtureRequest) -> Method:
    (one,) = methods([request.param])
    assert one.name == request.param
    assert one.title
    return one


@pytest.mark.parametrize("goal", ["time", "cost"])
def test_every_application_gets_columns_that_are_there_each_once(method: Method, goal: str) -> None:
    here = scene(goal)
    made = method.picks(here)
    assert made
    for picks in made:
        assert (picks.method, picks.title, picks.goal) == (method.name, method.title, goal)
        assert tuple(picks.ranked) == here.table.applications
        for order in picks.ranked.values():
            assert order
            assert len(set(order)) == len(order)
            assert set(order) <= set(range(len(here.table.configurations)))


def test_the_same_scene_gives_the_same_choice(method: Method) -> None:
    assert method.picks(scene()) == method.picks(scene())


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("fixed", "fixed-all", "best")])
def test_who_may_not_look_at_the_truth_chooses_the_same_by_another_one(name: str) -> None:
    (one,) = methods([name])
    here = scene()
    assert one.picks(here) == one.picks(scene(values=other_truth(here.table)))


def test_the_fixed_choice_does_not_look_at_any_scale_of_the_application_that_is_judged() -> None:
    here = scene()
    rows = [i for i, (name, _) in enumerate(here.table.applications) if name == "btio"]
    assert len(rows) == 2
    there = scene(values=other_truth(here.table, rows))
    for application in (("btio", "small"), ("btio", "large")):
        assert Fixed().picks(here)[0].ranked[application] == Fixed().picks(there)[0].ranked[application]
    assert Fixed(all_seen=True).picks(here) != Fixed(all_seen=True).picks(there)
    assert Fixed().picks(here)[0].ranked["pop", "small"] != Fixed().picks(there)[0].ranked["pop", "small"]


def test_who_measured_nothing_but_the_application_stays_with_the_baseline() -> None:
    """The fixed choice was the best for the judged application, as if it had been left out."""
    btio = [one for one in SIX if one.name == "btio"]
    table = candidates(table_of(truth(applications=btio), LAB, "time"), LAB)
    for values in (table, other_truth(table)):
        (picks,) = Fixed().picks(scene(values=values))
        for order in picks.ranked.values():
            assert [table.configurations[column] for column in order] == [LAB.baseline]


def test_a_configuration_that_fails_somewhere_is_no_fixed_choice_while_another_one_is_left() -> None:
    here = scene()
    first = Fixed(all_seen=True).picks(here)[0].ranked["btio", "small"][0]
    values = here.table.values.copy()
    values[here.table.applications.index(("pop", "small")), first] = np.inf
    order = Fixed(all_seen=True).picks(scene(values=replace(here.table, values=values)))[0].ranked["btio", "small"]
    assert order[-1] == first


def test_variants_are_of_one_family() -> None:
    """Without a plain io500, its two were strangers, and each was chosen for by looking at the other."""
    names = ("madbench2", "madbench2-unique", "mad", "one-writer", "io500-easy", "io500-hard")
    applications = [(name, "only") for name in names]
    found = [family_of(a, applications) for a in applications]
    assert found == ["madbench2", "madbench2", "mad", "one-writer", "io500", "io500"]


def test_the_baseline_is_chosen_alone_and_the_best_first() -> None:
    here = scene()
    for application, row in zip(here.table.applications, here.table.values, strict=True):
        (column,) = Baseline().picks(here)[0].ranked[application]
        assert here.table.configurations[column] == LAB.baseline
        order = Best().picks(here)[0].ranked[application]
        assert row[list(order)].tolist() == sorted(row)


def test_a_blind_choice_has_each_configuration_first_as_often() -> None:
    here = scene()
    made = Random().picks(here)
    for application in here.table.applications:
        firsts = [picks.ranked[application][0] for picks in made]
        assert sorted(firsts) == list(range(len(here.table.configurations)))
    found = score(made, here.table, here.table.configurations.index(LAB.baseline), noise=0.1).figures[1]
    wanted = here.table.values.mean(axis=1) / here.table.values.min(axis=1) - 1.0
    assert list(found.regret.values()) == pytest.approx(wanted.tolist())


def test_all_orders_of_a_blind_choice_share_their_numbers() -> None:
    """Each had its own: of 1,000 configurations and 24 applications they filled a gigabyte."""
    configurations = tuple(itertools.islice(LAB.space.configurations(), 300))
    table = Table((("btio", "small"),), configurations, np.ones((1, len(configurations))), "time")
    made = Random().picks(Scene(platform=LAB, table=table, asked={}, knowledge=knowledge))
    assert len({id(column) for picks in made for column in picks.ranked["btio", "small"]}) == len(configurations)


def test_acic_finds_what_the_formula_is_best_with() -> None:
    """Known truth: what was learned from other workloads serves applications that it never saw."""
    here = scene()
    baseline = here.table.configurations.index(LAB.baseline)
    model, fixed = (score(m.picks(here), here.table, baseline, noise=0.1).figures[1] for m in methods(NAMES[:3:2]))
    assert model.median < 0.1
    assert model.failed == model.worse == 0
    assert model.share > 0.9
    assert fixed.median >= 0


def test_all_methods_are_known_by_name_and_others_refused() -> None:
    every = [one.name for one in methods()]
    assert set(NAMES) <= set(every)
    assert len(set(every)) == len(every)
    assert every[0].startswith("model:")
    assert [one.name for one in methods(["best", "fixed", "best"])] == ["best", "fixed"]
    with pytest.raises(InvalidInput, match="no method 'oracle'"):
        methods(["oracle"])


def test_the_pretended_truth_has_something_to_choose() -> None:
    values = scene().table.values
    assert len(SIX) == len(values)
    assert len(set(values.argmin(axis=1).tolist())) > 1
