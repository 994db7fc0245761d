"""The directory of a run on what is deployed, and what is left of one whose controller was killed."""

from __future__ import annotations

import logging
import shlex
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acic.cluster.job import Job, StillRunning
from acic.errors import InvalidInput, TransientError
from acic.lab.lab import Lab
from acic.lab.results import ResultsStay
from acic.lab.site import Site

_log = logging.getLogger(__name__)
_RUNNING = "running"  # the note of a run under way
_REMOVING = 60.0  # s for a run's files to be removed


@contextmanager
def run_directory(lab: Lab) -> Iterator[tuple[str, Site]]:
    """Make a directory on what is deployed, and remove it at the end; what a killed run left goes first.

    Raises:
        InvalidInput: nothing is deployed.
        TransientError: it cannot be made, or some processes of the killed one do not end.
    """
    reclaim(lab)
    site = lab.site
    if site is None:
        raise InvalidInput("nothing is deployed in the lab", hint="deploy something first: acic lab run --fs nfs")
    directory = f"{site.deployment.directory}/run-{uuid.uuid4().hex[:12]}"
    first = site.mounted[0]
    lab.room.remember(_RUNNING, {"directory": directory})
    try:
        done = lab.run(first, ["mkdir", directory])
    except BaseException:
        lab.room.remember(_RUNNING, None)
        raise
    if done.returncode != 0:
        lab.room.remember(_RUNNING, None)
        raise TransientError(
            f"cannot make {shlex.quote(directory)} on {first}: {done.stderr.strip()}", hint="try again"
        )
    try:
        yield directory, site
    except StillRunning:
        raise  # the next one ends it by what is remembered
    except ResultsStay:
        lab.room.remember(_RUNNING, None)
        raise
    except BaseException:
        _forget(lab, first, directory)
        raise
    _forget(lab, first, directory)


def note_job(lab: Lab, job: Job) -> None:
    """Write down, before it starts, which job runs in the directory."""
    lab.room.remember(_RUNNING, {**lab.room.recall(_RUNNING), "job": job.name, "folder": str(job.folder)})


def _forget(lab: Lab, first: str, directory: str) -> None:
    _remove(lab, first, directory)
    lab.room.remember(_RUNNING, None)


def reclaim(lab: Lab) -> None:
    """End what is left of a run whose controller was killed, and remove its files.

    The file system is taken down if it keeps processes from ending or files from being removed.

    Raises:
        TransientError: some of its processes do not end.
    """
    note = lab.room.recall(_RUNNING)
    if note is None:
        return
    _log.warning("a run was killed: what is left of it is removed")
    if "job" in note:  # without a launcher nothing ends with its controller
        folder = Path(note["folder"])
        left = Job(name=note["job"], command=("true",), processes=0, folder=folder, time_limit=_REMOVING)
        _end(lab, left)
        shutil.rmtree(folder, ignore_errors=True)
    if lab.site is not None:
        _remove(lab, lab.site.mounted[0], note["directory"])
    lab.room.remember(_RUNNING, None)


def _end(lab: Lab, job: Job) -> None:
    try:
        lab.runner().reclaim(job)
    except TransientError as error:  # they wait for a file system that does not answer
        _log.warning("a run's processes do not end, so the file system is taken down: %s", error.problem)
        lab.undeploy()
        lab.runner().reclaim(job)


def _remove(lab: Lab, node: str, directory: str) -> None:
    """Remove a directory, or take down the file system that cannot: it is told, and takes nothing from what was run."""
    try:
        done = lab.run(node, ["rm", "-rf", directory], seconds=_REMOVING)
        if done.returncode == 0:
            return
        why = done.stderr.strip()
    except TransientError as error:
        why = error.problem
    _log.warning("a run's files cannot be removed, so the file system is taken down: %s", why)
    try:
        lab.undeploy()
    except TransientError as error:
        _log.warning("the file system cannot be taken down: %s; %s", error.problem, error.hint)
