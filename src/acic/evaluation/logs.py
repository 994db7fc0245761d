"""Real Darshan logs of applications, one of a run of each on a platform's baseline: what a user of acic has."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path

from acic.benchmarks.kernels import kernel
from acic.errors import MissingData, UnreadableInput
from acic.evaluation.field import Application
from acic.workloads import Workload, characterize_file

SUFFIX = ".darshan"


def bundled_logs(platform: str, applications: Iterable[Application]) -> dict[Application, Workload]:
    """Return what the logs that come with acic tell of those of the applications that there are logs of.

    Raises:
        MissingData: no logs come with acic for the platform called so.
    """
    file = resources.files("acic.evaluation").joinpath("data", f"{platform}-logs.zip")
    if not file.is_file():
        raise MissingData(f"no logs come with acic for {platform}", hint="give a folder of some: --logs FOLDER")
    with resources.as_file(file) as path:
        return {one: found for one in applications if (found := _packed(path, f"{kernel(*one).key}{SUFFIX}"))}


def logs_in(folder: Path, applications: Iterable[Application]) -> dict[Application, Workload]:
    """Return what the logs in a folder tell of those of the applications that there are logs of, KEY.darshan each.

    Raises:
        MissingData: the folder has a log of none of them.
        UnreadableInput: it is no folder, or a log is damaged.
    """
    if not folder.is_dir():
        raise UnreadableInput(
            f"cannot read {folder}: there is no such folder", hint="give a folder of logs, or bundled"
        )
    paths = {one: folder / f"{kernel(*one).key}{SUFFIX}" for one in applications}
    found = {one: characterize_file(path) for one, path in paths.items() if path.is_file()}
    if not found:
        example = next(iter(paths.values()), folder / f"NAME{SUFFIX}").name
        raise MissingData(f"{folder} has no log of any application", hint=f"put them there, as {example}")
    return found


@cache
def _packed(path: Path, name: str) -> Workload | None:
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory(prefix="acic-logs-") as folder:
        return characterize_file(archive.extract(name, folder)) if name in archive.namelist() else None
