"""What measuring a whole replica gives, of runs whose figures are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.campaign.meter import Meter
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.trial import Trial
from tests.campaign.fakes import FakeTrials, controller, lab_platform
from tests.campaign.test_trials import WRITE


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
