"""In how many files results lie, by what a run wrote."""

from __future__ import annotations

from dataclasses import replace

from acic.advisor.staging import results_of
from acic.benchmarks.kernels import kernels
from acic.prior import Results
from acic.units import MIB
from acic.workloads import Operation, Phase
from tests.advisor.conftest import WRITE

OWN = Phase(characteristics=replace(WRITE, shared=False, collective=False), files=640, bytes=640 * MIB)
SHARED = Phase(characteristics=WRITE, files=1, bytes=320 * MIB)
READ = Phase(characteristics=replace(WRITE, operation=Operation.READ), files=99, bytes=99 * MIB)


def test_results_lie_in_as_many_files_for_each_byte_as_all_that_was_written() -> None:
    assert results_of([OWN, READ], 640 * MIB) == Results(size=640 * MIB, files=640, own=True)
    assert results_of([OWN, SHARED, READ], 96 * MIB) == Results(size=96 * MIB, files=64)
    assert results_of([OWN], 64 * MIB) == Results(size=64 * MIB, files=64, own=True, one=True)
    assert results_of([SHARED], MIB) == Results(size=MIB, files=1)


def test_more_than_was_written_lies_in_as_many_files_as_were() -> None:
    assert results_of([OWN], 64 * 640 * MIB).files == 640


def test_what_nobody_is_known_to_write_is_one_file() -> None:
    assert results_of([READ], MIB) == results_of([], MIB) == Results(size=MIB)


def test_the_number_of_files_is_near_the_one_that_applications_leave() -> None:
    """By bytes alone: most remove nothing of what they wrote, some small files, some large ones; some keep a backup."""
    factors = []
    for one in (*kernels(), *kernels("test"), *kernels("heldout")):
        if one.results:
            found = results_of(one.workload.phases, one.bytes_moved)
            factors.append(found.files / len(one.results))
    assert sum(factor == 1.0 for factor in factors) > 2 / 3 * len(factors)  # of 208
