"""Every guard that makes a run mean what it says, each by sabotage."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from acic.cluster.lab import MOUNT, STORE, disks
from acic.cluster.lab.facts import Disk
from acic.lab import Lab, Site
from tests.cluster.lab.fake import CONFIGURATION, Fake

FASTER = "tc qdisc replace dev eth0 root tbf rate 1gbit burst 256kb latency 500ms"
Sabotage = Callable[[Lab], object]


@pytest.fixture
def deployed(lab: Lab) -> Iterator[Lab]:
    lab._known = {"Fake": Fake()}
    lab.deploy(CONFIGURATION)
    assert lab.audit() == []
    yield lab
    lab.room.set_nic(lab.nic)
    for node in ("c0", "c1"):
        lab.room.groups.make(node, lab.facts)
    lab.undeploy()


def spindle(lab: Lab) -> str:
    return lab.room.devices["s0"].spindles[0]


def slower(lab: Lab) -> Disk:
    disk = lab.facts.disks["ephemeral"]
    return Disk(**{**{key: getattr(disk, key) for key in Disk.__slots__}, "read_iops": disk.read_iops - 1})


def shared(lab: Lab) -> Path:
    (folder,) = disks.shared_bdi(lab.room.devices["s0"])
    return folder


def host(*words: str) -> None:
    subprocess.run(words, check=True)


def lying(lab: Lab) -> Site:
    """What would be deployed if another setting had been asked for."""
    assert lab.site is not None
    knob = replace(lab.site.deployment.knobs[0], matches="^wrong$")
    return replace(lab.site, deployment=replace(lab.site.deployment, knobs=(knob,)))


def elsewhere(lab: Lab) -> Site:
    assert lab.site is not None
    mounts = {"c0": lab.site.mounts["c0"]}
    return replace(lab.site, deployment=replace(lab.site.deployment, directory="/acic/state"), mounts=mounts)


SABOTAGE: dict[str, tuple[Sabotage, str]] = {
    "a client without its mount": (lambda lab: lab.run("c1", ["umount", MOUNT]), "c1 has"),
    "a client with another mount": (
        lambda lab: lab.run("c1", ["sh", "-c", f"umount {MOUNT}; mount -t tmpfs other {MOUNT}"]),
        "c1 has ('tmpfs', 'other') mounted",
    ),
    "a client with a mount over its mount": (
        lambda lab: lab.run("c2", ["mount", "-t", "ramfs", "over", MOUNT]),
        "c2 has ('ramfs', 'over') mounted",
    ),
    "a disk without a throttle": (
        lambda lab: lab.room.groups.throttle(disks.numbers(spindle(lab)), None),
        "does not do what ephemeral does",
    ),
    "a disk with another throttle": (
        lambda lab: lab.room.groups.throttle(disks.numbers(spindle(lab)), slower(lab)),
        "does not do what ephemeral does",
    ),
    "a disk whose limit is not strict": (
        lambda lab: (disks.bdi(lab.room.devices["s0"].loops[1]) / "strict_limit").write_text("0"),
        "lets other amounts wait to be written",
    ),
    "a store that may have more dirty pages": (
        lambda lab: (shared(lab) / "strict_limit").write_text("0"),
        "the store of s0 lets other amounts wait",
    ),
    "a disk that the machine caches": (lambda lab: host("losetup", "--direct-io=off", spindle(lab)), "is cached by"),
    "a store that is not on its disks": (lambda lab: lab.run("s1", ["umount", "-l", STORE]), f"{STORE} of s1 is not"),
    "a store under something else": (
        lambda lab: lab.run("s1", ["mount", "-t", "tmpfs", "memory", STORE]),
        f"{STORE} of s1 is not on its disks",
    ),
    "a link without a rate": (
        lambda lab: host("tc", "qdisc", "del", "dev", lab.room.names.link("c0"), "root"),
        "the link to c0 is held to 0 bit/s, not 400000000",
    ),
    "a link with another rate": (
        lambda lab: lab.run("c0", FASTER.split()),
        "the link from c0 is held to 1000000000 bit/s",
    ),
    "a node with more of the processor": (
        lambda lab: lab.nodes["c0"].groups[0].joinpath("cpu.cfs_quota_us").write_text("-1"),
        "cpu.cfs_quota_us of c0 is -1, not 25000",
    ),
    "a node with more memory": (
        lambda lab: lab.nodes["c1"].groups[1].joinpath("memory.limit_in_bytes").write_text("-1"),
        "memory.limit_in_bytes of c1 is",
    ),
    "a node out of its group": (
        lambda lab: (lab.room.groups.folders["cpu"] / "cgroup.procs").write_text(str(lab.nodes["c0"].pid)),
        "c0 is not in its group",
    ),
    "a directory that is not on the mount": (
        lambda lab: setattr(lab, "_site", elsewhere(lab)),
        "/acic/state on c0 is below /, not /acic/mnt",
    ),
    "a setting that is not what was asked for": (
        lambda lab: setattr(lab, "_site", lying(lab)),
        "mode on s0 is 'right', not '^wrong$'",
    ),
}


@pytest.mark.parametrize("what", SABOTAGE)
def test_each_guard_notices_what_it_is_for(deployed: Lab, what: str) -> None:
    if deployed.room.groups.unified and "more" in what and "node" in what:
        pytest.skip("these are files of version 1")
    sabotage, said = SABOTAGE[what]
    sabotage(deployed)
    try:
        troubles = deployed.audit()
        assert any(said in trouble for trouble in troubles), troubles
        assert len(troubles) <= 2
    finally:
        for folder in deployed.nodes["c0"].groups:
            (folder / "cgroup.procs").write_text(str(deployed.nodes["c0"].pid))


@pytest.mark.parametrize("again", [lambda lab: lab.audit(), lambda lab: lab.fresh()], ids=["audit", "fresh"])
def test_limits_that_move_with_free_memory_are_set_again(deployed: Lab, again: Callable[[Lab], object]) -> None:
    """The kernel keeps them as a share of it: what other programs took made the audit refuse every run."""
    dirty = deployed.facts.disks["ephemeral"].dirty
    moved = {disks.bdi(deployed.room.devices["s0"].loops[1]): dirty, shared(deployed): 2 * dirty}
    for folder, limit in moved.items():
        (folder / "max_bytes").write_text(str(limit // 2))
        assert not disks.limited(folder, limit)
    again(deployed)
    assert all(disks.limited(folder, limit) for folder, limit in moved.items())
    assert deployed.audit() == []
