"""The section on the model's error."""

from __future__ import annotations

from acic.models.evaluate import Scores
from acic.report.axis import log_axis
from acic.report.contents import Contents, worst_pairs
from acic.report.gain_sections import named
from acic.report.html import Markup, element, join
from acic.report.model_error import ModelError, Pair
from acic.report.parts import Column, basis, figure, paragraph, point_link, section, table
from acic.report.pictures import Dot, scatter
from acic.report.words import count_text, number_text, percent_text, times_text, times_tick

USELESS = "The mean of all points would predict as well as the model does: do not rely on its answers yet."


def model_section(contents: Contents) -> Markup:
    """Return predicted against measured, with the figures, or why there are none."""
    error = contents.model
    title = "How well the model predicts"
    if error.scores is None:
        return section(
            "model",
            title,
            paragraph(f"There is no figure yet: {error.why_not}."),
            _without(error),
        )
    return section(
        "model",
        title,
        paragraph(
            "Each point's improvement over the baseline, as ",
            basis("measured"),
            " and as ",
            basis("predicted"),
            f" by the default model ({error.model}) that had not seen the point: {error.scores.folds}-fold "
            "cross-validation, runs of the same workload and configuration always in the same fold.",
        ),
        paragraph(element("strong", USELESS)) if useless(error.scores) else None,
        _without(error),
        element("div", _picture(error), _scores(error.scores), class_="pair"),
        _worst(contents),
    )


def useless(scores: Scores) -> bool:
    """Return whether the mean of what was measured predicts as well as the model does."""
    return not scores.r2_log > 0


def _without(error: ModelError) -> Markup | None:
    said = []
    if error.without_baseline:
        said.append(
            f"{count_text(error.without_baseline, 'point')} could not take part: the baseline was not measured with "
            "the same workload."
        )
    if error.left_out:
        said.append(
            f"Of many points {error.learned_from:,} were drawn at random; {error.left_out:,} are left out, so a "
            "model that learns from all is rather better than this."
        )
    return paragraph(" ".join(said)) if said else None


def _picture(error: ModelError) -> Markup:
    axis = log_axis([v for p in error.pairs for v in (p.measured, p.predicted)], times_tick, with_value=1.0)
    dots = [Dot(p.measured, p.predicted, f"point {p.number}: {_both(p)}") for p in error.pairs]
    label = (
        f"Predicted against measured improvement of {len(error.pairs)} points; the numbers are in the table beside it."
    )
    return figure(
        join(
            [
                "Improvement: ",
                basis("predicted"),
                " upwards, ",
                basis("measured"),
                " to the right. On the dashed line both are the same.",
            ]
        ),
        scatter(axis, axis, dots, label),
    )


def _scores(scores: Scores) -> Markup:
    rows = [
        ["R²", number_text(scores.r2), "share of the variance of bandwidth that is explained"],
        ["R² of the logarithm", number_text(scores.r2_log), "likewise, of log improvement: fast and slow count alike"],
        ["MAPE", percent_text(scores.mape), "mean absolute error of bandwidth, over the measured one"],
        ["rank correlation", number_text(scores.spearman), "Spearman's: does the order come out right?"],
        ["pick / best", percent_text(scores.top1), "bandwidth of the model's pick over the best of its fold, median"],
        ["in 80 % interval", percent_text(scores.coverage), "points that lie in the interval stated for them"],
        ["points scored", f"{scores.rows:,}", "the baselines are learned from, not scored"],
    ]
    columns = [Column("figure"), Column("value", "number"), Column("meaning", "wide")]
    return table("Error on points the model had not seen", columns, rows)


def _worst(contents: Contents) -> Markup:
    points = {r.number: r for r in contents.listing.points}
    columns = [
        Column("what differs from the baseline; workload", "wide"),
        Column("measured", "number"),
        Column("predicted", "number"),
        Column("predicted / measured", "number"),
        Column("point", "number"),
    ]
    rows = [
        [
            named(points[p.number], contents),
            times_text(p.measured),
            times_text(p.predicted),
            times_text(p.predicted / p.measured),
            point_link(p.number),
        ]
        for p in worst_pairs(contents.model)
    ]
    return table("Where the model is most wrong: improvement", columns, rows)


def _both(pair: Pair) -> str:
    return f"measured {times_text(pair.measured)}, predicted {times_text(pair.predicted)}"
