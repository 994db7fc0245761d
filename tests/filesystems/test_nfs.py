"""NFS as steps: what nfs-ganesha is told, how clients mount, what is read back."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import pytest

from acic.errors import InvalidInput
from acic.filesystems.deployment import Knob
from acic.filesystems.nfs import Nfs, server_configuration
from acic.steps import Await, Mount, Serve, Stop, Unmount
from tests.filesystems.shell import script
from tests.filesystems.subjects import Configured, layout, server

DEDICATED: Configured = {"file_system": "NFS", "servers": 1, "placement": "dedicated", "consistency": "relaxed"}
PART_TIME: Configured = {**DEDICATED, "placement": "part-time"}
TOLD = """server=10.9.2.1
export=/disks/s0
port=2049
mountport=20048
{mode}
rsize=1048576
wsize=1048576
connections=4
up={up}
"""


def knobs(consistency: str) -> list[Knob]:
    deployment = Nfs().deployment(layout(DEDICATED), {**DEDICATED, "consistency": consistency})
    return [knob for knob in deployment.knobs if "--tell" in knob.command]


def test_the_server_exports_its_store_and_nothing_else() -> None:
    text = server_configuration(server("s0", 0))
    settings = dict(re.findall(r"^ +(\w+) = (.*);$", text, re.MULTILINE))
    assert text.count("EXPORT {") == 1
    assert settings["Path"] == "/disks/s0"
    assert settings["Bind_addr"] == "10.9.2.1"
    assert settings["RecoveryRoot"] == "/run/state-s0/recovery"  # not the machine's /var/lib
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(("consistency", "mode"), [("relaxed", "async"), ("strict", "sync")])
def test_consistency_is_a_mount_option_and_is_read_back(consistency: str, mode: str) -> None:
    deployment = Nfs(program="/opt/bridge").deployment(layout(DEDICATED), {**DEDICATED, "consistency": consistency})
    mounts = [step for step in deployment.steps if isinstance(step, Mount)]
    assert [step.node for step in mounts] == ["c0", "c1", "c2", "c3"]
    for step in mounts:
        assert step.command[:3] == ("/opt/bridge", "10.9.2.1:/disks/s0", step.path)
        assert step.command[-1].split(",")[0] == mode
    other = {"async": "sync", "sync": "async"}[mode]
    for told, right in (
        (TOLD.format(mode=mode, up=5), True),
        (TOLD.format(mode=other, up=5), False),
        (TOLD.format(mode=mode, up=4), False),  # a connection is missing
        (TOLD.format(mode=mode, up=5).replace("10.9.2.1", "10.9.2.11"), False),
        (TOLD.format(mode=mode, up=5).replace("/disks/s0", "/disks/s01"), False),
        (TOLD.format(mode=mode, up=5).replace("wsize=1048576", "wsize=65536"), False),
    ):
        assert all(re.search(knob.matches, told, re.MULTILINE) for knob in knobs(consistency)) is right, told


def test_a_part_time_server_is_a_client_too() -> None:
    deployment = Nfs().deployment(layout(PART_TIME), PART_TIME)
    names = [step.name for step in deployment.steps if isinstance(step, Serve | Mount) and step.node == "c0"]
    assert names == ["nfs-rpcbind", "nfs-server", "nfs-client"]


def test_clients_go_before_the_server() -> None:
    teardown = Nfs().deployment(layout(DEDICATED), DEDICATED).teardown
    kinds = [type(step) for step in teardown]
    assert kinds == [Unmount, Stop] * 4 + [Stop, Stop]
    assert [step.name for step in teardown if isinstance(step, Stop)][-2:] == ["nfs-server", "nfs-rpcbind"]


def test_a_name_that_a_shell_would_split_stays_one_word() -> None:
    deployment = Nfs(program="/with blank/bridge").deployment(layout(DEDICATED), DEDICATED)
    assert "'/with blank/bridge' 10.9.2.1:/disks/s0 " in script(deployment.steps, "c0")


def test_what_nfs_cannot_be_is_refused() -> None:
    two = layout({**DEDICATED, "servers": 2})
    for broken, configuration, made in (
        (Nfs(), DEDICATED, two),
        (Nfs(), DEDICATED, layout(DEDICATED, clients=0)),
        (Nfs(), {**DEDICATED, "consistency": "lazy"}, layout(DEDICATED)),
        (Nfs(write_size=1000), DEDICATED, layout(DEDICATED)),
        (Nfs(read_size=2 << 20), DEDICATED, layout(DEDICATED)),
    ):
        with pytest.raises(InvalidInput):
            broken.deployment(made, configuration)


@pytest.mark.parametrize(("said", "status"), [("/disks/s0", 0), ("/disks/s01", 1), ("x/disks/s0", 1)])
def test_a_script_sees_the_export_that_it_waits_for(said: str, status: int) -> None:
    steps = Nfs().deployment(layout(DEDICATED), DEDICATED).steps
    asked = next(step for step in steps if isinstance(step, Await) and "--exports" in step.command)
    made = replace(asked, command=("echo", said), seconds=1)
    assert subprocess.run(["sh"], input=script([made], made.node), text=True, check=False).returncode == status
