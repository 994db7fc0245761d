"""`acic data`: the measurements that advice is learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.data_imported import import_
from acic.cli.data_removed import remove
from acic.cli.data_shown import fields, row
from acic.cli.option_types import PathName, Text
from acic.cli.output import emit_json, json_option, plain, say, table
from acic.cli.platform_name import name_in_store
from acic.cli.platform_option import platform_option
from acic.cli.store_option import store_option
from acic.errors import InvalidInput, MissingData

if TYPE_CHECKING:
    from acic.store import Measurement
    from acic.store.database import Count
    from acic.store.trust import Contribution


@click.group(epilog="Example: acic data import results/ --platform tianhe-lustre && acic data list")
def data() -> None:
    """Import, export, remove and look at the measurements that advice is learned from."""


data.add_command(import_)
data.add_command(remove)


@data.command(epilog="Example: acic data export mine.parquet --platform tianhe-lustre")
@click.argument("path", type=PathName())
@click.option("--platform", "platform_name", help="Only this platform's measurements: its name or file.")
@click.option("--bundled", is_flag=True, help="The measurements that come with acic, instead of the store's.")
@click.option("--contributor", type=Text(), help="Who measured, in place of the names that the store has.")
@store_option
@json_option
def export(
    path: Path,
    platform_name: str | None,
    bundled: bool,
    contributor: str | None,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Write measurements to PATH (.jsonl or .parquet), for others to import."""
    from acic.store.exchange import check_suffix
    from acic.store.exchange import export as write

    check_suffix(path)
    them = _measurements(platform_name, bundled, store_url)
    if not them:  # before an older file is written over
        raise MissingData(_nothing_is_there(platform_name, bundled), hint=_where_some_are(platform_name, bundled))
    if contributor is not None:
        them = [replace(one, contributor=contributor) for one in them]
    elif not bundled:
        names = ", ".join(sorted({one.contributor or "(unnamed)" for one in them}))
        say(f"note: it names its contributors: {names}; --contributor gives another name")
    written = write(them, path)
    if as_json:
        emit_json({"path": str(path), "measurements": written})
    else:
        click.echo(f"{written} measurements in {path}")


