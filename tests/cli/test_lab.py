"""`acic lab`, with and without a real lab."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.cli.lab import most_servers
from acic.cluster.lab import Devices, LabFacts, doctor
from acic.errors import InvalidInput, TransientError, with_sudo
from acic.lab import Lab, clean_up
from acic.lab.choice import choose
from acic.lab.results import ResultsStay
from acic.platforms import load_platform
from acic.space import Value
from tests import laboratory
from tests.cli.conftest import Result
from tests.cli.documented import check_fields
from tests.cluster.lab.traces import left
from tests.cluster.services import until
from tests.laboratory import alone, need_lab, remove_leftovers

Acic = Callable[..., Result]


@pytest.mark.parametrize("words", [["up"], ["status"], ["run", "--fs", "nfs"], ["shell", "c0"], ["down"], ["audit"]])
def test_who_is_not_root_is_told_before_anything_is_touched(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    result = acic("lab", *words, "--state", tmp_path / "state")
    assert result.status == 2
    assert result.err.startswith("acic: the lab needs root")
    assert f"\nhint: {with_sudo()}" in result.err
    assert not list(tmp_path.glob("state*"))


def test_without_a_lab_it_says_how_to_make_one(acic: Acic, tmp_path: Path) -> None:
    need_lab()
    for words in (["status"], ["run"], ["audit"], ["shell", "c0"]):
        result = acic("lab", *words, "--state", tmp_path / "state")
        assert (result.status, result.out) == (4, "")
        assert result.err == f"acic: no lab is up\nhint: make one: {with_sudo('lab', 'up')}\n"
    assert not list(tmp_path.glob("state*"))


def test_the_benchmark_is_not_run_without_mpi(acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process measured it, and nothing said so."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    result = acic("lab", "run", "--processes", "0", "--state", tmp_path / "state")
    assert (result.status, result.out) == (2, "")
    assert "acic-bench, which runs where no command is given, is run by MPI" in result.err


def test_the_doctor_prints_the_command_and_fails_where_a_lab_cannot_be(
    acic: Acic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROGRAMS", {"no-such-program": "some-package"})
    result = acic("lab", "doctor", "--json")
    assert result.status == 1
    assert not result.json["well"]
    assert "some-package" in result.json["command"].split()
    check_fields("lab doctor", result.json)
    assert result.json["error"]["problem"] == "there is no program no-such-program"  # in one object with what it found
    told = acic("lab", "doctor")
    assert "apt-get install --no-install-recommends" in told.out
    assert "there is no program no-such-program" in told.err
    assert told.status == 1


@pytest.fixture
def up(acic: Acic, tmp_path: Path) -> Iterator[Path]:
    need_lab()
    state = tmp_path / "state"
    with alone():
        remove_leftovers(state)
        try:
            result = acic("lab", "up", "--state", state, "--name", laboratory.NAME, "--network", laboratory.NETWORK)
            assert result.status == 0, result.err
            yield state
        finally:
            clean_up(state, name=laboratory.NAME)


def test_a_lab_from_up_to_down(acic: Acic, up: Path) -> None:
    need_lab(["glusterfsd", "glusterfs"], "glusterfs-server glusterfs-client")
    again = acic("lab", "up", "--state", up, "--name", laboratory.NAME, "--network", laboratory.NETWORK)
    assert (again.status, again.err.splitlines()[0]) == (2, "acic: the lab is up already")
    status = acic("lab", "status", "--state", up, "--json").json
    assert [node["name"] for node in status["nodes"]][:5] == ["c0", "c1", "c2", "c3", "s0"]
    assert status["deployed"] is None

    words = ["--fs", "gluster", "--servers", "2", "--device", "EPHEMERAL", "--placement", "part-time"]
    script = "echo $(hostname) >{directory}/$(hostname); ls {directory} | wc -l"
    words += ["--results", str(up.parent / "results")]
    result = acic("lab", "run", "--state", up, "--processes", "4", *words, "--", "sh", "-c", script)
    assert result.status == 0, result.err
    assert sorted(path.read_text() for path in (up.parent / "results").iterdir()) == [f"c{n}\n" for n in range(4)]
    assert len(result.out.split()) == 4
    assert result.err.startswith("deploying ")
    same = acic("lab", "run", "--state", up, "--processes", "0", *words[:-2], "--", "hostname")
    assert (same.status, same.out) == (0, "c0\n")
    assert "deploying" not in same.err
    script = "import sys; from acic.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = ["lab", "run", "--state", str(up), "--processes", "0", "--", "sh", "-c", "echo >{directory}/x; sleep 987"]
    killed = subprocess.Popen([sys.executable, "-c", script, *words])
    opened = Lab.open(up, control=False)
    until(lambda: opened.run("c0", ["sh", "-c", "ls /acic/mnt/*/x"]).returncode == 0, "it runs")
    killed.kill()
    killed.wait()
    assert "sleep 987" in opened.run("c0", ["ps", "-eo", "args"]).stdout
    after = acic("lab", "run", "--state", up, "--processes", "0", "--", "ps", "-eo", "args")
    assert "sleep 987" not in after.out  # it went on beside what was run next
    assert opened.run("c0", ["ls", "/acic/mnt"]).stdout == ""
    assert not [path for path in opened.room.names.images.iterdir() if path.is_dir()]
    failed = acic("lab", "run", "--state", up, "--processes", "0", "--", "sh", "-c", "echo oh >&2; exit 3")
    assert failed.status == 3  # the command's own
    assert "oh\n" in failed.err
    assert "the command failed: exit status 3" in failed.err

    status = acic("lab", "status", "--state", up, "--json").json
    assert status["deployed"]["file_system"] == "GlusterFS"
    check_fields("lab status", status)
    assert Devices.of(status["nodes"][0]["disks"]).profile == "ephemeral"
    assert "2 x ephemeral, btrfs" in acic("lab", "status", "--state", up).out
    assert acic("lab", "audit", "--state", up).status == 0
    check_fields("lab audit", acic("lab", "audit", "--state", up, "--json").json)
    entered = acic("lab", "shell", "c1", "--state", up, "--json").json
    check_fields("lab shell", entered)
    entering = entered["command"]
    assert subprocess.run([*entering[:-1], "hostname"], capture_output=True, text=True, check=True).stdout == "c1\n"
    subprocess.run([*entering[:-1], "umount", "-l", "/acic/mnt"], check=True)
    audited = acic("lab", "audit", "--state", up)
    assert audited.status == 1
    assert "c1 has" in audited.out
    again = acic("lab", "run", "--state", up, "--processes", "0", "--", "hostname")
    assert (again.status, again.out) == (0, "c0\n")
    assert "is not what it should be: c1 has" in again.err
    assert "file_system GlusterFS" in again.err

    check_fields("lab down", acic("lab", "down", "--state", up, "--json").json)
    assert left(laboratory.NAME) == {}
    assert not up.exists()


@pytest.mark.slow
def test_run_without_a_command_measures_what_is_deployed(acic: Acic, up: Path) -> None:
    need_lab(["glusterfsd", "glusterfs"], "glusterfs-server glusterfs-client")
    result = acic("lab", "run", "--state", up, "--fs", "gluster", "--json")
    assert result.status == 0, result.err
    found = result.json["bandwidths"]
    assert [one["operation"] for one in found] == 2 * ["write", "read"]
    fastest = 4 * 400e6 / 8  # B/s that four nodes take by the network
    assert all(1e6 < one["rate"] < fastest for one in found)


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({}, {"file_system": "NFS", "servers": 1, "device": "EBS", "raid_devices": 2, "consistency": "relaxed"}),
        ({"file_system": "gluster", "servers": 4}, {"file_system": "GlusterFS", "servers": 4, "stripe_size": 4 << 20}),
        ({"file_system": "CEPH", "device": "EPHEMERAL"}, {"file_system": "CephFS", "device": "ephemeral"}),
        ({"file_system": "pvfs2", "servers": 2}, {"file_system": "OrangeFS", "metadata": "one"}),
        ({"file_system": "glusterfs", "servers": 2, "stripe_size": 1 << 40}, {"stripe_size": 1 << 40}),
        ({"file_system": "nfs", "raid_devices": 8}, {"raid_devices": 8}),
        ({"placement": "Part-Time"}, {"placement": "part-time", "file_system": "NFS"}),
    ],
    ids=str,
)
def test_what_is_not_asked_for_is_made_to_fit(given: dict[str, Value], made: dict[str, Value]) -> None:
    platform = load_platform("lab")
    chosen = choose(platform.space, platform.baseline, given)
    assert chosen.items() >= made.items()
    if chosen["raid_devices"] != 8:
        assert platform.space.problem(chosen) == ""


@pytest.mark.parametrize(
    "given",
    [
        {"file_system": "nfs", "servers": 4},
        {"file_system": "fat"},
        {"servers": 3},
        {"file_system": "gluster", "stripe_size": 5},
    ],
)
def test_what_cannot_be_is_said(given: dict[str, Value]) -> None:
    platform = load_platform("lab")
    with pytest.raises(InvalidInput) as caught:
        choose(platform.space, platform.baseline, given)
    assert caught.value.hint


def fake_lab(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    done: list[str],
    running: Callable[..., None],
    *,
    stays: bool = False,
) -> Any:
    """Put a lab in place that notes in `done` what becomes of it; what is deployed `stays`, or can be taken down."""

    def undeploy() -> None:
        if stays:
            raise TransientError("c0 is still busy", hint="try again")
        done.append("undeployed")

    notes: dict[str, Any] = {}
    fake = SimpleNamespace(
        site=SimpleNamespace(configuration={}),
        last={},
        room=SimpleNamespace(names=SimpleNamespace(images=folder), recall=notes.get, remember=notes.__setitem__),
        undeploy=undeploy,
        forget_last=lambda: None,
        audit=lambda **_: [],
        close=lambda: done.append("closed"),
    )
    fake.undeploy_after = lambda error: Lab.undeploy_after(fake, error)  # type: ignore[arg-type]  # pretended
    monkeypatch.setattr("acic.lab.Lab.open", lambda _: fake)
    monkeypatch.setattr("acic.cli.lab.run_command", running)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return fake


STAYS = "note: the file system cannot be taken down: c0 is still busy; try again"


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (InvalidInput("that is no job", hint="name another"), 2, "acic: that is no job\nhint: name another\n"),
        (KeyboardInterrupt(), 130, "\nacic: interrupted\n"),
        (OSError(28, "No space left on device"), 1, "acic: the system refused: No space left on device\n"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_a_run_failed_of_is_told_before_that_its_file_system_stays(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, told: str
) -> None:
    """With --no-keep the second error stood in place of the first, as its exit status did, and the lab stayed open."""
    done: list[str] = []

    def running(*_: object, **__: object) -> None:
        raise error

    fake_lab(monkeypatch, tmp_path, done, running, stays=True)
    result = acic("lab", "run", "--no-keep", "--", "true")
    assert (result.status, done) == (status, ["closed"])
    assert result.err.startswith(told)
    assert result.err.splitlines()[-1] == STAYS


@pytest.mark.parametrize("status", [3, 6])
def test_what_has_the_only_copy_of_results_is_not_taken_down(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """--no-keep destroyed them, under the message which told where they stay."""
    done: list[str] = []
    stay = ResultsStay("they could not be copied", hint="they stay in /acic/mnt/run-x")

    def running(*_: object, **__: object) -> None:
        if status == 6:
            raise stay
        failed = TransientError("the command failed")
        failed.exit_status = status
        raise failed from stay

    fake_lab(monkeypatch, tmp_path, done, running).forget_last = lambda: done.append("forgotten")
    result = acic("lab", "run", "--no-keep", "--", "true")
    assert (result.status, done) == (status, ["closed"])


def deploying(fake: Any, done: list[str]) -> None:
    """Let a fake lab deploy, and note what."""

    def deploy(configuration: dict[str, Value]) -> Any:
        done.append(f"deployed {configuration['file_system']}")
        return SimpleNamespace(configuration=configuration, devices={})

    fake.deploy = deploy
    fake.room.audit = list


def test_a_run_after_one_whose_file_system_was_taken_down_deploys_it_anew(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It failed, as nothing was deployed, or took the baseline in silence."""
    done: list[str] = []
    fake = fake_lab(monkeypatch, tmp_path, done, lambda *_, **__: None)
    deploying(fake, done)
    fake.site.configuration = fake.last = {"file_system": "CephFS"}

    def cleared(_: object) -> None:
        done.append("cleared")
        fake.site = None

    monkeypatch.setattr("acic.lab.directories.reclaim", cleared)
    for expected in (["cleared", "deployed CephFS", "closed"], 2 * ["cleared", "deployed CephFS", "closed"]):
        assert acic("lab", "run", "--", "true").status == 0
        assert done == expected


