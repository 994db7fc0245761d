"""Whole commands: start-up, a recommendation from a cached model, and characterize against drishti.

Ratios are of pairs run in turn, so that they hold on a noisy machine; the median is quoted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
LOGS = ("apps/btio_A_mpi_io_full", "apps/s3d_io_blocking", "apps/flash_io", "apps/wrf_io", "known/ior_mpiio_coll")
PAIRS = 5
LEAST = 3.0  # times as long as acic's characterize that drishti is to take


def seconds(*command: object, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, check=False)
    took = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{command} failed: {done.stderr.decode()}")
    return took


def main() -> int:
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"ACIC_STORE": f"{folder}/store.sqlite", "ACIC_CACHE": f"{folder}/cache"}
        acic = BIN / "acic"
        log = ROOT / f"tests/data/darshan/{LOGS[0]}.darshan"
        recommend = (acic, "recommend", log, "--platform", "tianhe-lustre")
        seconds(*recommend, environment=environment)  # fits and caches the model
        print(f"{'command':60} {'median':>8}  {'bar':>6}")
        for name, command, bar in (
            ("acic --help", (acic, "--help"), 0.3),
            ("acic recommend (cached model, new process)", recommend, 1.0),
        ):
            taken = statistics.median(seconds(*command, environment=environment) for _ in range(PAIRS))
            print(f"{name:60} {taken:7.3f}s  {bar:5.1f}s")
            passed &= taken < bar
        print(f"\n{'log':40} {'acic':>8} {'drishti':>8} {'ratio':>7}   (bar: drishti / acic >= {LEAST:g})")
        for name in LOGS:
            path = ROOT / f"tests/data/darshan/{name}.darshan"
            pairs = [
                (
                    seconds(acic, "characterize", path, environment=environment),
                    seconds(BIN / "drishti", path, environment=environment),
                )
                for _ in range(PAIRS)
            ]
            ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(b / a for a, b in pairs)
            print(f"{name:40} {ours:7.3f}s {theirs:7.3f}s {ratio:6.1f}x")
            passed &= ratio >= LEAST
    print(f"bars: {'passed' if passed else 'MISSED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
