"""Replicas: the IOR command of a log that IOR made is the one that made it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from acic.units import KIB, MIB, parse_bytes
from acic.workloads import Interface, Operation, Workload, characterize_file, from_options, ior_commands
from acic.workloads.darshan import read_log
from acic.workloads.replica import Replica
from tests.workloads.darshan.logs import EACH_BUNDLED
from tests.workloads.test_workload_files import workloads

KNOWN = Path(__file__).parents[1] / "data" / "darshan" / "known"
IOR = sorted(path.stem for path in KNOWN.glob("ior_*.darshan"))


def options(arguments: list[str]) -> dict[str, str]:
    """Return IOR's options by letter; a flag is ""."""
    found: dict[str, str] = {}
    rest = iter(arguments[arguments.index("ior") + 1 :])
    for argument in rest:
        found[argument[1]] = next(rest) if argument[1] in "abdiost" else ""
    return found


def amount(found: dict[str, str]) -> int:
    return parse_bytes(found["b"]) * int(found.get("s", "1"))


@pytest.mark.parametrize("name", IOR)
def test_the_command_of_an_ior_run_is_its_own(name: str) -> None:
    path = KNOWN / f"{name}.darshan"
    log = read_log(path)
    original = options(["ior", *log.job.exe.split()[1:]])
    both = not {"w", "r"} & original.keys()
    replicas = [one for one in ior_commands(characterize_file(path)) if not one.prepares]
    assert len(replicas) == 2 if both else 1
    for replica in replicas:
        made = options(list(replica.arguments))
        assert made["a"] == original["a"]
        assert amount(made) == amount(original)
        assert parse_bytes(made["t"]) == parse_bytes(original["t"])
        assert made.get("i", "1") == original.get("i", "1")
        for flag in "cFzm":
            assert (flag in made) == (flag in original)
        assert both or ("w" in made, "r" in made) == ("w" in original, "r" in original)
        assert replica.arguments[:3] == ("mpiexec", "-n", str(log.job.processes))
        # requests of a process that are apart in the file were apart in IOR's, too
        assert (made["b"] == made["t"]) == (parse_bytes(original["b"]) == parse_bytes(original["t"]))


@pytest.mark.parametrize("name", ["ior_posix_shared_seq", "ior_mpiio_coll_strided", "app_tile_indep"])
def test_what_was_written_and_then_read_is_replayed_in_that_order(name: str) -> None:
    """The read came first, of a file that was made for it, and then another one was written."""
    made = [one for one in ior_commands(characterize_file(KNOWN / f"{name}.darshan")) if not one.prepares]
    assert [one.operation for one in made] == [Operation.WRITE, Operation.READ]


@pytest.mark.parametrize(
    ("log", "by_turns", "traced"),
    [
        ("known/app_mixrand", True, True),
        ("known/ior_hdf5_coll", True, True),  # -i 2: write, read, write, read
        ("apps/madbench2_POSIX_UNIQUE", True, False),
        ("known/app_strided", False, True),  # a process reads while the last ones write
        ("known/ior_posix_shared_seq", False, True),
    ],
)
def test_that_reads_and_writes_are_mixed_is_said(log: str, by_turns: bool, traced: bool) -> None:
    replicas = ior_commands(characterize_file(KNOWN.parent / f"{log}.darshan"))
    for made in replicas:
        said = [one for one in made.differences if "the same files by turns" in one]
        assert bool(said) == (by_turns and not made.prepares)
        assert all(("--replay FILE" in one) == traced for one in said)


def test_a_file_to_read_is_made_first() -> None:
    first, second = ior_commands(characterize_file(KNOWN / "ior_posix_readonly.darshan"))
    assert first.prepares
    assert not second.prepares
    made, read = options(list(first.arguments)), options(list(second.arguments))
    assert {"w", "k"} <= made.keys()
    assert "r" in read
    assert "k" not in read
    assert second.remove == ""  # IOR removes what it has read: it lay there for good
    assert (amount(made), made["o"]) == (amount(read), read["o"])


