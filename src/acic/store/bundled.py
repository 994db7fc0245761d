"""Measurements that come with acic, each file with a data sheet: where from, whose, when, how made."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timezone, tzinfo
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms import Platform
from acic.store.content import fingerprint
from acic.store.exchange import SUFFIXES, read_exchange
from acic.store.importing import ImportOptions, import_path
from acic.store.measurement import Measurement
from acic.store.naming import NamingRule
from acic.workloads import Operation


@dataclass(frozen=True, slots=True)
class DataSheet:
    """What is to be known about a bundled file; `imports` are the steps that made it of the raw data."""

    platform: str
    title: str
    source: str
    licence: str
    date: str
    about: str
    imports: tuple[Mapping[str, Any], ...]


def bundled(platform: Platform) -> list[Measurement]:
    """Return the measurements of `platform` that come with acic; none if there are none."""
    file = _file(platform.name)
    if file is None:
        return []
    with resources.as_file(file) as path:
        return read_exchange(path)


def bundled_hash(platform: Platform) -> str:
    """Return a text that changes when what comes with acic for `platform` does."""
    file = _file(platform.name)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32] if file else ""


def parse_data_sheet(text: str) -> DataSheet:
    """Return the data sheet that a TOML text holds.

    Raises:
        InvalidInput: something is missing.
        UnreadableInput: it is no TOML.
    """
    try:
        table = tomllib.loads(text)
        names = ("platform", "title", "source", "licence", "date", "about")
        return DataSheet(**{name: str(table[name]).strip() for name in names}, imports=tuple(table.get("import", ())))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableInput(f"the data sheet is no TOML: {error}", hint="correct it") from error
    except KeyError as error:
        raise InvalidInput(f"the data sheet lacks {error.args[0]!r}", hint="add it") from error


def rebuild(sheet: DataSheet, raw: Path, platform: Platform) -> list[Measurement]:
    """Return the measurements that the sheet's imports make of the raw data below `raw`, each once.

    Raises:
        UnreadableInput: a folder is missing, or has a file that the sheet does not account for.
    """
    found: dict[str, Measurement] = {}
    for step in sheet.imports:
        report = import_path(raw / step["path"], platform, import_options(step))
        unexpected = [s for s in report.skipped if s.path.name not in step.get("leave_out", ())]
        if unexpected:
            raise UnreadableInput(f"{unexpected[0].path}: {unexpected[0].reason}", hint="correct the data sheet")
        for measurement in report.measurements:
            found.setdefault(fingerprint(measurement), measurement)
    return list(found.values())


def import_options(step: Mapping[str, Any]) -> ImportOptions:
    """Return the options that one `[[import]]` of a data sheet gives.

    Raises:
        InvalidInput: a value that cannot be read.
    """
    return ImportOptions(
        rule=NamingRule.from_table(step) if "template" in step else None,
        configuration=step.get("configuration"),
        suspect=Operation(step["suspect"]) if "suspect" in step else None,
        timezone=parse_timezone(step.get("timezone", "+00:00")),
        revision=step.get("revision", ""),
        contributor=step.get("contributor", ""),
    )


def parse_timezone(text: str) -> tzinfo:
    """Return the timezone of an offset from UTC ("+08:00", "Z"), or of a name ("Europe/Berlin").

    Raises:
        InvalidInput: neither, or a name that this machine knows nothing of.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    try:
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{text}").utcoffset()
    except ValueError:
        offset = None
    if offset is not None:
        return timezone(offset)
    if text == "UTC":  # also where the machine has no list of them
        return UTC
    try:
        return ZoneInfo(text)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:  # as of a folder of them
        if not available_timezones():
            hint = "write +08:00 or Z; this machine has no list of named timezones (Debian: apt-get install tzdata)"
        else:
            hint = "write +08:00, Z or a name, as Europe/Berlin"
        raise InvalidInput(f"{text!r} is no offset from UTC, and no timezone", hint=hint) from error


def _file(platform: str) -> Traversable | None:
    files = (_data().joinpath(f"{platform}{suffix}") for suffix in SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def _data() -> Traversable:
    return resources.files("acic.store").joinpath("data")
