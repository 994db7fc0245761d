"""Logs of real I/O kernels: what is known of them is found, and no byte is counted at two levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.units import MIB
from acic.workloads import Access, Interface, Operation, Phase, Workload, characterize_file
from acic.workloads.darshan import read_log

APPS = Path(__file__).parents[1] / "data" / "darshan" / "apps"
STREAMS = ("<STDIN>", "<STDOUT>", "<STDERR>")


def workload(name: str) -> Workload:
    return characterize_file(APPS / f"{name}.darshan")


def only(name: str, operation: Operation, interface: Interface) -> Phase:
    phases = workload(name).phases
    found = [p for p in phases if (p.characteristics.operation, p.characteristics.interface) == (operation, interface)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("operation", list(Operation))
def test_bt_io_full_is_40_collective_requests_of_2_5_mib(operation: Operation) -> None:
    c = only("btio_A_mpi_io_full", operation, Interface.MPIIO).characteristics
    assert (c.iterations, c.data_size, c.request_size) == (40, 2.5 * MIB, 2.5 * MIB)
    assert (c.collective, c.shared, c.io_processes, c.access) == (True, True, 4, Access.STRIDED)


@pytest.mark.parametrize("operation", list(Operation))
def test_bt_io_simple_is_12_iterations_of_many_small_requests(operation: Operation) -> None:
    c = only("btio_S_mpi_io_simple", operation, Interface.MPIIO).characteristics
    assert (c.iterations, c.data_size, c.request_size) == (12, 17_280, 240)
    assert (c.collective, c.shared, c.access) == (False, True, Access.STRIDED)


@pytest.mark.parametrize("operation", list(Operation))
def test_bt_io_with_a_file_per_process_shares_nothing(operation: Operation) -> None:
    phase = only("btio_A_ep_io", operation, Interface.POSIX)
    c = phase.characteristics
    assert (c.iterations, c.shared, c.collective, c.io_processes, phase.files) == (40, False, False, 4, 4)
    assert c.data_size == pytest.approx(2.5 * MIB, rel=1e-4)
    assert c.request_size == pytest.approx(128 * 1024, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "gathered"),
    [
        ("btio_A_mpi_io_full", True),  # 160 requests of MPI-IO, 40 of POSIX
        ("s3d_io_blocking", True),
        ("wrf_io", True),
        ("h5bench_read_1d_full", False),  # each process a contiguous part: as many
        ("h5bench_write_1d_cc_coll", False),
    ],
)
def test_a_log_tells_whether_collective_calls_went_through_aggregators(name: str, gathered: bool) -> None:
    told = [p.details.get("collective_buffering") for p in workload(name).phases if p.characteristics.collective]
    assert told
    assert set(told) == {gathered}


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("wrf_io", [4.0]),  # its namelist, read by four processes
        ("madbench2_MPI_SHARED", [2.0, 2.0]),
        ("madbench2_POSIX_UNIQUE", [2.0, 2.0]),
        ("btio_A_mpi_io_full", []),
        ("hacc_write_read", []),
    ],
)
def test_a_log_tells_how_often_each_byte_is_moved(name: str, times: list[float]) -> None:
    assert [p.details["times_over"] for p in workload(name).phases if "times_over" in p.details] == times


def test_flash_io_writes_a_checkpoint_and_two_plot_files_through_pnetcdf() -> None:
    phases = workload("flash_io").phases
    assert {p.characteristics.interface for p in phases} == {Interface.PNETCDF}
    assert {p.characteristics.operation for p in phases} == {Operation.WRITE}
    assert [(p.files, p.characteristics.iterations) for p in phases] == [(1, 1), (2, 2)]
    assert all(p.characteristics.collective and p.characteristics.shared for p in phases)


def test_s3d_io_writes_five_checkpoints_though_darshan_mixes_up_their_variables() -> None:
    phase = only("s3d_io_blocking", Operation.WRITE, Interface.PNETCDF)
    c = phase.characteristics
    assert (c.iterations, c.data_size, phase.files, c.collective) == (5, 8 * MIB, 5, True)


def test_wrf_io_buffers_its_requests_and_waits_once_for_each_of_two_time_steps() -> None:
    c = only("wrf_io", Operation.WRITE, Interface.PNETCDF).characteristics
    assert (c.iterations, c.collective, c.shared) == (2, True, True)
    assert c.request_size == pytest.approx(c.data_size, rel=0.01)


@pytest.mark.parametrize(
    ("name", "operation", "shared"),
    [
        ("h5bench_read_1d_full", Operation.READ, True),
        ("h5bench_write_1d_cc_coll", Operation.WRITE, True),
        ("h5bench_write_1d_fpp", Operation.WRITE, False),
    ],
)
def test_h5bench_is_five_steps_of_eight_variables(name: str, operation: Operation, shared: bool) -> None:
    c = only(name, operation, Interface.HDF5).characteristics
    assert (c.iterations, c.data_size, c.request_size) == (5, 4 * MIB, MIB // 2)
    assert (c.shared, c.collective) == (shared, shared)


def test_hacc_io_is_one_iteration_in_private_files() -> None:
    for operation in Operation:
        c = only("hacc_write_read", operation, Interface.POSIX).characteristics
        assert (c.iterations, c.data_size, c.shared, c.access) == (1, 28_965_824, False, Access.CONSECUTIVE)


def test_madbench2_comes_back_24_times() -> None:
    for name, interface, shared in (
        ("madbench2_MPI_SHARED", Interface.MPIIO, True),
        ("madbench2_POSIX_UNIQUE", Interface.STDIO, False),  # its "POSIX" is the C library's streams
    ):
        for operation in Operation:
            c = only(name, operation, interface).characteristics
            assert (c.iterations, c.data_size, c.shared, c.collective) == (24, 819_200, shared, False)


def test_mdtest_is_50_small_files_for_each_process() -> None:
    for operation in Operation:
        phase = only("mdtest", operation, Interface.POSIX)
        c = phase.characteristics
        assert (c.iterations, c.data_size, c.request_size, c.shared, phase.files) == (50, 4096, 4096, False, 200)
        assert phase.details["opens"] == 400
        assert (float(phase.details["metadata_seconds"]) > 0) is (operation is Operation.WRITE)  # who writes closes


@pytest.mark.parametrize("path", sorted(APPS.glob("*.darshan")), ids=lambda path: path.stem)
def test_no_byte_is_counted_at_two_levels(path: Path) -> None:
    """The bytes are those of the level that counts them, module by module, and no file is counted twice."""
    log, found = read_log(path), characterize_file(path)
    for direction, counter in ((Operation.READ, "BYTES_READ"), (Operation.WRITE, "BYTES_WRITTEN")):
        counted: dict[str, int] = {}
        for phase in found.phases:
            if phase.characteristics.operation is direction:
                module = str(phase.details["counted_at"])
                counted[module] = counted.get(module, 0) + phase.bytes
        lowest = 0
        for name in ("POSIX", "STDIO"):
            if name in log.modules:
                records = log.modules[name].records
                files = [log.names.get(key, "") for key in records["id"].tolist()]
                moved = records[f"{name}_{counter}"].tolist()
                lowest += sum(size for file, size in zip(files, moved, strict=True) if file not in STREAMS)
        for module, moved in counted.items():
            prefix = module.replace("-", "")
            assert moved <= int(log.modules[module].records[f"{prefix}_{counter}"].sum())
        # data sieving makes POSIX move more; small headers make PnetCDF's variables move a little more than it
        assert sum(counted.values()) <= 1.01 * lowest


@pytest.mark.parametrize("path", sorted(APPS.glob("*.darshan")), ids=lambda path: path.stem)
def test_phases_are_largest_first_and_their_parts_make_up_their_bytes(path: Path) -> None:
    phases = characterize_file(path).phases
    assert [p.bytes for p in phases] == sorted((p.bytes for p in phases), reverse=True)
    for phase in phases:
        assert phase.characteristics.total_bytes == pytest.approx(phase.bytes, rel=0.01)
