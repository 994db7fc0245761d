"""The numbers that a report shows, against calculations of their own from the journal's lines."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acic.campaign.session import Session
from acic.campaign.state import replay
from acic.report.contents import Contents, figures
from acic.report.course import thinned
from acic.store.measurement import Outcome
from acic.units import MIB, format_seconds
from tests.report.conftest import NOW, Open, reported
from tests.report.journals import Made
from tests.report.reading import Seen, by_id, table_rows, words

Usual = tuple[Session, Contents, str]
THREE = """
name = "three"
title = "Three configurations"
revision = "1"
source = "made up"
date = "2026-11-20"
default_instance = "node"
[baseline]
source = "made up"
date = "2026-11-20"
[baseline.values]
romio_cb_write = "automatic"
[[parameter]]
name = "romio_cb_write"
values = ["automatic", "enable", "disable"]
[[instance]]
name = "node"
cores = 2
source = "made up"
date = "2026-11-20"
"""


def finished(session: Session) -> list[dict[str, Any]]:
    lines = (session.journal.folder / "journal.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "finished"]


def good_logs(session: Session) -> dict[int, list[float]]:
    """The logarithms of bandwidth of each point's runs that count."""
    found: dict[int, list[float]] = defaultdict(list)
    for event in finished(session):
        if event["outcome"] == "ok":
            found[event["point"]].append(math.log(event["figures"]["bandwidth"]))
    return found


def improvements(session: Session) -> dict[int, float]:
    """Each point's improvement over its baseline, by itself: plain loops over the plan and the journal."""
    state = replay(session.journal.events(), session.field)
    logs = good_logs(session)
    base: dict[Any, list[float]] = {}
    for progress in state.progress:
        if progress.point.configuration == session.platform.baseline and logs[progress.number]:
            rows = base.setdefault(progress.point.workload, [])
            rows.append(statistics.mean(logs[progress.number]))
    found = {}
    for progress in state.progress:
        point = progress.point
        if point.configuration != session.platform.baseline and logs[progress.number] and point.workload in base:
            mean = statistics.mean(logs[progress.number])
            found[progress.number] = math.exp(mean - statistics.median(base[point.workload]))
    return found


def test_the_headline_counts_what_the_journal_holds(usual: Usual) -> None:
    session, contents, page = usual
    events, brief = finished(session), contents.headline
    assert brief.summary.runs == len(events)
    assert brief.summary.outcomes == dict(Counter(e["outcome"] for e in events))
    assert brief.summary.seconds == pytest.approx(sum(e["elapsed"] for e in events))
    assert brief.summary.dollars == pytest.approx(sum(e["dollars"] for e in events))
    assert brief.summary.verified == sum(e["verified"] for e in events)
    assert brief.overhead_share == pytest.approx(sum(e["overhead"] for e in events) / sum(e["elapsed"] for e in events))
    assert brief.summary.lost == 0
    tiles = Seen(page).text
    assert f"{len(events):,}" in tiles
    assert format_seconds(sum(e["elapsed"] for e in events)) in tiles


def test_failures_are_grouped_by_what_is_the_same_in_their_notes(usual: Usual) -> None:
    session, contents, _ = usual
    bad = [e for e in finished(session) if e["outcome"] != "ok"]
    groups = contents.headline.troubles
    assert sum(g.runs for g in groups) == len(bad)
    assert {g.outcome: g.runs for g in groups} == dict(Counter(e["outcome"] for e in bad))
    assert len(groups) == len({e["outcome"] for e in bad})
    corrupt = next(g for g in groups if g.outcome == "corrupt")
    assert corrupt.configurations == len(contents.headline.summary.unsafe) == 1


def test_what_failures_have_in_common_is_told(campaign: Open) -> None:
    session = campaign(Made(sampled=80))
    path = session.journal.folder / "journal.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    state = replay(iter(events), session.field)
    for event in events:  # every run on ephemeral disks without a shared file fails
        if event["event"] == "finished":
            point = state.progress[event["point"]].point
            if point.configuration["device"] == "ephemeral" and not point.workload.shared:
                event |= {"outcome": "failed", "figures": None, "note": f"disk {event['run']} is gone"}
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    (group,) = reported(session)[0].headline.troubles
    assert group.common == {"device": "ephemeral", "shared": "no"}
    assert group.why.startswith("disk ")


