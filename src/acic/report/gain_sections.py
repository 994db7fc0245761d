"""The sections on what was measured: effects, the best configurations, and how far repetitions lie apart."""

from __future__ import annotations

from acic.report.axis import Axis, log_axis
from acic.report.choice import BEST
from acic.report.contents import Contents
from acic.report.effects import Effect
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, paragraph, point_link, section, table
from acic.report.pictures import bar, interval, ruler, strip
from acic.report.results import Result
from acic.report.words import (
    configuration_text,
    count_text,
    mib_text,
    share_tick,
    tick_text,
    times_text,
    times_tick,
    workload_text,
)
from acic.units import MIB, format_bandwidth


def effects_section(contents: Contents) -> Markup:
    """Return the effects as bars, one row for each parameter, one column for each goal."""
    if not contents.effects:
        return section("effects", "What matters most", paragraph("There is no complete screening in this campaign."))
    goals = list(contents.effects)
    by_name = {goal: {e.parameter: e for e in effects} for goal, effects in contents.effects.items()}
    largest = max(max((e.size for e in effects), default=0.0) for effects in contents.effects.values())
    columns = [Column("parameter")]
    for goal in goals:
        columns += [
            Column(f"rank for {goal}", "number"),
            Column(f"effect on {goal}", "picture"),
            Column("factor", "number"),
        ]
    rows = []
    for first in contents.effects[goals[0]]:
        row: list[object] = [first.parameter]
        for goal in goals:
            row += _effect(by_name[goal].get(first.parameter), goal, largest)
        rows.append(row)
    return section(
        "effects",
        "What matters most",
        paragraph(
            basis("measured"),
            " by the Plackett-Burman screening. The factor is that between the two ends of the parameter's range, on "
            f"average over {_screening(contents)}, whichever end is the better one. A small effect may be chance.",
        ),
        table("Effects of the parameters, the largest first", columns, rows, kind="chart effects"),
    )


def _screening(contents: Contents) -> str:
    """Return which runs the effects are of."""
    known, whole = contents.screening or (0, 0)
    return "all screening runs" if known == whole else f"the {known:,} of {whole:,} screening runs that gave a figure"


def _effect(effect: Effect | None, goal: str, largest: float) -> list[object]:
    if effect is None:
        return ["", "", ""]
    label = f"{effect.parameter}: rank {effect.rank} for {goal}, factor {times_text(effect.factor)}"
    share = effect.size / largest if largest > 0 else 0.0
    return [str(effect.rank), bar(share, label, kind=goal), times_text(effect.factor)]


def best_section(contents: Contents) -> Markup:
    """Return the best configurations so far, as a picture in a table."""
    title = "Best configurations so far"
    if not contents.best:
        why = (
            "No improvement can be told: no baseline was measured."
            if not contents.baselines
            else "No safe configuration was measured with a workload that the baseline was measured with, too."
        )
        return section("best", title, paragraph(why))
    gains = [r.gain for r in contents.best if r.gain]
    axis = log_axis([v for g in gains for v in (g.low, g.high)], times_tick, with_value=1.0)
    columns = [
        Column("what differs from the baseline; workload", "wide"),
        Column(join(["improvement", ruler(axis)]), "picture"),
        Column("improvement", "number"),
        Column("80 % interval", "number"),
        *([Column("cost improvement", "number")] if contents.priced else []),
        Column("MiB/s", "number"),
        Column("baseline, MiB/s", "number"),
        Column("runs", "number"),
        Column("point", "number"),
    ]
    return section(
        "best",
        title,
        paragraph(
            basis("measured"),
            f" {count_text(contents.compared, 'point')} could be compared with the baseline on the same workload "
            f"({count_text(contents.baselines, 'workload')}). {_shown(contents)}. The bar is the 80 % interval that "
            "the repetitions leave; the upright dashed line is the baseline. The best of many is partly luck: verify "
            "before you rely on it.",
        ),
        table(
            "Improvement over the baseline", columns, [_best(r, contents, axis) for r in contents.best], kind="chart"
        ),
    )


