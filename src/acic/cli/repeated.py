"""An option of one value that is given twice is refused: the last one would count, and nothing would say so."""

from __future__ import annotations

from collections.abc import Sequence

import click

from acic.errors import InvalidInput


def refuse_repeated(command: click.Command | None, arguments: Sequence[str], parent: click.Context) -> None:
    """Refuse the arguments of a command that give an option two values, where it takes one.

    Args:
        command: theirs, or the group that the first of them chooses one of.
        arguments: as typed.
        parent: the context of the group that it is in.

    Raises:
        InvalidInput: they do.
    """
    while isinstance(command, click.Group) and arguments:
        command, arguments = command.get_command(parent, arguments[0]), arguments[1:]
    if command is None or isinstance(command, click.Group):
        return
    context = click.Context(command, parent=parent, **command.context_settings)
    try:
        _, _, given = command.make_parser(context).parse_args([*arguments])
    except click.UsageError:  # which is told when the command itself reads them
        return
    seen: set[click.Parameter] = set()
    for option in given:
        if option in seen and isinstance(option, click.Option) and _has_one_value(option):
            raise InvalidInput(
                f"{max(option.opts, key=len)} is given twice", hint="give it once, and ask for one after the other"
            )
        seen.add(option)


def _has_one_value(option: click.Option) -> bool:
    """Return whether a second value takes the first one's place; a plain flag stays what it is."""
    return not (option.multiple or option.count or (option.is_flag and not option.secondary_opts))
