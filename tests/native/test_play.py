"""`acic-bench play` does what a script says, all of it and nothing else, and finds wrong data."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.native.bench import FAILED, OK, WRONG_DATA, Bench, Summary
from tests.native.model import replayed

SCRIPT = """acic-script 1
ranks 3
0 mkdir d
* barrier
* compute 0.05
* open f mpiio w field
0 view f 8 16 2 2 3 0 0 0 1 2 1 1 0 2 1 2 1
1 view f 8 16 2 2 3 0 0 1 1 2 1 1 0 0 1 2 1
2 view f 8 16 2 2 3 0 0 2 1 2 1 1 0 1 1 2 1
* write_all f 0 64
* write_all f 64 128
* sync f
* close f
0 open g posix w log
0 write g 3 10 4 12
0 sync g
0 close g
1 put d/file.# 5 100
* barrier
2 open g posix r log
2 read g 3 10 4 12
2 close g
1-2 open h mpiio r field
1 read_all h 0 0
2 read_all h 8 192
1 read h 8 384
1-2 close h
0 get d/file.# 5 100
0 stat d/file.# 5
2 stat log
* barrier
1 unlink d/file.# 5
* barrier
0 rmdir d
"""


def play(bench: Bench, folder: Path, script: str, options: str = "", *, ranks: int = 3, status: int = 0) -> Summary:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "script").write_text(script)
    return bench.measure(f"play script --dir files {options}", ranks=ranks, cwd=folder, status=status)


def number_of(path: str) -> int:
    """FNV-1a of a path, without its lowest bit."""
    found = 0xCBF29CE484222325
    for byte in path.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found >> 1


@pytest.mark.parametrize("options", ["-W", "--fill"])
def test_all_of_a_script_is_done_and_nothing_else(bench: Bench, tmp_path: Path, options: str) -> None:
    told = play(bench, tmp_path, SCRIPT, options).play
    files = {path.name: path.read_bytes() for path in (tmp_path / "files").iterdir()}
    log = bytearray(3 + 3 * 12 + 10)
    for offset in range(3, 51 - 12 + 1, 12):
        log[offset : offset + 10] = replayed(number_of("log"), offset, 10)
    assert files == {"field": bytes(8) + replayed(number_of("field"), 8, 3 * 192), "log": bytes(log)}
    counts = {name: told[name] for name in ("bytesWritten", "bytesRead", "writes", "reads", "opens", "syncs")}
    assert counts == {
        "bytesWritten": 3 * 192 + 40 + 500,
        "bytesRead": 40 + 192 + 384 + 500,
        "writes": 6 + 4 + 5,
        "reads": 4 + 1 + 1 + 5,
        "opens": 3 + 1 + 5 + 1 + 2 + 5,
        "syncs": 3 + 1,
    }
    assert told["metadataCalls"] == 1 + 5 + 1 + 5 + 1
    assert told["filesMade"] == 1 + 1 + 5


RENAMING = """acic-script 1
ranks 2
0 mkdir made
0 put made/x#.tmp 4 300
0 rename made/x#.tmp made/x# 4
0 rename made done
0 open f posix w now
0 write f 0 700 3
0 close f
0 rename now last
0 open f posix w now
0 write f 0 700 3
0 close f
* barrier
1 get done/x# 4 300
1 open f posix r last
1 read f 0 700 3
1 close f
1 rename last older
1 unlink done/x# 3
* barrier
0 open f posix w last
0 write f 0 2100
0 close f
"""


def test_files_and_folders_get_other_names(bench: Bench, tmp_path: Path) -> None:
    """Data tell the last name, under which they are read, checked and synced."""
    told = play(bench, tmp_path, RENAMING, "-W --settle", ranks=2).play
    files = {str(path.relative_to(tmp_path / "files")) for path in (tmp_path / "files").rglob("*") if path.is_file()}
    assert files == {"done/x3", "now", "older", "last"}
    assert (tmp_path / "files" / "done" / "x3").read_bytes() == replayed(number_of("done/x3"), 0, 300)
    assert (tmp_path / "files" / "older").read_bytes() == replayed(number_of("older"), 0, 2100)
    assert (told["metadataCalls"], told["filesMade"]) == (1 + 4 + 1 + 1 + 1 + 3, 4 + 1 + 1)
    assert told["syncs"] == 1 + 2 + 1  # of what is there; of a name that was opened twice, what has it now


def test_wrong_data_of_a_file_that_was_renamed_are_found(bench: Bench, tmp_path: Path) -> None:
    """By a later job, which knows the last name alone."""
    play(bench, tmp_path, "acic-script 1\nranks 2\n0 put b.tmp 1 800\n0 rename b.tmp b\n", "--fill", ranks=2)
    read = "acic-script 1\nranks 2\n1 get b 1 800\n"
    play(bench, tmp_path, read, "-W", ranks=2)
    (tmp_path / "files" / "b").write_bytes(bytes(800))
    assert "b at byte 0" in play(bench, tmp_path, read, "-W", ranks=2, status=WRONG_DATA).data["Error"]


def test_times_add_up(bench: Bench, tmp_path: Path) -> None:
    script = "acic-script 1\nranks 2\n0 compute 0.3\n* barrier\n* compute 0.1\n0 put f 1 1000000\n0 unlink f\n"
    before = time.monotonic()
    told = play(bench, tmp_path, script, ranks=2).play
    elapsed = time.monotonic() - before
    assert 0.4 <= told["computeProcessorTime"] < 0.45
    assert 0.4 <= told["computeTime"] < told["totalTime"] < elapsed
    assert 0.25 < told["waitTime"] < told["totalTime"]  # of rank 1, for rank 0
    parts = ("openTime", "writeTime", "readTime", "syncTime", "closeTime", "metadataTime")
    assert told["ioTime"] == pytest.approx(sum(told[part] for part in parts))  # one rank has them all
    assert told["totalTime"] >= told["computeTime"] + told["ioTime"]


def test_settling_syncs_what_was_written_and_is_still_there(bench: Bench, tmp_path: Path) -> None:
    """Of SCRIPT rank 0 wrote a log, all three wrote the field, and the small files are gone."""
    once = play(bench, tmp_path, SCRIPT).play
    settled = play(bench, tmp_path, SCRIPT, "--settle").play
    assert settled["syncs"] == once["syncs"] + 3 + 1
    (tmp_path / "files" / "a").symlink_to("/dev/null")  # which takes everything, and cannot be synced
    lost = "acic-script 1\nranks 1\n0 put a 1 8\n"
    play(bench, tmp_path, lost, ranks=1)
    summary = play(bench, tmp_path, lost, "--settle", ranks=1, status=FAILED)
    assert "cannot sync" in summary.data["Error"]


# Who opens a file of this name waits until it is gone.
_WAITING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define OPEN(name)                                                                      \\
    int name(const char *path, int flags, ...) {                                        \\
        int (*const real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);            \\
        const char *const own = strrchr(path, '/');                                     \\
        va_list more;                                                                   \\
        va_start(more, flags);                                                          \\
        const int mode = flags & O_CREAT ? va_arg(more, int) : 0;                       \\
        va_end(more);                                                                   \\
        for (int i = 0; own && !strcmp(own, "/late") && i < 1000 && !access(path, F_OK); i++) \\
            usleep(10000);                                                              \\
        return real(path, flags, mode);                                                 \\
    }
OPEN(open)
OPEN(open64)
"""


