"""Whether what runs are to differ by can be set, and whether it matters to them: told before anything is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acic.campaign.points import Field
from acic.errors import InvalidInput
from acic.filesystems import by_hand, kinds_that_set
from acic.platforms import Platform
from acic.space import Value
from acic.workloads import Characteristics


def check_settable(platform: Platform, only: Mapping[str, Value]) -> None:
    """Refuse a platform whose configurations differ by what no run would set: they would all measure the same.

    Args:
        platform: that is to be measured.
        only: values that all configurations have; those of the baseline need nothing that sets them.

    Raises:
        InvalidInput: it is so.
    """
    usual = platform.baseline
    unset = [name for name in by_hand(platform) if name not in only or only[name] != usual.get(name)]
    if unset:
        raise InvalidInput(
            f"no run would set {', '.join(unset)}: nothing in `apply` of {platform.name} does",
            hint="; ".join(dict.fromkeys(_remedy(platform, name) for name in unset)),
        )


def _remedy(platform: Platform, name: str) -> str:
    """Return what makes runs set a parameter, or that nothing does."""
    if kinds := kinds_that_set(name):
        return f"add {' or '.join(kinds)} to `apply` in the platform's file"
    if all(str(value).startswith("/") for value in platform.space[name].values):
        return f'name the parameter of directories in the platform\'s file: [roles] has storage = "{name}"'
    as_it_is = f"acic train --only {name}={platform.baseline.get(name, 'VALUE')}"
    return f"acic cannot set {name}: take it out of the platform's file, or leave it as it is: {as_it_is}"


def check_matters(platform: Platform, workloads: Sequence[Characteristics]) -> None:
    """Refuse workloads to which nothing matters that the platform chooses among: hints, and none uses MPI-IO.

    Raises:
        InvalidInput: it is so.
    """
    if workloads and not Field(platform, workloads).system.parameters:
        raise InvalidInput(
            f"nothing that can be set on {platform.name} matters to a job that uses POSIX alone",
            hint="give a job that uses MPI-IO, or a platform that has more to set than hints for MPI-IO",
        )
