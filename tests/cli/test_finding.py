"""What becomes of the best that a search has found, with runs whose figures are known."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.campaign.budget import Budget
from acic.campaign.jobs import Trial
from acic.campaign.meter import Meter
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.request import Where
from acic.cli.finding import search_with
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
    session: Any = SimpleNamespace(field=field, request=SimpleNamespace(seed=0, where=Where()))
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
