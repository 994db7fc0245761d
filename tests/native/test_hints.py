"""The hints that are in force are told, and so are those that were dropped without a word."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.native.bench import FAILED, OK, Bench


@pytest.fixture
def hints(tmp_path: Path) -> Path:
    file = tmp_path / "hints"
    lines = ["# a comment", "IOR_HINT__MPI__cb_buffer_size=1048576", "IOR_HINT__MPI__romio_ds_write = disable # why"]
    file.write_text("\n".join([*lines, "IOR_HINT__MPI__cb_nodes=7", ""]))
    return file


@pytest.mark.parametrize("option", ["-U hints", "--mpiio.hintsFileName=hints", "-O hintsFileName=hints"])
def test_hints_of_a_file_are_read_back(bench: Bench, hints: Path, option: str) -> None:
    found = bench.measure(f"-a MPIIO -c -b 64k -t 4k {option}", cwd=hints.parent).test["Hints"]
    assert found["asked"] == {"cb_buffer_size": "1048576", "romio_ds_write": "disable", "cb_nodes": "7"}
    if "romio_ds_write" not in found["in force"]:
        pytest.skip("this MPI's MPI-IO is not ROMIO")
    assert found["in force"]["cb_buffer_size"] == "1048576"
    assert found["in force"]["romio_ds_write"] == "disable"


def test_hints_that_are_dropped_are_named(bench: Bench, hints: Path) -> None:
    """Two ranks have no seven aggregators."""
    found = bench.measure("-a MPIIO -c -b 64k -t 4k -U hints", cwd=hints.parent).test["Hints"]
    assert found["not in force"] == [h for h, asked in found["asked"].items() if found["in force"].get(h) != asked]
    if "romio_ds_write" not in found["in force"]:
        pytest.skip("this MPI's MPI-IO is not ROMIO")
    assert found["not in force"] == ["cb_nodes"]


def test_hints_of_the_environment(bench: Bench, tmp_path: Path) -> None:
    done = bench.run("-a MPIIO -b 64k -t 4k -v", cwd=tmp_path, env={"IOR_HINT__MPI__ind_wr_buffer_size": "65536"})
    assert done.returncode == 0
    assert "ind_wr_buffer_size = 65536" in done.stdout


ECHO = """#include <mpi.h>
static MPI_Info asked;
int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file) {
    if (info != MPI_INFO_NULL) {
        MPI_Info_dup(info, &asked);
    }
    return PMPI_File_open(comm, path, mode, info, file);
}
int MPI_File_get_info(MPI_File file, MPI_Info *info) {
    (void)file;
    return MPI_Info_dup(asked, info);
}
"""


def test_where_all_that_is_asked_comes_back_nothing_is_in_force(bench: Bench, hints: Path) -> None:
    """Open MPI 4 tells the hints of MPI_File_open, whoever does the I/O: they counted, and had done nothing."""
    folder = hints.parent
    (folder / "echo.c").write_text(ECHO)
    build = [str(bench.mpi.mpicc), "-shared", "-fPIC", "-o", "echo.so", "echo.c"]
    subprocess.run(build, cwd=folder, env=bench.mpi.environment, check=True)
    options = "-a MPIIO -c -b 64k -t 4k -U hints -O summaryFormat=JSON -O summaryFile=summary.json"
    done = bench.run(options, cwd=folder, env={"LD_PRELOAD": str(folder / "echo.so")})
    assert done.returncode == OK, done.stderr
    found = json.loads((folder / "summary.json").read_text())["tests"][0]["Hints"]
    assert found["asked"] == {"cb_buffer_size": "1048576", "romio_ds_write": "disable", "cb_nodes": "7"}
    assert found["in force"] == {}
    assert found["not in force"] == list(found["asked"])


def test_posix_has_none(bench: Bench, hints: Path) -> None:
    found = bench.measure("-a POSIX -b 64k -t 4k -U hints", cwd=hints.parent).test["Hints"]
    assert found["in force"] == {}
    assert found["not in force"] == ["cb_buffer_size", "romio_ds_write", "cb_nodes"]


@pytest.mark.parametrize("line", ["cb_nodes=2", "IOR_HINT__MPI__cb_nodes", "setenv IOR_HINT__MPI__cb_nodes 2"])
def test_a_line_that_is_no_hint_is_refused(bench: Bench, tmp_path: Path, line: str) -> None:
    (tmp_path / "hints").write_text(line + "\n")
    done = bench.run("-a MPIIO -b 64k -t 4k -U hints", cwd=tmp_path)
    assert done.returncode == FAILED
    assert "hints:1" in done.stderr
