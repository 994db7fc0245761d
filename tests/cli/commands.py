"""All commands, with the words that call them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from acic.cli.main import cli


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None
        yield from leaves(child, (*path, name))


EVERY = list(leaves(cli))


def command_of(words: list[str]) -> tuple[str, ...]:
    """Return the command that words call; () where they call none."""
    return next((path for path, _ in EVERY if tuple(words[: len(path)]) == path), ())
