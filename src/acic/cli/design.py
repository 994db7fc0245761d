"""`acic design`: screening plans, effects and ranks."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import click

from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.platform_option import platform_option
from acic.errors import InvalidInput, UnreadableInput
from acic.space import Parameter, Space, Value
from acic.whole import text_of


@click.group(epilog="Example: acic design screen --platform ec2-2013 --csv > plan.csv")
def design() -> None:
    """Plan screening runs, and rank parameters by their effects."""


@design.command(epilog="Example: acic design screen --platform ec2-2013 --csv > plan.csv")
@platform_option
@click.option("--workload/--no-workload", default=True, help="Screen the workload's parameters too.")
@click.option("--fold/--no-fold", default=True, help="Foldover: twice the runs, main effects clear of interactions.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with an empty `result` column to fill in.")
@json_option
def screen(platform_name: str, workload: bool, fold: bool, as_csv: bool, as_json: bool) -> None:
    """List the runs that screen a platform's parameters (Plackett-Burman).

    The workload's parameters are those of its [training], or of the paper's table 1. Each parameter takes the two ends
    of its range. A value marked * was altered, because the one that the design asks for is not valid together with the
    others.
    """
    from acic.campaign.points import Field
    from acic.design import screening_plan
    from acic.platforms import load_platform

    if as_json and as_csv:
        raise InvalidInput("both --json and --csv are given", hint="give the one that you want")
    platform = load_platform(platform_name)
    space = Field(platform).space if workload else platform.space
    _, runs = screening_plan(space, fold=fold)
    if as_json:
        emit_json({"platform": platform_name, "parameters": space.names, "runs": runs})
    elif as_csv:
        click.echo(_plan_csv(space, [run.values for run in runs], [run.levels for run in runs]), nl=False)
    else:
        rows = [
            [str(number), *(_cell(p, run.values.get(p.name), p.name in run.altered) for p in space.parameters)]
            for number, run in enumerate(runs, 1)
        ]
        table(["run", *space.names], rows, title=f"{len(runs)} runs screen {len(space.parameters)} parameters")


@design.command(epilog="Example: acic design effects plan.csv")
@click.argument("plan", type=PathName())
@json_option
def effects(plan: Path, as_json: bool) -> None:
    """Rank parameters by their effect, from a plan whose `result` column is filled in.

    PLAN is the CSV of `acic design screen --csv`; a spreadsheet may have put semicolons between its columns.
    """
    from acic.design import effects as effects_of
    from acic.design import ranks

    names, levels, results = _read_plan(plan)
    if len(set(results)) == 1:
        say("note: all results are alike: no parameter is told to matter")
    import numpy as np

    sizes = effects_of(np.array(levels, dtype=np.int8), results)
    columns = np.column_stack([np.ones(len(levels)), levels])
    if (columns.T @ columns != len(levels) * np.eye(len(names) + 1)).any():  # in a whole plan, balanced and orthogonal
        raise InvalidInput(
            f"{plan} lacks runs of its plan, or has some twice", hint="give all rows of `acic design screen --csv`"
        )
    order = ranks(sizes)
    ranked = sorted(zip(names, sizes.tolist(), order.tolist(), strict=True), key=lambda row: row[2])
    if as_json:
        emit_json({"effects": [{"parameter": n, "effect": e, "rank": r} for n, e, r in ranked]})
    else:
        table(
            ["rank", "parameter", "effect"], [[str(r), n, f"{e:.6g}"] for n, e, r in ranked], right=["rank", "effect"]
        )


def _cell(parameter: Parameter, value: Value | None, altered: bool) -> str:
    mark = "*" if altered else ""
    return parameter.text(value) + mark


def _plan_csv(space: Space, values: list[Mapping[str, Value]], levels: list[tuple[int, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["run", *map(_inert, space.names), *(f"level:{name}" for name in space.names), "result"])
    for number, (row, level) in enumerate(zip(values, levels, strict=True), 1):
        writer.writerow([number, *(_inert(row.get(name, "")) for name in space.names), *level, ""])
    return text.getvalue()


def _inert(value: Value) -> Value:
    """Return a value as spreadsheets show it: texts that begin so they would run as formulas."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


def _read_plan(path: Path) -> tuple[list[str], list[list[int]], list[float]]:
    hint = "give the CSV of `acic design screen --csv`"
    lines = text_of(path, hint=hint).splitlines()
    semicolons = ";level:" in "".join(lines[:1])  # as spreadsheets save it where a comma is the decimal point
    try:
        rows = list(csv.DictReader(lines, delimiter=";" if semicolons else ","))
    except csv.Error as error:
        raise UnreadableInput(f"cannot read {path}: it is no CSV", hint=hint) from error
    names = [key.removeprefix("level:") for key in (rows[0] if rows else {}) if key and key.startswith("level:")]
    if not names or "result" not in rows[0]:
        raise InvalidInput(f"{path} is no screening plan", hint="make one with `acic design screen --csv`")
    if None in {key for row in rows for key in row}:
        raise InvalidInput(f"{path} has a row of too many columns", hint="write results with a point: 12.5")
    levels, results = [], []
    for number, row in enumerate(rows, 1):
        try:
            levels.append([int(row[f"level:{name}"]) for name in names])
            results.append(float(row["result"].replace(",", ".") if semicolons else row["result"]))
        except (AttributeError, TypeError, ValueError) as error:  # a row of too few columns has None
            raise InvalidInput(
                f"{path} has no level or no result in row {number}",
                hint="fill in one number per run in the column `result`",
            ) from error
        if not set(levels[-1]) <= {-1, 1}:
            raise InvalidInput(
                f"{path} has a level other than -1 and 1 in row {number}",
                hint="leave the columns `level:...` as `acic design screen --csv` gave them",
            )
        if results[-1] <= 0:
            raise InvalidInput(
                f"{path} has the result {results[-1]:g} in row {number}, which is neither a time nor a cost",
                hint="fill in seconds or dollars",
            )
    return names, levels, results