def test_bt_io_appends_40_collective_requests() -> None:
    path = KNOWN.parent / "apps" / "btio_A_mpi_io_full.darshan"
    (write,) = [one for one in ior_commands(characterize_file(path)) if "-w" in one.arguments and not one.prepares]
    assert str(write).endswith("mpiexec -n 4 ior -a MPIIO -c -w -b 2560k -t 2560k -s 40 -o acic-replica.0")
    assert any("pauses" in difference for difference in write.differences)


def test_only_the_processes_that_do_io_are_started_and_that_is_said() -> None:
    (replica,) = ior_commands(characterize_file(KNOWN / "app_subset1.darshan"))
    assert replica.arguments[2] == "1"
    assert any("1 of 4" in difference for difference in replica.differences)
    assert str(replica).startswith("# ")


def test_checkpoints_in_files_of_their_own_are_repetitions_with_a_file_each() -> None:
    replicas = ior_commands(characterize_file(KNOWN / "app_ckpt_coll.darshan"))
    made = options(list(replicas[0].arguments))
    assert (made["i"], "m" in made, made["b"]) == ("5", True, "8m")


def test_what_ior_cannot_do_is_said() -> None:
    stdio = from_options(processes=4, data_size=MIB, operation="write", interface="STDIO", collective=True)
    told = " ".join(ior_commands(stdio)[0].differences)
    assert "STDIO" in told
    assert "collective" in told
    odd = from_options(processes=4, data_size=1000, request_size=333, operation="write")
    (replica,) = ior_commands(odd)
    assert options(list(replica.arguments))["t"] == "336"
    assert len(replica.differences) == 2
    strided = from_options(processes=4, data_size=MIB, operation="write", shared=False, access="strided")
    assert any("no holes" in difference for difference in ior_commands(strided)[0].differences)


def test_gaps_that_ior_fills_and_bytes_that_it_moves_less_often_are_said() -> None:
    gaps = "The application leaves gaps: it reads 50% of the bytes of its files, IOR all of them."
    more = "The application reads each byte 4 times over, IOR once."
    for log, difference in (("known/app_strided", gaps), ("apps/h5bench_read_1d_full", more)):
        replicas = ior_commands(characterize_file(KNOWN.parent / f"{log}.darshan"))
        assert [one.operation for one in replicas if difference in one.differences] == [Operation.READ]


@pytest.mark.parametrize(("over", "told"), [(2048.0, "2048"), (1234.5, "1234"), (99.96, "100"), (2.5, "2.5")])
def test_how_often_bytes_are_moved_is_told_as_people_write_it(over: float, told: str) -> None:
    """It was 2.05e+03 times over."""
    phase = from_options(processes=4, data_size=MIB, operation="read").phases[0]
    read = Workload(name="x", processes=4, phases=(dataclasses.replace(phase, details={"times_over": over}),))
    assert f"The application reads each byte {told} times over, IOR once." in ior_commands(read)[-1].differences


def test_what_the_application_moves_is_what_the_log_has_of_it() -> None:
    """It was what the replica's processes would move, if each moved the mean as a whole number."""
    phase = from_options(processes=3, data_size=MIB, operation="write").phases[0]
    (one,) = ior_commands(Workload(name="x", processes=3, phases=(dataclasses.replace(phase, bytes=3 * MIB + 1),)))
    assert one.differences == (f"IOR moves {3 * MIB} B in all, the application {3 * MIB + 1} B.",)


def test_opens_of_variables_are_no_opens_of_files() -> None:
    """FLASH opens a file of PnetCDF once in each of 4 processes, and 120 variables within: that was told of files."""
    workload = characterize_file(KNOWN.parent / "apps" / "flash_io.darshan")
    assert {phase.characteristics.interface for phase in workload.phases} == {Interface.PNETCDF}
    assert [phase.details["opens"] for phase in workload.phases] == [4, 8]
    assert not [one for replica in ior_commands(workload) for one in replica.differences if "opens files" in one]


def test_bytes_that_repetitions_move_again_are_no_difference() -> None:
    phase = from_options(processes=4, data_size=MIB, operation="read", iterations=3).phases[0]
    details: dict[str, str | float] = {"iterations_are": "again", "times_over": 3.0}
    again = Workload(name="x", processes=4, phases=(dataclasses.replace(phase, details=details),))
    assert not [one.differences for one in ior_commands(again) if not one.prepares and one.differences]


