"""`acic model`: which models there are, and how well they predict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from acic.cli.output import emit_json, json_option, progress, table
from acic.cli.store_option import store_option
from acic.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acic.advisor.validation import Validation
    from acic.workloads import Characteristics

_FIGURES = (
    ("R2", "r2", "{:.2f}"),
    ("MAPE", "mape", "{:.1%}"),
    ("rank correlation", "spearman", "{:.2f}"),
    ("pick / best", "top1", "{:.1%}"),
    ("in 80 % interval", "coverage", "{:.0%}"),
)


@click.group()
def model() -> None:
    """List the models, and cross-validate them on a platform's measurements."""


@model.command("list", epilog="Example: acic model list")
@json_option
def list_(as_json: bool) -> None:
    """List the models that can predict; the first is the default."""
    from acic.models.registry import LEARNERS

    if as_json:
        emit_json({"models": [{"name": one.name, "about": one.about} for one in LEARNERS]})
    else:
        table(["model", "about"], [[one.name, one.about] for one in LEARNERS])


@model.command(epilog="Example: acic model validate --platform tianhe-lustre --model forest --model cart")
@click.option("--platform", "platform_name", required=True, help="A platform's name or file.")
@click.option("--model", "names", multiple=True, help="Which models.  [default: all]")
@click.option("--folds", type=click.IntRange(2, 1000), default=10, show_default=True, help="Of the cross-validation.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many random splits.")
@store_option
@json_option
def validate(
    platform_name: str, names: tuple[str, ...], folds: int, seeds: int, store_url: str | None, as_json: bool
) -> None:
    """Cross-validate models within the workload that was measured on most configurations.

    Twins (same workload, same configuration) never straddle a split. Figures are the mean over the splits, with the
    least and the most. MAPE and R2 are of bandwidth; pick / best is the bandwidth of the configuration
    that the model picks in a fold over the best one there, the median of the folds.
    """
    from acic.advisor.known import training_rows
    from acic.advisor.validation import best_covered
    from acic.advisor.validation import validate as cross_validated
    from acic.models.registry import NAMES, learner
    from acic.platforms import load_platform
    from acic.store.database import Store

    platform = load_platform(platform_name)
    learners = [learner(name) for name in names or NAMES]
    with Store.open(store_url) as store:
        rows = training_rows(platform, store)
    with progress("validating", total=len(learners) * seeds) as seen:
        found = cross_validated(rows, platform, learners, folds=folds, seeds=seeds, progress=seen)
    workload, configurations = best_covered(rows)
    if as_json:
        emit_json({"platform": platform.name, "workload": workload, "folds": folds, "models": found})
    else:
        _show(found, workload, configurations, folds, seeds)


def _show(found: Sequence[Validation], workload: Characteristics, configurations: int, folds: int, seeds: int) -> None:
    moved = f"{workload.io_processes} x {format_bytes(workload.data_size)} by {format_bytes(workload.request_size)}"
    click.echo(f"{configurations} configurations, {workload.operation} {moved}, {folds} folds, {seeds} splits")
    rows = [[one.model, *(_range(one, figure, text) for _, figure, text in _FIGURES)] for one in found]
    table(["model", *(name for name, _, _ in _FIGURES)], rows)


def _range(one: Validation, figure: str, text: str) -> str:
    mean, least, most = one.spread(figure)
    return f"{text.format(mean)} ({text.format(least)} to {text.format(most)})"
