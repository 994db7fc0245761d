"""Jobs that write by HDF5, whose metadata and fill values stand among their data: programs beside the logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.errors import UnreadableInput
from acic.units import KIB, MIB
from acic.workloads import Quality, Workload, characterize_file

LOGS = Path(__file__).parents[1] / "data" / "darshan" / "hdf5"


def told(name: str) -> Workload:
    return characterize_file(LOGS / f"{name}.darshan")


def test_metadata_do_not_make_data_small() -> None:
    """24 files of a 2 MiB dataset and 73 small writes each: their mean, 29 KiB, was told, and no request had that."""
    (phase,) = told("own_files").phases
    assert phase.characteristics.request_size == pytest.approx(2 * MIB, rel=0.05)


def test_what_fills_a_dataset_is_told_beside_what_was_asked_of_it() -> None:
    """Half of the bytes were left out, and nothing said so."""
    workload = told("filled")
    (phase,) = workload.phases
    assert phase.bytes == 32 * MIB
    assert any(
        note.startswith("HDF5 wrote 32 MiB more than the HDF5 writes of coll.h5 have") for note in workload.notes
    )


def test_fill_values_make_collective_calls_uncertain_and_requests_no_larger() -> None:
    """Four collective calls of 8 MiB fill, 16384 of 2 KiB write: 3 KiB was told, which four writes of metadata had."""
    (phase,) = told("filled_independent").phases
    assert not phase.characteristics.collective
    assert phase.quality["collective"] is not Quality.EXACT
    assert phase.characteristics.request_size == 2 * KIB


def test_a_trace_tells_iterations_behind_one_that_fills() -> None:
    """Eight steps behind the fill were one iteration by the trace, and nine by counters alone."""
    (phase,) = told("filled_traced").phases
    assert phase.characteristics.iterations == 9


def test_a_log_that_darshan_did_not_end_is_told_so(tmp_path: Path) -> None:
    """It was told to be none, and that Darshan's .darshan file be given."""
    log = tmp_path / "job.darshan_partial"
    log.write_bytes(b"no header yet")
    with pytest.raises(UnreadableInput, match="a process ended while Darshan wrote the log"):
        characterize_file(log)
