"""Processes, shared memory and launchers of this machine."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from acic.cluster import LocalRunner, State, commands, processes, segments
from acic.cluster.commands import die_with_parent
from acic.cluster.launcher import Kind, Launcher, find_launcher, open_launcher
from acic.errors import InvalidInput, with_extra
from tests.cluster.places import Place, job, nothing_left, shell
from tests.cluster.services import until


def _sleeper(name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "100"], env=os.environ | {"ACIC_JOB": name})


def test_only_processes_with_the_very_tag_are_found_and_ended() -> None:
    name = f"t-{os.getpid()}-{time.monotonic_ns()}"
    names = [name, f"{name}2", f"x{name}", name[:-1]]
    sleepers = [_sleeper(each) for each in names]
    try:
        found = [[process.pid for process in processes.tagged(each)] for each in names]
        assert found == [[sleeper.pid] for sleeper in sleepers]
        assert processes.end(name, grace=1)
        assert sleepers[0].wait(5) < 0
        assert [sleeper.poll() for sleeper in sleepers[1:]] == [None, None, None]
        assert not processes.end(name, grace=1)
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()


def test_a_process_with_a_reused_number_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sleeper = _sleeper("whatever")
    try:
        started = processes.started(sleeper.pid)
        earlier = processes.Process(sleeper.pid, started - 1)
        for handles in (True, False):
            if not handles:
                monkeypatch.setattr(os, "pidfd_open", _no_handles)
            processes.send(earlier, signal.SIGKILL)
            time.sleep(0.05)  # what must not come cannot be waited for
            assert sleeper.poll() is None
        processes.send(processes.Process(sleeper.pid, started), signal.SIGKILL)
        assert sleeper.wait(5) == -9
    finally:
        sleeper.kill()
        sleeper.wait()


def _no_handles(pid: int) -> int:
    raise OSError(pid, "as on Linux 5.2")


def test_a_controller_does_not_end_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign may itself be a job."""
    script = "from acic.cluster import processes; print(processes.end('outer', grace=0.1))"
    monkeypatch.setenv("ACIC_JOB", "outer")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout) == (0, "False\n")


def test_unused_segments_are_removed_and_used_ones_are_not(tmp_path: Path) -> None:
    unused, opened, mapped, foreign = (tmp_path / f"mpich_shm_{number}" for number in range(4))
    other = tmp_path / "something_else"
    for path in (unused, opened, mapped, foreign, other):
        path.write_bytes(bytes(mmap.PAGESIZE))
    os.chown(foreign, 12345, -1) if os.geteuid() == 0 else foreign.unlink()
    with opened.open("rb"), mapped.open("r+b") as file:
        view = mmap.mmap(file.fileno(), 0)
        file.close()
        assert segments.remove_unused(tmp_path) == [unused]
        view.close()
    assert set(segments.remove_unused(tmp_path)) == {opened, mapped}
    assert other.exists()


def test_what_a_killed_mpi_program_leaves_in_memory_is_removed(tmp_path: Path) -> None:
    leaked = Path(f"/dev/shm/mpich_shm_test{os.getpid()}")
    leaked.write_bytes(b"x")
    LocalRunner().reclaim(job(tmp_path, "true"))
    assert not leaked.exists()


@pytest.mark.usefixtures("mpi")
def test_a_job_does_not_hang_on_the_thread_that_submitted_it(tmp_path: Path) -> None:
    """The kernel ends what was to die with its parent when the parent's *thread* does."""
    runner = LocalRunner()
    made = shell(tmp_path, "sleep 0.5; echo alive", processes=1)
    submitter = threading.Thread(target=runner.submit, args=(made,))
    submitter.start()
    submitter.join()
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text() == "alive\n"


def test_several_machines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="2 machines"):
        LocalRunner().submit(job(tmp_path, "true", processes=2, nodes=2))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="no folder"):
        LocalRunner().submit(job(tmp_path / "file", "true"))


