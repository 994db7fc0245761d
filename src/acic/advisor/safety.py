"""Configurations on which files are not safe: those that gave back wrong bytes, and their like."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.space import Configuration


def at_fault(platform: Platform, points: NDArray[np.int8], wrong: Iterable[Configuration]) -> NDArray[np.bool_]:
    """Return which of `points` are not to be advised, shape (points,).

    What was wrong is the software's fault until it is shown to be right, so whatever differs from it in hardware alone
    (disks, servers, where they run) is left out with it. Where the baseline is of the same software, which is trusted
    with files every day, it is only that one configuration. The baseline stays, because improvements are told over it.

    Args:
        platform: whose they are.
        points: rows of its space, shape (points, parameters).
        wrong: configurations that gave back other bytes than were written; unknown ones are passed over.
    """
    space, roles = platform.space, platform.roles
    hardware = {roles.instance, roles.servers, roles.placement, roles.device, roles.devices}
    software = [place for place, name in enumerate(space.names) if name not in hardware]
    baseline = space.point(platform.baseline)
    found = np.zeros(len(points), dtype=bool)
    for configuration in wrong:
        if not space.problem(configuration):
            own = space.point(configuration)
            same = (own[software] == baseline[software]).all()
            columns = list(range(len(own))) if same else software
            found |= (points[:, columns] == own[columns]).all(axis=1)
    return np.asarray(found & ~(points == baseline).all(axis=1))
