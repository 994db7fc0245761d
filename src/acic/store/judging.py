"""Whom to believe: from what rows of others, which are taken to be alike, say about a contributor's.

A Gaussian process predicts every row of a contributor from the rows of all others. What it misses is compared with
what it can know: where nobody else measured anything alike, anything may be true, and errors count less. Whoever misses
by far more than contributors usually do weighs less, and then says less about the others; that is repeated until it
settles. So does whoever gives much the same figure where the others' vary.

It holds while the larger part of the contributors is honest, each speaks for itself, and they measured comparable
things. One who measured what nobody else did cannot be judged, and is believed. Of two, nobody can tell who is right.

Source: leaving out groups in closed form: Rasmussen & Williams, "Gaussian Processes for Machine Learning", 2006,
section 5.4.2; weights that follow residuals: Huber, "Robust statistics", 1981, chapter 7; for whole sources in place of
rows: Li et al., "Resolving conflicts in heterogeneous data by truth discovery", SIGMOD 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acic.store.training import Floats, Integers

FLOOR = 0.01  # of trust: a weight has to stay positive
_ROUNDS = 12
_CAP = 25.0  # a row that is missed by five deviations or by a thousand counts the same: anybody has a few
_USUAL = 2.5  # times the usual contributor's mean square: as much is still within honest reach
_STEEP = 4.0  # how fast trust falls beyond it
_SHRINK = 4.0  # rows of a usual contributor that each one is taken to have besides
_TAIL = 4.0  # degrees of freedom: single rows that are far off count less while others are judged by them
_NOISE = 0.03  # variance, in parts of the data's own: what nothing tells
_SHIFT = 4.0  # variance of a contributor's own factor, in parts of the data's own: units are mistaken by thousands
_CONTRADICTED, _CONFIRMED = 3.0, 1.5  # more deviations than the one, fewer than the other
_FLAT = 0.3  # of the spread that the others let expect: whose figures vary by less has hardly measured
_VARIES, _FEW = 0.5, 5  # deviations of all rows that have to be expected, and rows, before anybody is told by that
_TOLD = 0.3  # of the variance that others have to explain for errors to count in full: 0.4 or more where all compare
_LEAST = 1e-9  # of a scale
_NORMAL = 0.6745  # median of a standard normal variable's size


def judged(
    alike: Floats, y: Floats, contributor: Integers, configuration: Integers, contributors: int
) -> tuple[Floats, Floats]:
    """Return trust and factor of each contributor, each of shape (contributors,).

    Args:
        alike: prior covariance of the rows, in any unit, shape (rows, rows).
        y: natural logarithm of bandwidth, shape (rows,).
        contributor: of each row, 0 to contributors - 1, shape (rows,).
        configuration: of each row, any numbers, shape (rows,).
        contributors: how many; one without rows is believed.
    """
    blocks = [np.flatnonzero(contributor == one) for one in range(contributors)]
    centred = y - np.median(y)
    scale = float(np.median(np.abs(centred))) / _NORMAL
    if scale < _LEAST:  # one figure is more than half of all: somebody's who has most of the rows, perhaps
        scale = float(np.std(y))
    trust, tail = np.ones(contributors), np.ones(len(y))
    if scale < _LEAST:
        return trust, np.ones(contributors)
    centred = centred / scale
    trust = _unshifted(alike, centred, contributor, blocks)
    for _ in range(_ROUNDS):
        evidence = Evidence(alike, centred, _NOISE / (trust[contributor] * tail), blocks)
        missed, z = evidence.without()
        usual = float(np.median([np.median(np.abs(z[rows])) for rows in blocks if len(rows)])) / _NORMAL
        usual = max(usual, 1.0)  # where all miss by less, what is far is still not more than unusual
        z = _settled(z / usual, usual, evidence, contributor, configuration)
        before, trust = trust, np.minimum(_trust(z, blocks), _varied(centred, centred - missed, blocks))
        tail = (_TAIL + 1.0) / (_TAIL + np.maximum(z**2, 1.0))
        if np.allclose(before, trust, rtol=0.0, atol=1e-3):
            break
    return trust, np.array([np.exp(scale * np.median(missed[rows])) if len(rows) else 1.0 for rows in blocks])


class Evidence:
    """What rows say about others that are left out.

    Args:
        alike: prior covariance, shape (rows, rows).
        y: what they say, shape (rows,).
        noise: variance of each, shape (rows,).
        blocks: the rows of each contributor.
    """

    def __init__(self, alike: Floats, y: Floats, noise: Floats, blocks: Sequence[NDArray[np.intp]]) -> None:
        self._noise = noise
        self._prior = alike.diagonal()
        self._inverse = np.linalg.inv(alike + np.diag(noise))
        self._half = self._inverse @ y
        self._blocks = blocks
        self._own = [np.linalg.inv(self._inverse[np.ix_(rows, rows)]) for rows in blocks]

    def without(self) -> tuple[Floats, Floats]:
        """Return what each row lies above what all rows of other contributors say, shape (rows,).

        Plainly, and in deviations of a row that would be believed; in fewer where others tell next to nothing.
        """
        missed, z = np.zeros(len(self._half)), np.zeros(len(self._half))
        for rows, own in zip(self._blocks, self._own, strict=True):
            missed[rows] = own @ self._half[rows]
            z[rows] = self._deviations(missed[rows], np.diag(own), rows)
        return missed, z

    def without_more(self, contributor: int, among: NDArray[np.bool_]) -> Floats:
        """Return the deviations of a contributor's rows `among` some that are left out of the others' too.

        Args:
            contributor: whose rows.
            among: whether a row is one of those, shape (rows,).
        """
        rows, own = self._blocks[contributor], self._own[contributor]
        more = among.copy()
        more[rows] = False
        others, looked = np.flatnonzero(more), among[rows]
        # By the others' few rows, beyond what is inverted already: to invert all anew takes some ten times as long.
        across = own @ self._inverse[np.ix_(rows, others)]
        rest = self._inverse[np.ix_(others, others)] - self._inverse[np.ix_(others, rows)] @ across
        change = np.linalg.solve(rest, across[looked].T).T
        missed = own[looked] @ self._half[rows] + change @ (across.T @ self._half[rows] - self._half[others])
        return self._deviations(missed, np.diag(own)[looked] + (change * across[looked]).sum(axis=1), rows[looked])

    def _deviations(self, missed: Floats, variance: Floats, rows: NDArray[np.intp]) -> Floats:
        # What nobody else tells anything of has the prior's variance: the spread of what the others measured, which
        # need not hold there; and all rows of such a group are off by the same.
        unknown = np.maximum(variance - self._noise[rows], 0.0)
        told = np.clip((1.0 - unknown / self._prior[rows]) / _TOLD, 0.0, 1.0)
        return np.asarray(told * missed / np.sqrt(unknown + _NOISE))


def _unshifted(alike: Floats, y: Floats, contributor: Integers, blocks: Sequence[NDArray[np.intp]]) -> Floats:
    """Return a first trust: less for those who lie above or below most others by a factor of their own."""
    same = _SHIFT * (contributor[:, None] == contributor)
    half = np.linalg.solve(alike + same + _NOISE * np.eye(len(y)), y)
    shift = _SHIFT * np.array([half[rows].sum() for rows in blocks])
    present = shift[[len(rows) > 0 for rows in blocks]]
    off = np.abs(shift - np.median(present))
    usual = max(float(np.median(off[[len(rows) > 0 for rows in blocks]])) / _NORMAL, np.sqrt(_NOISE))
    return np.asarray(np.clip((_USUAL * usual / np.maximum(off, _USUAL * usual)) ** _STEEP, FLOOR, 1.0))


def _settled(z: Floats, usual: float, evidence: Evidence, contributor: Integers, configuration: Integers) -> Floats:
    """Return the deviations, those on a disputed configuration by what other configurations let expect.

    Disputed is one where somebody is contradicted by the others who measured it, and confirmed by all that was measured
    elsewhere: several who agree to praise a configuration are not right because they are many.
    """
    made = z.copy()
    contradicted = np.abs(z) > _CONTRADICTED
    for disputed in np.unique(configuration[contradicted]):
        there = configuration == disputed
        elsewhere = np.zeros(len(z))
        for one in np.unique(contributor[there]):
            elsewhere[there & (contributor == one)] = evidence.without_more(one, there) / usual
        if (contradicted[there] & (np.abs(elsewhere[there]) < _CONFIRMED)).any():
            made[there] = elsewhere[there]
    return made


def _trust(z: Floats, blocks: Sequence[NDArray[np.intp]]) -> Floats:
    square = np.minimum(z**2, _CAP)
    sums = np.array([square[rows].sum() for rows in blocks])
    counts = np.array([len(rows) for rows in blocks])
    usual = float(np.median([square[rows].mean() for rows in blocks if len(rows)]))
    excess = (sums / max(usual, 1.0) + _SHRINK) / (counts + _SHRINK)
    return np.asarray(np.clip((_USUAL / np.maximum(excess, _USUAL)) ** _STEEP, FLOOR, 1.0))


def _varied(y: Floats, expected: Floats, blocks: Sequence[NDArray[np.intp]]) -> Floats:
    """Return a trust that is little where figures are all alike though what was measured is not.

    Such figures lie in the middle of all others, so that none of them is far from what it should be.
    """
    trust = np.ones(len(blocks))
    for i, rows in enumerate(blocks):
        if len(rows) >= _FEW and (spread := float(np.std(expected[rows]))) > _VARIES:
            trust[i] = np.clip((np.std(y[rows]) / (_FLAT * spread)) ** _STEEP, FLOOR, 1.0)
    return trust
