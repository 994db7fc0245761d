"""The options of commands that advise: which model, trust in measurements, and what the log does not tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acic.cli.option_types import Share, Size
from acic.cli.output import late_progress, say
from acic.units import is_price
from acic.workloads.workload import MOST_PROCESSES

if TYPE_CHECKING:
    from acic.advisor.knowledge import Knowledge
    from acic.platforms import Platform

SECONDS_PER_DAY = 86400.0
ADVICE = ("model_name", "keep", "price", "elsewhere", "results", "input_writers", "half_life", "revision_factor")
"""The parameters of a command with `advice_options`."""


class Price(click.ParamType[float]):
    """A price that costs can be told over: 0, and what is no number, leave none to compare."""

    name = "price"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return USD."""
        try:
            price = float(value)
        except ValueError:
            price = math.nan
        if not is_price(price):
            self.fail(f"{value!r} is no price; write dollars above 0, as 0.50, and no more than 1000000", param, ctx)
        return price


_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--model",
        "model_name",
        help="Which model predicts (`acic model list`).  [default: prior+extra-trees where the hardware is known, else "
        "forest]",
    ),
    click.option("--keep", multiple=True, metavar="NAME=VALUE", help="Only answers with this value; repeat."),
    click.option("--price", type=Price(), metavar="USD", help="USD per machine and hour, instead of the platform's."),
    click.option(
        "--elsewhere", is_flag=True, help="The log was made on another machine: predict its seconds in I/O too."
    ),
    click.option(
        "--results",
        type=Size(),
        default=0,
        metavar="SIZE",
        help="What must outlive the run: copying it from disks that are lost with their machines counts.",
    ),
    click.option(
        "--input-writers",
        type=click.IntRange(1, MOST_PROCESSES),
        default=1,
        show_default=True,
        metavar="N",
        help="How many processes wrote each file that the job finds there, a part of it each.",
    ),
    click.option(
        "--half-life",
        type=click.FloatRange(min=1),
        help="Days after which a measurement counts half.  [default: never]",
    ),
    click.option(
        "--revision-factor",
        type=Share(min_open=True),
        default=0.5,
        show_default=True,
        help="What an upgrade of the platform leaves of a measurement's weight.",
    ),
)


def advice_options(command: _Command) -> _Command:
    """Add the options to a command: those of `ADVICE`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def learned(
    platform: Platform, model_name: str | None, store_url: str | None, half_life: float | None, revision_factor: float
) -> Knowledge:
    """Return what is known of `platform`, as these options ask for it.

    Raises:
        AcicError: nothing is known of it, or the store cannot be read.
    """
    from acic.advisor.informed import default_model
    from acic.advisor.known import Trust, known

    trust = Trust(half_life=half_life * SECONDS_PER_DAY if half_life else None, revision_factor=revision_factor)
    chosen = model_name or default_model(platform)
    with late_progress("learning", unit="fits") as seen:
        return known(platform, chosen, store=store_url, trust=trust, now=datetime.now(UTC), announce=say, watch=seen)