def test_what_another_rank_removes_while_it_is_looked_for_is_not_settled(bench: Bench, tmp_path: Path) -> None:
    """It was found under its other name, and gone when it was opened: a run failed by it."""
    (tmp_path / "shim.c").write_text(_WAITING)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=tmp_path, check=True)
    (tmp_path / "files").mkdir()
    (tmp_path / "script").write_text(
        "acic-script 1\nranks 2\n1 put late.tmp 1 100\n* barrier\n0 rename late.tmp late\n* barrier\n"
        "0 compute 0.3\n0 unlink late\n"
    )
    preloaded = {"LD_PRELOAD": str(tmp_path / "shim.so")}
    done = bench.run("play script --dir files --settle", ranks=2, cwd=tmp_path, env=preloaded)
    assert done.returncode == OK, done.stderr


def test_waiting_uses_no_processor(bench: Bench, tmp_path: Path) -> None:
    """Three ranks that wait for a fourth leave it the processor: they, and all it takes to start, use less than it."""
    (tmp_path / "script").write_text("acic-script 1\nranks 4\n0 compute 1\n* barrier\n")
    command = ["bash", "-c", f"time {' '.join(bench.command('play script', 4))} >/dev/null"]
    env = bench.mpi.environment | {"TIMEFORMAT": "%U %S"}
    told = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stderr
    assert sum(map(float, told.split()[-2:])) < 2.0


