"""What a batch scheduler can do to a job, done by a real Slurm; and what it can fail to say."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acic.cluster import BatchRunner, Ending, Job, State, Withdrawn, jobscript
from acic.cluster.directives import Request
from acic.cluster.scheduler import Scheduler
from acic.cluster.tickets import read_ticket
from acic.errors import InvalidInput, TransientError
from tests.cluster.places import Place, job, nothing_left, shell
from tests.cluster.services import until
from tests.cluster.slurm import Slurm

QUICK = {"interval": 0.1, "settle": 1.0, "patience": 10.0}


def quick(**options: Any) -> BatchRunner:
    return BatchRunner("slurm", **(QUICK | options))


@pytest.fixture
def runner(slurm: Slurm) -> BatchRunner:
    assert slurm.environment
    return quick()


class Command:
    """A command of Slurm's, replaced by one that can be told what to do."""

    SCRIPT = """#!/bin/sh
case $(cat {mode}) in
  hang) exec sleep 600 ;;
  fail) echo "{name}: error: Unable to contact slurm controller" >&2; exit 1 ;;
  nothing) exit 0 ;;
  say) cat {said} ;;
  then-hang) {real} "$@" >{taken}; exec sleep 600 ;;
  late) (while ! [ -e {taken}.go ]; do sleep 0.02; done; exec {real} "$@") & echo >{taken}; wait ;;
  *) exec {real} "$@" ;;
esac
"""

    def __init__(self, name: str, folder: Path) -> None:
        self._mode, self._said, self.taken = folder / f"{name}.mode", folder / f"{name}.said", folder / f"{name}.taken"
        self.be("real")
        program = folder / name
        program.write_text(
            self.SCRIPT.format(name=name, mode=self._mode, said=self._said, taken=self.taken, real=shutil.which(name))
        )
        program.chmod(0o755)

    def be(self, mode: str) -> None:
        self._mode.write_text(mode)

    def say(self, text: str) -> None:
        self._said.write_text(text)
        self.be("say")


