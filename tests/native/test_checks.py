"""The C parts' own tests, and whole runs, under the sanitizers and valgrind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.bench import FAILED, OK, Bench, Mpi
from tests.native.test_play import SCRIPT
from tests.native.test_replay import checkpoint
from tests.native.traces import write_trace

RUNS = [
    ("-a POSIX -b 64k -t 8k -s 2 -i 2 -w -r -W -R -C", OK),
    ("-a MPIIO -c -b 64k -t 8k -s 2 -w -r -W -R -O summaryFormat=JSON", OK),
    ("-a MPIIO -F -m -i 2 -b 64k -t 8k -e -g -v -U hints", OK),
    ("-z -b 64k -t 8k -D 5 -O stoneWallingWearOut=1", OK),
    ("-b 64k -t 8k -o missing/data -O summaryFormat=JSON", FAILED),
    ("-w -E -k -b 64k -t 4k -o /dev/full", FAILED),
    ("replay trace -W -O summaryFormat=JSON", OK),
    ("replay trace --dir missing", FAILED),
    ("replay nothing", FAILED),
    ("replay trace --think 1 --burn", OK),
    ("play script -W -O summaryFormat=JSON", OK),
    ("play script --dir missing", FAILED),
    ("play nothing", FAILED),
]


def test_sanitizers_and_valgrind_find_nothing(mpi: Mpi, built: Callable[[str], Path], tmp_path: Path) -> None:
    bench = Bench(built("check") / "sanitized" / "acic-bench", mpi)
    (tmp_path / "hints").write_text("IOR_HINT__MPI__cb_nodes=1\n")
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    (tmp_path / "script").write_text(SCRIPT)
    # leaks are looked for in the parts' own tests: MPI libraries keep memory until the end
    env = {"ASAN_OPTIONS": f"detect_leaks=0:{os.environ.get('ASAN_OPTIONS', '')}"}
    for options, status in RUNS:
        done = bench.run(options, ranks=3, cwd=tmp_path, env=env)
        assert done.returncode == status, f"{options}\n{done.stderr}"
        assert "Sanitizer" not in done.stderr
        assert "runtime error" not in done.stderr
    if not shutil.which("valgrind"):
        pytest.skip("no valgrind here: all ran, and well, under the sanitizers alone")
