"""Budgets, repetitions, and the journal that all of it is read back from."""

from __future__ import annotations

import dataclasses
import math
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from acic.campaign.attempt import Attempt, attempt_of, event_of
from acic.campaign.budget import Budget, Expectation, residual
from acic.campaign.comparison import improvement
from acic.campaign.controller import USED_UP, Controller
from acic.campaign.jobs import Trial
from acic.campaign.journal import Journal
from acic.campaign.points import Field, Point
from acic.campaign.repeats import Repeats, UsualNoise, half_width, luck
from acic.campaign.screening import screening_rows
from acic.campaign.state import Stage, replay
from acic.campaign.student import student
from acic.errors import InvalidInput
from acic.store.measurement import Outcome
from acic.units import format_seconds, format_usd
from acic.workloads import Interface
from tests.campaign.fakes import FakeTrials, controller, good, lab_platform
from tests.campaign.laboratory import table
from tests.campaign.test_trials import WRITE

seeds = st.integers(0, 2**32 - 1)
slowly = settings(deadline=None, max_examples=20)
samples = st.lists(st.floats(1e3, 1e12), min_size=1, max_size=20)


def spread(seed: int, low: float, high: float) -> Any:
    """A rule that gives each run a number between `low` and `high`, by its number."""
    return lambda trial: float(np.random.default_rng([seed, trial.number]).uniform(low, high))


@slowly
@given(seed=seeds, budget=st.floats(0, 200))
def test_a_budget_of_time_is_never_overspent_by_more_than_a_run(seed: int, budget: float) -> None:
    with TemporaryDirectory() as folder:
        trials = FakeTrials(lab_platform(), seconds=spread(seed, 0.2, 6))
        made = controller(Path(folder) / "c", trials, budget=Budget(seconds=budget), repeats=Repeats(1, 5))
        made.run()
        assert made.state.seconds <= budget + 6
        assert made.state.ended
        assert all(p.stored for p in made.state.progress if p.attempts)
        if budget > 20 and len(made.state.progress) > len(made.state.attempts):
            assert made.state.seconds >= budget - 12  # and what can be used of it is


@slowly
@given(seed=seeds, budget=st.floats(0, 0.2))
def test_a_budget_of_money_is_never_overspent_by_more_than_a_run(seed: int, budget: float) -> None:
    """3.60 USD per hour and node: a second of two nodes is 0.2 cents."""
    with TemporaryDirectory() as folder:
        trials = FakeTrials(lab_platform(), seconds=spread(seed, 0.2, 6))
        made = controller(Path(folder) / "c", trials, budget=Budget(dollars=budget))
        made.run()
        assert made.state.dollars == pytest.approx(sum(a.dollars for _, a in made.state.attempts))
        assert made.state.dollars <= budget + 6 * 2 * 0.001
        assert made.state.ended


class Queueing(FakeTrials):
    """Trials whose machines are given to them after a minute, which is paid by nobody."""

    def run(self, trial: Trial) -> Attempt:
        attempt = super().run(trial)
        self.now += 60.0
        return dataclasses.replace(attempt, elapsed=attempt.elapsed + 60.0, overhead=60.0)


def test_what_is_spent_in_a_queue_uses_up_time_and_no_money(tmp_path: Path) -> None:
    """What the next run costs was expected to be what all of its wait would."""
    made = controller(tmp_path / "c", Queueing(lab_platform()), budget=Budget(dollars=0.05))
    made.run()
    assert made.state.ended == USED_UP
    assert 0.05 - 2 * 0.001 <= made.state.dollars <= 0.05 + 1e-9
    assert made.state.seconds == pytest.approx(61.0 * len(made.state.attempts))


def test_what_a_job_waits_for_in_a_queue_does_not_lengthen_its_time_limit(tmp_path: Path) -> None:
    """Jobs of a second were given twenty minutes after a minute in the queue, which a partition may refuse for ever."""
    trials = Queueing(lab_platform())
    controller(tmp_path / "c", trials, budget=Budget(points=4)).run()
    assert {trial.time_limit for trial in trials.made[1:]} == {60.0}


