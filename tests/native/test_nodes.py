"""Which node a rank is on, and so whose data it reads: told by names, whatever MPI shares."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.bench import Bench

# Two ranks on each node by name; what a rank opens to read is told.
PRETENDED = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank(void) {
    const char *const hydra = getenv("PMI_RANK");
    const char *const text = hydra != NULL ? hydra : getenv("OMPI_COMM_WORLD_RANK");
    return text != NULL ? atoi(text) : 0;
}
int MPI_Get_processor_name(char *name, int *length) {
    *length = sprintf(name, "node%d", rank() / 2);
    return 0;
}
static int opened(const char *path, int flags, int mode) {
    if (strstr(path, "place.") != NULL && (flags & O_ACCMODE) == O_RDONLY) {
        char line[64];
        snprintf(line, sizeof line, "rank %d opened %s\\n", rank(), strrchr(path, '.') + 1);
        fputs(line, stderr);
    }
    return openat(AT_FDCWD, path, flags, mode);
}
#define OPEN(name) \\
    int name(const char *path, int flags, ...) { \\
        va_list rest; \\
        va_start(rest, flags); \\
        const int mode = flags & O_CREAT ? va_arg(rest, int) : 0; \\
        va_end(rest); \\
        return opened(path, flags, mode); \\
    }
OPEN(open)
OPEN(open64)
"""


@pytest.fixture
def pretended(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "shim.c").write_text(PRETENDED)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=tmp_path, check=True)
    return {"LD_PRELOAD": str(tmp_path / "shim.so")}


def opened(bench: Bench, options: str, ranks: int, folder: Path, env: dict[str, str]) -> set[tuple[int, int]]:
    """Each rank with the files that it read, or asked for their sizes."""
    done = bench.run(options, ranks=ranks, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stderr.splitlines() if " opened " in line]
    return {(int(words[-3]), int(words[-1])) for words in lines}


def test_ranks_of_one_machine_are_on_one_node(bench: Bench, tmp_path: Path) -> None:
    """MPICH told to do without shared memory says that each rank is alone: each read what its own node wrote."""
    summary = bench.measure("-b 64k -t 4k -C", ranks=4, cwd=tmp_path)
    assert (summary.test["Options"]["nodes"], summary.test["Options"]["clients per node"]) == (1, 4)
    assert "WARNING: -C: 4 of 4 tasks read what their own node wrote" in summary.stderr


@pytest.mark.parametrize(
    ("options", "ranks", "away"),
    [
        ("-w -r -C", 4, [2]),
        ("-w -W -C", 4, [2]),  # IOR's twice as far would be the writer itself
        ("-w -W -r -C", 6, [2, 4]),  # the check must not fetch what is read then
        ("-w -W -r -C", 4, [2]),
    ],
)
def test_what_is_read_another_node_wrote(
    bench: Bench, tmp_path: Path, pretended: dict[str, str], options: str, ranks: int, away: list[int]
) -> None:
    found = opened(bench, f"{options} -F -b 64k -t 4k -o place", ranks, tmp_path, pretended)
    own = {(rank, rank) for rank in range(ranks)}  # whose size each looks at
    assert found - own == {(rank, (rank + more) % ranks) for rank in range(ranks) for more in away}


def test_nodes_with_different_numbers_of_ranks_are_told_of(
    bench: Bench, tmp_path: Path, pretended: dict[str, str]
) -> None:
    for ranks, told in ((5, False), (3, True)):
        done = bench.run("-b 64k -t 4k -C", ranks=ranks, cwd=tmp_path, env=pretended)
        assert done.returncode == 0, done.stderr
        assert ("WARNING: -C: 1 of 3 tasks read what their own node wrote" in done.stderr) == told
        assert ("-C:" in done.stderr) == told


def test_a_replays_check_reads_what_another_rank_wrote(bench: Bench, tmp_path: Path, pretended: dict[str, str]) -> None:
    lines = [f"{rank} posix write 0 {rank} {k * 8} 8 0 0" for rank in range(4) for k in range(3)]
    files = [f"file {rank} 0 place.{rank}" for rank in range(4)]
    (tmp_path / "trace").write_text("\n".join(["acic-replay 1", "ranks 4", *files, *lines, ""]))
    found = opened(bench, "replay trace -W", 4, tmp_path, pretended)
    assert found - {(rank, rank) for rank in range(4)} == {(rank, (rank + 2) % 4) for rank in range(4)}
