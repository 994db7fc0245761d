"""How often a point is run: until its median is known well enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acic.campaign.student import student

_PRIOR_FREEDOM = 4  # the campaign's usual noise counts as this many runs' worth of knowledge
_PRIOR_NOISE = 0.1  # of the logarithm, before anything was repeated
_MEDIAN = math.sqrt(math.pi / 2)  # its standard error over the mean's, of a normal sample
_MOST = 0.9  # of searches among what is all alike, in which the best gains no more than `luck`


@dataclass(frozen=True, slots=True)
class Repeats:
    """When a point has been run often enough.

    Args:
        fewest: runs at least.
        most: runs at most.
        precision: half the width of the 80 % interval of the median, as a part of it, that is narrow enough.
    """

    fewest: int = 1
    most: int = 5
    precision: float = 0.05

    def enough(self, bandwidths: Sequence[float], noise: float) -> bool:
        """Return whether no more runs are needed.

        Args:
            bandwidths: what the good runs gave, B/s.
            noise: the usual standard deviation of the logarithm in this campaign (`UsualNoise`).
        """
        if len(bandwidths) < self.fewest:
            return False
        return len(bandwidths) >= self.most or half_width(bandwidths, noise) <= self.precision


def half_width(bandwidths: Sequence[float], noise: float, *, of_mean: bool = False) -> float:
    """Return half the width of the 80 % interval of the median, or of the geometric mean, relative to it.

    The point's own spread and the campaign's usual one are pooled by their degrees of freedom, because two runs that
    happen to agree say little.
    """
    count = len(bandwidths)
    if not count:
        return math.inf
    logs = np.log(np.maximum(np.asarray(bandwidths, dtype=float), 1e-300))
    own = float(((logs - logs.mean()) ** 2).sum())
    freedom = _PRIOR_FREEDOM + count - 1
    sigma = math.sqrt((_PRIOR_FREEDOM * noise**2 + own) / freedom)
    factor = _MEDIAN if count > 2 and not of_mean else 1.0  # the median of one or two is their mean
    return math.expm1(student(freedom) * factor * sigma / math.sqrt(count))


class UsualNoise:
    """The pooled standard deviation of the logarithm among repetitions of the same point."""

    def __init__(self) -> None:
        self._squares = _PRIOR_FREEDOM * _PRIOR_NOISE**2
        self._freedom = _PRIOR_FREEDOM

    @property
    def value(self) -> float:
        """The standard deviation."""
        return math.sqrt(self._squares / self._freedom)

    @property
    def freedom(self) -> int:
        """The degrees of freedom that it is known with."""
        return self._freedom

    def learn(self, bandwidths: Sequence[float]) -> None:
        """Take in the repetitions of one more point, B/s."""
        if len(bandwidths) > 1 and min(bandwidths) > 0:
            logs = np.log(np.asarray(bandwidths, dtype=float))
            self._squares += float(((logs - logs.mean()) ** 2).sum())
            self._freedom += len(bandwidths) - 1


def luck(noise: UsualNoise, runs: Sequence[int], others: int) -> float:
    """Return the most that the best of a search gains over its baseline where all are alike, in 9 of 10 such searches.

    Any of the others may be the best by luck, so the more there are, and the fewer their runs, the more that is.

    Args:
        noise: of the campaign.
        runs: good ones behind the medians of the best and of the baseline.
        others: configurations that the best was chosen from, the baseline aside.

    Returns:
        A part: 0.2 stands for 1.2 times as fast.

    Source: Sidak, Journal of the American Statistical Association 62(318), 1967, for the best of several.
    """
    deviation = noise.value * math.sqrt(sum((_MEDIAN**2 if count > 2 else 1.0) / count for count in runs))
    return math.expm1(student(noise.freedom, _MOST ** (1.0 / others)) * deviation)