def test_a_run_that_hangs_is_ended_when_the_budget_is_and_is_no_time_out_of_its_point(tmp_path: Path) -> None:
    """One that began in the last seconds of an hour that was paid already took 20 times what was expected of it."""
    trials = FakeTrials(lab_platform(), seconds=lambda t: 1.0 if t.number < 5 else t.time_limit)
    trials.outcome = lambda t: Outcome.OK if t.number < 5 else Outcome.TIMEOUT
    made = controller(tmp_path / "c", trials, budget=Budget(seconds=10.0))
    made.run()
    assert made.state.ended == USED_UP
    assert made.state.seconds <= 10.0
    assert all(attempt.outcome is Outcome.OK for _, attempt in made.state.attempts)


@pytest.mark.parametrize("money", [False, True], ids=["time", "money"])
@pytest.mark.parametrize(("seconds", "times"), [(60, 5), (7, 3), (5, 2)])
def test_a_budget_for_few_points_goes_into_repetitions(tmp_path: Path, seconds: float, times: int, money: bool) -> None:
    """It was divided by 150 points, however few there were: all were run once, and most of it was left."""
    like = (dataclasses.replace(WRITE, interface=Interface.POSIX),)  # files are all that makes a difference
    trials = FakeTrials(lab_platform(), bandwidth=spread(0, 1e8, 4e8))
    price = trials.dollars(Point(like[0], trials.platform.baseline), seconds)
    budget, repeats = Budget(dollars=price) if money else Budget(seconds=seconds), Repeats(1, 5, 0.01)
    made = controller(tmp_path / "c", trials, budget=budget, like=like, repeats=repeats, screen=False)
    made.run()
    assert [len(p.attempts) for p in made.state.progress] == [times, times]


@slowly
@given(
    seed=seeds,
    factor=st.floats(0.1, 10),
    covers=st.floats(0.3, 3),
    fewest=st.integers(1, 3),
    money=st.booleans(),
)
def test_no_point_is_run_again_where_the_rest_of_the_screening_or_its_baselines_then_do_not_fit(
    seed: int, factor: float, covers: float, fewest: int, money: bool
) -> None:
    """Baselines were, all points by --repeats, and cheap ones that came first: the end of the screening was not run.

    And points of the screening were, so that nothing was left for the baselines, without which it teaches nothing.
    """
    platform = lab_platform()
    field, expected = Field(platform), Expectation(platform)
    screening = {field.point(row) for row in screening_rows(field)}
    wanted = screening | {Point(point.workload, platform.baseline) for point in screening}
    assert wanted > screening
    trials = FakeTrials(platform, good, lambda t: factor * expected.seconds(t.point), spread(seed, 1e7, 1e9))
    once = {point: factor * expected.seconds(point) for point in wanted}
    price = {point: trials.dollars(point, seconds) for point, seconds in once.items()}
    limit = covers * sum((price if money else once).values())
    budget = Budget(dollars=limit) if money else Budget(seconds=limit)
    with TemporaryDirectory() as folder:
        made = controller(Path(folder) / "c", trials, budget=budget, repeats=Repeats(fewest, 5, 0.01), seed=seed)
        made.run()
    spent = made.state.dollars if money else made.state.seconds
    assert spent <= limit * (1 + 1e-9)
    if covers >= 1 + 1e-9:
        assert {trial.point for trial in trials.made} >= wanted
    else:
        assert len({trial.point for trial in trials.made}) == len(trials.made)


def test_baselines_that_a_limit_of_points_leaves_out_keep_nothing_back(tmp_path: Path) -> None:
    rows = {row.tobytes() for row in screening_rows(Field(lab_platform()))}
    trials = FakeTrials(lab_platform(), bandwidth=spread(0, 1e8, 4e8))
    budget = Budget(seconds=2.0 * len(rows), points=len(rows))
    controller(tmp_path / "c", trials, budget=budget, repeats=Repeats(2, 2)).run()
    assert len(trials.made) == 2 * len(rows)


def test_a_budget_is_spread_over_no_more_points_than_a_search_asks_for(tmp_path: Path) -> None:
    trials = FakeTrials(lab_platform(), bandwidth=spread(0, 1e8, 4e8))
    budget, repeats = Budget(seconds=21), Repeats(1, 5, 0.01)
    made = controller(tmp_path / "c", trials, budget=budget, like=(WRITE,), repeats=repeats)
    rows = made._field.space.enumerate()[:5]
    with made.at_work():
        made.expect(len(rows))
        assert [len(p.attempts) for p in made.measure(rows)] == [4] * 5


