"""The option that names a platform, of commands that need one."""

from __future__ import annotations

import click


class PlatformName(click.ParamType[str]):
    """A platform's name or file."""

    name = "text"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002 (click's signature)
        """Return where the names are found."""
        return "`acic platform list` lists them, and `here` is this machine."


platform_option = click.option(
    "--platform",
    "platform_name",
    required=True,
    type=PlatformName(),
    help="A platform's name (`acic platform list`) or file.",
)
