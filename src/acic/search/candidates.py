"""Every valid configuration of a space, as positions: known, drawn and scored without a Python loop over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from acic.space import Configuration, Space

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CHUNK = 65_536  # rows encoded and predicted at a time: some tens of MB, whatever the space


class Candidates:
    """The valid configurations of a space, with the listed values.

    Raises:
        InvalidInput: there are too many to list.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.points = space.enumerate()
        sizes = [len(p.values) + 1 for p in space.parameters]  # one more: it may not apply
        self._radix = np.cumprod([1, *sizes[:-1]], dtype=np.int64)
        self._codes = np.zeros(len(self.points), dtype=np.int64)
        for column, radix in enumerate(self._radix):  # column by column: the points stay bytes
            self._codes += (self.points[:, column].astype(np.int64) + 1) * radix

    def __len__(self) -> int:
        return len(self.points)

    def configurations(self, rows: Integers) -> list[Configuration]:
        """Return what the rows of `points` stand for."""
        return [self.space.configuration(self.points[row]) for row in rows]

    def unknown(self, known: Iterable[Configuration]) -> NDArray[np.bool_]:
        """Return which rows of `points` are none of `known`, shape (points,)."""
        listed = [one for one in known if self._is_listed(one)]
        points = np.array([self.space.point(one) for one in listed], dtype=np.int64).reshape(-1, len(self._radix))
        return ~np.isin(self._codes, (points + 1) @ self._radix)

    def predict(self, predict: Callable[[NDArray[np.int8]], Floats]) -> Floats:
        """Return what `predict` makes of the points, a chunk at a time, shape (points,)."""
        out = np.empty(len(self))
        for begin in range(0, len(self), CHUNK):
            out[begin : begin + CHUNK] = predict(self.points[begin : begin + CHUNK])
        return out

    def _is_listed(self, configuration: Configuration) -> bool:
        return all(value in self.space[name].values for name, value in configuration.items())


def first(values: Floats, count: int, *, rng: np.random.Generator) -> Integers:
    """Return the positions of the `count` least values, the least first; of those that tie, any."""
    shuffled = rng.permutation(len(values))
    return shuffled[np.argsort(values[shuffled], kind="stable")[:count]]
