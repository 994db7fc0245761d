"""The opening of the page: the figures that matter most, in plain words, and what they rest on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acic.evaluation.picks import Picks
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import Floats, first, gains, known, quantile, regret, whole
from acic.report.evaluation.told import listed, share_text
from acic.report.head_section import tile
from acic.report.html import Markup, element, join
from acic.report.parts import basis, paragraph, section
from acic.report.words import NOTHING, count_text, times_text, value_text

PAPER_SPEED_UP = 3.0  # mean over the baseline; Liu et al., SC13, section 1
PAPER_SAVED = 0.53  # of the baseline's cost, mean; the same


def header(given: Evaluation, *, whole: bool) -> Markup:
    """Return the page's title, and (for the whole page) the headline numbers."""
    platform = given.platform
    return element(
        "header",
        paragraph("acic evaluation", kind="kind"),
        element("h1", f"How good is the advice on {platform.name}?"),
        paragraph(f"{platform.title} ({platform.name}, revision {platform.revision})"),
        *(
            [paragraph(_opening(given), kind="lead"), element("dl", *_tiles(given), class_="tiles four")]
            if whole
            else []
        ),
    )


def _opening(given: Evaluation) -> Markup:
    """Return the answer in a few sentences."""
    picks = given.of_goal("time")
    if not picks:
        return join(["No choices were given to judge: this page shows the truth alone. ", basis("measured")])
    found = [(p.title, quantile(regret(given.tables["time"], p), 0.5)) for p in picks]
    said = [
        f"With {found[0][0]}, half of the applications run within {share_text(found[0][1])} of the fastest "
        "configuration measured."
    ]
    if found[1:]:
        others = [f"{title}, {share_text(value)}" for title, value in found[1:]]
        said.append(f"With others it is: {'; '.join(others)}.")
    gained, possible = gains(given.tables[picks[0].goal], picks[0], given.baseline)
    if not math.isnan(gained):
        said.append(f"The mean speed-up over the baseline is {times_text(gained)}, of {times_text(possible)} possible.")
    return join([" ".join(said), " ", basis("measured")])


def _tiles(given: Evaluation) -> list[Markup]:
    tiles = [_regret_tile(given, p) for p in given.of_goal("time")[:4]]
    for goal, name, paper in (("time", "mean speed-up", PAPER_SPEED_UP), ("cost", "mean cost saved", PAPER_SAVED)):
        picks = given.of_goal(goal)
        if goal not in given.tables or not picks:
            continue
        gained, possible = gains(given.tables[picks[0].goal], picks[0], given.baseline)
        text = times_text if goal == "time" else share_text
        failed = int(np.isinf(first(given.tables[goal], picks[0])).sum())
        tiles.append(
            tile(
                name,
                text(gained) if not math.isnan(gained) else NOTHING,
                f"best possible {text(possible)}; the paper's {text(paper)} was on other machines",
                f"{count_text(failed, 'choice')} failed" if failed else None,
            )
        )
    table = given.tables["time"]
    tiles.append(
        tile(
            "applications",
            f"{len(table.applications)}",
            f"on {count_text(len(table.configurations), 'configuration')}, {_repeated(given)} each",
        )
    )
    return tiles


def _regret_tile(given: Evaluation, picks: Picks) -> Markup:
    found = regret(given.tables["time"], picks)
    told = f"90th percentile {share_text(quantile(found, 0.9))}"
    same = [p for p in given.of_goal("cost") if p.method == picks.method]
    cost = f"for cost {share_text(quantile(regret(given.tables['cost'], same[0]), 0.5))}" if same else None
    fresh = None
    if "time" in given.again and whole(given.again["time"], picks):
        again = regret(given.again["time"], picks)
        fresh = f"by fresh runs of {len(known(again))} of them {share_text(quantile(again, 0.5))}"
    return tile(f"median regret, {picks.title}", share_text(quantile(found, 0.5)), told, cost, fresh)


def _repeated(given: Evaluation) -> str:
    least, most = given.repetitions
    runs = count_text(most, "run")
    return runs if least == most else f"{least} to {runs}"


_AGAIN = "Where fresh runs are told of, these were made after the choice. "


def basis_section(given: Evaluation, lost: Sequence[str]) -> Markup:
    """Return what is measured and what is predicted, how much stands behind it, and what is not on the page."""
    table = given.tables["time"]
    space, baseline = given.platform.space, given.platform.baseline
    values: Floats = table.values
    pairs = len(known(values.ravel()))
    failed, missing = int(np.isinf(values).sum()), int(np.isnan(values).sum())
    predicted = sorted({line.title for group in given.lines.values() for line in group if line.basis == "predicted"})
    return section(
        "basis",
        "What is measured, and what is predicted",
        paragraph(
            basis("measured"),
            " Every time and cost in the tables and pictures is that of real runs of the applications: "
            f"{count_text(given.runs, 'run')}, {_repeated(given)} of each of {count_text(pairs, 'pair')} of "
            "application and configuration, of which the median counts. "
            f"{_AGAIN if given.again else ''}"
            f"Of these pairs {failed:,} failed or gave wrong bytes, and {missing:,} more were not measured.",
        ),
        paragraph(
            basis("predicted"),
            " Predictions only decide which configurations a method chooses. No predicted number is shown"
            + (f", but for: {listed(predicted)}." if predicted else "."),
        ),
        paragraph(
            "Regret is how much longer, or more expensive, a choice is than the best configuration measured; one that "
            "failed has infinite regret. In the mean speed-up a failure counts as 0, in the mean of what is saved as "
            "the baseline's cost for nothing, and the baseline's run after it. "
            "The baseline is what a site would set up without advice: "
            f"{', '.join(f'{k} {value_text(space[k], v)}' for k, v in baseline.items())}.",
        ),
        paragraph(f"Not on this page, for want of numbers: {listed(list(lost))}.") if lost else None,
    )
