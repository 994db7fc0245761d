"""An application made smaller is the same application: its phases keep their parts of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.campaign.fitting import fitted, replica, uneven
from acic.cli.verify import _replica
from acic.platforms import Platform, load_platform
from acic.prior import BENCHMARK, uses_of
from acic.units import GIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation, characterize_file

LOG = Path(__file__).parent.parent / "data" / "darshan" / "apps" / "btio_A_mpi_io_full.darshan"
WRITE = Characteristics(
    processes=64,
    io_processes=64,
    interface=Interface.MPIIO,
    iterations=16,
    data_size=100 * MIB,
    request_size=4 * MIB,
    operation=Operation.WRITE,
    collective=True,
    shared=True,
    access=Access.CONSECUTIVE,
)
READ = replace(
    WRITE, io_processes=1, iterations=1, data_size=GIB, operation=Operation.READ, collective=False, request_size=MIB
)


@pytest.fixture(scope="module")
def lab() -> Platform:
    return load_platform("lab")


def unbounded(platform: Platform) -> Platform:
    return replace(platform, training={})


def test_a_smaller_replica_weighs_its_phases_as_the_job_does(lab: Platform) -> None:
    """100 GiB written beside 1 GiB read were run as 1 to 1: what read faster and wrote slower was the best."""
    write, read = replica(unbounded(lab), [WRITE, READ], GIB)
    assert write.total_bytes <= GIB
    assert write.total_bytes / read.total_bytes == pytest.approx(100, rel=0.3)


def test_fewer_processes_make_all_phases_smaller(lab: Platform) -> None:
    """One process's reading was as large as ever, beside a twelfth of what 64 write."""
    few = replace(lab, training={"io_processes": (1, 8)})
    write, read = replica(few, [WRITE, READ])
    assert write == fitted(few, [WRITE])[0]
    assert write.total_bytes / read.total_bytes == pytest.approx(WRITE.total_bytes / READ.total_bytes, rel=0.02)


def test_a_job_that_fits_is_run_as_it_is(lab: Platform) -> None:
    assert replica(unbounded(lab), [WRITE, READ]) == [WRITE, READ]
    assert uneven([WRITE, READ], [WRITE, READ]) == ""


def test_what_cannot_be_made_as_small_is_told(lab: Platform) -> None:
    whole = replace(READ, request_size=GIB)
    made = replica(unbounded(lab), [WRITE, whole], GIB)
    assert made[1] == whole
    assert uneven([WRITE, whole], made).startswith("the replica moves 0.0")


@given(
    iterations=st.integers(1, 50),
    requests=st.integers(1, 50),
    writers=st.integers(1, 64),
    most=st.integers(1, 2**40) | st.none(),
)
def test_no_phase_is_larger_than_asked_for_nor_than_its_part(
    lab: Platform, iterations: int, requests: int, writers: int, most: int | None
) -> None:
    one = replace(WRITE, iterations=iterations, io_processes=writers, data_size=requests * MIB, request_size=MIB)
    made = replica(unbounded(lab), [one, READ], most)
    for small, whole in zip(made, (one, READ), strict=True):
        least = whole.request_size * whole.io_processes
        assert small.total_bytes <= whole.total_bytes
        assert most is None or small.total_bytes <= max(most, least)


def test_verify_predicts_for_the_replica_and_not_for_the_job(lab: Platform) -> None:
    """Its pauses and its gathering were predicted, for runs without either: 2.3x in place of 4.3x."""
    found = _replica(characterize_file(LOG), lab, None)
    assert uses_of(found) == [BENCHMARK] * len(found.phases)
