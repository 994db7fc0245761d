"""How well fresh runs of some sessions tell what another session finds: medians alone, and with sessions levelled.

Of each application every session of fresh runs is left out in turn, and how far two of its configurations are apart
there is compared with what all other sessions say. Only configurations with three other runs or more are.

    python studies/fresh.py [--applications development]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from acic.benchmarks.kernels import Part
from acic.evaluation.evaluate import bundled_fresh
from acic.evaluation.levels import levelled, sessions_of
from acic.store.measurement import Outcome

Floats = NDArray[np.float64]
LEAST = 3  # runs in other sessions


def arrays(part: Part) -> Iterator[Floats]:
    """Yield the seconds of each application's runs, shape (configurations, passes); NaN where there is none."""
    found: dict[tuple[str, str], dict[tuple[object, int], float]] = {}
    for run in bundled_fresh("lab", part):
        if run.outcome is Outcome.OK and run.total is not None:
            found.setdefault((run.kernel, run.scale), {})[run.configuration, run.repetition] = run.total
    for runs in found.values():
        configurations = list(dict.fromkeys(configuration for configuration, _ in runs))
        passes = sorted({number for _, number in runs})
        yield np.array([[runs.get((one, number), np.nan) for number in passes] for one in configurations])


def errors(values: Floats, *, level: bool) -> list[float]:
    """Return how far off, as a logarithm, the ratio of each pair in each session was told by the other sessions."""
    found = []
    sessions = sessions_of(values)
    for session in np.unique(sessions):
        here, others = values[:, sessions == session], values[:, sessions != session]
        both = (~np.isnan(here)).any(axis=1) & ((~np.isnan(others)).sum(axis=1) >= LEAST)
        if both.sum() < 2:
            continue
        told = np.nanmedian(np.log(levelled(others) if level else others)[both], axis=1)
        off = np.nanmedian(np.log(here[both]), axis=1) - told
        found += [abs(float(one - other)) for one, other in combinations(off, 2)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", default="development", choices=["development", "test", "heldout"])
    part: Part = parser.parse_args().applications
    for title, level in (("medians alone", False), ("sessions levelled", True)):
        off = np.array([one for values in arrays(part) for one in errors(values, level=level)])
        root, half, most = np.sqrt(np.mean(off**2)), np.median(off), np.quantile(off, 0.9)
        print(f"{title}: {len(off)} pairs are off by {half:.1%} typically, one in ten by {most:.1%}; RMS {root:.1%}")


if __name__ == "__main__":
    main()
