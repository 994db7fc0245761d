"""Forward selection: the few terms, of many, that explain a response by least squares.

Greedy: from the constant on, the term is added that lowers the squared error most, given those already
in. Forward steps go on past the best model, because in a correlated basis the first picks are often
stand-ins; afterwards terms are dropped, one by one, as long as that lowers the criterion, so that
stand-ins go once the true terms are in.

The criterion is the extended BIC: n log(RSS / n) + k (log n + 2 log P) for k terms chosen out of P. AICc
and adjusted R2 charge a term as if it had been the only candidate, and the best of 81 would often get in by chance.

Source: Chen & Chen, "Extended Bayesian information criteria", Biometrika 95(3), 2008 (gamma = 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COLLINEAR = 1e-11  # share of a column's own length that must be left beside the chosen ones
EXACT = 1e-20  # of the response's own square sum: below this the fit is exact and only fewer terms are better


def forward_selection(terms: Floats, y: Floats, weight: Floats, *, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the chosen columns of `terms`, ascending, and their least-squares coefficients.

    Args:
        terms: candidates, the constant first, shape (rows, candidates).
        y: response, shape (rows,).
        weight: of the rows, > 0, shape (rows,).
        most: terms to stop at on the way forward, the constant included.
    """
    root = np.sqrt(weight / weight.mean())
    length = np.sqrt(((terms * root[:, None]) ** 2).sum(axis=0))
    scaled = terms * root[:, None] / np.where(length > 0, length, 1.0)
    target = y * root
    criterion = _Criterion(scaled, target)
    chosen = _forward(scaled, target, min(most, len(y) - 1), criterion)
    chosen = np.sort(_backward(chosen, criterion))
    coefficients = np.linalg.lstsq(scaled[:, chosen], target, rcond=None)[0] / length[chosen]
    return chosen, coefficients


class _Criterion:
    """The extended BIC of a set of columns."""

    def __init__(self, scaled: Floats, target: Floats) -> None:
        self.scaled, self.target = scaled, target
        self.rows, candidates = scaled.shape
        self.price = np.log(self.rows) + 2.0 * np.log(candidates)
        self.floor = max(EXACT * float(target @ target), np.finfo(float).tiny)

    def of(self, chosen: NDArray[np.int64]) -> float:
        """Return the criterion; smaller is better."""
        basis, _ = np.linalg.qr(self.scaled[:, chosen])
        left = self.target - basis @ (basis.T @ self.target)
        return self.value(float(left @ left), len(chosen))

    def value(self, rss: float, count: int) -> float:
        """Return the criterion of a residual sum of squares."""
        return float(self.rows * np.log(max(rss, self.floor) / self.rows) + count * self.price)


def _forward(scaled: Floats, target: Floats, most: int, criterion: _Criterion) -> NDArray[np.int64]:
    """Return the columns of the best model on the way forward, up to the first that fits exactly."""
    chosen = [0]
    rest, room = scaled.copy(), np.empty_like(scaled)  # made once: fresh memory of this size takes longer than the sums
    left = _project(rest, target, scaled[:, 0], room)
    path = [criterion.value(float(left @ left), 1)]
    while len(chosen) < most and float(left @ left) > criterion.floor:
        length = np.square(rest, out=room).sum(axis=0)
        usable = length > COLLINEAR
        usable[chosen] = False
        if not usable.any():
            break
        gain = np.where(usable, (left @ rest) ** 2 / np.where(usable, length, 1.0), -1.0)
        best = int(gain.argmax())
        chosen.append(best)
        left = _project(rest, left, rest[:, best], room)
        path.append(criterion.value(float(left @ left), len(chosen)))
    return np.array(chosen[: int(np.argmin(path)) + 1], dtype=np.int64)


def _project(rest: Floats, left: Floats, direction: Floats, room: Floats) -> Floats:
    """Return the residual with `direction` projected out of it, as it is out of `rest`, in its place and in `room`.

    Twice, against rounding.
    """
    unit = direction / np.sqrt(direction @ direction)
    for _ in range(2):
        left = left - unit * (unit @ left)
        np.subtract(rest, np.multiply(unit[:, None], unit @ rest, out=room), out=rest)
    return left


def _backward(chosen: NDArray[np.int64], criterion: _Criterion) -> NDArray[np.int64]:
    """Return what is left of the chosen after every removal, one by one, that lowers the criterion."""
    now = criterion.of(chosen)
    while len(chosen) > 1:
        without = [np.delete(chosen, place) for place in range(1, len(chosen))]  # the constant stays
        values = [criterion.of(fewer) for fewer in without]
        best = int(np.argmin(values))
        if values[best] > now:
            break
        chosen, now = without[best], values[best]
    return chosen
