"""What is kept from advice when files came back wrong: that configuration, and what has the same software."""

from __future__ import annotations

import numpy as np
import pytest

from acic.advisor.safety import at_fault
from acic.platforms import load_platform
from acic.space import Configuration
from acic.store.bundled import bundled
from acic.store.measurement import Outcome

LAB = load_platform("lab")
POINTS = LAB.space.enumerate()
ALL = [LAB.space.configuration(point) for point in POINTS]


def left_out(*wrong: Configuration) -> list[Configuration]:
    return [ALL[i] for i in np.flatnonzero(at_fault(LAB, POINTS, wrong))]


def find(**values: object) -> Configuration:
    return next(c for c in ALL if all(c.get(name) == value for name, value in values.items()))


def test_the_same_software_on_other_hardware_is_left_out_and_nothing_else() -> None:
    wrong = find(file_system="GlusterFS", stripe_size=4 << 20, servers=2, placement="part-time")
    found = left_out(wrong)
    assert wrong in found
    assert found == [c for c in ALL if (c["file_system"], c.get("stripe_size")) == ("GlusterFS", 4 << 20)]
    assert {c["servers"] for c in found} == {2, 4}
    assert {c["placement"] for c in found} == {"dedicated", "part-time"}


def test_where_the_baseline_has_that_software_only_that_hardware_is_left_out() -> None:
    mode = LAB.baseline["consistency"]
    wrong = next(c for c in ALL if c["file_system"] == "NFS" and c["consistency"] == mode and c != LAB.baseline)
    assert left_out(wrong) == [wrong]


def test_the_baseline_stays() -> None:
    assert left_out(LAB.baseline) == []


def test_what_the_platform_does_not_know_is_passed_over() -> None:
    assert left_out(Configuration(file_system="ZFS")) == []


@pytest.mark.parametrize("name", ["tianhe-lustre"])
def test_where_no_parameter_is_hardware_only_what_was_wrong_is_left_out(name: str) -> None:
    platform = load_platform(name)
    points = platform.space.enumerate()
    wrong = platform.space.configuration(points[-1])
    assert np.flatnonzero(at_fault(platform, points, [wrong])).tolist() == [len(points) - 1]


def test_of_the_bundled_measurements_shards_are_at_fault_and_nothing_else() -> None:
    """GlusterFS's shards are for files of one writer (docs/filesystems.md)."""
    found = left_out(*(m.configuration for m in bundled(LAB) if m.outcome is Outcome.CORRUPT))
    sharded = [c for c in ALL if c["file_system"] == "GlusterFS" and c.get("stripe_size", 1 << 40) != 1 << 40]
    assert found == sharded
