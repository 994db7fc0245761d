"""`acic recommend`: the main job."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.advice_options import advice_options, learned
from acic.cli.applying import show_instructions, to_apply
from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, printable, say, table
from acic.cli.platform_option import platform_option
from acic.cli.settings_option import settings_of
from acic.cli.store_option import store_option
from acic.cli.workload_input import read_workload, workload_input
from acic.units import format_seconds, format_usd
from acic.whole import refuse_to_replace, whole

if TYPE_CHECKING:
    from acic.advisor.advice import Advice, Estimate, Recommendation
    from acic.advisor.changes import Change
    from acic.blueprints import Instruction
    from acic.platforms import Platform
    from acic.space import Parameter, Value
    from acic.workloads import Workload

SLIGHT = 0.001  # of the run: digits of a change that saves less are read by nobody


@click.command(epilog="Example: acic recommend run.darshan --platform tianhe-lustre --top 3")
@platform_option
@click.option(
    "--goal", type=click.Choice(["time", "cost", "pareto"]), default="time", show_default=True, help="What to minimise."
)
@click.option("--top", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many answers.")
@advice_options
@click.option("--hints-file", type=PathName(), help="Also write the best answer's MPI-IO hints there.")
@store_option
@json_option
@workload_input
def recommend(
    log: Path | None,
    partial: bool,
    only: str | None,
    platform_name: str,
    goal: str,
    top: int,
    model_name: str | None,
    keep: tuple[str, ...],
    price: float | None,
    elsewhere: bool,
    results: int,
    input_writers: int,
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
    from acic.advisor.known import versions
    from acic.advisor.recommend import recommend as advise
    from acic.platforms import load_platform
    from acic.workloads.inputs import with_input_writers

    if hints_file:
        refuse_to_replace(hints_file, log, Path(platform_name))
    platform = load_platform(platform_name)
    workload = read_workload(log, partial=partial, only=only, given=given)
    workload = with_input_writers(workload, input_writers)
    kept = settings_of(platform, keep, "--keep")
    knowledge = learned(platform, model_name, store_url, half_life, revision_factor)
    how: dict[str, Any] = {"price": price, "elsewhere": elsewhere, "results": results, "keep": kept}
    advice = advise(workload, platform, knowledge, goal=Goal(goal), top=top, **how)
    todo = to_do(advice, platform, workload)
    if hints_file:
        _write_hints(hints_file, todo)
    if as_json:
        emit_json({"advice": advice, "instructions": todo, "versions": versions()})
    else:
        _show(advice, platform, todo)
        for note in left_to_the_application(advice, platform, kept):
            say(f"note: {note}")


def to_do(advice: Advice, platform: Platform, workload: Workload) -> list[Instruction]:
    """Return what to type for the first answer to a job; nothing where the verdict is to change nothing."""
    if advice.verdict == "nothing":
        return []
    return to_apply(advice.recommendations[0].configuration, platform, workload)


def _show(advice: Advice, platform: Platform, todo: Sequence[Instruction]) -> None:
    click.echo(printable(_headline(advice)))
    click.echo(f"Verdict: {advice.verdict}: {advice.reason}.\n")
    varying = [p.name for p in platform.space.parameters if _told(advice, platform, p.name)]
    priced = any(r.cost for r in advice.recommendations)
    cheaper = advice.goal == "cost"
    columns = [
        "",
        *varying,
        "improvement in cost" if cheaper else "improvement",
        "of the time in I/O alone" if cheaper else "of the I/O alone",
        "run time",
        *(["cost"] if priced else []),
    ]
    rows = [
        [
            str(r.rank),
            *(_values(platform, r, name) for name in varying),
            _interval(r.improvement, _times),
            _interval(r.io_improvement, _times),
            _interval(r.seconds, format_seconds),
            *([_interval(r.cost, format_usd)] if priced else []),
        ]
        for r in advice.recommendations
    ]
    table(columns, rows, title="Predicted, with 80 % intervals")
    for caution in advice.cautions:
        click.echo(f"Caution: {caution}")
    why = [*(_change(advice, platform, one) for one in advice.changes), advice.recommendations[0].limits]
    if any(why):
        click.echo("\n  ".join(filter(None, ["Why:", *map(printable, filter(None, why))])))
    if advice.verdict != "nothing":
        show_instructions(todo, "first")
    for line in advice.extrapolated:
        say(f"extrapolation: {line}")
    for note in advice.notes:
        say(f"note: {note}")


def left_to_the_application(advice: Advice, platform: Platform, kept: Mapping[str, Value]) -> list[str]:
    """Return how to do without what the first answer asks of the application itself, if nobody asked for that."""
    from acic.filesystems import UNGIVEN

    if advice.verdict == "nothing":
        return []
    first, baseline = advice.recommendations[0].configuration, platform.baseline
    asked = [name for name in UNGIVEN if name in baseline and name not in kept and first.get(name) != baseline[name]]
    settings = (shlex.quote(f"{name}={baseline[name]}") for name in asked)
    return [f"if the application has no option for it: --keep {setting}" for setting in settings]


def _headline(advice: Advice) -> str:
    parts = [f"{advice.workload} on {advice.platform}, goal {advice.goal}"]
    parts.append(f"baseline {format_seconds(advice.baseline_seconds)}")
    if advice.baseline_cost is not None:
        parts.append(f"{format_usd(advice.baseline_cost)} a run")
    parts.append(f"model {advice.model} from {advice.measurements} measurements")
    return "; ".join(parts)


def _told(advice: Advice, platform: Platform, name: str) -> bool:
    """Return whether a parameter is worth a column: an answer has another value than the baseline.

    Of what is deployed also where only what ties with an answer has one: bills and cautions hang on it.
    """
    values = {r.configuration.get(name) for r in advice.recommendations}
    if name in platform.deployment:
        values |= {value for r in advice.recommendations for value in r.free.get(name, ())}
    return values != {advice.baseline.get(name)}


def _values(platform: Platform, recommendation: Recommendation, name: str) -> str:
    """Return a value, and in brackets others that are as good: neighbours as a span."""
    chosen = recommendation.configuration.get(name)
    free = recommendation.free.get(name, ())
    others = [value for value in free if value != chosen]
    parameter = platform.space[name]
    text = parameter.text(chosen)
    if not others:
        return text
    whole = _spans(parameter, [value for value in free if value is not None]) if parameter.is_numeric else []
    if len(whole) == 1 and " to " in whole[0]:
        apart = "or " if chosen is None else ""
        return f"{text} ({apart}{whole[0]}{', or -' if None in others else ''})"
    listed = [value for value in others if value is not None]
    told = _spans(parameter, listed) if parameter.is_numeric else [parameter.text(value) for value in listed]
    return f"{text} (or {', '.join([*told, *(['-'] if None in others else [])])})"


def _spans(parameter: Parameter, values: Sequence[Value]) -> list[str]:
    """Return ascending values as text, three or more that are neighbours as "1 to 8"."""
    places = [parameter.values.index(value) for value in values]
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    told: list[str] = []
    for run in runs:
        texts = [parameter.text(parameter.values[place]) for place in run]
        told += [f"{texts[0]} to {texts[-1]}"] if len(run) > 2 or len(runs) == 1 < len(run) else texts
    return told


def _interval(estimate: Estimate | None, text: Any) -> str:
    if estimate is None:
        return "-"
    low, high = (text(end) if isfinite(end) and end > 0 else "?" for end in (estimate.low, estimate.high))
    value = text(estimate.value)
    return value if low == value == high else f"{value} ({low} to {high})"


def _change(advice: Advice, platform: Platform, change: Change) -> str:
    """Return what one change saves beside the baseline, in words."""
    sides = zip(change.names, change.before, change.after, strict=True)
    told = ", ".join(
        f"{n} {platform.space[n].text(after)}, not {platform.space[n].text(old)}" for n, old, after in sides
    )
    size, in_usd = abs(change.saves), change.unit == "USD"
    if size < SLIGHT * ((advice.baseline_cost or 0.0) if in_usd else advice.baseline_seconds):
        return f"{told}: less than {SLIGHT:.1%} of the {'cost' if in_usd else 'run time'}"
    return f"{told}: {'saves' if change.saves >= 0 else 'costs'} {format_usd(size) if in_usd else format_seconds(size)}"


def _times(improvement: float) -> str:
    return f"{improvement:.2f}x"


def _write_hints(path: Path, todo: Sequence[Instruction]) -> None:
    text = "".join(instruction.file_text for instruction in todo)
    with whole(path) as unfinished:
        unfinished.write(text.encode())
    if not text:
        say(f"note: there are no MPI-IO hints to set, so {path} is empty")
