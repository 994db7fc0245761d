"""Sketches are what they say they are, stay what they were, and are none of the applications that judge advice."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from acic.benchmarks.kernels import Kernel, kernel, kernels
from acic.benchmarks.kernels.drawn import CALLS, LARGEST, MOST
from acic.benchmarks.kernels.sketches import sketch, sketches
from acic.units import MIB
from acic.workloads import Operation, dump_workload
from tests.benchmarks.kernels.reading import phases, read
from tests.benchmarks.kernels.test_kernels import check_what_is_read, check_whole, told_truly

SKETCHES = kernels("sketches")
EVERY = pytest.mark.parametrize("one", SKETCHES, ids=[one.key for one in SKETCHES])


@EVERY
def test_the_workload_is_the_truth_about_the_script(one: Kernel) -> None:
    found = read(one.run.text)
    told_truly(one, found)
    check_what_is_read(one)
    check_whole(one, found)
    dump_workload(one.workload)


@EVERY
def test_files_are_inputs_kept_or_removed(one: Kernel) -> None:
    """What a run reads again is scratch, and removed; what it writes otherwise stays, but nothing is staged out."""
    found = read(one.run.text)
    prepared = read(one.prepares.text).made if one.prepares else set()
    assert prepared == set(one.inputs)
    assert one.results == ()
    scratch = {phase.characteristics.operation for phase in one.workload.phases} == set(Operation)
    assert found.removed == (found.made if scratch else set())


@EVERY
def test_sizes_suit_the_lab(one: Kernel) -> None:
    for phase in one.workload.phases:
        c = phase.characteristics
        assert c.total_bytes <= 1.1 * MOST
        assert c.request_size <= 1.1 * LARGEST * max(1, 64 * MIB // MOST)
        assert (
            c.total_bytes / c.request_size <= 2.1 * CALLS
        )  # a half of what is asked, where it is cut to a power of two
    assert one.compute * one.processes / 4 <= 0.5 * 3.01  # s of a node's half processor


def test_the_same_number_is_the_same_sketch_for_ever() -> None:
    """A survey that was begun, and lessons that were learned, name sketches by their numbers."""
    assert sketch(7).run == sketches(8)[7].run == kernel("sketch", "007").run
    marks = hashlib.sha256(repr([(one.prepares, one.run) for one in SKETCHES]).encode()).hexdigest()
    assert marks[:16] == "e653b96d6834f4ff"


def test_all_that_benchmarks_leave_out_is_drawn() -> None:
    phases_of = [(one, phase) for one in SKETCHES for phase in one.workload.phases]
    seen = Counter(
        word
        for one, phase in phases_of
        for word, found in {
            "pauses": phase.details.get("pause_seconds", 0.0),
            "unsynced": phase.characteristics.operation is Operation.WRITE and not phase.details.get("syncs"),
            "own": len(one.workload.phases) == 2,
            "many files": phase.files > phase.characteristics.io_processes,
            "interleaved": phase.details.get("collective_buffering"),
            "odd": phase.characteristics.request_size % 4096,
            "few processes": phase.characteristics.io_processes < one.processes,
        }.items()
        if found
    )
    assert min(seen.values()) >= len(SKETCHES) / 10, seen
    assert len(seen) == 7


def test_no_sketch_is_an_application_that_judges() -> None:
    judged = {
        phase.characteristics
        for part in ("development", "test", "heldout")
        for one in kernels(part)
        for phase in one.workload.phases
    }
    drawn = {phase.characteristics for one in SKETCHES for phase in one.workload.phases}
    assert not judged & drawn


def test_reading_finds_the_phases_of_a_sketch_without_its_words() -> None:
    """The reader of the tests does not know that a sketch is drawn: what it finds is from the script alone."""
    (found,) = phases(read(sketch(0).run.text))
    (told,) = sketch(0).workload.phases
    assert (found.data_size, found.iterations) == (told.characteristics.data_size, told.characteristics.iterations)
