"""acic-bench is built from the sources that acic carries, once, and runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from acic import kept
from acic.benchmarks import Benchmark, building, find_benchmark
from acic.benchmarks.benchmark import hints_text, identify
from tests.native.bench import Mpi

ROOT = Path(__file__).parents[2]
FIND = "from acic.benchmarks import find_benchmark; print(find_benchmark('acic-bench').program)"


@pytest.fixture(scope="module")
def built(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The program that two processes at once got, and the cache that it is in, with a blank in its name."""
    cache = tmp_path_factory.mktemp("a cache")
    environment = mpi.environment | {"ACIC_CACHE": str(cache), "ACIC_MPICC": str(mpi.mpicc)}
    environment.pop("ACIC_BENCH", None)
    both = [
        subprocess.Popen([sys.executable, "-c", FIND], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [one.communicate(timeout=300)[0].strip() for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert len(set(told)) == 1
    return Path(told[0]), cache


@pytest.fixture
def bench(built: tuple[Path, Path], mpi: Mpi) -> Benchmark:
    return identify(built[0], mpi.mpiexec)


def run(bench: Benchmark, arguments: str, folder: Path, mpi: Mpi, *more: str) -> dict[str, Any]:
    summary = folder / "summary.json"
    command = [str(bench.mpiexec), "-n", "2", *bench.command([*arguments.split(), *more], summary)]
    done = subprocess.run(command, cwd=folder, env=mpi.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(summary.read_text())
    return found


def test_one_of_two_at_once_builds_and_nothing_else_is_left(built: tuple[Path, Path]) -> None:
    program, cache = built
    assert program.parent.parent == cache
    assert {path.name for path in cache.iterdir()} == {"acic-bench.lock", program.parent.name}
    assert {path.name for path in program.parent.iterdir()} == {"acic-bench", "built.json"}


def test_it_is_not_built_again(built: tuple[Path, Path], mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(built[1]))
    monkeypatch.setenv("ACIC_MPICC", str(mpi.mpicc))
    monkeypatch.delenv("ACIC_BENCH", raising=False)
    before = built[0].stat()
    found = find_benchmark("acic-bench")
    assert (found.program, found.name) == (built[0], "acic-bench")
    assert found.mpiexec == mpi.mpicc.with_name("mpiexec")
    assert (built[0].stat().st_ino, built[0].stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_it_measures(bench: Benchmark, mpi: Mpi, tmp_path: Path) -> None:
    summary = run(bench, "-a MPIIO -b 64k -t 16k -w -r -W", tmp_path, mpi)
    assert summary["Status"] == "ok"
    assert summary["Version"] == f"acic-bench-{bench.version}"


def test_it_reads_the_hints(bench: Benchmark, mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "hints").write_text(hints_text({"romio_ds_write": "disable"}))
    hints = bench.hints_arguments(tmp_path / "hints")
    (test,) = run(bench, "-a MPIIO -b 64k -t 16k", tmp_path, mpi, *hints)["tests"]
    assert test["Hints"]["asked"] == {"romio_ds_write": "disable"}


def test_ior_is_driven_in_the_same_way(mpi: Mpi, tmp_path: Path) -> None:
    found = shutil.which("ior")
    if found is None:
        pytest.skip("no ior on PATH")
    ior = identify(Path(found), mpi.mpiexec)
    (tmp_path / "hints").write_text(hints_text({"romio_ds_write": "disable"}))
    hints = ior.hints_arguments(tmp_path / "hints")
    summary = run(ior, "-a MPIIO -b 64k -t 16k", tmp_path, mpi, *hints)
    assert ior.name == "ior"
    assert ior.version in str(summary["Version"])


def test_another_source_is_another_program(tmp_path: Path) -> None:
    shutil.copytree(building.sources(), tmp_path / "one", ignore=shutil.ignore_patterns("build"))
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with (tmp_path / "two" / "options.def").open("a") as file:
        file.write("/* */\n")
    digests = {kept.source_digest(folder) for folder in (building.sources(), tmp_path / "one", tmp_path / "two")}
    assert len(digests) == 2


@pytest.mark.slow
def test_the_wheel_carries_the_sources(mpi: Mpi, tmp_path: Path) -> None:
    """And what is installed from it builds and runs, away from the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    carried = tmp_path / "installed" / "acic" / "benchmarks" / "native"
    here = {path.name for path in (ROOT / "native" / "bench").glob("*.[ch]")}
    assert {path.name for path in carried.glob("*.[ch]")} == here
    assert not (carried / "build").exists()
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "installed"),
        "ACIC_CACHE": str(tmp_path / "cache"),
        "ACIC_MPICC": str(mpi.mpicc),
    }
    done = subprocess.run([sys.executable, "-c", FIND], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "cache"))
