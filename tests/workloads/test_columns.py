"""Columns of a few records, made record by record, are those of many, made at once."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from acic.workloads.columns import CALLS, COLLECTIVE, INDEPENDENT, INTERFACES, OPENS, load_columns, load_rows
from acic.workloads.darshan.counters import LAYOUTS

WORDS = (
    st.integers(0, 2**64 - 1)
    | st.integers(-2, 100).map(lambda value: value % 2**64)
    | st.floats().map(lambda value: int.from_bytes(struct.pack("=d", value), "little"))
)


@pytest.mark.parametrize("name", INTERFACES)
@given(data=st.data())
def test_rows_are_those_of_the_columns_whatever_a_record_holds(name: str, data: st.DataObject) -> None:
    """Counters of -1 were taken off the sum of calls in the one, and calls without end were cut in the other."""
    dtype = LAYOUTS[name].dtype()
    length = 2 * dtype.itemsize // 8
    few = data.draw(st.lists(WORDS, min_size=7, max_size=7))
    places = data.draw(st.lists(st.integers(0, 6), min_size=length, max_size=length))
    records = np.array(few, dtype=np.uint64)[places].view(dtype)
    for columns, rows in zip(load_columns(name, records), load_rows(name, records), strict=True):
        assert_array_equal(columns, np.array(rows))


def test_what_was_not_recorded_is_taken_off_no_sum() -> None:
    records = np.zeros(1, LAYOUTS["MPI-IO"].dtype())
    for counter in ("INDEP_READS", "SPLIT_READS", "NB_READS"):
        records[f"MPIIO_{counter}"] = -1
    records["MPIIO_COLL_READS"] = 10
    integers, _ = load_columns("MPI-IO", records)
    assert integers[0, [CALLS, INDEPENDENT, COLLECTIVE]].tolist() == [10, 0, 10]


def test_mpi_io_opens_files_together_and_alone() -> None:
    """Those of communicators of one process were left out: who wrote such files and read them again had opened none."""
    records = np.zeros(1, LAYOUTS["MPI-IO"].dtype())
    records["MPIIO_COLL_OPENS"], records["MPIIO_INDEP_OPENS"] = 3, 2
    integers, _ = load_columns("MPI-IO", records)
    assert integers[0, OPENS] == 5
