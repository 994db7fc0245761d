"""What a survey measures, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from acic.benchmarks.kernels import Kernel
from acic.space import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a survey measures.

    Args:
        configurations: in their order; every beginning is balanced.
        kernels: the applications.
        passes: how often each is run on each.
        seed: of the order of applications, anew in each pass and on each configuration.
        points: positions of a configuration and an application, where not all are to meet all.
        first: the first pass's number, where passes were made before.
    """

    configurations: tuple[Configuration, ...]
    kernels: tuple[Kernel, ...]
    passes: int
    seed: int
    points: frozenset[tuple[int, int]] | None = None
    first: int = 0

    @property
    def runs(self) -> int:
        """How many there are in all."""
        points = len(self.configurations) * len(self.kernels) if self.points is None else len(self.points)
        return points * self.passes

    def groups(self) -> Iterator[tuple[int, Configuration, list[Kernel]]]:
        """Yield each pass's configurations, each with the applications in the order that they are run in."""
        for number in range(self.first, self.first + self.passes):
            for position, configuration in enumerate(self.configurations):
                order = np.random.default_rng([self.seed, number, position]).permutation(len(self.kernels))
                wanted = [i for i in order if self.points is None or (position, i) in self.points]
                yield number, configuration, [self.kernels[i] for i in wanted]
