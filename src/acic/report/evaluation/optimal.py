"""Table 4: the best configuration of each application and scale."""

from __future__ import annotations

import numpy as np

from acic.report.evaluation.chart import Figure, Sheet
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import baselines, best
from acic.report.evaluation.told import speed_text, value_text
from acic.report.words import NOTHING, count_text
from acic.report.words import value_text as parameter_text
from acic.space import Configuration


def optimal_figure(given: Evaluation) -> Figure | None:
    """Return the best configurations measured, for each goal; None if nothing ended well."""
    parts, sees = [], []
    found = {goal: _best(given, goal) for goal in given.tables}
    for goal, choices in found.items():
        there = [c for c in choices if c is not None]
        if there:
            parts.append(_sheet(given, goal, choices))
            distinct = len(set(there))
            sees.append(
                f"For {goal}, {count_text(len(there), 'application')} of {len(choices)} have "
                f"{count_text(distinct, 'different best configuration')}."
            )
    if not parts:
        return None
    if {"time", "cost"} <= set(found):
        both = [(a, b) for a, b in zip(found["time"], found["cost"], strict=True) if a is not None and b is not None]
        sees.append(f"The fastest is also the cheapest for {sum(a == b for a, b in both)} of {len(both)}.")
    sees.append(
        'The best of many medians is partly luck: as many as stand under "as good" are within the noise of it, '
        "itself included."
    )
    return Figure(
        name="table4",
        title="The best configuration of each application and scale",
        counterpart="Table 4",
        judged=given.by_truth,
        sees=tuple(sees),
        parts=tuple(parts),
    )


def _best(given: Evaluation, goal: str) -> list[Configuration | None]:
    table = given.tables[goal]
    values = np.where(np.isfinite(table.values), table.values, np.inf)
    return [table.configurations[int(r.argmin())] if np.isfinite(r).any() else None for r in values]


def _sheet(given: Evaluation, goal: str, choices: list[Configuration | None]) -> Sheet:
    table, space = given.tables[goal], given.platform.space
    shown = [p for p in space.parameters if len({c.get(p.name) for c in table.configurations}) > 1]
    values, base = best(table), baselines(table, given.baseline)
    near = (table.values <= values[:, None] * np.exp(given.noise)).sum(axis=1)
    rows = []
    for i, (application, choice) in enumerate(zip(table.applications, choices, strict=True)):
        kernel, scale = application
        told = [
            NOTHING if choice is None else parameter_text(p, choice.get(p.name)).replace("does not apply", NOTHING)
            for p in shown
        ]
        gain = base[i] / values[i]
        rows.append(
            (
                kernel,
                scale,
                str(given.processes.get(application, NOTHING)),
                *told,
                value_text(float(values[i]), goal),
                NOTHING if np.isnan(gain) else speed_text(float(gain)),
                NOTHING if np.isnan(given.noise) else str(near[i]),
            )
        )
    return Sheet(
        caption="Fastest configuration measured" if goal == "time" else "Cheapest configuration measured",
        columns=(
            ("application", ""),
            ("scale", ""),
            ("NP", "number"),
            *((p.name.replace("_", " "), "") for p in shown),
            ("run time" if goal == "time" else "cost", "number"),
            ("speed-up" if goal == "time" else "times cheaper", "number"),
            ("as good", "number"),
        ),
        rows=tuple(rows),
    )
