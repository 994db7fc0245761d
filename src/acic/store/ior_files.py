"""The files of a run of IOR: its output, also packed by gzip, and those beside it that tell how the run ended."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import BinaryIO

from acic.errors import UnreadableInput
from acic.store.ior_kinds import has_results
from acic.units import format_bytes

_RESULTS = (".json", ".csv", ".txt")
COMPANIONS = (".rc", ".err", ".out")  # exit status, standard error and output, beside NAME or NAME.json
_PACKED = ".gz"
_GZIP = b"\x1f\x8b"
_LARGEST = 64 * 2**20  # B, unpacked; IOR's output is some kB


def read_output(path: Path) -> bytes:
    """Return what an output of IOR holds, unpacked where gzip packed it, whatever it is called.

    Raises:
        UnreadableInput: it cannot be read, is damaged, or is larger than any output, as what a small one unpacks to.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise no_output(path, f": it is larger than {format_bytes(_LARGEST)}")
    except OSError as error:
        raise refused(path, error) from error
    return _held(path)


def is_companion(path: Path) -> bool:
    """Return whether `path`, packed or not, only tells how the run beside it ended."""
    plain = _unpacked(path)
    if plain.suffix not in COMPANIONS:
        return False
    results = [plain.with_suffix(suffix) for suffix in (*_RESULTS, ".out")]  # the last, where alone
    if any(result != plain and any(map(Path.is_file, _either(result))) for result in results):
        return True
    named = plain.with_suffix("")
    told = plain.suffix != ".out" or named.suffix in _RESULTS
    return any(file.is_file() and (told or _is_output(file)) for file in _either(named))


def beside(path: Path, suffix: str) -> str:
    """Return the text of the file beside the output at `path` that ends in `suffix`, packed or not; "" for none.

    Of one that is larger than any output it is the beginning and the end: errors stand in both.

    Raises:
        UnreadableInput: it cannot be read.
    """
    plain = _unpacked(path)
    names = (path.with_name(path.name + suffix), plain.with_name(plain.name + suffix), plain.with_suffix(suffix))
    found = (file for name in names if name != plain for file in _either(name) if file.is_file())
    first = next(found, None)
    return _held(first, ends=True).decode(errors="replace") if first else ""


def no_output(path: Path, why: str = "") -> UnreadableInput:
    """Return the error that a file is of something else."""
    hint = "give IOR's JSON, CSV or text output"
    if path.suffix == _PACKED:
        hint += "; an exchange file has to be unpacked first"
    return UnreadableInput(f"{path} is no output of IOR{why}", hint=hint)


def refused(path: Path, error: OSError) -> UnreadableInput:
    """Return the error that the system lets nobody read a file."""
    return UnreadableInput(f"cannot read {path}: {error.strerror}", hint="check the path")


def _is_output(path: Path) -> bool:
    """Return whether a file, whatever it is called, is an output of IOR, and no script or program that wrote one."""
    try:
        return has_results(_held(path, ends=True).decode(errors="replace"))
    except UnreadableInput:
        return False


def _held(path: Path, *, ends: bool = False) -> bytes:
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if not packed:
                return _ends(file) if ends else file.read()
            held = gzip.GzipFile(fileobj=file).read(_LARGEST + 1)  # gzip reaches 1032 times: else it takes all memory
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableInput(f"cannot read {path}: it does not unpack: {error}", hint="copy it again") from error
    except OSError as error:
        raise refused(path, error) from error
    if len(held) > _LARGEST:
        raise no_output(path, f": it unpacks to more than {format_bytes(_LARGEST)}")
    return held


def _ends(file: BinaryIO) -> bytes:
    """Return what a file holds, of a large one its beginning and its end."""
    beginning = file.read(_LARGEST // 2)
    size = os.fstat(file.fileno()).st_size
    file.seek(max(len(beginning), size - _LARGEST // 2))
    return beginning + file.read(_LARGEST // 2)


def _unpacked(path: Path) -> Path:
    """Return what a file is called without the name of its packing."""
    return path.with_suffix("") if path.suffix == _PACKED else path


def _either(path: Path) -> tuple[Path, Path]:
    return path, path.with_name(path.name + _PACKED)
