"""A file system without room for what is written says so, and can be used again when that is removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from acic.filesystems.registry import FILE_SYSTEMS
from acic.lab import Lab
from acic.space import Value
from acic.units import MIB
from tests import laboratory
from tests.filesystems.real import at_once, told
from tests.laboratory import alone, facts, need_lab, remove_leftovers

SMALL = 1024 * MIB  # B of a disk
FASTEST = "lab.1g"  # network: what fills disks soonest


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Lab]:
    need_lab()
    state = tmp_path / "state"
    usual = facts()
    disks = {name: replace(disk, size=SMALL) for name, disk in usual.disks.items()}
    with alone():
        remove_leftovers(state)
        made = Lab.up(
            replace(usual, disks=disks), nic=FASTEST, state=state, name=laboratory.NAME, network=laboratory.NETWORK
        )
        try:
            yield made
        finally:
            made.down()


@pytest.mark.slow
@pytest.mark.parametrize("servers", [1, 2])
def test_a_full_cephfs_tells_who_writes_and_goes_on(small: Lab, servers: int) -> None:
    """A server's store was full before it had told the monitor: it aborted, and all clients waited for ever."""
    ceph = FILE_SYSTEMS["CephFS"]
    need_lab(ceph.programs, " ".join(ceph.packages))
    system: dict[str, Value] = {"file_system": "CephFS", "servers": servers, "placement": "dedicated"}
    site = small.deploy({**system, "device": "ephemeral", "raid_devices": 1, "instance_type": FASTEST})
    folder = site.deployment.directory
    count = servers * SMALL // MIB // len(site.mounted) + 1
    filling = {
        node: f"dd if=/dev/zero of={folder}/of-{node} bs=1M count={count} conv=fsync 2>&1 || true"
        for node in site.mounted
    }
    assert all("No space left on device" in said for said in at_once(small, filling).values())
    told(small, "c0", f"rm {folder}/of-*")
    told(small, "c1", f"until echo again >{folder}/new; do sleep 0.2; done 2>&1", seconds=30)
    assert told(small, "c2", f"cat {folder}/new") == "again\n"