def _fake(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / "mpiexec"
    program.write_text(f"#!/bin/sh\necho '{text}'\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HYDRA build details:", Kind.MPICH),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11", Kind.MPICH),
        ("mpiexec (Open MPI) 5.0.11", Kind.OPEN_MPI),
        ("mpiexec (OpenRTE) 4.1.4", Kind.OPEN_MPI),
    ],
)
def test_a_launcher_is_asked_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, kind: Kind
) -> None:
    program = _fake(tmp_path / kind.name, text)
    monkeypatch.setenv("ACIC_MPIEXEC", str(program))
    assert find_launcher() == Launcher(program, kind)


@pytest.mark.parametrize(("folder", "named"), [("", "bin/mpiexec"), ("bin", "./mpiexec")])
def test_a_launcher_that_is_named_from_here_is_found_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, named: str
) -> None:
    program = _fake(tmp_path / "bin", "HYDRA")
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setenv("ACIC_MPIEXEC", named)
    assert find_launcher() == Launcher(program, Kind.MPICH)


def test_a_launcher_has_no_end_of_its_input_to_send_on(tmp_path: Path) -> None:
    """Of 1,600 short jobs on a busy lab 20 ended with Hydra's own 255 and half of what they said."""
    program = _fake(tmp_path / "bin", "HYDRA")
    program.write_text('#!/bin/sh\necho HYDRA\n[ "$1" = --version ] || { timeout 0.3 cat; echo $?; }\n')
    runner = LocalRunner(mpiexec=program)
    made = job(tmp_path, "true", processes=1)
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text() == "HYDRA\n124\n"  # 124: it was still waiting for input


def test_a_launcher_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="neither"):
        open_launcher(_fake(tmp_path, "launcher of the future"))


def test_where_there_is_no_launcher_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_MPIEXEC", "/no/mpiexec")
    with pytest.raises(InvalidInput, match="/no/mpiexec"):
        find_launcher()
    monkeypatch.delenv("ACIC_MPIEXEC")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    made = job(tmp_path, "/bin/true", processes=1)
    with pytest.raises(InvalidInput, match="no mpiexec") as caught:
        LocalRunner().submit(made)
    assert with_extra("mpi") in caught.value.hint
    once = job(tmp_path, "/bin/true")  # needs none
    runner = LocalRunner()
    runner.submit(once)
    assert runner.wait(once).state is State.DONE


