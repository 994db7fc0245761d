"""Options that do nothing beside others are refused, because whoever gives one expects something of it."""

from __future__ import annotations

from collections.abc import Set

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
    options = (p for p in click.get_current_context().command.params if isinstance(p, click.Option))
    refuse_typed(when, {option.name or "" for option in options} - but - _ALWAYS)


def refuse_typed(when: str, names: Set[str]) -> None:
    """Refuse these options of the running command where one was typed.

    Args:
        when: they are not used: "beside --resume".
        names: of the command's parameters.

    Raises:
        InvalidInput: one was typed.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            useless = max(parameter.opts, key=len)
            raise InvalidInput(f"{useless} does nothing {when}", hint=f"leave {useless} out")
