"""Which applications a command is about: those that acic was developed with, or those kept for a test."""

from __future__ import annotations

import click

applications_option = click.option(
    "--applications",
    "part",
    type=click.Choice(["development", "test"]),
    default="development",
    show_default=True,
    help="Which of docs/kernels.md.",
)
