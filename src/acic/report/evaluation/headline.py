"""The opening of the page: the figures that matter most, in plain words, and what they rest on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acic.evaluation.picks import Picks
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import Floats, first, gains, known, quantile, regret, regret_again
from acic.report.evaluation.told import FAILS, interval_text, listed, regret_text, share_text
from acic.report.head_section import tile
from acic.report.html import Markup, element, join
from acic.report.parts import basis, paragraph, section
from acic.report.words import NOTHING, count_text, times_text, value_text

_PAPER = {  # mean over the baseline; Liu et al., SC13, section 1
    "time": ("mean speed-up", 3.0),
    "cost": ("mean cost saved", 0.53),  # of the baseline's
}
_FRESH, _TRUTH = "fresh runs", "the truth"


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


_WITHIN = {
    "time": "half of the applications run within {} of the fastest configuration measured",
    "cost": "half of the applications cost within {} of the cheapest configuration measured",
}
_GAINED = {"time": "mean speed-up over the baseline", "cost": "mean saving under the baseline's cost"}


def _opening(given: Evaluation) -> Markup:
    """Return the answer in a few sentences."""
    goal = given.table.goal
    picks = given.of_goal(goal)
    if not picks:
        return join(["No choices were given to judge: this page shows the truth alone. ", basis("measured")])
    lead = picks[0]
    median, _, by = _regret(given, lead)
    interval = _interval(given, lead)
    told, beside = FAILS, "The median regret with others is"
    if not math.isinf(median):
        within = share_text(median) + (f" ({interval})" if interval else "")
        told, beside = _WITHIN[goal].format(within), "With others it is"
    said = [f"By {by}, {told} with {lead.title}."]
    others = [f"{other.title}, {_told(given, other, by)}" for other in picks[1:]]
    if others:
        said.append(f"{beside}: {'; '.join(others)}.")
    gained, possible, _, by_gain = _gains(given, lead)
    if not math.isnan(gained):
        text = times_text if goal == "time" else share_text
        beside = "" if by_gain == by else f" (by {by_gain})"
        said.append(f"The {_GAINED[goal]} is {text(gained)}, of {text(possible)} possible{beside}.")
    return join([" ".join(said), " ", basis("measured")])


def _regret(given: Evaluation, picks: Picks) -> tuple[float, float, str]:
    """Return a method's median regret, the 90 %, and by what: fresh runs, where its choices all ran again."""
    score = given.fresh_of(picks)
    return (*_by_truth(given, picks), _TRUTH) if score is None else (score.median.value, score.p90.value, _FRESH)


def _by_truth(given: Evaluation, picks: Picks) -> tuple[float, float]:
    found = regret(given.tables[picks.goal], picks)
    return quantile(found, 0.5), quantile(found, 0.9)


def _told(given: Evaluation, picks: Picks, usual: str) -> str:
    """Return the median regret of a method, and by what, if not as usual."""
    median, _, by = _regret(given, picks)
    return regret_text(median) + ("" if by == usual else f" by {by}")


def _interval(given: Evaluation, picks: Picks) -> str:
    interval = given.interval(picks)
    return f"80 % interval {interval_text(interval)}" if interval else ""


def _gains(given: Evaluation, picks: Picks) -> tuple[float, float, int, str]:
    """Return the mean gain, the best possible one, how many choices failed, and by what.

    By fresh runs, where the baseline ran well again too.
    """
    truth, score = given.tables[picks.goal], given.fresh_of(picks)
    if score is None or math.isnan(score.gain):
        return (*gains(truth, picks, given.baseline), int(np.isinf(first(truth, picks)).sum()), _TRUTH)
    return score.gain, score.best_gain, int(np.isinf(regret_again(truth, score)).sum()), _FRESH


def _tiles(given: Evaluation) -> list[Markup]:
    tiles = [_regret_tile(given, p) for p in given.of_goal(given.table.goal)[:4]]
    tiles += [_gain_tile(given, picks[0]) for goal in given.tables if (picks := given.of_goal(goal))]
    table = given.table
    tiles.append(
        tile(
            "applications",
            f"{len(table.applications)}",
            f"on {count_text(len(table.configurations), 'configuration')}, {given.repeated} each",
        )
    )
    return tiles


def _gain_tile(given: Evaluation, picks: Picks) -> Markup:
    name, paper = _PAPER[picks.goal]
    text = times_text if picks.goal == "time" else share_text
    gained, possible, failed, by = _gains(given, picks)
    before, most = gains(given.tables[picks.goal], picks, given.baseline)
    return tile(
        name,
        text(gained) if not math.isnan(gained) else NOTHING,
        f"by {by}; best possible {text(possible)}; the paper's {text(paper)} was on other machines",
        f"by the truth {text(before)} of {text(most)}" if by == _FRESH else None,
        f"{count_text(failed, 'choice')} failed" if failed else None,
    )


def _regret_tile(given: Evaluation, picks: Picks) -> Markup:
    median, tenth, by = _regret(given, picks)
    same = [p for p in given.of_goal("cost") if p.method == picks.method and picks.goal != "cost"]
    return tile(
        f"median regret, {picks.title}",
        share_text(median),
        f"90th percentile {share_text(tenth)}",
        f"by {by}",
        _interval(given, picks),
        f"for cost {_told(given, same[0], by)}" if same else None,
        f"by the truth {share_text(_by_truth(given, picks)[0])}" if by == _FRESH else None,
    )


def basis_section(given: Evaluation, lost: Sequence[str]) -> Markup:
    """Return what is measured and what is predicted, how much stands behind it, and what is not on the page."""
    table = given.table
    space, baseline = given.platform.space, given.platform.baseline
    values: Floats = table.values
    pairs = len(known(values.ravel()))
    failed, missing = int(np.isinf(values).sum()), int(np.isnan(values).sum())
    fresh = f"The {count_text(given.fresh_runs, 'fresh run')} that are told of were made after the choice. "
    curves = [line for group in given.lines.values() for line in group]
    predicted = sorted({line.title for line in curves if line.basis == "predicted"})
    return section(
        "basis",
        "What is measured, and what is predicted",
        paragraph(
            basis("measured"),
            " Every time and cost in the tables and pictures is that of real runs of the applications: "
            f"{count_text(given.runs, 'run')}, second tries among them, of {count_text(pairs, 'pair')} of application "
            f"and configuration. Of the {given.repeated} of a pair that ended well the median counts. "
            f"{fresh if given.again else ''}"
            f"Of the pairs {failed:,} failed or gave wrong bytes, and {missing:,} more were not measured.",
        ),
        paragraph(
            basis("predicted"),
            " Predictions only decide which configurations a method chooses. No predicted number is shown"
            + (f", but for: {listed(predicted)}." if predicted else "."),
        ),
        paragraph(basis("simulated"), " What contributors who lie cost: no liar's figure was measured.")
        if any(line.basis == "simulated" for line in curves)
        else None,
        paragraph(
            "Regret is how much longer, or more expensive, a choice is than the best configuration measured; one that "
            "failed has infinite regret. In the mean speed-up a failure counts as 0, in the mean of what is saved as "
            "the baseline's cost for nothing, and the baseline's run after it. "
            "The baseline is what a site would set up without advice: "
            f"{', '.join(f'{k} {value_text(space[k], v)}' for k, v in baseline.items())}.",
        ),
        paragraph(f"Not on this page, for want of numbers: {listed(list(lost))}.") if lost else None,
    )
