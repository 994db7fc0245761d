"""Table 1: which parameters matter, and whether as much as in the paper."""

from __future__ import annotations

from acic.evaluation.ranks import agreement
from acic.report.evaluation.chart import Figure, Sheet
from acic.report.evaluation.evaluation import GOALS, Evaluation
from acic.report.evaluation.told import speed_text
from acic.report.words import NOTHING

_FIRST = 3  # parameters that are named


def ranks_figure(given: Evaluation) -> Figure | None:
    """Return the parameters by rank; None if nothing was screened."""
    if not given.ranks:
        return None
    goals = [goal for goal in GOALS if goal in given.ranks[0].rank]
    first = ", ".join(r.parameter.replace("_", " ") for r in given.ranks[:_FIRST])
    columns = [("parameter", ""), ("SC13", "number")]
    columns += [(f"{what}, {goal}", "number") for goal in goals for what in ("rank", "worse by")]
    rows = [
        (
            r.parameter.replace("_", " "),
            str(r.paper) if r.paper is not None else NOTHING,
            *(text for goal in goals for text in (str(r.rank[goal]), speed_text(r.factor[goal]))),
        )
        for r in given.ranks
    ]
    return Figure(
        name="table1",
        title="Which parameters matter",
        counterpart="Table 1",
        judged="the screening in the training data",
        sees=(
            f"For time, what matters most is {first}.",
            f"The order goes with the paper's by a rank correlation of {agreement(given.ranks, 'time'):.2f}.",
            "Each parameter was set to one of two values in half of the runs of a foldover Plackett-Burman design.",
        ),
        parts=(
            Sheet(
                caption="Ranks, and how much worse one of the two values is than the other",
                columns=tuple(columns),
                rows=tuple(rows),
            ),
        ),
    )