def test_improvements_are_ratios_of_geometric_means(usual: Usual) -> None:
    session, contents, _ = usual
    expected, logs = improvements(session), good_logs(session)
    points = {r.number: r for r in contents.listing.points}
    assert {n for n, r in points.items() if r.gain} == set(expected)
    for number, value in expected.items():
        gain = points[number].gain
        assert gain is not None
        assert gain.value == pytest.approx(value)
        assert gain.low < gain.value < gain.high
        assert points[number].bandwidth == pytest.approx(math.exp(statistics.mean(logs[number])))
        assert points[number].middle == pytest.approx(math.exp(statistics.median(logs[number])), rel=0.05)
    assert contents.compared == len(expected)


def test_cost_improvement_is_that_of_dollars_per_byte(usual: Usual) -> None:
    session, contents, _ = usual
    platform = session.platform
    for result in contents.listing.points:
        if result.gain:
            processes = result.workload.processes
            own, base = (platform.cost(c, processes, 1.0) for c in (result.configuration, platform.baseline))
            assert result.gain.cost == pytest.approx(result.gain.value * base / own)


def test_the_best_are_safe_sorted_and_none_beats_them(usual: Usual) -> None:
    session, contents, page = usual
    expected = improvements(session)
    state = replay(session.journal.events(), session.field)
    safe = [n for n in expected if state.progress[n].point.configuration not in state.unsafe]
    values = [r.gain.value for r in contents.best if r.gain]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(max(expected[n] for n in safe))
    assert len({r.workload for r in contents.best}) == len(contents.best)  # of many workloads, one each
    rows = table_rows(by_id(page, "best"))
    assert [float(row[2].rstrip("\u00d7")) for row in rows] == pytest.approx(values, rel=5e-3)
    for row in rows:
        own, base = float(row[5]), float(row[6])
        assert own / base == pytest.approx(float(row[2].rstrip("\u00d7")), rel=0.02)  # what is shown agrees with itself


def test_unsafe_configurations_are_named_and_never_recommended(usual: Usual) -> None:
    _, contents, page = usual
    assert not any(r.unsafe for r in contents.best)
    assert "Do not use" in words(by_id(page, "troubles"))
    marked = [row for row in table_rows(by_id(page, "points")) if "(unsafe)" in row[3]]
    assert len(marked) == sum(r.unsafe for r in contents.listing.points) > 0


def test_repetitions_are_shown_with_their_median_in_mib(usual: Usual) -> None:
    session, contents, page = usual
    logs = good_logs(session)
    rows = table_rows(by_id(page, "spread"))
    assert len(rows) == len(contents.spread)
    most = max(len(x) for n, x in logs.items())
    assert max(len(r.bandwidths) for r in contents.spread) == most
    for row in rows:
        number = int(row[7].lstrip("#"))
        mibs = [math.exp(x) / MIB for x in logs[number]]
        shown = [float(row[i]) for i in (3, 4, 5)]
        assert shown == pytest.approx([statistics.median(mibs), min(mibs), max(mibs)], rel=5e-3)
        assert int(row[6]) == len(mibs)
    circles = list(by_id(page, "spread").iter("circle"))
    assert len(circles) == 2 * sum(len(r.bandwidths) for r in contents.spread)


def test_effect_factors_are_those_between_the_two_ends(usual: Usual) -> None:
    """An effect's factor is that of the geometric means of time at the two levels; failed runs count at neither."""
    from acic.campaign.screening import _design, screening_rows

    session, contents, page = usual
    design, names, _ = _design(session.field)
    state = replay(session.journal.events(), session.field)
    by_row = {p.row.tobytes(): p for p in state.progress[: len(design)]}
    times = []
    for row in screening_rows(session.field):
        bandwidths = by_row[row.tobytes()].bandwidths
        times.append(-math.log(statistics.median(bandwidths)) if bandwidths else math.nan)
    y = np.array(times)
    known = np.isfinite(y)
    assert contents.screening == (known.sum(), len(y))
    assert 0 < known.sum() < len(y)
    assert f"the {known.sum()} of {len(y)} screening runs that gave a figure" in words(by_id(page, "effects"))
    y[~known] = y[known].mean()
    effects = {e.parameter: e for e in contents.effects["time"]}
    assert set(contents.effects) == {"time", "cost"}
    for column, name in enumerate(names):
        high, low = y[design[:, column] > 0].mean(), y[design[:, column] < 0].mean()
        assert effects[name].factor == pytest.approx(math.exp(abs(high - low) / known.mean()))
    assert [e.rank for e in contents.effects["time"]] == list(range(1, len(names) + 1))
    assert [e.parameter for e in contents.effects["time"]] == [n for n in state.ranks["time"] if n in names]


