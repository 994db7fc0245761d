"""What `acic evaluate` prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

import click

from acic.cli.output import say, table
from acic.units import format_seconds, format_setting, format_usd

if TYPE_CHECKING:
    from acic.evaluation.evaluate import Evaluated, Judgement, Optimum
    from acic.evaluation.fresh import Interval
    from acic.evaluation.ranks import Rank
    from acic.evaluation.regret import Figures, Score

TABLES: Mapping[str, str] = {
    "regret": "how far each method stays behind the best",
    "table1": "which parameters matter, by the screening of the training data",
    "table4": "the best configuration of each application and scale",
    "fig5": "what was chosen for each application, in time",
    "fig6": "the same in cost",
    "fig7": "what trying the first few choices brings",
    "observations": "the paper's observations, tested",
}  # what is printed, by the names that --figure takes
NO_METHOD = frozenset(
    ("table1", "table4", "observations", "fig1", "fig8", "learning", "transfer", "crowd")
)  # those that need no method: they show measurements, or learn for themselves whatever they need
OF_METHODS = frozenset(("regret", "fig7", "fig9"))  # pictures of nothing but what methods choose
UNDRAWN = frozenset(("random", "baseline", "best"))  # methods that no picture shows
PAPER = {"time": "3.0x", "cost": "53 %"}  # mean gain over the baseline, Liu et al., SC13, section 1
FIELD = {"time": "fig5", "cost": "fig6"}


def show(found: Evaluated, ranks: Sequence[Rank], wanted: Sequence[str] = ()) -> None:
    """Print the tables called for, all of them if none is; that of `ranks` if there are any."""
    click.echo(f"{_headline(found)}\n")
    for judgement in found.judgements:
        if not wanted or "regret" in wanted:
            _regret(judgement)
            _fresh(judgement)
        if not wanted or "fig7" in wanted:
            _tops(judgement)
        if not wanted or FIELD[judgement.goal] in wanted:
            _field(judgement)
        if not wanted or "table4" in wanted:
            _optima(judgement, known=not math.isnan(found.noise.covers))
    if ranks:
        _ranks(ranks)
    if not wanted or "observations" in wanted:
        _observations(found)
    if not wanted or "regret" in wanted:
        _flattering(found)
    _warn(found)


def _headline(found: Evaluated) -> str:
    extent = found.extent
    least, most = extent.repetitions
    times = f"{least} to {most} times" if most > least else "once" if most == 1 else f"{most} times"
    return (
        f"ground truth of {found.platform.name}: {extent.applications} applications, each on {extent.configurations} "
        f"configurations, {times}; {extent.runs} runs in all"
    )


def _flattering(found: Evaluated) -> None:
    """Say on stderr what regret by the truth is worth."""
    again = any(judgement.fresh for judgement in found.judgements)
    say("note: the best is the smallest of many medians of few runs, which flatters itself: regret is overstated,")
    say(
        "note: that of methods which saw the truth (fixed-all, best) understated; "
        + ("by fresh runs both less" if again else "--fresh takes it from runs made after")
    )


def _warn(found: Evaluated) -> None:
    """Say on stderr what the reader must know of the figures."""
    extent, noise = found.extent, found.noise
    if math.isnan(noise.covers):
        say("note: nothing was run twice, so the noise is not known and every loss counts as one")
    else:
        typical, most = math.expm1(noise.typical), math.expm1(noise.covers)
        say(f"note: repeated runs differ by {typical:.1%} typically, and 9 of 10 by at most {most:.0%}")
    if extent.partial:
        several = "configurations were" if extent.partial > 1 else "configuration was"
        say(f"note: {extent.partial} {several} not measured with every application, and cannot be chosen")
    for name, scale in extent.unasked:
        say(f"note: {name} ({scale}) ended badly on the baseline, so nobody can ask for advice on it")


def _regret(judgement: Judgement) -> None:
    gains = "speed-up" if judgement.goal == "time" else "saved"
    columns = ["method", "median", "90 %", "mean", gains, "of the best gain", "failed", "worse than the baseline"]
    rows = [_score_row(judgement.goal, one) for one in judgement.scores]
    table(columns, rows, title=f"{judgement.goal}: regret of the first choice", right=columns[1:])
    if judgement.scores:
        best = _gain(judgement.goal, judgement.scores[0].figures[1].best_gain)
        click.echo(
            f"{gains}: the mean over the baseline; the best possible is {best}, the paper's {PAPER[judgement.goal]}\n"
        )


def _score_row(goal: str, one: Score) -> list[str]:
    f = one.figures[1]
    figures = (_share(f.median), _share(f.p90), _share(f.mean), _gain(goal, f.gain), _share(f.share))
    return [f"{one.method}", *figures, _count(f.failed), _count(f.worse)]


def _fresh(judgement: Judgement) -> None:
    from acic.evaluation.fresh import FEW

    whole = [one for one in judgement.fresh if one.whole]
    if not whole:
        return
    goal = judgement.goal
    gains = "speed-up" if goal == "time" else "saved"
    columns = ["method", "median", "90 %", gains, "of the best gain", "worse", f"first {FEW}", "runs of each"]
    rows = [
        [
            one.method,
            _interval(one.median),
            _interval(one.p90),
            f"{_gain(goal, one.gain)} of {_gain(goal, one.best_gain)}",
            _share(one.share),
            str(len(one.worse)),
            "" if math.isnan(one.few_median) else _share(one.few_median),
            f">= {one.repetitions}",
        ]
        for one in whole
    ]
    title = f"{goal}: regret by fresh runs of {whole[0].of} applications, with 80 % intervals"
    table(columns, rows, title=title, right=columns[1:])
    if others := len(judgement.fresh) - len(whole):
        click.echo(
            f"left out: {others} whose choices were run again with some applications only, which tells nothing\n"
        )


def _tops(judgement: Judgement) -> None:
    from acic.evaluation.regret import TOPS

    columns = ["method", *(f"first {k}" if k else "all" for k in TOPS)]
    rows = [[one.method, *(_top(judgement.goal, one.figures[k]) for k in TOPS)] for one in judgement.scores]
    title = f"{judgement.goal}: median regret of the best of the first few choices, and mean gain over the baseline"
    table(columns, rows, title=title, right=columns[1:])


def _top(goal: str, figures: Figures) -> str:
    return f"{_share(figures.median)}, {_gain(goal, figures.gain)}"


def _field(judgement: Judgement) -> None:
    """Print figures 5 and 6 as a table: each application's spread, and what the first method that is drawn chose.

    Where none is drawn, it is the first one that is not blind.
    """
    text = _text(judgement.goal)
    choosing = [i for i, one in enumerate(judgement.picks) if len(one) == 1]
    first = next((i for i in choosing if judgement.picks[i][0].method not in UNDRAWN), next(iter(choosing), None))
    if first is None:
        say(f"note: without {FIELD[judgement.goal]}: it cannot be told of a blind choice, which is many")
        return
    picks, made, score = judgement.picks[first][0], judgement.table, judgement.scores[first]
    rows = []
    for application, row, best in zip(made.applications, made.values, judgement.optima, strict=True):
        good = sorted(v for v in row.tolist() if math.isfinite(v))
        value = float(row[picks.ranked[application][0]])
        middle = median(good)
        over = [_gain(judgement.goal, _over(judgement.goal, other, value)) for other in (middle, best.baseline)]
        shown = [text(v) if math.isfinite(v) else "failed" for v in (good[0], value, middle, best.baseline, good[-1])]
        rows.append([" ".join(application), *shown, *over])
    gained = "speed-up" if judgement.goal == "time" else "saved"
    columns = ["application", "best", "chosen", "median", "baseline", "worst", f"{gained} (M)", f"{gained} (B)"]
    table(columns, rows, title=f"{judgement.goal}: what {score.method} chose, measured", right=columns[1:])


def _over(goal: str, other: float, value: float) -> float:
    if goal == "time":
        return other / value
    return 1.0 - value / other


def _optima(judgement: Judgement, *, known: bool) -> None:
    names = list(dict.fromkeys(name for one in judgement.optima for name in one.configuration))
    varying = [n for n in names if len({c.get(n) for c in judgement.table.configurations}) > 1]
    value = "time" if judgement.goal == "time" else "cost"
    columns = ["application", "NP", *varying, value, "over the baseline", "as good"]
    rows = [[*_optimum_row(one, varying, judgement.goal), str(one.near) if known else "-"] for one in judgement.optima]
    distinct = len({one.configuration for one in judgement.optima})
    title = f"{judgement.goal}: the best configuration of each application, {distinct} different ones"
    table(columns, rows, title=title, right=["NP", value, "over the baseline", "as good"])


def _optimum_row(one: Optimum, varying: Sequence[str], goal: str) -> list[str]:
    values = [_value(name, one.configuration.get(name)) for name in varying]
    over = _gain(goal, _over(goal, one.baseline, one.value))
    return [" ".join(one.application), str(one.processes), *values, _text(goal)(one.value), over]


def _ranks(ranks: Sequence[Rank]) -> None:
    from acic.evaluation.ranks import agreement

    goals = list(ranks[0].rank)
    columns = ["parameter", "SC13", *(name for goal in goals for name in (f"rank, {goal}", "worse by"))]
    rows = [
        [
            one.parameter,
            "-" if one.paper is None else str(one.paper),
            *(text for goal in goals for text in (str(one.rank[goal]), f"{one.factor[goal]:.2f}x")),
        ]
        for one in ranks
    ]
    table(columns, rows, title="Which parameters matter: ranks by a screening", right=columns[1:])
    told = ", ".join(f"{agreement(ranks, goal):+.2f} for {goal}" for goal in goals)
    click.echo(f"rank correlation with the paper's order: {told}\n")


def _observations(found: Evaluated) -> None:
    rows = [[one.source, one.says, str(one.holds), one.figures] for one in found.observations]
    table(["SC13", "statement", "here it", "figures"], rows, title="What the paper observed")


def _value(name: str, value: object) -> str:
    return "-" if value is None else format_setting(name, value)


def _text(goal: str) -> Callable[[float], str]:
    return format_seconds if goal == "time" else format_usd


def _gain(goal: str, gain: float) -> str:
    if goal == "time" and gain == 0:
        return "failed"
    return f"{gain:.2f}x" if goal == "time" and not math.isnan(gain) else _share(gain)


def _share(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "failed" if math.isinf(value) else f"{value:.1%}"


def _count(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


def _interval(interval: Interval) -> str:
    ends = "-" if math.isnan(interval.low) else f"{_share(interval.low)} to {_share(interval.high)}"
    return f"{_share(interval.value)} ({ends})"
