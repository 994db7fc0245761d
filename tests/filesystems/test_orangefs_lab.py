"""OrangeFS in a lab: what its FUSE client must do for jobs of several nodes, and is not known for.

It is in no distribution, so that these tests are skipped, also where everything else must run, unless it was built.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from acic.filesystems.deployment import Knob
from acic.filesystems.orangefs import OrangeFs
from acic.lab import Lab, Site
from acic.space import Value
from acic.units import KIB, MIB
from tests.laboratory import lab  # noqa: F401  # a fixture

MISSING = [program for program in OrangeFs().programs if shutil.which(program) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"no {', '.join(MISSING)} on PATH: OrangeFS has to be built (docs/filesystems.md)"
)

CONFIGURATION: Mapping[str, Value] = {
    "instance_type": "lab.1g",
    "file_system": "OrangeFS",
    "servers": 4,
    "placement": "dedicated",
    "device": "EBS",
    "raid_devices": 1,
    "stripe_size": 64 * KIB,
    "metadata": "all",
}
CLIENTS = ("c0", "c1", "c2", "c3")


@pytest.fixture
def site(lab: Lab) -> Iterator[Site]:
    yield lab.site if lab.site is not None else lab.deploy(CONFIGURATION)
    if lab.audit():
        lab.undeploy()


def shell(lab: Lab, node: str, command: str, *, seconds: float = 30.0) -> str:
    done = lab.run(node, ["sh", "-c", command], seconds=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout


def met(lab: Lab, knob: Knob) -> bool:
    done = lab.run(knob.node, knob.command)
    return done.returncode == 0 and re.search(knob.matches, done.stdout, re.MULTILINE) is not None


def written(site: Site) -> int:
    """Return how much all disks have been written so far, in B."""
    stats = [Path(f"/sys/class/block/{Path(loop).name}/stat") for each in site.devices.values() for loop in each.loops]
    return sum(int(stat.read_text().split()[6]) * 512 for stat in stats)


def test_what_one_client_does_others_see_at_once(lab: Lab, site: Site) -> None:
    path = f"{site.deployment.directory}/shown"
    for size in (10, 70_000, 1):
        shell(lab, "c0", f"head -c {size} /dev/zero >{path}")
        for other in CLIENTS[1:]:
            assert shell(lab, other, f"stat -c %s {path}; wc -c <{path}").split() == [str(size), str(size)]
        shell(lab, "c0", f"chmod 600 {path}")
        assert shell(lab, "c1", f"stat -c %a {path}") == "600\n"
        shell(lab, "c0", f"mv {path} {path}.2")
        assert shell(lab, "c2", f"ls {site.deployment.directory}/shown*") == f"{path}.2\n"
        shell(lab, "c1", f"rm {path}.2")
        assert lab.run("c0", ["cat", f"{path}.2"]).returncode != 0


def test_all_nodes_may_create_the_same_file(lab: Lab, site: Site) -> None:
    """A shared file is opened with O_CREAT by every process of a job; with O_EXCL only one of them gets it."""
    script = """
import os, sys
refused = 0
for i in range(40):
    try:
        os.close(os.open(f"{sys.argv[1]}-{i}", os.O_CREAT | os.O_WRONLY | (os.O_EXCL if sys.argv[2] == "1" else 0)))
    except FileExistsError:
        refused += 1
print(refused)
"""
    for exclusive, refused in (("0", 0), ("1", 3 * 40)):
        path = f"{site.deployment.directory}/made-{exclusive}"
        commands = [lab.nodes[node].enter(["python3", "-c", script, path, exclusive]) for node in CLIENTS]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
        assert sum(int(each.communicate(timeout=60)[0]) for each in running) == refused


@pytest.mark.parametrize(("how", "reaches"), [("conv=fsync", True), ("conv=notrunc", False)])
def test_fsync_reaches_the_disks(how: str, reaches: bool, lab: Lab, site: Site) -> None:
    """Without it data are still in the servers' memory, or this would prove nothing."""
    size = 24 * MIB
    shell(lab, "c0", "sync")
    for node in site.devices:
        shell(lab, node, "sync")
    before = written(site)
    shell(lab, "c0", f"dd if=/dev/urandom of={site.deployment.directory}/synced-{how} bs=1M count=24 status=none {how}")
    assert (written(site) - before >= size) == reaches


def test_knobs_tell_another_configuration_from_this_one(lab: Lab, site: Site) -> None:
    assert all(met(lab, knob) for knob in site.deployment.knobs)
    others: dict[str, tuple[str, Value]] = {"stripe_size": ("stripe_size", 4 * MIB), "metadata": ("metadata", "one")}
    for name, (parameter, value) in others.items():
        other = OrangeFs().deployment(site.layout, {**CONFIGURATION, parameter: value})
        assert {knob.name for knob in other.knobs if not met(lab, knob)} == {name}


@pytest.mark.slow
def test_a_server_that_is_gone_is_an_error_to_writers_and_no_hindrance_to_deploy_again(
    lab: Lab,
    site: Site,
) -> None:
    path = f"{site.deployment.directory}/unlucky"
    command = lab.nodes["c0"].enter(["dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=2000"])
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as writer:
        shell(lab, "c1", f"until [ -s {path} ]; do sleep 0.1; done")
        shell(lab, "s2", "kill -9 $(pidof pvfs2-server)")
        told = writer.communicate(timeout=60)[1]
        assert "Connection refused" in told
        assert writer.returncode != 0
    lab.deploy(CONFIGURATION)
    assert lab.audit() == []
