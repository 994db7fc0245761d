"""What is known of schedulers without one: states, directives, and what is said where something is missing."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from acic.cluster import BatchRunner, State
from acic.cluster.scheduler import Request, Scheduler
from acic.cluster.slurm import sight_of
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


def test_a_scheduler_that_nobody_knows_is_told() -> None:
    pytest.importorskip("psij")
    for name in ("local", "nonsense", "flux"):  # PSI/J names the last one, too, but cannot load it without its library
        with pytest.raises(InvalidInput, match="no batch scheduler") as caught:
            BatchRunner(name)
        assert "slurm" in caught.value.hint
        assert "local" not in caught.value.hint
        assert "flux" not in caught.value.hint


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
