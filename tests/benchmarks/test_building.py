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
from acic.errors import MissingData
from tests.native.bench import Mpi

ROOT = Path(__file__).parents[2]
FIND = "from acic.benchmarks import find_benchmark; print(find_benchmark('acic-bench', announce=print).program)"


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
    lines = [one.communicate(timeout=300)[0].splitlines() for one in both]
    assert [one.returncode for one in both] == [0, 0]
    (said,) = (line for one in lines for line in one[:-1])  # by the one that built: it took 25 s without a word
    assert said.startswith(f"building acic-bench with {mpi.mpicc}")
    told = [one[-1] for one in lines]
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
    said: list[str] = []
    found = find_benchmark("acic-bench", announce=said.append)
    assert (found.program, found.name, said) == (built[0], "acic-bench", [])
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
    assert done.stdout.splitlines()[-1].startswith(str(tmp_path / "cache"))


def test_another_parallel_hdf5_is_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was built before its module was loaded stayed without HDF5 for ever."""
    mpicc, h5pcc = tmp_path / "mpicc", tmp_path / "h5pcc"
    monkeypatch.setenv("PATH", str(tmp_path))
    mpicc.touch(mode=0o755)
    names = [building._identity(mpicc)]
    for text in ("one", "another"):
        h5pcc.write_text(text)
        h5pcc.chmod(0o755)
        names.append(building._identity(mpicc))
    assert len(set(names)) == 3
    h5pcc.unlink()
    assert building._identity(mpicc) == names[0]


def test_an_mpiexec_without_an_mpicc_beside_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.touch(mode=0o755)
    monkeypatch.delenv("ACIC_MPICC", raising=False)
    monkeypatch.setenv("ACIC_MPIEXEC", str(launcher))
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    with pytest.raises(MissingData, match="without an mpicc beside it") as caught:
        building.built()
    assert "ACIC_MPICC" in caught.value.hint


HDF5 = """#include <mpi.h>
#define H5_HAVE_PARALLEL 1
#define H5P_DEFAULT 0
int H5Pset_fapl_mpio(int list, MPI_Comm comm, MPI_Info info);
"""
HDF5_SOURCE = """#include "hdf5.h"
int H5Pset_fapl_mpio(int list, MPI_Comm comm, MPI_Info info) { return list + (comm == MPI_COMM_NULL) + (info == 0); }
"""


@pytest.mark.parametrize("other", [False, True], ids=["of this MPI", "of another MPI"])
def test_an_hdf5_of_another_mpi_is_not_built_in(mpi: Mpi, tmp_path: Path, other: bool) -> None:
    """A program links with it all the same, and has two MPIs when it runs."""
    files = {"hdf5.h": HDF5, "hdf5.c": HDF5_SOURCE, "other.c": "int of_another_mpi;\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    shared = ["-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-rpath,{tmp_path}", "-L."]
    for command in (
        ["cc", *shared, "-Wl,-soname,libmpi.so.99", "-o", "libmpi.so.99", "other.c"],
        [str(mpi.mpicc), *shared, "-I.", "-o", "libhdf5.so", "hdf5.c", *(["-l:libmpi.so.99"] if other else [])],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    told = [f"HDF5_FLAGS=-I{tmp_path}", f"HDF5_LIBS=-L{tmp_path} -Wl,-rpath,{tmp_path} -lhdf5"]
    command = ["make", "-n", "-C", str(building.sources()), "HDF5=yes", f"MPICC={mpi.mpicc}", *told]
    done = subprocess.run(command, env=mpi.environment, capture_output=True, text=True, check=False, timeout=60)
    assert ("but no program builds" in done.stderr, done.returncode != 0) == (other, other), done.stderr
