"""What studies in the lab share: runs there, the prior, and the hardware that they are made on."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from acic.benchmarks import find_benchmark
from acic.benchmarks.kernels import Kernel
from acic.errors import AcicError
from acic.evaluation.running import Runs
from acic.lab import Lab
from acic.platforms import load_platform
from acic.prior import Prior, prior_of
from acic.space import Configuration, Value

HARDWARE: Mapping[str, Value] = {"instance_type": "lab.400m", "device": "EBS", "raid_devices": 1}


def open_lab() -> Lab:
    """Return the lab; where none is up, or another command works on it, the program ends with a line that says so."""
    try:
        return Lab.open()
    except AcicError as error:
        raise SystemExit(f"{error}\n{error.hint}") from error


@contextmanager
def lab_runs() -> Iterator[tuple[Runs, Prior]]:
    """Give what makes runs in the lab, which is up, and the lab's prior."""
    platform = load_platform("lab")
    prior = prior_of(platform)
    assert prior is not None
    lab = open_lab()
    with tempfile.TemporaryDirectory() as folder:
        yield Runs(platform, lab, find_benchmark("acic-bench"), Path(folder)), prior


def io_seconds(runs: Runs, application: Kernel, configuration: Configuration, repetitions: int) -> float:
    """Return the median seconds in I/O of the runs that went well."""
    made = [runs.run(application, configuration, i).io for i in range(repetitions)]
    return median(seconds for seconds in made if seconds is not None)
