"""The summary is IOR's JSON, always valid, and agrees with itself; the store's reader of IOR's files takes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from acic.store.ior import read_ior
from acic.store.measurement import Outcome
from acic.workloads import Operation
from tests.native.bench import FAILED, WRONG_DATA, Bench

GENUINE = Path(__file__).parents[1] / "data" / "ior" / "posix_shared.json"
MIB = 2**20


def keys(value: object, path: str = "") -> set[str]:
    """Every key, with its path; lists are told by their first item."""
    if isinstance(value, dict):
        return {f"{path}/{k}" for k in value} | {p for k, v in value.items() for p in keys(v, f"{path}/{k}")}
    return keys(value[0], f"{path}[]") if isinstance(value, list) and value else set()


def test_no_key_of_iors_is_missing(bench: Bench, tmp_path: Path) -> None:
    ours = bench.measure("-a POSIX -b 64k -t 4k -s 2", cwd=tmp_path).data
    genuine = json.loads(GENUINE.read_text())
    assert keys(genuine) <= keys(ours)
    for key, value in genuine["tests"][0]["Parameters"].items():
        assert type(ours["tests"][0]["Parameters"][key]) is type(value), key
    for key, value in genuine["tests"][0]["Options"].items():
        assert type(ours["tests"][0]["Options"][key]) is type(value), key


@pytest.mark.parametrize("options", ["-i 3", "-i 2 -w -k", "-i 2 -F -C -e -g", "-a MPIIO -c -i 3 -W -R -w -r", "-z"])
def test_summary_and_results_agree(bench: Bench, tmp_path: Path, options: str) -> None:
    data = bench.measure(f"{options} -b 64k -t 4k -s 2", cwd=tmp_path)
    for summary in data.data["summary"]:
        results = data.of(summary["operation"])
        bandwidths = [r["bwMiB"] for r in results]
        assert [r["repetition"] for r in results] == list(range(summary["repetitions"]))
        assert summary["bwMaxMIB"] == pytest.approx(max(bandwidths))
        assert summary["bwMinMIB"] == pytest.approx(min(bandwidths))
        assert summary["bwMeanMIB"] == pytest.approx(fmean(bandwidths))
        assert summary["bwStdMIB"] == pytest.approx(pstdev(bandwidths), abs=1e-5 * max(bandwidths))
        assert summary["MeanTime"] == pytest.approx(fmean(r["totalTime"] for r in results))
        assert summary["xsizeMiB"] == pytest.approx(256 / 1024)
        for r in results:
            assert r["bytes"] == 256 * 1024
            assert r["bwMiB"] == pytest.approx(r["bytes"] / MIB / r["totalTime"], rel=1e-5)
            assert r["iops"] == pytest.approx(r["transfers"] / r["wrRdTime"], rel=1e-5)
            assert max(r["openTime"], r["wrRdTime"], r["closeTime"]) <= r["totalTime"] * 1.000001
            assert r["latency"] * r["transfers"] / 2 <= r["wrRdTime"] * 1.000001
    assert data.data["Status"] == "ok"


def test_strange_names_are_escaped(bench: Bench, tmp_path: Path) -> None:
    name = 'a "quoted"\tname\\ é'
    words = ["-b", "64", "-t", "64", "-w", "-o", name, "-O", "summaryFormat=JSON,summaryFile=s.json"]
    assert bench.run(words, cwd=tmp_path).returncode == 0
    data = json.loads((tmp_path / "s.json").read_text())
    assert data["tests"][0]["Parameters"]["testFileName"] == name


def test_json_goes_to_standard_output_alone(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "data").touch()  # the warning that it is removed goes elsewhere
    done = bench.run("-b 64 -t 64 -i 2 -o data -O summaryFormat=JSON", cwd=tmp_path)
    assert len(json.loads(done.stdout)["tests"][0]["Results"]) == 4
    assert "WARNING" in done.stderr


def test_the_store_reads_a_success(bench: Bench, tmp_path: Path) -> None:
    bench.measure("-a MPIIO -c -b 64k -t 4k -s 2 -i 2", cwd=tmp_path)
    write, read = read_ior(tmp_path / "summary.json")
    assert (write.outcome, read.outcome) == (Outcome.OK, Outcome.OK)
    assert len(write.repetitions) == len(read.repetitions) == 2
    assert write.workload is not None
    assert write.workload.processes == 2
    assert write.workload.data_size == 128 * 1024
    assert write.workload.request_size == 4096
    assert write.workload.collective
    assert write.workload.operation is Operation.WRITE
    assert re.fullmatch(
        r"acic-bench-[\w.]+ with .*(MPICH|MPI).*\d", write.tool_version
    )  # else MPIs cannot be told apart


def test_the_store_reads_a_failure_as_one(bench: Bench, tmp_path: Path) -> None:
    bench.measure("-b 64k -t 4k -o missing/data", cwd=tmp_path, status=FAILED)
    (failed,) = read_ior(tmp_path / "summary.json")
    assert failed.outcome is Outcome.FAILED
    assert 'open("missing/data") to write failed' in failed.note


def test_the_store_reads_wrong_bytes_as_such(bench: Bench, tmp_path: Path) -> None:
    bench.do("-b 64k -t 4k -w -k -G 1 -o data", cwd=tmp_path)
    bench.measure("-b 64k -t 4k -R -k -G 2 -o data", cwd=tmp_path, status=WRONG_DATA)
    assert [r.outcome for r in read_ior(tmp_path / "summary.json")] == [Outcome.CORRUPT]


def test_what_is_only_checked_tells_its_hints(bench: Bench, tmp_path: Path) -> None:
    """All that were asked for were told as not in force, since they are read back from a file that is open."""
    (tmp_path / "hints").write_text("IOR_HINT__MPI__romio_ds_read=disable\n")
    bench.do("-a MPIIO -w -k -G 1 -b 64k -t 4k -o data", cwd=tmp_path)
    told = [
        bench.measure(f"-a MPIIO {options} -k -G 1 -b 64k -t 4k -U hints -o data", cwd=tmp_path).test["Hints"]
        for options in ("-r", "-W")
    ]
    assert told[0] == told[1]
    assert told[1]["in force"]


def test_the_store_reads_the_text(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(bench.do("-a MPIIO -c -b 64k -t 4k -s 2 -i 2", cwd=tmp_path))
    bench.measure("-a MPIIO -c -b 64k -t 4k -s 2 -i 2", cwd=tmp_path)
    text, whole = read_ior(tmp_path / "run.txt"), read_ior(tmp_path / "summary.json")
    assert [(r.outcome, len(r.repetitions)) for r in text] == [(Outcome.OK, 2)] * 2
    for ours, theirs in zip(text, whole, strict=True):
        assert (ours.workload, ours.tool_version, ours.host_shape) == (
            theirs.workload,
            theirs.tool_version,
            theirs.host_shape,
        )
