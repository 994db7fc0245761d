"""Options that do nothing beside others are refused, because whoever gives one expects something of it."""

from __future__ import annotations

import click
from click.core import ParameterSource

from acic.errors import InvalidInput

_ALWAYS = {"as_json", "store_url"}


def refuse_unused(when: str, *, but: set[str]) -> None:
    """Refuse every option of the running command that was typed and is not used.

    Args:
        when: it is not used: "beside --resume".
        but: names of the command's parameters that are used then; --json and --store always are.

    Raises:
        InvalidInput: another was typed.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and isinstance(parameter, click.Option) and name not in but | _ALWAYS:
            useless = max(parameter.opts, key=len)
            raise InvalidInput(f"{useless} does nothing {when}", hint=f"leave {useless} out")
