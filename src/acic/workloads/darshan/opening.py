"""Opening a Darshan log: is it one, and can it be read."""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from pathlib import Path

from acic.errors import UnreadableInput
from acic.workloads.darshan.regions import MAGIC, VERSIONS, Header, read_header

_LARGEST = 16 << 30
_FIRST_READ = 1 << 16
_MOST_AT_ONCE = 1 << 30
_MAGICS = (struct.pack("<q", MAGIC), struct.pack(">q", MAGIC))
_ENDED = "a job that is killed leaves no log: run it again"
_NO_LOG = "give the .darshan file that the Darshan library wrote for the job; the name of a workload file ends in .toml"


def open_log(path: Path | str) -> tuple[bytes, Header]:
    """Return the bytes and the header of the log at `path`.

    Raises:
        UnreadableInput: there is no such file, or it is no Darshan 3 log.
    """
    try:
        # not blocking, lest a named pipe without a writer holds us up
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return _read(path, file)
        finally:
            os.close(file)
    except FileNotFoundError:
        raise _unreadable(path, "there is no such file", hint="check the path") from None
    except PermissionError:
        raise _unreadable(path, "you may not read it", hint="ask its owner for read permission") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
        raise _unreadable(path, f"the system says: {reason}", hint="check the path and the file system") from error


def _read(path: Path | str, file: int) -> tuple[bytes, Header]:
    info = os.fstat(file)
    if stat.S_ISDIR(info.st_mode):
        raise _unreadable(path, "it is a directory", hint="give one .darshan file in it")
    if not stat.S_ISREG(info.st_mode):
        raise _unreadable(path, "it is not a regular file", hint="write the log into a file first")
    data = os.read(file, _FIRST_READ)
    header = _header(path, data)
    if info.st_size > _LARGEST:
        raise _unreadable(path, "it is larger than 16 GiB", hint="no Darshan log is: it is damaged")
    if len(data) < info.st_size:
        pieces = [data]
        left = info.st_size - len(data)
        while left > 0 and (piece := os.read(file, min(left, _MOST_AT_ONCE))):
            pieces.append(piece)
            left -= len(piece)
        data = b"".join(pieces)
    return data, header


def _header(path: Path | str, start: bytes) -> Header:
    if not start:
        raise _unreadable(path, "the file is empty", hint=_ENDED)
    if start.startswith((b"\x1f\x8b", b"BZh")):
        raise _packed(path, start)
    header = read_header(start)
    if header is not None:
        return header
    version = start[:8].partition(b"\0")[0].decode("ascii", "replace")
    if not re.fullmatch(r"\d\.\d{1,3}", version):
        if str(path).endswith(".darshan_partial"):  # what Darshan calls it until it is whole
            raise _unreadable(path, "a process ended while Darshan wrote the log of its I/O", hint=_ENDED)
        raise _unreadable(path, "it is not a Darshan log", hint=_NO_LOG)
    if version[0] in "12":
        raise _old(path, version)
    if len(start) < 16:
        raise _unreadable(path, "the log is truncated in its header", hint="copy it again, or run the job again")
    if start[8:16] not in _MAGICS:
        raise _unreadable(path, "it is not a Darshan log: its magic number is wrong", hint=_NO_LOG)
    if version not in VERSIONS:
        raise _unreadable(
            path,
            f"log format {version} is unknown",
            hint=f"this acic knows {', '.join(VERSIONS)}: a newer one may know it",
        )
    raise _unreadable(path, "the log is truncated in its header", hint="copy it again, or run the job again")


def _packed(path: Path | str, start: bytes) -> UnreadableInput:
    """Return the error for a file that is gzip or bzip2 as a whole: Darshan 1 and 2 wrote that."""
    inner = b""
    try:
        if start.startswith(b"BZh"):
            from bz2 import BZ2Decompressor  # few logs are packed so

            inner = BZ2Decompressor().decompress(start, 8)
        else:
            inner = zlib.decompressobj(wbits=31).decompress(start, 8)
    except (zlib.error, OSError, ValueError):
        pass
    version = inner.partition(b"\0")[0].decode("ascii", "replace")
    if re.fullmatch(r"[12]\.\d+", version):
        return _old(path, version)
    return _unreadable(path, "it is packed with gzip or bzip2", hint="unpack it first")


def _old(path: Path | str, version: str) -> UnreadableInput:
    # darshan-convert of Darshan 3 refuses these too: "must be analyzed using darshan-util 2.x"
    return _unreadable(
        path,
        f"it is a log of Darshan {version[0]} (format {version})",
        hint="no Darshan 3 tool reads or converts these: use darshan-parser of darshan-util 2.x, or run the job again",
    )


def _unreadable(path: Path | str, problem: str, *, hint: str) -> UnreadableInput:
    return UnreadableInput(f"cannot read {path}: {problem}", hint=hint)
