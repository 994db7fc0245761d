"""The section with all points, to sort and to search."""

from __future__ import annotations

from collections.abc import Sequence

from acic.report.contents import Contents
from acic.report.html import Markup, element
from acic.report.parts import Column, paragraph, section
from acic.report.results import Result
from acic.report.words import (
    NOTHING,
    configuration_text,
    count_text,
    mib_text,
    number_text,
    times_text,
    workload_text,
)

_NOTE = 200  # characters of a note that are shown
_APART = "Runs of one configuration that were asked for again are rows of their own here; above they count together. "


def points_section(contents: Contents) -> Markup:
    """Return the table of points."""
    listing = contents.listing
    title = "All points" if not listing.left_out else f"{len(listing.points):,} of {listing.total:,} points"
    if not listing.points:
        return section("points", title, paragraph("Nothing is planned yet."))
    columns = _columns(contents)
    head = element(
        "tr", *(element("th", c.name, scope="col", class_=c.kind or None, data_sort=c.kind or "text") for c in columns)
    )
    caption = f"{count_text(len(listing.points), 'point')}: what was run, how it ended, and what it gave"
    return section(
        "points",
        title,
        paragraph(listing.left_out) if listing.left_out else None,
        paragraph(
            "Bandwidth and time are measured; bandwidth is the geometric mean of the runs that count, the improvement "
            "is over the baseline on the same workload. "
            f"{_APART if _asked_again(listing.points) else ''}In print, only the first rows are shown."
        ),
        element("div", class_="filter", id="filter"),
        element(
            "div",
            element(
                "table",
                element("caption", caption),
                element("thead", head),
                element("tbody", *(_row(r, contents) for r in listing.points)),
                id="all-points",
            ),
            class_="scroll tall",
            tabindex=0,
            role="region",
            aria_label="Table of points",
        ),
    )


def _asked_again(points: Sequence[Result]) -> bool:
    return len({(r.workload, r.configuration) for r in points}) < len(points)


def _columns(contents: Contents) -> list[Column]:
    return [
        Column("point", "number"),
        Column("stage"),
        Column("outcome"),
        Column("configuration", "wide"),
        Column("workload", "wide"),
        Column("MiB/s", "number"),
        Column("improvement", "number"),
        *([Column("cost improvement", "number")] if contents.priced else []),
        Column("runs", "number"),
        Column("time, s", "number"),
        *([Column("cost, $", "number")] if contents.priced else []),
        Column("note", "wide"),
    ]


def _row(result: Result, contents: Contents) -> Markup:
    platform = contents.field.platform
    gain = result.gain
    setting = configuration_text(result.configuration, platform.baseline, platform.space)
    number = {"class_": "number"}
    improvement = "1 (baseline)" if result.baseline and result.bandwidths else times_text(gain.value if gain else None)
    return element(
        "tr",
        element("th", str(result.number), scope="row", **number),
        element("td", result.stage),
        element("td", element("span", result.outcome, class_=f"outcome {result.outcome.replace(' ', '-')}")),
        element("td", setting, " (unsafe)" if result.unsafe else None),
        element("td", workload_text(result.workload)),
        element("td", mib_text(result.bandwidth), **number),
        element("td", improvement, **number),
        element("td", times_text(gain.cost if gain else None), **number) if contents.priced else None,
        element("td", str(result.runs), **number),
        element("td", number_text(result.seconds) if result.runs else NOTHING, **number),
        element("td", number_text(result.dollars) if result.runs else NOTHING, **number) if contents.priced else None,
        element("td", result.note[:_NOTE] + ("…" if len(result.note) > _NOTE else "")),
        id=f"p{result.number}",
    )
