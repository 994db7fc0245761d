"""Data sheets of measurements that come with acic: where from, whose, when, how made; and made by them again."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms import Platform
from acic.store.content import fingerprint
from acic.store.importing import ImportOptions, import_path
from acic.store.measurement import Measurement
from acic.store.naming import NamingRule
from acic.store.timezones import parse_timezone
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
        report = import_path(raw / step["path"], platform, _options(step))
        unexpected = [s for s in report.skipped if s.path.name not in step.get("leave_out", ())]
        if unexpected:
            raise UnreadableInput(f"{unexpected[0].path}: {unexpected[0].reason}", hint="correct the data sheet")
        for measurement in report.measurements:
            found.setdefault(fingerprint(measurement), measurement)
    return list(found.values())


def _options(step: Mapping[str, Any]) -> ImportOptions:
    """Return the options that one `[[import]]` of a data sheet gives."""
    return ImportOptions(
        rule=NamingRule.from_table(step) if "template" in step else None,
        configuration=step.get("configuration"),
        suspect=Operation(step["suspect"]) if "suspect" in step else None,
        timezone=parse_timezone(step.get("timezone", "+00:00")),
        revision=step.get("revision", ""),
        contributor=step.get("contributor", ""),
    )
