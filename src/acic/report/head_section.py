"""The head of the page: the campaign in brief, what failed and why, and how it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from acic.campaign.request import TRAIN, Request
from acic.filesystems import LAB
from acic.platforms import Platform
from acic.report.contents import Contents
from acic.report.headline import Trouble
from acic.report.html import Markup, element, join
from acic.report.model_error import ModelError
from acic.report.model_section import useless
from acic.report.parts import Column, paragraph, section, table
from acic.report.pictures import bar
from acic.report.words import NOTHING, configuration_text, count_text, money_text, percent_text, times_text, value_text
from acic.units import format_seconds


def header(contents: Contents) -> Markup:
    """Return the page's title, the status, and the figures that matter most."""
    brief = contents.headline
    state, _, why = brief.summary.status.partition(": ")
    return element(
        "header",
        paragraph("acic campaign report", kind="kind"),
        element("h1", brief.summary.name),
        paragraph(
            element("span", state, class_=f"status {state}"),
            element("span", why, class_="why") if why else None,
            element("span", f"{brief.title} ({brief.summary.platform})", class_="platform"),
        ),
        element("dl", *_tiles(contents), class_="tiles"),
    )


def _tiles(contents: Contents) -> list[Markup]:
    brief, numbers = contents.headline, contents.headline.summary
    best = contents.best[0].gain if contents.best else None
    used = None if brief.used is None else bar(brief.used, f"{percent_text(brief.used)} of the budget is used")
    apart = [
        f"{count} {what}"
        for count, what in ((numbers.failed, "gave nothing"), (numbers.skipped, "left alone"))
        if count
    ]
    tiles = [
        tile("points measured", f"{numbers.measured:,}", f"of {numbers.planned:,} planned", ", ".join(apart) or None),
        tile("runs", f"{numbers.runs:,}", _outcomes(contents)),
        tile("time spent", format_seconds(numbers.seconds), f"budget {brief.budget}", used),
    ]
    if numbers.dollars is not None:
        tiles.append(tile("money spent", money_text(numbers.dollars), "for the machines of all runs"))
    tiles.append(
        tile(
            "best improvement",
            times_text(best.value) if best else NOTHING,
            f"80 % interval {times_text(best.low)} to {times_text(best.high)}"
            if best
            else "no safe point compared yet",
        )
    )
    scores = contents.model.scores
    tiles.append(
        tile(
            "model error",
            percent_text(scores.mape) if scores else NOTHING,
            _error_told(contents.model),
        )
    )
    tiles.append(tile("verified runs", f"{numbers.verified:,}", "bytes read back and right"))
    share = brief.overhead_share
    tiles.append(
        tile(
            "overhead per run",
            format_seconds(numbers.overhead) if numbers.overhead is not None else NOTHING,
            f"median; {percent_text(share)} of the time spent" if share is not None else "no run yet",
        )
    )
    return tiles


def _error_told(error: ModelError) -> str:
    if error.scores is None:
        return "too few points"
    return "no better than the mean" if useless(error.scores) else "of points it had not seen, predicted"


def tile(name: str, value: str, *more: object) -> Markup:
    """Return a figure with its name, and what is to be said of it below."""
    said = [element("dd", one, class_="more") for one in more if one]
    return element("div", element("dt", name), element("dd", value, class_="figure"), *said)


def _outcomes(contents: Contents) -> str:
    brief = contents.headline.summary
    counts, lost = brief.outcomes, [f"{brief.lost} lost"] if brief.lost else []
    return ", ".join([*(f"{n:,} {outcome}" for outcome, n in counts.items()), *lost]) or "none yet"


def trouble_section(contents: Contents) -> Markup:
    """Return what failed and why, the unsafe configurations, and remarks on runs that count."""
    brief = contents.headline
    return section(
        "troubles",
        "What went wrong",
        _unsafe(contents),
        _groups("Runs that gave nothing, and points left alone", brief.troubles)
        if brief.troubles
        else paragraph("Every run that ended gave a figure that counts." if brief.summary.runs else "Nothing ran yet."),
        _groups("Remarks on runs that count", brief.remarks) if brief.remarks else None,
        paragraph(
            f"{count_text(brief.summary.lost, 'run')} began and nobody saw the end, as acic was killed meanwhile, or "
            "the budget ended, or a folder of the run's name was there already."
        )
        if brief.summary.lost
        else None,
    )


