"""What a model-driven search learns from: runs at whatever scale, each as the improvement over the baseline there.

Seconds of a small run and of the target cannot be compared, improvements can (Liu et al., SC13, section 4.2), so the
scales are joined here: every row is divided by what the baseline takes on the same workload, and the workload's
parameters are columns beside the configuration's. A prediction is made with the target's values in those columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.models import TrainingSet
from acic.search.protocol import Observation
from acic.space import Configuration, Encoder, Parameter, Scale, Space, Value

Floats = NDArray[np.float64]

FAILED_AS = 2.0  # times the slowest run of the same workload: what a failed run is learned as


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run that was made before the search.

    Args:
        workload: values of the workload's parameters.
        configuration: what it ran with.
        objective: s or USD, > 0; None if it failed.
        baseline: what the baseline configuration took on the same workload, in the same unit; None where that is
            among the rows.

    Raises:
        InvalidInput: a figure that is not positive.
    """

    workload: Mapping[str, Value]
    configuration: Configuration
    objective: float | None
    baseline: float | None = None

    def __post_init__(self) -> None:
        for figure in (self.objective, self.baseline):
            if figure is not None and not 0 < figure < np.inf:
                raise InvalidInput(f"a row holds {figure}", hint="give s or USD above 0, or None if the run failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """Runs made before the search, and the workload that it tunes.

    Args:
        parameters: of the workload; none where it never varies.
        target: their values in the runs that the search will make.
        rows: the runs; none where the search has to begin with nothing.

    Raises:
        InvalidInput: the target has no value for a parameter.
    """

    parameters: tuple[Parameter, ...] = ()
    target: Mapping[str, Value] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        if missing := [p.name for p in self.parameters if p.name not in self.target]:
            raise InvalidInput(f"the target workload has no {', '.join(missing)}", hint="give every parameter a value")


def lessons_across(
    rows: Sequence[Row], workloads: Sequence[Mapping[str, Value]], *, target: Mapping[str, Value]
) -> Lessons:
    """Return the lessons of runs at several scales of one application.

    What is the same at all of them, and in the target, is no parameter: nothing can be learned of it.

    Args:
        rows: the runs, each of one of `workloads`.
        workloads: numbers that tell each scale.
        target: the same numbers of the runs that the search will make.
    """
    values = {name: sorted({one[name] for one in (*workloads, target)}) for name in target}
    parameters = tuple(
        Parameter(name=name, values=tuple(known), scale=Scale.LOG) for name, known in values.items() if len(known) > 1
    )
    names = {p.name for p in parameters}
    kept = tuple(replace(row, workload={k: v for k, v in row.workload.items() if k in names}) for row in rows)
    return Lessons(parameters=parameters, target={k: v for k, v in target.items() if k in names}, rows=kept)


class Teacher:
    """Turns rows and observations into training sets, and points of the space into what the model predicts for.

    Raises:
        InvalidInput: a workload's baseline is not known, a parameter is both the workload's and the space's, or it
            does not list a label.
    """

    def __init__(self, space: Space, baseline: Configuration, lessons: Lessons) -> None:
        self._space = space
        self._baseline = baseline
        self._encoder = Encoder((*space.parameters, *lessons.parameters))
        self._target = {p.name: lessons.target[p.name] for p in lessons.parameters}
        self._fixed = self._encoder.encode([self._target])[0]
        scales: dict[frozenset[tuple[str, Value]], list[Row]] = {}
        for row in lessons.rows:
            scales.setdefault(frozenset(row.workload.items()), []).append(row)
        self._before = list(scales.values())
        self._references = [_reference(rows, baseline) for rows in self._before]

    def training_set(self, observations: Sequence[Observation]) -> TrainingSet | None:
        """Return the rows and the observations as one training set; None if no run of either ever ended well.

        Where the baseline failed here, nothing tells what observations improve on it: beside rows they are left out.
        Without any, they are told over the first that ended well, as they are compared with one another only.
        """
        here = [Row(workload=self._target, configuration=o.configuration, objective=o.objective) for o in observations]
        ended = {one.configuration: one.objective for one in observations if one.objective is not None}
        reference = ended.get(self._baseline, None if self._before else next(iter(ended.values()), None))
        scales = self._before if reference is None else [*self._before, here]
        references = self._references if reference is None else [*self._references, reference]
        if not scales:
            return None
        rows = [row for scale in scales for row in scale]
        y = np.concatenate([_improvements(s, r) for s, r in zip(scales, references, strict=True)])
        configurations: dict[Configuration, int] = {}
        own = np.array([configurations.setdefault(row.configuration, len(configurations)) for row in rows])
        workload = np.repeat(np.arange(len(scales)), [len(scale) for scale in scales])
        return TrainingSet(
            columns=self._encoder.columns,
            x=self._encoder.encode([{**row.workload, **row.configuration} for row in rows]),
            y=y,
            best=y,
            weight=np.ones(len(y)),
            group=workload * len(configurations) + own,
            workload=workload,
            parameters=self._encoder.parameters,
        )

    def encode(self, points: NDArray[np.int8]) -> Floats:
        """Return points of the space as rows of the target workload, shape (points, columns)."""
        x = self._encoder.encode_points(self._space, points)
        for name in self._target:
            columns = self._encoder.columns_of(name)
            x[:, columns] = self._fixed[columns]
        return x


def _reference(rows: Sequence[Row], baseline: Configuration) -> float:
    for row in rows:
        if row.baseline is not None:
            return row.baseline
    for row in rows:
        if row.configuration == baseline and row.objective is not None:
            return row.objective
    scale = ", ".join(f"{name} {value}" for name, value in rows[0].workload.items()) or "without parameters"
    raise InvalidInput(
        f"nothing tells what the baseline takes on the workload {scale}",
        hint="measure the baseline on it too, or give its rows `baseline`; else leave them out",
    )


def _improvements(rows: Sequence[Row], reference: float) -> Floats:
    """Return log(reference / objective), shape (rows,); failed runs count as slower than all others."""
    ended = [row.objective for row in rows if row.objective is not None]
    failed = FAILED_AS * max([reference, *ended])
    return np.log(reference / np.array([failed if row.objective is None else row.objective for row in rows]))
