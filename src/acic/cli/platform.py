"""`acic platform`: what acic knows of the places where jobs run."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.store_option import store_option
from acic.errors import AcicError
from acic.units import format_usd

if TYPE_CHECKING:
    from acic.platforms import Platform


@click.group(epilog="Example: acic platform list && acic platform show lab")
def platform() -> None:
    """List and show the platforms that acic knows."""


@platform.command("list", epilog="Example: acic platform list")
@json_option
def list_platforms(as_json: bool) -> None:
    """List the platforms that have a name: of this site, and those that come with acic.

    This machine is one more, called `here`. A file that cannot be read is told, and the others are listed.
    """
    from acic.platforms import load_platform, platform_files
    from acic.platforms.site import lacks_folder, site_folder

    if lacks_folder():
        say(f"note: there is no folder {site_folder()} to look into, which ACIC_PLATFORMS names")
    listed: list[tuple[Platform, Path | None, int]] = []
    skipped = []
    for name, file in platform_files().items():
        try:
            found = load_platform(name)
        except AcicError as error:
            say(f"note: {error.problem}\nhint: {error.hint}")
            skipped.append({"name": name, "file": file, "reason": error.problem})
            continue
        listed.append((found, file, len(found.space.enumerate())))
    if as_json:
        told = [
            {"name": p.name, "title": p.title, "revision": p.revision, "file": file, "configurations": count}
            for p, file, count in listed
        ]
        emit_json({"platforms": told, "skipped": skipped})
    else:
        rows = [[p.name, p.title, str(file or "acic"), str(count)] for p, file, count in listed]
        table(["platform", "what it is", "from", "configurations"], rows, right=["configurations"])


@platform.command(epilog="Example: acic platform show tianhe-lustre")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a platform's parameters, baseline, machines, disks and prices, with their sources.

    NAME is one of `acic platform list`, `here`, or a platform file (.toml) of your own.
    """
    from acic.campaign.points import Field
    from acic.platforms import load_platform
    from acic.prior import prior_of

    found = load_platform(name)
    if found.training or found.training_constraints:
        Field(found)  # which checks them
    prior_of(found)  # which checks the hardware
    if as_json:
        emit_json({"platform": found, "units": {"price": "USD/h", "memory": "B"}})
        return
    click.echo(f"{found.name}: {found.title} (revision {found.revision})\n{found.about}\n")
    rows = [[p.name, p.listed, p.text(found.baseline.get(p.name)), p.about] for p in found.space.parameters]
    table(["parameter", "values", "baseline", "about"], rows)
    machines = [[i.name, str(i.cores), _price(i.price), i.fact.date, i.fact.source] for i in found.instances.values()]
    table(["machine", "cores", "price", "date", "source"], machines)
    if found.disks:
        disks = [
            [d.name, "yes" if d.persistent else "no", _price(d.price), d.fact.date, d.fact.source]
            for d in found.disks.values()
        ]
        table(["disk", "outlives its machine", "price of each", "date", "source"], disks)
    if found.directory:
        click.echo(f"Runs write to {found.directory}, unless --directory names another place.")
    click.echo(f"Baseline: {found.baseline_fact.source} ({found.baseline_fact.date}).")
    click.echo(f"Source: {found.fact.source} ({found.fact.date}).")


def _price(hourly: float | None) -> str:
    return "not known" if hourly is None else f"{format_usd(hourly)}/h"


@platform.command(epilog="Example: acic platform detect --storage /scratch/me --storage /home/me")
@click.option(
    "--storage",
    "storages",
    multiple=True,
    type=PathName(file_okay=False),
    help="A directory that jobs may write to, the one of today first; repeat.  [default: what is mounted]",
)
@click.option("--dry-run", is_flag=True, help="Print the file instead of keeping it.")
@store_option
@json_option
def detect(storages: tuple[Path, ...], dry_run: bool, store_url: str | None, as_json: bool) -> None:
    """Describe this machine as the platform `here`: its storage, and what can be set on it without being root.

    The description is kept in a file of your own; edit it as you like. Where there is one already, a copy of it stays.
    """
    from datetime import date

    from acic.platforms.here import doubts, find_machine, platform_text
    from acic.platforms.mounts import given_storage, mount_table
    from acic.platforms.own_file import keep, kept_file

    found = find_machine(given_storage(storages, mount_table()))
    text = platform_text(found, today=date.today())
    if dry_run:
        if as_json:
            emit_json({"file": None, "machine": found, "doubts": doubts(found), "text": text})
        else:
            click.echo(text, nl=False)
        return
    replaced = kept_file().exists()
    copy = keep(text)
    orphans = _orphans(copy, store_url) if copy else 0
    if as_json:
        told = {"file": str(kept_file()), "copy": copy and str(copy), "orphans": orphans}
        emit_json({**told, "machine": found, "doubts": doubts(found)})
        return
    for doubt in doubts(found):
        say(f"note: {doubt}")
    if copy:
        say(f"note: the one before, with all that was edited in it, is kept as {copy}")
    if orphans:
        say(
            f"note: {orphans} measurements fit that one and do not fit this one, and teach nothing any more; "
            f"to go back: {shlex.join(['mv', str(copy), str(kept_file())])}"
        )
    click.echo(f"{found.host}: {found.cores} cores; storage {', '.join(str(s.directory) for s in found.storage)}")
    say(f"{'written anew' if replaced else 'written'}: {kept_file()}; `acic platform show here` shows it")


def _orphans(before: Path, store_url: str | None) -> int:
    """Return how many measurements fit the platform file `before`, and not this machine's own of now."""
    from acic.platforms import load_platform
    from acic.platforms.here import HERE
    from acic.platforms.load import read_platform
    from acic.store.database import Store

    with suppress(AcicError, OSError, UnicodeDecodeError):  # a file that was edited wrongly, or no database to ask
        then, now = read_platform(before.read_text(encoding="utf-8-sig"), str(before)), load_platform(HERE)
        with Store.open_existing(store_url) as store:
            measured = Counter(one.configuration for one in store.training_records(then.name)) if store else Counter()
        lost = (c for c in measured if not then.space.problem(c) and (then.name != now.name or now.space.problem(c)))
        return sum(measured[one] for one in lost)
    return 0
