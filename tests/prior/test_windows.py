"""Reading ahead in windows that double, as Linux does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.benchmarks.kernels import kernel
from acic.prior import Prior, Use, uses_of
from acic.prior.calls import moved
from acic.prior.demand import demand_of
from acic.prior.windows import Ahead, read_ahead
from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation

MOST = 4.0 * MIB
NODES = 4
PARTS = Characteristics(
    processes=4,
    io_processes=4,
    interface=Interface.POSIX,
    iterations=8,
    data_size=MIB,
    request_size=128 * KIB,
    operation=Operation.READ,
    collective=False,
    shared=True,
    access=Access.CONSECUTIVE,
)


@pytest.mark.parametrize(
    ("length", "size", "needed", "fetched", "first"),
    [
        (64 * KIB, 64 * KIB, 64 * KIB, 64 * KIB, 0),  # who asks once inside a file gets no more
        (256 * KIB, 64 * KIB, 320 * KIB, 832 * KIB, 256 * KIB),
        (MIB, 128 * KIB, 1664 * KIB, 3712 * KIB, 512 * KIB),  # 128 K; then 512 K, 1 M, 2 M
        (3 * MIB, MIB, 3 * MIB, 7 * MIB, 2 * MIB),
        (6 * MIB, 2 * MIB, 6 * MIB, 10 * MIB, 4 * MIB),
        (5 * MIB, 5 * MIB, 8 * MIB, 12 * MIB, 4 * MIB),  # a request above the largest window begins them at once
    ],
)
def test_windows_double_up_to_the_largest(length: int, size: int, needed: int, fetched: int, first: int) -> None:
    """By hand from Linux 6.1, mm/readahead.c."""
    assert read_ahead(length, size, MOST) == Ahead(needed, fetched, first)


@given(length=st.floats(4 * KIB, 256 * MIB), part=st.floats(1e-3, 1.0), most=st.sampled_from([128 * KIB, MIB, 4 * MIB]))
def test_no_more_is_read_ahead_than_two_windows(length: float, part: float, most: int) -> None:
    request = max(4.0 * KIB, length * part)
    found = read_ahead(length, request, float(most))
    assert length <= found.needed <= found.fetched <= length + 2 * most
    assert 0 <= found.first <= most
    longer = read_ahead(2 * length, request, float(most))
    assert longer.fetched >= found.fetched


@given(
    length=st.integers(8 * MIB, 256 * MIB), size=st.sampled_from([4 * KIB, 64 * KIB, 5 * MIB]), more=st.integers(0, 9)
)
def test_the_largest_windows_follow_one_another(length: int, size: int, more: int) -> None:
    near, far = (read_ahead(float(one), float(size), MOST) for one in (length, length + more * MOST))
    assert (far.needed - near.needed, far.fetched - near.fetched) == (more * MOST, more * MOST)


@pytest.mark.parametrize("length", [2.0**60, 1e20, 1e37])
def test_what_no_disk_holds_is_read_ahead_as_soon(length: float) -> None:
    found = read_ahead(length, float(MIB), MOST)
    assert found.fetched >= found.needed == pytest.approx(length)


@pytest.mark.parametrize(
    ("name", "scale", "sent"),
    [
        ("weights", "only", 1.56),
        ("graph", "only", 1.74),
        ("mpiblast", "small", 3.47),
        ("mpiblast", "large", 1.54),
        ("scan", "only", 1.30),
        ("compare", "only", 1.50),
        ("volume", "only", 2.39),
    ],
)
def test_nfs_sends_more_than_processes_ask_for(prior: Prior, name: str, scale: str, sent: float) -> None:
    """Counted by studies/ahead.py: B for each B that is read; of the last windows, which nobody waits for, too."""
    workload = kernel(name, scale).workload
    read, use = workload.phases[0], uses_of(workload)[0]
    (found,) = moved(demand_of(read.characteristics, NODES, use), prior.baseline) / read.bytes
    assert 1.0 < found == pytest.approx(0.92 * sent, rel=0.09)


def test_what_a_node_reads_beyond_a_part_its_next_process_has(prior: Prior) -> None:
    more = [
        moved(demand_of(replace(PARTS, processes=n, io_processes=n), NODES), prior.baseline)[0] / (n * 8 * MIB)
        for n in (4, 8, 16)
    ]
    assert more[0] > 3.0  # parts of 1 MiB, each of another node: 3.6 MiB for each
    assert more == sorted(more, reverse=True)


def test_what_is_read_ahead_while_processes_compute_nobody_waits_for(prior: Prior) -> None:
    uses = [Use(syncs=0, pauses=7, pause=pause) for pause in (0.0, 0.1, 10.0)]
    none, some, all_of_it = (moved(demand_of(PARTS, NODES, use), prior.baseline)[0] for use in uses)
    assert none > some > all_of_it
    assert all_of_it < 1.1 * PARTS.total_bytes


def test_a_file_that_ends_with_a_part_is_read_no_further(prior: Prior) -> None:
    own = replace(PARTS, shared=False)
    assert moved(demand_of(own, NODES), prior.baseline)[0] == own.total_bytes
    once = replace(PARTS, iterations=1, data_size=8 * MIB)
    assert moved(demand_of(once, NODES, Use(files=4)), prior.baseline)[0] == once.total_bytes
