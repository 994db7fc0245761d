"""What moves the bytes of a job whose most frequent requests are a library's small ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.units import GIB, KIB, MIB
from acic.workloads.columns import READ, WRITE
from acic.workloads.darshan.counters import LAYOUTS
from acic.workloads.histogram import count_requests, median_size
from tests.workloads.simulator import UPPER


def bins(sizes: list[int]) -> list[int]:
    """Return Darshan's histogram of requests."""
    return [int(count) for count in np.bincount(np.searchsorted(UPPER, sizes), minlength=10)]


@given(
    data=st.integers(1, 2 * GIB),
    count=st.integers(1, 500),
    small=st.lists(st.integers(1, 10 * KIB), max_size=50),
)
def test_requests_that_move_most_are_told(data: int, count: int, small: list[int]) -> None:
    """Where nine tenths of the bytes go by requests of one size, and all others are a hundredth of it or less."""
    small = [size for size in small if 100 * size <= data]
    moved = data * count + sum(small)
    if sum(small) > 0.1 * moved:
        return
    told = median_size(bins([data] * count + small), moved, {})
    assert told == pytest.approx(data, rel=0.5)
    common = dict.fromkeys(small, 0)
    for size in small:
        common[size] += 1
    assert median_size(bins([data] * count + small), moved, common) == pytest.approx(data, rel=1e-6, abs=1)


def test_sizes_of_more_requests_than_there_are_tell_nothing_of_them() -> None:
    """Of a file that one writes and thousands read the common sizes are of both."""
    blocks = [8 * MIB + at for at in range(5)]
    told = median_size(bins([*blocks, 64 * KIB]), sum(blocks) + 64 * KIB, {64 * KIB: 4097})
    assert told == pytest.approx(8 * MIB, rel=0.01)


@given(sizes=st.lists(st.integers(1, 4 * GIB), min_size=1, max_size=100))
def test_the_size_told_is_one_of_a_bin_that_has_requests(sizes: list[int]) -> None:
    told = median_size(bins(sizes), sum(sizes), {})
    assert bins(sizes)[int(np.searchsorted(UPPER, told))] > 0


@pytest.mark.parametrize("counts", [[0] * 10, [0, 0, 0, 0, 0, 9, 0, 0, 0, 0]])
def test_what_cannot_be_is_not_told(counts: list[int]) -> None:
    assert median_size(counts, 100, {}) == 0


@pytest.mark.parametrize(("name", "has"), [("POSIX", True), ("MPI-IO", True), ("H5D", True), ("STDIO", False)])
def test_each_modules_histogram_is_found(name: str, has: bool) -> None:
    records = np.zeros(2, dtype=LAYOUTS[name].dtype())
    if has:
        prefix = f"{name.replace('-', '')}_SIZE_WRITE{'' if name == 'POSIX' else '_AGG'}"
        records[f"{prefix}_1M_4M"] = (3, 4)
        records[f"{prefix}_1G_PLUS"] = (-1, 5)
    expected = [0, 0, 0, 0, 0, 7, 0, 0, 0, 5] if has else []
    assert count_requests(name, records, [0, 1], WRITE) == expected
    assert sum(count_requests(name, records, [0, 1], READ)) == 0