def _shown(contents: Contents) -> str:
    """Return which workloads the table of the best tells of."""
    if contents.workloads <= BEST:
        return "Shown are the best of each workload"
    return f"Shown is the best of each of the {BEST} workloads that gain most, of {contents.workloads:,} compared"


def _best(result: Result, contents: Contents, axis: Axis) -> list[object]:
    gain = result.gain
    if gain is None or result.bandwidth is None:
        raise ValueError("a point without an improvement is none of the best")
    span = f"{times_text(gain.low)} to {times_text(gain.high)}"
    label = f"point {result.number}: improvement {times_text(gain.value)}, 80 % interval {span}"
    return [
        named(result, contents),
        interval(axis, gain.low, gain.value, gain.high, label, neutral=1.0),
        element("strong", times_text(gain.value)),
        span,
        *([times_text(gain.cost)] if contents.priced else []),
        mib_text(result.bandwidth),
        mib_text(result.bandwidth / gain.value),
        str(len(result.bandwidths)),
        point_link(result.number),
    ]


def named(result: Result, contents: Contents) -> Markup:
    """Return a point's configuration, with its workload below."""
    platform = contents.field.platform
    setting = configuration_text(result.configuration, platform.baseline, platform.space)
    return join(
        [element("span", setting, class_="setting"), element("span", workload_text(result.workload), class_="load")]
    )


def spread_section(contents: Contents) -> Markup:
    """Return the repetitions of the points that were run most often, and of the baselines."""
    title = "Spread of repetitions"
    if not contents.spread:
        return section("spread", title, paragraph("No point was run more than once."))
    axis = log_axis([b / MIB for r in contents.spread for b in r.bandwidths], tick_text)
    around = log_axis([b / _middle(r) for r in contents.spread for b in r.bandwidths], _off, with_value=1.0)
    columns = [
        Column("configuration and workload", "wide"),
        Column(join(["bandwidth, MiB/s", ruler(axis)]), "picture place"),
        Column(join(["around its own median", ruler(around)]), "picture"),
        Column("median", "number"),
        Column("lowest", "number"),
        Column("highest", "number"),
        Column("runs", "number"),
        Column("point", "number"),
    ]
    rows = [_spread(r, contents, axis, around) for r in contents.spread]
    return section(
        "spread",
        title,
        paragraph(
            basis("measured"),
            " The points with the most repetitions, and below them the baselines with the most (open circles). One "
            "circle is one run, the upright stroke is the median. Both axes are logarithmic.",
        ),
        table("Bandwidth of single runs, MiB/s", columns, rows, kind="chart"),
    )


def _spread(result: Result, contents: Contents, axis: Axis, around: Axis) -> list[object]:
    middle, low, high = _middle(result), min(result.bandwidths), max(result.bandwidths)
    said = [format_bandwidth(b) for b in result.bandwidths]
    kind = "base" if result.baseline else "measured"
    label = f"point {result.number}: {len(said)} runs from {format_bandwidth(low)} to {format_bandwidth(high)}"
    relative = [b / middle for b in result.bandwidths]
    return [
        named(result, contents),
        strip(axis, [b / MIB for b in result.bandwidths], middle / MIB, label, said, kind),
        strip(around, relative, 1.0, f"{label}, around the median", [_off(r) for r in relative], kind),
        mib_text(middle),
        mib_text(low),
        mib_text(high),
        str(len(said)),
        point_link(result.number),
    ]


def _middle(result: Result) -> float:
    return result.middle or 1.0


def _off(ratio: float) -> str:
    """Return how far a ratio is from one, in percent, or as a factor where it is far."""
    if 0.5 < ratio < 2:
        return share_tick(round(ratio - 1, 3), sign="+") if abs(ratio - 1) > 0.0005 else "0 %"
    return times_text(ratio)
