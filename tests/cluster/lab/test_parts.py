"""What the lab reads of the kernel and says to it, without one."""

import fcntl
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acic.cluster.lab import checks, network, nodes, perform, record
from acic.cluster.lab.facts import Disk, LabFacts, addresses
from acic.cluster.lab.groups import groups, wanted
from acic.cluster.lab.network import is_used, links_of, rate_of, silenced
from acic.cluster.lab.nodes import Node, hosts_file, joining, kill
from acic.cluster.lab.perform import Performer, Services, _batches
from acic.cluster.lab.record import Lock, Names, Record
from acic.cluster.lab.runner import agent_text, deal
from acic.cluster.processes import Process
from acic.errors import InvalidInput, TransientError
from acic.lab import Lab, clean_up
from acic.steps import Await, Execute, Mount, Serve, Step, Unmount
from tests.cluster.lab.test_facts import table

DISK = Disk(read=90_000_000, write=80_000_000, read_iops=250, write_iops=200, dirty=1 << 27, size=1 << 32)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("qdisc tbf 8001: root refcnt 2 rate 400Mbit burst 256Kb lat 500ms \n", 400_000_000),
        ("qdisc tbf 8001: root refcnt 2 rate 1Gbit burst 256Kb lat 500ms \n", 1_000_000_000),
        ("qdisc tbf 8002: root refcnt 9 rate 2500Kbit burst 256Kb lat 500ms \n", 2_500_000),
        ("qdisc tbf 8002: root refcnt 9 rate 999bit burst 256Kb lat 500ms \n", 999),
        ("qdisc noqueue 0: root refcnt 2 \n", 0),
        ("", 0),
    ],
)
def test_the_rate_of_a_link_is_read(text: str, rate: int) -> None:
    assert rate_of(text) == rate


def tree(root: Path, *, unified: bool) -> Path:
    """A machine's control groups, as files."""
    mounts = root / "mounts"
    if unified:
        (root / "all").mkdir()
        (root / "all/cgroup.controllers").write_text("cpuset cpu io memory pids\n")
        mounts.write_text(f"cgroup2 {root}/all cgroup2 rw,nosuid 0 0\nproc /proc proc rw 0 0\n")
    else:
        for name in ("cpu,cpuacct", "memory", "blkio"):
            (root / name).mkdir()
        lines = [f"cgroup {root}/{name} cgroup rw,relatime,{name} 0 0" for name in ("cpu,cpuacct", "memory", "blkio")]
        mounts.write_text("\n".join([*lines, f"cgroup2 {root}/unified cgroup2 rw 0 0", ""]))
    return mounts


def test_version_one_limits_by_files_of_each_controller(tmp_path: Path) -> None:
    made = groups("acic-lab-x", tree(tmp_path, unified=False))
    made.make("c0", LabFacts.of(table()))
    assert (tmp_path / "cpu,cpuacct/acic-lab-x/c0/cpu.cfs_quota_us").read_text() == "25000"
    assert (tmp_path / "cpu,cpuacct/acic-lab-x/c0/cpu.cfs_period_us").read_text() == "50000"
    assert (tmp_path / "memory/acic-lab-x/c0/memory.limit_in_bytes").read_text() == str(768 << 20)
    made.throttle("7:3", DISK)
    assert (tmp_path / "blkio/blkio.throttle.write_iops_device").read_text() == "7:3 200"
    assert made.throttled("7:3") == wanted(DISK)
    assert made.throttled("7:30") == {}


def test_version_two_limits_the_lab_as_a_whole_where_the_root_cannot(tmp_path: Path) -> None:
    made = groups("acic-lab-x", tree(tmp_path, unified=True))
    made.make("c0", LabFacts.of(table()))
    assert (tmp_path / "all/acic-lab-x/c0/cpu.max").read_text() == "25000 50000"
    assert (tmp_path / "all/acic-lab-x/c0/memory.max").read_text() == str(768 << 20)
    assert made.of("c0") == [tmp_path / "all/acic-lab-x/c0"]
    made.throttle("7:3", DISK)
    said = (tmp_path / "all/acic-lab-x/io.max").read_text()
    assert said == "7:3 rbps=90000000 wbps=80000000 riops=250 wiops=200"
    assert made.throttled("7:3") == wanted(DISK)
    made.throttle("7:3", None)
    assert (tmp_path / "all/acic-lab-x/io.max").read_text() == "7:3 rbps=max wbps=max riops=max wiops=max"