def test_model_figures_follow_from_the_pairs_shown(usual: Usual) -> None:
    session, contents, page = usual
    error, expected = contents.model, improvements(session)
    assert error.scores is not None
    assert {p.number for p in error.pairs} == set(expected)  # no baselines among them
    measured = np.array([p.measured for p in error.pairs])
    predicted = np.array([p.predicted for p in error.pairs])
    assert measured == pytest.approx([expected[p.number] for p in error.pairs])
    assert error.scores.mape == pytest.approx(np.mean(np.abs(predicted / measured - 1)))
    y = np.log(measured)
    r2_log = 1 - ((y - np.log(predicted)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert error.scores.r2_log == pytest.approx(r2_log)
    assert error.scores.rows == len(error.pairs)
    shown = {row[0]: row[1] for row in table_rows(by_id(page, "model"), caption="Error")}
    assert shown["MAPE"] == f"{error.scores.mape:.0%}"
    assert float(shown["R² of the logarithm"]) == pytest.approx(r2_log, rel=5e-3)


def test_held_out_points_are_predicted_without_themselves(campaign: Open) -> None:
    """Changing one point's figure changes what is predicted of it by no model that had not seen it."""
    session = campaign(Made(sampled=60, most=1))
    before = {p.number: p.predicted for p in reported(session)[0].model.pairs}
    changed = max(before)
    path = session.journal.folder / "journal.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        if event["event"] == "finished" and event["point"] == changed:
            event["figures"]["bandwidth"] *= 50
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    after = {p.number: p for p in reported(session)[0].model.pairs}
    assert after[changed].predicted == pytest.approx(before[changed])
    assert any(after[n].predicted != pytest.approx(before[n]) for n in before if n != changed)


def test_the_course_rises_and_ends_at_what_the_headline_says(usual: Usual) -> None:
    _, contents, _ = usual
    steps = contents.course
    for name in ("seconds", "dollars", "points", "best"):
        values = [getattr(s, name) for s in steps]
        known = [value for value in values if value is not None]
        assert known == sorted(known), name
        assert values[len(values) - len(known) :] == known, name
    last, brief = steps[-1], contents.headline.summary
    assert last.seconds == pytest.approx(brief.seconds)
    assert last.dollars == pytest.approx(brief.dollars)
    assert last.points == brief.measured
    assert contents.best[0].gain
    assert last.best == contents.best[0].gain.value
    checkpoints = contents.model.course
    assert contents.model.scores
    assert checkpoints[-1].mape == contents.model.scores.mape
    assert [c.points for c in checkpoints] == sorted(c.points for c in checkpoints)


def test_a_small_platform_has_a_report_while_few_points_were_measured(campaign: Open, tmp_path: Path) -> None:
    """Five points could be told the error of, and four of them, on the way there, ended the report with an error."""
    platform = tmp_path / "three.toml"
    platform.write_text(THREE)
    contents, page = reported(campaign(Made(platform=str(platform), screen=False, sampled=3, most=1)))
    assert contents.model.scores is not None
    assert contents.model.learned_from == 5
    assert [c.points for c in contents.model.course] == [5]
    assert by_id(page, "model")


def test_thinning_keeps_the_ends_and_every_rise(usual: Usual) -> None:
    _, contents, _ = usual
    few = thinned(contents.course, 40)
    assert len(few) <= 80
    assert (few[0], few[-1]) == (contents.course[0], contents.course[-1])
    assert {s.best for s in few} == {s.best for s in contents.course}


def test_no_improvement_is_told_without_a_baseline(campaign: Open) -> None:
    contents, page = reported(campaign(Made(sampled=20, screen=False, baselines=False)))
    assert not contents.best
    assert contents.compared == 0
    assert contents.model.scores is None
    assert "no baseline was measured" in words(by_id(page, "best"))
    assert "There is no figure yet" in words(by_id(page, "model"))


def test_where_all_failed_no_improvement_is_told_and_all_are_counted(campaign: Open) -> None:
    """The course told "1.00x" and drew it as measured, and the point that the campaign paused at was not counted."""
    session = campaign(Made(sampled=0, trouble={Outcome.FAILED: 1.0}))
    contents, page = reported(session)
    summary = contents.headline.summary
    assert {s.best for s in contents.course} == {None}
    assert "1.00x" not in words(by_id(page, "course"))
    assert "Best improvement found" not in words(by_id(page, "course"))
    assert summary.failed == summary.planned == contents.listing.total
    path = session.journal.folder / "journal.jsonl"
    lines = path.read_text().splitlines()
    (stored,) = [n for n, line in enumerate(lines) if json.loads(line)["event"] == "stored"][-1:]
    path.write_text("".join(f"{line}\n" for n, line in enumerate(lines) if n != stored))
    assert reported(session)[0].headline.summary.failed == summary.failed


def test_the_printed_figures_are_those_of_the_page(usual: Usual) -> None:
    from acic.cli.output import plain

    session, contents, _ = usual
    told = json.loads(json.dumps(plain(figures(contents)), allow_nan=False))
    assert told["headline"]["summary"]["runs"] == contents.headline.summary.runs
    assert told["made"] == NOW.isoformat()
    assert told["points"] == {"total": len(contents.listing.points), "listed": len(contents.listing.points)}
    assert told["best"][0]["gain"]["value"] == pytest.approx(max(improvements(session).values()))
    assert Outcome.CORRUPT in told["headline"]["summary"]["outcomes"]


def test_a_configuration_that_lost_bytes_once_is_among_the_best_no_more(campaign: Open) -> None:
    """Good runs do not save it: the bytes of most runs are not checked."""
    session = campaign(Made(sampled=40))
    before = reported(session)[0]
    best = before.best[0]
    assert best.gain
    session.journal.append("planned", stage="sampling", rows=[_row(session, best.number)])
    added = len(replay(session.journal.events(), session.field).progress) - 1
    last = finished(session)[-1] | {"run": 10_000, "point": added, "outcome": "corrupt", "figures": None}
    session.journal.append("started", run=10_000, point=added, job="x")
    session.journal.append(**last)
    after = reported(session)[0]
    assert best.configuration not in [r.configuration for r in after.best]
    assert after.course[-1].best is not None
    assert after.course[-1].best < best.gain.value
    assert {r.number for r in after.listing.points if r.unsafe} >= {best.number, added}
    assert after.headline.summary.lost == 10_001 - len(finished(session))  # the journal's run numbers have a gap now


def test_runs_of_one_configuration_count_together_whichever_points_asked_for_them(campaign: Open) -> None:
    """Each round of a verification was a row of its own, and the luckiest the best: 2.67x, where it told 1.24x."""
    session = campaign(Made(screen=False, sampled=1, most=1))
    base, other = finished(session)
    session.journal.append("planned", stage="repeat", rows=[_row(session, number) for number in (0, 1, 1)])
    for run, (event, factor) in enumerate([(base, 4.0), (other, 100.0), (other, 0.1)], 2):
        figures = event["figures"] | {"bandwidth": event["figures"]["bandwidth"] * factor}
        session.journal.append("started", run=run, point=run, job="x")
        session.journal.append(**event | {"run": run, "point": run, "figures": figures})
    contents, page = reported(session)
    logs = good_logs(session)
    (best,) = contents.best
    assert best.gain
    assert best.gain.value == pytest.approx(
        math.exp(statistics.mean([*logs[1], *logs[3], *logs[4]]) - statistics.mean([*logs[0], *logs[2]]))
    )
    assert (best.runs, len(best.bandwidths), contents.compared) == (3, 3, 1)
    assert contents.course[-1].best == max(1.0, best.gain.value)
    assert [len(r.bandwidths) for r in contents.spread] == [3, 2]
    assert len(contents.listing.points) == 5
    assert "above they count together" in words(by_id(page, "points"))


def _row(session: Session, number: int) -> list[int]:
    return [int(v) for v in replay(session.journal.events(), session.field).progress[number].row]
