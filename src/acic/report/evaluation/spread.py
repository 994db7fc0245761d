"""Figure 1: how far the configurations of one application lie apart."""

from __future__ import annotations

import numpy as np

from acic.evaluation.field import Table
from acic.report.axis import Axis, log_axis, of_counts
from acic.report.evaluation.chart import GROUPS, Figure, Level, Plot, Spot, at_edge
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import Floats, best, known
from acic.report.evaluation.told import application_text, configuration_told, place_text, unit_of, value_text
from acic.report.words import count_text, tick_text, times_text

_BY = "file_system"  # the parameter whose values have marks of their own, where the platform has it


def spread_figure(given: Evaluation) -> Figure | None:
    """Return the configurations of one application, from the best to the worst; None if none of it ended well."""
    spread = _spread(given.table)
    row = int(spread.argmax())
    application = given.table.applications[row]
    parts = [_plot(given, goal, row) for goal in given.tables if np.isfinite(given.tables[goal].values[row]).any()]
    if not parts:
        return None
    return Figure(
        name="fig1",
        title=f"How far configurations lie apart: {application_text(application)}",
        counterpart="Figure 1",
        judged=given.by_truth,
        sees=(*(_said(given, goal, row) for goal in given.tables), *_beside(spread, given.table.goal)),
        parts=tuple(parts),
    )


def _spread(table: Table) -> Floats:
    """Return the worst over the best of each application, shape (applications,); 0 where nothing ended well."""
    values = np.where(np.isfinite(table.values), table.values, 0.0)
    return np.asarray(np.nan_to_num(values.max(axis=1) / best(table)))


def _beside(spread: Floats, goal: str) -> list[str]:
    """Return that this one is the extreme, and how far the others' configurations lie apart."""
    there = spread[spread > 0]
    if len(there) < 2:  # an extreme is one among others
        return []
    return [
        f"Of {len(there)} applications it is the one whose configurations lie farthest apart in {goal}: those of the "
        f"median application by {times_text(float(np.median(there)))}, those of the last by "
        f"{times_text(float(there.min()))}."
    ]


def _plot(given: Evaluation, goal: str, row: int) -> Plot:
    table = given.tables[goal]
    values = table.values[row]
    order = [int(c) for c in np.argsort(values, kind="stable") if not np.isnan(values[c])]
    axis, edge = log_axis([v for v in values if np.isfinite(v)], tick_text), None
    if np.isinf(values).any():
        axis, edge = at_edge(axis, low=False)
    groups = _groups(given)
    kinds = {name: kind for kind, name in groups}
    spots = []
    for place, column in enumerate(order, start=1):
        configuration = table.configurations[column]
        kind = "failed" if np.isinf(values[column]) else kinds.get(str(configuration.get(_BY)), GROUPS[-1])
        who, said = configuration_told(given.platform, configuration), value_text(values[column], goal)
        spots.append(Spot(x=place, y=values[column], kind=kind, who=who, said=said))
    base = given.baseline
    level = None
    if base is not None and np.isfinite(values[base]):
        late = order.index(base) >= len(order) / 2
        level = Level(at=values[base], name=f"baseline {value_text(values[base], goal)}", left=late)
        spots.append(Spot(x=order.index(base) + 1, y=values[base], kind="baseline"))
    legend = [*groups, ("baseline", "the baseline")] if level else [*groups]
    return Plot(
        caption=f"{'Run time' if goal == 'time' else 'Cost'} on every configuration",
        x=_places(len(order)),
        y=axis,
        across="configurations, from the best to the worst",
        up=unit_of(goal),
        label=_said(given, goal, row),
        edge=edge,
        spots=tuple(spots),
        level=level,
        legend=(*legend, *([("failed", "failed, or gave wrong bytes")] if edge is not None else [])),
    )


def _places(count: int) -> Axis:
    """Return an axis of the places 1 to `count`, with room for half a mark at its end."""
    return Axis(low=0.0, high=count + 0.5, ticks=tuple(t for t in of_counts(count).ticks if t[0] <= count))


def _groups(given: Evaluation) -> list[tuple[str, str]]:
    if _BY not in given.platform.space.names:
        return [(GROUPS[-1], "a configuration")]
    names = [str(v) for v in given.platform.space[_BY].values]
    there = {str(c.get(_BY)) for c in given.table.configurations}
    return [(GROUPS[min(i, len(GROUPS) - 1)], n) for i, n in enumerate(names) if n in there]


def _said(given: Evaluation, goal: str, row: int) -> str:
    values = given.tables[goal].values[row]
    ended = values[np.isfinite(values)]
    name = application_text(given.tables[goal].applications[row])
    if not len(ended):
        return f"{name}: nothing ended well."
    low, high = float(ended.min()), float(ended.max())
    said = [
        f"{name} {'takes' if goal == 'time' else 'costs'} from {value_text(low, goal)} to {value_text(high, goal)}, "
        f"depending on the configuration: {times_text(high / low)}"
    ]
    base = given.baseline
    if base is not None and np.isfinite(values[base]):
        place = 1 + int((values < values[base]).sum()), len(known(values))
        said.append(f"; the baseline is number {place_text(place)}")
    failed, missing = int(np.isinf(values).sum()), int(np.isnan(values).sum())
    said.append(".")
    if failed:
        said.append(f" {count_text(failed, 'configuration')} failed or gave wrong bytes: crosses at the edge.")
    if missing:
        said.append(f" {count_text(missing, 'configuration')} of the {len(values)} not measured, and not shown.")
    return "".join(said)
