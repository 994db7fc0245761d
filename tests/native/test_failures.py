"""Whatever goes wrong is told as an ERROR, by the exit status and in the JSON; nothing hangs and nothing is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.bench import BAD_COMMAND, FAILED, SOURCE, Bench, Mpi

INTERFACES = ["-a POSIX", "-a POSIX -F", "-a MPIIO", "-a MPIIO -F", "-a MPIIO -c", "-a MPIIO -e", "-a MPIIO -Y"]


AGREEING = """
#include "agree.h"
#include <stdio.h>
int main(int count, char **words) {
    int rank = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct error error = NO_ERROR;
    fail(&error, STATUS_FAILED, "rank %d", rank);
    error.unclean = rank == 1;
    agree(MPI_COMM_WORLD, &error);
    printf("%d: %s, %d\\n", rank, error.text, error.unclean);
    MPI_Finalize();
    return 0;
}
"""


def errors(stderr: str) -> int:
    return sum(line.startswith("ERROR: ") for line in stderr.splitlines())


def assert_told(bench: Bench, options: str, folder: Path, words: str) -> None:
    summary = bench.measure(options, ranks=3, cwd=folder, status=FAILED)
    assert errors(summary.stderr) == 1
    assert words in summary.stderr
    assert summary.data["Status"] == "failed"
    assert words in summary.data["Error"]
    assert summary.data["Exit status"] == FAILED
    assert summary.data["summary"] == []
    assert all(test["Results"] == [] for test in summary.data["tests"])
    assert "Finished" not in summary.data


def test_a_rank_that_must_not_finalize_knows_so_whoever_else_failed(mpi: Mpi, tmp_path: Path) -> None:
    """It got the failure of another rank, which had no file open, and with it that MPI_Finalize was safe."""
    (tmp_path / "agreeing.c").write_text(AGREEING)
    parts = [str(SOURCE / part) for part in ("agree.c", "error.c")]
    command = [str(mpi.mpicc), f"-I{SOURCE}", "-o", "agreeing", "agreeing.c", *parts]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    said = Bench(tmp_path / "agreeing", mpi).run("", ranks=2, cwd=tmp_path)
    assert (said.returncode, sorted(said.stdout.splitlines())) == (0, ["0: rank 0, 0", "1: rank 0, 1"])


@pytest.mark.parametrize("interface", [*INTERFACES, "-a MPIIO -c -D 9", "-a MPIIO -c -D 9 -O stoneWallingWearOut=1"])
def test_a_full_file_system(bench: Bench, tiny: Path, tmp_path: Path, interface: str) -> None:
    words = "No space left on device" if "POSIX" in interface else "tiny/data"  # Open MPI does not tell why, or at all
    assert_told(bench, f"{interface} -b 2m -t 64k -o {tiny}/data", tmp_path, words)
    assert not list(tiny.iterdir()), "the space is given back"


def test_a_full_file_system_in_the_second_repetition(bench: Bench, tiny: Path, tmp_path: Path) -> None:
    assert_told(bench, f"-b 128k -t 64k -i 4 -m -k -o {tiny}/data", tmp_path, "No space left on device")


def test_a_device_that_is_full(bench: Bench, tmp_path: Path) -> None:
    assert_told(bench, "-w -E -k -b 64k -t 4k -o /dev/full", tmp_path, "No space left on device")


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_folder_that_is_not_there(bench: Bench, tmp_path: Path, interface: str) -> None:
    assert_told(bench, f"{interface} -b 64k -t 4k -o {tmp_path}/missing/data", tmp_path, "missing/data")


@pytest.mark.parametrize("interface", INTERFACES[:5])
def test_a_file_that_is_not_there(bench: Bench, tmp_path: Path, interface: str) -> None:
    assert_told(bench, f"{interface} -r -b 64k -t 4k -o {tmp_path}/missing", tmp_path, "missing")


def test_a_file_of_one_task_that_is_not_there(bench: Bench, tmp_path: Path) -> None:
    for interface in ("-a POSIX", "-a MPIIO", "-a MPIIO -c"):
        bench.do(f"{interface} -F -w -k -b 64k -t 4k -o d", ranks=3, cwd=tmp_path)
        (tmp_path / "d.00000001").unlink()
        assert_told(bench, f"{interface} -F -r -k -b 64k -t 4k -o d", tmp_path, "d.00000001")


def test_a_file_of_one_task_that_cannot_be_opened_when_others_wear_out(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "d.00000001").mkdir()
    options = "-a POSIX -F -w -E -k -b 64k -t 4k -D 9 -O stoneWallingWearOut=1 -o d"
    assert_told(bench, options, tmp_path, "d.00000001")


_REMEMBERED = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static void forget(const char *path, off_t *size) { *size = strstr(path, "remembered") ? 8 : *size; }
int stat(const char *path, struct stat *found) {
    const int code = fstatat(AT_FDCWD, path, found, 0);
    forget(path, &found->st_size);
    return code;
}
int stat64(const char *path, struct stat64 *found) {
    const int code = fstatat64(AT_FDCWD, path, found, 0);
    forget(path, &found->st_size);
    return code;
}
"""


