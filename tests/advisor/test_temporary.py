"""Temporary files: what is written, read again and no result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.temporary import removing_temporary
from acic.evaluation.logs import bundled_logs
from acic.units import MIB
from acic.workloads import Characteristics, Interface, Operation, Phase, Workload


def phase(example: str, operation: Operation, size: int = MIB, files: int = 8, **details: float) -> Phase:
    doing = Characteristics(
        processes=8,
        io_processes=4,
        interface=Interface.POSIX,
        iterations=max(1, files // 4),
        data_size=size,
        request_size=size,
        operation=operation,
        collective=False,
        shared=False,
    )
    return Phase(characteristics=doing, files=files, bytes=files * size, example=example, details=details)


def workload(*phases: Phase) -> Workload:
    return Workload(name="app", processes=8, phases=phases, run_seconds=10.0)


SCRATCH = (phase("spill", Operation.WRITE), phase("spill", Operation.READ))
OUTPUT = phase("out", Operation.WRITE)


def removed(found: Workload) -> dict[str, float]:
    return {p.example: float(p.details["removed_files"]) for p in found.phases if "removed_files" in p.details}


def test_what_is_read_again_and_no_result_is_removed() -> None:
    found = removing_temporary(workload(*SCRATCH, OUTPUT), 8 * MIB)
    assert removed(found) == {"spill": 8}
    assert found.phases[0].details["names_by"] == 4  # those that wrote them
    assert found.notes == (
        "8 files that the job writes and reads again, but that are not among the 8 MiB of results, are taken to be "
        "temporary, and removed.",
    )
    assert removing_temporary(found, 8 * MIB) is found  # once


@pytest.mark.parametrize(
    ("phases", "results"),
    [
        ((*SCRATCH, OUTPUT), 0),  # nobody told what must last
        ((*SCRATCH, OUTPUT), 16 * MIB),  # all of it
        ((*SCRATCH, OUTPUT), 20 * MIB),  # more than the log has
        ((phase("spill", Operation.WRITE), OUTPUT), 8 * MIB),  # what nobody reads is no scratch
        ((*SCRATCH, phase("out", Operation.WRITE, removed_files=2)), 8 * MIB),  # a description tells of all
        (
            (phase("", Operation.WRITE), phase("", Operation.READ), OUTPUT),
            8 * MIB,
        ),  # nobody knows whether these are the same
        ((phase("log", Operation.WRITE, times_over=2.0), phase("log", Operation.READ)), 4 * MIB),  # written over
    ],
)
def test_else_nothing_is_taken_to_be_removed(phases: tuple[Phase, ...], results: int) -> None:
    found = workload(*phases)
    assert removing_temporary(found, results) is found


def test_locks_that_a_log_tells_of_are_removed_beside() -> None:
    write, read = SCRATCH
    write = phase("spill", Operation.WRITE, empty_files=3, removed_files=3)
    found = removing_temporary(workload(write, read, OUTPUT), 8 * MIB)
    assert removed(found) == {"spill": 11}


def test_who_renames_and_who_removes_are_counted_together() -> None:
    """One process renames a file, and four remove eight: it alone was told to do all."""
    write, read = phase("spill", Operation.WRITE, renames=1, names_by=1.0), SCRATCH[1]
    found = removing_temporary(workload(write, read, OUTPUT), 8 * MIB)
    assert found.phases[0].details["names_by"] == pytest.approx((1 + 8) / (1 + 2))


def test_where_some_of_them_are_results_the_others_are_removed() -> None:
    assert removed(removing_temporary(workload(*SCRATCH, OUTPUT), 10 * MIB)) == {"spill": 6}


@pytest.mark.parametrize(
    ("files", "results", "gone"), [(1, 0.1, 0), (4, 3.45, 0), (4, 2.99, 1), (4, 1.02, 3), (4, 0.4, 3)]
)
def test_what_results_are_in_is_not_removed(files: int, results: float, gone: int) -> None:
    """A checkpoint of 400 MiB was removed that the 50 MB of results had to be in."""
    made = workload(phase("out", Operation.WRITE, files=files), phase("out", Operation.READ, files=files))
    assert removed(removing_temporary(made, round(results * MIB))) == ({"out": gone} if gone else {})


def test_where_the_largest_is_the_result_the_smaller_are_removed() -> None:
    output = [phase("out", way, 8 * MIB, files=1) for way in Operation]
    spill = [phase("spill", way, MIB // 2) for way in Operation]
    assert removed(removing_temporary(workload(*output, *spill), 8 * MIB)) == {"spill": 8}


@pytest.mark.parametrize(("read", "gone"), [((8,), 8), ((48,), 40), ((5, 8), 8)])
def test_no_more_is_removed_than_is_read_again(read: tuple[int, ...], gone: int) -> None:
    """Of 48 checkpoints the last 8 are read: 40 were taken to be removed, those that nobody read."""
    checkpoints = [phase("ckpt", Operation.WRITE, files=48)]
    found = removing_temporary(
        workload(*checkpoints, *(phase("ckpt", Operation.READ, files=one) for one in read)), 8 * MIB
    )
    assert removed(found) == {"ckpt": gone}
    assert found.notes[0].startswith(f"{gone} files that the job writes and reads again")


@given(sizes=st.lists(st.tuples(st.integers(1, 100), st.booleans()), min_size=1, max_size=5), share=st.floats(0, 1.5))
def test_no_more_is_removed_than_is_left_beside_the_results(sizes: list[tuple[int, bool]], share: float) -> None:
    phases = [phase(f"f{at}", Operation.WRITE, size) for at, (size, _) in enumerate(sizes)]
    reads = [phase(f"f{at}", Operation.READ, size) for at, (size, again) in enumerate(sizes) if again]
    written = sum(one.bytes for one in phases)
    results = round(share * written)
    found = removing_temporary(workload(*phases, *reads), results)
    gone = sum(float(one.details.get("removed_files", 0)) * one.bytes / one.files for one in found.phases)
    largest = max(size for size, _ in sizes)
    assert gone <= max(0, written - results) + 0.05 * largest  # sizes that people tell are rounded
    assert [one.bytes for one in found.phases] == [one.bytes for one in (*phases, *reads)]


def test_a_real_log_with_its_results_tells_what_the_application_removes() -> None:
    """`kmc` sorts in 64 bins of 15 MB, and keeps its counts alone; `build` keeps its objects, too."""
    logs = bundled_logs("lab", [("kmc", "only"), ("build", "only")])
    assert set(removed(removing_temporary(logs["kmc", "only"], 4_000_000)).values()) == {64.0}
    assert not removed(removing_temporary(logs["build", "only"], 21_828_608))
