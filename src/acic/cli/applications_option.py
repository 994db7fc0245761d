"""Which applications a command is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def applications_option(*parts: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option that takes one of `parts`; the first is its default."""
    return click.option(
        "--applications",
        "part",
        type=click.Choice(parts),
        default=parts[0],
        show_default=True,
        help="Which of docs/kernels.md.",
    )
