"""What measuring a whole replica gives, of runs whose figures are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acic.campaign.jobs import Trial
from acic.campaign.meter import Meter, Reading
from acic.campaign.objective import Objective, computing_of, io_of
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.state import Stage
from acic.store.measurement import Outcome
from acic.workloads import Phase, Workload
from tests.campaign.fakes import FakeTrials, controller, lab_platform
from tests.campaign.test_controller import Killed
from tests.campaign.test_trials import READ, WRITE


@pytest.mark.parametrize(("rates", "seconds"), [((1e6, 3e6), 2 / 3), ((1e6, 2e6, 4e6), 0.5), ((1e6,), 1.0)])
def test_the_seconds_of_several_runs_are_their_median(tmp_path: Path, rates: tuple[float, ...], seconds: float) -> None:
    """Of two runs they were the bytes over the mean of the bandwidths: 0.5 s of 1 s and 0.33 s."""

    def rate(trial: Trial) -> float:
        return rates[trial.number % len(rates)]

    trials = FakeTrials(lab_platform(), bandwidth=rate)
    repeats = Repeats(len(rates), len(rates))
    made = controller(tmp_path / "campaign", trials, like=(WRITE,), repeats=repeats)
    other = {**trials.platform.baseline, "romio_ds_write": "enable"}  # the baseline is run twice at least
    with made.at_work():
        (found,) = Meter(made, Field(trials.platform, (WRITE,))).read([other], [WRITE])
    assert found.seconds == pytest.approx(seconds * WRITE.total_bytes / 1e6)
    assert found.phases == (found.seconds,)


def test_how_far_runs_differ_is_told_of_all_phases_together(tmp_path: Path) -> None:
    """The slowest of each over the fastest of each; nothing is known of it where a phase ran once."""
    rates = {WRITE.operation: (1e6, 2e6), READ.operation: (4e6, 1e6)}

    def rate(trial: Trial) -> float:
        mine = [one for one in trials.made if one.point.workload.operation is trial.point.workload.operation]
        return rates[trial.point.workload.operation][len(mine) - 1]

    trials, phases = FakeTrials(lab_platform(), bandwidth=rate), (WRITE, READ)
    other = {**trials.platform.baseline, "romio_ds_write": "enable"}
    asked: dict[str, Any] = {"like": phases, "repeats": Repeats(1, 2, 1e-9)}
    with (made := controller(tmp_path / "campaign", trials, **asked)).at_work():
        meter = Meter(made, Field(trials.platform, phases))
        (found,) = meter.read([other], phases)
    assert found.differ == pytest.approx((1 + 1) / (1 / 2 + 1 / 4) - 1)
    with (made := controller(tmp_path / "once", trials, like=phases, repeats=Repeats(1, 1))).at_work():
        trials.made.clear()
        (found,) = Meter(made, Field(trials.platform, phases)).read([other], phases)
    assert (found.differ, found.runs) == (None, 1)


def test_repeats_that_were_planned_before_a_kill_are_not_planned_again(tmp_path: Path) -> None:
    """Who went on ran those first, and then as many anew."""
    trials, phases = FakeTrials(lab_platform()), (WRITE, READ)
    field = Field(trials.platform, phases)
    other = {**trials.platform.baseline, "romio_ds_write": "enable"}
    with (made := controller(tmp_path / "campaign", trials, like=phases)).at_work():
        Meter(made, field).read([other], phases)

    def killed(_: Trial) -> float:
        raise Killed

    trials.seconds = killed
    asked: dict[str, Any] = {"like": phases, "repeats": Repeats(3, 3)}
    with pytest.raises(Killed), (made := controller(tmp_path / "campaign", trials, **asked)).at_work():
        Meter(made, field).again(other, phases)
    trials.seconds = lambda _: 1.0
    with (made := controller(tmp_path / "campaign", trials, **asked)).at_work():
        assert Meter(made, field).again(other, phases)
    repeats = [p for p in made.state.progress if p.stage is Stage.REPEAT]
    assert [len(p.attempts) for p in repeats] == [1, 1]


def reading(seconds: float | None) -> Reading:
    baseline = lab_platform().baseline
    return Reading(
        configuration=baseline, seconds=seconds, phases=(seconds,), spent=1.0, dollars=0.0, outcome=Outcome.OK
    )


def test_computing_is_paid_for_and_is_no_part_of_what_was_measured() -> None:
    """A search told all of this by itself, in the command line's own code."""
    platform = lab_platform()
    time, cost = (Objective(platform=platform, goal=goal, processes=3, computing=5.0) for goal in ("time", "cost"))
    found = reading(2.0)
    assert (time(found), time.measured(found), time.with_computing(found)) == (2.0, 2.0, 7.0)
    rate = 3 * 3.6 / 3600  # USD/s of three machines
    assert cost(found) == cost.with_computing(found) == pytest.approx(7.0 * rate)
    assert cost.measured(found) == pytest.approx(2.0 * rate)
    assert replace(cost, price=7.2)(found) == pytest.approx(2 * 7.0 * rate)
    assert [one(reading(None)) for one in (time, cost)] == [None, None]


def test_a_smaller_replica_has_its_part_of_what_the_log_tells() -> None:
    job = Workload(name="job", processes=1, phases=(Phase(characteristics=WRITE),), run_seconds=10.0, io_share=0.2)
    half = [replace(WRITE, data_size=WRITE.data_size // 2)]
    assert (computing_of(job, [WRITE]), io_of(job, [WRITE])) == pytest.approx((8.0, 2.0))
    assert (computing_of(job, half), io_of(job, half)) == pytest.approx((4.0, 1.0))
    untold = replace(job, run_seconds=None, io_share=None)
    assert (computing_of(untold, half), io_of(untold, half)) == (0.0, None)