def test_an_unlimited_campaign_measures_everything_once(tmp_path: Path) -> None:
    trials = FakeTrials(lab_platform())
    made = controller(tmp_path / "c", trials, screen=False)
    assert made.run() == "everything there is to measure has been measured"
    rows = {p.row.tobytes() for p in made.state.progress}
    assert rows == {row.tobytes() for row in Field(lab_platform()).sampling_space.enumerate()}
    assert len(trials.made) == len(rows)


@pytest.mark.parametrize("screen", [False, True])
def test_a_campaign_that_ends_at_its_number_of_points_says_so(tmp_path: Path, screen: bool) -> None:
    """It said that everything had been measured."""
    made = controller(tmp_path / "c", FakeTrials(lab_platform()), budget=Budget(points=3), screen=screen)
    assert made.run() == "the limit of 3 points is reached"
    assert len(made.state.progress) == 3


MONEY = [("50USD", 50.0), ("$50", 50.0), ("50 $", 50.0), ("0.5 usd", 0.5), (" $12.25 ", 12.25)]


@pytest.mark.parametrize(("text", "dollars"), MONEY)
def test_a_budget_of_money_is_read(text: str, dollars: float) -> None:
    assert Budget.parse(text) == Budget(dollars=dollars)


@given(seconds=st.integers(1, 10**6), dollars=st.integers(1, 10**6))
def test_a_budget_reads_back_what_it_says(seconds: int, dollars: int) -> None:
    assert Budget.parse(f"{seconds}s") == Budget(seconds=float(seconds))
    assert Budget.parse(format_usd(dollars)) == Budget(dollars=float(dollars))
    assert Budget.parse(str(Budget(seconds=seconds))).seconds == pytest.approx(seconds, rel=0.01)
    assert str(Budget(seconds, dollars, 7)) == f"{format_seconds(seconds)} and {format_usd(dollars)} and 7 points"


amounts = st.one_of(st.integers(1, 10**9), st.decimals("0.001", "1000000", places=3))


@given(amount=amounts, unit=st.sampled_from(["ns", "ms", "s", "min", "h", "d", "USD"]))
def test_the_larger_budget_that_is_offered_is_twice_as_much(amount: object, unit: str) -> None:
    budget = Budget.parse(f"{amount}{unit}")
    offered = Budget.parse(budget.doubled())
    for mine, twice in ((budget.seconds, offered.seconds), (budget.dollars, offered.dollars)):
        assert twice == (None if mine is None else pytest.approx(2 * mine, rel=1e-14))
    assert re.fullmatch(r"\d+(\.\d*[1-9])?(s|USD)", budget.doubled())


@given(allowed=amounts, spent=st.floats(1e-6, 1e9), unit=st.sampled_from(["s", "USD"]))
def test_the_larger_budget_that_is_offered_covers_what_was_spent_already(
    allowed: object, spent: float, unit: str
) -> None:
    """--resume --budget 10s, after 5 min, offered 20 s more: as little as before."""
    text = Budget.parse(f"{allowed}{unit}").doubled(spent, spent)
    offered = Budget.parse(text)
    assert offered.covers(spent, spent)
    assert offered.left(spent, spent) >= 0.49
    assert re.fullmatch(r"\d+(\.\d*[1-9])?(s|USD)", text)


