"""Reading IOR: genuine outputs against truths written down by hand from their command lines."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tracemalloc
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, UnreadableInput
from acic.store import Outcome, ior_files
from acic.store.database import Store
from acic.store.ior import IorResult, read_ior
from acic.store.ior_files import is_companion
from acic.store.ior_output import parse_json
from acic.workloads import Access, Characteristics, Interface, Operation
from tests.store.samples import MIB

DATA = Path(__file__).parents[1] / "data" / "ior"
KIB = 1024
WRITE, READ = Operation.WRITE, Operation.READ


def told(
    tasks: int, interface: Interface, data: int, request: int, operation: Operation, **more: object
) -> Characteristics:
    given: dict[str, object] = {"collective": False, "shared": True, "access": Access.CONSECUTIVE, **more}
    return Characteristics(
        processes=tasks,
        io_processes=tasks,
        interface=interface,
        iterations=1,
        data_size=data,
        request_size=request,
        operation=operation,
        **given,  # type: ignore[arg-type]  # checked by the callee
    )


def both(tasks: int, interface: Interface, data: int, request: int, **more: object) -> list[Characteristics]:
    return [told(tasks, interface, data, request, operation, **more) for operation in (WRITE, READ)]


COMMANDS = {  # by hand, from the lines "Command line" and "tasks" of the .txt files
    "hdf5_fpp": (4, "-a HDF5 -F -b 4m -t 1m"),
    "hdf5_indep": (4, "-a HDF5 -b 4m -t 1m"),
    "mpiio_coll": (4, "-a MPIIO -c -b 4m -t 256k -s 2"),
    "mpiio_indep": (4, "-a MPIIO -b 4m -t 256k -s 2"),
    "posix_direct": (2, "-a POSIX --posix.odirect -b 4m -t 1m"),
    "posix_fpp": (4, "-a POSIX -F -b 4m -t 1m"),
    "posix_readonly": (4, "-a POSIX -r -k -b 4m -t 1m -o wo.dat"),
    "posix_shared": (4, "-a POSIX -b 4m -t 256k -s 2"),
    "posix_verify": (2, "-a POSIX -b 1m -t 256k -w -W -r -R"),
    "posix_writeonly": (4, "-a POSIX -w -k -b 4m -t 1m -o wo.dat"),
}
TRUTHS = {
    "hdf5_fpp": both(4, Interface.HDF5, 4 * MIB, MIB, shared=False),
    "hdf5_indep": both(4, Interface.HDF5, 4 * MIB, MIB),
    "mpiio_coll": both(4, Interface.MPIIO, 8 * MIB, 256 * KIB, collective=True, access=Access.STRIDED),
    "mpiio_indep": both(4, Interface.MPIIO, 8 * MIB, 256 * KIB, access=Access.STRIDED),
    "posix_direct": both(2, Interface.POSIX, 4 * MIB, MIB),
    "posix_fpp": both(4, Interface.POSIX, 4 * MIB, MIB, shared=False),
    "posix_readonly": [told(4, Interface.POSIX, 4 * MIB, MIB, READ)],
    "posix_shared": both(4, Interface.POSIX, 8 * MIB, 256 * KIB, access=Access.STRIDED),
    "posix_verify": both(2, Interface.POSIX, MIB, 256 * KIB),
    "posix_writeonly": [told(4, Interface.POSIX, 4 * MIB, MIB, WRITE)],
}
BANDWIDTHS = {  # MiB/s, by hand from the files
    "posix_shared.json": [89.9258, 4245.6498],
    "posix_shared.csv": [118.0612, 2494.3360],
    "posix_shared.txt": [96.88, 973.50],
    "mpiio_coll.json": [14.9014, 12.4610],
    "posix_readonly.txt": [1341.83],
    "posix_direct.csv": [450.9277, 859.8409],
}
FAILURES = {  # what went wrong, and what was being done where the output tells
    "fail_api": ("Unrecognized I/O API", None),
    "fail_enospc": ("No space left on device", told(2, Interface.POSIX, 8 * MIB, 256 * KIB, WRITE)),
    "fail_enospc_mpiio": ("No space left on device", told(2, Interface.MPIIO, 8 * MIB, 256 * KIB, WRITE)),
    "fail_misaligned": ("multiple of transfer size", None),
    "fail_mpiio_nodir": ("does not exist", told(2, Interface.MPIIO, MIB, 256 * KIB, WRITE)),
    "fail_nodir": ("No such file or directory", told(2, Interface.POSIX, MIB, 256 * KIB, WRITE)),
    "mpiio_hints": ("invalid argument: -H", None),
}
SUFFIXES = (".json", ".csv", ".txt")


def read(name: str, suffix: str) -> list[IorResult]:
    tasks, command = COMMANDS.get(name, (2, ""))
    path = DATA / f"{name}{suffix}"
    return read_ior(path, command=f"ior {command}", processes=tasks) if suffix == ".csv" else read_ior(path)


def test_every_file_has_its_truth() -> None:
    names = {p.name.split(".")[0] for p in DATA.iterdir()} - {"README", "dummy"}
    assert names == set(TRUTHS) | set(FAILURES)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", TRUTHS)
def test_a_good_run_is_read_as_it_was(name: str, suffix: str) -> None:
    results = read(name, suffix)
    assert [r.workload for r in results] == TRUTHS[name]
    assert all(r.outcome is Outcome.OK and not r.note for r in results)
    assert all(len(r.repetitions) == 1 for r in results)
    if figures := BANDWIDTHS.get(f"{name}{suffix}"):
        assert [r.repetitions[0].bandwidth for r in results] == [pytest.approx(b * MIB) for b in figures]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_run_is_one_failure_with_its_reason(name: str, suffix: str) -> None:
    reason, workload = FAILURES[name]
    (result,) = read_ior(DATA / f"{name}{suffix}")
    assert result.outcome is Outcome.FAILED
    assert reason in result.note
    assert result.note.isprintable()
    assert result.repetitions == ()
    if suffix == ".csv" or workload is None:
        assert result.workload is None
        assert result.why_unknown
    else:
        assert result.workload == workload


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failure_that_tells_nothing_is_known_by_its_command_line(suffix: str) -> None:
    (result,) = read_ior(DATA / f"fail_misaligned{suffix}", command="ior -a POSIX -b 1m -t 512k", processes=2)
    assert result.outcome is Outcome.FAILED
    assert result.workload == told(2, Interface.POSIX, MIB, 512 * KIB, WRITE)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_dummy_interface_is_no_storage(suffix: str) -> None:
    results = read_ior(DATA / f"dummy{suffix}", command="ior -a DUMMY -b 4m -t 1m")
    assert all(r.workload is None and "DUMMY" in r.why_unknown for r in results)


def test_what_else_the_output_tells() -> None:
    write = read("mpiio_coll", ".json")[0]
    assert write.time == datetime(2026, 11, 20, 22, 4, 3, tzinfo=UTC)
    assert write.tool_version == "4.1.0+dev"
    assert write.versions == {"MPIIO": "4.0"}
    assert write.host_shape == {"nodes": 1, "tasks_per_node": 4, "machine": "Linux vm"}
    assert write.repetitions[0].seconds == 2.1475
    assert write.repetitions[0].iops == 72.2084
    text = read("hdf5_fpp", ".txt")[0]
    assert text.versions == {"HDF5": "1.10.8 (Parallel)"}
    assert text.host_shape == write.host_shape


def test_times_are_in_the_timezone_given() -> None:
    china = timezone(timedelta(hours=8))
    here, there = (read_ior(DATA / "posix_shared.json", timezone=zone)[0].time for zone in (UTC, china))
    assert here - there == timedelta(hours=8)


def test_a_file_without_a_time_takes_its_own() -> None:
    path = DATA / "posix_shared.csv"
    assert read("posix_shared", ".csv")[0].time == datetime.fromtimestamp(path.stat().st_mtime, UTC)


def test_csv_without_a_command_line_says_what_it_lacks() -> None:
    (result,) = read_ior(DATA / "posix_shared.csv")
    assert result.workload is None
    assert "command line" in result.why_unknown
    assert result.outcome is Outcome.UNKNOWN


# ---- repetitions, and the ways in which releases of IOR have broken their JSON


def document(repetitions: int = 10, done: int = 10, **parameters: int) -> str:
    """IOR's JSON of writes and reads repeated: what its release 3.4 prints."""
    asked = {"readFile": 1, "writeFile": 1, "maxTimeDuration": 0, "randomOffset": 0, "filePerProc": 0} | parameters
    results = [
        {"access": access, "bwMiB": 100.0 + i, "iops": 5.0, "openTime": 0.1, "totalTime": 2.5}
        for i in range(done)
        for access in ("write", "read")
        if asked[f"{access}File"]
    ]
    return json.dumps(
        {
            "Version": "3.4.0",
            "Began": "Mon Mar  6 17:49:37 2023",
            "Command line": f"ior -a MPIIO -t 1M -b 8388608 -O summaryFormat=JSON -i {repetitions}",
            "Machine": "Linux cn968",
            "tests": [
                {
                    "TestID": 0,
                    "StartTime": "Mon Mar  6 17:49:38 2023",
                    "Parameters": {
                        "api": "MPIIO", "testFileName": "a {strange} name", "nodes": 128, "tasksPerNode": 1,
                        "repetitions": repetitions, "collective": 0, "segmentCount": 1,
                        "transferSize": MIB, "blockSize": 8 * MIB, **asked,
                    },
                    "Options": {"api": "MPIIO", "apiVersion": "(3.1)", "tasks": 128, "repetitions": repetitions},
                    "Results": results,
                }
            ],
            "summary": [{"operation": "write", "API": "MPIIO", "blockSize": 8 * MIB, "transferSize": MIB}],
            "Finished": "Mon Mar  6 17:50:01 2023",
        },
        indent=2,
    )  # fmt: skip


