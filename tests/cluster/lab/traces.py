"""Everything of a machine that a lab could leave behind."""

from __future__ import annotations

import time
from pathlib import Path

from acic.cluster.lab import Names
from acic.cluster.lab.network import ALLOWED
from acic.cluster.lab.nodes import marked

_GROUPS = Path("/sys/fs/cgroup")
BLKIO = _GROUPS / "blkio"


def traces(name: str) -> dict[str, object]:
    """What is there of the lab `name`, and of what is the whole machine's."""
    loops = {
        path.parent.parent.name: path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_file")
    }
    mine = {loop: behind for loop, behind in loops.items() if f"/acic-lab-{name}/" in behind}
    over = {loop for loop, behind in loops.items() if Path(behind).name in mine}
    unused = [path for path in Path("/sys/block").glob("loop*") if path.name not in loops]
    numbers = {(path / "dev").read_text().strip() for path in unused}
    return {
        "processes": sorted(marked(name)),
        "mounts": [
            line for line in Path("/proc/self/mountinfo").read_text().splitlines() if f"acic-lab-{name}" in line
        ],
        "links": sorted(entry.name for entry in Path("/sys/class/net").iterdir() if entry.name.startswith(f"{name}-")),
        "loops": sorted([*mine, *over]),
        "groups": sorted(map(str, groups(f"acic-lab-{name}"))),
        "images": Names(name).images.exists(),
        "throttles of nothing": sorted(
            line
            for file in BLKIO.glob("blkio.throttle.*_device")
            for line in file.read_text().splitlines()
            if line.split()[0] in numbers
        ),
    }


CLEAN: dict[str, object] = {
    "processes": [],
    "mounts": [],
    "links": [],
    "loops": [],
    "groups": [],
    "images": False,
    "throttles of nothing": [],
}


def left(name: str, *, seconds: float = 2.0) -> dict[str, object]:
    """What is left of a lab; processes that are being reaped right now are waited for."""
    limit = time.monotonic() + seconds
    while True:
        found = {key: value for key, value in traces(name).items() if value != CLEAN[key]}
        if not found or time.monotonic() > limit:
            return found
        time.sleep(0.05)


def groups(pattern: str) -> list[Path]:
    """Control groups of labs: below each controller under version 1, else at the top."""
    return [*_GROUPS.glob(pattern), *_GROUPS.glob(f"*/{pattern}")]


def settings() -> str:
    """What the machine has of the settings that labs change; "" while another lab is up, which changes them too."""
    return "" if groups("acic-lab-*") else ALLOWED.read_text()
