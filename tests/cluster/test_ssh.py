"""What can go wrong between hosts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acic.cluster import SshRunner, State, direct, segments
from acic.cluster.hosts import Host, read_hosts, spread
from acic.cluster.processes import tagged
from acic.cluster.remote import Remote
from acic.errors import InvalidInput, TransientError
from tests.cluster.places import job, nothing_left, shell
from tests.cluster.services import until
from tests.cluster.sshd import Sshd

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
  int rank, sum = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%d\\n", sum);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.usefixtures("mpi")
def test_ranks_on_several_hosts_are_one_mpi_program(sshd: Sshd, tmp_path: Path) -> None:
    compiler = Path(sys.executable).with_name("mpicc")
    if not compiler.exists():
        pytest.skip("no mpicc beside this Python")
    (tmp_path / "sum.c").write_text(PROGRAM)
    subprocess.run([compiler, "sum.c", "-o", "sum"], cwd=tmp_path, check=True, timeout=60)
    runner = SshRunner(["node1", "node2"], ssh=sshd.client)
    made = job(tmp_path, str(tmp_path / "sum"), processes=3, nodes=2)
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text().split() == ["3", "3", "3"]


@pytest.mark.usefixtures("mpi")
def test_processes_are_spread_over_the_hosts(sshd: Sshd, tmp_path: Path) -> None:
    """Each host has its own connection, whose port tells it from the other."""
    runner = SshRunner(["node1", "node2"], ssh=sshd.client)
    made = shell(tmp_path, "echo $SSH_CONNECTION", processes=3, nodes=2)
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    connections = made.stdout.read_text().splitlines()
    assert sorted(connections.count(connection) for connection in set(connections)) == [1, 2]


@pytest.mark.usefixtures("mpi")
def test_a_host_that_does_not_answer_is_named_before_anything_runs(sshd: Sshd, tmp_path: Path) -> None:
    runner = SshRunner(["node1", "dead"], ssh=sshd.client, connect_timeout=2)
    made = shell(tmp_path, "echo >ran", processes=2, nodes=2)
    with pytest.raises(TransientError, match="dead") as caught:
        runner.submit(made)
    assert "node1" not in caught.value.problem
    assert "BatchMode" in caught.value.hint
    assert not (tmp_path / "ran").exists()
    healthy = SshRunner(["node1", "node2"], ssh=sshd.client)
    healthy.submit(made)  # the name was not used up
    assert healthy.wait(made).state is State.DONE


def test_a_host_that_may_have_processes_left_is_named(sshd: Sshd, tmp_path: Path) -> None:
    runner = SshRunner(["node1", "dead"], ssh=sshd.client, connect_timeout=2)
    with pytest.raises(TransientError, match="dead"):
        runner.reclaim(job(tmp_path, "true", nodes=2))
    assert runner.reclaim(job(tmp_path, "true", nodes=1)) is None


@pytest.mark.usefixtures("mpi")
def test_a_host_that_is_lost_fails_the_job(sshd: Sshd, tmp_path: Path) -> None:
    """The connection breaks, and then the host does not answer any more."""
    gate = tmp_path / "client"
    gate.write_text(Path(sshd.client[2]).read_text())
    runner = SshRunner(["node1", "node2"], ssh=("ssh", "-F", str(gate)), connect_timeout=2)
    made = shell(tmp_path, "echo >up.$PMI_RANK; sleep 90", processes=2, nodes=2)
    runner.submit(made)
    until(lambda: (tmp_path / "up.0").exists() and (tmp_path / "up.1").exists(), "the program runs")
    gate.write_text("Host node2\n  HostName 127.0.0.1\n  Port 9\n" + gate.read_text())
    for process in tagged(made.name):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ends by itself when the first ones do
            if b"node2" in Path(f"/proc/{process.pid}/cmdline").read_bytes():
                os.kill(process.pid, signal.SIGKILL)
    ending = runner.wait(made)
    assert ending.state is State.FAILED
    assert "node2" in ending.reason
    assert ending.exit_status is None or ending.exit_status > 0
    assert SshRunner(["node1", "node2"], ssh=sshd.client).reclaim(made) == ending
    assert nothing_left(made)


@pytest.mark.usefixtures("mpi")
def test_a_connection_that_is_lost_ends_the_job_at_once(sshd: Sshd, tmp_path: Path) -> None:
    runner = SshRunner(["node1", "node2"], ssh=sshd.client)
    made = shell(tmp_path, "echo $PPID >up.$PMI_RANK; trap '' HUP; sleep 92", processes=2, nodes=2, time_limit=60)
    runner.submit(made)
    until(lambda: (tmp_path / "up.0").exists() and (tmp_path / "up.1").exists(), "the program runs")
    for process in tagged(made.name):  # the client of node2 is told by its server that this is the end
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
            if words[0] == b"ssh" and b"node2" in words:
                for server in _servers(process.pid):
                    os.kill(server, signal.SIGKILL)
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status) == (State.FAILED, None)
    assert ending.reason == "node failure: the connection to node2 was lost"
    assert nothing_left(made)


def _servers(client: int) -> list[int]:
    """The processes of sshd at the other end of a client's connection."""
    ports = _sockets(client)
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "comm").read_text() == "sshd\n" and int(folder.name) != client:
                ends = _sockets(int(folder.name))
                if any((there, here) in ends for here, there in ports):
                    found.append(int(folder.name))
    return found


