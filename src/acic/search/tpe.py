"""Optuna's Tree-structured Parzen Estimator, for comparison: an optional extra.

Source: Bergstra, Bardenet, Bengio & Kegl, "Algorithms for hyper-parameter optimization", NIPS 2011; the
implementation is that of https://optuna.org.

Every parameter is always suggested, and what comes out is repaired: the objective of a suggestion is that of the valid
configuration made of it, so that constraints and parameters that do not apply need nothing special. TPE suggests
the same thing again and again; it is then told what is known, and nothing is measured.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acic.errors import InvalidInput, with_extra
from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.protocol import Found, Measure
from acic.search.repair import drawn_values, usual_values
from acic.space import Configuration, Parameter, Scale, Space, Value, repaired

if TYPE_CHECKING:
    import optuna

STALE = 10  # suggestions in a row that were known, before one is drawn at random instead
GIVE_UP = 30  # before nothing new is held to be left


@dataclass(frozen=True, slots=True)
class Tpe:
    """One configuration at a time, where TPE expects the largest improvement.

    Args:
        runs: configurations besides the baseline.
    """

    runs: int = 100

    name = "optuna"
    about = "Optuna's TPE, one run at a time: for comparison; needs acic's compare extra"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best configuration measured; raises InvalidInput also where Optuna is not installed."""
        study = _study(int(rng.integers(2**31)))
        ledger = Ledger(space, measure, max_runs=max_runs)
        return conduct(self._proposals(space, baseline, ledger, study, rng), baseline, ledger)

    def _proposals(
        self, space: Space, baseline: Configuration, ledger: Ledger, study: optuna.Study, rng: np.random.Generator
    ) -> Proposals:
        distributions = {p.name: _distribution(p) for p in space.parameters}
        if all(baseline[name] in space[name].values for name in baseline):
            study.enqueue_trial(_positions(space, usual_values(space, baseline)))
        stale = 0
        while len(ledger) <= self.runs:
            if stale == GIVE_UP:
                return f"Nothing new came of {GIVE_UP} suggestions."
            if stale >= STALE:
                study.enqueue_trial(_positions(space, drawn_values(space, rng)))
            with _silence():
                trial = study.ask(distributions)
            values = {p.name: p.values[trial.params[p.name]] for p in space.parameters}
            configuration = repaired(space, values)
            known = configuration is None or configuration in ledger
            stale = stale + 1 if known else 0
            if configuration is not None and not known:
                yield [configuration]
            with _silence():  # a failed run, and a suggestion that no repair makes valid, are infinitely slow
                study.tell(trial, np.inf if configuration is None else ledger.objective(configuration))
        return f"All {self.runs} configurations were measured."


def check_installed() -> None:
    """Raise InvalidInput where Optuna is not installed."""
    try:
        import optuna  # noqa: F401 (whether it is there is all that is asked)
    except ImportError as error:
        raise InvalidInput(
            "the strategy optuna needs Optuna, which is not installed", hint=with_extra("compare")
        ) from error


def _study(seed: int) -> optuna.Study:
    check_installed()
    import optuna

    with _silence():
        return optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=seed))


def _distribution(parameter: Parameter) -> optuna.distributions.BaseDistribution:
    """Return positions in the listed values: labels as such, all others in their order."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    last = len(parameter.values) - 1
    if parameter.scale is Scale.CATEGORICAL:
        return CategoricalDistribution(range(last + 1))
    return IntDistribution(0, last)


def _positions(space: Space, values: dict[str, Value]) -> dict[str, Any]:
    return {p.name: p.values.index(values[p.name]) for p in space.parameters}


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Optuna's messages and warnings to itself, and leave everybody else's alone."""
    logger = logging.getLogger("optuna")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