@pytest.mark.parametrize(("shared", "command"), [(True, "rm -f 'a b.0'"), (False, "rm -f 'a b.0'.*")])
def test_a_file_that_is_read_again_is_removed_after_the_last_time(shared: bool, command: str) -> None:
    """IOR would remove it before it is read again, so it was kept, for good."""
    phase = from_options(processes=4, data_size=MIB, operation="read", iterations=3, shared=shared).phases[0]
    again = dataclasses.replace(phase, details={"iterations_are": "again", "times_over": 3.0})
    made, read = ior_commands(Workload(name="x", processes=4, phases=(again,)), file="a b")
    assert "-k" in made.arguments
    assert "-k" in read.arguments
    assert (made.remove, read.remove) == ("", command)
    assert str(read).splitlines()[-1] == command
    assert read.checking().remove == ""


@pytest.mark.parametrize(
    ("log", "told"),
    [("apps/btio_A_mpi_io_full", True), ("known/app_tile_indep", True), ("apps/btio_S_mpi_io_simple", False)],
)
def test_views_that_may_have_holes_are_said(log: str, told: bool) -> None:
    """BT-IO's views put the pieces of all processes among one another: IOR did without, and nothing said so.

    Its simple variant writes each piece by itself, and POSIX sees the same requests.
    """
    replicas = ior_commands(characterize_file(KNOWN.parent / f"{log}.darshan"))
    measured = [one.differences for one in replicas if not one.prepares]
    assert [any("file views" in one for one in differences) for differences in measured] == [told] * len(measured)


def test_requests_in_turn_are_segments() -> None:
    workload = from_options(
        processes=4, data_size=MIB, request_size=64 * KIB, operation="write", access="strided", iterations=3
    )
    made = options(list(ior_commands(workload)[0].arguments))
    assert (made["b"], made["t"], made["s"]) == ("64k", "64k", "48")


@pytest.mark.parametrize(
    ("changed", "told", "block", "segments"),
    [
        ({}, {"contiguous": True}, "5m", "1"),
        ({}, {}, "1m", "5"),
        ({}, {"contiguous": True, "iterations_are": "again"}, "1m", "1"),
        ({"access": "random"}, {"contiguous": True}, "1m", "5"),
        ({"access": "strided"}, {"contiguous": True}, "64k", "80"),
    ],
)
def test_a_part_of_a_file_for_each_process_is_one_block(
    changed: dict[str, Any], told: dict[str, str | int], block: str, segments: str
) -> None:
    """IOR interleaved the iterations of all processes, where each goes on in its own part."""
    options_of: dict[str, Any] = {"processes": 4, "data_size": MIB, "request_size": 64 * KIB, "operation": "write"}
    made = from_options(**options_of, shared=True, iterations=5, **changed)
    phase = dataclasses.replace(made.phases[0], details=told)
    (one,) = ior_commands(dataclasses.replace(made, phases=(phase,)))
    found = options(list(one.arguments))
    assert (found["b"], found.get("s", "1")) == (block, segments)


@EACH_BUNDLED
def test_every_phase_has_a_command_that_ior_can_run(path: Path) -> None:
    check(characterize_file(path))


@given(workload=workloads())
def test_every_workload_has_commands_that_ior_can_run(workload: Workload) -> None:
    check(workload)


def check(workload: Workload) -> None:
    replicas = ior_commands(workload)
    assert [one.phase for one in replicas if not one.prepares] == list(range(len(workload.phases)))
    for replica in replicas:
        c = workload.phases[replica.phase].characteristics
        made = options(list(replica.arguments))
        block, transfer = parse_bytes(made["b"]), parse_bytes(made["t"])
        assert block % transfer == 0
        assert transfer % 8 == 0
        assert int(replica.arguments[2]) == c.io_processes
        assert ("w" in made) is (replica.prepares or c.operation is Operation.WRITE)
        assert ("F" in made) is not c.shared
        files = int(made["i"]) if "m" in made else 1
        assert replica.size == (None if c.interface is Interface.HDF5 else amount(made) * c.io_processes * files)
        if not replica.prepares:
            moved = amount(made) * int(made.get("i", "1"))
            requests = max(1, round(c.data_size / c.request_size))
            # whole requests of whole words: less than 8 B more in each
            assert 0 <= moved - c.iterations * c.data_size < 8 * requests * c.iterations
            own = workload.phases[replica.phase].bytes or c.total_bytes
            said = [difference for difference in replica.differences if "in all" in difference]
            moved *= c.io_processes
            assert said == ([f"IOR moves {moved} B in all, the application {own} B."] if moved != own else [])