def _sockets(pid: int) -> set[tuple[str, str]]:
    """The ends of the connections that a process holds, its own and the other."""
    held = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            held.add(str(entry.readlink()))
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {(row[1], row[2]) for row in rows if f"socket:[{row[9]}]" in held}


def test_leftovers_on_a_host_are_ended_by_their_tag_alone(sshd: Sshd, tmp_path: Path) -> None:
    """What is left of the job, and of no other job whose name begins or ends like it."""
    made = job(tmp_path, "true")
    names = [made.name, f"{made.name}2", f"x{made.name}", made.name[:-1]]
    sleepers = [
        subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 91 & wait"], env=os.environ | {"ACIC_JOB": name})
        for name in names
    ]
    try:
        remote = Remote(sshd.client, 5)
        until(lambda: all(len(tagged(name)) == 2 for name in names), "the sleepers run")
        assert remote.end(["node1"], made.name, grace=0.2)
        assert [sleeper.poll() is None for sleeper in sleepers] == [False, True, True, True]
        assert [len(tagged(name)) for name in names] == [0, 2, 2, 2]
        assert not remote.end(["node1"], made.name, grace=0.2)
    finally:
        for name in names:
            for process in tagged(name):
                os.kill(process.pid, 9)
        for sleeper in sleepers:
            sleeper.wait()


def test_a_folder_that_a_host_does_not_see_is_told(sshd: Sshd, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="node1 does not see"):
        Remote(sshd.client, 5).cores(["node1"], tmp_path / "missing")
    assert Remote(sshd.client, 5).cores(["node1"], tmp_path) == {"node1": len(os.sched_getaffinity(0))}


def _odd_host(folder: Path, script: str) -> tuple[str]:
    """An ssh to this machine, whose login shell does `script` first."""
    program = folder / "odd-ssh"
    program.write_text(f'#!/bin/sh\n{script}\nwhile [ "$1" = -o ]; do shift 2; done\nshift\nexec sh -c "$*"\n')
    program.chmod(0o755)
    return (str(program),)


def test_what_a_hosts_shell_says_and_sets_by_itself_does_not_matter(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    said = f"echo Welcome, 5 users; export OMP_NUM_THREADS={cores + 7} OMP_THREAD_LIMIT=1"
    odd = Remote(_odd_host(tmp_path, said), 5)
    assert odd.cores(["node1"], tmp_path) == {"node1": cores}
    name = f"t-{os.getpid()}-odd"
    sleeper = subprocess.Popen(["sleep", "93"], env=os.environ | {"ACIC_JOB": name})
    try:
        assert odd.end(["node1"], name, grace=1)
        assert sleeper.wait(5) < 0
        assert not odd.end(["node1"], name, grace=1)
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_connection_that_a_fake_ssh_leaves_open_is_not_waited_for(tmp_path: Path) -> None:
    """With ControlPersist, ssh before 8.5 leaves a process that holds standard error open."""
    odd = _odd_host(tmp_path, "setsid sleep 6 </dev/null >/dev/null &")
    begin = time.monotonic()
    assert Remote(odd, 5).cores(["node1"], tmp_path) == {"node1": len(os.sched_getaffinity(0))}
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize(("naps", "state"), [((0.1, 0.1), State.DONE), ((), State.UNKNOWN)])
def test_a_good_run_outlives_a_moment_without_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, naps: tuple[float, ...], state: State
) -> None:
    """It was recorded as failed, and its figure lost. Where ssh stays away, the run is not known to be over."""
    monkeypatch.setattr(direct, "_NAPS", naps)
    lapse = f"[ -e {tmp_path}/ran ] && ! [ -e {tmp_path}/lapse ] && {{ echo >{tmp_path}/lapse; exit 255; }}"
    runner = SshRunner(["node1"], ssh=_odd_host(tmp_path, lapse))
    made = shell(tmp_path, "echo >ran")
    runner.submit(made)
    ending = runner.wait(made)
    assert ending.state is state
    assert ("no answer by ssh from node1" in ending.reason) == (state is State.UNKNOWN)
    assert (tmp_path / "lapse").exists()