def test_computing_costs_processor_time(bench: Bench, tmp_path: Path) -> None:
    """On one processor two ranks take twice as long as one."""
    (tmp_path / "script").write_text("acic-script 1\nranks 2\n* compute 0.3\n")
    command = ["taskset", "-c", "0", *bench.command("play script -O summaryFormat=JSON", 2)]
    done = subprocess.run(command, cwd=tmp_path, env=bench.mpi.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seconds = float(done.stdout.partition('"computeTime": ')[2].partition(",")[0])
    assert seconds > 0.45


@pytest.mark.parametrize("name", ["field", "log"])
def test_wrong_data_are_found(bench: Bench, tmp_path: Path, name: str) -> None:
    """What one job wrote, with a byte changed before another one reads it."""
    made = "acic-script 1\nranks 3\n0 open f posix w NAME\n0 write f 0 5000\n0 close f\n".replace("NAME", name)
    read = "acic-script 1\nranks 3\n* open f posix r NAME\n1 read f 1000 3000\n* close f\n".replace("NAME", name)
    play(bench, tmp_path, made, "--fill")
    play(bench, tmp_path, read, "-W")
    path = tmp_path / "files" / name
    content = bytearray(path.read_bytes())
    content[2222] ^= 1
    path.write_bytes(content)
    summary = play(bench, tmp_path, read, "-W", status=WRONG_DATA)
    assert f"{name} at byte 2216" in summary.data["Error"]  # the word that has it
    assert summary.data["Status"] == "wrong data"
    play(bench, tmp_path, read)  # without -W nobody looks


def test_writes_that_are_lost_are_found(bench: Bench, tmp_path: Path) -> None:
    """Two files of one name by hard link: what is written to the second destroys the first."""
    script = "acic-script 1\nranks 2\n0 open f posix w a\n0 write f 0 800\n0 close f\n* barrier\n1 put b 1 800\n"
    play(bench, tmp_path, script, "-W", ranks=2)
    (tmp_path / "files" / "b").unlink()
    (tmp_path / "files" / "b").hardlink_to(tmp_path / "files" / "a")
    summary = play(bench, tmp_path, script, "-W", ranks=2, status=WRONG_DATA)
    assert "a at byte 0" in summary.data["Error"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 get nothing 1 8", "nothing"),
        ("1 stat nothing", "stat"),
        ("0 unlink nothing", "unlink"),
        ("0 rename nothing more", "rename"),
        ("* open f posix r nothing\n* close f", "open"),
        ("* open f mpiio r nothing\n* close f", "nothing"),
        ("0 put a 1 8\n0 open f posix r a\n0 read f 4 8\n0 close f", "too early"),
    ],
)
def test_a_failure_ends_all_ranks_and_leaves_no_times(bench: Bench, tmp_path: Path, line: str, said: str) -> None:
    script = f"acic-script 1\nranks 3\n{line}\n* compute 0.01\n* barrier\n2 put late 1 8\n"
    summary = play(bench, tmp_path, script, status=FAILED)
    assert said in summary.data["Error"]
    assert "totalTime" not in summary.play
    assert "ERROR" in summary.stderr


