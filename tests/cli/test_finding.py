"""What becomes of the best that a search has found, with runs whose figures are known."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acic.campaign.budget import Budget
from acic.campaign.jobs import Trial
from acic.campaign.meter import Meter
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.request import Where
from acic.cli.finding import search_with
from acic.cli.found_shown import show_found
from acic.cli.searching import Bench
from acic.search import Found, RandomWalk
from acic.space import Value
from acic.workloads import Phase, Workload
from tests.campaign.fakes import FakeTrials, controller, lab_platform
from tests.campaign.test_trials import READ, WRITE

JOB = Workload(name="job", processes=1, phases=(Phase(characteristics=WRITE), Phase(characteristics=READ)))


class Lucky:
    """Bandwidths of which the first that `enable` gives is three times the others; `disable` is best, in truth."""

    def __init__(self) -> None:
        self.made: Counter[Any] = Counter()

    def __call__(self, trial: Trial) -> float:
        which, phase = trial.point.configuration["romio_ds_write"], trial.point.workload
        self.made[which, phase] += 1
        if which == "enable" and self.made[which, phase] == 1:
            return 3e8
        return {"enable": 1e8, "disable": 1.5e8}.get(str(which), 0.9e8)


def searched(folder: Path, trials: FakeTrials, seconds: float, runs: int | None = None) -> tuple[Found, Bench]:
    phases = tuple(phase.characteristics for phase in JOB.phases)
    field = Field(trials.platform, phases)
    made = controller(folder, trials, like=phases, budget=Budget(seconds), repeats=Repeats(1, 3, 0.1))
    request, journal = SimpleNamespace(seed=0, where=Where()), SimpleNamespace(name="mine")
    session: Any = SimpleNamespace(field=field, request=request, journal=journal)
    opened = Bench(session, made, Meter(made, field), phases, JOB)
    with made.at_work():
        return search_with(opened, RandomWalk(), "time", runs), opened


def best_of(found: Found) -> Value:
    assert found.best is not None
    return found.best.configuration["romio_ds_write"]


def test_what_is_left_of_a_budget_tells_a_lucky_run_from_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of single runs was told while budget was left: a search that ends early never repeated anything."""
    trials = FakeTrials(lab_platform(), bandwidth=Lucky())
    with monkeypatch.context() as before:
        before.setattr(Meter, "again", lambda *_: False)
        found, opened = searched(tmp_path / "before", trials, 40.0)
    assert best_of(found) == "enable"
    assert found.best is not None
    assert opened.readings[found.best.configuration].runs == 1
    assert trials.now < 20.0
    trials = FakeTrials(lab_platform(), bandwidth=Lucky())
    found, opened = searched(tmp_path / "now", trials, 40.0)
    assert best_of(found) == "disable"
    assert found.best is not None
    assert found.best == min(found.observations, key=lambda one: one.objective or 0.0)
    runs = {one: reading.runs for one, reading in opened.readings.items()}
    assert 1 < runs[found.best.configuration] <= 3
    assert 1 < runs[found.observations[0].configuration] <= 3
    assert trials.now <= 40.0


@pytest.mark.parametrize("runs", [2, 3, 4])
def test_a_search_goes_on_behind_the_repeats_of_its_best(tmp_path: Path, runs: int) -> None:
    trials = FakeTrials(lab_platform(), bandwidth=Lucky())
    first, _ = searched(tmp_path / "one", trials, 40.0, runs)
    made = len(trials.made)
    assert searched(tmp_path / "one", trials, 40.0, runs)[0] == first
    assert len(trials.made) == made
    assert len(first.observations) == runs
    more, _ = searched(tmp_path / "one", trials, 60.0)
    assert len(more.observations) > runs
    assert best_of(more) == "disable"


def noisy(seed: int, sigma: float, faster: float = 1.0) -> Callable[[Trial], float]:
    """Bandwidths that differ from run to run, and of which `enable` is so many times as fast."""
    rng = np.random.default_rng(seed)

    def bandwidth(trial: Trial) -> float:
        times = faster if trial.point.configuration["romio_ds_write"] == "enable" else 1.0
        return 1e8 * times * float(np.exp(sigma * rng.standard_normal()))

    return bandwidth


@pytest.mark.parametrize("seconds", [12.0, 14.0])  # for the search, and a repeat at most
def test_a_gain_that_is_none_is_doubted(tmp_path: Path, capsys: pytest.CaptureFixture[str], seconds: float) -> None:
    """Of configurations that are all alike, every other search announced one at 1.1 to 1.3x without a word."""
    told, gains = Counter[bool | None](), []
    for seed in range(20):
        trials = FakeTrials(lab_platform(), bandwidth=noisy(seed, 0.1))
        found, opened = searched(tmp_path / str(seed), trials, seconds)
        show_found(opened, found, "time", as_json=True)
        made = json.loads(capsys.readouterr().out)
        told[made["doubtful"]] += 1
        gains += [made["improvement"]] if made["doubtful"] is not None else []
        show_found(opened, found, "time", as_json=False)
        shown = capsys.readouterr().out
        assert ("That is within what runs differ by" in shown or "That may be luck" in shown) is bool(made["doubtful"])
        assert ("luck" in made, made["luck"] is None) == (True, made["doubtful"] is None)
    assert told[False] <= 2
    assert max(gains) > 1.1


@pytest.mark.parametrize(("seconds", "sigma", "once"), [(12.0, 0.02, True), (80.0, 0.02, True), (80.0, 0.1, False)])
def test_a_gain_beyond_luck_is_told_with_the_luck_of_a_single_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seconds: float, sigma: float, once: bool
) -> None:
    """In a quiet campaign a single run is well enough known, whatever is left of the budget."""
    trials = FakeTrials(lab_platform(), bandwidth=noisy(0, sigma, faster=2.0))
    found, opened = searched(tmp_path / "one", trials, seconds)
    assert best_of(found) == "enable"
    show_found(opened, found, "time", as_json=False)
    shown = capsys.readouterr().out
    assert (
        bool(re.search(r"x the baseline\. The best ran once: of \d that are all alike it gains up to ", shown)) is once
    )
    assert "That" not in shown
    show_found(opened, found, "time", as_json=True)
    made = json.loads(capsys.readouterr().out)
    assert made["doubtful"] is False
    assert 0.0 < made["luck"] < made["improvement"] - 1.0