def written(folder: Path, text: str, name: str = "run.json") -> list[IorResult]:
    path = folder / name
    path.write_text(text)
    return read_ior(path)


def test_every_repetition_is_kept_in_order(tmp_path: Path) -> None:
    write, read = written(tmp_path, document())
    assert [r.bandwidth for r in write.repetitions] == [(100 + i) * MIB for i in range(10)]
    assert write.workload == told(128, Interface.MPIIO, 8 * MIB, MIB, WRITE)
    assert read.workload == told(128, Interface.MPIIO, 8 * MIB, MIB, READ)
    assert write.time == datetime(2023, 3, 6, 17, 49, 38, tzinfo=UTC)


BREAKS = {
    "a bracket is lost (issue 233)": lambda t: t.replace("]\n    }\n  ],", "}\n  ],"),
    "results in brackets of their own (issue 102)": lambda t: t.replace('"Results": [', '"Results": [ [').replace(
        "      ]\n    }\n  ],", ']\n]\n, \n  "max": {\n    "writeMiB": 1658.4\n  }\n\n}\n]\n,'
    ),
    "a heading before it (issue 102)": lambda t: "IOR-3.2.0: MPI Coordinated Test of Parallel I/O\n" + t,
    "messages in between (issue 503)": lambda t: t.replace(
        '{\n          "access"', '\nCommencing write performance test: Mon Dec 23 2024\n{\n          "access"'
    ).replace('"Results"', 'WARNING: The file "x" exists already and will be deleted\n"Results"'),
    "keys given twice (issue 264)": lambda t: t.replace('"operation": "write"', '"blockSize": 1, "operation": "write"'),
    "commas are lost (issue 264)": lambda t: t.replace("        },\n        {", "        }\n        {"),
    "commas too many": lambda t: t.replace("\n        }", ",\n        }"),
}


