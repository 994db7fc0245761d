"""What a survey measures, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        passes: how often each is run on each, at most.
        seed: of the order of applications, anew in each pass and on each configuration.
        points: positions of a configuration and an application, and how often they meet, 1 to `passes`; None where all
            meet all in each pass.
        first: the first pass's number, where passes were made before.
    """

    configurations: tuple[Configuration, ...]
    kernels: tuple[Kernel, ...]
    passes: int
    seed: int
    points: Mapping[tuple[int, int], int] | None = None
    first: int = 0

    @property
    def runs(self) -> int:
        """How many there are in all."""
        if self.points is None:
            return len(self.configurations) * len(self.kernels) * self.passes
        return sum(self.points.values())

    def groups(self) -> Iterator[tuple[int, Configuration, list[Kernel]]]:
        """Yield each pass's configurations, each with the applications in the order that they are run in."""
        for made in range(self.passes):
            number = self.first + made
            for position, configuration in enumerate(self.configurations):
                order = np.random.default_rng([self.seed, number, position]).permutation(len(self.kernels))
                wanted = [i for i in order if self.points is None or self.points.get((position, i), 0) > made]
                yield number, configuration, [self.kernels[i] for i in wanted]
