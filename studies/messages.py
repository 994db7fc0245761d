"""What GlusterFS's servers are asked for a file that is whole, and for one in shards.

One process on a client writes 32 MiB, 1 MiB at a time, and then reads them with nothing in any cache. Meanwhile
strace(1) counts what the daemons of four servers call: answers that they send, data that they write and read, and
extended attributes that they set, of which the size of a file in shards is one.

    sudo acic lab up && sudo python studies/messages.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.campaign.system import Deployed
from acic.lab import Lab
from acic.space import Configuration, Value
from acic.units import MIB, format_bytes
from studies.lab_runs import HARDWARE, open_lab

CALLS = {"answers": "writev", "writes": "pwrite64", "reads": "pread64", "attributes set": "fsetxattr"}
SIZE = 32  # MiB
ATTACHED, ANSWERED = 3.0, 5.0  # s until strace sees all threads, and until all that clients have is written


def daemons(lab: Lab) -> Iterator[int]:
    """Yield the processes that serve bricks."""
    for node in lab.nodes.values():
        for process in (node.groups[0] / "cgroup.procs").read_text().split():
            if Path(f"/proc/{process}/comm").read_text().strip() == "glusterfsd":
                yield int(process)


@contextmanager
def counting(lab: Lab, found: Counter[str]) -> Iterator[None]:
    """Count the calls of all daemons meanwhile."""
    with TemporaryDirectory() as folder:
        logs = {process: Path(folder) / str(process) for process in daemons(lab)}
        tracers = [subprocess.Popen(["strace", "-fqco", log, "-p", str(one)]) for one, log in logs.items()]
        time.sleep(ATTACHED)
        yield
        time.sleep(ANSWERED)
        for tracer in tracers:
            tracer.terminate()
            tracer.wait()
        for log in logs.values():
            rows = (line.split() for line in log.read_text().splitlines())
            found.update({row[-1]: int(row[3]) for row in rows if len(row) > 4 and row[3].isdigit()})


def main() -> int:
    if not shutil.which("strace"):
        print("strace is missing: apt-get install strace", file=sys.stderr)
        return 1
    lab = open_lab()
    print(f"{f'{SIZE} MiB, four servers':24}" + "".join(f"{name:>16}" for name in CALLS))
    system = Deployed(lab)
    for size in (1 << 40, 64 * MIB, 4 * MIB):
        wanted: dict[str, Value] = {"file_system": "GlusterFS", "servers": 4, "placement": "dedicated"}
        place = system.ready(Configuration({**HARDWARE, **wanted, "stripe_size": size}))
        file = f"{place.directory}/counted"
        for what, ends in (("written", ("if=/dev/zero", f"of={file}")), ("read", (f"if={file}", "of=/dev/null"))):
            system.forget(place.seen)
            found: Counter[str] = Counter()
            with counting(lab, found):
                lab.run("c0", ("dd", *ends, "bs=1M", f"count={SIZE}"), seconds=120.0)
            told = "whole" if size == 1 << 40 else f"shards of {format_bytes(size)}"
            print(f"{f'{told}, {what}':24}" + "".join(f"{found[call]:16}" for call in CALLS.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