@pytest.mark.parametrize("how", BREAKS)
def test_broken_json_gives_what_whole_json_gives(tmp_path: Path, how: str) -> None:
    good = written(tmp_path, document())
    text = BREAKS[how](document())
    assert text != document()
    broken = written(tmp_path, text)
    assert [(r.workload, r.outcome, r.repetitions) for r in broken] == [
        (r.workload, r.outcome, r.repetitions) for r in good
    ]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_truncated_file_never_passes_for_a_success(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    source = data.draw(st.sampled_from([document(), *((DATA / f"{n}.json").read_text() for n in TRUTHS)]))
    end = data.draw(st.integers(0, source.index('"Finished"') + len('"Finished": "')))
    results = written(tmp_path_factory.mktemp("cut"), source[:end])
    assert results
    assert all(r.outcome is Outcome.FAILED and r.note for r in results)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_truncated_text_never_passes_for_a_success(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    source = data.draw(st.sampled_from([(DATA / f"{n}.txt").read_text() for n in TRUTHS]))
    end = data.draw(st.integers(4, source.index("\nFinished")))
    results = written(tmp_path_factory.mktemp("cut"), source[:end], "run.txt")
    assert results
    assert all(r.outcome is Outcome.FAILED and r.note for r in results)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(raw)
    try:
        assert all(r.outcome is not Outcome.OK for r in read_ior(path))
    except UnreadableInput as error:
        assert error.hint  # noqa: PT017  (it may be raised or not)


def test_missing_repetitions_are_a_failure(tmp_path: Path) -> None:
    write, read = written(tmp_path, document(done=7))
    assert (write.outcome, read.outcome) == (Outcome.FAILED, Outcome.FAILED)
    assert "7 of 10" in write.note
    assert len(write.repetitions) == 7


def test_a_time_limit_may_leave_repetitions_out(tmp_path: Path) -> None:
    write = written(tmp_path, document(done=7, maxTimeDuration=5))[0]
    assert write.outcome is Outcome.OK
    assert "7 of 10" in write.note


def test_an_infinite_bandwidth_is_no_figure(tmp_path: Path) -> None:
    write = written(tmp_path, document().replace('"bwMiB": 103.0', '"bwMiB": "inf"').replace("104.0", "nan"))[0]
    assert [r.bandwidth is None for r in write.repetitions] == [i in (3, 4) for i in range(10)]
    assert write.outcome is Outcome.FAILED


def test_random_offsets_and_files_per_process(tmp_path: Path) -> None:
    assert [r.workload and r.workload.access for r in written(tmp_path, document(randomOffset=1))] == [
        Access.RANDOM
    ] * 2
    text = document(filePerProc=1).replace('"segmentCount": 1', '"segmentCount": 4')
    (write, _) = written(tmp_path, text)
    assert write.workload == told(128, Interface.MPIIO, 32 * MIB, MIB, WRITE, shared=False)  # its own file: no stride


# ---- how the run ended, told by the files beside it


@pytest.mark.parametrize("beside", ["run.json.rc", "run.rc"])
def test_an_exit_status_makes_a_failure(tmp_path: Path, beside: str) -> None:
    (tmp_path / beside).write_text("9\n")
    results = written(tmp_path, document())
    assert [r.outcome for r in results] == [Outcome.FAILED] * 2
    assert results[0].note == "exit status 9"
    (tmp_path / beside).with_suffix(".err").write_text("some warning\nmpiexec: node n7 is down\n\n")
    assert written(tmp_path, document())[0].note == "exit status 9: mpiexec: node n7 is down"
    (tmp_path / beside).write_text("0\n")
    assert written(tmp_path, document())[0].outcome is Outcome.OK


@pytest.mark.parametrize("place", ["beginning", "end"])
def test_of_a_large_file_beside_an_output_the_ends_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """What 4,000 ranks say on standard error took all memory, and was read twice."""
    most, size = 64 * KIB, 16 * MIB
    monkeypatch.setattr(ior_files, "_LARGEST", most)
    with (tmp_path / "run.json.err").open("wb") as file:
        file.seek(0 if place == "beginning" else size)
        file.write(b"\nERROR: no space left on device\n")
        file.truncate(size + KIB)
    tracemalloc.start()
    results = written(tmp_path, document())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {r.note for r in results} == {"ERROR: no space left on device"}
    assert peak < size / 4


def test_data_other_than_written_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "run.json.out").write_text("WARNING: Incorrect data on read (3 errors found).\n")
    write, read = written(tmp_path, document())
    assert (write.outcome, read.outcome) == (Outcome.OK, Outcome.CORRUPT)
    (tmp_path / "run.json.out").write_text("[0] FAILED comparison of buffer in file\n")
    assert {r.outcome for r in written(tmp_path, document())} == {Outcome.CORRUPT}


def test_an_error_after_a_write_fails_both_directions(tmp_path: Path) -> None:
    text = document(repetitions=1, done=1).replace('"access": "read"', '"access": "remove"')
    (tmp_path / "run.json.err").write_text("Abort(-1) on node 0 (rank 0 in comm 0)\n")
    write, read = written(tmp_path, text)
    assert (write.outcome, read.outcome) == (Outcome.FAILED, Outcome.FAILED)
    assert len(write.repetitions) == 1
    assert read.repetitions == ()


def test_several_tests_in_one_file_are_several_results(tmp_path: Path) -> None:
    one = json.loads(document(repetitions=1, done=1))
    second = json.loads(document(repetitions=2, done=2, readFile=0, filePerProc=1))["tests"][0]
    one["tests"].append(second | {"StartTime": "Mon Mar  6 18:00:00 2023"})
    results = written(tmp_path, json.dumps(one))
    assert [(r.workload and r.workload.shared, len(r.repetitions)) for r in results] == [
        (True, 1),
        (True, 1),
        (False, 2),
    ]
    assert results[2].time - results[0].time == timedelta(minutes=10, seconds=22)


@pytest.mark.parametrize("text", ['{"a": 1}', "a,b\n1,2\n", "Some notes of mine.\n", "[]"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableInput, match="no output of IOR") as caught:
        written(tmp_path, text)
    assert caught.value.hint


def test_a_training_database_is_told_with_how_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "my store.sqlite"
    with Store.open(str(path)):
        pass
    with pytest.raises(UnreadableInput, match="is a database") as caught:
        read_ior(path)
    assert f"acic data export FILE.jsonl --store '{path}'" in caught.value.hint


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"a": ' + "[" * 100_000], ids=["objects", "lists"])
def test_nesting_without_end_is_no_output_of_ior(tmp_path: Path, text: str) -> None:
    results = written(tmp_path, text)
    assert [(r.workload, r.outcome) for r in results] == [(None, Outcome.FAILED)]


@pytest.mark.parametrize("inside", ["1, " * 400_000, f'"x": "{"y" * 1_000_000}", '], ids=["numbers", "text"])
@pytest.mark.parametrize("end", ["}", "", '"'])
def test_large_files_of_others_take_no_more_memory_than_a_few_times_their_size(inside: str, end: str) -> None:
    text = "{" + inside + end
    tracemalloc.start()
    parse_json(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * len(text)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="No such file"):
        read_ior(tmp_path / "nowhere.json")


def test_companions_are_told_from_outputs(tmp_path: Path) -> None:
    for name in ("a.json", "a.json.rc", "a.err", "b.out", "c.csv", "c.csv.out"):
        shutil.copy(DATA / "posix_shared.csv", tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir() if not is_companion(p)) == ["a.json", "b.out", "c.csv"]


@pytest.mark.parametrize("suffix", [".err", ".rc"])
def test_what_lies_beside_printed_output_is_its_companion(tmp_path: Path, suffix: str) -> None:
    """As a scheduler names its files: job.out and job.err."""
    shutil.copy(DATA / "posix_shared.txt", tmp_path / "job.out")
    (tmp_path / f"job{suffix}").touch()
    assert [p.name for p in tmp_path.iterdir() if not is_companion(p)] == ["job.out"]


@pytest.mark.parametrize("name", ["job", "job.sh", "ior"])
def test_what_a_script_or_a_program_printed_is_no_companion_of_it(tmp_path: Path, name: str) -> None:
    """All results were in job.out, and it was neither read nor named."""
    (tmp_path / name).write_bytes(b"\x7fELF\x02" if name == "ior" else b"#!/bin/bash\nmpiexec ior\n")
    shutil.copy(DATA / "posix_shared.txt", tmp_path / f"{name}.out")
    assert sorted(p.name for p in tmp_path.iterdir() if not is_companion(p)) == [name, f"{name}.out"]
    shutil.copy(DATA / "posix_shared.txt", tmp_path / name)
    assert [p.name for p in tmp_path.iterdir() if not is_companion(p)] == [name]


@pytest.mark.parametrize("all_of_it", [True, False], ids=["a folder", "an output"])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["posix_shared", "fail_enospc", "fail_api"])
def test_what_gzip_packed_is_what_it_was(tmp_path: Path, name: str, suffix: str, all_of_it: bool) -> None:
    """Also a failure, where what tells of it beside the output is packed too, as by `gzip -r`."""
    for file in DATA.glob(f"{name}{suffix}*"):
        packed = file.name == f"{name}{suffix}" or all_of_it
        made = tmp_path / f"{file.name}{'.gz' if packed else ''}"
        made.write_bytes(gzip.compress(file.read_bytes()) if packed else file.read_bytes())
        shutil.copystat(file, made)  # when it was written is when a CSV was measured
    tasks, command = COMMANDS.get(name, (2, ""))
    given = {"command": f"ior {command}", "processes": tasks} if suffix == ".csv" else {}
    assert read_ior(tmp_path / f"{name}{suffix}.gz", **given) == read(name, suffix)  # type: ignore[arg-type]  # as read
    assert [p.name for p in tmp_path.iterdir() if not is_companion(p)] == [f"{name}{suffix}.gz"]


def test_what_does_not_unpack_or_to_too_much_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress((DATA / "posix_shared.json").read_bytes())
    path = tmp_path / "run.json.gz"
    for damaged in (whole[:-30], whole[:200] + b"\xff" * 20 + whole[220:], whole[:5]):
        path.write_bytes(damaged)
        with pytest.raises(UnreadableInput, match="does not unpack"):
            read_ior(path)
    path.write_bytes(gzip.compress(bytes(65 * MIB)))
    with pytest.raises(UnreadableInput, match="unpacks to more than 64 MiB"):
        read_ior(path)


def test_what_mdtest_measured_is_told_from_what_nobody_knows(tmp_path: Path) -> None:
    """It was "no output of IOR", whose source it comes with."""
    text = (
        "-- started at 11/30/2026 08:00:00 --\n\nmdtest-4.0.0 was launched with 4 total task(s) on 1 node(s)\n"
        "Command line used: mdtest '-n' '100'\nPath: /scratch\n\nSUMMARY rate: (of 1 iterations)\n"
        "   Operation                     Max            Min           Mean        Std Dev\n"
        "   File creation               20000.0        20000.0        20000.0          0.0\n"
    )
    with pytest.raises(UnreadableInput, match="is of mdtest: it has rates of metadata operations"):
        written(tmp_path, text, "mdtest.out")


CSV = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\n"


@pytest.mark.parametrize("block", ["inf", "nan", "0", "-1"])
def test_sizes_that_make_no_sense_leave_those_of_the_command_line(tmp_path: Path, block: str) -> None:
    (tmp_path / "a.csv").write_text(f"{CSV}write,4.0,1.0,0.1,{block},64,0,1,0,1,4,0\n")
    (write,) = read_ior(tmp_path / "a.csv", command="ior -a POSIX -N 4 -w -b 1m -t 64k")
    assert write.workload == told(4, Interface.POSIX, MIB, 64 * KIB, WRITE)


def test_a_size_that_no_store_holds_is_no_workload(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{CSV}write,4e27,1.0,0.1,1e30,64,0,1,0,1,4,0\n")
    (write,) = read_ior(tmp_path / "a.csv", command="ior -a POSIX -w")
    assert write.workload is None
    assert "data_size is not" in write.why_unknown


@pytest.mark.parametrize(("bandwidth", "block"), [(10**400, 64), (9, 1e308)], ids=["bandwidth", "block"])
def test_a_number_beyond_all_measure_is_an_error_of_its_file(tmp_path: Path, bandwidth: int, block: float) -> None:
    (tmp_path / "a.csv").write_text(f"{CSV}write,{bandwidth},1,0.1,{block},64,0,1,0,1,4,0\n")
    with pytest.raises(InvalidInput, match="a number that makes no sense") as caught:
        read_ior(tmp_path / "a.csv", command="ior -a POSIX -w")
    assert caught.value.hint


def test_a_command_line_without_bytes_is_no_workload(tmp_path: Path) -> None:
    text = (DATA / "posix_shared.txt").read_text()
    assert "-b 4m" in text
    results = written(tmp_path, text.replace("-b 4m", "-b 0"), "a.txt")
    assert [r.workload for r in results] == [r.workload for r in read("posix_shared", ".txt")]


def test_what_is_too_large_to_be_of_ior_is_no_failed_run(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.touch()
    os.truncate(path, 70 * MIB)
    with pytest.raises(UnreadableInput, match="larger than 64 MiB"):
        read_ior(path, command="ior -a POSIX -w -b 1m -t 1m", processes=4)
    os.truncate(path, 0)  # but that of a run that died at once is
    assert [r.outcome for r in read_ior(path, command="ior -a POSIX -w -b 1m -t 1m", processes=4)] == [Outcome.FAILED]


CSV = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\n"


def rows(block: int, *, repetitions: int = 1, tasks: int = 4) -> str:
    each = "{},{},400,0.01,{},256,0.01,0.2,0.05,{},{},{}\n"
    seconds = block / 1024 * tasks / 100
    return "".join(
        each.format(a, 100 + i, block, seconds, tasks, i) for i in range(repetitions) for a in ("write", "read")
    )


@pytest.mark.parametrize("again", [CSV, ""], ids=["runs put together", "a script"])
def test_each_test_of_a_csv_is_one(tmp_path: Path, again: str) -> None:
    """All rows were repetitions of the last one, and taught models its sizes."""
    text = CSV + rows(1024, repetitions=2) + again + rows(4096) + again + rows(4096) + again + rows(4096, tasks=8)
    (tmp_path / "all.csv").write_text(text)
    found = read_ior(tmp_path / "all.csv", command="ior -a POSIX -b 1m -t 256k")
    assert {r.outcome for r in found} == {Outcome.OK}
    told = [(r.workload.data_size, r.workload.processes, len(r.repetitions)) for r in found[::2] if r.workload]
    assert told == [(1 << 20, 4, 2), (4 << 20, 4, 1), (4 << 20, 4, 1), (4 << 20, 8, 1)]


@pytest.mark.parametrize("name", [name for name in TRUTHS if (DATA / f"{name}.csv").stat().st_size])
@given(tasks=st.sampled_from([None, 3, 64]), segments=st.integers(1, 9))
def test_a_csv_is_never_stored_as_a_workload_of_other_bytes(name: str, tasks: int | None, segments: int) -> None:
    """Whatever the line that is given: bandwidth times seconds are the bytes that were moved."""
    found = read_ior(DATA / f"{name}.csv", command=f"ior -a POSIX -s {segments}", processes=tasks)
    right = segments == (TRUTHS[name][0].data_size // (4 * MIB) or 1)
    assert {r.workload is not None for r in found} == {right}
    assert right or all("moves" in r.why_unknown and "the file tells" in r.why_unknown for r in found)


def test_what_a_deadline_ended_may_have_moved_less(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{CSV}write,1.0,1.0,0.1,1024,256,0,1,0,1,4,0\n")
    (full,) = read_ior(tmp_path / "a.csv", command="ior -a POSIX -w")
    assert full.why_unknown == "the command line that was given moves 4 MiB, the file tells 1 MiB"
    for line in ("ior -a POSIX -w -D 1", "ior -a POSIX -w -O deadlineForStonewalling=1"):
        (write,) = read_ior(tmp_path / "a.csv", command=line)
        assert write.workload == told(4, Interface.POSIX, MIB, 256 * KIB, WRITE)


def test_seconds_that_round_to_none_contradict_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{CSV}write,99999.0,1.0,0.1,1024,256,0,0,0,0.0000,4,0\n")
    (write,) = read_ior(tmp_path / "a.csv", command="ior -a POSIX -w")
    assert write.workload is not None


def test_an_error_in_a_csv_is_that_of_its_test(tmp_path: Path) -> None:
    """All went to the last test: one with wrong bytes was taught, and a good one failed in its place."""
    wrong = rows(1024) + "WARNING: Incorrect data on read (3 errors found).\n"
    died = "ERROR: no space left on device\n"
    (tmp_path / "all.csv").write_text(CSV + wrong + CSV + died + CSV + rows(4096))
    found = read_ior(tmp_path / "all.csv", command="ior -a POSIX -b 1m -t 256k")
    assert [r.outcome for r in found] == [
        *(Outcome.OK, Outcome.CORRUPT),
        Outcome.FAILED,
        *(Outcome.OK, Outcome.OK),
    ]
    assert found[2].note == "ERROR: no space left on device"


@pytest.mark.parametrize("said", ["read", "write"])
def test_wrong_bytes_that_are_told_between_the_tests_of_a_script_are_taught_by_neither(
    tmp_path: Path, said: str
) -> None:
    """IOR tells of a read before its row, and of a write behind it."""
    (tmp_path / "all.csv").write_text(f"{CSV}{rows(1024)}WARNING: Incorrect data on {said} (3 errors).\n{rows(4096)}")
    found = read_ior(tmp_path / "all.csv", command="ior -a POSIX -b 1m -t 256k")
    wrong = [(r.workload and str(r.workload.operation)) for r in found if r.outcome is Outcome.CORRUPT]
    assert wrong == [said, said]
    assert [r.outcome for r in found].count(Outcome.OK) == 2


def genuine(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


@pytest.mark.parametrize("suffix", [".txt", ".json"])
def test_an_error_is_that_of_the_run_in_whose_output_it_stands(tmp_path: Path, suffix: str) -> None:
    """One failure in a file of many runs made failures of all, with its reason."""
    good = (DATA / f"posix_shared{suffix}").read_text()
    bad = good.replace("write ", "ERROR: no space left on device\nwrite ", 1) if suffix == ".txt" else good
    bad = bad.replace('  "Machine"', 'ERROR: no space left on device\n  "Machine"')
    (tmp_path / f"log{suffix}").write_text(good + "\n" + bad + "\n" + good)
    found = read_ior(tmp_path / f"log{suffix}")
    assert [r.outcome for r in found] == 2 * [Outcome.OK] + 2 * [Outcome.FAILED] + 2 * [Outcome.OK]
    assert found[2].note == "ERROR: no space left on device"


LOADING = "Loading openmpi/4.1.4\n[node1:123] mca_base_component_repository_open: unable to open mca_x\n" + (
    "srun: job 17 queued and waiting for resources\n" * 5
)


@pytest.mark.parametrize("name", ["posix_shared", "fail_nodir"])
def test_what_a_batch_job_says_before_its_runs_is_of_none(tmp_path: Path, name: str) -> None:
    """A job's own output, as most sites give it, was "no output of IOR"."""
    text = genuine(name)
    alone, behind = (written(tmp_path, before + text + text, "job.out") for before in ("", LOADING))
    assert [(r.workload, r.outcome, r.repetitions, r.note, r.time) for r in behind] == [
        (r.workload, r.outcome, r.repetitions, r.note, r.time) for r in alone
    ]


def test_an_error_before_the_first_heading_is_not_of_the_run_below_it(tmp_path: Path) -> None:
    """Nor is it lost: it may be that of a run which came to no heading."""
    error = "ERROR: Unrecognized I/O API, (utilities.c:415)"
    ignored = "ERROR: ld.so: object '/opt/x.so' from LD_PRELOAD cannot be preloaded: ignored.\n"
    first, *others = written(tmp_path, f"{LOADING}{ignored}{error}\n{genuine('posix_shared')}", "job.out")
    assert (first.workload, first.outcome, first.note) == (None, Outcome.FAILED, error)
    assert [r.outcome for r in others] == [Outcome.OK, Outcome.OK]
    assert len(written(tmp_path, f"{ignored}{genuine('posix_shared')}", "job.out")) == 2


def test_wrong_data_of_one_test_are_not_those_of_the_next(tmp_path: Path) -> None:
    text = genuine("posix_shared")
    head, results = text.split("TestID", 1)
    wrong = results.replace("Results:", "WARNING: Incorrect data on read (3 errors found).\nResults:", 1)
    (tmp_path / "two.txt").write_text(f"{head}TestID{wrong}TestID{results}")
    found = read_ior(tmp_path / "two.txt")
    assert [r.outcome for r in found] == [Outcome.OK, Outcome.CORRUPT, Outcome.OK, Outcome.OK]


def test_what_a_script_left_out_has_not_failed(tmp_path: Path) -> None:
    """Its command line told of writes too: one that never was had failed, and the reads were thrown away."""
    text = genuine("posix_shared").replace("-a POSIX -b 4m -t 256k -s 2", "-f script")
    for left, gone in (("read", "write"), ("write", "read")):
        kept = "\n".join(line for line in text.splitlines() if not line.startswith(f"{gone} "))
        (tmp_path / "log.txt").write_text(kept + "\n")
        found = read_ior(tmp_path / "log.txt")
        assert [(r.workload and str(r.workload.operation), r.outcome) for r in found] == [(left, Outcome.OK)]


def test_the_text_of_an_old_ior_is_refused(tmp_path: Path) -> None:
    """Its figures were left out, and a good run became a failed one."""
    (tmp_path / "old.txt").write_text(
        "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nBegan: Fri Nov 20 22:03:11 2015\n"
        "Command line used: ior -a POSIX -b 4m -t 256k\nMachine: Linux vm\n\nTest 0 started: Fri Nov 20 22:03:11 2015\n"
        "Summary:\n\tapi                = POSIX\n\nFIXME\n\n"
        "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
        "------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n"
        "write     324.02     4096       256.00     0.001      0.09       0.002      0.1        0   \n"
        "\nFinished: Fri Nov 20 22:03:12 2015\n"
    )
    with pytest.raises(UnreadableInput, match=r"text of an IOR 3\.0\.1 that acic cannot read"):
        read_ior(tmp_path / "old.txt")


def test_a_library_that_cannot_be_preloaded_is_no_error(tmp_path: Path) -> None:
    """A site preloads Darshan, which a node has not: each process says so, and goes on."""
    said = "ERROR: ld.so: object '/opt/xalt.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file)"
    (tmp_path / "run.json.err").write_text(f"{said}: ignored.\n" * 4)
    assert {result.outcome for result in written(tmp_path, document())} == {Outcome.OK}
    (tmp_path / "run.json.err").write_text("ERROR: open64() failed, errno 5, Input/output error (aiori.c:412)\n")
    assert Outcome.FAILED in {result.outcome for result in written(tmp_path, document())}


def acic_bench(body: str, *, error: str = "") -> str:
    """A summary of acic-bench, whose objects stand in it as it writes them."""
    failed = f'''"Status": "failed",\n  "Error": "{error}",\n  "Exit status": 255,''' if error else '"Status": "ok",'
    return (
        '{\n  "Version": "acic-bench-0.1.0",\n  "Benchmark": "acic-bench",\n  "Began": "Mon Nov 30 08:00:00 2026",\n'
        f'  "Command line": "acic-bench -b 64k -t 4k",\n  {failed}\n  {body}\n'
        f'  "{"Gave up" if error else "Finished"}": "Mon Nov 30 08:00:01 2026"\n}}\n'
    )


@pytest.mark.parametrize("status", ["", "255\n"])
def test_a_failure_of_acic_bench_is_told_with_its_reason(tmp_path: Path, status: str) -> None:
    """It was an exit status, or that no bandwidth was reported, while the cause stood in the file."""
    if status:
        (tmp_path / "run.json.rc").write_text(status)
    parameters = '"tests": [\n    {\n      "Parameters": {"api": "POSIX", "blockSize": 65536, "transferSize": 4096}}],'
    text = acic_bench(parameters, error=r"write(\"a\", 4096 bytes at 0) failed: No space left on device (rank 3)")
    (failed,) = written(tmp_path, text)
    assert failed.outcome is Outcome.FAILED
    assert failed.note == 'write("a", 4096 bytes at 0) failed: No space left on device (rank 3)'


@pytest.mark.parametrize(("name", "heading"), [("txt", "bw(MB/s)"), ("csv", "bw(GB/s)"), ("csv", "block(B)")])
def test_figures_in_another_unit_are_refused_by_its_name(tmp_path: Path, name: str, heading: str) -> None:
    """Runs that went well became failures of their configuration: "no bandwidth was reported"."""
    usual = next(one for one in ("bw(MiB/s)", "block(KiB)") if one[:2] == heading[:2])
    text = (DATA / f"posix_fpp.{name}").read_text()
    assert usual in text
    with pytest.raises(UnreadableInput, match="has figures under") as caught:
        written(tmp_path, text.replace(usual, heading), f"run.{name}")
    assert f"has figures under {heading}, a unit" in caught.value.problem
    assert "MiB/s" in caught.value.hint


@pytest.mark.parametrize("after", ["", "= BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"])
def test_a_library_that_is_not_found_is_named(tmp_path: Path, after: str) -> None:
    """A module that was not loaded was "exit status 127", and no file of the campaign had what the loader said."""
    said = "ior: error while loading shared libraries: libmpi.so.12: cannot open shared object file"
    (tmp_path / "run.json.rc").write_text("127\n")
    (tmp_path / "run.json.err").write_text(f"{said}: No such file or directory\n{after}")
    (tmp_path / "run.json.out").write_text(after)
    (failed,) = written(tmp_path, "")
    assert failed.note.startswith(said)


@pytest.mark.parametrize("kind", ["Replay", "Play"])
def test_what_acic_bench_replays_or_plays_is_no_measurement(tmp_path: Path, kind: str) -> None:
    """A good replay was imported as a failed run of IOR's defaults, which nobody had run."""
    with pytest.raises(UnreadableInput, match=f"no output of IOR, but of `acic-bench {kind.lower()}`"):
        written(tmp_path, acic_bench(f'"{kind}": {{\n    "ranks": 2\n  }},'))
