"""What `acic evaluate --json` tells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from acic.cli.evaluate_shown import PAPER

if TYPE_CHECKING:
    from acic.evaluation.evaluate import Evaluated, Judgement
    from acic.evaluation.fresh import FreshScore
    from acic.evaluation.ranks import Rank
    from acic.evaluation.regret import Figures


def as_json_takes(found: Evaluated, ranks: Sequence[Rank]) -> dict[str, Any]:
    """Return everything as JSON takes it: applications are "name scale", and what failed has the figure "failed"."""
    return {
        "platform": found.platform.name,
        "extent": found.extent,
        "noise": found.noise,
        "goals": [_judgement(one) for one in found.judgements],
        "ranks": ranks,
        "observations": found.observations,
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
        "optima": one.optima,
        "choices": [
            {
                "method": p[0].method,
                "first": {" ".join(a): dict(one.table.configurations[order[0]]) for a, order in p[0].ranked.items()},
            }
            for p in one.picks
            if len(p) == 1
        ],
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
        **({n: _told(f) for n, f in over.items()} if len(score.regret) == score.of else dict.fromkeys(over)),
        "of": score.of,
        "judged": len(score.regret),
        "repetitions": score.repetitions,
        "regret": {" ".join(a): _told(i) for a, i in score.regret.items()},
        "few": {" ".join(a): _told(r) for a, r in score.few.items()},
        "few_median": _told(score.few_median),
        "worse": [" ".join(a) for a in score.worse],
    }


def _figures(figures: Figures) -> dict[str, Any]:
    plain = {name: getattr(figures, name) for name in figures.__dataclass_fields__ if name != "regret"}
    plain["regret"] = {" ".join(a): r for a, r in figures.regret.items()}
    return {name: _told(value) for name, value in plain.items()}


def _told(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):  # an interval
        return _told(asdict(value))
    if isinstance(value, Mapping):
        return {name: _told(one) for name, one in value.items()}
    return "failed" if isinstance(value, float) and math.isinf(value) else value
