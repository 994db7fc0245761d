"""Staging out: all clients copy results from disks that are lost with their machines to where they last."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acic.errors import InvalidInput, TransientError
from acic.steps import Await, Serve
from acic.units import MIB

if TYPE_CHECKING:
    from acic.lab.lab import Lab

ARCHIVE = "archive"  # the node that takes them
_PORT = 7000
_CHUNK = 4 * MIB  # B that shares are cut at
_SECONDS = 120.0
_UNREAD = "what was to be copied cannot be read"  # said by the script, as the status of a pipe is that of its last part


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: `length` B from `offset` on."""

    file: str
    offset: int
    length: int


def shares(sizes: Mapping[str, int], clients: int) -> list[list[Piece]]:
    """Return what each client copies: as many chunks as every other, but for one; each piece in one stretch.

    Args:
        sizes: of each file, B.
        clients: how many copy.
    """
    chunks = [
        Piece(file, offset, min(_CHUNK, size - offset))
        for file, size in sizes.items()
        for offset in range(0, size, _CHUNK)
    ]
    each, rest = divmod(len(chunks), clients)
    made, begin = [], 0
    for client in range(clients):
        end = begin + each + (client < rest)
        made.append(_joined(chunks[begin:end]))
        begin = end
    return made


def stage_out(lab: Lab, results: Sequence[str]) -> float:
    """Copy files from the file system that is deployed to the archive; return the seconds that it took.

    The archive is a store that takes what the clients' networks give. It keeps nothing: the way out is measured.

    Args:
        lab: one with a file system deployed.
        results: files, below the directory of the deployment.

    Raises:
        InvalidInput: nothing is deployed, or there is no such file.
        TransientError: a copy fails.
    """
    site = lab.site
    if site is None:
        raise InvalidInput("nothing is deployed in the lab", hint="deploy a file system before staging out of it")
    clients = [client.node for client in site.layout.clients]
    directory = site.deployment.directory
    seen = lab.nodes[clients[0]].root / directory.removeprefix("/")
    sizes = {f"{directory}/{name}": _size(seen / name) for name in results}
    _open_archive(lab)
    scripts = [_script(pieces) for pieces in shares(sizes, len(clients))]
    command = ("sh", "-c", f"sh | socat -u - TCP:{lab.nodes[ARCHIVE].address}:{_PORT}")
    begin = time.monotonic()
    with ThreadPoolExecutor(len(clients)) as pool:
        jobs = {
            node: pool.submit(lab.run, node, command, seconds=_SECONDS, stdin=script)
            for node, script in zip(clients, scripts, strict=True)
            if script
        }
        for node, job in jobs.items():
            done = job.result()
            if done.returncode != 0 or _UNREAD in done.stderr:
                raise TransientError(f"staging out of {node} failed: {done.stderr.strip()}", hint="try again")
    return time.monotonic() - begin


def _size(result: Path) -> int:
    try:
        return result.stat().st_size
    except FileNotFoundError as error:
        raise InvalidInput(f"there is no result {result.name}", hint="name files that the application wrote") from error


def _joined(chunks: Sequence[Piece]) -> list[Piece]:
    """Return chunks that follow one another as one piece."""
    made: list[Piece] = []
    for chunk in chunks:
        last = made[-1] if made else None
        if last and last.file == chunk.file and last.offset + last.length == chunk.offset:
            made[-1] = Piece(last.file, last.offset, last.length + chunk.length)
        else:
            made.append(chunk)
    return made


def _script(pieces: Sequence[Piece]) -> str:
    """Return the shell script that writes the pieces, in one stream; they begin at whole MiB.

    It is read from standard input, one command after the other: of many files it is longer than a word may be.
    """
    failed = f"|| {{ echo {shlex.quote(_UNREAD)} >&2; exit 1; }}"
    return "".join(
        f"dd if={shlex.quote(p.file)} bs=1M skip={p.offset // MIB} count={-(-p.length // MIB)} status=none {failed}\n"
        for p in pieces
    )


def _open_archive(lab: Lab) -> None:
    """Start what takes results, unless it runs."""
    listening = ("sh", "-c", f"grep -q ':{_PORT:04X} 00000000:0000 0A' /proc/net/tcp")
    if lab.run(ARCHIVE, listening).returncode == 0:
        return
    server = ("socat", "-u", f"TCP-LISTEN:{_PORT},reuseaddr,fork,backlog=64", "OPEN:/dev/null")
    lab.perform(
        [Serve(node=ARCHIVE, name=ARCHIVE, command=server), Await(node=ARCHIVE, command=listening, seconds=5.0)]
    )
