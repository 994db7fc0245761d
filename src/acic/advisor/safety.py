"""Configurations on which files are not safe: those that gave back wrong bytes, and their like.

Some software is right as long as each file has one writer (GlusterFS's shards are made for those). Where all that was
wrong had several, and enough with one writer each was compared and right, it is unsafe for several writers alone.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.space import ABSENT, Configuration, Parameter, Value
from acic.store.lessons import Lesson
from acic.store.measurement import Measurement
from acic.workloads import Characteristics, Interface, Operation, Phase, Quality, Workload

STALE = ("GlusterFS",)  # clients go on with the size that an open file had (docs/filesystems.md)
ENOUGH = 59  # right ones and no wrong one: fewer than one in twenty is wrong, with 95 % confidence (0.95 ** 59 < 0.05)


@dataclass(frozen=True, slots=True)
class Unsafe:
    """Configurations that gave back other bytes than were written.

    Args:
        always: for whatever job, as far as is known.
        shared: where several processes wrote a file; those with one writer each were right.
    """

    always: frozenset[Configuration] = frozenset()
    shared: frozenset[Configuration] = frozenset()

    @property
    def all(self) -> frozenset[Configuration]:
        """Those that are unsafe for some job."""
        return self.always | self.shared


def unsafe_of(wrong: Iterable[Measurement], compared: Iterable[Lesson], platform: Platform) -> Unsafe:
    """Return which configurations are unsafe, and for what.

    Args:
        wrong: measurements that gave back other bytes than were written.
        compared: runs of applications all of whose bytes were compared, and right.
        platform: whose they are.
    """
    software = software_of(platform)
    found = [m for m in wrong if not platform.space.problem(m.configuration)]
    known = {software(m.configuration) for m in found}
    right = Counter(
        software(one.configuration)
        for one in compared
        if software(one.configuration) in known and not any(w.written_by_several for w, _ in one.phases)
    )
    alone = {software(m.configuration) for m in found if not _of_several(m.workload)}
    shared = {name for name in known - alone if right[name] >= ENOUGH}
    mine = frozenset(m.configuration for m in found)
    only = frozenset(one for one in mine if software(one) in shared)
    return Unsafe(always=mine - only, shared=only)


def several_writers(workload: Workload) -> bool:
    """Return whether several processes write one file, or may: who writes is not always known."""
    return not workload.complete or any(
        phase.characteristics.written_by_several or _perhaps_by_several(phase) for phase in workload.phases
    )


def follows(workload: Workload) -> bool:
    """Return whether its processes read files that others append to meanwhile, as far as is known."""
    return any(phase.details.get("read_while_written") is True for phase in workload.phases)


def at_fault(platform: Platform, points: NDArray[np.int8], wrong: Iterable[Configuration]) -> NDArray[np.bool_]:
    """Return which of `points` are not to be advised, shape (points,).

    What was wrong is the software's fault until it is shown to be right, so whatever differs from it in hardware alone
    (disks, servers, where they run) is left out with it. Where the baseline is of the same software, which is trusted
    with files every day, it is only that one configuration. The baseline stays, because improvements are told over it.

    Args:
        platform: whose they are.
        points: rows of its space, shape (points, parameters).
        wrong: configurations that gave back other bytes than were written; unknown ones are passed over, and for a
            number between two that are listed both are.
    """
    space, apart = platform.space, _hardware(platform)
    software = [place for place, name in enumerate(space.names) if name not in apart]
    baseline = space.point(platform.baseline)
    found = np.zeros(len(points), dtype=bool)
    for configuration in wrong:
        if not space.problem(configuration):
            own = [_places(parameter, configuration.get(parameter.name)) for parameter in space.parameters]
            same = all(own[column] == [baseline[column]] for column in software)
            columns = range(len(own)) if same else software
            found |= np.all([np.isin(points[:, column], own[column]) for column in columns], axis=0)
    return np.asarray(found & ~(points == baseline).all(axis=1))


def _places(parameter: Parameter, value: Value | None) -> list[int]:
    """Return the position of a value, or of the two listed ones that a number is between."""
    if value is None:
        return [ABSENT]
    if value in parameter.values:
        return [parameter.values.index(value)]
    above = bisect([float(one) for one in parameter.values], float(value))
    return [above - 1, above]


def software_of(platform: Platform) -> Callable[[Configuration], frozenset[tuple[str, Value]]]:
    """Return what tells the software of a configuration: all of it but its hardware."""
    apart = _hardware(platform)
    return lambda one: frozenset((name, value) for name, value in one.items() if name not in apart)


def _hardware(platform: Platform) -> frozenset[str]:
    """Return the parameters of which software knows nothing."""
    roles = platform.roles
    return frozenset(filter(None, (roles.instance, roles.servers, roles.placement, roles.device, roles.devices)))


def _of_several(workload: Characteristics) -> bool:
    """Return whether several processes share a file: benchmarks read what as many have written."""
    return workload.shared and workload.io_processes > 1


def _perhaps_by_several(phase: Phase) -> bool:
    """Return whether who writes is not known, or is not who moves the data: of a library and of collective calls.

    HDF5 has all processes write its metadata, PnetCDF the first one, and aggregators write for others.
    """
    asked = phase.characteristics
    if asked.operation is not Operation.WRITE or asked.processes == 1:
        return False
    shared, writers = (phase.quality.get(name, Quality.EXACT) is Quality.EXACT for name in ("shared", "io_processes"))
    through = asked.collective or asked.interface in (Interface.HDF5, Interface.PNETCDF)
    return not shared or (asked.shared and (through or not writers))
