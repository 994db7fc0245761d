"""A real lab: nodes that are apart, and as slow and small as they are said to be."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from acic.benchmarks.building import find_mpicc
from acic.cluster import Job, State
from acic.cluster.lab import MOUNT, STORE, network
from acic.errors import InvalidInput, TransientError
from acic.lab import Lab
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Stop, Unmount
from acic.units import MIB
from tests.cluster.lab.fake import CONFIGURATION, Fake
from tests.cluster.services import until
from tests.laboratory import NIC, need_lab


@pytest.fixture
def fake(lab: Lab) -> Lab:
    """The lab with nothing deployed, and the file system that is none."""
    lab._known = {"Fake": Fake()}
    lab.undeploy()
    return lab


def told(lab: Lab, node: str, script: str, seconds: float = 30) -> str:
    done = lab.run(node, ["/bin/sh", "-c", script], seconds=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def running(lab: Lab, node: str) -> list[str]:
    """The command lines of what runs in a node, less what makes it a node."""
    found = []
    for pid in lab.room.groups.processes(node):
        with suppress(OSError):
            found.append(Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ").strip())
    return [line for line in found if line and not line.startswith(("unshare ", "/bin/sh -c trap"))]


def test_nodes_have_names_processes_and_files_of_their_own(lab: Lab, tmp_path: Path) -> None:
    assert told(lab, "c0", "hostname") == "c0"
    assert told(lab, "s1", "cat /proc/sys/kernel/hostname") == "s1"
    assert int(told(lab, "c1", "ls /proc | grep -c '^[0-9]'")) < 12
    told(lab, "c0", "echo mine >/acic/state/x; echo mine >/run/x; echo mine >/dev/shm/x")
    assert told(lab, "c1", "ls /acic/state /run /dev/shm").count("x") == 0
    assert (lab.nodes["c0"].within("/acic/state/x")).read_text() == "mine\n"
    (tmp_path / "shared").write_text("the machine's")
    assert told(lab, "s3", f"cat {tmp_path}/shared") == "the machine's"


def test_nodes_reach_one_another_and_no_other_network(lab: Lab) -> None:
    assert lab.run("c0", ["getent", "hosts", "s3"]).stdout.split()[0] == lab.nodes["s3"].address
    assert "default" not in told(lab, "c0", "ip -4 route")
    assert "ESTAB" not in told(lab, "c0", "ss -tn")


def test_what_runs_in_a_node_runs_in_its_groups_and_ends_in_time(lab: Lab) -> None:
    inside = told(lab, "c2", "cat /proc/self/cgroup")
    assert all(f"{folder.parent.name}/c2" in inside for folder in lab.nodes["c2"].groups)
    with pytest.raises(TransientError, match="did not end"):
        lab.run("c2", ["/bin/sh", "-c", "sleep 777 & wait"], seconds=0.3)
    until(lambda: "sleep 777" not in running(lab, "c2"), "what it started has ended")
    assert lab.run("c0", ["cat"], stdin="given").stdout == "given"
    assert lab.run("c0", ["sh", "-c", "exit 7"]).returncode == 7
    with pytest.raises(InvalidInput, match="no node x9"):
        lab.run("x9", ["true"])


def _rate(lab: Lab, sender: str, receiver: str) -> float:
    lab.perform([Serve(node=receiver, name="iperf", command=("iperf3", "-s", "-1"))])
    try:
        command = ("iperf3", "-J", "-t", "1.5", "-O", "0.5", "-c", lab.nodes[receiver].address)
        lab.perform([Await(node=receiver, command=("ss", "-tln"), matches=r":5201\b")])
        done = lab.run(sender, command)
        return float(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"])
    finally:
        lab.perform([Stop(node=receiver, name="iperf")])


def test_links_whose_shaping_was_cut_off_are_shaped_by_the_next_deployment(
    fake: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    wanted = {**CONFIGURATION, "instance_type": "lab.1g"}
    with monkeypatch.context() as patched:
        patched.setattr(network, "reshape", cut_off)
        with pytest.raises(KeyboardInterrupt):
            fake.deploy(wanted)
    fake.undeploy()
    fake.deploy(wanted)
    assert fake.audit() == []
    fake.set_nic(NIC)


def test_links_are_as_fast_as_the_instance_type_says(lab: Lab) -> None:
    need_lab(["iperf3"], "iperf3")
    slow, fast = lab.facts.nics["lab.400m"], lab.facts.nics["lab.1g"]
    assert _rate(lab, "c0", "s0") == pytest.approx(slow, rel=0.1)
    lab.set_nic("lab.1g")
    try:
        assert lab.audit() == []
        assert 1.2 * slow < _rate(lab, "s0", "c0") < 1.05 * fast  # a busy machine may not be that fast
    finally:
        lab.set_nic(NIC)
    with pytest.raises(InvalidInput, match="no instance type"):
        lab.set_nic("lab.10g")


def test_a_disk_does_what_its_profile_says_in_a_stream_and_at_random(fake: Lab) -> None:
    """One spinning disk and two in RAID-0; two need the queue that joins what btrfs has cut into pieces."""
    disk, rng = fake.facts.disks["ephemeral"], np.random.default_rng(7)
    for node, count in (("s0", 1), ("s1", 2)):
        fake.room.attach([node], "ephemeral", count)
        size = 240 * count  # MiB: much more than may be dirty
        begin = time.monotonic()
        told(fake, node, f"dd if=/dev/zero of={STORE}/file bs=1M count={size} conv=fsync", 60)
        write = size * MIB / (time.monotonic() - begin)
        fake.room.drop_caches()
        begin = time.monotonic()
        told(fake, node, f"dd if={STORE}/file of=/dev/null bs=1M", 60)
        read = size * MIB / (time.monotonic() - begin)
        fake.room.drop_caches()
        place = fake.nodes[node].within(f"{STORE}/file")
        begin = time.monotonic()
        with place.open("rb", buffering=0) as file:
            for position in rng.permutation(size * MIB // 16384)[:600]:
                file.seek(int(position) * 16384)
                file.read(16384)
        iops = 600 / (time.monotonic() - begin)
        # at most as fast as said; a busy machine is slower
        assert 0.6 * disk.write * count < write < 1.06 * disk.write * count, f"{count} disks write"
        assert 0.6 * disk.read * count < read < 1.06 * disk.read * count, f"{count} disks read"
        assert 0.4 * disk.read_iops < iops < 1.25 * disk.read_iops * count, f"{count} disks at random"
        mounts = [line.split() for line in fake.run(node, ["cat", "/proc/mounts"]).stdout.splitlines()]
        ((kind, options),) = [(kind, options) for _, path, kind, options, *_ in mounts if path == STORE]
        assert kind == ("xfs" if count == 1 else "btrfs")
        assert not any(option.startswith("discard") for option in options.split(",")), "it would write zeros, throttled"


def test_a_node_gets_its_share_of_the_processor_and_of_memory(lab: Lab) -> None:
    share = lab.facts.cpu
    burn = (
        "import time as t; a = t.time(), t.process_time()\nwhile t.time() - a[0] < 1: 0\nprint(t.process_time() - a[1])"
    )
    assert float(lab.run("c3", ["python3", "-c", burn]).stdout) < 1.15 * share
    hog = f"b = bytearray({2 * lab.facts.memory})"
    assert lab.run("c3", ["python3", "-c", hog]).returncode != 0
    assert lab.run("c3", ["python3", "-c", f"b = bytearray({lab.facts.memory // 2})"]).returncode == 0


def test_steps_are_done_and_what_fails_is_told_with_its_log(fake: Lab) -> None:
    fake.perform(
        [
            Directory(node="c0", path="/acic/state/a/b"),
            File(node="c0", path="/acic/state/a/b/f", text="one\n", mode=0o640),
            Execute(node="c0", command=("sh", "-c", "cat /acic/state/a/b/f >/acic/state/g")),
            Serve(node="c0", name="d", command=("sh", "-c", "echo $X; sleep 999 & wait"), environment=(("X", "a b"),)),
            Await(node="c0", command=("cat", "/acic/state/d.log"), matches="^a b$"),
        ]
    )
    assert told(fake, "c0", "stat -c %a /acic/state/a/b/f; cat /acic/state/g") == "640\none"
    assert fake.nodes["c0"].within("/acic/state/d.log").read_text() == "a b\n"
    with pytest.raises(TransientError, match=r"Serve d on c0 failed: d runs already"):
        fake.perform([Serve(node="c0", name="d", command=("true",))])
    fake.perform([Stop(node="c0", name="d"), Stop(node="c0", name="d"), Unmount(node="c0", path=MOUNT)])
    assert "sleep 999" not in running(fake, "c0")
    with pytest.raises(TransientError, match=r"Execute sh -c 'echo oh; exit 3' on c1 failed: exit status 3: oh"):
        fake.perform([Execute(node="c1", command=("sh", "-c", "echo oh; exit 3"))])
    with pytest.raises(TransientError, match=r"did not end in 0\.2 s"):
        fake.perform([Execute(node="c1", command=("sleep", "5"), seconds=0.2)])
    with pytest.raises(TransientError, match=r"Await .* on c1 failed: not so after 0.2 s"):
        fake.perform([Await(node="c1", command=("echo", "no"), matches="yes", seconds=0.2)])
    with pytest.raises(InvalidInput, match="is not a node's own"):
        fake.perform([File(node="c1", path="/etc/passwd", text="")])
    with pytest.raises(InvalidInput, match="no node z0"):
        fake.perform([Directory(node="z0", path="/acic/state/a")])


def test_a_mount_is_of_its_kind_or_it_has_failed(fake: Lab) -> None:
    def mount(script: str, kind: str) -> Mount:
        return Mount(node="c0", name="m", path=MOUNT, kind=kind, command=("sh", "-c", script), seconds=1)

    with pytest.raises(TransientError, match=f"{MOUNT} is a tmpfs"):
        fake.perform([mount(f"mount -t tmpfs x {MOUNT}; sleep 99", "fuse.real")])
    fake.undeploy()
    with pytest.raises(TransientError, match=r"ended without having mounted(.|\n)*m.log: no way"):
        fake.perform([mount("echo no way; exit 1", "fuse.real")])
    with pytest.raises(TransientError, match="not mounted after 1 s"):
        fake.perform([mount("sleep 99", "fuse.real")])
    fake.undeploy()
    fake.perform([mount(f"mount -t tmpfs x {MOUNT}; sleep 99", "tmpfs"), Unmount(node="c0", path=MOUNT)])
    assert fake.nodes["c0"].mounted(MOUNT) == ""
    fake.perform([Stop(node="c0", name="m")])


def test_what_ignores_being_asked_is_killed_with_all_that_it_started(fake: Lab) -> None:
    script = "trap '' TERM; (trap '' TERM; sleep 888 & sleep 889) & while :; do sleep 0.1; done"
    fake.perform([Serve(node="s2", name="deaf", command=("sh", "-c", script))])
    until(lambda: {"sleep 888", "sleep 889"} <= set(running(fake, "s2")), "it has started others")
    fake.perform([Stop(node="s2", name="deaf", seconds=0.2)])
    assert running(fake, "s2") == ["sleep infinity"]


def test_a_node_is_cleared_though_its_file_system_does_not_answer(fake: Lab) -> None:
    """A daemon that takes a request and never answers: whoever waits for it cannot be killed."""
    node = fake.nodes["c1"]
    device = os.open("/dev/fuse", os.O_RDWR)  # this process is the daemon, which clearing does not end
    try:
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
        words = node.enter(["mount", "-i", "-t", "fuse", "-o", options, "none", MOUNT])
        subprocess.run(words, check=True, pass_fds=[device], timeout=30)
        unique = struct.unpack_from("=IIQ", os.read(device, 1 << 20))[2]
        os.write(device, struct.pack("=IiQ4I2H2I2H8I", 80, 0, unique, 7, 31, 0, 0, 1, 1, 4096, 1, *[0] * 10))
        waiting = threading.Thread(target=fake.run, args=("c1", ["ls", MOUNT]), kwargs={"seconds": 60})
        waiting.start()
        os.read(device, 1 << 20)
        fake.room.clear()
        assert not node.mounted(MOUNT)
        waiting.join(10)
        assert not waiting.is_alive()
    finally:
        os.close(device)


def test_deploying_twice_and_taking_down_twice_is_as_good_as_once(fake: Lab) -> None:
    site = fake.deploy(CONFIGURATION)
    assert [server.node for server in site.layout.servers] == ["s0", "s1"]
    assert site.layout.servers[0].capacity == 2 * fake.facts.disks["ephemeral"].size
    told(fake, "s0", f"echo old >{STORE}/data/old")
    fake.fresh()
    assert fake.nodes["s0"].within("/acic/state/fresh").exists()
    part_time = fake.deploy({**CONFIGURATION, "placement": "part-time", "servers": 4, "instance_type": "lab.1g"})
    assert [server.node for server in part_time.layout.servers] == ["c0", "c1", "c2", "c3"]
    assert fake.nic == "lab.1g"
    assert fake.nodes["s0"].mounted(STORE) == ""
    assert not fake.nodes["s0"].within("/acic/state/fresh").exists()
    again = fake.deploy({**CONFIGURATION, "instance_type": NIC})
    assert told(fake, "s0", f"ls {STORE}/data") == ""
    assert fake.site == again
    fake.undeploy()
    fake.undeploy()
    assert fake.site is None
    assert list(fake.nodes["s0"].within("/acic/state").iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "said"), [("broken", "no-such-type"), ("lying", "not what was asked for: mode on s0")]
)
def test_a_deployment_that_fails_twice_leaves_nothing(
    fake: Lab, caplog: pytest.LogCaptureFixture, mode: str, said: str
) -> None:
    with pytest.raises(TransientError, match=said):
        fake.deploy({**CONFIGURATION, "consistency": mode})
    assert "tried again" in caplog.text
    assert fake.site is None
    assert fake.nodes["c0"].mounted(MOUNT) == ""
    assert fake.room.devices == {}
    fake.deploy(CONFIGURATION)


@pytest.mark.parametrize(
    "change",
    [
        {"servers": 5},
        {"servers": None},
        {"placement": "elsewhere"},
        {"device": "floppy"},
        {"raid_devices": 9},
        {"file_system": "FAT"},
        {"instance_type": "lab.10g"},
    ],
    ids=str,
)
def test_what_cannot_be_deployed_is_said_before_anything_is_taken_down(fake: Lab, change: dict[str, object]) -> None:
    site = fake.deploy(CONFIGURATION)
    with pytest.raises(InvalidInput) as caught:
        fake.deploy({**CONFIGURATION, **change})  # type: ignore[dict-item]  # wrong values are the point
    assert caught.value.hint
    assert fake.site == site


@pytest.mark.usefixtures("mpi")
def test_ranks_that_wait_leave_the_processor_to_servers(lab: Lab, tmp_path: Path) -> None:
    """7 of 8 ranks wait in MPI_Barrier for 2 s: by polling they would use up half a core on each node."""
    source = tmp_path / "wait.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n#include <time.h>\n"
        "int main(int c, char **v) { MPI_Init(&c, &v); int r; MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
        "MPI_Barrier(MPI_COMM_WORLD); double a = (double)clock() / CLOCKS_PER_SEC; if (!r) sleep(2);\n"
        "MPI_Barrier(MPI_COMM_WORLD); a = (double)clock() / CLOCKS_PER_SEC - a;\n"
        'if (r) printf("%f\\n", a); return MPI_Finalize(); }\n'
    )
    compiler = find_mpicc()
    if compiler is None:
        pytest.skip("no mpicc here")
    subprocess.run([compiler, "-o", tmp_path / "wait", source], check=True)
    job = Job(name="t-wait", command=(str(tmp_path / "wait"),), processes=8, folder=tmp_path, time_limit=60, nodes=4)
    runner = lab.runner()
    runner.submit(job)
    assert runner.wait(job).state is State.DONE, job.stderr.read_text()
    used = [float(line) for line in job.stdout.read_text().split()]
    assert len(used) == 7
    assert sum(used) / len(used) < 0.1 * 2


def test_what_a_file_system_lacks_is_told_before_anything_is_taken_down(
    fake: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each deployment ended, twice, in a time-out for an answer of a program that was not there."""
    site = fake.deploy(CONFIGURATION)
    monkeypatch.setattr(Fake, "programs", ("sleep", "no-such-program"))
    with pytest.raises(InvalidInput, match="Fake cannot be deployed: there is no program no-such-program"):
        fake.deploy({**CONFIGURATION, "servers": 1})
    assert fake.site == site
    with pytest.raises(InvalidInput, match="there is no program no-such-program"):
        fake.need("Fake")
