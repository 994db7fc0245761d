"""What can be a job, and what is written down of it."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.cluster import Ending, Job, State, StillRunning, jobscript, records
from acic.cluster.job import cancelled_on_interrupt
from acic.cluster.statuses import ending_of
from acic.cluster.templates import fill
from acic.cluster.tickets import Ticket, write_ticket
from acic.errors import InvalidInput, TransientError

DATA = Path(__file__).parents[1] / "data"
SOUND: dict[str, Any] = {"name": "a", "command": ("true",), "processes": 1, "folder": Path(), "time_limit": 1.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "../a"},
        {"name": "a b"},
        {"name": "-a"},
        {"name": "a\n"},
        {"name": 101 * "a"},
        {"command": ()},
        {"command": ("",)},
        {"command": ("a", "b\0")},
        {"processes": -1},
        {"nodes": 0},
        {"time_limit": 0},
        {"time_limit": math.inf},
        {"time_limit": math.nan},
        {"before": ((),)},
        {"before": (("a\0",),)},
        {"environment": {"A=B": "c"}},
        {"environment": {"": "c"}},
        {"environment": {"A": "\0"}},
        {"without": ("A B",)},
        {"environment": {"ACIC_JOB": "mine"}},
    ],
)
def test_what_cannot_be_is_no_job(wrong: dict[str, Any]) -> None:
    Job(**SOUND)
    with pytest.raises(InvalidInput) as caught:
        Job(**(SOUND | wrong))
    assert caught.value.hint


@given(status=st.integers(-64, 255))
def test_only_exit_status_0_is_done(status: int) -> None:
    ending = ending_of(status, 1.0)
    assert (ending.state is State.DONE) == (status == 0)
    assert ending.exit_status == (status if status >= 0 else 128 - status)
    assert bool(ending.reason) == (status != 0)


@given(
    state=st.sampled_from([state for state in State if state.over]),
    status=st.none() | st.integers(0, 255),
    seconds=st.none() | st.floats(0, 1e9),
    reason=st.text(),
)
def test_an_ending_is_read_as_it_was_written_and_never_changed(
    tmp_path_factory: pytest.TempPathFactory, state: State, status: int | None, seconds: float | None, reason: str
) -> None:
    job = Job(**(SOUND | {"folder": tmp_path_factory.mktemp("records")}))
    assert records.recorded(job) is None
    ending = Ending(state=state, exit_status=status, seconds=seconds, reason=reason)
    assert records.record(job, ending) == ending == records.recorded(job)
    assert records.record(job, Ending(state=State.DONE, exit_status=0)) == ending == records.recorded(job)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"state": "done"}',
        '{"state": "running", "exit_status": 0, "seconds": 1, "reason": ""}',
        '{"state": "fine", "exit_status": 0, "seconds": 1, "reason": ""}',
        '{"state": "done", "exit_status": "0", "seconds": 1, "reason": ""}',
        '{"state": ["done"], "exit_status": 0, "seconds": 1, "reason": ""}',
    ],
)
def test_a_damaged_record_says_nothing(tmp_path: Path, text: str) -> None:
    job = Job(**(SOUND | {"folder": tmp_path}))
    records.ending_file(job).write_text(text)
    assert records.recorded(job) is None


def test_what_is_filled_into_a_script_is_not_filled_again() -> None:
    assert fill("@A@ @B@ $@ a@b", {"A": "@B@", "B": "@A@"}) == "@B@ @A@ $@ a@b"


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ((("true",), ("lfs", "setstripe")), "'lfs', to be run before, failed: exit status 4"),
        ((), "what was to be run before failed: exit status 4"),  # as a later controller has it, by its name alone
    ],
)
def test_the_end_of_a_job_is_read_by_whoever_knows_its_name(
    tmp_path: Path, before: tuple[tuple[str, ...], ...], reason: str
) -> None:
    job = Job(**(SOUND | {"folder": tmp_path, "before": before}))
    files = jobscript.Files.of(job, "token")
    files.folder.mkdir()
    files.end.write_text('{"kind": "before-1", "status": 4, "begin": 1.0, "end": 2.0}')
    assert jobscript.read_end(job, files) == Ending(state=State.FAILED, reason=reason)
    files.end.write_text('{"kind": "before-", "status": 4, "begin": 1.0, "end": 2.0}')
    assert jobscript.read_end(job, files) is None


@pytest.mark.parametrize(("more", "shown"), [(0, "[]\n"), (1, "[1]\n")])
def test_ranks_are_crowded_by_cores_whatever_threads_the_user_wants(tmp_path: Path, more: int, shown: str) -> None:
    cores = len(os.sched_getaffinity(0))
    job = Job(**(SOUND | {"folder": tmp_path, "processes": cores + more, "time_limit": 30.0}))
    files = jobscript.Files.of(job, "token")
    files.folder.mkdir()
    write_ticket(job, Ticket(token="token", may_start=True))  # noqa: S106  # no password
    jobscript.write(job, files, ["sh", "-c", "echo [$CROWDED]"], {"CROWDED": "1"})
    threads = {"OMP_NUM_THREADS": str(cores + 1), "OMP_THREAD_LIMIT": str(cores + 1) if more else "1"}
    subprocess.run(["sh", files.script], env=os.environ | threads, check=True, timeout=60)
    assert job.stdout.read_text() == shown


@pytest.mark.parametrize(("processes", "fifo", "shown"), [(0, True, "0\n"), (1, True, "124\n"), (1, False, "0\n")])
def test_a_launcher_in_a_script_has_no_end_of_its_input_to_send_on(
    tmp_path: Path, processes: int, fifo: bool, shown: str
) -> None:
    """Without, Hydra lost the status and output of short jobs. 124: it was still waiting for input."""
    job = Job(**(SOUND | {"folder": tmp_path, "processes": processes, "time_limit": 30.0}))
    files = jobscript.Files.of(job, "token")
    files.folder.mkdir()
    if not fifo:
        files.held.touch()  # as where a file system has no FIFOs: making one fails
    write_ticket(job, Ticket(token="token", may_start=True))  # noqa: S106  # no password
    jobscript.write(job, files, ["sh", "-c", "timeout 0.3 cat; echo $?"], {})
    subprocess.run(["sh", files.script], check=True, timeout=60)
    assert job.stdout.read_text() == shown
    assert job.stderr.read_text() == ""
    assert not files.held.exists()


def test_a_job_tells_what_it_said_last(tmp_path: Path) -> None:
    made = Job(**(SOUND | {"folder": tmp_path}))
    assert made.last_said() == []
    made.stderr.write_bytes(b"\nfirst\nsecond\n\xff third \n\n")
    assert made.last_said() == ["\N{REPLACEMENT CHARACTER} third"]
    assert made.last_said(2) == ["second", "\N{REPLACEMENT CHARACTER} third"]
    assert len(made.last_said(9)) == 3


def test_a_job_that_said_nothing_on_standard_error_is_told_by_its_output(tmp_path: Path) -> None:
    made = Job(**(SOUND | {"folder": tmp_path}))
    made.stderr.write_bytes(b"\n")
    made.stdout.write_bytes(b"not the last line\n" * 10_000 + b" FATAL: no input\n")
    assert made.last_said() == ["FATAL: no input"]
    banner = (
        "=" * 83 + "\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 2\n" + "=" * 83 + "\n"
    )
    made.stdout.write_text(f"step = 1\nFATAL: no input\n\n\n{banner}Please see the FAQ page\n")
    assert made.last_said(2) == ["step = 1", "FATAL: no input"]
    made.stdout.write_text(f"\n{banner}")
    assert made.last_said() == []
    made.stderr.write_text("setpriv: failed to execute ./notthere: No such file or directory\n")
    assert made.last_said() == ["./notthere: No such file or directory"]


SLOTS = (
    "There are not enough slots available in the system to satisfy the 40 slots that were requested by the application"
)
UNABLE = "was unable to launch the specified application as it could not access"
ABORT = "MPI_ABORT was invoked on rank {} in communicator MPI_COMM_WORLD"
SAID_BY_OPEN_MPI = {
    "4.1.4-abort": f"{ABORT.format(0)} with errorcode 7.",
    "4.1.4-error": "[vm:08544] *** MPI_ERR_RANK: invalid rank",
    "4.1.4-exit": "",  # no more than the exit status
    "4.1.4-missing": f"mpiexec {UNABLE} or execute an executable: Executable: ./nothere",
    "4.1.4-nested": "mpiexec does not support recursive calls",
    "4.1.4-root": "mpiexec has detected an attempt to run as root.",
    "4.1.4-said": "FATAL: no input",
    "4.1.4-signal": "[vm:8459 :0:8459] Caught signal 11 (Segmentation fault: tkill(2) or tgkill(2) at address 0x210b)",
    "4.1.4-slots": f"{SLOTS}: ./x4",
    "5.0.11-abort": f"{ABORT.format(1)} Proc: [[12347,1],1] Errorcode: 7",
    "5.0.11-error": "[vm:00000] *** MPI_ERR_RANK: invalid rank",
    "5.0.11-exit": "",
    "5.0.11-missing": f"prterun {UNABLE} an executable: Executable: ./nothere",
    "5.0.11-root": "prterun has detected an attempt to run as root.",
    "5.0.11-said": "FATAL: no input",
    "5.0.11-signal": "",
    "5.0.11-slots": f"{SLOTS}: ./x5",
}


@pytest.mark.parametrize(("output", "told"), SAID_BY_OPEN_MPI.items())
def test_what_open_mpi_says_around_a_failure_is_not_what_the_program_said(
    tmp_path: Path, output: str, told: str
) -> None:
    """Whatever failed was told as a row of dashes. The outputs are those of real ones."""
    made = Job(**(SOUND | {"folder": tmp_path}))
    shutil.copyfile(DATA / "openmpi" / f"{output}.txt", made.stderr)
    assert made.last_said() == ([told] if told else [])
    made.stdout.write_text("FATAL: on standard output\n2 total processes failed to start\n")
    own = "said" in output or "error" in output or "4.1.4-signal" in output or "nested" in output
    assert made.last_said() == [told if own else "FATAL: on standard output"]


@pytest.mark.parametrize(("status", "told"), [(132, "signal 4, or"), (183, "could not start"), (139, "signal 11")])
def test_a_program_that_open_mpi_cannot_start_was_not_killed_by_a_signal(status: int, told: str) -> None:
    """Its mpiexec ends with 132 (4.1) or 183 (5) then."""
    assert told in ending_of(status, 1.0).reason
    assert ("killed by" in ending_of(status, 1.0).reason) == (status == 139)


@pytest.mark.parametrize(
    "error", [TransientError("slurm does not answer"), OSError(28, "No space left on device"), KeyboardInterrupt()]
)
def test_an_interrupt_is_one_whatever_keeps_its_job_from_being_cancelled(tmp_path: Path, error: BaseException) -> None:
    """A scheduler that did not answer made a failed run of it, and the campaign began the next one."""
    job = Job(**(SOUND | {"folder": tmp_path}))

    def cancel(_: Job) -> Ending:
        raise error

    with pytest.raises(StillRunning) as caught, cancelled_on_interrupt(cancel, job):
        raise KeyboardInterrupt
    assert f"the job {job.name} may still run: {str(error) or 'interrupted again'}" in caught.value.__notes__
