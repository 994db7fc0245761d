"""The I/O system under a run: one that stands, with directories to choose among, or one deployed as a point asks."""

from __future__ import annotations

import math
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from acic.campaign.answering import PATIENCE, answered
from acic.campaign.places import forget, storage_directory
from acic.cluster import commands
from acic.errors import TransientError
from acic.platforms import Platform
from acic.space import Configuration

if TYPE_CHECKING:
    from acic.lab import Lab, Site

_ASKING = 60.0  # s between two askings for the settings of a file system


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run's files go.

    Args:
        directory: as its jobs see it.
        seen: the same directory as this program sees it.
        device: the device number that it must have, if that is known.
        room: B that it has, where its file system cannot tell.
        hints: for MPI-IO, to get right bytes there.
        environment: variables that jobs need there.
        holds_back: whether clients may still hold written data when files are closed, until they are synced.
    """

    directory: Path
    seen: Path
    device: int | None = None
    room: int | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    holds_back: bool = False


class System(Protocol):
    """What gives runs their place."""

    @property
    def forgets(self) -> bool:
        """Whether `forget` empties the caches of all nodes."""

    def where(self, configuration: Configuration) -> Place | None:
        """Return the place of runs with `configuration`, if there is one now."""

    def ready(self, configuration: Configuration) -> Place:
        """Return the place of runs with `configuration`, which is made if need be.

        Raises:
            AcicError: it cannot be made, or is not what it should be.
        """

    def forget(self, folder: Path) -> None:
        """See to it that what is read next below `folder` comes from storage, and that nothing is left to be written.

        Args:
            folder: as this program sees it.
        """

    def remove(self, folder: Path) -> bool:
        """Remove `folder` with all that is in it; return whether it is gone.

        Args:
            folder: as this program sees it.

        Raises:
            TransientError: what it lies on does not answer, and cannot be taken down either.
        """


class Standing:
    """An I/O system that is there.

    Args:
        platform: what is measured.
        directory: where files go, unless the configuration chooses a storage; seen by all nodes.
        devices: the device number of each directory; where another one is found later, a mount is gone.
        patience: s that a file system has to forget or remove a run's files.
    """

    def __init__(
        self,
        platform: Platform,
        directory: Path,
        devices: Mapping[str, int] | None = None,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._platform = platform
        self._patience = patience
        self._directory = directory
        self._devices = dict(devices or {})

    @property
    def forgets(self) -> bool:
        """Not those of other machines."""
        return False

    def where(self, configuration: Configuration) -> Place:
        """Return the directory that the configuration chooses."""
        directory = storage_directory(self._platform, configuration, self._directory)
        return Place(directory=directory, seen=directory, device=self._devices.get(str(directory)))

    def ready(self, configuration: Configuration) -> Place:
        """Return the same: nothing is to be made."""
        return self.where(configuration)

    def forget(self, folder: Path) -> None:
        """Drop the files from this machine's page cache; that of others is out of reach."""
        answered(partial(forget, folder), patience=self._patience)

    def remove(self, folder: Path) -> bool:
        """Remove the folder, if the file system answers."""
        with suppress(TransientError):
            return answered(partial(_removed, folder), patience=self._patience)
        return False


class Deployed:
    """The lab, deployed anew whenever a configuration differs from the last one.

    Args:
        lab: one that is up.
        clock: tells seconds that never go back.
        removing: s that a file system has to remove a run's files.
    """

    def __init__(self, lab: Lab, clock: Callable[[], float] = time.monotonic, *, removing: float = 120.0) -> None:
        self._lab = lab
        self._clock = clock
        self._removing = removing
        self._asked = -math.inf  # when the settings of what is deployed were last asked for

    @property
    def forgets(self) -> bool:
        """All of them: its nodes are on this machine."""
        return True

    def where(self, configuration: Configuration) -> Place | None:
        """Return the place on the file system that is deployed, if it is that of `configuration`."""
        site = self._lab.site
        return self._place(site) if site is not None and dict(site.configuration) == dict(configuration) else None

    def ready(self, configuration: Configuration) -> Place:
        """Return the place on the file system of `configuration`, deployed now if it is not yet.

        Nodes, links, disks and mounts are audited every time. What is deployed is asked for its settings when it
        comes, and then every minute: nobody changes them, and on CephFS asking takes longer than most runs.

        Raises:
            AcicError: it cannot be deployed, or an audit finds something that would make a figure dishonest.
        """
        place = self.where(configuration)
        if place is None:
            place = self._place(self._lab.deploy(configuration))  # which asks
            self._asked = self._clock()
        due = self._clock() - self._asked >= _ASKING
        if due:
            self._asked = self._clock()
        if problems := self._lab.audit(knobs=due):
            error = TransientError(f"the lab is not what it should be: {'; '.join(problems)}")
            self._lab.undeploy_after(error)
            raise error
        return place

    def forget(self, folder: Path) -> None:  # noqa: ARG002  # everything is forgotten
        """Empty all caches of the lab."""
        self._lab.fresh()

    def remove(self, folder: Path) -> bool:
        """Remove the folder, or take down the file system that cannot: the next run begins on a new one.

        Another process does it, because nothing can end one that waits for a FUSE file system without an answer.
        """
        with suppress(subprocess.TimeoutExpired):
            if commands.run(["rm", "-rf", "--", str(folder)], patience=self._removing).returncode == 0:
                return True
        self._lab.undeploy()
        return False

    def _place(self, site: Site) -> Place:
        directory = site.deployment.directory
        first = self._lab.nodes[site.layout.clients[0].node]
        return Place(
            directory=Path(directory),
            seen=first.root / directory.removeprefix("/"),
            room=sum(server.capacity for server in site.layout.servers),
            hints=site.deployment.hints,
            environment=site.deployment.environment,
            holds_back=site.deployment.holds_back,
        )


def _removed(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
