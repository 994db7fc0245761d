"""What is there of a deployment on the lab: processes, mounts, disks; and commands that must succeed on its nodes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from acic.cluster.lab import STORE
from acic.filesystems.deployment import Deployment
from acic.filesystems.registry import FILE_SYSTEMS
from acic.lab import Lab
from acic.lab.inspection import asked
from acic.lab.site import layout, number, servers
from acic.space import Value

SECTOR = 512  # B, whatever the disk's own
MOMENT = 0.1  # s; a process that was forked is another program by then


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a lab has on this machine."""

    processes: Mapping[str, tuple[str, ...]]  # of each node: its first one, and what else
    mounts: Mapping[str, tuple[tuple[str, str, str], ...]]
    images: tuple[str, ...]
    own_files: int  # that this process has open

    @classmethod
    def of(cls, lab: Lab) -> Left:
        return cls(
            processes=running(lab),
            mounts={name: tuple(node.mounts()) for name, node in lab.nodes.items()},
            images=tuple(sorted(image for image in backing_files() if str(lab.room.names.images) in image)),
            own_files=len(os.listdir("/proc/self/fd")),
        )


def running(lab: Lab) -> dict[str, tuple[str, ...]]:
    """What runs on each node for longer than a moment: each node's first process always starts another sleep."""
    before = processes(lab)
    time.sleep(MOMENT)
    now = processes(lab)
    return {node: tuple(sorted(name for pid, name in now[node].items() if pid in before[node])) for node in now}


def processes(lab: Lab) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {node: {} for node in lab.nodes}
    for node, names in found.items():
        for pid in lab.room.groups.processes(node):
            with suppress(OSError):
                names[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
    return {node: {pid: name for pid, name in names.items() if name != "sleep"} for node, names in found.items()}


def backing_files() -> list[str]:
    return [path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_file")]


def told(lab: Lab, node: str, script: str, *, seconds: float = 60.0) -> str:
    """What a shell says on a node; it must succeed."""
    done = lab.run(node, ["sh", "-euc", script], seconds=seconds)
    assert done.returncode == 0, f"{node}: {script}: {done.stderr}"
    return done.stdout


def at_once(lab: Lab, scripts: Mapping[str, str]) -> dict[str, str]:
    with ThreadPoolExecutor(len(scripts)) as pool:
        return dict(zip(scripts, pool.map(lambda node: told(lab, node, scripts[node]), scripts), strict=True))


def used(lab: Lab) -> dict[str, int]:
    """B of files that each server has: on its disk, or as an object store of Ceph counts, whose file never shrinks."""
    assert lab.site is not None
    servers = lab.site.layout.servers
    if lab.site.configuration["file_system"] == "CephFS":
        asked = {
            one.node: f"python3 -IS {one.state}/ask.py {one.state}/osd.{number}.asok perf dump"
            for number, one in enumerate(servers)
        }
        return {
            node: int(json.loads(told(lab, node, ask))["bluestore"]["bluestore_stored"]) for node, ask in asked.items()
        }
    return {
        one.node: int(told(lab, one.node, f"sync -f {STORE}; du -s --block-size=1 {one.store}").split()[0])
        for one in servers
    }


def moved(lab: Lab) -> tuple[int, int]:
    """B that all disks have read and written since they were made; see Documentation/admin-guide/iostats of Linux."""
    assert lab.site is not None
    read = written = 0
    for devices in lab.site.devices.values():
        for disk in devices.spindles:
            fields = Path(f"/sys/block/{Path(disk).name}/stat").read_text().split()
            read += int(fields[2]) * SECTOR
            written += int(fields[6]) * SECTOR
    return read, written


def sent(lab: Lab, node: str) -> int:
    """B that a node has sent, also to servers on itself; see proc_net_dev(5)."""
    lines = told(lab, node, "cat /proc/net/dev").splitlines()[2:]
    return sum(int(line.split(":")[1].split()[8]) for line in lines)


def planned(lab: Lab, configuration: Mapping[str, Value]) -> Deployment:
    """What a deployment of `configuration` would do on this lab, whatever is deployed now."""
    serving = servers(lab.room, configuration)
    capacity = lab.facts.disks[str(configuration["device"])].size * number(configuration, "raid_devices")
    return FILE_SYSTEMS[str(configuration["file_system"])].deployment(
        layout(lab.room, serving, capacity), configuration
    )


def with_disks(lab: Lab, configuration: Mapping[str, Value]) -> Deployment:
    """Bare disks for `configuration`, in place of all that is there."""
    lab.undeploy()
    names = [node.name for node in servers(lab.room, configuration)]
    lab.room.attach(names, str(configuration["device"]), number(configuration, "raid_devices"))
    return planned(lab, configuration)


def unanswered(lab: Lab, deployment: Deployment) -> list[str]:
    """Names of the knobs that are not as they should be."""
    return [knob.name for knob in deployment.knobs if asked(lab.room, knob)]
