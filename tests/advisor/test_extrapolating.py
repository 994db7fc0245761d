"""What no measurement has is said, and never a reason to change without verifying."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acic.advisor.advice import Verdict
from acic.advisor.knowledge import Knowledge
from acic.advisor.ranges import Range
from acic.advisor.recommend import recommend
from acic.platforms import load_platform
from acic.space import Configuration
from tests.advisor.conftest import WRITE, application
from tests.evaluation.pretend import LAB, knowledge

SLOW, FAST = "lab.400m", "lab.1g"  # the pretended measurements are all of the first
SAID = f"instance_type {FAST}: measured was {SLOW}"
WORKLOAD = application(WRITE)


def test_a_value_that_no_measurement_has_is_outside_of_what_was_measured() -> None:
    assert knowledge().outside_system(Configuration(dict(LAB.baseline) | {"instance_type": FAST})) == [SAID]
    assert knowledge().outside_system(LAB.baseline) == []


def test_a_parameter_is_named_as_it_is_typed_and_a_characteristic_in_words() -> None:
    """A line spoke of romio ds read, beside a table and commands with romio_ds_read."""
    lustre, learned = load_platform("tianhe-lustre"), knowledge().learned
    learned = replace(learned, systems={"romio_ds_read": Range(0.0, 0.0, ("automatic",))})
    few = Knowledge(lustre, learned, lustre.space.point(lustre.baseline)[np.newaxis])
    changed = Configuration(dict(lustre.baseline) | {"romio_ds_read": "enable"})
    assert few.outside_system(changed) == ["romio_ds_read enable: measured was automatic"]
    assert "I/O processes of 64: measured was 8" in few.outside(WRITE)


def test_what_rests_on_such_a_value_is_to_be_verified() -> None:
    several = [one for one in LAB.space.configurations() if one["instance_type"] == FAST][:40]
    found = recommend(WORKLOAD, LAB, knowledge(), among=several)
    assert found.recommendations[0].configuration["instance_type"] == FAST
    assert SAID in found.extrapolated
    assert found.verdict is not Verdict.CHANGE


def test_what_was_measured_is_no_extrapolation_of_the_system() -> None:
    measured = [one for one in LAB.space.configurations() if one["instance_type"] == SLOW]
    found = recommend(WORKLOAD, LAB, knowledge(), among=measured)
    assert not [line for line in found.extrapolated if "instance_type" in line]
