"""Gaussian process: smooth functions of all columns, with an uncertainty that grows away from what was measured.

The kernel is Matern 5/2 on standardised columns; length and noise are those of the largest marginal likelihood on a
small grid. Time grows with the third power of the rows and memory with the second, so it stops scaling at some
thousands: above `rows`, that many are drawn.

Source: Rasmussen & Williams, "Gaussian processes for machine learning", 2006, algorithm 2.1 and section 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.ensemble import contributions_in_words
from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.words import Describe, plain

LENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0)  # in standard deviations
NOISES = (1e-3, 1e-2, 0.1, 0.3, 1.0)  # variance of a run of mean weight, as part of the signal's
_CHUNK = 256  # rows predicted at once
_FIELDS = ("columns", "centre", "scale", "x", "alpha", "root", "start", "size", "length", "noise")


@dataclass(frozen=True)
class GaussianPredictor:
    """A fitted process.

    Args:
        columns: names.
        centre: of each column, shape (columns,).
        scale: one over its deviation, 0 where it does not vary, shape (columns,).
        x: standardised training rows, shape (runs, columns).
        alpha: weights of the kernel, shape (runs,).
        root: inverse of the lower Cholesky factor of kernel and noise, shape (runs, runs).
        start: mean.
        size: standard deviation of the signal.
        length: of the kernel.
        noise: variance of a run of mean weight, as part of the signal's.
    """

    columns: tuple[str, ...]
    centre: Floats
    scale: Floats
    x: Floats
    alpha: Floats
    root: Floats
    start: float
    size: float
    length: float
    noise: float

    name = "gaussian"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.flatnonzero(self.scale)

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        mean, spread = np.empty((2, len(x)))
        z = (x - self.centre) * self.scale
        for first in range(0, len(x), _CHUNK):
            part = slice(first, first + _CHUNK)
            near = kernel(z[part], self.x, self.length)
            known = ((near @ self.root.T) ** 2).sum(axis=1)
            mean[part] = self.start + near @ self.alpha
            spread[part] = self.size * np.sqrt(np.maximum(1.0 - known, 0.0) + self.noise)
        return Prediction(mean, spread)

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return what would change if each parameter were as in the average run, largest first."""
        alone = np.tile(x, (len(self.columns), 1))
        np.fill_diagonal(alone, self.centre)
        moved = self.predict(x[None, :]).mean[0] - self.predict(alone).mean
        return contributions_in_words(moved, self.columns, x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {name: np.array(getattr(self, name)) for name in _FIELDS}


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A Gaussian process.

    Args:
        rows: the most that it is fitted to; above, that many are drawn.
    """

    rows: int = 1500

    name = "gaussian"
    version = 2
    about = "Gaussian process: smooth, tells best what it does not know; at most 1,500 runs"

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> GaussianPredictor:
        """Return the process of the length and noise that make the data likeliest."""
        if len(data) > self.rows:
            data = data.rows(np.sort(rng.choice(len(data), self.rows, replace=False)))
        weight = data.weight / data.weight.mean()
        start = float(np.average(data.y, weights=weight))
        # not by weight: how far figures and columns reach is no matter of trust, and heavy rows may be all alike
        size = float(np.sqrt(np.mean((data.y - start) ** 2)))
        centre = data.x.mean(axis=0)
        deviation = data.x.std(axis=0)
        scale = np.where(np.ptp(data.x, axis=0) > 0, 1.0 / np.where(deviation > 0, deviation, 1.0), 0.0)
        z, y = (data.x - centre) * scale, (data.y - start) / (size or 1.0)
        length, noise = self._likeliest(z, y, weight)
        root = np.linalg.inv(np.linalg.cholesky(_noisy(kernel(z, z, length), noise, weight)))
        alpha = size * (root.T @ (root @ y))
        return GaussianPredictor(data.columns, centre, scale, z, alpha, root, start, size, length, noise)

    def restore(self, arrays: Arrays) -> GaussianPredictor:
        """Return the predictor whose `arrays()` these are."""
        return GaussianPredictor(
            columns=tuple(arrays["columns"].tolist()),
            centre=arrays["centre"],
            scale=arrays["scale"],
            x=arrays["x"],
            alpha=arrays["alpha"],
            root=arrays["root"],
            start=float(arrays["start"]),
            size=float(arrays["size"]),
            length=float(arrays["length"]),
            noise=float(arrays["noise"]),
        )

    def _likeliest(self, z: Floats, y: Floats, weight: Floats) -> tuple[float, float]:
        """Return the length and noise of the largest marginal likelihood."""
        from scipy.linalg import cho_factor, solve_triangular

        found = []
        for length in LENGTHS:
            near = kernel(z, z, length)
            for noise in NOISES:
                # in its place, and with anything above the diagonal: half the time of numpy's
                lower, _ = cho_factor(_noisy(near, noise, weight).T, lower=True, overwrite_a=True, check_finite=False)
                left = solve_triangular(lower, y, lower=True, check_finite=False)
                likelihood = -0.5 * float(left @ left) - float(np.log(np.diag(lower)).sum())
                found.append((likelihood, length, noise))
        return max(found)[1:]


def kernel(a: Floats, b: Floats, length: float) -> Floats:
    """Return the Matern 5/2 kernel between standardised rows, shape (rows of a, rows of b)."""
    square = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
    far = np.sqrt(5.0 * np.maximum(square, 0.0)) / length
    return np.asarray((1.0 + far + far**2 / 3.0) * np.exp(-far))


def _noisy(near: Floats, noise: float, weight: Floats) -> Floats:
    """Return the kernel of the rows plus the noise of each: runs that are trusted less are noisier."""
    found = near.copy()
    np.einsum("ii->i", found)[:] += noise / weight
    return found
