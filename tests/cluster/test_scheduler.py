"""What is known of schedulers without one: states, directives, and what is said where something is missing."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from acic.cluster import BatchRunner, State, jobscript
from acic.cluster.lsf import Lsf
from acic.cluster.scheduler import Request, Scheduler, Sight
from acic.cluster.slurm import sight_of
from acic.cluster.tickets import Ticket, write_ticket
from acic.errors import InvalidInput, MissingData, TransientError, with_extra
from tests.cluster.places import job, shell


def test_no_state_but_completed_can_be_taken_for_done() -> None:
    # Source: squeue(1) of Slurm 22.05, "JOB STATE CODES"
    text = (
        "BOOT_FAIL CANCELLED COMPLETED CONFIGURING COMPLETING DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PENDING PREEMPTED"
        " RUNNING RESV_DEL_HOLD REQUEUE_FED REQUEUE_HOLD REQUEUED RESIZING REVOKED SIGNALING SPECIAL_EXIT STAGE_OUT"
        " STOPPED SUSPENDED TIMEOUT"
    )
    sights = {state: sight_of(state, "None").state for state in text.split()}
    assert [state for state, meaning in sights.items() if meaning is State.DONE] == ["COMPLETED"]
    assert State.UNKNOWN not in sights.values()
    assert sight_of("COMPLETED+", "None").state is State.UNKNOWN


@pytest.mark.parametrize(
    ("scheduler", "directives"),
    [
        (
            "slurm",
            ["#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=3", '#SBATCH --account="me"', "#SBATCH --time=0:3:0"],
        ),
        ("pbs", ["#PBS -l select=2:ncpus=3:mpiprocs=3", "#PBS -A me", "#PBS -q fast", '#PBS -x "y"', "0:3:0"]),
        ("lsf", ["#BSUB -nnodes 2", '#BSUB -q "fast"', '#BSUB -x "y"', "#BSUB -W 0:3"]),
    ],
)
def test_scripts_for_all_schedulers_have_the_directives(tmp_path: Path, scheduler: str, directives: list[str]) -> None:
    pytest.importorskip("psij")
    made = shell(tmp_path, "", processes=5, nodes=2, time_limit=90)
    request = Request(account="me", queue="fast", attributes={"x": "y"})
    text = Scheduler(scheduler, 1).script(made, request, ["/bin/sh", "/a b/c"], tmp_path)
    for directive in [*directives, made.name, "/bin/sh '/a b/c'"]:
        assert directive in text


NOTHING = Request(account="", queue="", attributes={})


def test_a_command_that_starts_processes_by_itself_gets_room_for_them(tmp_path: Path) -> None:
    """One task a node was asked for, so that Open MPI had no slots and others shared a core."""
    pytest.importorskip("psij")
    made = shell(tmp_path, "", processes=0, nodes=2, slots=7)
    assert "#SBATCH --ntasks-per-node=4" in Scheduler("slurm", 1).script(made, NOTHING, ["/bin/sh", "/x"], tmp_path)
    alone = shell(tmp_path, "", processes=0, nodes=2)
    assert "#SBATCH --ntasks-per-node=1" in Scheduler("slurm", 1).script(alone, NOTHING, ["/bin/sh", "/x"], tmp_path)


def test_a_scheduler_that_nobody_knows_is_told() -> None:
    pytest.importorskip("psij")
    for name in ("local", "nonsense", "flux"):  # PSI/J names the last one, too, but cannot load it without its library
        with pytest.raises(InvalidInput, match="no batch scheduler") as caught:
            BatchRunner(name)
        known, _, others = caught.value.hint.partition("; without one: ")
        assert "slurm" in known
        assert not {"local", "flux"} & set(known.split(", "))
        assert others == "local, ssh"


def test_a_scheduler_that_is_not_here_is_told(tmp_path: Path) -> None:
    if shutil.which("qsub"):
        pytest.skip("there is a PBS here")
    with pytest.raises(InvalidInput, match="qsub cannot be run"):
        BatchRunner("pbs").submit(job(tmp_path, "true"))


FAKE = """#!/bin/sh
# not {name}: what it would say, and its exit status
printf '%s' '{said}' >&2
exit {status}
"""
NO_CONTROLLER = """{name}: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
{name}: error: fetch_config: DNS SRV lookup failed
{name}: fatal: Could not establish a configuration source
"""


def pretend(name: str, said: str, status: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a fake command of a scheduler first on PATH."""
    (folder / "fake").mkdir(exist_ok=True)
    program = folder / "fake" / name
    program.write_text(FAKE.format(name=name, said=said.format(name=name), status=status))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("scheduler", "command", "said", "status", "told"),
    [
        (
            "slurm",
            "squeue",
            NO_CONTROLLER,
            1,
            "slurm does not answer: squeue: fatal: Could not establish a configuration",
        ),
        ("slurm", "squeue", "", 1, "slurm does not answer: squeue ended with status 1"),
        ("pbs", "qstat", "{name}: unknown user me", 1, "pbs does not answer: qstat: unknown user me"),
        ("lsf", "bjobs", "LSF is down. Please wait ...", 255, "lsf does not answer: LSF is down"),
    ],
)
def test_a_scheduler_that_cannot_answer_is_told_before_any_job(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheduler: str,
    command: str,
    said: str,
    status: int,
    told: str,
) -> None:
    pytest.importorskip("psij")
    pretend(command, said, status, tmp_path, monkeypatch)
    with pytest.raises(TransientError, match=told) as caught:
        BatchRunner(scheduler).check()
    assert f"`{command}` works on this machine" in caught.value.hint


