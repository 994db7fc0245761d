"""`acic platform`: what acic knows of the places where jobs run."""

from __future__ import annotations

import click

from acic.cli.output import emit_json, json_option, table
from acic.space import Parameter, Value
from acic.units import format_bytes


@click.group()
def platform() -> None:
    """List and show the platforms that acic knows."""


@platform.command("list", epilog="Example: acic platform list")
@json_option
def list_platforms(as_json: bool) -> None:
    """List the platforms that come with acic."""
    from acic.platforms import load_platform, platform_names

    known = [load_platform(name) for name in platform_names()]
    if as_json:
        emit_json({"platforms": [{"name": p.name, "title": p.title, "revision": p.revision} for p in known]})
    else:
        rows = [[p.name, p.title, str(len(p.space.enumerate()))] for p in known]
        table(["platform", "what it is", "configurations"], rows, right=["configurations"])


@platform.command(epilog="Example: acic platform show tianhe-lustre")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a platform's parameters, baseline, machines and prices, with their sources.

    NAME is one of `acic platform list`, or a platform file (.toml) of your own.
    """
    from acic.platforms import load_platform

    found = load_platform(name)
    if as_json:
        emit_json({"platform": found})
        return
    click.echo(f"{found.name}: {found.title} (revision {found.revision})\n{found.about}\n")
    rows = [
        [p.name, ", ".join(_text(p, v) for v in p.values), _text(p, found.baseline.get(p.name)), p.about]
        for p in found.space.parameters
    ]
    table(["parameter", "values", "baseline", "about"], rows)
    machines = [
        [i.name, str(i.cores), "not known" if i.price is None else f"${i.price:.2f}/h", i.fact.date, i.fact.source]
        for i in found.instances.values()
    ]
    table(["machine", "cores", "price", "date", "source"], machines)
    click.echo(f"Baseline: {found.baseline_fact.source} ({found.baseline_fact.date}).")
    click.echo(f"Source: {found.fact.source} ({found.fact.date}).")


def _text(parameter: Parameter, value: Value | None) -> str:
    if value is None:
        return "-"
    return format_bytes(value) if parameter.unit == "B" and isinstance(value, int | float) else str(value)
