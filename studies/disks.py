"""How many I/Os the disk of a server of the lab makes of writes that have to last, and of what is read.

One server with one or two throttled disks, for each file system: processes each write 4 KiB to files of their own and
sync each, one syncs after pauses, one reads what another wrote, eight read 256 KiB at a time anywhere in their parts of
one file, with nothing in any cache, and eight read pieces of files of their own and leave out what lies between. On
strict NFS and CephFS each writes pieces of several sizes, which last one by one, to a file of its own and to one of
all. On four servers of OrangeFS eight and sixteen read their parts of one file from its beginning to its end, so that
each server has a part of every stream. `/proc/diskstats` of the first server's disks tells the I/Os. What the prior has
for each is `durable`, `alone` and `extent` in `src/acic/prior/designs.py`.

    sudo acic lab up && sudo python studies/disks.py [--device ephemeral] [--only REGEX]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

FILE_SYSTEMS = ("nfs", "gluster", "ceph", "orangefs")
SYNCS, MIB, STREAM = 20, 1 << 20, 32  # syncs of each process; MiB of the stream
PART, PIECE = 4, 256 << 10  # MiB of each process in a shared file; B that it reads at a time
GAPPED, GAPS = 8, ((64 << 10, 256 << 10), (256 << 10, 512 << 10))  # MiB of each file; B of each piece, of what it is in
LASTING, SIZES = 12, (1000, 3000, 4096, 9608, 8192, 32000, 32768, 140608, 131072, 300000, 262144)  # writes; B of each
PAUSES = (0.0, 0.01, 0.02, 0.04, 0.1, 0.5)  # s before each pair of syncs
NODES = 4  # of which each has as many processes
PARTED = 4  # servers that each have a part of every stream
RANK, RANKS = (int(os.environ.get(name, default)) for name, default in (("PMI_RANK", "0"), ("PMI_SIZE", "1")))


def disks_of(server: str) -> dict[str, str]:
    """Return the throttled disks of a server, by the kernel's names."""
    told = subprocess.run(["losetup", "--json", "--list"], capture_output=True, text=True, check=True).stdout
    loops = json.loads(told)["loopdevices"]
    return {Path(one["name"]).name: one["back-file"] for one in loops if f"/{server}." in one["back-file"]}


def counted() -> Mapping[str, tuple[int, int, int]]:
    """Return the reads and writes of each block device so far, and the B read."""
    lines = (line.split() for line in Path("/proc/diskstats").read_text().splitlines())
    return {name: (int(reads), int(writes), 512 * int(read)) for _, _, name, reads, _, read, _, writes, *_ in lines}


def received() -> int:
    """Return the B that this node received so far."""
    lines = (line.split() for line in Path("/proc/net/dev").read_text().splitlines()[2:])
    return sum(int(number) for name, number, *_ in lines if name != "lo:")


def together(folder: Path, name: str) -> None:
    """Wait until all processes are here."""
    (folder / f"{name}.{RANK}").touch()
    while len(list(folder.glob(f"{name}.*"))) < RANKS:
        time.sleep(0.02)


@contextmanager
def counting(folder: Path, what: str, operations: int, disks: list[str], column: int) -> Iterator[None]:
    """Print the I/Os of the busiest disk and the time while all processes do something, for each operation."""
    together(folder, f"{what}-begins")
    time.sleep(1)  # what was synced before is settled
    before, begin = counted(), time.perf_counter()
    yield
    together(folder, f"{what}-ends")
    took, after = time.perf_counter() - begin, counted()
    if RANK == 0:
        most = max(after[one][column] - before[one][column] for one in disks)
        print(f"{what}: {most / operations:.1f} I/Os of a disk, {took / operations * 1e3:.1f} ms", flush=True)


def syncing(folder: Path, disks: list[str]) -> None:
    """Write 4 KiB to files of one's own, and sync each."""
    files = [os.open(folder / f"own.{RANK}.{number}", os.O_RDWR | os.O_CREAT) for number in range(SYNCS)]
    with counting(folder, f"4 KiB synced by {RANKS}", SYNCS * RANKS, disks, 1):
        for one in files:
            os.pwrite(one, bytes(4096), 0)
            os.fsync(one)


def paused(folder: Path, disks: list[str]) -> None:
    """Write 4 KiB and sync it twice, after pauses: a disk that is held to a rate saves up what it may do meanwhile."""
    made = os.open(folder / "paused", os.O_RDWR | os.O_CREAT)
    for pause in PAUSES:
        before, took = counted(), 0.0
        for _ in range(SYNCS):
            time.sleep(pause)
            begin = time.perf_counter()
            for _ in range(2):
                os.pwrite(made, os.urandom(4096), 0)
                os.fsync(made)
            took += time.perf_counter() - begin
        each = max(counted()[one][1] - before[one][1] for one in disks) / SYNCS
        print(f"{pause * 1e3:.0f} ms pause: {each:.1f} I/Os of a disk in {took / SYNCS * 1e3:.1f} ms", flush=True)


def lasting(folder: Path, disks: list[str]) -> None:
    """Write pieces that each last before the next: to a file of one's own, and in turns to one of all processes."""
    for name, (first, stride) in {f"own.{RANK}": (0, 1), "shared": (RANK, RANKS)}.items():
        for size in SIZES:
            made, data = os.open(folder / f"{name}.{size}", os.O_RDWR | os.O_CREAT), os.urandom(size)
            with counting(folder, f"{name.split('.')[0]} {size} B by {RANKS}", LASTING * RANKS, disks, 1):
                for number in range(LASTING):
                    os.pwrite(made, data, (number * stride + first) * size)
            os.close(made)