@pytest.mark.parametrize(
    ("scheduler", "command", "said", "status"),
    [
        ("slurm", "squeue", "", 0),
        ("pbs", "qstat", "{name}: Unknown Job Id 0", 153),
        ("pbs", "qstat", "{name}: illegally formed job identifier: 0", 1),
        ("lsf", "bjobs", "Job <0> is not found", 255),
        ("cobalt", "qstat", "", 1),
    ],
)
def test_that_there_is_no_such_job_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str, command: str, said: str, status: int
) -> None:
    pytest.importorskip("psij")
    pretend(command, said, status, tmp_path, monkeypatch)
    BatchRunner(scheduler).check()


def test_without_psij_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psij", None)
    with pytest.raises(MissingData, match="PSI/J") as caught:
        BatchRunner("slurm")
    assert caught.value.hint == with_extra("schedulers")


@pytest.mark.parametrize("text", ['a"b', "a\nb", "$HOME", "`id`", "a\\b"])
def test_what_would_break_out_of_a_directive_is_refused(text: str) -> None:
    requests: list[dict[str, Any]] = [
        {"account": text},
        {"queue": text},
        {"attributes": {"x": text}},
        {"attributes": {text: "x"}},
    ]
    for request in requests:
        with pytest.raises(InvalidInput, match="directive"):
            BatchRunner("slurm", **request)


UNKNOWN_JOBS = [
    ("pbs", "qstat", "{name}: Unknown Job Id 7.server", 153),
    ("pbs_classic", "qstat", "{name}: Unknown Job Id Error 7.server", 153),
    ("lsf", "bjobs", "Job <7.server> is not found", 255),
]


@pytest.mark.parametrize(("scheduler", "command", "said", "status"), UNKNOWN_JOBS)
def test_a_job_that_its_scheduler_forgot_is_neither_waited_for_nor_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str, command: str, said: str, status: int
) -> None:
    """PBS keeps no history of jobs unless it is told to."""
    pytest.importorskip("psij")
    pretend(command, said, status, tmp_path, monkeypatch)
    made = job(tmp_path, "true")
    jobscript.folder_of(made).mkdir()
    write_ticket(made, Ticket(token="t", may_start=True, native="7.server"))  # noqa: S106  # no password
    assert BatchRunner(scheduler).reclaim(made) is None
    ending = BatchRunner(scheduler, settle=0).poll(made)
    assert (ending.state, ending.reason) == (State.UNKNOWN, f"gone from {scheduler} without an exit status")