@pytest.fixture
def squeue(slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    yield from _replace("squeue", slurm, tmp_path, monkeypatch)


@pytest.fixture
def sbatch(slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    yield from _replace("sbatch", slurm, tmp_path, monkeypatch)


def _replace(name: str, slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    assert slurm.environment
    folder = tmp_path / f"{name}.bin"
    folder.mkdir()
    replaced = Command(name, folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    yield replaced
    replaced.be("real")


def native(made: Job) -> str:
    ticket = read_ticket(made)
    assert ticket is not None
    assert ticket.native is not None
    return ticket.native


def running(runner: BatchRunner, made: Job) -> None:
    runner.submit(made)
    until((made.folder / "up").exists, "the program runs")


def settled(runner: BatchRunner, made: Job) -> Ending:
    """The ending, which no other poll and no other controller sees differently."""
    until(lambda: runner.poll(made).state.over, "the job ends", seconds=90)
    ending = runner.wait(made)
    assert runner.poll(made) == ending == quick().poll(made)
    return ending


def test_a_node_that_fails_fails_its_job(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; while ! [ -e go ]; do sleep 0.05; done")
    running(runner, made)
    slurm.node.stop(signal.SIGKILL)
    try:
        slurm.command("scontrol", "update", f"nodename={slurm.host}", "state=down", "reason=test")
        ending = settled(runner, made)
        assert (ending.state, ending.reason) == (State.FAILED, "node failure")
        (tmp_path / "go").touch()  # the node was only out of reach: the program comes to its end after all
        until(lambda: nothing_left(made), "the program ends")
        assert settled(runner, made) == ending
        assert runner.reclaim(made) == ending
    finally:
        slurm.start_node()


@pytest.mark.parametrize("mode", ["hang", "fail", "nothing"])
def test_an_outage_of_squeue_loses_nothing(squeue: Command, tmp_path: Path, mode: str) -> None:
    runner = BatchRunner("slurm", interval=0.1, settle=1.0, patience=0.5)
    made = shell(tmp_path, "echo >up; while ! [ -e go ]; do sleep 0.05; done; exit 6")
    running(runner, made)
    until(lambda: runner.poll(made).state is State.RUNNING, "the job is seen to run")
    squeue.be(mode)
    begin = time.monotonic()
    while time.monotonic() - begin < 1.5:  # longer than what a job is given to tell of its end
        assert runner.poll(made) == Ending(state=State.RUNNING)
    assert BatchRunner("slurm", interval=0.1, patience=0.5).poll(made).state in (State.QUEUED, State.RUNNING)
    (tmp_path / "go").touch()
    assert settled(runner, made).exit_status == 6


def test_a_scheduler_that_does_not_answer_is_told_before_any_job(squeue: Command) -> None:
    quick().check()
    squeue.be("fail")
    with pytest.raises(TransientError, match="Unable to contact"):
        quick().check()
    squeue.be("hang")
    with pytest.raises(TransientError, match="did not answer"):
        quick(patience=0.5).check()


def test_an_outage_of_the_controller_loses_nothing(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; while ! [ -e go ]; do sleep 0.05; done; kill -9 $$")
    running(runner, made)
    until(lambda: runner.poll(made).state is State.RUNNING, "the job is seen to run")
    another = job(tmp_path, "true")
    slurm.controller.stop()
    impatient = BatchRunner("slurm", interval=0.1, settle=0.1, patience=0.5)
    try:
        with pytest.raises(TransientError) as caught:
            impatient.submit(another)
        assert caught.value.hint
        with pytest.raises(TransientError):
            impatient.cancel(another)
        # what ended by a signal may have been cancelled, which only Slurm can tell: until then nothing is said
        (tmp_path / "go").touch()
        until(lambda: nothing_left(made), "the program ends")
        assert not impatient.poll(made).state.over
    finally:
        slurm.start_controller()
    assert settled(runner, made).reason == "killed by signal 9"
    runner.submit(another)
    assert settled(runner, another).state is State.DONE


def test_a_job_cancelled_by_others_is_cancelled(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; sleep 80")
    running(runner, made)
    slurm.command("scancel", native(made))
    assert settled(runner, made).state is State.CANCELLED
    assert nothing_left(made)


def test_a_job_in_the_queue_can_be_cancelled(slurm: Slurm, tmp_path: Path) -> None:
    held = quick(attributes={"begin": "now+1hour"})
    for end in ("cancel", "scancel", "reclaim"):
        made = shell(tmp_path, "echo >ran")
        held.submit(made)
        assert held.poll(made).state is State.QUEUED
        if end == "scancel":
            slurm.command("scancel", native(made))
            assert settled(held, made).state is State.CANCELLED
            continue
        ending = held.cancel(made) if end == "cancel" else quick().reclaim(made)
        assert ending is not None
        assert ending.state is State.CANCELLED
        assert slurm.command("squeue", "-h", "-n", made.name) == ""
    assert not (tmp_path / "ran").exists()


def test_while_a_job_is_waited_for_its_place_is_told_with_slurms_reason(slurm: Slurm, tmp_path: Path) -> None:
    """Slurm's reason was asked for, and kept from everybody: a job that waits for ever looked like one that runs."""
    seen: list[Ending] = []

    def watch(job: Job, ending: Ending) -> None:
        seen.append(ending)
        if ending.reason:
            slurm.command("scancel", native(job))

    held = quick(attributes={"begin": "now+1hour"}, watch=watch)
    made = shell(tmp_path, "true")
    held.submit(made)
    assert held.wait(made).state is State.CANCELLED
    assert Ending(state=State.QUEUED, reason="BeginTime") in seen
    assert all(one.state is State.QUEUED for one in seen)


def test_a_job_that_comes_late_into_the_queue_changes_nothing(
    slurm: Slurm, sbatch: Command, runner: BatchRunner, tmp_path: Path
) -> None:
    """Its controller died while it submitted; it was looked for in vain, and only then Slurm had it."""
    made = shell(tmp_path, "echo >ran")
    sbatch.be("late")
    controller = Place("slurm", QUICK).controller(made)
    until(sbatch.taken.exists, "it submits")
    controller.kill()
    controller.communicate()
    assert runner.reclaim(made) is None
    sbatch.taken.with_name(f"{sbatch.taken.name}.go").touch()
    until(lambda: slurm.command("squeue", "-h", "-t", "all", "-n", made.name) != "", "Slurm has it")
    assert runner.reclaim(made) is None
    assert quick().reclaim(made) is None
    assert slurm.command("squeue", "-h", "-t", "pending,running", "-n", made.name) == ""
    assert nothing_left(made)
    assert not (tmp_path / "ran").exists()


def test_a_job_that_slurm_forgot_is_unknown(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; trap '' TERM; sleep 81; echo >ran")
    running(runner, made)
    until(lambda: runner.poll(made).state is State.RUNNING, "the job is seen to run")
    slurm.forget_all_jobs()
    ending = settled(runner, made)
    assert (ending.state, ending.exit_status) == (State.UNKNOWN, None)
    assert ending.reason == "gone from slurm without an exit status"
    assert runner.reclaim(made) == ending
    assert nothing_left(made)


def test_a_job_forgotten_before_anybody_looked_is_not_reclaimed_as_ended(
    runner: BatchRunner, slurm: Slurm, tmp_path: Path
) -> None:
    made = shell(tmp_path, "echo >up; sleep 82")
    running(runner, made)
    slurm.forget_all_jobs()
    later = quick()
    assert later.reclaim(made) is None
    assert nothing_left(made)
    assert later.reclaim(made) is None


def test_an_exit_status_outlives_slurms_memory(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "exit 7")
    runner.submit(made)
    files = _files(made)
    until(files.end.exists, "the job's script is at its end")
    slurm.forget_all_jobs()
    assert quick().poll(made).exit_status == 7


def test_a_script_that_is_killed_has_failed(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; kill -9 $PPID; sleep 83")  # its parent is the job's script
    running(runner, made)
    ending = settled(runner, made)
    assert ending.state in (State.FAILED, State.UNKNOWN)
    assert ending.exit_status is None
    assert runner.reclaim(made) == ending
    assert nothing_left(made)
    assert slurm.command("squeue", "-h", "-n", made.name) == ""


def test_a_job_that_completed_and_wrote_nothing_is_unknown(runner: BatchRunner, tmp_path: Path) -> None:
    # the draft of the last file cannot be written where a folder has its name
    made = shell(tmp_path, 'cd *.batch && mkdir "$(basename *.sh .sh).draft"')
    runner.submit(made)
    ending = settled(runner, made)
    assert (ending.state, ending.exit_status) == (State.UNKNOWN, None)
    assert ending.reason == "ended in slurm without an exit status"


def test_an_end_that_cannot_be_written_down_is_not_known(
    runner: BatchRunner, slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk made a failed run of it."""
    made = shell(tmp_path, "exit 0")
    runner.submit(made)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    assert slurm.environment
    monkeypatch.setattr("acic.cluster.records.write_json", full)
    ending = runner.wait(made)
    assert (ending.state, ending.reason) == (
        State.UNKNOWN,
        "how it ended cannot be written down: No space left on device",
    )


def test_an_exit_status_that_is_seen_late_counts(squeue: Command, tmp_path: Path) -> None:
    """On NFS, Slurm may know of the end before the file that tells of it is to be seen."""
    patient = quick(settle=20)
    made = shell(tmp_path, "echo >up; while ! [ -e go ]; do sleep 0.05; done; exit 8")
    running(patient, made)
    for told in ("COMPLETED|None", "FAILED|NonZeroExitCode"):
        squeue.say(f"{native(made)}|{told}|{made.name}\n")
        assert not patient.poll(made).state.over
    (tmp_path / "go").touch()
    assert settled(patient, made).exit_status == 8


def test_a_state_that_is_not_listed_is_unknown_and_the_job_is_ended(
    runner: BatchRunner, slurm: Slurm, squeue: Command, tmp_path: Path
) -> None:
    made = shell(tmp_path, "echo >up; sleep 84")
    running(runner, made)
    squeue.say(f"{native(made)}|LEVITATING|None|{made.name}\n")
    ending = settled(runner, made)
    assert ending.state is State.UNKNOWN
    assert "LEVITATING" in ending.reason
    squeue.be("real")
    until(lambda: slurm.command("squeue", "-h", "-n", made.name) == "", "the job is ended")
    assert nothing_left(made)


def test_a_job_given_up_as_unknown_that_starts_later_does_nothing(squeue: Command, tmp_path: Path) -> None:
    """Where the cancel did not get through, it ran beside what was measured next."""
    held = quick(attributes={"begin": "now+1hour"})
    made = shell(tmp_path, "echo >ran")
    held.submit(made)
    squeue.say(f"{native(made)}|LEVITATING|None|{made.name}\n")
    assert settled(held, made).state is State.UNKNOWN
    assert subprocess.run(["sh", _files(made).script], check=False).returncode == 125
    assert not (tmp_path / "ran").exists()


def test_a_script_that_does_not_start_is_told(slurm: Slurm, tmp_path: Path) -> None:
    """As where nodes do not see the folder: all that was said was that the script had failed."""
    held = quick(attributes={"begin": "now+1hour"})
    made = shell(tmp_path, "echo >ran")
    held.submit(made)
    _files(made).script.unlink()
    slurm.command("scontrol", "update", f"jobid={native(made)}", "starttime=now")
    ending = settled(held, made)
    assert ending.state is State.UNKNOWN  # which says nothing of the program
    assert f"did not start on the node, which may not see {tmp_path}" in ending.reason
    assert "all nodes" in ending.hint


@pytest.mark.parametrize(
    ("told", "state", "reason"),
    [
        ("TIMEOUT|TimeLimit", State.TIMEOUT, "time limit of Slurm"),
        ("OUT_OF_MEMORY|OutOfMemory", State.FAILED, "out of memory"),
        ("PREEMPTED|None", State.FAILED, "preempted by another job"),
    ],
)
def test_why_slurm_ended_a_job_is_told(
    runner: BatchRunner, squeue: Command, tmp_path: Path, told: str, state: State, reason: str
) -> None:
    made = shell(tmp_path, "echo >up; while ! [ -e go ]; do sleep 0.05; done; kill -9 $$")
    running(runner, made)
    (tmp_path / "go").touch()
    until(_files(made).end.exists, "the job's script is at its end")
    squeue.say(f"{native(made)}|{told}|{made.name}\n")
    ending = settled(runner, made)
    assert (ending.state, ending.exit_status, ending.reason) == (state, 137, reason)


def test_what_slurm_says_of_a_program_that_was_done_is_of_no_account(
    runner: BatchRunner, squeue: Command, tmp_path: Path
) -> None:
    made = shell(tmp_path, "true")
    runner.submit(made)
    until(_files(made).end.exists, "the job's script is at its end")
    squeue.say(f"{native(made)}|TIMEOUT|TimeLimit|{made.name}\n")
    assert settled(runner, made).state is State.DONE


@pytest.mark.slow
def test_slurms_own_time_limit_is_a_timeout(runner: BatchRunner, slurm: Slurm, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; sleep 600", time_limit=500)
    running(runner, made)
    slurm.command("scontrol", "update", f"jobid={native(made)}", "timelimit=1")
    ending = settled(runner, made)
    assert (ending.state, ending.reason) == (State.TIMEOUT, "time limit of Slurm")
    assert nothing_left(made)


def test_a_job_with_the_limit_of_its_partition_starts(slurm: Slurm, tmp_path: Path) -> None:
    """It asked for a minute more, and waited for ever with the reason PartitionTimeLimit."""
    slurm.command("scontrol", "update", "partitionname=other", "maxtime=2")
    try:
        made = shell(tmp_path, "true", time_limit=120)
        runner = quick(queue="other")
        runner.submit(made)
        assert settled(runner, made).state is State.DONE
    finally:
        slurm.command("scontrol", "update", "partitionname=other", "maxtime=infinite")


def test_a_job_that_is_taken_back_from_the_queue_is_gone(slurm: Slurm, tmp_path: Path) -> None:
    def back(job: Job, ending: Ending) -> None:
        if ending.state is State.QUEUED and ending.reason:
            raise Withdrawn(f"enough of {job.name}")

    slurm.command("scontrol", "update", "partitionname=other", "state=down")
    try:
        made = shell(tmp_path, "echo >up")
        runner = quick(queue="other", watch=back)
        runner.submit(made)
        with pytest.raises(Withdrawn, match=made.name):
            runner.wait(made)
    finally:
        slurm.command("scontrol", "update", "partitionname=other", "state=up")
    assert runner.poll(made).state is State.CANCELLED
    assert nothing_left(made)
    assert not (tmp_path / "up").exists()


@pytest.mark.usefixtures("mpi")
def test_what_the_user_asks_for_reaches_slurm(slurm: Slurm, tmp_path: Path) -> None:
    folder = tmp_path / "with a blank"
    folder.mkdir()
    chosen = quick(queue="other", attributes={"comment": "a&b [c] d", "nice": "7", "exclusive": "exclusive"})
    made = shell(folder, "echo >up; while ! [ -e go ]; do sleep 0.05; done", processes=3)
    running(chosen, made)
    shown = slurm.command("scontrol", "show", "job", native(made))
    (folder / "go").touch()
    facts = ("Partition=other", "Comment=a&b [c] d", "Nice=7", f"JobName={made.name}", "NumNodes=1", "Requeue=0")
    for fact in (*facts, "OverSubscribe=NO"):
        assert fact in shown
    assert settled(chosen, made).state is State.DONE


@pytest.mark.usefixtures("mpi")
def test_each_node_of_a_job_has_its_part_of_the_processes(several_nodes: Slurm, tmp_path: Path) -> None:
    """Launchers fill one node after the other: the last ones were paid for and did nothing."""
    # the parent of a rank's shell is the launcher's own process on its node
    made = shell(tmp_path, "awk '/^PPid/ { print $2 }' /proc/$PPID/status", processes=6, nodes=len(several_nodes.names))
    runner = quick()
    runner.submit(made)
    assert settled(runner, made).state is State.DONE, made.stderr.read_text()
    nodes = made.stdout.read_text().split()
    assert sorted(nodes.count(node) for node in set(nodes)) == [1, 1, 2, 2]


def test_srun_starts_as_many_processes_as_a_command_has(several_nodes: Slurm, tmp_path: Path) -> None:
    """It started as many on each node as on the fullest one."""
    made = shell(tmp_path, "srun sh -c 'echo $SLURM_NODEID'", slots=6, nodes=len(several_nodes.names))
    runner = quick()
    runner.submit(made)
    assert settled(runner, made).state is State.DONE, made.stderr.read_text()
    nodes = made.stdout.read_text().split()
    assert sorted(nodes.count(node) for node in set(nodes)) == [1, 1, 2, 2]


def test_a_job_that_is_submitted_from_within_another_has_nothing_of_it(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its `srun` took the other's memory and binding for options, and failed."""
    given = slurm.command("salloc", "--mem-per-cpu=1", "srun", "--cpu-bind=rank", "env").splitlines()
    for name, _, value in (line.partition("=") for line in given if line.startswith("SLURM_")):
        monkeypatch.setenv(name, value)
    assert {"SLURM_JOB_ID", "SLURM_MEM_PER_CPU", "SLURM_CPU_BIND"} <= set(os.environ)
    runner = quick(attributes={"mem": "1"})
    made = shell(tmp_path, 'echo "${SLURM_MEM_PER_CPU-none} ${SLURM_CPU_BIND-none}"; srun true')
    runner.submit(made)
    assert settled(runner, made).state is State.DONE, made.stderr.read_text()
    assert made.stdout.read_text() == "none none\n"


def test_what_slurm_will_never_take_is_told(slurm: Slurm, tmp_path: Path) -> None:
    assert slurm.environment
    made = job(tmp_path, "true")
    with pytest.raises(InvalidInput, match="partition") as caught:
        quick(queue="nowhere").submit(made)
    assert caught.value.hint
    again = quick()
    again.submit(made)  # it was not used up
    assert settled(again, made).state is State.DONE


def test_a_submission_without_an_answer_never_runs_and_can_be_made_again(
    sbatch: Command, slurm: Slurm, tmp_path: Path
) -> None:
    made = shell(tmp_path, "echo ran >>runs")
    sbatch.be("then-hang")
    with pytest.raises(TransientError, match="did not answer"):
        quick(patience=1.0, attributes={"begin": "now+1hour"}).submit(made)
    assert "Submitted" in sbatch.taken.read_text()
    until(lambda: slurm.command("squeue", "-h", "-n", made.name) == "", "the job is taken back")
    sbatch.be("real")
    again = quick()
    again.submit(made)
    assert settled(again, made).state is State.DONE
    assert (tmp_path / "runs").read_text() == "ran\n"


def test_a_submission_without_an_answer_whose_job_ran_was_one(sbatch: Command, tmp_path: Path) -> None:
    impatient = quick(patience=4.0)
    made = shell(tmp_path, "echo ran >>runs")
    sbatch.be("then-hang")
    impatient.submit(made)  # no answer for 4 s, but by then the job has run
    assert settled(impatient, made).state is State.DONE
    assert (tmp_path / "runs").read_text() == "ran\n"


@pytest.mark.parametrize("delay", [0.0, 0.5])
def test_a_controller_killed_between_submission_and_record_leaves_nothing(
    sbatch: Command, slurm: Slurm, tmp_path: Path, delay: float
) -> None:
    place = Place("slurm", QUICK)
    made = shell(tmp_path, "echo >ran; sleep 85")
    sbatch.be("then-hang")
    controller = place.controller(made)
    until(lambda: sbatch.taken.exists() and sbatch.taken.read_text(), "Slurm has the job")
    if delay:
        until((tmp_path / "ran").exists, "the program runs")
    controller.kill()
    controller.wait()
    assert controller.stdout is not None
    controller.stdout.close()
    ticket = read_ticket(made)
    assert ticket is not None
    assert ticket.native is None
    ending = place.runner().reclaim(made)
    assert ending is None or ending.state is State.CANCELLED
    assert nothing_left(made)
    assert slurm.command("squeue", "-h", "-n", made.name) == ""
    assert place.runner().reclaim(made) == ending


def test_a_job_that_starts_after_it_was_reclaimed_does_nothing(runner: BatchRunner, tmp_path: Path) -> None:
    held = quick(attributes={"begin": "now+1hour"})
    made = shell(tmp_path, "echo >ran")
    held.submit(made)
    script = _files(made).script
    runner.reclaim(made)
    assert subprocess.run(["sh", script], check=False).returncode == 125
    assert not (tmp_path / "ran").exists()


def test_a_job_that_is_started_again_does_nothing(runner: BatchRunner, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo ran >>runs")
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert subprocess.run(["sh", _files(made).script], check=False).returncode == 125
    assert (tmp_path / "runs").read_text() == "ran\n"


def test_what_psij_asks_of_a_scheduler_works_on_a_real_one(slurm: Slurm, tmp_path: Path) -> None:
    """Schedulers without a module of their own are asked in PSI/J's words."""
    assert slurm.environment
    plain = Scheduler("slurm", 10)
    request = Request(attributes={})
    made = shell(tmp_path, "")
    script = tmp_path / "script"
    script.write_text(plain.script(made, request, ["sleep", "86"], tmp_path))
    known = plain.submit(script)
    until(lambda: plain.look([known])[known].state is State.RUNNING, "it runs")
    assert set(plain.look([known, "999999"])) == {known}
    plain.cancel(known)
    until(lambda: plain.look([known])[known].state is State.CANCELLED, "it is cancelled")


def _files(made: Job) -> jobscript.Files:
    ticket = read_ticket(made)
    assert ticket is not None
    return jobscript.Files.of(made, ticket.token)


def test_an_end_that_this_machine_believes_not_to_be_there_is_looked_for_anew(
    runner: BatchRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An NFS client remembers for a minute which files it did not find, unless it changes their folder."""
    real, anew = jobscript.read_end, list[object]()
    monkeypatch.setattr(jobscript, "look_anew", anew.append)
    monkeypatch.setattr(jobscript, "read_end", lambda job, files: real(job, files) if anew else None)
    made = shell(tmp_path, "exit 7")
    runner.submit(made)
    until(lambda: runner.poll(made).state.over, "the job ends", seconds=90)
    assert runner.poll(made).exit_status == 7
