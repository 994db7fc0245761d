"""Runs of the baseline configuration, and over which of them a measurement is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from acic.store.training import Floats, Integers, TrainingRows

DAY = 86_400.0  # s; by how much later or earlier than the nearest run another one still tells of the same conditions
AGREE = 0.1  # of the logarithm; runs that lie no farther apart tell of the same conditions on any day


@dataclass(frozen=True)
class Readings:
    """Runs of the baseline configuration, arrays of shape (readings,) each.

    Args:
        workload: of which workload each is, a position.
        mean, spread, repetitions, time, behind: as those of `TrainingRows`.
        contributor: who measured it, by name.
    """

    workload: Integers
    mean: Floats
    spread: Floats
    repetitions: Integers
    time: Floats
    behind: Integers
    contributor: NDArray[np.str_]

    @classmethod
    def of(cls, rows: TrainingRows) -> tuple[Self, Integers]:
        """Return the rows as readings, and which of the rows' workloads their positions are, shape (workloads,)."""
        used, workload = np.unique(rows.workload, return_inverse=True)
        return cls(
            workload=workload.astype(np.int64),
            mean=rows.mean,
            spread=rows.spread,
            repetitions=rows.repetitions,
            time=rows.time,
            behind=rows.behind,
            contributor=_names(rows),
        ), used

    @classmethod
    def none(cls) -> Self:
        """Return no readings."""
        empty, whole = np.empty(0), np.empty(0, dtype=np.int64)
        return cls(whole, empty, empty, whole, empty, whole, np.empty(0, dtype=np.str_))

    def newest(self, workload: int) -> Integers:
        """Return those of `workload` that were made at the newest revision of the platform there is of them."""
        mine = self._of[workload]
        return np.asarray(mine[self.behind[mine] == self.behind[mine].min()])

    def level(self, these: Integers) -> tuple[float, float]:
        """Return the median of their means, and its standard error (inf where nothing was ever repeated)."""
        return float(np.median(self.mean[these])), self._standard_error(these)

    def beside(self, rows: TrainingRows, mine: Integers, workload: int) -> Floats:
        """Return the `level` of what is `comparable` with each of some rows, shape (mine, 2).

        Args:
            rows: measurements.
            mine: positions of those asked for, all of one workload.
            workload: its position here.
        """
        of = self._of[workload]
        if self._alike(of):
            return np.tile(self.level(of), (len(mine), 1))
        names, known = _names(rows)[mine], dict[bytes, tuple[float, float]]()
        found = np.empty((len(mine), 2))
        for place, (row, name) in enumerate(zip(mine, names, strict=True)):
            these = self.comparable(of, int(rows.behind[row]), str(name), float(rows.time[row]))
            key = these.tobytes()
            if key not in known:
                known[key] = self.level(these)
            found[place] = known[key]
        return found

    def comparable(self, these: Integers, behind: int, contributor: str, time: float) -> Integers:
        """Return which of `these` a measurement is told over: those made under the conditions most like its own.

        They are of the nearest revision of the platform, of the same contributor where there are any, and where
        these disagree within a day of the one nearest in time: a file system upgraded, another cluster, or a busy week
        is no improvement.
        """
        apart = np.abs(self.behind[these] - behind)
        these = these[apart == apart.min()]
        own = self.contributor[these] == contributor
        these = these[own] if own.any() else these
        if self._agree(these):
            return these
        late = np.abs(self.time[these] - time)
        return np.asarray(these[late <= late.min() + DAY])

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the fields by name, each with `prefix` before it."""
        return {prefix + field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def restore(cls, arrays: Mapping[str, Any], prefix: str) -> Self:
        """Return the readings whose `arrays(prefix)` these are."""
        return cls(**{field.name: arrays[prefix + field.name] for field in fields(cls)})

    @cached_property
    def _of(self) -> list[Integers]:
        """Positions of the readings of each workload."""
        count = int(self.workload.max(initial=-1)) + 1
        order = np.argsort(self.workload, kind="stable")
        return np.split(order, np.searchsorted(self.workload[order], np.arange(1, count))) if count else []

    @cached_property
    def _usual(self) -> float:
        return _pooled_spread(self.spread)

    def _alike(self, these: Integers) -> bool:
        """Return whether all are comparable with whatever is."""
        one_of = (len(np.unique(each[these])) == 1 for each in (self.behind, self.contributor))
        return all(one_of) and (self._agree(these) or float(np.ptp(self.time[these])) <= DAY)

    def _agree(self, these: Integers) -> bool:
        return float(np.ptp(self.mean[these])) <= AGREE

    def _standard_error(self, these: Integers) -> float:
        """Return the error of several runs' common mean: of repetitions, or of the runs among each other if worse."""
        repetitions = self.repetitions[these].sum()
        own = self.spread[these]
        spread = _pooled_spread(own) if np.isfinite(own).any() and repetitions > 2 else self._usual
        within = float(spread / math.sqrt(repetitions))
        if len(these) < 2:
            return within
        among = float(np.std(self.mean[these], ddof=1)) / math.sqrt(len(these))
        return among if math.isinf(within) else max(within, among)  # where nothing was repeated, that alone tells it


def _names(rows: TrainingRows) -> NDArray[np.str_]:
    """Return the contributor of each row by name."""
    return np.array(rows.contributors, dtype=np.str_)[rows.contributor]


def _pooled_spread(spread: Floats) -> float:
    """Return the usual spread of repetitions; inf if nothing was ever repeated."""
    repeated = spread[np.isfinite(spread)]
    return float(np.sqrt((repeated**2).mean())) if len(repeated) else math.inf