def test_the_launcher_beside_python_goes_before_that_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACIC_MPIEXEC", raising=False)
    beside, on_path = _fake(tmp_path / "a", "HYDRA"), _fake(tmp_path / "b", "Open MPI")
    monkeypatch.setenv("PATH", f"{on_path.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "c" / "python"))
    assert find_launcher().program == on_path
    monkeypatch.setattr(sys, "executable", str(beside.parent / "python"))
    assert find_launcher().program == beside
    assert find_launcher(on_path).program == on_path


@pytest.mark.usefixtures("mpi")
def test_crowded_ranks_do_not_spin_unless_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPIR_CVAR_NOLOCAL", raising=False)
    runner = LocalRunner()
    crowd = len(os.sched_getaffinity(0)) + 1
    shown = []
    for ranks, environment in ((1, {}), (crowd, {}), (crowd, {"MPIR_CVAR_NOLOCAL": "0"})):
        made = shell(tmp_path, "echo [$MPIR_CVAR_NOLOCAL]", processes=ranks, environment=environment)
        runner.submit(made)
        assert runner.wait(made).state is State.DONE
        shown.append(set(made.stdout.read_text().split()))
    assert shown == [{"[]"}, {"[1]"}, {"[0]"}]


def test_open_mpi_is_told_what_it_needs(tmp_path: Path) -> None:
    program = _fake(tmp_path, "mpiexec (Open MPI) 5.0.11")
    words = open_launcher(program).here(["true"], 3)
    assert words[words.index("-n") + 1] == "3"
    assert words[-1] == "true"
    assert "slot:OVERSUBSCRIBE" in words
    assert ("--allow-run-as-root" in words) == (os.geteuid() == 0)
    apart = open_launcher(program).there(["true"], {"a": 2, "b": 1}, tmp_path / "agent")
    assert apart[apart.index("--host") + 1] == "a:2,b:1"
    for alone in (words, apart):  # in an allocation of other nodes it said that "all nodes are already filled"
        assert "slurm" in alone[alone.index("ras") + 1].removeprefix("^").split(",")
        assert alone[alone.index("plm") + 1].startswith("^slurm,")
    told = open_launcher(program).over_ssh(tmp_path / "agent")
    assert {told["PRTE_MCA_plm_ssh_agent"], told["OMPI_MCA_plm_rsh_agent"]} == {str(tmp_path / "agent")}


@pytest.mark.parametrize(
    ("version", "options"),
    [("HYDRA build details", ["-ppn", "1"]), ("mpiexec (Open MPI) 4.1.6", ["--map-by", "node"])],
)
def test_processes_that_do_not_come_out_even_go_round_the_nodes(
    tmp_path: Path, version: str, options: list[str]
) -> None:
    """48 processes on 32 nodes were two on each of 24, and 8 nodes were paid for and idle."""
    launcher = open_launcher(_fake(tmp_path, version))
    words = launcher.in_allocation(["true"], 48, 32)
    assert words[words.index(options[0]) + 1] == options[1]
    assert options[0] not in launcher.in_allocation(["true"], 64, 32)


def test_a_controller_that_ends_takes_its_jobs_with_it(tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; exec sleep 101")
    script = f"""
import pathlib, time
from acic.cluster import Job, LocalRunner
LocalRunner().submit(Job(name={made.name!r}, command={made.command!r}, processes=0,
                         folder=pathlib.Path({str(tmp_path)!r}), time_limit=100))
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)
    if die_with_parent():
        until(lambda: nothing_left(made), "it ends with its controller")
    LocalRunner().reclaim(made)
    assert nothing_left(made)


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize("processes", [0, 2])
def test_a_job_dies_with_its_controller_even_if_nobody_reclaims_it(tmp_path: Path, processes: int) -> None:
    if not die_with_parent():
        pytest.skip("no setpriv with --pdeathsig here")
    made = job(tmp_path, "sleep", "102", processes=processes)
    controller = Place("local").controller(made)
    assert controller.stdout is not None
    assert [controller.stdout.readline() for _ in range(2)] == ["submitting\n", "submitted\n"]
    until(lambda: not nothing_left(made), "the job runs")
    controller.kill()
    controller.wait()
    controller.stdout.close()
    until(lambda: nothing_left(made), "the kernel and the launcher end it")


def test_a_command_that_hangs_is_given_up_with_all_that_it_started() -> None:
    name = f"t-{os.getpid()}-{time.monotonic_ns()}"
    begin = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        commands.run(["sh", "-c", "sleep 103 & wait"], patience=0.3, environment=os.environ | {"ACIC_JOB": name})
    assert time.monotonic() - begin < 10
    until(lambda: not processes.tagged(name), "what it started is gone")


def test_a_command_is_told_and_tells() -> None:
    done = commands.run(["sh", "-c", "cat; echo bad >&2; exit 3"], patience=10, stdin="good")
    assert (done.returncode, done.stdout, done.stderr) == (3, "good", "bad\n")
    with pytest.raises(FileNotFoundError):
        commands.run(["/no/program"], patience=1)


def test_a_job_whose_end_cannot_be_written_down_is_over_and_not_done(tmp_path: Path) -> None:
    """As where a disk or a quota is full: who waits would wait for ever."""
    folder = tmp_path / "folder"
    folder.mkdir()
    runner = LocalRunner()
    made = shell(folder, f"rm -r {folder}")
    runner.submit(made)
    until(lambda: runner.poll(made).state.over, "the job ends")
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status) == (State.UNKNOWN, None)
    assert "cannot be written down: No such file" in ending.reason
    assert nothing_left(made)
