"""`--logs`: applications are asked about by their Darshan logs, as users do, in place of their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.option_types import PathName
from acic.cli.output import say

if TYPE_CHECKING:
    from acic.evaluation.field import Application
    from acic.evaluation.truth import Run
    from acic.workloads import Workload

BUNDLED = Path("bundled")

logs_option = click.option(
    "--logs",
    type=PathName(),
    metavar="FOLDER",
    help="Ask by Darshan logs of the applications on the baseline, as users do, in place of their descriptions: "
    "NAME-SCALE.darshan (NAME.darshan of those with one scale) in a folder, or `bundled`, which come with acic.",
)


def told_by_logs(folder: Path | None, platform: str, runs: Sequence[Run]) -> dict[Application, Workload] | None:
    """Return what logs tell of the applications of `runs`; None where they are not to be asked."""
    from acic.evaluation.logs import bundled_logs, logs_in

    applications = dict.fromkeys((run.kernel, run.scale) for run in runs)
    if folder is None:
        return None
    found = bundled_logs(platform, applications) if folder == BUNDLED else logs_in(folder, applications)
    if missing := [one for one in applications if one not in found]:
        say(f"note: {len(missing)} applications have no log, and are left out: {', '.join(map(' '.join, missing[:3]))}")
    return found
