"""What is kept from advice when files came back wrong: that configuration, and what has the same software."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.safety import ENOUGH, Unsafe, at_fault, several_writers, unsafe_of
from acic.platforms import load_platform
from acic.space import Configuration
from acic.store.bundled import bundled
from acic.store.lessons import Lesson, bundled_compared
from acic.store.measurement import Measurement, Outcome
from acic.workloads import Characteristics, Interface, Operation, Phase, Quality, Workload
from tests.advisor.conftest import measurement
from tests.advisor.test_lessons import FILES, lessons

LAB = load_platform("lab")
POINTS = LAB.space.enumerate()
ALL = [LAB.space.configuration(point) for point in POINTS]


def left_out(*wrong: Configuration) -> list[Configuration]:
    return [ALL[i] for i in np.flatnonzero(at_fault(LAB, POINTS, wrong))]


def find(**values: object) -> Configuration:
    return next(c for c in ALL if all(c.get(name) == value for name, value in values.items()))


SHARDS = {"file_system": "GlusterFS", "stripe_size": 4 << 20}
TOGETHER = replace(FILES, operation=Operation.WRITE, shared=True)
APART = replace(FILES, operation=Operation.WRITE)


def wrong_with(configuration: Configuration, *, shared: bool = True) -> Measurement:
    made = measurement(LAB, TOGETHER if shared else APART, configuration, 1.0)
    return replace(made, outcome=Outcome.CORRUPT, repetitions=())


def right_with(configuration: Configuration, *, shared: bool = False) -> Lesson:
    (one, *_) = lessons(TOGETHER if shared else APART)
    return replace(one, configuration=configuration)


def asked(characteristics: Characteristics = APART, **quality: Quality) -> Workload:
    phase = Phase(characteristics=characteristics, quality=quality)
    return Workload(name="job", processes=8, phases=(phase,))


@given(st.integers(0, 2 * ENOUGH))
def test_one_writer_is_safe_where_enough_were_right_and_none_was_wrong(count: int) -> None:
    wrong, other = find(**SHARDS, servers=4), find(**SHARDS, servers=2)
    right = [right_with(other)] * count
    found = unsafe_of([wrong_with(wrong)], right, LAB)
    assert found == (Unsafe(shared=frozenset({wrong})) if count >= ENOUGH else Unsafe(always=frozenset({wrong})))
    assert found.all == {wrong}


def test_enough_is_what_tells_that_fewer_than_one_in_twenty_is_wrong() -> None:
    """With 95 % confidence, and not one run fewer does."""
    assert 0.95**ENOUGH < 0.05 <= 0.95 ** (ENOUGH - 1)


@pytest.mark.parametrize("spoilt", ["one writer was wrong", "the right ones had several", "they were other software"])
def test_without_such_runs_it_is_safe_for_nobody(spoilt: str) -> None:
    one = find(**SHARDS)
    right = [right_with(one, shared=spoilt == "the right ones had several") for _ in range(ENOUGH)]
    if spoilt == "they were other software":
        right = [replace(lesson, configuration=LAB.baseline) for lesson in right]
    wrong = [wrong_with(one), *([wrong_with(one, shared=False)] if spoilt == "one writer was wrong" else [])]
    assert unsafe_of(wrong, right, LAB) == Unsafe(always=frozenset({one}))


def test_one_process_alone_is_one_writer_wherever_its_files_are() -> None:
    one = find(**SHARDS)
    alone = replace(wrong_with(one), workload=replace(TOGETHER, io_processes=1))
    assert unsafe_of([alone], [right_with(one)] * ENOUGH, LAB).always == {one}


def test_who_writes_is_told_by_the_log_and_what_is_unsure_counts() -> None:
    assert not several_writers(asked())
    assert several_writers(asked(TOGETHER))
    assert not several_writers(asked(replace(TOGETHER, operation=Operation.READ)))
    single = replace(TOGETHER, io_processes=1)
    assert not several_writers(asked(single))
    assert several_writers(asked(single, io_processes=Quality.ESTIMATED))
    assert several_writers(asked(shared=Quality.UNKNOWN))
    assert several_writers(asked(shared=Quality.ESTIMATED))
    assert several_writers(replace(asked(), complete=False))
    assert not several_writers(asked(replace(APART, processes=1, io_processes=1), shared=Quality.ESTIMATED))
    assert not several_writers(asked(io_processes=Quality.ESTIMATED))  # of files of one's own


def test_who_moves_the_data_of_a_library_or_of_collective_calls_is_not_all_who_write() -> None:
    """A file was said to have one writer whose metadata HDF5 has all processes write, or that aggregators write."""
    single = replace(TOGETHER, io_processes=1)
    through = [replace(single, interface=one) for one in (Interface.HDF5, Interface.PNETCDF)]
    through.append(replace(single, interface=Interface.MPIIO, collective=True))
    assert all(several_writers(asked(one)) for one in through)
    assert not any(several_writers(asked(replace(one, shared=False, collective=False))) for one in through)
    assert not several_writers(asked(replace(single, interface=Interface.MPIIO)))


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


def test_a_number_between_two_that_are_listed_is_at_fault_with_both() -> None:
    """Such a measurement ended all advice for its platform: stripe_count is not 5."""
    platform = load_platform("tianhe-lustre")
    points = platform.space.enumerate()
    wrong = Configuration(platform.baseline, stripe_count=5)
    assert not platform.space.problem(wrong)
    found = [platform.space.configuration(points[i]) for i in np.flatnonzero(at_fault(platform, points, [wrong]))]
    assert [one["stripe_count"] for one in found] == [4, 6]
    assert all({**one, "stripe_count": 5} == wrong for one in found)


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


def test_of_the_bundled_runs_shards_are_right_with_one_writer() -> None:
    found = unsafe_of((m for m in bundled(LAB) if m.outcome is Outcome.CORRUPT), bundled_compared("lab"), LAB)
    assert found.shared
    assert not found.always
