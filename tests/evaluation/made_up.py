"""Ground truth by a formula, for tests: no figure here was measured."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from acic.benchmarks.kernels import kernels
from acic.evaluation.truth import Run
from acic.platforms import Platform, load_platform
from acic.space import Encoder
from acic.store.measurement import Outcome

WHEN = datetime(2026, 11, 21, tzinfo=UTC)
LAB = load_platform("lab")
SLOW = tuple(c for c in LAB.space.configurations() if c["instance_type"] == "lab.400m" and c != LAB.baseline)


def truth(
    *,
    applications: int = 3,
    configurations: int = 24,
    repetitions: int = 3,
    noise: float = 0.05,
    failing: float = 0.0,
    lost: float = 1.0,
    seed: int = 0,
    platform: Platform = LAB,
) -> list[Run]:
    """Return runs of applications that each weigh the parameters in their own way, the baseline among them.

    Args:
        applications, configurations, repetitions: how many.
        noise: standard deviation of the logarithm of a run.
        failing: share of the configurations on which runs fail, and `lost` of the passes in which they do: the last.
        seed: of all that is drawn.
        platform: its baseline is the first configuration.
    """
    rng = np.random.default_rng(seed)
    chosen = [platform.baseline, *(SLOW[i] for i in rng.permutation(len(SLOW))[: configurations - 1])]
    x = Encoder(platform.space.parameters).encode(chosen)
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)
    runs = []
    for application in range(applications):
        seconds = 10.0 * np.exp(x @ rng.normal(0.0, 0.3, x.shape[1]) + rng.normal(0.0, 0.2, len(chosen)))
        broken = rng.random(len(chosen)) < failing
        for repetition in range(repetitions):
            took = seconds * np.exp(rng.normal(0.0, noise, len(chosen)))
            for i, configuration in enumerate(chosen):
                good = i == 0 or not broken[i] or repetition < round((1.0 - lost) * repetitions)
                runs.append(
                    Run(
                        kernel=f"made-up-{application}",
                        scale="only",
                        configuration=configuration,
                        repetition=repetition,
                        time=WHEN,
                        outcome=Outcome.OK if good else Outcome.FAILED,
                        seconds=float(took[i]) if good else None,
                    )
                )
    return runs


def kernels_truth(*, configurations: int = 40, seed: int = 0) -> list[Run]:
    """Return runs of real applications' names whose seconds are made up, all as long on the baseline."""
    names = [(one.name, one.scale) for one in kernels()[:6]]
    of = {f"made-up-{i}": name for i, name in enumerate(names)}
    made = truth(applications=len(names), configurations=configurations, repetitions=1, noise=0.0, seed=seed)
    return [
        replace(run, kernel=of[run.kernel][0], scale=of[run.kernel][1], io=0.8 * (run.seconds or 0.0)) for run in made
    ]
