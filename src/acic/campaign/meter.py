"""Measuring a whole application by its replica: every phase of it on one configuration after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from acic.campaign.controller import Controller
from acic.campaign.points import WORKLOAD, Field, Rows
from acic.campaign.searched import runs_of
from acic.campaign.state import Progress
from acic.space import Configuration, Value
from acic.store.measurement import Outcome
from acic.workloads import Characteristics


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What measuring an application's replica on one configuration gave.

    Args:
        configuration: which.
        seconds: of I/O by the median of the runs, all phases together; None if a phase failed.
        phases: the same for each phase.
        spent: s of wall time that it took to find out; dollars: USD.
        outcome: the worst of any run.
        note: the error, "" if there was none.
        failed: the error of a run that failed and was made again, "" if there was none.
        differ: how much longer the slowest runs took than the fastest, 0.2 is 20 %; None where a phase ran once.
        runs: good ones, of the phase that has fewest.
    """

    configuration: Configuration
    seconds: float | None
    phases: tuple[float | None, ...]
    spent: float
    dollars: float
    outcome: Outcome
    note: str = ""
    failed: str = ""
    differ: float | None = None
    runs: int = 0


class Meter:
    """Measures phases on configurations through a controller that is at work.

    Args:
        controller: of a campaign whose field has all of the phases.
        field: that field.
    """

    def __init__(self, controller: Controller, field: Field) -> None:
        self._controller = controller
        self._field = field

    def read(self, configurations: Sequence[Mapping[str, Value]], phases: Sequence[Characteristics]) -> list[Reading]:
        """Return a reading for each configuration, in order; fewer if the campaign stops before."""
        readings = []
        for configuration in configurations:
            found = self._controller.measure(self._rows(configuration, phases))
            if len(found) < len(phases):
                break
            readings.append(_reading([[one] for one in found], phases))
        return readings

    def again(self, configuration: Mapping[str, Value], phases: Sequence[Characteristics]) -> bool:
        """Run what was read once more, if it was not run often enough and the budget covers it; return whether so."""
        return self._controller.repeat(self._rows(configuration, phases))

    def reread(self, configuration: Mapping[str, Value], phases: Sequence[Characteristics]) -> Reading:
        """Return the reading of a configuration by all of its runs, repeats included."""
        rows = self._rows(configuration, phases)
        return _reading([runs_of(self._controller.state, row) for row in rows], phases)

    def _rows(self, configuration: Mapping[str, Value], phases: Sequence[Characteristics]) -> Rows:
        return np.array([self._row(configuration, phase) for phase in phases], dtype=np.int8)

    def _row(self, configuration: Mapping[str, Value], phase: Characteristics) -> Rows:
        values = {k: v for k, v in configuration.items() if k in self._field.system.names}
        if WORKLOAD in self._field.space.names:
            values[WORKLOAD] = self._field.like.index(phase)
        return self._field.row(values)


def _reading(measured: Sequence[Sequence[Progress]], phases: Sequence[Characteristics]) -> Reading:
    runs = [_runs(each, phase) for each, phase in zip(measured, phases, strict=True)]
    found = [p for each in measured for p in each]
    seconds = [median(each) if each else None for each in runs]
    failures = [a for p in found for a in p.failures]
    known = [s for s in seconds if s is not None]
    corrupt = any(a.outcome is Outcome.CORRUPT for a in failures)
    good = len(known) == len(seconds) and not corrupt
    outcome = (
        Outcome.OK if good else Outcome.CORRUPT if corrupt else failures[-1].outcome if failures else Outcome.UNKNOWN
    )
    skipped = next((p.why_skipped for p in found if p.why_skipped), "")
    return Reading(
        configuration=found[0].point.configuration,
        seconds=sum(known) if good else None,
        phases=tuple(seconds),
        spent=sum(a.elapsed for p in found for a in p.attempts),
        dollars=sum(a.dollars for p in found for a in p.attempts),
        outcome=outcome,
        note="" if good else (failures[-1].note if failures else skipped),
        failed=next((a.note or str(a.outcome) for a in reversed(failures) if a.outcome is not Outcome.SUSPECT), ""),
        differ=_differ(runs),
        runs=min(map(len, runs)),
    )


def _differ(runs: Sequence[Sequence[float]]) -> float | None:
    if any(len(seconds) < 2 for seconds in runs):
        return None
    return sum(map(max, runs)) / sum(map(min, runs)) - 1.0


def _runs(found: Sequence[Progress], phase: Characteristics) -> list[float]:
    """Return the seconds of I/O of each good run: of two, their median is not that of the bandwidths."""
    return [phase.total_bytes / b for p in found for b in p.bandwidths if b > 0]


def known_ranks(ranks: Mapping[str, Sequence[str]], goal: str, names: Sequence[str]) -> list[str]:
    """Return the parameters of `names` in the order of a campaign's `ranks` by goal; [] if it did not rank them all."""
    found = [n for n in ranks.get(goal, ranks.get("time", [])) if n in names]
    return found if set(found) == set(names) else []
