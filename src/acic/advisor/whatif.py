"""What if: the answer for workloads that differ from the one asked about, many of them predicted together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.answers import places_of
from acic.advisor.application import Effect
from acic.advisor.forecast import Forecast, forecast
from acic.advisor.informed import views
from acic.advisor.knowledge import Knowledge
from acic.errors import InvalidInput, MissingData
from acic.models.twins import beside
from acic.platforms import Platform
from acic.prior import BENCHMARK, Use
from acic.space import Value
from acic.workloads import Characteristics, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS, checked, values_of

Floats = NDArray[np.float64]

BLOCK = 100_000  # rows predicted at once: 30 columns of them take 24 MB


class Foresight(Knowledge):
    """Knowledge that remembers what it was asked, and predicts many workloads together where the model can.

    It gives no intervals: their ends are the prediction itself.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.__dict__.update(knowledge.__dict__)  # the candidates are not enumerated a second time
        self.asked: list[tuple[Characteristics, Use]] = []
        self._means: dict[tuple[Characteristics, Use], Floats] = {}

    def prepare(self, workloads: Iterable[Characteristics]) -> None:
        """Predict every candidate for those `workloads` that were not predicted yet."""
        if self.prior is not None:
            return  # it wants to know more of them; each is predicted when it is asked for
        new = [w for w in dict.fromkeys(workloads) if (w, BENCHMARK) not in self._means]
        predicted = log_improvements(self, new)
        self._means |= {(w, BENCHMARK): mean for w, mean in zip(new, predicted, strict=True)}

    def effect(self, workload: Characteristics, use: Use = BENCHMARK) -> Effect:
        """Return the predicted log improvement of every candidate for `workload`."""
        self.asked.append((workload, use))
        key = (workload, use if self.prior is not None else BENCHMARK)
        if key not in self._means:
            self._means[key] = super().effect(workload, use).mean
        mean = self._means[key]
        return Effect(mean, mean, mean)


@dataclass(frozen=True, slots=True)
class Expected:
    """What is predicted of a workload, and each covered phase as the model was asked about it."""

    forecast: Forecast
    asked: tuple[tuple[Characteristics, Use], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, whatever the workload: `forecast` describes the fields; every answer has the values of `keep`."""

    platform: Platform
    knowledge: Foresight
    goal: Goal = Goal.TIME
    price: float | None = None
    elsewhere: bool = False
    results: int = 0
    keep: Mapping[str, Value] = field(default_factory=dict)

    @property
    def allowed(self) -> NDArray[np.intp]:
        """The positions of the candidates that may be an answer."""
        return places_of(self.knowledge, self.keep)

    def expected(self, workload: Workload) -> Expected | None:
        """Return what is predicted of `workload`; None if nothing measured speaks about it."""
        knowledge = self.knowledge
        if not any(knowledge.covers(phase.characteristics) for phase in workload.phases):
            return None
        knowledge.asked.clear()
        try:
            found = forecast(
                workload,
                self.platform,
                knowledge,
                goal=self.goal,
                price=self.price,
                elsewhere=self.elsewhere,
                results=self.results,
            )
        except MissingData:
            if self.goal is Goal.COST:
                raise  # a price, which no other workload brings
            return None
        return Expected(found, tuple(knowledge.asked))


def log_improvements(
    knowledge: Knowledge,
    workloads: Sequence[Characteristics],
    candidates: Sequence[int] | None = None,
    use: Use = BENCHMARK,
) -> Floats:
    """Return the predicted log improvement of every workload on every candidate, shape (workloads, candidates).

    It is what `Knowledge.effect` gives for one workload; the baseline's is 0 by definition.

    Args:
        knowledge: what predicts.
        workloads: each may be given once or more.
        candidates: positions in `knowledge.points`; None for all.
        use: what else is known of all of them.
    """
    space = knowledge.platform.space
    points = knowledge.points if candidates is None else knowledge.points[list(candidates)]
    points = np.vstack([knowledge.points[knowledge.baseline], points])  # first, for all others to be told beside
    system = knowledge.encoder.encode_points(space, points)
    own = knowledge.encoder.encode([values_of(workload) for workload in workloads])
    slices = [knowledge.encoder.columns_of(parameter.name) for parameter in WORKLOAD_PARAMETERS]
    columns = np.concatenate([np.arange(s.start, s.stop) for s in slices])
    prior = _prior(knowledge, workloads, points, use)
    found = np.empty((len(workloads), len(points)))
    together = max(1, BLOCK // len(points))
    for low in range(0, len(workloads), together):
        part = slice(low, low + together)
        rows = np.tile(system, (len(own[part]), 1))
        rows[:, columns] = np.repeat(own[part][:, columns], len(points), axis=0)
        if prior is not None:
            rows = np.column_stack([rows, prior[part].reshape(len(rows), -1)])
        baseline = np.repeat(rows[:: len(points)], len(points), axis=0)
        found[part] = beside(knowledge.learned.predictor, rows, baseline).mean.reshape(-1, len(points))
    return found[:, 1:]


def _prior(
    knowledge: Knowledge, workloads: Sequence[Characteristics], points: NDArray[np.int8], use: Use
) -> Floats | None:
    """Return what is known beforehand, shape (workloads, points, columns); None where the model does not take it."""
    if knowledge.prior is None:
        return None
    configurations = [knowledge.platform.space.configuration(point) for point in points]
    return views(knowledge.prior, workloads, configurations, use)


def changed(workload: Workload, place: int | None, name: str, value: Value) -> Workload | None:
    """Return the workload with another value of one characteristic; None if it cannot have that one.

    What the log counted (bytes, seconds) is kept. A change of `processes` is one of the whole job: where all of them
    do I/O, all still do. Requests shrink with the data of an iteration that they are part of.

    Args:
        workload: as it is.
        place: which of its phases; None for `processes`, which all phases share.
        name: of the characteristic.
        value: the new one.
    """
    phases = list(workload.phases)
    try:
        for i in range(len(phases)) if place is None else (place,):
            phases[i] = replace(phases[i], characteristics=_with(phases[i].characteristics, name, value))
    except InvalidInput:
        return None
    processes = int(value) if name == "processes" else workload.processes
    return replace(workload, processes=processes, phases=tuple(phases))


def _with(own: Characteristics, name: str, value: Value) -> Characteristics:
    values = values_of(own) | {name: value}
    if name == "processes":
        count = int(value)
        values["io_processes"] = count if own.io_processes == own.processes else min(own.io_processes, count)
    if name == "data_size":
        values["request_size"] = min(own.request_size, int(value))
    return Characteristics(**{key: checked(key, one) for key, one in values.items()})  # type: ignore[arg-type]  # checked
