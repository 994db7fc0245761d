"""`acic explain` from a cached model, each time in a new process: what a user waits for, beside `acic recommend`.

Run it: python benchmarks/bench_explain.py
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
ACIC = Path(sys.executable).parent / "acic"
LOGS = ("s3d_io_blocking", "flash_io", "btio_A_mpi_io_full", "wrf_io")
PLATFORMS = ("lab", "tianhe-lustre")
TIMES = 5
BAR = 1.5  # s


def seconds(command: str, log: str, platform: str, environment: dict[str, str]) -> float:
    file = str(ROOT / f"tests/data/darshan/apps/{log}.darshan")
    words = [str(ACIC), command, file, "--platform", platform, "--elsewhere"]
    start = time.perf_counter()
    done = subprocess.run(words, env=environment, capture_output=True, check=False, text=True)
    took = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{command} {log} {platform} failed: {done.stderr}")
    return took


def main() -> int:
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"ACIC_STORE": f"{folder}/store.sqlite", "ACIC_CACHE": f"{folder}/cache"}
        print(f"{'median of ' + str(TIMES):40} {'recommend':>10} {'explain':>10}")
        for platform in PLATFORMS:
            seconds("recommend", LOGS[0], platform, environment)  # fits and caches the model
            for log in LOGS:
                pairs = [
                    [seconds(c, log, platform, environment) for c in ("recommend", "explain")] for _ in range(TIMES)
                ]
                ours = [statistics.median(column) for column in zip(*pairs, strict=True)]
                print(f"{log + ' on ' + platform:40} {ours[0]:9.2f}s {ours[1]:9.2f}s")
                passed &= ours[1] <= BAR
    print(f"bar: explain <= {BAR} s: {'passed' if passed else 'MISSED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
