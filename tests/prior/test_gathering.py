"""What aggregators change of a workload's traffic: no byte is lost on the way, and buffers hold what they move."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.prior import alone, gathered
from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation

WORKLOADS = st.builds(
    lambda processes, writers, iterations, calls, request, operation, access: Characteristics(
        processes=processes * writers,
        io_processes=writers,
        interface=Interface.MPIIO,
        iterations=iterations,
        data_size=calls * request,
        request_size=request,
        operation=operation,
        collective=True,
        shared=True,
        access=access,
    ),
    st.integers(1, 4),
    st.integers(2, 64),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(1, 64 * MIB),
    st.sampled_from(Operation),
    st.sampled_from(Access),
)


@given(workload=WORKLOADS, nodes=st.integers(1, 16), aggregators=st.none() | st.integers(1, 64))
def test_all_bytes_reach_the_file_system(workload: Characteristics, nodes: int, aggregators: int | None) -> None:
    for traffic in (alone(workload), gathered(workload, nodes, aggregators=aggregators)):
        assert traffic.requests * traffic.request == pytest.approx(workload.total_bytes)
        assert 0 <= traffic.exchanged < workload.total_bytes
        assert 1 <= traffic.callers <= workload.processes


@given(workload=WORKLOADS, nodes=st.integers(1, 16), buffer=st.integers(KIB, 64 * MIB))
def test_no_request_is_larger_than_its_buffer(workload: Characteristics, nodes: int, buffer: int) -> None:
    sizes = [gathered(workload, nodes, aggregators=count, buffer=buffer).request for count in (1, 2, 4)]
    assert max(sizes) <= buffer * (1 + 1e-9)
    assert gathered(workload, nodes, aggregators=1).request <= 16 * MIB  # ROMIO's own


@given(workload=WORKLOADS)
def test_nothing_is_exchanged_within_one_machine_nor_without_aggregators(workload: Characteristics) -> None:
    assert gathered(workload, 1).exchanged == 0
    assert alone(workload).exchanged == 0


def test_an_example_by_hand() -> None:
    """8 processes on 4 machines write 3 calls of 1 MiB each: 8 MiB a call, of which a machine has a quarter already."""
    own = Characteristics(
        processes=8,
        io_processes=8,
        interface=Interface.MPIIO,
        iterations=3,
        data_size=MIB,
        request_size=MIB,
        operation=Operation.WRITE,
        collective=True,
        shared=True,
        access=Access.STRIDED,
    )
    usual = gathered(own, 4)
    assert (usual.callers, usual.requests, usual.request) == (4, 3 * 4, 2 * MIB)
    assert usual.exchanged == 24 * MIB * 3 / 4
    more = gathered(own, 4, aggregators=2, buffer=MIB)
    assert (more.callers, more.requests, more.request) == (2, 3 * 2 * 4, MIB)
    assert alone(own).requests == 24
    assert math.isclose(alone(replace(own, data_size=3 * MIB, request_size=2 * MIB)).request, 1.5 * MIB)