def test_ranks_that_a_script_does_not_have_do_nothing(bench: Bench, tmp_path: Path) -> None:
    assert play(bench, tmp_path, SCRIPT, "-W", ranks=5).play["ranks"] == 3
    (tmp_path / "script").write_text(SCRIPT)
    assert "mpiexec -n 3" in bench.run("play script", ranks=2, cwd=tmp_path).stderr


def test_pauses_of_a_replay_can_be_burnt(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(
        "acic-replay 1\nranks 1\nfile 0 0 f\n0 posix write 0 0 0 8 0 0.1\n0 posix write 0 0 8 8 0.4 0.5\n"
    )
    times = {}
    for options in ("--think 1", "--think 1 --burn", "--think 0 --burn"):
        told = bench.measure(f"replay trace {options}", ranks=1, cwd=tmp_path).data["Replay"]
        times[options] = told["computeTime"]
        assert told["totalTime"] > 0.29 or "--think 0" in options
    assert times["--think 1"] == 0
    assert times["--think 1 --burn"] >= 0.3
    assert times["--think 0 --burn"] < 0.01


# The write of 777 bytes of which there were as many before as LOST says, in this process, is lost, with success told.
_LOSING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t write(int file, const void *data, size_t bytes) {
    static int before;
    ssize_t (*const real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    return bytes == 777 && before++ == atoi(getenv("LOST")) ? (ssize_t)bytes : real(file, data, bytes);
}
"""


@pytest.mark.parametrize(
    ("lost", "script"),
    [
        (1, "0 write f 5 777\n0 write f 5 777\n"),
        (4, "0 write f 5 777 3\n0 write f 5 777 3\n1 write f 0 5\n"),
        (1, "0 write f 5 777\n0 write f 5 777\n0 read f 0 100\n0 write f 5 777\n"),  # made good, but read before
    ],
)
def test_a_lost_write_over_an_earlier_one_is_found(bench: Bench, tmp_path: Path, lost: int, script: str) -> None:
    """The bytes of the one before were taken for right: data told their place, and not how often it was written."""
    (tmp_path / "shim.c").write_text(_LOSING)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=tmp_path, check=True)
    whole = f"acic-script 1\nranks 2\n0 put f 1 5\n* barrier\n* open f posix w f\n{script}* close f\n"
    play(bench, tmp_path, whole, "-W", ranks=2)
    (tmp_path / "files" / "f").unlink()
    done = bench.run(
        "play script --dir files -W",
        ranks=2,
        cwd=tmp_path,
        env={"LD_PRELOAD": str(tmp_path / "shim.so"), "LOST": str(lost)},
    )
    assert done.returncode == WRONG_DATA, done.stderr
    assert "f at byte" in done.stderr


def test_what_is_written_again_by_whom_is_no_error(bench: Bench, tmp_path: Path) -> None:
    """One rank over its own, several over one another, parts of words, small files, and more often than data tell."""
    again = "2 write f 600 8\n" * 300
    script = (
        "acic-script 1\nranks 3\n* open f mpiio w f\n* write f 0 100\n* barrier\n1 write f 50 100\n* barrier\n"
        "2 write f 150 50 300 1\n2 write f 160 11 300 1\n2 read f 150 40\n* barrier\n* read f 0 499\n"
        f"{again}2 read f 600 8\n* barrier\n* read f 600 8\n* close f\n"
        "0 put p.# 3 100\n0 put p.# 2 48\n* barrier\n1 get p.# 3 100\n* barrier\n1 put p.# 1 16\n"
    )
    play(bench, tmp_path, script, "-W")
    read = "* open f posix r f\n* read f 0 150\n* read f 600 8\n* close f\n1 get p.# 3 100\n"
    play(bench, tmp_path, f"acic-script 1\nranks 3\n{read}", "-W")  # which does not know how often others wrote it
    play(bench, tmp_path, script, "-W")  # over what is there
