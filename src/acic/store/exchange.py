"""acic's own format of measurements to hand on, "acic-measurements": JSON Lines or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from acic.errors import AcicError, InvalidInput, UnreadableInput
from acic.store.content import fingerprint, from_content, to_content
from acic.store.measurement import Measurement
from acic.whole import whole

FORMAT = "acic-measurements"
VERSION = 1
SUFFIXES = (".jsonl", ".parquet")
_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
_PARQUET = b"PAR1"


def export(measurements: Iterable[Measurement], path: Path) -> int:
    """Write `measurements` to `path` (.jsonl or .parquet); return how many.

    Raises:
        InvalidInput: another suffix, a value that the format cannot hold, or a file that cannot be written.
    """
    check_suffix(path)
    them = list(measurements)
    with whole(path) as unfinished:
        if path.suffix.lower() == ".parquet":
            from acic.store.parquet import write_parquet

            write_parquet(them, unfinished)
        else:
            _write_lines(them, unfinished)
    return len(them)


def check_suffix(path: Path) -> None:
    """Raise InvalidInput unless `path` says by its suffix which of the two it is to be."""
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path.name} is neither JSON Lines nor Parquet", hint=f"end it in {' or '.join(SUFFIXES)}")


def read_exchange(path: Path) -> list[Measurement]:
    """Return the measurements in `path`; all of them, or an error.

    Raises:
        UnreadableInput: the file is missing, cut short, damaged, of a newer version, or no such file.
    """
    try:
        with path.open("rb") as file:
            parquet = file.read(len(_PARQUET)) == _PARQUET
        if not parquet:
            return _read_lines(path)
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {error.strerror}", hint="check the path") from error
    from acic.store.parquet import read_parquet

    return read_parquet(path)


def is_exchange(path: Path) -> bool:
    """Return whether `path` says of itself that it is such a file (it may still be damaged); OSError if unreadable."""
    with path.open("rb") as file:
        beginning = file.read(len(_BEGINNING))
    return beginning == _BEGINNING or beginning.startswith(_PARQUET)


def check_version(version: object, path: Path) -> None:
    """Raise UnreadableInput unless this acic can read `version` of the format."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableInput(f"{path} has no version of {FORMAT}", hint="export it anew")
    if version > VERSION:
        raise UnreadableInput(
            f"{path} has version {version} of {FORMAT}, and this acic knows {VERSION} at most",
            hint="use a newer acic, or ask for the file in this version",
        )


def cannot_write(measurement: Measurement, error: Exception) -> InvalidInput:
    """Return that a value of `measurement` cannot be exported, with the name that `acic data show` knows it by."""
    name = fingerprint(measurement)[:12]
    return InvalidInput(f"the measurement {name} cannot be written: {error}", hint=f"look at it: acic data show {name}")


def _write_lines(measurements: list[Measurement], file: BinaryIO) -> None:
    header = {
        "format": FORMAT,
        "version": VERSION,
        "count": len(measurements),
        "repetition": ["bandwidth in B/s", "seconds", "operations per second"],
    }
    file.write(json.dumps(header).encode() + b"\n")
    for measurement in measurements:
        try:
            file.write(json.dumps(to_content(measurement), allow_nan=False).encode() + b"\n")
        except (ValueError, TypeError) as error:
            raise cannot_write(measurement, error) from error


def _read_lines(path: Path) -> list[Measurement]:
    measurements: list[Measurement] = []
    with path.open("rb") as file:
        header = _line(path, 1, file.readline())
        if header.get("format") != FORMAT:
            raise UnreadableInput(f"{path} is no file of {FORMAT}", hint="give a file that acic exported")
        check_version(header.get("version"), path)
        number = 1
        for number, line in enumerate(file, start=2):
            content = _line(path, number, line)
            try:
                measurements.append(from_content(content))
            except AcicError as error:
                raise _broken(path, number, error.problem, f"{error.hint}; or ") from error
    if "count" in header and len(measurements) != header["count"]:
        problem = f"{header['count']} measurements were promised and {len(measurements)} are there"
        raise _broken(path, number, problem)
    return measurements


def _line(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        problem = f"it is no JSON ({error})"
        if not line.endswith(b"\n"):
            problem = "the file ends inside it" if line else "the file ends before it"
        raise _broken(path, number, problem) from error
    if not isinstance(content, dict):
        raise _broken(path, number, "it is no object")
    return content


def _broken(path: Path, number: int, problem: str, remedy: str = "") -> UnreadableInput:
    hint = f"{remedy}copy or export the file again; nothing was imported"
    return UnreadableInput(f"cannot read {path}: line {number}: {problem}", hint=hint)
