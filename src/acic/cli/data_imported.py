"""`acic data import`: put measurements into the training database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.data_shown import Standing, show_report
from acic.cli.option_types import PathName, Text
from acic.cli.output import json_option, progress, say
from acic.cli.settings_option import settings_of
from acic.cli.store_option import store_option
from acic.cli.uncollected import uncollected
from acic.cli.unused_options import refuse_unused
from acic.errors import InvalidInput, UnreadableInput
from acic.workloads import Operation

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.store import Measurement
    from acic.store.database import Store
    from acic.store.importing import ImportReport

_DIGITS = 12  # of a fingerprint, as `acic data list` shows it


@click.command(
    "import", epilog="Example: acic data import results/ --platform tianhe-lustre --rule '{stripe_count}.json'"
)
@click.argument("path", type=PathName())
@click.option(
    "--platform",
    "platform_name",
    help="Where it was measured: a platform's name or file.  [default: what an exchange file says]",
)
@click.option("--rule", help="How file names tell configurations: '{stripe_count}_{stripe_size}_{_}.json'.")
@click.option("--map", "maps", multiple=True, help="What a name's texts mean: 'romio_*:0=automatic,1=enable'.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A value unlike the baseline's.")
@click.option("--suspect", type=click.Choice([o.value for o in Operation]), help="The direction that a cache answered.")
@click.option(
    "--timezone",
    "zone",
    default="+00:00",
    show_default=True,
    help="Of times written without one: +02:00, Europe/Berlin.",
)
@click.option("--revision", default="", help="The platform's revision at that time.  [default: the current one]")
@click.option("--contributor", type=Text(), default="", help="Who measured.")
@click.option("--command", default="", help="IOR's command line, where its output does not hold it.")
@click.option("--processes", type=click.IntRange(min=1), help="How many processes ran, where the output does not tell.")
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and what of it is new; keep nothing.")
@store_option
@json_option
@uncollected()
def import_(
    path: Path,
    platform_name: str | None,
    rule: str | None,
    maps: tuple[str, ...],
    settings: tuple[str, ...],
    suspect: str | None,
    zone: str,
    revision: str,
    contributor: str,
    command: str,
    processes: int | None,
    dry_run: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Import measurements: IOR's JSON, CSV or text, acic's exchange files, or a folder of them.

    A run that failed is imported as failed. What the store has already is recognised, also in a file that
    was copied with other line ends or put together with others, so an import can be repeated; it is kept
    whole or not at all, and `acic data remove --import` takes out what it added.
    """
    from acic.platforms import load_platform
    from acic.store.database import Store
    from acic.store.importing import ImportOptions, import_path, is_exchange_file, read_own
    from acic.store.naming import NamingRule
    from acic.store.timezones import parse_timezone

    if is_exchange_file(path):
        refuse_unused("with an exchange file", but={"platform_name", "dry_run"})
    known: list[Measurement] = [] if platform_name else read_own(path)
    platform = load_platform(platform_name or known[0].platform)
    if maps and not rule:
        raise InvalidInput("--map is given without --rule", hint="add --rule '{stripe_count}_{_}.json'")
    options = ImportOptions(
        rule=NamingRule.parse(rule, maps) if rule else None,
        configuration=settings_of(platform, settings, "--set"),
        suspect=Operation(suspect) if suspect else None,
        timezone=parse_timezone(zone),
        revision=revision,
        contributor=contributor,
        command=command,
        processes=processes,
    )
    with progress("reading", unit="files") as seen:
        report = import_path(path, platform, options, known=known, progress=seen)
    standing = Standing()
    if dry_run:
        with Store.open_existing(store_url, announce=say) as existing:
            standing = _standing(report.measurements, existing)
    elif report.measurements:
        with Store.open(store_url, announce=say) as store:
            standing = _stored(report.measurements, store)
    show_report(report, platform, standing, dry_run=dry_run, as_json=as_json)
    if not report.measurements:
        raise _nothing_in(path, report, platform, rule)


def _stored(measurements: Sequence[Measurement], store: Store) -> Standing:
    """Keep what is new of `measurements`, and return how all of them stand to what the store has then."""
    from acic.store.content import fingerprint

    again = store.of_another_file(measurements)
    with progress("storing", total=len(measurements)) as seen:
        new = [m for m in measurements if fingerprint(m) not in again] if again else measurements
        result = store.add(new, progress=seen)
    known = len(measurements) - result.added
    return Standing(
        new=result.added,
        known=known,
        imported="-".join(f"{mark[:_DIGITS]}.{row}" for mark, row in result.ends),
        of_another_file=len(measurements) - len(new),
        judged_otherwise=store.judged_otherwise(measurements) if known else 0,
        configured_otherwise=store.configured_otherwise(measurements),
    )


def _standing(measurements: Sequence[Measurement], store: Store | None) -> Standing:
    """Return how `measurements` stand to what the store has; they are not kept."""
    from acic.store.content import fingerprint

    marks = [fingerprint(m) for m in measurements]
    if store is None:
        return Standing(new=len(set(marks)), known=len(marks) - len(set(marks)))
    again = store.of_another_file(measurements)
    new = len(set(marks) - again - store.known(marks))
    return Standing(
        new=new,
        known=len(marks) - new,
        of_another_file=sum(mark in again for mark in marks),
        judged_otherwise=store.judged_otherwise(measurements),
        configured_otherwise=store.configured_otherwise(measurements),
    )


def _nothing_in(path: Path, report: ImportReport, platform: Platform, rule: str | None) -> UnreadableInput:
    from acic.store.importing import is_exchange_file

    if report.skipped:
        other = "; --platform has to name the one that they are of" if is_exchange_file(path) else ""
        hint = f"see the reasons above{'; correct --rule' if rule else other}"
        return UnreadableInput(f"nothing in {path} is a measurement of {platform.name}", hint=hint)
    return UnreadableInput(
        f"{path} holds no measurements", hint="give another file" if report.files else "no file is in it"
    )
