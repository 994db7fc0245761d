"""Each kernel runs as it is, moves what it says, and leaves its results and nothing else; all data are right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acic.benchmarks.kernels import Kernel, Outcome, Step, kernel, kernels, result_of
from tests.benchmarks.kernels.reading import read
from tests.native.bench import OK, WRONG_DATA, Bench

QUICK = (
    "flashio-small",
    "mdtest-small",
    "abyss-large",
    "shared-log",
    "random-reads",
    "vorpalio-small",
    "samples",
    "wrf-small",
)
EVERY = (*kernels(), *kernels("test"), *kernels("heldout"))
RUNS = [pytest.param(one, id=one.key, marks=() if one.key in QUICK else pytest.mark.slow) for one in EVERY]


def run(bench: Bench, one: Kernel, step: Step, folder: Path, *, status: int = OK, check: bool = True) -> Outcome:
    files, summary = folder / "files", folder / "summary.json"
    files.mkdir(exist_ok=True)
    one.write(folder)
    arguments = one.command(step, files, scripts=folder, summary=summary, check=check)
    done = bench.run(arguments, ranks=one.processes, cwd=folder)
    assert done.returncode == status, done.stderr
    return result_of(summary.read_text())


@pytest.mark.parametrize("one", RUNS)
def test_a_kernel_does_what_it_says(bench: Bench, tmp_path: Path, one: Kernel) -> None:
    files = tmp_path / "files"
    for step in one.steps:
        outcome = run(bench, one, step, tmp_path)
        assert outcome.good
    found = read(one.run.text)
    assert outcome.bytes == one.bytes_moved
    assert outcome.files == len(found.made)
    assert outcome.compute_seconds >= one.compute
    assert outcome.io_seconds > 0
    assert max(outcome.compute_seconds, outcome.io_seconds) < outcome.seconds
    left = {str(path.relative_to(files)) for path in files.rglob("*")}
    folders = {str(Path(path).parent) for path in one.inputs} - {"."}
    assert left == {*one.results, *one.inputs, *folders}
    for path in one.results:
        assert (files / path).stat().st_size == max(r.end for r in found.requests if r.path == path and r.write)
    shutil.rmtree(files)


def test_a_kernel_runs_again_in_its_folder(bench: Bench, tmp_path: Path) -> None:
    one = kernel("abyss", "small")
    run(bench, one, "prepare", tmp_path, check=False)
    for check in (False, True):
        assert run(bench, one, "run", tmp_path, check=check).bytes == one.bytes_moved


def test_a_damaged_input_is_found_where_data_are_checked(bench: Bench, tmp_path: Path) -> None:
    one = kernel("random-reads")
    run(bench, one, "prepare", tmp_path, check=False)
    first = min(request.offset for request in read(one.run.text).requests)
    with (tmp_path / "files" / "events").open("r+b") as file:
        file.seek(first + 100)
        file.write(b"\0")
    outcome = run(bench, one, "run", tmp_path, status=WRONG_DATA)
    assert outcome.status == "wrong data"
    assert f"events at byte {(first + 100) // 8 * 8}" in outcome.error
    assert run(bench, one, "run", tmp_path, check=False).good


def test_inputs_that_are_not_there_are_a_failure(bench: Bench, tmp_path: Path) -> None:
    outcome = run(bench, kernel("mpiblast", "small"), "run", tmp_path, status=255)
    assert outcome.status == "failed"
    assert "database" in outcome.error