def test_a_machine_without_control_groups_says_so(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text("proc /proc proc rw 0 0\n")
    with pytest.raises(InvalidInput, match="limit") as caught:
        groups("acic-lab-x", tmp_path / "mounts")
    assert caught.value.hint


def node(name: str, address: str, pid: int = 1) -> Node:
    return Node(name=name, address=address, pid=pid, groups=(Path("/g/cpu/x"),))


def test_a_shell_joins_every_group_before_it_enters() -> None:
    made = Node(name="c0", address="10.0.0.1", pid=42, groups=(Path("/g/cpu/c0"), Path("/g/memory/c0")))
    *shell, script, zero, one, two = made.enter(["printf", "a b"])
    assert (shell, zero, one, two) == (["/bin/sh", "-c"], "sh", "printf", "a b")
    assert script.index("/g/cpu/c0/cgroup.procs") < script.index("/g/memory/c0/cgroup.procs") < script.index("nsenter")
    assert "-t 42 " in script
    assert joining([]) == ""


def test_every_node_knows_every_other_by_name() -> None:
    text = hosts_file({"c0": "10.0.0.1", "archive": "10.0.0.9"})
    assert "127.0.0.1 localhost\n" in text
    assert "10.0.0.1 c0\n10.0.0.9 archive\n" in text


@pytest.mark.parametrize(
    ("count", "dealt"), [(8, [2, 2, 2, 2]), (5, [2, 2, 1]), (3, [1, 1, 1]), (1, [1]), (6, [2, 2, 2])]
)
def test_processes_are_dealt_in_blocks(count: int, dealt: list[int]) -> None:
    nodes = [node(f"c{index}", f"10.0.0.{index}") for index in range(4)]
    assert list(deal(count, nodes).values()) == dealt


def test_the_launchers_agent_knows_each_node_by_its_address() -> None:
    text = agent_text([node("c0", "10.0.0.1", 11), node("c1", "10.0.0.2", 22)])
    assert "10.0.0.1) echo 0 >/g/cpu/x/cgroup.procs && exec nsenter -t 11 " in text
    assert "10.0.0.2) echo 0 >/g/cpu/x/cgroup.procs && exec nsenter -t 22 " in text


def test_only_mounts_of_different_nodes_are_made_at_once() -> None:
    def mount(name: str) -> Mount:
        return Mount(node=name, name="m", path="/acic/mnt", kind="k", command=("m",))

    run = Execute(node="s0", command=("true",))
    gone = Unmount(node="c0", path="/acic/mnt")
    steps: list[Step] = [run, run, mount("c0"), mount("c1"), mount("c0"), gone, run]
    assert [len(batch) for batch in _batches(steps)] == [1, 1, 2, 1, 1, 1]
    assert [step for batch in _batches(steps) for step in batch] == steps


def test_a_lock_is_held_by_one_and_given_back(tmp_path: Path) -> None:
    first = Lock(tmp_path / "state")
    with pytest.raises(TransientError, match="another process works on this lab"):
        Lock(tmp_path / "state")
    first.release()
    first.release()
    assert not list(tmp_path.iterdir())
    Lock(tmp_path / "state").release()


def test_a_lock_outlives_a_killed_process_for_no_longer_than_what_it_had_just_forked(tmp_path: Path) -> None:
    held = os.open(tmp_path / "state.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    with subprocess.Popen(["sleep", "0.3"], pass_fds=[held]):  # as before its exec, with its parent's files
        os.close(held)
        Lock(tmp_path / "state").release()


def test_where_a_lock_cannot_be_taken_the_remedy_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="cannot lock the lab") as caught:
        Lock(tmp_path / "file" / "state")
    assert "sudo" in caught.value.hint


def test_a_record_is_read_back_or_is_none(tmp_path: Path) -> None:
    assert Record.read(tmp_path) is None
    Record(tmp_path / "state", {"name": "x", "phase": "up", "nodes": {}}).save()
    found = Record.read(tmp_path / "state")
    assert found is not None
    assert (found.name, found.content["phase"]) == ("x", "up")


@pytest.mark.parametrize("text", ['{"name": "x"}', '{"name": "x", "phase": "up", "nodes": []}', "[1]", "once"])
def test_a_file_that_is_no_record_is_left_alone(tmp_path: Path, text: str) -> None:
    """With --state on a folder of somebody's it was removed, or a KeyError was all that was told."""
    state = tmp_path / "theirs"
    state.mkdir()
    (state / "record.json").write_text(text)
    for attempt in (clean_up, Lab.open, lambda there: Lab.open(there, control=False)):
        with pytest.raises(InvalidInput, match=r"record\.json is not a lab's record") as caught:
            attempt(state)
        assert "another folder" in caught.value.hint
    assert (state / "record.json").read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]