def test_a_size_that_a_client_remembers_is_not_believed(bench: Bench, tmp_path: Path) -> None:
    """An NFS client tells for seconds how long a file was before other nodes wrote to it; an open asks the server."""
    (tmp_path / "shim.c").write_text(_REMEMBERED)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=tmp_path, check=True)
    preloaded = {"LD_PRELOAD": str(tmp_path / "shim.so")}
    done = bench.run("-a POSIX -w -b 64k -t 4k -o remembered", cwd=tmp_path, env=preloaded)
    assert done.returncode == 0, done.stderr
    (tmp_path / "trace").write_text("acic-replay 1\nranks 1\nfile 0 64 remembered\n0 posix read 0 0 0 64 0 0\n")
    for options in ("--prepare", "-E"):
        done = bench.run(f"replay trace {options}", ranks=1, cwd=tmp_path, env=preloaded)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("options", ["-q", "extra", "-b 1x", "-i -1", "-b", "-O nonsense=1", "--nonsense"])
def test_a_command_line_that_cannot_be_read(bench: Bench, tmp_path: Path, options: str) -> None:
    done = bench.run(f"{options}", cwd=tmp_path)
    assert done.returncode == BAD_COMMAND
    assert errors(done.stderr) == 1
    assert not done.stdout


@pytest.mark.parametrize(
    "options", ["-a NONE", "-b 3m -t 2m", "-t 12 -b 12", "-z -c -a MPIIO", "-R", "-O summaryFormat=CSV", "-U missing"]
)
def test_options_that_make_no_sense(bench: Bench, tmp_path: Path, options: str) -> None:
    done = bench.run(f"{options} -O summaryFile=s", cwd=tmp_path)
    assert done.returncode == FAILED
    assert errors(done.stderr) == 1
    assert not (tmp_path / "testFile").exists()


def test_an_older_success_does_not_stand_for_a_failure(bench: Bench, tmp_path: Path) -> None:
    for options, status in (("-q", BAD_COMMAND), ("-b 3m -t 2m", FAILED), ("-o missing/data", FAILED)):
        bench.measure("-b 64 -t 64", cwd=tmp_path)
        failed = bench.measure(options, cwd=tmp_path, status=status)
        assert failed.data["Status"] == "failed"


@pytest.mark.parametrize("file", ["missing/s.json", "/dev/full"])
def test_a_summary_that_cannot_be_written(bench: Bench, tmp_path: Path, file: str) -> None:
    done = bench.run(f"-b 64 -t 64 -O summaryFormat=JSON,summaryFile={file}", cwd=tmp_path)
    assert done.returncode == FAILED
    assert "ERROR: cannot" in done.stderr


def test_help_names_every_option_and_succeeds(bench: Bench, tmp_path: Path) -> None:
    shown = bench.do("-h", cwd=tmp_path)
    for option in (*"abcCdDeEFgGikKlmNoOQrRstUwWYz", "-posix.odirect", "-mpiio.hintsFileName"):
        assert re.search(rf" -{option}[ ,\n]", shown), option
    for command, option in (("replay", "think"), ("play", "settle")):
        assert f"acic-bench {command} FILE" in shown
        assert option in bench.do(f"{command} --help", cwd=tmp_path)


def running(marker: str) -> list[int]:
    """Processes whose command line holds `marker`, launchers left out."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words and words[0].endswith(b"acic-bench") and any(marker.encode() in w for w in words):
            found.append(int(entry.name))
    return found


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_for(marker: str, count: int) -> list[int]:
    wait_until(lambda: len(running(marker)) == count)
    return running(marker)


@pytest.mark.parametrize("interface", ["-a POSIX", "-a MPIIO -c"])
@pytest.mark.parametrize("victim", ["rank", "launcher"])
@pytest.mark.usefixtures("no_shared_memory_left")
def test_a_kill_ends_the_job(bench: Bench, tmp_path: Path, interface: str, victim: str) -> None:
    options = f"{interface} -b 1g -t 8 -D 60 -o {tmp_path}/data -O summaryFormat=JSON,summaryFile={tmp_path}/s.json"
    job = subprocess.Popen(
        bench.command(options, 3), env=bench.mpi.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        ranks = wait_for(str(tmp_path), 3)
        wait_until((tmp_path / "data").exists)
        if victim == "rank":
            os.kill(ranks[1], signal.SIGKILL)
        else:
            job.terminate()
        assert job.wait(timeout=30) != 0
        wait_for(str(tmp_path), 0)
    finally:
        job.kill()
        job.wait()
    text = (tmp_path / "s.json").read_text()
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
