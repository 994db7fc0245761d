"""What is said of answers that failed more often than not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.failing import FEWEST, failing_of, often_failed
from acic.platforms import load_platform
from acic.space import Configuration
from acic.store import Measurement, Outcome
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Characteristics, Operation
from tests.advisor.conftest import WHEN, WRITE, application, measurement

LUSTRE = load_platform("tianhe-lustre")
OTHER = LUSTRE.space.configuration(LUSTRE.space.enumerate()[-1])


def failures(count: int, workload: Characteristics = WRITE) -> list[Measurement]:
    one = replace(runs(1, workload)[0], outcome=Outcome.FAILED, repetitions=(), note="No space left on device")
    return [replace(one, time=WHEN.replace(minute=number)) for number in range(count)]


def said(failed: list[Measurement], good: list[Measurement], asked: Characteristics = WRITE) -> tuple[str, ...]:
    failing = failing_of(failed, training_table(good, LUSTRE), LUSTRE)
    return often_failed([LUSTRE.baseline, OTHER], application(asked).phases, failing)


def runs(count: int, workload: Characteristics = WRITE) -> list[Measurement]:
    return [measurement(LUSTRE, workload, OTHER, 1e8 + number) for number in range(count)]


@given(st.integers(0, 9), st.integers(0, 9))
def test_what_failed_more_often_than_not_is_told_with_how_often(failed: int, good: int) -> None:
    told = said(failures(failed), runs(good))
    assert bool(told) == (failed >= FEWEST and failed > good)
    for caution in told:
        assert caution.startswith(f"Answer 2 failed in {failed} of the {failed + good} measurements that there are")
        assert "No space left on device" in caution


def test_a_failure_that_is_known_twice_counts_once() -> None:
    assert said(failures(3) * 2, runs(4)) == ()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (replace(WRITE, data_size=8 * MIB), True),  # of its kind
        (replace(WRITE, operation=Operation.READ), False),
        (replace(WRITE, shared=False), False),
        (replace(WRITE, collective=False), False),
    ],
)
def test_workloads_of_the_kind_count_whatever_their_sizes(asked: Characteristics, told: bool) -> None:
    assert bool(said(failures(3), [], asked)) == told


def test_just_that_workload_goes_before_others_of_its_kind() -> None:
    smaller = replace(WRITE, data_size=8 * MIB)
    assert said(failures(3), runs(9, smaller))
    assert said(failures(3), runs(2, smaller), smaller) == ()


def test_what_the_platform_does_not_have_any_more_is_passed_over() -> None:
    gone = [replace(one, configuration=Configuration(LUSTRE.baseline, stripes=3)) for one in failures(3)]
    assert failing_of(gone, training_table([], LUSTRE), LUSTRE) == ()
