"""Advice before anything is measured, and what is told of it; and where no hardware is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from acic.advisor.advice import Advice, Verdict
from acic.advisor.cache import fetch, keep
from acic.advisor.forecast import CHOSEN
from acic.advisor.informed import informed
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.advisor.learning import TRUSTED, learn, training_set, unmeasured
from acic.advisor.recommend import recommend
from acic.errors import MissingData
from acic.models.registry import INFORMED, learner
from acic.models.residual import PRIOR
from acic.platforms import Platform, load_platform
from acic.prior import APART, APART_ALIKE, COLUMNS, Use, prior_of
from acic.store import Measurement, Outcome, Repetition
from acic.store.baselines import Baselines
from acic.store.database import Store
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Workload

WHEN = datetime(2026, 11, 21, tzinfo=UTC)
WRITE = Characteristics(
    processes=16,
    io_processes=16,
    interface=Interface.MPIIO,
    iterations=4,
    data_size=4 * MIB,
    request_size=MIB,
    operation=Operation.WRITE,
    collective=True,
    shared=True,
    access=Access.STRIDED,
)
BARE = replace(load_platform("lab"), name="lab-not-measured")  # nothing bundled has this name


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ACIC_STORE", f"sqlite:///{tmp_path}/none.db")


def ask(
    platform: Platform, model: str, announce: Callable[[str], None] = lambda _: None, *, run: float | None = None
) -> tuple[Knowledge, Advice]:
    knowledge = known(platform, model, store=None, trust=Trust(), now=WHEN, announce=announce)
    phase = Phase(characteristics=WRITE, bytes=WRITE.total_bytes)
    share = None if run is None else 0.5
    workload = Workload(name="app", processes=16, phases=(phase,), run_seconds=run, io_share=share)
    return knowledge, recommend(workload, platform, knowledge)


@pytest.mark.parametrize("model", INFORMED)
def test_nothing_measured_is_answered_and_marked(model: str) -> None:
    said: list[str] = []
    _, advice = ask(BARE, model, said.append)
    assert advice.measurements == 0
    assert advice.model == "prior"
    assert advice.verdict is Verdict.VERIFY
    assert any("nothing was measured" in line for line in advice.extrapolated)
    assert any("No measurement" in note and "factor of 2" in note for note in advice.notes)
    assert any("hardware alone answers" in line for line in said)
    best = advice.recommendations[0]
    assert best.io_improvement.low == pytest.approx(best.io_improvement.value / TRUSTED**CHOSEN)
    assert best.io_improvement.high == pytest.approx(best.io_improvement.value * TRUSTED)
    assert "limited by" in best.why[0]


def test_the_run_s_own_seconds_are_used_where_they_are_known() -> None:
    _, advice = ask(BARE, "prior", run=10.0)
    best = advice.recommendations[0]
    assert advice.baseline_seconds == pytest.approx(10.0)
    assert 5.0 < best.seconds.value < 10.0


def test_the_answer_is_the_prior_s_best() -> None:
    knowledge, advice = ask(BARE, "prior")
    prior = prior_of(BARE)
    assert prior is not None
    everything = list(BARE.space.configurations())
    best = prior.log_improvement(WRITE, prior.systems(everything)).max()
    value = advice.recommendations[0].improvement.value
    assert value == pytest.approx(math.exp(best), rel=0.02)  # answers within 1 % of one another are one
    assert knowledge.learned.measurements == 0


def test_models_that_learn_still_need_measurements() -> None:
    with pytest.raises(MissingData, match="nothing can be learned"):
        ask(BARE, "forest")


def test_without_known_hardware_the_prior_says_so_and_others_fall_back() -> None:
    tianhe = load_platform("tianhe-lustre")
    with pytest.raises(MissingData, match="hardware of tianhe-lustre is not known"):
        known(tianhe, "prior", store=None, trust=Trust(), now=WHEN)
    said: list[str] = []
    beside = known(tianhe, "prior+forest", store=None, trust=Trust(), now=WHEN, announce=said.append)
    assert any("prior+forest is forest alone" in line for line in said)
    alone = known(tianhe, "forest", store=None, trust=Trust(), now=WHEN)
    (workload, *_) = alone.learned.workloads
    np.testing.assert_array_equal(beside.effect(workload).mean, alone.effect(workload).mean)
    np.testing.assert_array_equal(beside.effect(workload).high, alone.effect(workload).high)


def made_up(factor: float) -> list[Measurement]:
    """Runs of a made-up lab that is what the prior says, but for OrangeFS, which takes `factor` as long."""
    prior = prior_of(BARE)
    assert prior is not None
    found = []
    chosen = [BARE.baseline, *list(BARE.space.configurations())[::7]]
    for size in (1, 4, 16):
        workload = replace(WRITE, data_size=size * MIB)
        seconds = prior.seconds(workload, prior.systems(chosen))
        for configuration, took in zip(chosen, seconds.tolist(), strict=True):
            wrong = factor if configuration["file_system"] == "OrangeFS" else 1.0
            found.append(
                Measurement(
                    platform=BARE.name,
                    revision=BARE.revision,
                    workload=workload,
                    configuration=configuration,
                    outcome=Outcome.OK,
                    time=WHEN,
                    repetitions=(Repetition(bandwidth=workload.total_bytes / (took * wrong), seconds=took * wrong),),
                    tool="made up",
                )
            )
    return found


def test_what_the_prior_gets_wrong_is_learned_and_kept() -> None:
    rows = training_table(made_up(3.0), BARE)
    chosen = learner("prior+forest")
    learned = learn(rows, BARE, chosen, weight=np.ones(len(rows)), seed=1)
    new = replace(WRITE, data_size=8 * MIB)
    knowledge = Knowledge(BARE, learned)
    prior = prior_of(BARE)
    assert prior is not None
    everything = [BARE.space.configuration(point) for point in knowledge.points]
    expected = prior.log_improvement(new, prior.systems(everything))
    expected -= np.log(3.0) * np.array([one["file_system"] == "OrangeFS" for one in everything])
    assert np.median(np.abs(knowledge.effect(new).mean - expected)) < 0.02
    keep("made-up", learned)
    again = fetch("made-up", chosen)
    assert again is not None
    assert again.errors.kinds.keys() == learned.errors.kinds.keys()
    one, other = (Knowledge(BARE, each).effect(new) for each in (learned, again))
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.low, other.low)


def test_intervals_are_wider_where_an_application_is_not_run_as_benchmarks_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = training_table(made_up(3.0), BARE)
    knowledge = Knowledge(BARE, learn(rows, BARE, learner("prior+forest"), weight=np.ones(len(rows)), seed=1))
    systems = np.array([str(BARE.space.configuration(point)["file_system"]) for point in knowledge.points])
    unlike = np.where(systems == BARE.baseline["file_system"], APART_ALIKE, APART)
    for use, own in ((Use(syncs=16), 0.0), (Use(syncs=0), unlike), (Use(pauses=3, pause=1.0), unlike)):
        found = knowledge.effect(WRITE, use)
        with monkeypatch.context() as patched:
            patched.setattr("acic.advisor.knowledge.APART", 0.0)
            patched.setattr("acic.advisor.knowledge.APART_ALIKE", 0.0)
            before = knowledge.effect(WRITE, use)
        np.testing.assert_array_equal(found.mean, before.mean)
        wider = np.where(before.high > before.low, own, 0.0)  # the baseline's own is none
        np.testing.assert_allclose(found.high - found.mean, np.hypot(before.high - before.mean, wider), atol=1e-12)
        np.testing.assert_allclose(found.mean - found.low, np.hypot(before.mean - before.low, wider), atol=1e-12)


def test_only_those_that_take_it_are_given_the_prior() -> None:
    rows = training_table(made_up(1.0), BARE)
    data = training_set(rows, BARE, Baselines.fit(rows, BARE).improvements(rows), np.ones(len(rows)))
    assert informed(data, rows, BARE, learner("cart")) is data
    beside = informed(data, rows, BARE, learner("prior+forest"))
    assert beside.columns == (*data.columns, *COLUMNS)
    prior = beside.x[:, beside.columns.index(PRIOR)]
    np.testing.assert_allclose(prior, data.y, atol=1e-9)  # made up by the prior itself


def test_what_gave_wrong_bytes_is_never_advised_however_little_was_measured(tmp_path: Path) -> None:
    """It was forgotten where hardware alone answers, which named just that configuration."""
    _, before = ask(BARE, "prior+extra-trees")
    best = before.recommendations[0].configuration
    assert best != BARE.baseline
    url = str(tmp_path / "some.sqlite")
    with Store.open(url) as opened:
        opened.add([replace(made_up(1.0)[0], configuration=best, outcome=Outcome.CORRUPT, repetitions=())])
    knowledge = known(BARE, "prior+extra-trees", store=url, trust=Trust(), now=WHEN)
    assert knowledge.learned.measurements == 0
    assert best not in [BARE.space.configuration(point) for point in knowledge.points]
    assert any("gave back other bytes" in note for note in knowledge.safety_notes())


def test_what_limits_an_answer_is_told_of_the_job_as_it_is_run() -> None:
    """Of a job that never syncs it was told what would limit one that does."""
    prior, knowledge = prior_of(BARE), Knowledge(BARE, unmeasured(BARE))
    assert prior is not None
    details = {"syncs": 0, "collective_buffering": True}
    phase = Phase(characteristics=WRITE, bytes=WRITE.total_bytes, details=details)
    workload = Workload(name="app", processes=16, phases=(phase,), run_seconds=10.0, io_share=0.5)
    (use,) = knowledge.uses(workload)
    found = recommend(workload, BARE, knowledge).recommendations
    assert [one.limits for one in found] == [prior.why(WRITE, one.configuration, use) for one in found]
    assert any(one.limits != prior.why(WRITE, one.configuration) for one in found)
    assert all(one.limits == one.why[0] for one in found)