def streaming(folder: Path, disks: list[str]) -> None:
    """Read what process 0 wrote, by process 1 on another node; a server that caches it reads nothing."""
    if RANK == 0:
        made = os.open(folder / "stream", os.O_RDWR | os.O_CREAT)
        for number in range(STREAM):
            os.pwrite(made, os.urandom(MIB), number * MIB)
        os.fsync(made)
        os.close(made)
    together(folder, "made")
    with counting(folder, f"{STREAM} MiB read, for each MiB", STREAM, disks, 0):
        if RANK == 1:
            stream = os.open(folder / "stream", os.O_RDONLY)
            for number in range(STREAM):
                os.pread(stream, MIB, number * MIB)


def reading(folder: Path, disks: list[str], *, shuffled: bool, servers: int) -> None:
    """Read what others wrote to one file, a part of each process, in order or not; caches are emptied before."""
    made = os.open(folder / "parts", os.O_RDWR | os.O_CREAT)
    for number in range(PART):
        os.pwrite(made, os.urandom(MIB), (RANK * PART + number) * MIB)
    os.fsync(made)
    os.close(made)
    together(folder, "parts-made")
    if RANK == 0:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    places = list(range(0, PART * MIB, PIECE))
    if shuffled:
        random.Random(RANK).shuffle(places)  # noqa: S311  # the same in each run
    begin = (RANK + RANKS // 2) % RANKS * PART * MIB
    order = "at random" if shuffled else "in order"
    what = f"{PIECE // 1024} KiB {order} by {RANKS}, for each MiB of a server"
    with counting(folder, what, PART * RANKS // servers, disks, 0):
        parts = os.open(folder / "parts", os.O_RDONLY)
        for place in places:
            os.pread(parts, PIECE, begin + place)


def gaps(folder: Path, disks: list[str]) -> None:
    """Read pieces of a file that another process wrote, and leave out what lies between; caches are emptied before."""
    for piece, stride in GAPS:
        made = os.open(folder / f"gaps.{piece}.{RANK}", os.O_RDWR | os.O_CREAT)
        for number in range(GAPPED):
            os.pwrite(made, os.urandom(MIB), number * MIB)
        os.fsync(made)
        os.close(made)
        together(folder, f"gaps-{piece}-made")
        if RANK == 0:
            Path("/proc/sys/vm/drop_caches").write_text("3")
        wanted = GAPPED * MIB * piece // stride
        before, node = counted(), received()
        with counting(folder, f"{piece >> 10} of {stride >> 10} KiB, for each MiB", wanted * RANKS // MIB, disks, 0):
            other = os.open(folder / f"gaps.{piece}.{(RANK + RANKS // 2) % RANKS}", os.O_RDONLY)
            for place in range(0, GAPPED * MIB, stride):
                os.pread(other, piece, place)
        if RANK == 0:
            from_disks = sum(counted()[one][2] - before[one][2] for one in disks) / wanted / RANKS
            to_node = (received() - node) / wanted / (RANKS // NODES)
            print(f"of what is wanted I/Os read {from_disks:.1f} times, networks {to_node:.1f} times", flush=True)


def run(
    file_system: str, device: str, raid: int, processes: int, what: str, *, servers: int = 1, strip: str = ""
) -> None:
    """Deploy a file system on dedicated servers, and have processes of four nodes do something there."""
    where = ["--servers", str(servers), "--placement", "dedicated", "--device", device, "--raid-devices", str(raid)]
    where += ["--stripe-size", strip] if strip else []
    where += ["--consistency", "strict"] if what == "lasting" else []
    command = [sys.executable, __file__, "--inside", "{directory}", "--what", what]
    lab = ["acic", "lab", "run", "--fs", file_system, *where, "--processes", str(processes), "--", *command]
    done = subprocess.run(lab, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    told = [line for line in done.stdout.splitlines() if "I/Os" in line]
    print(f"{file_system:10}{strip:7}{raid} x {device}   " + "; ".join(told), flush=True)


WHAT: Mapping[str, Callable[[Path, list[str]], None]] = {
    "syncing": syncing,
    "paused": paused,
    "lasting": lasting,
    "streaming": streaming,
    "scattered": partial(reading, shuffled=True, servers=1),
    "gaps": gaps,
    "parts": partial(reading, shuffled=False, servers=PARTED),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="ephemeral")
    parser.add_argument("--only", default="", help="regular expression: what to count, as in 'orangefs parts'")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--what", choices=tuple(WHAT), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        disks = sorted(disks_of("s0"))
        WHAT[arguments.what](arguments.inside, disks)
        return 0
    todo = [
        (file_system, raid, processes, what, 1, "")
        for file_system in FILE_SYSTEMS
        for raid in (1, 2)
        for what, processes in (
            ("syncing", 1),
            ("syncing", 4),
            ("syncing", 8),
            ("paused", 1),
            ("streaming", 2),
            ("scattered", 8),
            ("gaps", 8),
        )
    ]
    todo += [
        (name, raid, processes, "lasting", 1, "") for name in ("nfs", "ceph") for raid in (1, 2) for processes in (1, 8)
    ]
    todo += [
        ("orangefs", raid, processes, "parts", PARTED, strip)
        for strip in ("64KiB", "4MiB")
        for raid in (1, 2)
        for processes in (8, 16)
    ]
    for file_system, raid, processes, what, servers, strip in todo:
        if re.search(arguments.only, f"{file_system} {what}"):
            run(file_system, arguments.device, raid, processes, what, servers=servers, strip=strip)
    return 0


if __name__ == "__main__":
    sys.exit(main())
