"""Which training database a command uses."""

from __future__ import annotations

import click

store_option = click.option(
    "--store",
    "store_url",
    envvar="ACIC_STORE",
    metavar="URL",
    help="Training database: a path, sqlite:///PATH or postgresql://USER@HOST/DB; also $ACIC_STORE.  "
    "[default: a file of your own]",
)