def test_what_is_deployed_is_audited_before_it_is_used_again(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without a mount on one node wrote to that node's memory."""
    done: list[str] = []
    fake = fake_lab(monkeypatch, tmp_path, done, lambda *_, **__: None)
    deploying(fake, done)
    fake.site.configuration = fake.last = {"file_system": "NFS"}
    assert acic("lab", "run", "--", "true").err == ""
    assert done == ["closed"]
    fake.audit = lambda *, knobs: [] if knobs else ["c1 has nothing mounted"]
    fake.room.audit = lambda: ["the link to c0 is held to 0 bit/s"]
    result = acic("lab", "run", "--", "true")
    assert (result.status, done[1:]) == (0, ["deployed NFS", "closed"])
    told = result.err.splitlines()
    assert told[:2] == [
        "what is deployed is not what it should be: c1 has nothing mounted",
        "deploying file_system NFS",
    ]
    assert told[2].endswith("figures mean little: the link to c0 is held to 0 bit/s")


def test_disks_that_hold_more_than_the_machine_has_are_told_of(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their files are sparse: a run that filled them filled the machine's disk."""
    done: list[str] = []
    fake = fake_lab(monkeypatch, tmp_path, done, lambda *_, **__: None)
    fake.site, fake.last = None, {"file_system": "NFS"}
    (tmp_path / "s0.0.img").write_bytes(bytes(1 << 20))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=7 << 20))
    for capacity, told in ((8 << 20, False), (32 << 20, True)):
        devices = {"s0": SimpleNamespace(capacity=capacity)}
        fake.deploy = lambda configuration, devices=devices: SimpleNamespace(
            configuration=configuration, devices=devices
        )
        err = acic("lab", "run", "--", "true").err
        assert ("write less than 8 MiB: no more is free" in err) == told, err


