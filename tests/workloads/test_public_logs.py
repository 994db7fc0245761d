"""Logs of others, odd ones included; they stand beside the project, and the tests are skipped where they do not."""

from __future__ import annotations

import pytest

from acic.units import KIB, MIB
from acic.workloads import Access, Interface, Operation, Quality, Workload, characterize_file
from tests.workloads.darshan.logs import public

pytestmark = pytest.mark.shared


def workload(name: str) -> Workload:
    return characterize_file(public(name))


def test_vpic_io_is_2048_processes_writing_8_times_128_mib_together() -> None:
    (phase,) = workload("vpicio_2048p_collective").phases
    c = phase.characteristics
    assert (c.processes, c.io_processes, c.iterations) == (2048, 2048, 8)
    assert (c.data_size, c.request_size) == (128 * MIB, 128 * MIB)
    assert (c.operation, c.collective, c.shared) == (Operation.WRITE, True, True)
    assert phase.quality["io_processes"] is Quality.EXACT  # no rank can have moved nothing
    assert phase.quality["iterations"] is Quality.ESTIMATED
    assert phase.details["collective_buffering"] is False  # POSIX saw requests of 128 MiB, larger than any buffer


def test_a_file_named_like_hdf5_without_that_module_is_noted() -> None:
    found = workload("vpicio_2048p_collective")
    assert found.phases[0].quality["interface"] is Quality.ESTIMATED
    assert any("HDF5" in note for note in found.notes)


def test_ior_on_2048_processes_writes_a_file_each() -> None:
    phase = workload("ior_fpp_2048p").phases[0]
    c = phase.characteristics
    assert (c.io_processes, c.iterations, c.data_size, c.request_size) == (2048, 1, 256 * MIB, 4 * MIB)
    assert (c.shared, c.access, phase.files) == (False, Access.CONSECUTIVE, 2048)
    assert phase.imbalance is not None
    assert phase.imbalance > 10


def test_mpi_io_test_with_four_iterations() -> None:
    for phase in workload("mpi_io_test_32p_dxt").phases[:2]:
        c = phase.characteristics
        assert (c.io_processes, c.iterations, c.data_size, c.request_size) == (32, 4, 16 * MIB, 16 * MIB)
        assert (c.interface, c.collective, c.shared) == (Interface.MPIIO, False, True)


def test_a_partial_module_makes_its_values_estimates_and_is_noted() -> None:
    found = workload("imbalanced_496p_partial")
    assert any("ran out of memory" in note for note in found.notes)
    assert found.phases[0].characteristics.processes == 496
    for phase in found.phases:
        if phase.details["counted_at"] == "POSIX":
            assert phase.quality["io_processes"] is Quality.ESTIMATED
            assert phase.quality["data_size"] is Quality.ESTIMATED


def test_65536_processes_write_together() -> None:
    (phase,) = workload("skew_app_65536p").phases
    c = phase.characteristics
    assert (c.processes, c.io_processes, c.collective, c.interface) == (65_536, 65_536, True, Interface.MPIIO)
    assert phase.bytes == 43_637_372_528


def test_a_trace_that_ends_early_gives_an_estimate() -> None:
    found = workload("partial_dxt")
    (phase,) = found.phases
    assert phase.characteristics.iterations == 1_000_000  # mpi-io-test -i 1000000
    assert phase.quality["iterations"] is Quality.ESTIMATED
    assert any("DXT" in note for note in found.notes)


def test_an_empty_log_has_no_phases_and_says_so() -> None:
    found = workload("empty")
    assert found.phases == ()
    assert found.io_share == 0
    assert len(found.notes) == 1


def test_streams_alone() -> None:
    (phase,) = workload("stdio_no_posix").phases
    assert phase.characteristics.interface is Interface.STDIO
    assert phase.bytes == 151


def test_datasets_without_file_records_are_hdf5_all_the_same() -> None:
    found = workload("h5d_no_h5f")
    (phase,) = [p for p in found.phases if p.characteristics.interface is Interface.HDF5]
    assert (phase.bytes, phase.characteristics.shared, phase.files) == (15, False, 3)


@pytest.mark.parametrize("name", ["release_ppc64_3.0.0", "release_x86_64_3.2.1"])
def test_old_releases_and_big_endian_machines(name: str) -> None:
    for phase in workload(name).phases:
        c = phase.characteristics
        assert (c.interface, c.iterations, c.data_size, c.request_size) == (Interface.MPIIO, 1, 16 * MIB, 16 * MIB)


def test_the_newer_trace_is_read_or_its_lack_is_noted() -> None:
    found = workload("dxt_v3_unsupported")
    for phase in found.phases:
        c = phase.characteristics
        assert (c.iterations, c.data_size, c.request_size) == (1, MIB, 256 * KIB)
    assert found.notes or all(p.quality["iterations"] is Quality.EXACT for p in found.phases)
