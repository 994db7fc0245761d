"""`acic model`: which models there are, and how well they predict."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import click

from acic.cli.output import emit_json, json_option, plain, progress, say, table
from acic.cli.platform_option import platform_option
from acic.cli.store_option import store_option
from acic.cli.unused_options import refuse_typed
from acic.errors import MissingData
from acic.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acic.advisor.leaving import LeftOut
    from acic.advisor.validation import Validation
    from acic.models.protocol import Learner
    from acic.platforms import Platform
    from acic.store.training import TrainingRows
    from acic.workloads import Characteristics

_FIGURES = (
    ("R2", "r2", "{:.2f}"),
    ("MAPE", "mape", "{:.1%}"),
    ("rank correlation", "spearman", "{:.2f}"),
    ("pick / best", "top1", "{:.1%}"),
    ("in 80 % interval", "coverage", "{:.0%}"),
)


@click.group(epilog="Example: acic model validate --platform tianhe-lustre --model forest")
def model() -> None:
    """List the models, and cross-validate them on a platform's measurements."""


@model.command("list", epilog="Example: acic model list")
@json_option
def list_(as_json: bool) -> None:
    """List the models that can predict.

    Where none is asked for, prior+extra-trees answers on platforms whose hardware is known, and forest on others.
    """
    from acic.models.registry import LEARNERS

    if as_json:
        emit_json({"models": [{"name": one.name, "about": one.about} for one in LEARNERS]})
    else:
        table(["model", "about"], [[one.name, one.about] for one in LEARNERS])


@model.command(epilog="Example: acic model validate --platform tianhe-lustre --model forest --model cart")
@platform_option
@click.option("--model", "names", multiple=True, help="Which models.  [default: all]")
@click.option(
    "--leave",
    type=click.Choice(["configuration", "workload"]),
    default="configuration",
    show_default=True,
    help="What a model has not seen: configurations of the workload measured most, or a workload with all its runs.",
)
@click.option("--folds", type=click.IntRange(2, 1000), default=10, show_default=True, help="Of the cross-validation.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many random splits.")
@store_option
@json_option
def validate(
    platform_name: str,
    names: tuple[str, ...],
    leave: str,
    folds: int,
    seeds: int,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Cross-validate models: within the workload that was measured on most configurations, or on workloads left out.

    With --leave workload every workload is predicted in turn by a model that saw all others. Regret is by how
    much longer the picked configuration takes than the best one measured; the error is of the improvement's logarithm.

    Otherwise twins (same workload, same configuration) never straddle a split. Figures are the mean over the splits,
    with the least and the most. MAPE and R2 are of bandwidth; pick / best is the bandwidth of the configuration
    that the model picks in a fold over the best one there, the median of the folds.

    Every measurement counts as much here, however old and whoever made it; acic recommend weighs them.
    """
    from acic.advisor.known import stored_rows
    from acic.advisor.validation import best_covered
    from acic.advisor.validation import validate as cross_validated
    from acic.models.registry import NAMES, learner
    from acic.platforms import load_platform

    if leave == "workload":
        refuse_typed("with --leave workload, which leaves each out once", {"folds", "seeds"})
    platform = load_platform(platform_name)
    learners = _with_hardware([learner(name) for name in names or NAMES], platform)
    rows = stored_rows(platform, store_url, announce=say)
    if leave == "workload":
        _leave_workloads(rows, platform, learners, as_json=as_json)
        return
    with progress("validating", total=len(learners) * seeds) as seen:
        found = cross_validated(rows, platform, learners, folds=folds, seeds=seeds, progress=seen)
    workload, configurations = best_covered(rows)
    folds = min(folds, configurations)
    if as_json:
        emit_json({"platform": platform.name, "workload": workload, "folds": folds, "models": found})
    else:
        _show(found, workload, configurations, folds, seeds)


def _with_hardware(learners: list[Learner], platform: Platform) -> list[Learner]:
    """Return the learners that can be compared: those that rest on the hardware only where it is known.

    Raises:
        MissingData: none is left.
    """
    from acic.models.residual import takes_prior
    from acic.prior import prior_of

    left = [one for one in learners if prior_of(platform) is None and takes_prior(one)]
    if left:
        names = ", ".join(one.name for one in left)
        if len(left) == len(learners):
            hint = "name a model that needs no hardware, as forest"
            raise MissingData(f"the hardware of {platform.name} is not known, on which {names} rests", hint=hint)
        say(f"note: the hardware of {platform.name} is not known, so left out: {names}")
    return [one for one in learners if one not in left]


def _leave_workloads(rows: TrainingRows, platform: Platform, learners: list[Learner], *, as_json: bool) -> None:
    from acic.advisor.leaving import leave_workloads_out

    with progress("leaving workloads out", total=len(learners)) as seen:
        found = leave_workloads_out(rows, platform, learners, seed=0, progress=seen)
    if as_json:
        told = [
            {**plain(one), "median_regret": one.median, "p90_regret": one.worst_tenth, "mean_regret": one.mean}
            for one in found
        ]
        emit_json({"platform": platform.name, "leave": "workload", "of": len(rows.workloads), "models": told})
    elif found:
        _show_left_out(found, len(rows.workloads))


def _show_left_out(found: Sequence[LeftOut], workloads: int) -> None:
    click.echo(
        f"{workloads} workloads, each left out with all its runs; regret on the {found[0].workloads} with a choice"
    )
    kinds = [kind for kind in found[0].by_kind if kind]
    columns = ["model", "regret: median", "90 %", "mean", "error: median", "mean", "in 80 % interval", "width", *kinds]
    table(
        columns,
        [
            [
                one.model,
                *(f"{value:.1%}" for value in (one.median, one.worst_tenth, one.mean)),
                *(f"{value:.2f}" for value in (one.error, one.error_mean)),
                f"{one.coverage:.0%}",
                f"{one.width:.1f}x",
                *(f"{one.by_kind[kind]:.0%}" for kind in kinds),
            ]
            for one in found
        ],
    )


def _show(found: Sequence[Validation], workload: Characteristics, configurations: int, folds: int, seeds: int) -> None:
    moved = f"{workload.io_processes} x {format_bytes(workload.data_size)} by {format_bytes(workload.request_size)}"
    click.echo(f"{configurations} configurations, {workload.operation} {moved}, {folds} folds, {seeds} splits")
    rows = [[one.model, *(_range(one, figure, text) for _, figure, text in _FIGURES)] for one in found]
    table(["model", *(name for name, _, _ in _FIGURES)], rows)


def _range(one: Validation, figure: str, text: str) -> str:
    mean, least, most = one.spread(figure)
    if isnan(mean):
        return "-"
    return f"{text.format(mean)} ({text.format(least)} to {text.format(most)})"