def machine(root: Path, monkeypatch: pytest.MonkeyPatch, marks: dict[str, str]) -> list[str]:
    """A machine with these network interfaces and what each is marked with; returned is what will be deleted."""
    for link, mark in marks.items():
        (root / link).mkdir()
        (root / link / "ifalias").write_text(f"{mark}\n")
    deleted: list[str] = []

    def asked(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        deleted.append(words[-1])
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(network, "_INTERFACES", root)
    monkeypatch.setattr(network, "asked", asked)
    return deleted


def test_only_links_with_the_labs_mark_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever had a bridge of that name lost it."""
    deleted = machine(tmp_path, monkeypatch, {"x-br": "", "x-c0": "acic-lab-x", "x-c1": "acic-lab-y", "eth0": ""})
    with pytest.raises(InvalidInput, match=r"x-(br|c1) already, and it is not the lab's"):
        network.check_marked(Names("x"))
    network.remove(Names("x"), unmarked=False)
    assert deleted == ["x-c0"]


def test_links_of_a_lab_that_is_written_down_need_no_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that an earlier acic made have none."""
    deleted = machine(tmp_path, monkeypatch, {"x-br": "", "x-c0": "", "eth0": ""})
    network.remove(Names("x"), unmarked=True)
    assert sorted(deleted) == ["x-br", "x-c0"]


@pytest.mark.parametrize(("rate", "shown"), [(838_860_800, "838860Kbit"), (400_000_000, "400Mbit")])
def test_a_rate_that_is_shown_rounded_is_the_one_that_was_set(
    monkeypatch: pytest.MonkeyPatch, rate: int, shown: str
) -> None:
    """An instance type of 838,860,800 bit/s failed its audit, on every link."""
    told = f"qdisc tbf 8001: root refcnt 2 rate {shown} burst 256Kb lat 500ms \n"
    monkeypatch.setattr(network, "asked", lambda words: subprocess.CompletedProcess(words, 0, told, ""))
    c0 = node("c0", "10.0.0.1")
    assert list(checks._links(c0, rate, Names("x"))) == []
    assert len(list(checks._links(c0, rate + rate // 500, Names("x")))) == 2
    assert len(list(checks._links(c0, 0, Names("x")))) == 2


def test_only_a_labs_own_links_are_taken_for_its() -> None:
    """Docker's bridges are called br-..., and a lab may be called br."""
    facts = LabFacts.of({**table(), "compute_nodes": 30, "server_nodes": 30})
    own = [Names("br").bridge, *(Names("br").link(name) for name in addresses(facts, facts.network))]
    others = ["br-0123456789ab", "br-c0ffee123456", "br-c", "br-lan", "br0", "abr-c0", "br-archive2", "eth0"]
    assert links_of("br", [*others, *own]) == own


def test_a_name_that_no_lab_has_removes_nothing(tmp_path: Path) -> None:
    for name in ("../x", "a-b", "docker0"):
        with pytest.raises(InvalidInput, match="no name for a lab"):
            clean_up(tmp_path / "state", name=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("routes", "used"),
    [
        ("default via 192.0.2.1 dev eth0\n192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.5\n", False),
        ("10.47.0.0/24 dev acic-br proto kernel scope link src 10.47.0.1\n", True),
        ("10.47.0.0/16 dev eth0\n", True),
        ("default via 10.47.0.1 dev eth0\n10.0.0.0/8 dev eth0 scope link src 10.1.2.3\n", True),  # the way out
        ("10.0.0.0/8 dev eth0 scope link src 10.47.0.9\nlocal 10.47.0.9 dev eth0 table local\n", True),
        ("110.47.0.1 dev eth0\n10.47.1.0/24 dev eth0\n", False),
    ],
)
def test_a_network_that_this_machine_has_anything_in_is_used(routes: str, used: bool) -> None:
    assert is_used("10.47.0.0/24", routes) is used


def test_who_uses_a_network_is_told_and_one_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knew that it was another lab, nor what to type."""
    routes = "default via 10.1.0.1 dev eth0\n10.47.0.0/24 dev acic-br proto kernel src 10.47.0.1\n10.48.0.0/24 dev x\n"
    monkeypatch.setattr(network, "tool", lambda *_: routes)
    with pytest.raises(InvalidInput, match=r"uses the network 10.47.0.0/24 already, by acic-br$") as caught:
        network.check_free(Names("t"), "10.47.0.0/24")
    assert "--network 10.49.0.0/24 " in caught.value.hint


@pytest.mark.parametrize("link", [False, True])
def test_a_folder_for_images_that_somebody_else_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    """Anybody may make one in /var/tmp: root wrote through its links, and believed the record that it named."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    monkeypatch.setattr("acic.cluster.lab.record._IMAGES", tmp_path)
    (tmp_path / "theirs").mkdir()
    folder = Names("x").images
    if link:
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.mkdir()
        os.chown(folder, 65534, 65534)
    (folder / "state").write_text(str(tmp_path / "record"))
    (folder / "c0.0.img").touch()
    assert Names("x").owner() is None
    with pytest.raises(InvalidInput, match="is not a folder of whoever runs this"):
        Names("x").claim(tmp_path / "state")
    with pytest.raises(InvalidInput, match="is not a folder of whoever runs this"):
        clean_up(tmp_path / "state", name="x")
    assert (folder / "c0.0.img").exists()
    assert (folder / "state").read_text() == str(tmp_path / "record")


def test_images_are_where_the_kernel_tells_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disks are found by the path that it has for the file behind, which is without links."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "link").symlink_to("tmp")
    monkeypatch.setattr(record, "_IMAGES", tmp_path / "link")
    assert Names("x").images == tmp_path.resolve() / "tmp" / "acic-lab-x"


def test_what_is_started_at_once_on_several_nodes_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perform, "asked", lambda words: subprocess.CompletedProcess(words, 0, "1\n", ""))
    services: Services = {}
    saving = threading.Event()

    def save() -> None:
        for _ in services:
            saving.set()
            time.sleep(0.1)  # as long as somebody else takes to begin

    performer = Performer({name: node(name, "10.0.0.1") for name in ("c0", "c1")}, services, save)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(performer.perform, [Serve(node="c0", name="one", command=("true",))])
        assert saving.wait(20)
        second = pool.submit(performer.perform, [Serve(node="c1", name="one", command=("true",))])
        first.result()
        second.result()
    assert sorted(services) == ["c0", "c1"]


def test_what_is_waited_for_may_take_longer_than_one_question_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    late = TransientError("it did not end in 10 s")
    answers: list[TransientError | tuple[int, str]] = [late, (1, "right"), (0, "wrong\n"), (0, "first\nright\n")]

    def asked(words: Sequence[str], *, seconds: float, stdin: str) -> subprocess.CompletedProcess[str]:
        assert seconds > 0
        assert not stdin
        answer = answers.pop(0)
        if isinstance(answer, TransientError):
            raise answer
        return subprocess.CompletedProcess(words, *answer, "")

    monkeypatch.setattr(nodes, "asked", asked)
    performer = Performer({"c0": node("c0", "10.0.0.1")}, {}, lambda: None)
    performer.perform([Await(node="c0", command=("ask",), matches="^right$", seconds=20)])
    assert not answers
    answers.append(TransientError("/bin/sh -c what enters the node did not end in 0.1 s"))
    with pytest.raises(
        TransientError, match=r"Await ask on c0 failed: not so after -1 s: ask on c0 did not end in 0\.1 s"
    ):
        performer.perform([Await(node="c0", command=("ask",), matches="^right$", seconds=-1)])


def test_a_process_that_had_ended_when_it_was_noted_is_not_in_the_way() -> None:
    """As a node that could not be made: nobody could take down what there was of its lab."""
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    noted = Process(ended.pid, 0)
    assert not noted.alive
    kill([noted])


def test_a_kernel_without_ipv6_is_not_told_of_it(tmp_path: Path) -> None:
    """It would refuse, and with it the whole lab."""
    assert silenced("acic-br", tmp_path) == "link set acic-br addrgenmode none"
    assert silenced("acic-br", tmp_path / "none") == ""
