"""What `acic survey` is given: runs of a survey or a file, and what they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.knowing import knowing
from acic.cli.logs_option import told_by_logs
from acic.cli.unused_options import refuse_typed
from acic.errors import InvalidInput, with_sudo

if TYPE_CHECKING:
    from acic.evaluation.truth import Run
    from acic.platforms import Platform
    from acic.space import Configuration

file_platform_option = click.option(
    "--platform", "platform_name", help="Whose the runs of a file are: a lab's name or file.  [default: lab]"
)


def measured_whole(file: Path, platform_name: str) -> tuple[Configuration, ...]:
    """Return the configurations that all applications of a ground truth were measured on."""
    from acic.evaluation.advising import candidates
    from acic.evaluation.field import table_of
    from acic.evaluation.truth import read_truth
    from acic.platforms import load_platform

    return candidates(table_of(read_truth(file), load_platform(platform_name), "time")).configurations


def contenders_in(
    runs: list[Run],
    platform_name: str,
    names: tuple[str, ...],
    top: int,
    done: list[Run],
    passes: int,
    logs: Path | None,
) -> Mapping[tuple[str, str], Mapping[Configuration, int]]:
    """Return how often each application is to be run again, and on what: its best few, and what methods choose for it.

    Raises:
        InvalidInput: each has `passes` runs in `done` already.
    """
    from acic.advisor.informed import default_model
    from acic.evaluation.contenders import contenders, left_over
    from acic.evaluation.methods import methods
    from acic.platforms import load_platform

    platform = load_platform(platform_name)
    chosen = methods(names or (f"model:{default_model(platform)}", "fixed", "rules"))
    told = told_by_logs(logs, platform.name, runs)
    found = contenders(runs, platform, chosen, knowing(platform, None), top=top, done=done, logs=told)
    if not (wanted := left_over(found, done, platform, passes=passes)):
        raise InvalidInput(f"each of them has {passes} runs already", hint="judge by these: acic evaluate --fresh FILE")
    return wanted


def likely_in(
    platform: Platform, among: Sequence[Configuration]
) -> Mapping[tuple[str, str], tuple[Configuration, ...]]:
    """Return what each sketch is to be run on: where advice, as learned so far, expects it to be fast or cheap."""
    from acic.advisor.informed import default_model
    from acic.benchmarks.kernels import kernels
    from acic.evaluation.likely import likely

    return likely(kernels("sketches"), platform, knowing(platform, None)(default_model(platform)), among)


def runs_of(name_or_file: str) -> list[Run]:
    """Return the runs of a survey, or of a file.

    Raises:
        InvalidInput: nothing was measured.
    """
    from acic.evaluation.survey import Survey
    from acic.evaluation.truth import read_truth

    if _is_file(name_or_file):
        return read_truth(Path(name_or_file))
    if runs := Survey.open(name_or_file).runs:
        return runs
    raise InvalidInput(f"nothing was measured in {name_or_file} yet", hint=with_sudo("survey", "run", name_or_file))


def runs_on_platform(name_or_file: str, platform_name: str | None) -> tuple[list[Run], Platform]:
    """Return the runs of a survey, or of a file, and the platform they are of: a file's are of the one that is given.

    Raises:
        InvalidInput: nothing was measured, the runs are of another platform, or one is given beside a survey.
    """
    from acic.evaluation.evaluate import check_known
    from acic.evaluation.survey import Survey
    from acic.platforms import load_platform

    runs = runs_of(name_or_file)
    if _is_file(name_or_file):
        platform = load_platform(platform_name or "lab")
        check_known(runs, platform)
        return runs, platform
    refuse_typed("beside a survey, which knows its own", {"platform_name"})
    return runs, Survey.open(name_or_file).platform


def _is_file(name_or_file: str) -> bool:
    return name_or_file.lower().endswith(".parquet")
