"""What this machine cannot give of what the facts of a lab ask for."""

from __future__ import annotations

import math
import os
import re
import tempfile
from pathlib import Path

from acic.cluster.lab.facts import LabFacts
from acic.errors import InvalidInput
from acic.units import KIB, format_bytes

_PROC = Path("/proc")
_THRESHOLD = re.compile(r"^nr_dirty_threshold (\d+)$", re.MULTILINE)  # pages
_TOTAL = re.compile(r"^MemTotal: +(\d+) kB$", re.MULTILINE)


def check_machine(facts: LabFacts, devices: int, folder: Path, *, proc: Path = _PROC) -> None:
    """Check that this machine can have the disks, each deployment of which would fail otherwise.

    Args:
        facts: of the lab.
        devices: the most disks that a server has, in RAID-0: they have one limit of what may wait to be written.
        folder: where the files behind disks are to be.
        proc: what the kernel tells.

    Raises:
        InvalidInput: a disk is too large, or more may wait for it than the kernel allows: all that waits now may be at
            most so much, a share of the memory that is free.
    """
    pages = _number(_THRESHOLD, proc / "vmstat")
    most = math.inf if pages is None else pages * os.sysconf("SC_PAGE_SIZE")
    for name, disk in facts.disks.items():
        if disk.dirty * devices > most:
            raise InvalidInput(
                f'disk."{name}".dirty of the [lab] table is {format_bytes(disk.dirty)}, for each of {devices} disks: '
                f"now this machine lets {format_bytes(most)} in all wait to be written",
                hint=f"give {format_bytes(most / devices)} at most, or free memory",
            )
        with tempfile.TemporaryFile(dir=folder) as file:
            try:
                os.ftruncate(file.fileno(), disk.size)
            except OSError as error:
                raise InvalidInput(
                    f'disk."{name}".size of the [lab] table is {format_bytes(disk.size)}: {folder} can have no such '
                    f"file ({error.strerror})",
                    hint="give less",
                ) from error


def doubts(facts: LabFacts, *, proc: Path = _PROC) -> list[str]:
    """Return which facts of nodes and of the archive nothing in the lab will be as slow, or as large, as."""
    found = []
    cores, kib = os.cpu_count(), _number(_TOTAL, proc / "meminfo")
    if cores is not None and facts.cpu > cores:
        found.append(f"node.cpu is {facts.cpu:g}, and this machine has {cores} cores: no node gets more")
    if kib is not None and facts.memory > kib * KIB:
        has = f"this machine has {format_bytes(kib * KIB)}"
        found.append(f"node.memory is {format_bytes(facts.memory)}, and {has}: no node gets more")
    fastest = max(facts.nics.values())
    if 0 < facts.archive_rate < fastest:
        found.append(
            f"archive.rate is {facts.archive_rate / 1e6:g} Mbit/s, and nothing in the lab slows staging out to that: "
            f"it is as fast as the network, which has up to {fastest / 1e6:g}; what is predicted goes by the rate"
        )
    return found


def _number(pattern: re.Pattern[str], file: Path) -> int | None:
    found = pattern.search(file.read_text())
    return int(found[1]) if found else None
