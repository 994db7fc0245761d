"""`acic data remove`: take measurements out of the training database."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.option_types import PathName, Text
from acic.cli.output import emit_json, json_option, printable, say
from acic.cli.store_option import store_option
from acic.errors import AcicError, InvalidInput, MissingData

if TYPE_CHECKING:
    from acic.store.database import Store

_IMPORT = re.compile(r"([0-9a-f]+)\.([0-9]{1,18})-([0-9a-f]+)\.([0-9]{1,18})")  # as `acic data import` tells it


@click.command(epilog="Example: acic data remove --contributor alice --revision 2025-01 --dry-run")
@click.argument("identifiers", nargs=-1, metavar="[ID...]")
@click.option("--platform", "platform_name", help="Of this platform: its name or file.")
@click.option("--contributor", type=Text(), help="Of this contributor; '' is who gave no name.")
@click.option("--revision", type=Text(), help="Of this revision of the platform.")
@click.option(
    "--file",
    "paths",
    type=PathName(),
    multiple=True,
    help="That this file holds: an output of IOR, or an exchange file; or all files of a folder.",
)
@click.option("--import", "imported", type=Text(), help="That an import added: what it told, as 4f2a.1-99ab.8.")
@click.option("--dry-run", is_flag=True, help="Say how many there are, and of whom; remove none.")
@store_option
@json_option
def remove(
    identifiers: tuple[str, ...],
    platform_name: str | None,
    contributor: str | None,
    revision: str | None,
    paths: tuple[Path, ...],
    imported: str | None,
    dry_run: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Remove measurements from the training database: those that match all that is given.

    ID is the first digits that `acic data list --limit 20` shows. What was imported with a wrong option is removed, and
    imported again; `acic data export` keeps a copy before. A file may hold what was there before its import: --import
    takes out what that added, --dry-run tells of whom all are, and --contributor takes out what is of one.
    """
    from acic.cli.platform_name import name_in_store
    from acic.store.database import Store

    if not (identifiers or paths) and (platform_name, contributor, revision, imported) == (None, None, None, None):
        raise InvalidInput(
            "nothing says which measurements to remove",
            hint="give an ID (`acic data list --limit 20`), --import, --platform, --contributor, --revision or --file",
        )
    columns = {"platform": name_in_store(platform_name), "contributor": contributor, "revision": revision}
    matched = {name: value for name, value in columns.items() if value is not None}
    with Store.open_existing(store_url, announce=say) as store:
        found = _found(store, identifiers, paths, imported, matched) if store else []
        if store is None or not found:
            raise MissingData("no measurement in the store matches all of that", hint="`acic data list` counts them")
        contributors = store.contributors(found)
        removed = 0 if dry_run else store.remove(found)
    if as_json:
        emit_json({"found": len(found), "removed": removed, "contributors": contributors, "ids": found})
    else:
        told = f"{len(found)} measurements found, none removed (dry run)" if dry_run else f"{removed} removed"
        click.echo(printable(f"{told}{_of_whom(contributors)}"))


def _of_whom(contributors: Mapping[str, int]) -> str:
    """Return how many are of each contributor, "" where nobody is named."""
    if set(contributors) == {""}:
        return ""
    each = (f"{number} of {who}" if who else f"{number} unnamed" for who, number in contributors.items())
    return f": {', '.join(each)}"


def _found(
    store: Store, identifiers: tuple[str, ...], paths: Sequence[Path], imported: str | None, matched: dict[str, str]
) -> list[str]:
    """Return the fingerprints of all that match, in the order they were added.

    Raises:
        InvalidInput: several measurements begin with one of the identifiers, or nothing tells the file from others.
        MissingData: none does.
    """
    among = [set(store.fingerprints(**matched))]
    if identifiers:
        among.append({store.named(one) for one in identifiers})
    if imported is not None:
        among.append(_of_import(store, imported))
    if paths:
        among.append(_of_files(store, paths))
    return [one for one in store.fingerprints(**matched) if all(one in them for them in among)]


def _of_import(store: Store, text: str) -> set[str]:
    """Return the fingerprints of what an import added, told by the first and the last of them."""
    told = _IMPORT.fullmatch(text)
    if not told:
        raise InvalidInput(
            f"{text!r} is no import", hint="give what `acic data import` told, as 4f2a9c1b77aa.1-99ab12cd0e5f.8"
        )
    with suppress(MissingData):
        first, last = ((store.named(told[mark]), int(told[mark + 1])) for mark in (1, 3))
        if found := store.between(first, last):
            return set(found)
    raise MissingData(
        f"the first or the last measurement of the import {text} is gone, or was removed and put back, so nobody knows "
        "what it added",
        hint="take out the others by --file, or by their IDs (`acic data list --limit 20`)",
    )


def _of_files(store: Store, paths: Sequence[Path]) -> set[str]:
    """Return the fingerprints of what the store has of these files, and of all files below these folders."""
    from acic.store.folders import files_below

    stored, found = store.by_output(), set[str]()
    for path in paths:
        if not path.is_dir():
            found |= _of_file(store, path, stored)
            continue
        files, skipped = files_below(path)
        for one in skipped:
            say(f"skipped {one.path}: {one.reason}")
        for file in files:
            try:
                found |= _of_file(store, file, stored)
            except AcicError as error:  # as in an import, it does not end what is done with the others
                say(f"skipped {file}: {error.problem.removeprefix(f'{file} ')}")
    return found


def _of_file(store: Store, file: Path, stored: Mapping[str, Sequence[str]]) -> set[str]:
    from acic.store.content import fingerprint
    from acic.store.exchange import read_exchange
    from acic.store.importing import is_exchange_file
    from acic.store.ior_files import read_output

    if is_exchange_file(file):
        return {fingerprint(m) for m in read_exchange(file)}
    raw = read_output(file)
    told = set(stored.get(hashlib.sha256(raw).hexdigest(), ()))
    if told and b"began" not in raw.lower() and not any(store.get(one).bandwidths for one in told):
        raise InvalidInput(
            f"{file} tells neither a time nor a figure: nothing tells it from the outputs of others' failed runs",
            hint="give the ID of its measurement (`acic data list --limit 20`)",
        )
    return told
