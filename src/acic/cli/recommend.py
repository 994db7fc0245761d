"""`acic recommend`: the main job."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.advice_options import advice_options, learned
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.store_option import store_option
from acic.cli.workload_input import read_workload, workload_input
from acic.units import format_bytes, format_seconds, format_usd
from acic.whole import whole

if TYPE_CHECKING:
    from acic.advisor.advice import Advice, Estimate, Recommendation
    from acic.blueprints import Instruction
    from acic.platforms import Platform
    from acic.space import Value


@click.command(epilog="Example: acic recommend run.darshan --platform tianhe-lustre --top 3")
@click.option("--platform", "platform_name", required=True, help="A platform's name (`acic platform list`) or file.")
@click.option(
    "--goal", type=click.Choice(["time", "cost", "pareto"]), default="time", show_default=True, help="What to minimise."
)
@click.option("--top", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many answers.")
@advice_options
@click.option("--hints-file", type=click.Path(path_type=Path), help="Also write the best answer's MPI-IO hints there.")
@store_option
@json_option
@workload_input
def recommend(
    log: Path | None,
    partial: bool,
    platform_name: str,
    goal: str,
    top: int,
    model_name: str | None,
    price: float | None,
    elsewhere: bool,
    results: int,
    hints_file: Path | None,
    half_life: float | None,
    revision_factor: float,
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Recommend I/O configurations for an application on a platform.

    LOG is a Darshan log or a workload file (.toml); or give the characteristics as options. Nothing is run:
    every number is predicted from measurements, with its 80 % interval.
    """
    from acic.advisor.advice import Goal
    from acic.advisor.recommend import recommend as advise
    from acic.blueprints import instructions
    from acic.platforms import load_platform

    platform = load_platform(platform_name)
    workload = read_workload(log, partial=partial, given=given)
    knowledge = learned(platform, model_name, store_url, half_life, revision_factor)
    advice = advise(
        workload, platform, knowledge, goal=Goal(goal), top=top, price=price, elsewhere=elsewhere, results=results
    )
    todo = instructions(platform.apply, advice.recommendations[0].configuration, platform.baseline)
    if hints_file:
        _write_hints(hints_file, todo)
    if as_json:
        emit_json({"advice": advice, "instructions": todo})
    else:
        _show(advice, platform, todo)


def _show(advice: Advice, platform: Platform, todo: Sequence[Instruction]) -> None:
    click.echo(_headline(advice))
    click.echo(f"Verdict: {advice.verdict}: {advice.reason}.\n")
    varying = [p.name for p in platform.space.parameters if _told(advice, p.name)]
    priced = any(r.cost for r in advice.recommendations)
    timed = any(r.seconds for r in advice.recommendations)
    columns = [
        "",
        *varying,
        "improvement",
        "of the I/O alone",
        *(["run time"] if timed else []),
        *(["cost"] if priced else []),
    ]
    rows = [
        [
            str(r.rank),
            *(_values(platform, r, name) for name in varying),
            _interval(r.improvement, _times),
            _interval(r.io_improvement, _times),
            *([_interval(r.seconds, format_seconds)] if timed else []),
            *([_interval(r.cost, format_usd)] if priced else []),
        ]
        for r in advice.recommendations
    ]
    table(columns, rows, title="Predicted, with 80 % intervals")
    for caution in advice.cautions:
        click.echo(f"Caution: {caution}")
    best = advice.recommendations[0]
    if best.why:
        click.echo("\n  ".join(["Why:", *best.why]))
    if advice.verdict != "nothing":
        _show_instructions(todo)
    for line in advice.extrapolated:
        say(f"extrapolation: {line}")
    for note in advice.notes:
        say(f"note: {note}")


def _headline(advice: Advice) -> str:
    parts = [f"{advice.workload} on {advice.platform}, goal {advice.goal}"]
    if advice.baseline_seconds is not None:
        parts.append(f"baseline {format_seconds(advice.baseline_seconds)}")
    if advice.baseline_cost is not None:
        parts.append(f"{format_usd(advice.baseline_cost)} a run")
    parts.append(f"model {advice.model} from {advice.measurements} measurements")
    return "; ".join(parts)


def _told(advice: Advice, name: str) -> bool:
    """Return whether a parameter is worth a column: it differs from the baseline, or among the answers."""
    values = {r.configuration.get(name) for r in advice.recommendations}
    return values != {advice.baseline.get(name)}


def _values(platform: Platform, recommendation: Recommendation, name: str) -> str:
    chosen = _text(platform, name, recommendation.configuration.get(name))
    others = recommendation.free.get(name)
    if not others:
        return chosen
    if platform.space[name].is_numeric:
        return f"{chosen} ({_text(platform, name, others[0])} to {_text(platform, name, others[-1])})"
    return f"{chosen} (or {', '.join(str(v) for v in others if v != recommendation.configuration.get(name))})"


def _text(platform: Platform, name: str, value: Value | None) -> str:
    if value is None:
        return "-"
    return format_bytes(value) if platform.space[name].unit == "B" and isinstance(value, int | float) else str(value)


def _interval(estimate: Estimate | None, text: Any) -> str:
    if estimate is None:
        return "-"
    low, high = (text(end) if isfinite(end) and end > 0 else "?" for end in (estimate.low, estimate.high))
    return f"{text(estimate.value)} ({low} to {high})"


def _times(improvement: float) -> str:
    return f"{improvement:.2f}x"


def _show_instructions(todo: Sequence[Instruction]) -> None:
    click.echo("\nTo apply the first:")
    for instruction in todo:
        click.echo(f"  # {instruction.title}")
        if instruction.file_name:
            lines = "".join(f"  {line}\n" for line in instruction.file_text.splitlines())
            click.echo(f"  cat > {instruction.file_name} <<'END'\n{lines}  END")
        for command in instruction.commands:
            click.echo(f"  {command}")
        if instruction.check:
            click.echo(f"  # did it take effect?\n  {instruction.check}")


def _write_hints(path: Path, todo: Sequence[Instruction]) -> None:
    text = "".join(instruction.file_text for instruction in todo)
    if not text:
        say("note: the best answer has no MPI-IO hints, so no hints file is written")
        return
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
