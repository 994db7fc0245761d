"""A crowd with liars in it, simulated: what they cost with and without the trust that `acic.store.trust` gives.

The measurements are those of the training, each given to one of some made-up contributors; those of the bad ones are
then changed. So bad contributors also take honest measurements away, and the regret that counts is that beside a crowd
without liars. No figure of a liar was measured, and no name is anybody's: they are called "simulated 1" and so on.

`harm` gives one case, `curves` all of them, for a picture. `LIES` names the ways to lie: a new one is a function and a
line there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import log
from types import MappingProxyType
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.evaluation.loops import curve_over
from acic.evaluation.parallel import spread
from acic.evaluation.picks import Curve
from acic.evaluation.taught import Judge, taught
from acic.models.registry import DEFAULT, learner
from acic.platforms import Platform
from acic.store.baselines import over_baseline, with_baseline
from acic.store.training import TrainingRows
from acic.store.trust import HEARD, Contribution, believed, contributions, trusted

Mask = NDArray[np.bool_]
Lie = Callable[[TrainingRows, Mask, Platform, np.random.Generator], TrainingRows]
"""Changes the rows of a mask."""

CONTRIBUTORS = 20
SHARES = (0.05, 0.2, 0.4)
SEEDS = 3
_WILD = 1.5  # standard deviation of a noisy liar's logarithms: a factor of 4.5
_PROMISE = 3.0  # times the best of a workload that the promoted configuration is claimed to give


@dataclass(frozen=True, slots=True, kw_only=True)
class Harm:
    """What liars cost, over several seeds.

    Args:
        lie: one of `LIES`; share: of the contributors who tell it.
        honest: median regret over the applications where nobody lies; 0.05 is 5 %.
        undefended, defended: the same with the liars, without and with trust; medians over the seeds.
        worst: the largest defended one over the seeds, less that seed's honest one.
        liars: the largest trust in any liar; others: the least in any honest contributor; of all seeds.
    """

    lie: str
    share: float
    honest: float
    undefended: float
    defended: float
    worst: float
    liars: float
    others: float

    @property
    def cost(self) -> float:
        """What the liars cost in spite of the defence: points of regret; 0.02 is 2 points."""
        return self.defended - self.honest


def harm(
    rows: TrainingRows,
    judge: Judge,
    lie: str,
    share: float,
    *,
    model: str = DEFAULT,
    seeds: int = SEEDS,
    processes: int = 1,
) -> Harm:
    """Return what one lie costs.

    Args:
        rows: the training, taken to be honest.
        judge: applications that advice is judged by.
        lie: one of `LIES`.
        share: of the contributors, 0 to 1.
        model: that learns.
        seeds: who measured what, who lies and how is drawn anew for each.
        processes: of this machine, that share the seeds.

    Raises:
        InvalidInput: no such lie, or no share.
    """
    _check([lie])
    if not 0 <= share <= 1:
        raise InvalidInput(f"a share of {share} is none", hint="give one from 0 to 1")
    figures = np.array(spread(partial(_of_seed, rows, judge, lie, share, model), range(seeds), processes=processes))
    honest, undefended, defended = np.median(figures[:, :3], axis=0)
    return Harm(
        lie=lie,
        share=share,
        honest=float(honest),
        undefended=float(undefended),
        defended=float(defended),
        worst=float((figures[:, 2] - figures[:, 0]).max()),
        liars=float(figures[:, 3].max()),
        others=float(figures[:, 4].min()),
    )


def curves(
    rows: TrainingRows,
    judge: Judge,
    *,
    models: Sequence[str],
    lies: Sequence[str] = (),
    shares: Sequence[float] = SHARES,
    seeds: int = SEEDS,
    processes: int = 1,
) -> Mapping[tuple[str, str], tuple[Curve, Curve]]:
    """Return the regret of the median application over the share of liars, of each lie and model, lie by lie.

    With the defence, then without it; both from where nobody lies on. Middle, low and high are over seeds, and each
    seed is that of `harm`. Whom a model is to trust is found once for all models.

    Args:
        rows: the training, taken to be honest.
        judge: applications that advice is judged by.
        models: learners' names.
        lies: of `LIES`; all of them where none is called.
        shares: of the contributors, above 0 to 1, ascending.
        seeds: who measured what, who lies and how is drawn anew for each.
        processes: of this machine; the figures do not depend on it.

    Raises:
        InvalidInput: no such lie.
    """
    lies = lies or tuple(LIES)
    _check(lies)
    told = [(lie, share) for share in reversed(shares) for lie in lies]
    cases = [(*one, seed) for one in [*told, (lies[0], 0.0)] for seed in range(seeds)]
    made = dict(zip(cases, spread(partial(_with_each, rows, judge, models), cases, processes=processes), strict=True))
    found = {}
    for lie, (place, model) in product(lies, enumerate(models)):
        points = [(lies[0], 0.0), *((lie, share) for share in shares)]  # nobody tells one lie as nobody tells another
        regrets = np.array([[made[*point, seed][place] for point in points] for seed in range(seeds)])
        spent = [share for _, share in points]
        found[lie, model] = (
            curve_over("with the defence", spent, regrets[:, :, 1]),
            curve_over("without it", spent, regrets[:, :, 0]),
        )
    return found


def crowd(rows: TrainingRows, contributors: int, *, rng: np.random.Generator) -> TrainingRows:
    """Return the rows, each as if one of some contributors had made it: as many each, or one more."""
    names = tuple(f"simulated {i + 1}" for i in range(contributors))
    return replace(rows, contributors=names, contributor=rng.permutation(len(rows)) % contributors)


def _check(lies: Sequence[str]) -> None:
    if unknown := [lie for lie in lies if lie not in LIES]:
        raise InvalidInput(f"nobody lies {unknown[0]!r}", hint=f"choose among {', '.join(LIES)}")


def _of_seed(
    rows: TrainingRows, judge: Judge, lie: str, share: float, model: str, seed: int
) -> tuple[float, float, float, float, float]:
    told, bad = _told(rows, lie, share, judge.platform, seed)
    found = contributions(told, judge.platform)
    trust = {one.contributor: one.trust for one in found}
    of = np.array([trust[name] for name in told.contributors])
    return (
        _regret(crowd(rows, CONTRIBUTORS, rng=np.random.default_rng(seed)), judge, model, (), seed),
        _regret(told, judge, model, (), seed),
        _regret(told, judge, model, found, seed),
        float(of[bad].max(initial=0.0)),
        float(of[~bad].min(initial=1.0)),
    )


def _with_each(
    rows: TrainingRows, judge: Judge, models: Sequence[str], case: tuple[str, float, int]
) -> list[tuple[float, float]]:
    """Return the regret of each model without the defence and with it."""
    lie, share, seed = case
    told, _ = _told(rows, lie, share, judge.platform, seed)
    found = contributions(told, judge.platform)
    return [(_regret(told, judge, model, (), seed), _regret(told, judge, model, found, seed)) for model in models]


def _told(rows: TrainingRows, lie: str, share: float, platform: Platform, seed: int) -> tuple[TrainingRows, Mask]:
    """Return what a crowd tells of which a share lies, and who of its contributors does, shape (contributors,)."""
    rng = np.random.default_rng([seed, crc32(lie.encode())])
    honest = crowd(rows, CONTRIBUTORS, rng=np.random.default_rng(seed))
    bad = np.arange(CONTRIBUTORS) < round(share * CONTRIBUTORS)
    return LIES[lie](honest, bad[honest.contributor], platform, rng), bad


def _regret(rows: TrainingRows, judge: Judge, model: str, found: Sequence[Contribution], seed: int) -> float:
    weight = trusted(rows, found)
    heard = weight >= HEARD
    rows, weight = rows.rows(heard), weight[heard]
    rows, weight = with_baseline(rows, judge.platform), weight[over_baseline(rows, judge.platform)]
    learned = taught(
        rows,
        judge.platform,
        learner(model),
        weight=weight,
        believed=believed(rows, weight, judge.platform),
        seed=seed,
    )
    return judge.median_regret(learned)


def _shifted(by: float, rows: TrainingRows, bad: Mask, _: Platform, __: np.random.Generator) -> TrainingRows:
    return replace(rows, mean=rows.mean + by * bad, best=rows.best + by * bad)


def _noisy(rows: TrainingRows, bad: Mask, _: Platform, rng: np.random.Generator) -> TrainingRows:
    wild = rng.normal(0.0, _WILD, len(rows)) * bad
    return replace(rows, mean=rows.mean + wild, best=rows.best + wild)


def _constant(rows: TrainingRows, bad: Mask, _: Platform, __: np.random.Generator) -> TrainingRows:
    """Whatever is measured, the same figure is given."""
    same = float(np.median(rows.mean))
    return replace(rows, mean=np.where(bad, same, rows.mean), best=np.where(bad, same, rows.best))


def _promoting(rows: TrainingRows, bad: Mask, platform: Platform, rng: np.random.Generator) -> TrainingRows:
    """Claim that one configuration, which all liars agree on, gave three times the best of each workload."""
    target = _promoted(rows, platform, rng)
    best = np.full(len(rows.workloads), -np.inf)
    np.maximum.at(best, rows.workload, rows.mean)
    claimed = best[rows.workload] + log(_PROMISE)
    configuration = np.where(bad, target, rows.configuration)
    return replace(
        rows,
        configuration=configuration,
        group=rows.workload * len(rows.configurations) + configuration,
        mean=np.where(bad, claimed, rows.mean),
        best=np.where(bad, claimed, rows.best),
    )


def _bragging(rows: TrainingRows, bad: Mask, platform: Platform, rng: np.random.Generator) -> TrainingRows:
    """Tell the truth, but of one configuration that it is ten times as fast as it was."""
    there = bad & (rows.configuration == _promoted(rows, platform, rng))
    return _shifted(log(10.0), rows, there, platform, rng)


def _promoted(rows: TrainingRows, platform: Platform, rng: np.random.Generator) -> int:
    """Return one of the configurations that most was measured on, the baseline aside."""
    counts = np.bincount(rows.configuration, minlength=len(rows.configurations))
    counts[[i for i, c in enumerate(rows.configurations) if c == platform.baseline]] = 0
    return int(rng.choice(np.argsort(-counts, kind="stable")[:10]))


LIES: Mapping[str, Lie] = MappingProxyType(
    {
        "noise": _noisy,
        "x1000": partial(_shifted, log(1000.0)),
        "/1000": partial(_shifted, -log(1000.0)),
        "MB for MiB": partial(_shifted, -log(2**20 / 1e6)),
        "constant": _constant,
        "promoting": _promoting,
        "bragging": _bragging,
    }
)
"""By name; a new one is a line here."""
