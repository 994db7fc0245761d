"""`acic data remove`: take measurements out of the training database."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.option_types import PathName, Text
from acic.cli.output import emit_json, json_option, say
from acic.cli.store_option import store_option
from acic.errors import InvalidInput, MissingData, UnreadableInput

if TYPE_CHECKING:
    from acic.store.database import Store


@click.command(epilog="Example: acic data remove --contributor alice --revision 2025-01 --dry-run")
@click.argument("identifiers", nargs=-1, metavar="[ID...]")
@click.option("--platform", "platform_name", help="Of this platform: its name or file.")
@click.option("--contributor", type=Text(), help="Of this contributor; '' is who gave no name.")
@click.option("--revision", type=Text(), help="Of this revision of the platform.")
@click.option("--file", type=PathName(), help="That this file holds: an output of IOR, or an exchange file.")
@click.option("--dry-run", is_flag=True, help="Say how many there are, and remove none.")
@store_option
@json_option
def remove(
    identifiers: tuple[str, ...],
    platform_name: str | None,
    contributor: str | None,
    revision: str | None,
    file: Path | None,
    dry_run: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Remove measurements from the training database: those that match all that is given.

    ID is the first digits that `acic data list --limit 20` shows. What was imported with a wrong option is removed, and
    imported again; `acic data export` keeps a copy before.
    """
    from acic.cli.platform_name import name_in_store
    from acic.store.database import Store

    if not identifiers and (platform_name, contributor, revision, file) == (None, None, None, None):
        raise InvalidInput(
            "nothing says which measurements to remove",
            hint="give an ID (`acic data list --limit 20`), --platform, --contributor, --revision or --file",
        )
    matched = {"platform": name_in_store(platform_name), "contributor": contributor, "revision": revision}
    with Store.open_existing(store_url, announce=say) as store:
        found = _found(store, identifiers, file, {k: v for k, v in matched.items() if v is not None}) if store else []
        if store is None or not found:
            raise MissingData("no measurement in the store matches all of that", hint="`acic data list` counts them")
        removed = 0 if dry_run else store.remove(found)
    if as_json:
        emit_json({"found": len(found), "removed": removed, "ids": found})
    else:
        click.echo(f"{len(found)} measurements found, none removed (dry run)" if dry_run else f"{removed} removed")


def _found(store: Store, identifiers: tuple[str, ...], file: Path | None, matched: dict[str, str]) -> list[str]:
    """Return the fingerprints of all that match, in the order they were added.

    Raises:
        InvalidInput: several measurements begin with one of the identifiers, or nothing tells the file from others.
        MissingData: none does.
    """
    among = [set(store.fingerprints(**matched))]
    if identifiers:
        among.append({store.named(one) for one in identifiers})
    if file:
        among.append(_of_file(store, file))
    return [one for one in store.fingerprints(**matched) if all(one in them for them in among)]


def _of_file(store: Store, file: Path) -> set[str]:
    from acic.store.content import fingerprint
    from acic.store.exchange import read_exchange
    from acic.store.importing import is_exchange_file

    if is_exchange_file(file):
        return {fingerprint(m) for m in read_exchange(file)}
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UnreadableInput(f"cannot read {file}: {error.strerror}", hint="give one file, not a folder") from error
    told = set(store.fingerprints(raw_sha256=hashlib.sha256(raw).hexdigest()))
    if told and b"began" not in raw.lower() and not any(store.get(one).bandwidths for one in told):
        raise InvalidInput(
            f"{file} tells neither a time nor a figure: nothing tells it from the outputs of others' failed runs",
            hint="give the ID of its measurement (`acic data list --limit 20`)",
        )
    return told