def test_of_several_jobs_those_that_are_there_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psij")
    pretend("qstat", "", 0, tmp_path, monkeypatch)
    program = tmp_path / "fake" / "qstat"
    program.write_text(
        """#!/bin/sh
case "$*" in
  *7.server*) echo "qstat: Unknown Job Id 7.server" >&2; exit 153 ;;
  *) echo '{"Jobs": {"8.server": {"job_state": "R"}}}' ;;
esac
"""
    )
    assert Scheduler("pbs", 5).look(["7.server", "8.server"]) == {"8.server": Sight(State.RUNNING)}
    program.write_text("#!/bin/sh\necho 'qstat: pbs.conf is not found' >&2\nexit 1\n")
    with pytest.raises(TransientError, match=r"pbs.conf is not found"):
        Scheduler("pbs", 5).look(["8.server"])


def test_why_lsf_ended_a_job_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psij")
    pretend("bjobs", "", 0, tmp_path, monkeypatch)
    record = {"STAT": "EXIT", "EXIT_REASON": "TERM_OWNER: job killed by owner", "KILL_REASON": "", "SUSPEND_REASON": ""}
    running = record | {"JOBID": "8", "STAT": "RUN", "EXIT_REASON": ""}
    answer = json.dumps({"COMMAND": "bjobs", "JOBS": 2, "RECORDS": [record | {"JOBID": "7"}, running]})
    (tmp_path / "fake" / "bjobs").write_text(f"#!/bin/sh\necho '{answer}'\n")
    assert Lsf("lsf", 5).look(["7", "8"]) == {
        "7": Sight(State.FAILED, "TERM_OWNER: job killed by owner"),
        "8": Sight(State.RUNNING),
    }


def test_what_the_user_asks_for_goes_before_variables_of_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sbatch itself lets its variables go before what stands in a script."""
    pytest.importorskip("psij")
    pretend("sbatch", "", 0, tmp_path, monkeypatch)
    (tmp_path / "fake" / "sbatch").write_text(f"#!/bin/sh\nenv >{tmp_path}/seen\necho Submitted batch job 7\n")
    for name in ("ACCOUNT", "PARTITION", "QOS", "TIMELIMIT", "JOB_NAME", "CONSTRAINT"):
        monkeypatch.setenv(f"SBATCH_{name}", "other")
    BatchRunner("slurm", account="mine", attributes={"constraint": "haswell"}).submit(job(tmp_path, "true"))
    seen = (tmp_path / "seen").read_text().splitlines()
    names = {line.partition("=")[0] for line in seen if line.startswith("SBATCH_")}
    assert names == {"SBATCH_PARTITION", "SBATCH_QOS", "SBATCH_NO_REQUEUE"}  # what was not asked for, and acic's own


def test_the_attribute_that_names_jobs_is_acic_s_own() -> None:
    """With another name no job was known again: those that waited were cancelled as gone."""
    with pytest.raises(InvalidInput, match="job-name is acic's own"):
        BatchRunner("slurm", attributes={"job-name": "bench"})


def test_looking_anew_changes_the_folder_and_leaves_nothing(tmp_path: Path) -> None:
    made = shell(tmp_path, "true")
    files = jobscript.Files.of(made, "token")
    files.end.parent.mkdir(parents=True, exist_ok=True)
    before, listed = files.end.parent.stat().st_mtime_ns, list(files.end.parent.iterdir())
    jobscript.look_anew(files)
    assert files.end.parent.stat().st_mtime_ns > before
    assert list(files.end.parent.iterdir()) == listed
