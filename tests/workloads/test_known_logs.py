"""Runs whose truth is known: every characteristic is the one of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation, Quality, characterize_file

KNOWN = Path(__file__).parents[1] / "data" / "darshan" / "known"


def truth(
    interface: str,
    operation: str,
    *,
    data: int,
    request: int,
    iterations: int = 1,
    access: str = "consecutive",
    collective: bool = False,
    shared: bool = True,
    processes: int = 4,
    io_processes: int | None = None,
) -> Characteristics:
    return Characteristics(
        processes=processes,
        io_processes=processes if io_processes is None else io_processes,
        interface=Interface(interface),
        iterations=iterations,
        data_size=data,
        request_size=request,
        operation=Operation(operation),
        collective=collective,
        shared=shared,
        access=Access(access),
    )


def both(interface: str, **rest: int | str | bool) -> list[Characteristics]:
    return [truth(interface, operation, **rest) for operation in ("write", "read")]  # type: ignore[arg-type]  # checked by the callee


# What was run stands in shared/data/darshan/README.md of the machine the logs were made on: IOR's -b and -s together
# are what a process moves, -t is a request, -i repeats with the same file (-m: with a file each), -F is a file per
# process, -c collective. With segments as large as requests the requests of a process are strided; with larger ones
# most of them follow one another. The apps logs are told there in words.
TRUTHS: dict[str, list[Characteristics]] = {
    "ior_posix_shared_seq": both("POSIX", data=4 * MIB, request=256 * KIB),
    "ior_posix_shared_strided": both("POSIX", data=16 * 256 * KIB, request=256 * KIB, access="strided"),
    "ior_posix_fpp": both("POSIX", data=4 * MIB, request=MIB, shared=False),
    "ior_posix_writeonly_i5": [truth("POSIX", "write", data=2 * MIB, request=512 * KIB, iterations=5)],
    "ior_posix_readonly": [truth("POSIX", "read", data=4 * MIB, request=128 * KIB)],
    "ior_posix_unaligned": both("POSIX", data=8 * 470_080, request=47_008),
    "ior_posix_random": both("POSIX", data=4 * MIB, request=64 * KIB, access="random"),
    "ior_posix_1proc": both("POSIX", data=16 * MIB, request=2 * MIB, processes=1),
    "ior_mpiio_indep": both("MPIIO", data=2 * 4 * MIB, request=256 * KIB),
    "ior_mpiio_coll": both("MPIIO", data=2 * 4 * MIB, request=MIB, collective=True),
    "ior_mpiio_coll_strided": both("MPIIO", data=32 * 64 * KIB, request=64 * KIB, collective=True, access="strided"),
    "ior_hdf5_coll": both("HDF5", data=4 * MIB, request=MIB, iterations=2, collective=True),
    "app_ckpt_coll": [
        truth("HDF5", "write", data=8 * MIB, request=8 * MIB, iterations=5, collective=True),
        truth("HDF5", "read", data=8 * MIB, request=8 * MIB, collective=True),
    ],
    "app_tile_indep": both("MPIIO", data=2 * MIB, request=2 * MIB, iterations=4, access="strided"),
    "app_subset1": [
        truth("POSIX", "write", data=4 * MIB, request=512 * KIB, iterations=3, io_processes=1, shared=False)
    ],
    "app_mixrand": [
        truth("POSIX", "read", data=700 * 4 * KIB, request=4 * KIB, access="random"),
        truth("POSIX", "write", data=300 * 4 * KIB, request=4 * KIB, access="random"),
    ],
    "app_strided": [
        truth("POSIX", "read", data=64 * 32 * KIB, request=32 * KIB, access="strided"),
        truth("POSIX", "write", data=16 * MIB, request=MIB, io_processes=1, shared=False),
    ],
}


def test_every_known_log_has_its_truth() -> None:
    assert {path.stem for path in KNOWN.glob("*.darshan")} == TRUTHS.keys()


@pytest.mark.parametrize("name", TRUTHS)
def test_characteristics_are_those_of_the_command_line(name: str) -> None:
    workload = characterize_file(KNOWN / f"{name}.darshan")
    found = {phase.characteristics.operation: phase.characteristics for phase in workload.phases}
    assert len(found) == len(workload.phases)
    assert found == {one.operation: one for one in TRUTHS[name]}


@pytest.mark.parametrize("name", TRUTHS)
def test_nothing_is_unknown_where_there_is_a_trace(name: str) -> None:
    workload = characterize_file(KNOWN / f"{name}.darshan")
    assert len(workload.notes) == (workload.processes == 1)  # which may be one of many
    for phase in workload.phases:
        assert Quality.UNKNOWN not in phase.quality.values()
        assert phase.quality.keys() == set(Characteristics.__dataclass_fields__)


@pytest.mark.parametrize("name", TRUTHS)
def test_time_is_a_share_of_the_run(name: str) -> None:
    workload = characterize_file(KNOWN / f"{name}.darshan")
    assert workload.run_seconds is not None
    assert workload.io_share is not None
    assert 0 < workload.io_share < 1
    for phase in workload.phases:
        assert phase.seconds is not None
        assert 0 < phase.seconds <= workload.run_seconds
        assert phase.imbalance is None or phase.imbalance >= 1


def test_pauses_are_told() -> None:
    workload = characterize_file(KNOWN / "app_subset1.darshan")
    assert workload.phases[0].details["pause_seconds"] == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize("name", ["ior_mpiio_coll", "ior_mpiio_coll_strided"])
def test_collective_calls_whose_parts_lie_in_the_order_of_ranks_are_not_gathered(name: str) -> None:
    for phase in characterize_file(KNOWN / f"{name}.darshan").phases:
        assert phase.details["collective_buffering"] is False
