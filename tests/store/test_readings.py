"""Over which runs of the baseline a measurement is told: those of its own conditions, as far as there are any."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from acic.platforms import Platform
from acic.space import Configuration
from acic.store import Measurement
from acic.store.baselines import Baselines
from acic.store.readings import DAY, Readings
from acic.store.training import training_table
from tests.store.samples import EPOCH, lustre
from tests.store.test_baselines import run

BASELINE, STRIPED = lustre(), lustre(stripe_count=8)


def at(hours: float, log: float, configuration: Configuration = BASELINE, **changes: Any) -> Measurement:
    made = run(log, 0.01, configuration=configuration)
    return replace(made, time=EPOCH + timedelta(hours=hours), **changes)


def improvements(them: list[Measurement], platform: Platform) -> list[float]:
    """Return those of what was not measured on the baseline, in their order."""
    rows = training_table(them, platform)
    return list(Baselines.fit(rows, platform).improvements(rows).mean[~rows.on(platform.baseline)])


def test_a_busy_day_is_held_against_its_own_baseline(tianhe: Platform) -> None:
    """What was no better on a quiet Monday was "2x" once the baseline had been verified on a busy Tuesday."""
    monday = [at(0, 20.0), at(1, 20.0, configuration=STRIPED)]
    tuesday = [at(30 + i, 19.3 + 0.2 * (i % 2), configuration=(BASELINE, STRIPED)[i % 2]) for i in range(6)]
    assert_allclose(improvements([*monday, *tuesday], tianhe), [0.0, 0.2, 0.2, 0.2], atol=1e-9)


def test_what_is_measured_after_an_upgrade_is_told_over_what_was(tianhe: Platform) -> None:
    """A file system that was upgraded to three times its rate made all that was measured after it 3x."""
    old = [at(i, 20.0, revision="2022-01") for i in range(3)]
    new = [at(2, 21.1), at(3, 21.2, configuration=STRIPED), at(1, 20.3, configuration=STRIPED, revision="2022-01")]
    assert_allclose(improvements([*old, *new], tianhe), [0.1, 0.3], atol=1e-9)


def test_one_contributors_runs_are_told_over_their_own_baseline(tianhe: Platform) -> None:
    ours = [at(0, 20.0), at(1, 20.1, configuration=STRIPED)]
    theirs = [at(0, 22.0, contributor="other"), at(1, 22.2, configuration=STRIPED, contributor="other")]
    third = [at(1, 21.5, configuration=STRIPED, contributor="without a baseline")]
    assert_allclose(improvements([*ours, *theirs, *third], tianhe), [0.1, 0.2, 0.5], atol=1e-9)


def test_what_the_baseline_gives_today_is_told_by_the_newest_revision(tianhe: Platform) -> None:
    rows = [at(0, 20.0, revision="2022-01"), at(1, 20.0, revision="2022-01"), at(2, 21.0)]
    assert_allclose(Baselines.fit(rows, tianhe).estimate(rows[0].workload).log_bandwidth, 21.0)


def test_the_error_is_that_of_the_runs_it_is_told_over(tianhe: Platform) -> None:
    quarrel = [at(0, 20.0), at(1, 21.0), at(2, 22.0), at(3, 20.0, configuration=STRIPED)]
    later = [at(80 + i, 20.0) for i in range(3)] + [at(80, 20.0, configuration=STRIPED)]
    rows = training_table([*quarrel, *later], tianhe)
    first, last = Baselines.fit(rows, tianhe).improvements(rows).sigma[~rows.on(tianhe.baseline)]
    assert first > 10 * last


times = st.lists(st.integers(0, 200), min_size=1, max_size=8)


@given(hours=times, behind=st.data(), asked=st.integers(0, 200), scale=st.sampled_from([0.0, 1.0]))
def test_some_are_always_comparable_and_none_is_nearer(
    hours: list[int], behind: st.DataObject, asked: int, scale: float
) -> None:
    count = len(hours)
    readings = Readings(
        workload=np.zeros(count, dtype=np.int64),
        mean=np.arange(count, dtype=np.float64) * np.float64(scale),
        spread=np.zeros(count),
        repetitions=np.ones(count, dtype=np.int64),
        time=np.array(hours) * 3600.0,
        behind=np.array(behind.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))),
        contributor=np.array(behind.draw(st.lists(st.sampled_from("ab"), min_size=count, max_size=count))),
    )
    everything = np.arange(count)
    revision, name = behind.draw(st.integers(0, 2)), behind.draw(st.sampled_from("abc"))
    found = readings.comparable(everything, revision, name, asked * 3600.0)
    assert len(found)
    assert len(set(readings.behind[found])) == 1
    same = [i for i in everything if readings.behind[i] == readings.behind[found[0]]]
    own = [i for i in same if readings.contributor[i] == name] or same
    nearest = min(abs(readings.time[i] - asked * 3600.0) for i in own) if scale else math.inf
    assert set(found) == {i for i in own if abs(readings.time[i] - asked * 3600.0) <= nearest + DAY}


def test_runs_that_agree_count_together_whenever_they_were_made(tianhe: Platform) -> None:
    """The nearest one alone has the noise of a single run."""
    runs = [at(0, 20.0), at(100, 20.08), at(200, 20.04), at(0, 20.5, configuration=STRIPED)]
    assert_allclose(improvements(runs, tianhe), [20.5 - 20.04], atol=1e-9)
