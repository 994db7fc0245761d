"""Time `characterize_file` against PyDarshan's `DarshanReport(log, read_all=True)`, in one process, turn by turn.

Each log is read by both until the time is up; the ratio is the median of those of two calls in turn, since the clock
of a shared processor changes now and then, and median and best times stand beside it.
PyDarshan only reads the log, acic reads and characterises it. Times are of the processor, which other people's load on
the machine leaves alone; the logs are in the page cache. Each call pays for the collection of what it leaves behind:
PyDarshan's reports are in cycles, which would else be paid for by whoever comes next.

Usage: python benchmarks/bench_characterize.py [FOLDER_OR_LOG ...] [--only hacc flash ...] [--seconds 2] [--pairs 200]
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import darshan

from acic.workloads import characterize_file

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = (ROOT / "tests/data/darshan", ROOT.parent / "shared/data/darshan/public")


def find_logs(places: Iterable[Path]) -> list[Path]:
    logs: list[Path] = []
    for place in places:
        logs += [place] if place.is_file() else sorted(place.rglob("*.darshan"))
    return logs


@contextmanager
def silence() -> Iterator[None]:
    """Drop what is written to stderr, also by libdarshan-util in C."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def timed(function: Callable[[], object]) -> float:
    gc.collect()
    before = time.thread_time()
    function()
    gc.collect()
    return time.thread_time() - before


def turn_by_turn(log: Path, seconds: float, pairs: int) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    theirs: list[float] = []

    def characterize() -> object:
        return characterize_file(log)

    def report() -> object:
        return darshan.DarshanReport(str(log), read_all=True)

    characterize(), report()  # imports and caches are not what is measured
    until = time.perf_counter() + seconds
    while len(ours) < pairs or (time.perf_counter() < until and len(ours) < 1000):
        ours.append(timed(characterize))
        theirs.append(timed(report))
    return ours, theirs


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", nargs="*", type=Path, help="logs, or folders of them")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each log (default: 1)")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="logs whose names have one of these")
    parser.add_argument("--pairs", type=int, default=5, help="measure at least so many pairs (default: 5)")
    arguments = parser.parse_args()
    logs = find_logs(arguments.places or [place for place in DEFAULTS if place.exists()])
    logs = [log for log in logs if any(name in log.name for name in arguments.only)]
    if not logs:
        sys.exit("no logs: name folders that hold *.darshan")
    warnings.simplefilter("ignore")
    gc.disable()
    gc.freeze()  # modules and their constants need not be looked at again and again
    width = max(len(log.name) for log in logs)
    print(f"{'log':{width}}  {'size kB':>8}  {'acic ms':>8}  {'best':>8}  {'pydarshan':>9}  {'best':>8}  {'ratio':>5}")
    slow = 0
    for log in logs:
        with silence():
            ours, theirs = turn_by_turn(log, arguments.seconds, arguments.pairs)
        ratio = statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))
        size = log.stat().st_size
        slow += ratio > (1.0 if size > 1_000_000 else 1.1)
        middle, other = statistics.median(ours) * 1e3, statistics.median(theirs) * 1e3
        print(
            f"{log.name:{width}}  {size / 1e3:8.1f}  {middle:8.3f}  {min(ours) * 1e3:8.3f}  "
            f"{other:9.3f}  {min(theirs) * 1e3:8.3f}  {ratio:5.2f}"
        )
    print(f"{slow} of {len(logs)} logs slower than allowed (1.0x above 1 MB, else 1.1x)")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
