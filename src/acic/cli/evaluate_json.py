"""What `acic evaluate --json` tells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from acic.cli.evaluate_shown import PAPER
from acic.cli.output import plain

if TYPE_CHECKING:
    from acic.evaluation.evaluate import Evaluated, Judgement, Optimum
    from acic.evaluation.field import Table
    from acic.evaluation.fresh import FreshScore
    from acic.evaluation.picks import Picks
    from acic.evaluation.ranks import Rank
    from acic.evaluation.regret import Figures
    from acic.report.evaluation import Lines


def as_json_takes(
    found: Evaluated, ranks: Sequence[Rank], lines: Mapping[str, Sequence[Lines]] | None = None
) -> dict[str, Any]:
    """Return everything as JSON takes it: applications are "name scale", and what failed has the figure "failed"."""
    return {
        "platform": found.platform.name,
        "extent": {**plain(found.extent), "unasked": [" ".join(a) for a in found.extent.unasked]},
        "noise": found.noise,
        "goals": [_judgement(one) for one in found.judgements],
        "ranks": ranks,
        "observations": found.observations,
        "curves": {name: [_lines(one) for one in several] for name, several in (lines or {}).items()},
    }


def _lines(lines: Lines) -> dict[str, Any]:
    """Return curves with what is on their axes: each value is that of the same place in `spent`."""
    return {
        **{name: getattr(lines, name) for name in ("title", "goal", "basis", "kind")},
        "axes": {"spent": lines.spent, "shown": lines.shown},
        "curves": [told_figure(curve) for curve in lines.curves],
    }


def _judgement(one: Judgement) -> dict[str, Any]:
    return {
        "goal": one.goal,
        "paper": PAPER[one.goal],
        "methods": [
            {"method": s.method, "title": s.title, "figures": [_figures(f) for f in s.figures.values()]}
            for s in one.scores
        ],
        "fresh": [_again(f) for f in one.fresh],
        "optima": [_optimum(o, one.table) for o in one.optima],
        "choices": [_choices(p[0], one.table) for p in one.picks if len(p) == 1],
    }


def _optimum(one: Optimum, table: Table) -> dict[str, Any]:
    """Return the best of an application, with the median and the worst of what ran well."""
    row = table.values[table.applications.index(one.application)].tolist()
    good = [value for value in row if math.isfinite(value)]
    return {**plain(one), "application": " ".join(one.application), "median": median(good), "worst": max(good)}


def _choices(picks: Picks, table: Table) -> dict[str, Any]:
    """Return what a method chose first for each application, and what that takes or costs."""
    first = {a: order[0] for a, order in picks.ranked.items()}
    values = {a: float(table.values[table.applications.index(a), column]) for a, column in first.items()}
    return {
        "method": picks.method,
        "first": {" ".join(a): dict(table.configurations[column]) for a, column in first.items()},
        "value": {" ".join(a): told_figure(value) for a, value in values.items()},
    }


def _again(score: FreshScore) -> dict[str, Any]:
    """Return what fresh runs say of a method: no figure over applications where only some were run again."""
    over = {
        "median": score.median,
        "p90": score.p90,
        "gain": score.gain,
        "best_gain": score.best_gain,
        "share": score.share,
    }
    return {
        "method": score.method,
        **({n: told_figure(f) for n, f in over.items()} if score.whole else dict.fromkeys(over)),
        "of": score.of,
        "judged": len(score.regret),
        "repetitions": score.repetitions,
        "regret": {" ".join(a): told_figure(i) for a, i in score.regret.items()},
        "few": {" ".join(a): told_figure(r) for a, r in score.few.items()},
        "few_median": told_figure(score.few_median),
        "worse": [" ".join(a) for a in score.worse],
    }


def _figures(figures: Figures) -> dict[str, Any]:
    shown = {name: getattr(figures, name) for name in figures.__dataclass_fields__ if name != "regret"}
    shown["regret"] = {" ".join(a): r for a, r in figures.regret.items()}
    return {name: told_figure(value) for name, value in shown.items()}


def told_figure(value: Any) -> Any:
    """Return a figure, or what holds figures, with "failed" in place of the infinite."""
    if is_dataclass(value) and not isinstance(value, type):  # an interval
        return told_figure(asdict(value))
    if isinstance(value, Mapping):
        return {name: told_figure(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [told_figure(one) for one in value]
    return "failed" if isinstance(value, float) and math.isinf(value) else value