def _unsafe(contents: Contents) -> Markup:
    unsafe = contents.headline.summary.unsafe
    if not unsafe:
        verified = contents.headline.summary.verified
        said = f"No wrong bytes were seen; {count_text(verified, 'run')} had the bytes read back and compared."
        return paragraph(said, kind="good" if verified else None)
    platform = contents.field.platform
    names = [
        element(
            "li",
            configuration_text(
                {k: v for k, v in c.items() if isinstance(v, str | int | float | bool)},
                platform.baseline,
                platform.space,
            ),
        )
        for c in unsafe
    ]
    title = f"{count_text(len(unsafe), 'configuration')} gave back wrong bytes. Do not use:"
    return element("div", paragraph(element("strong", title)), element("ul", *names), class_="alarm", role="note")


def _groups(title: str, troubles: Sequence[Trouble]) -> Markup:
    columns = [
        Column("why", "wide"),
        Column("outcome"),
        Column("runs", "number"),
        Column("points", "number"),
        Column("configurations", "number"),
        Column("all of them have", "wide"),
    ]
    rows = [
        [
            t.why or "no reason was given",
            element("span", t.outcome, class_=f"outcome {t.outcome.replace(' ', '-')}"),
            f"{t.runs:,}" if t.runs else NOTHING,
            f"{t.points:,}",
            f"{t.configurations:,}",
            ", ".join(f"{name} {value}" for name, value in t.common.items()) or NOTHING,
        ]
        for t in troubles
    ]
    return table(title, columns, rows)


def method_section(contents: Contents) -> Markup:
    """Return how the campaign was made, as far as its journal tells."""
    request, brief, platform = contents.request, contents.headline, contents.field.platform
    repeats = request.repeats
    values = {p.name: value_text(p, platform.baseline.get(p.name)) for p in platform.space.parameters}
    facts: list[tuple[str, object]] = [
        ("platform", f"{brief.title} ({brief.summary.platform}), revision {platform.revision}"),
        ("baseline", ", ".join(f"{name} {value}" for name, value in values.items())),
        ("workloads", f"{len(contents.field.like)} given" if contents.field.like else "the platform's training ones"),
        ("begun", _moment(brief.began)),
        ("last run", _moment(brief.last) if brief.last else "none"),
        ("budget", brief.budget if brief.used is None else f"{brief.budget}; {percent_text(brief.used)} used"),
        ("plan", _plan(request)),
        ("repetitions", f"{repeats.fewest} to {repeats.most}, until known within {percent_text(repeats.precision)}"),
        ("bytes checked", f"in {percent_text(request.verify)} of the runs, and where bytes are known to get lost"),
        ("benchmark", ", ".join(brief.versions) or NOTHING),
        ("runs made by", _made_by(request, platform)),
        ("seed", str(request.seed)),
        ("measured by", request.contributor or NOTHING),
    ]
    pairs = [element("div", element("dt", name), element("dd", value)) for name, value in facts]
    return section("method", "How it was measured", element("dl", *pairs, class_="facts"))


def _plan(request: Request) -> str:
    if request.kind != TRAIN:
        return f"what acic {request.kind} asked for"
    sampled = "the model chooses" if request.active else "all parameters at once" if request.spread else "by rank"
    return f"screening, then {sampled}" if request.screen else sampled


def _made_by(request: Request, platform: Platform) -> str:
    where = request.where
    if where.runner == LAB:  # which has its own nodes, and its own place for files
        return f"the lab, {count_text(platform.compute_nodes or 1, 'node')} each"
    return f"{where.runner}, {count_text(where.nodes, 'machine')} each, in {where.directory or '.'}"


def footer(contents: Contents) -> Markup:
    """Return who made the page, and when."""
    made = f"Made by acic {contents.version} on {_moment(contents.made)}, from the journal of the campaign. "
    legend = (
        "Improvement: the baseline's time over the configuration's, same workload, as a ratio of geometric means. "
        "1 MiB is 1,048,576 bytes."
    )
    return element("footer", paragraph(join([made, legend])))


def _moment(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M %Z}".strip()
    except ValueError:
        return text
