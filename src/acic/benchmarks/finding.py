"""Finding a benchmark: IOR where the user has it, else acic-bench, which is built where it is not there yet."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from acic.benchmarks.benchmark import ACIC_BENCH, IOR, Benchmark, identify
from acic.benchmarks.building import built
from acic.errors import InvalidInput


def find_benchmark(choice: str | None = None, *, announce: Callable[[str], None] = lambda _: None) -> Benchmark:
    """Return the benchmark to run.

    Args:
        choice: "ior" for the one on PATH; "acic-bench" for the program that ACIC_BENCH names, else the one in the
            user's cache folder, which is built first if it is not there; a path for that program; None for ior where
            it is on PATH, else acic-bench.
        announce: is told that acic-bench is built, before it is: that takes some seconds.

    Raises:
        InvalidInput: the choice is none of these.
        UnreadableInput: a path, or ACIC_BENCH, is no program.
        AcicError: acic-bench cannot be built.
    """
    if choice is not None and os.sep in choice:
        return identify(Path(choice))
    if choice not in (None, IOR, ACIC_BENCH):
        raise InvalidInput(
            f"{choice!r} is no benchmark", hint=f"give {IOR}, {ACIC_BENCH} or a path, as ./{choice} for a program here"
        )
    if choice != ACIC_BENCH:
        if found := shutil.which(IOR):
            return identify(Path(found))
        if choice == IOR:
            raise InvalidInput("there is no ior on PATH", hint=f"give its path, or leave it to {ACIC_BENCH}")
    return _acic_bench(announce)


def _acic_bench(announce: Callable[[str], None]) -> Benchmark:
    if named := os.environ.get("ACIC_BENCH"):
        return identify(Path(shutil.which(named) or named))
    made = built(announce)
    return identify(made.program, made.mpiexec)
