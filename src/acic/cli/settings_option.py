"""How commands take values of system parameters: NAME=VALUE, as often as needed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acic.errors import InvalidInput

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.space import Value


def settings_of(platform: Platform, settings: Sequence[str], option: str) -> dict[str, Value]:
    """Return the values that `settings` give to parameters of the platform.

    Args:
        platform: whose parameters.
        settings: as typed, "stripe_count=4".
        option: of the command, for errors.

    Raises:
        InvalidInput: no such parameter or value, no value at all, or several for one parameter.
    """
    from acic.store.naming import parameter_value

    values: dict[str, Value] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        parameter = platform.space[name]
        if not equals:
            example = f"{name}={parameter.text(parameter.high)}"
            raise InvalidInput(f"{option} {setting!r} sets nothing", hint=f"write {option} {shlex.quote(example)}")
        if name in values:
            raise InvalidInput(f"{option} gives {name} two values", hint=f"write {option} once for each parameter")
        values[name] = parameter_value(parameter, text)
    return values
