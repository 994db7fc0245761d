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
    from acic.workloads import Workload


def to_apply(
    wanted: Configuration, platform: Platform, workload: Workload, *, machines: int | None = None
) -> list[Instruction]:
    """Return what to type so that a job runs with a configuration of the platform, on so many machines.

    Without `machines` it is on as many as the platform gives that many processes.
    """
    from acic.advisor.cautions import input_size
    from acic.blueprints import instructions
    from acic.filesystems import by_hand

    storage, machines = platform.roles.storage, machines or platform.machines(wanted, workload.processes)
    how: dict[str, Any] = {"storage": storage, "by_hand": by_hand(platform), "machines": machines}
    how["finds_input"] = input_size(workload) > 0
    return instructions(platform.apply, wanted, platform.baseline, **how)


def show_instructions(todo: Sequence[Instruction], which: str) -> None:
    """Print what to type; `which` it applies, in a word."""
    click.echo(f"\nTo apply the {which}:")
    for instruction in todo:
        for line in instruction.lines:
            click.echo(f"  {printable(line)}")
