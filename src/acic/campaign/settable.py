"""Whether what runs are to differ by can be set: told before anything is run."""

from __future__ import annotations

from collections.abc import Mapping

from acic.errors import InvalidInput
from acic.filesystems import by_hand, kinds_that_set
from acic.platforms import Platform
from acic.space import Value


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
        there = (
            "" if len(kinds) == 1 else ", whichever the files are on; docs/platforms.md has a way for others, as BeeGFS"
        )
        return f"add {' or '.join(kinds)} to `apply` in the platform's file{there}"
    if name == platform.roles.instance:
        return (
            f"write a platform file for each kind of node, with a name of its own and without {name}, and send runs "
            "there by --queue or --attribute"
        )
    if all(str(value).startswith("/") for value in platform.space[name].values):
        return f'name the parameter of directories in the platform\'s file: [roles] has storage = "{name}"'
    value = f"{name}={platform.baseline.get(name, 'VALUE')}"
    as_it_is = f"acic walk or tune --keep {value}, acic train --only {value}"
    return f"acic cannot set {name}: take it out of the platform's file, or leave it as it is: {as_it_is}"