def test_a_file_system_that_stays_is_the_error_of_a_run_that_was_well(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fake_lab(monkeypatch, tmp_path, done, lambda *_, **__: None, stays=True)
    result = acic("lab", "run", "--no-keep", "--", "true")
    assert (result.status, done) == (6, ["closed"])
    assert result.err == "acic: c0 is still busy\nhint: try again\n"
    assert acic("lab", "run", "--keep", "--", "true").status == 0


@pytest.mark.parametrize(
    ("results", "command", "told"),
    [
        ("x", ["true", "{directory}"], "x is not empty"),
        ("new", ["true"], "the command does not say where its files go"),
        ("new", [], "--results does nothing for acic-bench, which runs where no command is given"),
    ],
)
def test_results_that_cannot_be_copied_are_refused_before_anything_is_run(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, results: str, command: list[str], told: str
) -> None:
    done: list[str] = []
    fake_lab(monkeypatch, tmp_path, done, lambda *_, **__: None)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine").touch()
    result = acic("lab", "run", "--results", tmp_path / results, "--", *command)
    assert (result.status, done) == (2, [])
    assert told in result.err


def test_a_run_that_is_asked_to_end_ends_as_by_ctrl_c(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal that is closed, say, or a shutdown: else its program goes on in the node, and its files stay."""
    done: list[str] = []
    handlers: list[object] = []

    def running(*_: object, **__: object) -> None:
        handlers.extend(signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP))
        raise KeyboardInterrupt  # as the handlers do

    fake_lab(monkeypatch, tmp_path, done, running)
    assert acic("lab", "run", "--no-keep", "--", "true").status == 130
    assert done == ["undeployed", "closed"]
    assert signal.SIG_DFL not in handlers
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"file_system": "nfs", "servers": 2, "placement": "part-time"}, "file_system NFS and servers 2 rule one"),
        ({"file_system": "gluster", "consistency": "relaxed"}, "consistency does not apply here"),
        ({"file_system": "orangefs", "metadata": "all", "servers": 1}, "metadata all and servers 1 rule one another"),
        ({"file_system": "gluster", "stripe_size": 3072}, "stripe_size is one of 64 KiB, 4 MiB"),
        ({"servers": 3}, "servers is one of 1, 2, 4"),
    ],
)
def test_what_rules_out_what_was_asked_for_is_told_by_what_was_asked_for(given: dict[str, Value], why: str) -> None:
    """Whatever was typed, the hint blamed a stripe_size that nobody had given."""
    lab = load_platform("lab")
    with pytest.raises(InvalidInput) as told:
        choose(lab.space, lab.baseline, given)
    assert why in told.value.hint


@pytest.mark.parametrize(("typed", "status"), [("exit 7", 7), ("kill -9 $$", 137)])
def test_a_shell_ends_with_the_status_of_what_was_typed_in_it(
    acic: Acic, monkeypatch: pytest.MonkeyPatch, typed: str, status: int
) -> None:
    """It was 0 whatever had happened: click hands the status back, and nobody took it; and 247 of a signal."""
    node = SimpleNamespace(enter=lambda _words: ["sh", "-c", typed])
    room = SimpleNamespace(node=lambda _name: node)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("acic.lab.Lab.open", lambda *_, **__: SimpleNamespace(room=room))
    assert acic("lab", "shell", "c0").status == status


def test_the_help_tells_what_becomes_of_a_runs_files(acic: Acic) -> None:
    """They were gone with the run, and nothing had said so."""
    told = " ".join(acic("lab", "run", "--help").out.split())
    assert "They are removed when it has ended: let it copy what is to last" in told
    assert "standard input is empty" in told


@pytest.mark.parametrize(("nodes", "most"), [(1, 1), (2, 2), (3, 2), (4, 4), (9, 4)])
def test_what_comes_next_asks_for_servers_that_there_are(nodes: int, most: int) -> None:
    """A lab with one node for servers was told to run with four."""
    lab = load_platform("lab")
    assert most_servers(lab, replace(LabFacts.of(lab.lab), server_nodes=nodes)) == most
