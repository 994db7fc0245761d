"""The command as it was typed, for whoever reads the page that it wrote."""

from __future__ import annotations

import shlex
from collections.abc import Collection

import click
from click.core import ParameterSource

from acic.platforms import Platform

_UNTOLD = frozenset({"platform_name", "html", "as_json", "store_url"})


def typed(platform: Platform, *, untold: Collection[str] = ()) -> str:
    """Return the command of this call; not where results go, nor a store's address, which may hold a password.

    Args:
        platform: that it is about.
        untold: further parameters that are left out.
    """
    context = click.get_current_context()
    options: list[str] = []
    arguments: list[str] = []
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        if name in _UNTOLD or name in untold or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            arguments.append(str(value))
            continue
        for each in value if isinstance(value, tuple) else (value,):
            written = max(parameter.secondary_opts if each is False else parameter.opts, key=len)
            options += [written] if isinstance(each, bool) else [written, str(each)]
    told = shlex.join([*options, *arguments])
    return " ".join(filter(None, ["acic", context.info_name, "--platform", platform.argument, told]))
