"""How to apply a configuration: what to type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from acic.cli.output import printable

if TYPE_CHECKING:
    from acic.blueprints import Instruction
    from acic.platforms import Platform
    from acic.space import Configuration


def to_apply(wanted: Configuration, platform: Platform, processes: int) -> list[Instruction]:
    """Return what to type so that a job of so many processes runs with a configuration of the platform."""
    from acic.blueprints import instructions
    from acic.filesystems import by_hand

    storage, rest, machines = platform.roles.storage, by_hand(platform), platform.machines(wanted, processes)
    how: dict[str, Any] = {"storage": storage, "by_hand": rest, "machines": machines}
    return instructions(platform.apply, wanted, platform.baseline, **how)


def show_instructions(todo: Sequence[Instruction], which: str) -> None:
    """Print what to type; `which` it applies, in a word."""
    click.echo(f"\nTo apply the {which}:")
    for instruction in todo:
        for line in instruction.lines:
            click.echo(f"  {printable(line)}")