@pytest.mark.parametrize("text", ["", "much", "-5min", "5 parsecs", "USD", "$", "5USDs", "10min 50USD", "nan", "inf"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no budget") as told:
        Budget.parse(text)
    assert "10min" in told.value.hint


@pytest.mark.parametrize("text", ["0s", "0h", "0USD", "$0"])
def test_a_budget_of_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="covers nothing") as told:
        Budget.parse(text)
    assert "--dry-run" not in told.value.hint  # which most commands with a budget do not have


@given(spent=st.floats(0, 100), dollars=st.floats(0, 100), of=st.floats(0, 100), money=st.floats(0, 100))
def test_what_is_left_is_a_part_and_what_is_covered_leaves_something(
    spent: float, dollars: float, of: float, money: float
) -> None:
    budget = Budget(of, money)
    assert 0 <= budget.left(spent, dollars) <= 1
    assert budget.covers(spent, dollars) == (spent <= of and dollars <= money)
    assert budget.left(spent, dollars) == 0 or budget.covers(spent, dollars)
    assert Budget().covers(spent, dollars)
    assert Budget().left(spent, dollars) == 1


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@given(paid=st.floats(0, 1e6), given_=st.one_of(st.none(), st.floats(0, 1e4)))
def test_the_residual_of_a_paid_hour(paid: float, given_: float | None) -> None:
    """Whole hours from when the machines were started; what the user allows besides cuts it, and never lengthens it."""
    found = residual(Budget(seconds=given_, points=9), since=NOW - timedelta(seconds=paid), now=NOW)
    assert found.seconds is not None
    assert 0 <= found.seconds <= 3600
    assert found.points == 9
    if given_ is None:
        assert (paid + found.seconds) % 3600 == pytest.approx(0, abs=1e-3) or (paid + found.seconds) % 3600 > 3599.9
    else:
        assert found.seconds <= given_


def test_machines_started_in_the_future_are_refused() -> None:
    with pytest.raises(InvalidInput, match="in the future"):
        residual(Budget(), since=NOW + timedelta(seconds=1), now=NOW)


@given(bandwidths=samples, noise=st.floats(0, 2), more=st.floats(0, 2))
def test_more_noise_never_means_fewer_runs(bandwidths: list[float], noise: float, more: float) -> None:
    assert half_width(bandwidths, noise) <= half_width(bandwidths, noise + more) * (1 + 1e-12)
    repeats = Repeats(1, 100, 0.1)
    assert repeats.enough(bandwidths, noise) or not repeats.enough(bandwidths, noise + more)


@given(bandwidth=st.floats(1e3, 1e12), part=st.floats(0.001, 1), wider=st.floats(1, 10), count=st.integers(1, 6))
def test_a_point_that_scatters_more_is_run_more(bandwidth: float, part: float, wider: float, count: int) -> None:
    def pairs(width: float) -> list[float]:
        return [bandwidth * math.exp(width), bandwidth * math.exp(-width)] * count

    assert half_width(pairs(part), 0.1) <= half_width(pairs(part * wider), 0.1) * (1 + 1e-9)


@given(bandwidth=st.floats(1e3, 1e12), noise=st.floats(0.001, 1), count=st.integers(1, 30))
def test_each_run_tells_more(bandwidth: float, noise: float, count: int) -> None:
    """From the third run on; the second turns a mean into a mean of two, the third into a median, which costs some."""
    if count != 2:
        assert half_width([bandwidth] * (count + 1), noise) < half_width([bandwidth] * count, noise)
    assert half_width([bandwidth] * 40, noise) < half_width([bandwidth] * 2, noise)


def test_a_mean_of_three_or_more_is_better_known_than_their_median() -> None:
    logs = [half_width([1e8, 1.1e8, 0.9e8], 0.1, of_mean=mean) for mean in (False, True)]
    assert math.log1p(logs[0]) / math.log1p(logs[1]) == pytest.approx(math.sqrt(math.pi / 2))
    assert half_width([1e8, 1.1e8], 0.1) == half_width([1e8, 1.1e8], 0.1, of_mean=True)


@given(bandwidths=st.lists(st.floats(1e3, 1e12), max_size=12), noise=st.floats(0, 5), data=st.data())
def test_the_floor_and_the_cap_hold(bandwidths: list[float], noise: float, data: st.DataObject) -> None:
    fewest = data.draw(st.integers(1, 5))
    repeats = Repeats(fewest, data.draw(st.integers(fewest, 10)), data.draw(st.floats(0, 1)))
    if len(bandwidths) < repeats.fewest:
        assert not repeats.enough(bandwidths, noise)
    if len(bandwidths) >= repeats.most:
        assert repeats.enough(bandwidths, noise)


@given(scale=st.floats(1e-3, 1e3), bandwidths=samples, noise=st.floats(0, 1))
def test_the_width_does_not_depend_on_the_unit(scale: float, bandwidths: list[float], noise: float) -> None:
    assert half_width([b * scale for b in bandwidths], noise) == pytest.approx(half_width(bandwidths, noise), rel=1e-6)


@given(seed=seeds, sigma=st.floats(0.01, 1))
def test_the_usual_noise_is_learned(seed: int, sigma: float) -> None:
    rng, noise = np.random.default_rng(seed), UsualNoise()
    for _ in range(300):
        noise.learn(np.exp(rng.normal(rng.uniform(5, 20), sigma, 3)).tolist())
    assert noise.value == pytest.approx(sigma, rel=0.25, abs=0.01)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of 2000 points run three times with the usual noise, about 80 % of medians are within the half width."""
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(2000):
        runs = np.exp(rng.normal(0, 0.1, 3)).tolist()
        inside += abs(math.log(median(runs))) <= math.log1p(half_width(runs, 0.1))
    assert 0.76 < inside / 2000 < 0.9


@given(freedom=st.integers(1, 10_000))
def test_student_is_student(freedom: int) -> None:
    assert student(freedom) == pytest.approx(t.ppf(0.9, freedom), rel=2e-4)


@given(freedom=st.integers(4, 10_000), quantile=st.floats(0.9, 0.999))
def test_student_is_student_further_out(freedom: int, quantile: float) -> None:
    assert student(freedom, quantile) == pytest.approx(t.ppf(quantile, freedom), rel=1e-2)


@pytest.mark.parametrize("freedom", [1, 2])
def test_student_is_exact_for_the_least(freedom: int) -> None:
    assert student(freedom, 0.99) == pytest.approx(t.ppf(0.99, freedom))


def learned(sigma: float, points: int) -> UsualNoise:
    rng, noise = np.random.default_rng(0), UsualNoise()
    for _ in range(points):
        noise.learn(np.exp(rng.normal(20, sigma, 2)).tolist())
    return noise


@pytest.mark.parametrize("runs", [(1, 2), (1, 1), (3, 3)])
@pytest.mark.parametrize("others", [1, 5, 30])
def test_the_best_of_equals_gains_no_more_than_luck_in_nine_of_ten_searches(runs: tuple[int, int], others: int) -> None:
    rng, most = np.random.default_rng(1), math.log1p(luck(learned(0.1, 300), runs, others))
    best = np.median(rng.normal(0, 0.1, (4000, others, runs[0])), axis=2).max(axis=1)
    baseline = np.median(rng.normal(0, 0.1, (4000, runs[1])), axis=1)
    assert 0.88 < (best - baseline <= most).mean() < 0.98  # they share the baseline, so it is a little more than 0.9


@given(sigma=st.floats(0.01, 1), points=st.integers(0, 20), runs=st.integers(1, 5), others=st.integers(1, 100))
def test_luck_falls_with_runs_and_rises_with_what_there_is_to_choose_from(
    sigma: float, points: int, runs: int, others: int
) -> None:
    noise = learned(sigma, points)
    told = luck(noise, (runs, runs), others)
    assert told > 0
    assert luck(noise, (runs, runs), others + 1) > told
    assert luck(noise, (2 * runs + 1, runs), others) < told


@given(ratios=st.lists(st.floats(0.1, 10), min_size=2, max_size=40))
def test_the_interval_of_an_improvement_is_students(ratios: list[float]) -> None:
    found = improvement(ratios, [1.0] * len(ratios))
    assert found is not None
    logs = np.log(ratios)
    half = t.ppf(0.9, len(ratios) - 1) * logs.std(ddof=1) / math.sqrt(len(ratios))
    assert math.log(found.high / found.low) == pytest.approx(2 * half, rel=1e-3, abs=1e-12)


@slowly
@given(seed=seeds, sigma=st.floats(0.001, 0.6))
def test_noisy_points_are_run_more_often_within_the_limits(seed: int, sigma: float) -> None:
    with TemporaryDirectory() as folder:
        trials = FakeTrials(lab_platform(), bandwidth=lambda t: 1e8 * math.exp(spread(seed, -sigma, sigma)(t)))
        made = controller(
            Path(folder) / "c", trials, budget=Budget(points=40), repeats=Repeats(2, 4, 0.1), screen=False
        )
        made.run()
        counts = {len(p.attempts) for p in made.state.progress}
        assert min(counts) >= 2
        assert sigma < 0.3 or max(counts) > 2
        assert max(counts) <= 4


def mixed(seed: int) -> Any:
    """A rule: some runs fail, now and then bytes are wrong."""

    def outcome(trial: Trial) -> Outcome:
        chance = spread(seed, 0, 1)(trial)
        return Outcome.FAILED if chance < 0.2 else Outcome.CORRUPT if chance > 0.97 else Outcome.OK

    return outcome


def done(folder: Path, seed: int, active: bool = False) -> Controller:
    trials = FakeTrials(lab_platform(), mixed(seed), spread(seed, 0.1, 3), spread(seed + 1, 1e7, 1e9))
    made = controller(folder, trials, budget=Budget(points=45), repeats=Repeats(1, 3), verify=0.2, active=active)
    made.run()
    return made


@settings(deadline=None, max_examples=5)
@given(seed=seeds, data=st.data())
def test_any_beginning_of_a_journal_is_a_campaign_that_can_go_on(seed: int, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        made = done(whole, seed)
        field = Field(lab_platform())
        lines = (whole / "journal.jsonl").read_bytes().splitlines(keepends=True)
        for length in (*range(1, len(lines), 7), len(lines)):
            cut = Path(folder) / "cut"
            cut.mkdir(exist_ok=True)
            (cut / "journal.jsonl").write_bytes(b"".join(lines[:length]))
            state = replay(Journal.open(cut).events(), field)
            assert all(p.closed for p in state.progress if p.stored)
            assert len(state.attempts) + (state.open_run is not None) == state.runs
            assert state.seconds == pytest.approx(sum(a.elapsed for _, a in state.attempts))
        assert table(state) == table(made.state)
        length = data.draw(st.integers(1, len(lines)))
        (cut / "journal.jsonl").write_bytes(b"".join(lines[:length]))
        known = table(replay(Journal.open(cut).events(), field))
        resumed = controller(
            cut, FakeTrials(lab_platform()), budget=Budget(points=45), repeats=Repeats(1, 3), verify=0.2
        )
        resumed.run()
        assert resumed.state.ended or resumed.state.paused
        kept = [(old, new) for old, new in zip(known, table(resumed.state), strict=False) if old[2]]
        assert all(old == new for old, new in kept)


@settings(deadline=None, max_examples=5)
@given(seed=seeds)
def test_what_is_read_back_is_what_was_known(seed: int) -> None:
    with TemporaryDirectory() as folder:
        made = done(Path(folder) / "c", seed)
        told = replay(Journal.open(Path(folder) / "c").events(), Field(lab_platform()))
        assert table(told) == table(made.state)
        for one in dataclasses.fields(told):
            if one.name not in ("progress", "begun"):
                assert getattr(told, one.name) == getattr(made.state, one.name), one.name
        for _, attempt in told.attempts:
            assert attempt_of(event_of(attempt, 3)) == attempt


def test_a_decision_after_a_resume_is_the_one_before(tmp_path: Path) -> None:
    """What is expected of runs, and so how often points are run, follows the runs in their order."""
    made = done(tmp_path / "c", 11)
    again = controller(tmp_path / "c", FakeTrials(lab_platform()), budget=Budget(points=45))
    with again.at_work():
        assert again._spending._expectation.__dict__ == made._spending._expectation.__dict__
        assert again._spending._noise.__dict__ == made._spending._noise.__dict__
        assert again._attempts._checked == made._attempts._checked


fields = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda name: name not in ("event", "version", "self")),
    st.one_of(st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.none(), st.lists(st.text())),
    max_size=5,
)


@given(events=st.lists(fields, max_size=20))
def test_a_journal_reads_back_what_was_written(events: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        journal = Journal.create(Path(folder) / "c", {"seed": 1})
        for number, event in enumerate(events):
            journal.append(f"kind {number}", **event)
        first, *rest = journal.events()
        assert first["seed"] == 1
        assert rest == [{"event": f"kind {n}", **e} for n, e in enumerate(events)]


def test_a_search_goes_on_where_it_was(tmp_path: Path) -> None:
    rows = Field(lab_platform()).sampling_space.enumerate()[::97][:8]
    for asked in (5, 8):
        trials = FakeTrials(lab_platform())
        made = controller(tmp_path / "c", trials)
        with made.at_work():
            found = made.measure(rows[:asked])
        assert [p.row.tolist() for p in found] == rows[:asked].tolist()
        assert {p.stage for p in found} == {Stage.SEARCH}
        assert len(trials.made) == (5 if asked == 5 else 3)
    other = controller(tmp_path / "c", FakeTrials(lab_platform()))
    with other.at_work(), pytest.raises(InvalidInput, match="was another search"):
        other.measure(rows[1:])
