"""A process that adds measurements: `writer.py URL FIRST LAST [SLOWLY]`; tests start and kill it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from acic.store import Measurement
from acic.store.database import Store
from tests.store.samples import measurement


def measurements(first: int, last: int, pause: float) -> Iterator[Measurement]:
    for number in range(first, last):
        if number % 500 == 0:
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            time.sleep(pause)
        yield measurement(number)


if __name__ == "__main__":
    with Store.open(sys.argv[1]) as store:
        pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
        result = store.add(measurements(int(sys.argv[2]), int(sys.argv[3]), pause))
        sys.stdout.write(f"added {result.added}\n")