@data.command("list", epilog="Example: acic data list --platform tianhe-lustre --limit 20")
@click.option("--platform", "platform_name", help="Only this platform's measurements: its name or file.")
@click.option("--bundled", is_flag=True, help="The measurements that come with acic, instead of the store's.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="How many to list; without it, only the counts.")
@store_option
@json_option
def list_(platform_name: str | None, bundled: bool, limit: int, store_url: str | None, as_json: bool) -> None:
    """Count the measurements by platform and outcome, or list them."""
    from acic.store.content import fingerprint

    counts, shown = _listing(platform_name, bundled, store_url, limit)
    if not counts:
        say(f"note: {_nothing_is_there(platform_name, bundled)}")
    if as_json:
        listed = [{"id": fingerprint(m), "measurement": m} for m in shown]
        emit_json({"counts": counts, "measurements": listed})
    elif limit:
        columns = ["id", "platform", "outcome", "workload", "bandwidth", "configuration"]
        table(columns, map(row, shown), right=["bandwidth"])
    else:
        rows = [[c.platform, str(c.outcome), str(c.measurements)] for c in counts]
        table(["platform", "outcome", "measurements"], rows, right=["measurements"])


@data.command(epilog="Example: acic data show 4f2a --json")
@click.argument("identifier", metavar="ID")
@click.option("--bundled", is_flag=True, help="One of the measurements that come with acic, instead of the store's.")
@store_option
@json_option
def show(identifier: str, bundled: bool, store_url: str | None, as_json: bool) -> None:
    """Show one measurement whole; ID is the first digits that `acic data list --limit 20` shows."""
    found = _one_bundled(identifier) if bundled else _one_stored(identifier, store_url)
    if as_json:
        emit_json({"measurement": found})
        return
    for name, text in fields(found):
        click.echo(f"{name:15} {text}")


def _one_stored(identifier: str, store_url: str | None) -> Measurement:
    from acic.store.content import beginning
    from acic.store.database import Store

    with Store.open_existing(store_url, announce=say) as store:
        try:
            if store is None:
                raise MissingData(f"no measurement is called {beginning(identifier)}", hint="acic data import fills it")
            return store.get(identifier)
        except MissingData as error:
            hint = f"{error.hint}; --bundled shows one of those that come with acic"
            raise MissingData(error.problem, hint=hint) from error


def _one_bundled(identifier: str) -> Measurement:
    from acic.store.content import fingerprint

    found = [m for m in _bundled(None) if fingerprint(m).startswith(identifier.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidInput(f"several measurements begin with {identifier}", hint="give more digits")
    raise MissingData(f"no measurement that comes with acic is called {identifier}", hint="acic data list --bundled")


@data.command(epilog="Example: acic data trust --platform lab")
@platform_option
@store_option
@json_option
def trust(platform_name: str, store_url: str | None, as_json: bool) -> None:
    """Show how far each contributor is believed, by what the others' measurements say of theirs.

    Of the bundled and the stored measurements that teach. Who is trusted less than 0.1 teaches nothing; of one or two
    contributors nobody can be doubted.
    """
    from acic.advisor.known import stored_rows
    from acic.platforms import load_platform
    from acic.store.trust import FEWEST, HEARD, contributions

    platform = load_platform(platform_name)
    found = contributions(stored_rows(platform, store_url, announce=say), platform)
    compared = len(found) >= FEWEST
    if not compared:
        say(f"note: it takes {FEWEST} contributors to doubt one of them; measurements of {len(found)} teach")
    if as_json:
        unknown = {} if compared else {"factor": None}
        emit_json({"contributors": [{**plain(one), **unknown, "heard": one.trust >= HEARD} for one in found]})
        return
    rows = []
    for one in found:
        beside = _beside(one) if compared else "-"
        rows.append([one.contributor or "(unnamed)", str(one.rows), f"{one.trust:.2g}", beside, _heard(one)])
    table(["contributor", "measurements", "trust", "beside the others'", ""], rows, right=["measurements", "trust"])


def _beside(one: Contribution) -> str:
    far = f"{max(one.factor, 1.0 / one.factor):.3g}"
    return "alike" if far == "1" else f"{far}x {'faster' if one.factor > 1.0 else 'slower'}"


def _heard(one: Contribution) -> str:
    from acic.store.trust import HEARD

    return "" if one.trust >= HEARD else "left out"


def _nothing_is_there(platform_name: str | None, bundled: bool) -> str:
    """An empty answer may be right, or a misspelt name: tell where something is."""
    of = f" of {platform_name}" if platform_name else ""
    place = "come with acic" if bundled else "are in the store; --bundled shows those that come with acic"
    return f"no measurements{of} {place}"


def _where_some_are(platform_name: str | None, bundled: bool) -> str:
    if bundled:
        return "`acic data list --bundled` tells of which platforms there are some"
    fill = "fill it by `acic train` or `acic data import`"
    return f"`acic data list` tells of which platforms there are some; {fill}" if platform_name else fill


def _measurements(platform_name: str | None, bundled: bool, store_url: str | None) -> Sequence[Measurement]:
    if bundled:
        return _bundled(platform_name)
    from acic.store.database import Store

    name = name_in_store(platform_name)
    with Store.open_existing(store_url, announce=say) as store:
        return store.measurements(name) if store else []


def _listing(
    platform_name: str | None, bundled: bool, store_url: str | None, limit: int
) -> tuple[list[Count], Sequence[Measurement]]:
    from acic.store.database import Count, Store

    if bundled:
        found = _bundled(platform_name)
        kinds = Counter((m.platform, m.outcome) for m in found)
        return [Count(p, o, n) for (p, o), n in sorted(kinds.items())], found[:limit]
    name = name_in_store(platform_name)
    with Store.open_existing(store_url, announce=say) as store:
        if store is None:
            return [], []
        counts = [c for c in store.counts() if name in (None, c.platform)]
        return counts, store.measurements(name, limit=limit) if limit else []


def _bundled(platform_name: str | None) -> list[Measurement]:
    from acic.platforms import bundled_platform, load_platform, platform_names
    from acic.store.bundled import bundled as come_with

    them = [load_platform(platform_name)] if platform_name else map(bundled_platform, platform_names())
    return [m for one in them for m in come_with(one)]