def test_a_workload_without_phases_has_no_commands() -> None:
    assert ior_commands(Workload(name="none", processes=4, phases=())) == []


def test_locks_and_what_is_removed_are_said_to_be_left_out() -> None:
    workload = characterize_file(KNOWN / "ior_posix_writeonly_i5.darshan")
    (phase,) = workload.phases

    def said(details: dict[str, int]) -> list[str]:
        told = dataclasses.replace(phase, details={**phase.details, **details})
        (one,) = ior_commands(dataclasses.replace(workload, phases=(told,)))
        return [difference for difference in one.differences if "beside its I/O" in difference]

    assert said({}) == []
    assert said({"empty_files": 124, "asked_files": 3, "removed_files": 124}) == [
        "The application makes, looks at, changes or removes 251 names beside its I/O, IOR does not."
    ]


def test_replicas_are_values() -> None:
    one, other = (ior_commands(characterize_file(KNOWN / "ior_posix_fpp.darshan")) for _ in range(2))
    assert one == other
    with pytest.raises(dataclasses.FrozenInstanceError):
        one[0].phase = 1  # type: ignore[misc]  # read-only, as it should be


def replica_of(**changed: Any) -> Replica:
    """Return the last command of a workload of one phase, read at random unless something else is said."""
    told: dict[str, Any] = {
        "processes": 4,
        "interface": "POSIX",
        "operation": "read",
        "data_size": MIB,
        "request_size": 64 * KIB,
        "access": "random",
        "shared": True,
    }
    return ior_commands(from_options(**(told | changed)))[-1]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"interface": "MPIIO", "collective": True}, "collective calls"),
        ({"interface": "HDF5"}, "HDF5"),
        ({"request_size": MIB}, "a single request"),
        ({"request_size": MIB, "iterations": 8}, ""),
        ({"request_size": MIB, "iterations": 8, "shared": False}, ""),
    ],
)
def test_places_are_random_only_where_ior_takes_it(changed: dict[str, Any], why: str) -> None:
    """IOR's ValidateTests and MPI-IO's check_params: nothing of what was printed ran."""
    made = replica_of(**changed)
    assert ("-z" in made.arguments) == (not why)
    told = [one for one in made.differences if one.startswith("IOR has no random order")]
    assert told == ([f"IOR has no random order for {why}: here the requests follow one another."] if why else [])
    found = options(list(made.arguments))
    if not why:
        assert parse_bytes(found["b"]) > parse_bytes(found["t"])
    assert amount(found) == MIB * changed.get("iterations", 1)


def test_acic_bench_has_the_layout_that_it_always_had() -> None:
    """What measured on other layouts would count as the same points."""
    for iterations, block in ((1, "1m"), (8, "1m")):
        one = from_options(
            processes=4, data_size=MIB, request_size=MIB, operation="write", access="random", iterations=iterations
        )
        (made,) = ior_commands(one, strict=False)
        assert "-z" in made.arguments
        found = options(list(made.arguments))
        assert (found["b"], found["t"], found.get("s", "1")) == (block, "1m", str(iterations))


def test_no_file_is_to_be_read_by_other_tasks_where_ior_refuses_that() -> None:
    for shared in (True, False):
        first, _ = ior_commands(
            from_options(
                processes=4,
                interface="POSIX",
                operation="read",
                data_size=MIB,
                access="random",
                shared=shared,
                request_size=KIB,
            )
        )
        assert ("add -C" in first.differences[0]) == (not shared)
