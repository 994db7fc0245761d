"""Series: what a file's name tells of its like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.units import KIB, MIB
from acic.workloads import Operation, characterize
from acic.workloads.series import series_of
from tests.workloads.simulator import darshan_log, loop


@pytest.mark.parametrize(
    ("names", "series"),
    [
        (["/a/restart.1", "/a/restart.2", "/b/plot.0001", "/b/plot.0002"], [1, 1, 2, 2]),
        (["/run/0/out", "/run/1/out"], [1, 1]),  # folders may be those of ranks
        (["test.0.000E+00.nc", "test.1.000E-06.nc", "test.12.5e3.nc"], [1, 1, 1]),
        (["temperature.bin", "pressure.bin", "wind.bin"], [0, 0, 0]),  # as little as unlike ones
        (["dump.0", "dump.1", "mesh"], [1, 1, 0]),
        (["selections.310.pyc", "selections2.310.pyc"], [0, 0]),  # not at the same places
        ([], []),
    ],
)
def test_names_that_differ_by_numbers_are_a_series(names: list[str], series: list[int]) -> None:
    assert series_of(names) == series


def test_where_there_are_many_series_names_are_no_guide() -> None:
    names = [f"{chr(97 + i)}{chr(97 + j)}.{n}" for i in range(6) for j in range(6) for n in range(2)]
    assert set(series_of(names)) == {0}


@given(st.lists(st.text("ab1/2", max_size=6), max_size=12))
def test_a_series_has_several_files_and_files_of_one_name_are_together(names: list[str]) -> None:
    found = series_of(names)
    assert all(found.count(number) > 1 for number in found if number)
    ends = [name.rpartition("/")[2] for name in names]
    assert all(a == b for x, a in zip(ends, found, strict=True) for y, b in zip(ends, found, strict=True) if x == y)


@pytest.mark.parametrize("shared", [False, True])
def test_files_of_two_series_are_phases_of_their_own_though_they_are_alike(shared: bool) -> None:
    """Fields are dumped six times and restarts twice, with half as much in each; and so in one phase before."""
    kinds = {"/scratch/field": (6, 8), "/scratch/restart": (2, 4)}
    calls = [
        call
        for file, (times, requests) in kinds.items()
        for call in loop(
            processes=4, iterations=times, requests=requests, size=MIB, shared=shared, file_each=True, file=file
        )
    ]
    phases = characterize(darshan_log(calls, processes=4, trace=False, heatmap=False)).phases
    found = {(one.characteristics.iterations, one.characteristics.data_size) for one in phases}
    assert found == {(6, 8 * MIB), (2, 4 * MIB)}


def test_small_files_stay_together_whatever_they_are_called() -> None:
    large = loop(processes=4, requests=16, shared=False)
    small = [
        call
        for name in ("note", "table", "status")
        for call in loop(processes=4, requests=1, size=KIB, shared=False, file=f"/scratch/{name}")
    ]
    phases = characterize(darshan_log(large + small, processes=4, trace=False, heatmap=False)).phases
    assert sorted(one.files for one in phases if one.characteristics.operation is Operation.WRITE) == [4, 12]
