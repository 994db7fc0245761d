"""Explanations on a cluster whose truth is known: what they add up to, and that `recommend` says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.changes import Unit
from acic.advisor.explaining import Against, Explanation, explain
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import learn, unmeasured
from acic.advisor.ranking import TIE
from acic.advisor.recommend import recommend
from acic.advisor.sensitivity import Dependence
from acic.advisor.support import _steps
from acic.advisor.whatif import Foresight, changed, log_improvements
from acic.errors import InvalidInput
from acic.models import Describe, Prediction, plain
from acic.models.registry import learner
from acic.platforms import Platform, load_platform
from acic.report.explanation.sentences import difference
from acic.space import Configuration, Parameter, Scale, Value
from acic.store import Measurement
from acic.store.training import TrainingRows, training_table
from acic.units import MIB
from acic.workloads import Access, Operation, Quality, Workload
from acic.workloads.parameters import values_of
from tests.advisor.conftest import WRITE, Crossing, application

READ = replace(WRITE, operation=Operation.READ)
SLACK = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
PHASES = st.sampled_from(
    [
        replace(one, data_size=size * MIB, request_size=request * MIB, access=access)
        for one in (WRITE, READ)
        for size, request in ((16, 1), (64, 4), (256, 16), (100, 7))
        for access in (Access.CONSECUTIVE, Access.UNKNOWN)
    ]
)
WORKLOADS = st.builds(
    lambda phases, compute: application(
        *phases, run=compute + 10.0 * len(phases), io=tuple(float(i + 5) for i in range(len(phases)))
    ),
    st.lists(PHASES, min_size=1, max_size=3),
    st.floats(20, 500),
)


@pytest.fixture(scope="module")
def rows(cluster: Platform, training: list[Measurement]) -> TrainingRows:
    return training_table(training, cluster)


def adds_up(found: Explanation) -> None:
    whole = found.theirs - found.ours
    exact = pytest.approx(whole, abs=1e-9 * found.theirs)
    assert sum(part.saves for part in found.parts) == exact
    assert sum(change.saves for change in found.changes.parts) == exact
    for character in found.characters:
        part = next(part for part in found.parts if part.phase == character.phase)
        assert character.saves == pytest.approx(part.saves, abs=1e-9 * found.theirs)


@SLACK
@given(workload=WORKLOADS, goal=st.sampled_from([Goal.TIME, Goal.COST]), elsewhere=st.booleans())
def test_every_split_adds_up_to_the_difference(
    cluster: Platform, knowledge: Knowledge, workload: Workload, goal: Goal, elsewhere: bool
) -> None:
    for against in (Against.BASELINE, Against.RUNNER_UP):
        adds_up(explain(workload, cluster, knowledge, goal=goal, elsewhere=elsewhere, against=against))


@SLACK
@given(workload=WORKLOADS, elsewhere=st.booleans())
def test_it_explains_what_recommend_says(
    cluster: Platform, knowledge: Knowledge, workload: Workload, elsewhere: bool
) -> None:
    found = explain(workload, cluster, knowledge, elsewhere=elsewhere)
    advice = recommend(workload, cluster, knowledge, top=1, elsewhere=elsewhere)
    assert found.advice == advice
    best = advice.recommendations[0]
    assert best.seconds is not None
    assert found.ours == pytest.approx(best.seconds.value)
    if found.against is Against.BASELINE:
        assert found.theirs == pytest.approx(advice.baseline_seconds)


def test_many_at_once_are_predicted_as_one_by_one(cluster: Platform, training: list[Measurement]) -> None:
    rows = training_table(training, cluster)
    for name in ("forest", "ridge"):
        knowledge = Knowledge(cluster, learn(rows, cluster, learner(name), weight=np.ones(len(rows)), seed=1))
        workloads = [WRITE, READ, replace(WRITE, processes=32, io_processes=8)]
        found = log_improvements(knowledge, workloads)
        for one, mean in zip(workloads, found, strict=True):
            np.testing.assert_allclose(mean, knowledge.effect(one).mean, atol=1e-12)
            np.testing.assert_allclose(log_improvements(knowledge, [one], [3, 5])[0], mean[[3, 5]], atol=1e-12)
            np.testing.assert_allclose(Foresight(knowledge).effect(one).mean, mean, atol=1e-12)


def test_what_hardware_alone_says_is_explained_too() -> None:
    lab = load_platform("lab")
    knowledge = Knowledge(lab, unmeasured(lab))
    workload = application(WRITE, READ, io=(25.0, 20.0))
    workloads = [WRITE, READ]
    for one, mean in zip(workloads, log_improvements(knowledge, workloads), strict=True):
        np.testing.assert_allclose(mean, knowledge.effect(one).mean, atol=1e-12)
    found = explain(workload, lab, knowledge)
    adds_up(found)
    assert found.characters == ()
    assert found.support is None
    assert all(one.levels for one in found.dependences if one.name != "io_processes")


def variants(workload: Workload, one: Dependence) -> list[tuple[Any, Workload]]:
    made = [(what, changed(workload, one.phase, one.name, what.value)) for what in (*one.errors, *one.levels)]
    assert all(other is not None for _, other in made)
    return [(what, other) for what, other in made if other is not None]


def test_what_ifs_say_what_recommend_says_of_the_changed_workload(cluster: Platform, knowledge: Knowledge) -> None:
    workload = application(replace(WRITE, request_size=3 * MIB), READ, io=(25.0, 20.0))
    crossing = Knowledge(cluster, replace(knowledge.learned, predictor=Crossing(knowledge.encoder.columns)))
    every = list(cluster.space.configurations())
    turned = 0
    for model in (knowledge, crossing):
        found = explain(workload, cluster, model)
        for one in found.dependences:
            for what, other in variants(workload, one):
                advice = recommend(other, cluster, model, among=every)
                gain = {r.configuration: r.improvement.value for r in advice.recommendations}
                best, tie = max(gain.values()), 1 + TIE * 45 / 100  # 45 s of 100 s are I/O
                assert what.regret == pytest.approx(best / gain[found.answer] - 1)
                assert what.changes == (best / gain[found.answer] > tie)
                assert best / gain[what.instead] <= tie
                assert what.improvement == pytest.approx(gain[what.instead])
                turned += what.changes
    assert turned


def test_a_known_crossing_is_found(cluster: Platform, knowledge: Knowledge) -> None:
    """Above 2 MiB four servers are best, below one; only the size of requests decides."""
    crossing = Knowledge(cluster, replace(knowledge.learned, predictor=Crossing(knowledge.encoder.columns)))
    found = explain(application(WRITE), cluster, crossing)
    assert found.answer["servers"] == 4
    by_name = {one.name: one for one in found.dependences}
    request = by_name.pop("request_size")
    assert request.below is not None
    assert request.below.value == MIB
    assert request.below.instead["servers"] == 1
    assert request.above is None
    assert request.onward(request.below)
    assert [turn for one in by_name.values() for turn in one.levels if turn.changes and one.name != "data_size"] == []
    small = explain(application(replace(WRITE, request_size=MIB)), cluster, crossing)
    assert small.answer["servers"] == 1
    harm = {one.name: one.harm for one in small.dependences}
    assert max(harm.values()) == 0  # 2 MiB is where both are the same


@SLACK
@given(workload=WORKLOADS)
def test_no_error_helps_and_the_most_harmful_comes_first(
    cluster: Platform, knowledge: Knowledge, workload: Workload
) -> None:
    crossing = Knowledge(cluster, replace(knowledge.learned, predictor=Crossing(knowledge.encoder.columns, 3 * MIB)))
    for model in (knowledge, crossing):
        found = explain(workload, cluster, model)
        for one in found.dependences:
            assert all(what.regret >= 0 for what in (*one.errors, *one.levels))
            assert one.harm == max((what.regret for what in one.errors), default=0)
            assert not {what.value for what in one.errors} & set(one.unmeasured)
        harms = [one.harm for one in found.dependences]
        assert harms == sorted(harms, reverse=True)


def test_the_nearest_values_on_either_side_are_told(cluster: Platform, knowledge: Knowledge) -> None:
    crossing = Knowledge(cluster, replace(knowledge.learned, predictor=Crossing(knowledge.encoder.columns, 8 * MIB)))
    large = explain(application(replace(WRITE, data_size=256 * MIB, request_size=12 * MIB)), cluster, crossing)
    small = explain(application(replace(WRITE, data_size=256 * MIB, request_size=MIB // 2)), cluster, crossing)
    down, up = (next(d for d in found.dependences if d.name == "request_size") for found in (large, small))
    assert [(what.value, what.changes) for what in down.levels] == [(MIB, True), (4 * MIB, True), (16 * MIB, False)]
    assert down.below is not None
    assert (down.below.value, down.above) == (4 * MIB, None)
    assert down.onward(down.below)
    assert up.above is not None
    assert (up.above.value, up.below) == (16 * MIB, None)
    assert large.dependences[0] is down
    assert down.harm > 0
    assert [what.value for what in down.errors if what.regret > 0] == [6 * MIB]


def test_errors_are_half_and_twice_where_that_was_measured(cluster: Platform, knowledge: Knowledge) -> None:
    workload = application(replace(WRITE, data_size=128 * MIB))
    size = next(d for d in explain(workload, cluster, knowledge).dependences if d.name == "data_size")
    assert [what.value for what in size.errors] == [64 * MIB, 256 * MIB]
    assert size.unmeasured == ()
    assert [what.value for what in size.levels] == [16 * MIB, 64 * MIB, 256 * MIB]
    small = next(d for d in explain(application(WRITE), cluster, knowledge).dependences if d.name == "processes")
    assert small.errors == ()
    assert small.unmeasured == (32, 128)


def test_how_well_a_characteristic_is_known_is_told(cluster: Platform, knowledge: Knowledge) -> None:
    workload = application(WRITE)
    doubtful = replace(workload.phases[0], quality={"access": Quality.UNKNOWN, "data_size": Quality.ESTIMATED})
    found = explain(replace(workload, phases=(doubtful,)), cluster, knowledge)
    known = {one.name: one.quality for one in found.dependences}
    assert known["access"] is Quality.UNKNOWN
    assert known["data_size"] is Quality.ESTIMATED
    assert known["processes"] is Quality.EXACT


@dataclass(frozen=True)
class OneDriver:
    """Faster with the column called `driver` and nothing else: as many times as it says, on every candidate."""

    columns: tuple[str, ...]
    driver: str
    system: str

    name = "one driver"
    is_relative = False

    @property
    def looks_at(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(self.columns, [self.driver, self.system]))

    def predict(self, x: NDArray[np.float64]) -> Prediction:
        own, system = (x[:, self.columns.index(name)] for name in (self.driver, self.system))
        return Prediction(0.1 * own * (system > 1), np.zeros(len(x)))

    def explain(self, x: NDArray[np.float64], describe: Describe = plain) -> list[str]:
        return [describe(self.driver, "=", float(x[self.columns.index(self.driver)]))]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}


@pytest.mark.parametrize("driver", ["request_size", "data_size", "operation"])
def test_a_single_driver_gets_all_the_credit(cluster: Platform, knowledge: Knowledge, driver: str) -> None:
    predictor = OneDriver(knowledge.encoder.columns, driver, "servers")
    own = Knowledge(cluster, replace(knowledge.learned, predictor=predictor))
    found = explain(application(WRITE), cluster, own)
    (character,) = found.characters
    assert {cause.name for cause in character.causes if abs(cause.saves) > 1e-9} <= {driver}
    (credited,) = [c for c in found.changes.parts if abs(c.saves) > 1e-9]
    assert "servers" in credited.names
    assert credited.saves == pytest.approx(found.theirs - found.ours)
    assert all(one.harm < 0.01 for one in found.dependences if one.name not in (driver, "data_size"))


def test_the_credit_of_one_driver_is_its_distance_from_the_usual(cluster: Platform, knowledge: Knowledge) -> None:
    predictor = OneDriver(knowledge.encoder.columns, "request_size", "servers")
    own = Knowledge(cluster, replace(knowledge.learned, predictor=predictor))
    (character,) = explain(application(WRITE), cluster, own).characters
    usual = np.mean([np.log2(w.request_size) for w in own.learned.workloads])
    assert character.typical.factor == pytest.approx(np.exp(0.1 * usual))
    assert character.causes[0].factor == pytest.approx(np.exp(0.1 * (np.log2(WRITE.request_size) - usual)))


def test_an_application_is_set_against_many_workloads_where_hardware_is_known_too() -> None:
    """It was one to three, and whatever these had in common with the application was no cause."""
    lab = load_platform("lab")
    learned = replace(unmeasured(lab), workloads=frozenset(replace(READ, io_processes=n) for n in range(1, 9)))
    (character,) = explain(application(WRITE), lab, Knowledge(lab, learned)).characters
    assert character.measured == 8
    assert {"operation", "io_processes"} <= {one.name for one in character.causes if one.factor != 1.0}


def test_the_order_of_phases_does_not_matter(cluster: Platform, knowledge: Knowledge) -> None:
    one, other = (
        explain(application(*phases, io=io), cluster, knowledge)
        for phases, io in (((WRITE, READ), (25.0, 20.0)), ((READ, WRITE), (20.0, 25.0)))
    )
    assert one.answer == other.answer
    assert one.changes == other.changes
    swapped = {None: None, 0: 1, 1: 0}
    assert {(p.phase, p.saves) for p in one.parts} == {(swapped[p.phase], p.saves) for p in other.parts}
    assert {(d.phase, d.name, d.harm) for d in one.dependences} == {
        (swapped[d.phase], d.name, d.harm) for d in other.dependences
    }


def test_staging_out_is_a_part_of_its_own() -> None:
    """In the lab results on ephemeral disks are copied out, which an answer on such disks pays for."""
    lab = load_platform("lab")
    found = explain(
        application(WRITE),
        lab,
        Knowledge(lab, unmeasured(lab)),
        results=480 * MIB,
        keep={"device": "EBS"},
        against=Against.NAMED,
        instead={"device": "ephemeral"},
    )
    adds_up(found)
    (staging,) = [part for part in found.parts if part.what == "staging out"]
    assert staging.saves > 0


def test_twice_the_same_to_the_digit(cluster: Platform, knowledge: Knowledge, rows: TrainingRows) -> None:
    one, two = (explain(application(WRITE, READ, io=(20.0, 10.0)), cluster, knowledge, rows=rows) for _ in range(2))
    assert one == two


def only_valid(cluster: Platform, values: Sequence[dict[str, Value]]) -> None:
    for one in values:
        assert not cluster.space.problem(one), one


def test_changes_lead_from_one_configuration_to_the_other(cluster: Platform, knowledge: Knowledge) -> None:
    found = explain(application(WRITE), cluster, knowledge)
    only_valid(cluster, [dict(found.other), dict(found.answer)])
    made: dict[str, Value | None] = dict(found.other)
    for change in found.changes.parts:
        assert all(made.get(n) == v for n, v in zip(change.names, change.before, strict=True))
        made |= dict(zip(change.names, change.after, strict=True))
    assert {n: v for n, v in made.items() if v is not None} == dict(found.answer)
    assert 2 <= found.changes.possible <= found.changes.between


def test_a_configuration_of_ones_own_is_compared_with(cluster: Platform, knowledge: Knowledge) -> None:
    found = explain(application(WRITE), cluster, knowledge, against=Against.NAMED, instead={"file_system": "NFS"})
    assert found.against is Against.NAMED
    assert found.other["file_system"] == "NFS"
    assert found.other["servers"] == 1
    assert "stripe_size" not in found.other
    asked = recommend(application(WRITE), cluster, knowledge, among=[found.other]).recommendations[0]
    assert asked.seconds is not None
    assert found.theirs == pytest.approx(asked.seconds.value)
    adds_up(found)


def test_values_that_cannot_be_together_are_refused(cluster: Platform, knowledge: Knowledge) -> None:
    with pytest.raises(InvalidInput, match="servers"):
        explain(
            application(WRITE),
            cluster,
            knowledge,
            against=Against.NAMED,
            instead={"file_system": "NFS", "servers": 4},
        )


def test_what_is_not_to_be_had_with_what_is_kept_does_not_tie(cluster: Platform, knowledge: Knowledge) -> None:
    """The baseline was told to tie, and not to be the cheaper one: it was never asked."""
    other = next(v for v in cluster.space["file_system"].values if v != cluster.baseline["file_system"])
    found = explain(application(WRITE), cluster, knowledge, keep={"file_system": other})
    assert found.other == cluster.baseline
    assert not found.tied
    assert "tie" not in difference(replace(found, ours=1.01, theirs=1.0))
    assert "That is a tie" in difference(replace(found, ours=1.01, theirs=1.0, tied=True))


def test_a_front_has_no_one_reason(cluster: Platform, knowledge: Knowledge) -> None:
    with pytest.raises(InvalidInput, match="front"):
        explain(application(WRITE), cluster, knowledge, goal=Goal.PARETO)


def test_what_was_measured_is_found_again(cluster: Platform, knowledge: Knowledge, rows: TrainingRows) -> None:
    near = explain(application(WRITE), cluster, knowledge, rows=rows).support
    assert near is not None
    assert near.workload_steps == 0
    first = near.nearest[0]
    assert first.steps == 0
    assert first.workload == first.configuration == {}
    assert first.runs == 3
    steps = [one.steps for one in near.nearest]
    assert steps == sorted(steps)
    assert near.on_workload == len(cluster.space.enumerate()) - 1
    assert near.on_configuration == len(knowledge.learned.workloads)


def test_distance_is_counted_in_levels(cluster: Platform, knowledge: Knowledge, rows: TrainingRows) -> None:
    one_off = replace(WRITE, processes=32, io_processes=32, access=Access.RANDOM)
    near = explain(application(one_off), cluster, knowledge, rows=rows).support
    assert near is not None
    assert near.workload_steps == pytest.approx(1 + 1 + 1)
    assert near.nearest[0].workload == {k: values_of(WRITE)[k] for k in ("processes", "io_processes", "access")}


def test_levels_are_those_of_the_parameter_s_own_scale() -> None:
    """A number of a platform that may be 0 ended an explanation in a traceback: it has no logarithm."""
    ahead = Parameter(name="ahead", values=(0, 1, 2, 8), scale=Scale.LINEAR)
    size = Parameter(name="size", values=(1, 4, 16), scale=Scale.LOG)
    near: list[dict[str, Value]] = [{"ahead": 0, "size": 4}, {"ahead": 5, "size": 2}]
    far: list[dict[str, Value]] = [{"size": 16}, {"ahead": 8, "size": 64}]
    assert _steps([ahead, size], {"ahead": 0, "size": 4}, [*near, *far]).tolist() == [0.0, 3.0, 2.0, 4.0]


def test_a_measured_gain_is_the_measurements_own(cluster: Platform, knowledge: Knowledge, rows: TrainingRows) -> None:
    found = explain(application(WRITE), cluster, knowledge, rows=rows)
    assert found.support is not None
    own = [m for m in zip(rows.workload, rows.configuration, rows.mean, strict=True) if rows.workloads[m[0]] == WRITE]
    mean: dict[Configuration, float] = {rows.configurations[c]: float(y) for _, c, y in own}
    expected = np.exp(mean[found.answer] - mean[cluster.baseline])
    assert found.support.nearest[0].improvement == pytest.approx(expected)


def test_where_nothing_is_gained_the_runner_up_is_compared(cluster: Platform, knowledge: Knowledge) -> None:
    flat = OneDriver(knowledge.encoder.columns, "request_size", "servers")
    worse = Knowledge(cluster, replace(knowledge.learned, predictor=_Slower(flat)))
    found = explain(application(WRITE), cluster, worse)
    assert found.answer == cluster.baseline
    assert found.against is Against.RUNNER_UP
    assert found.precision is None
    assert found.theirs > found.ours


@dataclass(frozen=True)
class _Slower:
    """Slower than the baseline everywhere."""

    other: OneDriver
    name = "slower"
    is_relative = False

    @property
    def looks_at(self) -> NDArray[np.int64]:
        return self.other.looks_at

    def predict(self, x: NDArray[np.float64]) -> Prediction:
        found = self.other.predict(x)
        return Prediction(-0.1 - found.mean, found.spread)

    def explain(self, x: NDArray[np.float64], describe: Describe = plain) -> list[str]:
        return self.other.explain(x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}


@pytest.mark.parametrize(
    ("run", "share", "seconds"),
    [(100.0, None, None), (None, None, None), (0.0, 0.0, 0.0), (0.0, None, 5.0), (0.0, 0.5, None)],
)
def test_whatever_seconds_are_told_the_parts_add_up(
    cluster: Platform, knowledge: Knowledge, run: float | None, share: float | None, seconds: float | None
) -> None:
    workload = replace(application(WRITE, io=(seconds,), run=run), io_share=share)
    found = explain(workload, cluster, knowledge)
    assert found.unit is Unit.SECONDS
    assert found.theirs > 0
    adds_up(found)


def test_a_changed_workload_stays_one_that_can_be() -> None:
    workload = application(WRITE, replace(READ, io_processes=8), io=(20.0, 20.0))
    fewer = changed(workload, None, "processes", 4)
    assert fewer is not None
    assert fewer.processes == 4
    assert [phase.characteristics.io_processes for phase in fewer.phases] == [4, 4]
    more = changed(workload, None, "processes", 128)
    assert more is not None
    assert [phase.characteristics.io_processes for phase in more.phases] == [128, 8]
    smaller = changed(workload, 0, "data_size", MIB)
    assert smaller is not None
    assert smaller.phases[0].characteristics.request_size == MIB
    assert smaller.phases[1] == workload.phases[1]
    assert changed(workload, 0, "request_size", 65 * MIB) is None
    assert changed(workload, 0, "io_processes", 65) is None