def test_a_launchers_agent_takes_its_options_from_the_launcher_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable `options` of the user's went to ssh as more of them."""
    monkeypatch.setenv("options", "-v --color=always")
    agent = tmp_path / "agent"
    agent.write_text(Remote(_odd_host(tmp_path, 'printf "%s\\n" "$@"; exit'), 5).agent("a", tmp_path / "lost"))
    command = ["sh", str(agent), "-x", "-p", "22", "node1", "true"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    assert said[said.index("ControlMaster=no") + 1 : -1] == ["-x", "-p", "22", "node1"]


@pytest.mark.parametrize("status", [0, 1])
def test_a_host_that_runs_nothing_is_told(tmp_path: Path, status: int) -> None:
    script = f"echo 'This account is not available.'; exit {status}"
    with pytest.raises(InvalidInput, match="node1 runs no script of ours: This account is not available") as caught:
        Remote(_odd_host(tmp_path, script), 5).cores(["node1"], tmp_path)
    assert "ssh node1" in caught.value.hint


@pytest.mark.parametrize("pattern", segments.PATTERNS)
def test_shared_memory_of_any_mpi_that_was_killed_is_removed_from_hosts(tmp_path: Path, pattern: str) -> None:
    left = Path("/dev/shm") / pattern.replace("*", f"test-{os.getpid()}")
    left.write_bytes(b"x")
    name = f"t-{os.getpid()}-shm"
    sleeper = subprocess.Popen(["sleep", "94"], env=os.environ | {"ACIC_JOB": name})
    try:
        assert Remote(_odd_host(tmp_path, ":"), 5).end(["node1"], name, grace=1)
        assert not left.exists()
    finally:
        sleeper.kill()
        sleeper.wait()
        left.unlink(missing_ok=True)


def test_what_a_killed_controller_wrote_of_lost_hosts_goes(tmp_path: Path) -> None:
    made = job(tmp_path / "folder", "true")
    made.folder.mkdir()
    (made.folder / f".{made.name}.lost").write_text("node1\n")
    assert SshRunner(["node1"], ssh=_odd_host(tmp_path, ":")).reclaim(made) is None
    assert not list(made.folder.iterdir())


def test_more_hosts_than_there_are_is_told(sshd: Sshd, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="wants 3 hosts of 2"):
        SshRunner(["node1", "node2"], ssh=sshd.client).submit(job(tmp_path, "true", processes=3, nodes=3))
    with pytest.raises(InvalidInput, match="wants 3 hosts of 2"):  # before a campaign begins in which each run fails
        SshRunner(["node1", "node2"], ssh=sshd.client).check(3)


def test_an_ssh_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no program /no/ssh"):
        SshRunner(["node1"], ssh=("/no/ssh",)).submit(job(tmp_path, "true"))


def test_hosts_are_read() -> None:
    assert read_hosts(["a", "root@b.c:4"]) == (Host("a", None), Host("root@b.c", 4))


@pytest.mark.parametrize(
    "texts", [[], [""], ["a:"], ["a:0"], ["a:x"], ["-oProxyCommand=x"], ["a b"], ["a;b"], ["a", "a:2"]]
)
def test_what_is_no_list_of_hosts_is_refused(texts: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_hosts(texts)
    assert caught.value.hint


def test_processes_are_spread_evenly() -> None:
    hosts = read_hosts(["a", "b", "c"])
    for processes in range(10):
        placed = spread(processes, hosts)
        assert sum(placed.values()) == processes
        assert max(placed.values()) - min(placed.values()) <= 1
