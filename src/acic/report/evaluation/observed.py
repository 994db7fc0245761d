"""The paper's observations, tested on our own data."""

from __future__ import annotations

from acic.evaluation.observations import Holds
from acic.report.evaluation.chart import Figure, Sheet
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.told import listed


def observations_figure(given: Evaluation) -> Figure | None:
    """Return the statements and what the data say of each; None where nobody looked."""
    found = given.observations
    if not found:
        return None
    fresh = ", but the fastest and the cheapest by fresh runs where there are some" if given.again else ""
    counts = [(holds, sum(one.holds is holds for one in found)) for holds in Holds]
    told = listed([f'"{holds}" for {count}' for holds, count in counts if count])
    return Figure(
        name="observations",
        title="What the paper observed",
        counterpart="sections 5.2 and 5.6",
        judged=f"{given.by_truth}{fresh}; failures by its single runs",
        sees=(f"Of {len(found)} statements the data say {told}.",),
        parts=(
            Sheet(
                caption="Statements of the paper, and what the data say",
                columns=(("statement", "wide"), ("SC13", ""), ("here it", ""), ("figures", "wide")),
                rows=tuple((one.says, one.source, str(one.holds), one.figures) for one in found),
            ),
        ),
    )
