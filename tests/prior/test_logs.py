"""What logs of real applications tell a prior beside their characteristics."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.prior import uses_of
from acic.workloads import Operation, characterize_file

APPS = Path(__file__).parents[1] / "data" / "darshan" / "apps"


@pytest.mark.parametrize(
    ("name", "reopened"),
    [
        ("hacc_write_read", True),  # the restart opens the checkpoint's files anew
        ("btio_A_ep_io", True),  # so does the check of BT-IO
        ("madbench2_MPI_SHARED", False),  # the matrices' file stays open, through MPI-IO
        ("madbench2_POSIX_UNIQUE", False),
    ],
)
def test_a_log_tells_whether_a_run_closed_what_it_reads_again(name: str, reopened: bool) -> None:
    workload = characterize_file(APPS / f"{name}.darshan")
    uses = zip(workload.phases, uses_of(workload), strict=True)
    (read,) = [use for phase, use in uses if phase.characteristics.operation is Operation.READ]
    assert read.own
    assert read.reopened is reopened
