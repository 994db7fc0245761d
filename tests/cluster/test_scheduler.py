"""What is known of schedulers without one: states, directives, and what is said where something is missing."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from acic.cluster import BatchRunner, Ending, Job, Refused, State, Withdrawn, jobscript
from acic.cluster.directives import Request, check_attributes, minutes_of
from acic.cluster.lsf import Lsf
from acic.cluster.pbs import Pbs
from acic.cluster.scheduler import Scheduler, Sight
from acic.cluster.schedulers import open_scheduler
from acic.cluster.slurm import Slurm, sight_of
from acic.cluster.tickets import Ticket, read_ticket, write_ticket
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
            ["#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=3", '#SBATCH --account="me"', "#SBATCH --time=0:2:0"],
        ),
        (
            "pbs",
            [
                "#PBS -l select=2:ncpus=3:mpiprocs=3",
                "#PBS -A me",
                "#PBS -q fast",
                '#PBS -x "y"',
                '#PBS -r "n"',
                "0:2:0",
            ],
        ),
        (
            "lsf",
            ["#BSUB -n 6", '#BSUB -R "span[ptile=3]"', "#BSUB -rn", '#BSUB -q "fast"', '#BSUB -x "y"', "#BSUB -W 0:2"],
        ),
    ],
)
def test_scripts_for_all_schedulers_have_the_directives(tmp_path: Path, scheduler: str, directives: list[str]) -> None:
    pytest.importorskip("psij")
    made = shell(tmp_path, "", processes=5, nodes=2, time_limit=90)
    request = Request(account="me", queue="fast", attributes={"x": "y"})
    text = open_scheduler(scheduler, request, 1).script(made, request, ["/bin/sh", "/a b/c"], tmp_path)
    for directive in [*directives, made.name, "/bin/sh '/a b/c'"]:
        assert directive in text
    assert "-nnodes" not in text  # of LSF on CSM systems alone


def test_a_scheduler_is_asked_for_no_more_minutes_than_the_limit(tmp_path: Path) -> None:
    """One more was asked for: a job with the limit of its queue stayed there for ever."""
    for limit, minutes in ((600.0, 10), (601.0, 11), (0.5, 1)):
        assert minutes_of(shell(tmp_path, "", time_limit=limit)) == minutes


@pytest.mark.parametrize(
    ("scheduler", "name", "value", "hint"),
    [
        ("slurm", "nodes", "3", "--nodes"),
        ("slurm", "time", "1", "--time-limit"),
        ("slurm", "ntasks-per-node", "4", "leave it out"),
        ("slurm", "array", "0-1", "leave it out"),
        ("slurm", "job-name", "mine", "leave it out"),
        ("slurm", "export", "NONE", "in your shell"),
        ("pbs", "l", "select=3", "--nodes"),
        ("pbs", "l", "walltime=1:00:00", "--time-limit"),
        ("pbs", "l", "mem=4gb,walltime=1:00:00", "--time-limit"),
        ("pbs", "l", "place=excl,select=3:ncpus=2", "--nodes"),
        ("lsf", "W", "5", "--time-limit"),
    ],
)
def test_what_acic_writes_itself_is_refused_as_an_attribute(scheduler: str, name: str, value: str, hint: str) -> None:
    """Three nodes were held, one was paid for and told to the database."""
    pytest.importorskip("psij")
    with pytest.raises(InvalidInput, match=f"the attribute {name} is acic's own") as caught:
        BatchRunner(scheduler, attributes={name: value})
    assert hint in caught.value.hint


def test_other_attributes_of_the_same_names_are_taken() -> None:
    check_attributes("pbs", {"l": "filesystems=home:eagle"})
    check_attributes("pbs", {"l": "mem=4gb,min_walltime=1:00:00"})
    check_attributes("slurm", {"constraint": "haswell", "timeout-x": "1"})
    check_attributes("cobalt", {"nodes": "3"})


NOTHING = Request(account="", queue="", attributes={})


def test_a_command_that_starts_processes_by_itself_gets_room_for_them(tmp_path: Path) -> None:
    """One task a node was asked for, so that Open MPI had no slots and others shared a core."""
    pytest.importorskip("psij")
    made = shell(tmp_path, "", processes=0, nodes=2, slots=7)
    assert "#SBATCH --ntasks-per-node=4" in Scheduler("slurm", 1).script(made, NOTHING, ["/bin/sh", "/x"], tmp_path)
    alone = shell(tmp_path, "", processes=0, nodes=2)
    assert "#SBATCH --ntasks-per-node=1" in Scheduler("slurm", 1).script(alone, NOTHING, ["/bin/sh", "/x"], tmp_path)


@pytest.mark.parametrize(
    ("how", "tasks"),
    [
        ({"processes": 0, "slots": 6, "nodes": 4}, 6),
        ({"processes": 0, "slots": 3, "nodes": 4}, 4),
        ({"processes": 0, "nodes": 2}, 2),
        ({"processes": 5, "nodes": 2}, 6),
    ],
)
def test_slurm_is_asked_for_as_many_processes_as_a_command_starts_by_itself(
    tmp_path: Path, how: dict[str, int], tasks: int
) -> None:
    """`srun ./app` starts one for each: 100 on 3 nodes were 102."""
    pytest.importorskip("psij")
    text = Slurm("slurm", 1).script(shell(tmp_path, "", **how), NOTHING, ["/bin/sh", "/x"], tmp_path)
    assert text.count("#SBATCH --ntasks=") == 1
    assert f"#SBATCH --ntasks={tasks}\n" in text


def test_a_scheduler_that_nobody_knows_is_told() -> None:
    pytest.importorskip("psij")
    for name in ("local", "nonsense", "flux"):  # PSI/J names the last one, too, but cannot load it without its library
        with pytest.raises(InvalidInput, match="no batch scheduler") as caught:
            BatchRunner(name)
        known, _, others = caught.value.hint.partition("; without one: ")
        assert "slurm" in known
        assert not {"local", "flux", "pbs_classic"} & set(known.split(", "))
        assert others == "local, ssh"


def test_torque_is_refused_before_any_job() -> None:
    """Its qstat has no JSON: jobs that it killed or lost were waited for for ever, and never cancelled."""
    pytest.importorskip("psij")
    with pytest.raises(InvalidInput, match=r"Torque \(pbs_classic\) cannot be followed") as caught:
        BatchRunner("pbs_classic")
    assert "pbs" in caught.value.hint


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
        ("pbs", "qstat", "usage: {name} [-f] [job_identifier... | destination...]", 2, "pbs does not answer: usage"),
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


def fake(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a command that is not the scheduler's, and does what `script` says, first on PATH; it logs its arguments."""
    pretend(name, "", 0, folder, monkeypatch)
    log = f'echo "{name} $*" >>{folder}/log'
    (folder / "fake" / name).write_text(f"#!/bin/sh\n# not {name}\n{log}\n{script}\n")


SEVERAL = """case "$*" in
  *7.server*) echo "qstat: Unknown Job Id 7.server" >&2; exit 153 ;;
  *) printf 'Job Id: 8.server\\n    Job_Name = mine\\n    job_state = R\\n' ;;
esac"""


def test_of_several_jobs_those_that_are_there_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psij")
    fake("qstat", SEVERAL, tmp_path, monkeypatch)
    assert Pbs("pbs", 5).look(["7.server", "8.server"]) == {"8.server": Sight(State.RUNNING)}
    fake("qstat", "echo 'qstat: pbs.conf is not found' >&2\nexit 1", tmp_path, monkeypatch)
    with pytest.raises(TransientError, match=r"pbs.conf is not found"):
        Pbs("pbs", 5).look(["8.server"])


def pbs_says(fields: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "said").write_text(f"Job Id: 7.server\n    Job_Name = mine\n{fields}\n")
    fake("qstat", f"cat {folder}/said", folder, monkeypatch)


def submitted(folder: Path, native: str | None = "7.server") -> Job:
    """A job that a scheduler was given."""
    made = job(folder, "true")
    jobscript.folder_of(made).mkdir()
    write_ticket(made, Ticket(token="t", may_start=True, native=native))  # noqa: S106  # no password
    return made


ODD_VARIABLES = """    job_state = R
    Variable_List = foo=005,PBS_O_HOME=/home/me,BASH_FUNC_module%%=() { eval "$(m
\todule \\"$@\\")"
 },PBS_O_LANG=C
    comment = Job run at Mon Nov 30 on (node1:ncpus=3)"""


def test_a_job_of_pbs_with_odd_variables_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PBS writes no JSON then (openpbs issues 1255 and 2541), so that no answer could be read."""
    pytest.importorskip("psij")
    pbs_says(ODD_VARIABLES, tmp_path, monkeypatch)
    assert Pbs("pbs", 5).look(["7.server"]) == {"7.server": Sight(State.RUNNING)}


CANCELLED = Sight(State.CANCELLED, "cancelled", final=True)
ENDS_IN_PBS = [
    ("    job_state = Q\n    comment = Not Running: Insufficient amount of\n\t resource: ncpus", None),
    ("    job_state = F\n    substate = 92\n    Exit_status = 0", Sight(State.DONE)),
    ("    job_state = F\n    substate = 93\n    Exit_status = 3", Sight(State.FAILED, "its script failed")),
    ("    job_state = F\n    substate = 91", CANCELLED),
    ("    job_state = F\n    substate = 93\n    Exit_status = 271", CANCELLED),
    ("    job_state = F\n    Exit_status = -29", Sight(State.TIMEOUT, "time limit of PBS", final=True)),
    ("    job_state = F\n    Exit_status = -27", Sight(State.FAILED, "out of memory", final=True)),
    ("    job_state = F", Sight(State.UNKNOWN)),
    ("    job_state = Z", Sight(State.UNKNOWN, "PBS says Z, which is not known here")),
]


@pytest.mark.parametrize(("fields", "sight"), ENDS_IN_PBS)
def test_why_pbs_ended_a_job_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: str, sight: Sight | None
) -> None:
    """A job that was deleted had failed, which was held against its configuration."""
    pytest.importorskip("psij")
    pbs_says(fields, tmp_path, monkeypatch)
    waiting = Sight(State.QUEUED, "Not Running: Insufficient amount of resource: ncpus")
    assert Pbs("pbs", 5).look(["7.server"]) == {"7.server": sight or waiting}


def test_a_pbs_without_a_history_is_asked_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psij")
    none = 'echo "qstat: PBS is not configured to maintain job history 7.server" >&2; exit 1'
    running = "printf 'Job Id: 7.server\\n    job_state = R\\n'"
    fake("qstat", f'case "$*" in *-x*) {none} ;; *) {running} ;; esac', tmp_path, monkeypatch)
    assert Pbs("pbs", 5).look(["7.server"]) == {"7.server": Sight(State.RUNNING)}


def test_a_job_of_which_nothing_is_understood_is_cancelled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was looked for first, so that qdel was never called."""
    pytest.importorskip("psij")
    fake("qstat", 'echo \'{"Jobs": {"7.server": {"foo": 005\'', tmp_path, monkeypatch)
    fake("qdel", "", tmp_path, monkeypatch)
    with pytest.raises(TransientError, match="nothing that is understood"):
        BatchRunner("pbs").cancel(submitted(tmp_path))
    assert "qdel 7.server" in (tmp_path / "log").read_text()


NEVER = "Can Never Run: Insufficient amount of resource: ncpus (R: 4 A: 2 T: 2)"


def silence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend("qstat", "{name}: cannot connect to server", 1, folder, monkeypatch)
    fake("qdel", "exit 1", folder, monkeypatch)


def test_what_a_scheduler_said_before_it_fell_silent_is_not_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One word of a job that never runs counted for as long as nobody answered, and the campaign paused."""
    pytest.importorskip("psij")
    pbs_says(f"    job_state = Q\n    comment = {NEVER}", tmp_path, monkeypatch)
    runner, made = BatchRunner("pbs", interval=0), submitted(tmp_path)
    assert runner.poll(made) == Ending(state=State.QUEUED, reason=NEVER)
    silence(tmp_path, monkeypatch)
    assert runner.poll(made) == Ending(state=State.QUEUED, reason="pbs does not answer")
    jobscript.Files.of(made, "t").started.write_text("7.server")
    assert runner.poll(made) == Ending(state=State.RUNNING)


def test_a_job_is_taken_back_though_its_scheduler_falls_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What never began was told as an error of the run, and counted as a failure of its configuration."""
    pytest.importorskip("psij")
    pbs_says("    job_state = Q", tmp_path, monkeypatch)

    def back(job: Job, ending: Ending) -> None:
        silence(tmp_path, monkeypatch)
        raise Withdrawn(f"enough of {job.name}, which is {ending.state}")

    made = submitted(tmp_path)
    with pytest.raises(Withdrawn, match=f"enough of {made.name}, which is queued"):
        BatchRunner("pbs", watch=back).wait(made)
    ticket = read_ticket(made)
    assert ticket is not None
    assert not ticket.may_start  # it may still be in the queue
    assert "qdel 7.server" in (tmp_path / "log").read_text()


def test_a_job_that_begins_while_it_is_taken_back_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psij")
    pbs_says("    job_state = Q", tmp_path, monkeypatch)
    made, seen = submitted(tmp_path), list[State]()
    files = jobscript.Files.of(made, "t")

    def back(job: Job, ending: Ending) -> None:
        seen.append(ending.state)
        if ending.state is State.QUEUED:
            silence(tmp_path, monkeypatch)
            files.started.write_text("7.server")
            raise Withdrawn(f"enough of {job.name}")
        files.end.write_text(json.dumps({"kind": "program", "status": 0, "begin": 1.0, "end": 3.0}))

    ending = BatchRunner("pbs", watch=back, interval=0).wait(made)
    assert (ending.state, ending.seconds, seen) == (State.DONE, 2.0, [State.QUEUED, State.RUNNING])


QSELECT = """case "$*" in
  *-u*) ;;
  *) echo 8.server ;;
esac"""


def test_a_job_of_that_name_of_another_user_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator's acic deleted a colleague's job when PBS refused its own."""
    pytest.importorskip("psij")
    fake("qselect", QSELECT, tmp_path, monkeypatch)
    fake("qstat", "printf 'Job Id: 8.server\\n    job_state = R\\n'", tmp_path, monkeypatch)
    fake("qsub", "echo 'qsub: Unknown queue' >&2; exit 170", tmp_path, monkeypatch)
    fake("qdel", "", tmp_path, monkeypatch)
    with pytest.raises(Refused, match="Unknown queue"):
        BatchRunner("pbs").submit(job(tmp_path, "true"))
    assert "qselect" not in (tmp_path / "log").read_text()
    assert BatchRunner("pbs").reclaim(submitted(tmp_path, native=None)) is None
    assert "qselect" in (tmp_path / "log").read_text()
    assert "qdel" not in (tmp_path / "log").read_text()


LSF_ENDS = [
    ("TERM_OWNER: job killed by owner", State.CANCELLED, True),
    ("TERM_ADMIN: job killed by root or LSF administrator", State.CANCELLED, True),
    ("TERM_RUNLIMIT: job killed after reaching LSF run time limit", State.TIMEOUT, True),
    ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit", State.FAILED, True),
    ("TERM_UNKNOWN: unknown", State.FAILED, False),
    ("", State.FAILED, False),
]


@pytest.mark.parametrize(("reason", "state", "final"), LSF_ENDS)
def test_why_lsf_ended_a_job_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, state: State, final: bool
) -> None:
    """Whoever ended it, it had failed, which was held against its configuration."""
    pytest.importorskip("psij")
    record = {"STAT": "EXIT", "EXIT_REASON": reason, "KILL_REASON": "", "SUSPEND_REASON": ""}
    running = record | {"JOBID": "8", "STAT": "RUN", "EXIT_REASON": ""}
    answer = json.dumps({"COMMAND": "bjobs", "JOBS": 2, "RECORDS": [record | {"JOBID": "7"}, running]})
    fake("bjobs", f"echo '{answer}'", tmp_path, monkeypatch)
    assert Lsf("lsf", 5).look(["7", "8"]) == {"7": Sight(state, reason, final=final), "8": Sight(State.RUNNING)}


def test_lsf_is_given_the_script_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a script that is named, an ordinary LSF reads no directives, and cannot execute it."""
    pytest.importorskip("psij")
    fake("bsub", f'[ $# -eq 0 ] && cat >{tmp_path}/seen && echo "Job <7> is submitted."', tmp_path, monkeypatch)
    made = job(tmp_path, "true")
    BatchRunner("lsf").submit(made)
    ticket = read_ticket(made)
    assert ticket is not None
    assert ticket.native == "7"
    assert f'#BSUB -J "{made.name}"' in (tmp_path / "seen").read_text()


CLUSTER_SQUEUE = """[ "$1 $2" = "-M cm4" ] || exit 0
echo "CLUSTER: cm4"
case "$*" in
  *--name=*) echo 4711 ;;
  *) cat {folder}/queue ;;
esac"""


@pytest.mark.parametrize("said", ["on cluster cm4", ""])
def test_with_a_fake_slurm_of_several_clusters_a_job_is_followed_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """Its id was "cm4", so that each run was given up as unknown and began when others were measured."""
    pytest.importorskip("psij")
    fake("sbatch", f"echo 'Submitted batch job 4711 {said}'; echo 'Have a nice day'", tmp_path, monkeypatch)
    fake("squeue", CLUSTER_SQUEUE.format(folder=tmp_path), tmp_path, monkeypatch)
    fake("scontrol", "echo slurm_load_jobs error: Invalid job id specified; exit 1", tmp_path, monkeypatch)
    fake("scancel", f"[ \"$1 $2\" = '-M cm4' ] && : >{tmp_path}/queue", tmp_path, monkeypatch)
    runner = BatchRunner("slurm", attributes={"clusters": "cm4"}, settle=0)
    made = job(tmp_path, "true")
    (tmp_path / "queue").write_text(f"4711|PENDING|Priority|{made.name}\n")
    runner.check()
    runner.submit(made)
    ticket = read_ticket(made)
    assert ticket is not None
    assert ticket.native == ("4711;cm4" if said else "4711")
    assert runner.poll(made) == Ending(state=State.QUEUED, reason="Priority")
    assert Slurm("slurm", 5, "cm4").find(made.name) == ["4711"]
    runner.cancel(made)
    log = (tmp_path / "log").read_text()
    assert "scancel -M cm4 --quiet 4711" in log
    asked = [line for line in log.splitlines() if not line.startswith("sbatch")]
    assert all(line.split()[1:3] == ["-M", "cm4"] for line in asked)


def test_a_job_that_may_go_to_any_of_several_clusters_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psij")
    with pytest.raises(InvalidInput, match="cm2,cm4 cannot be followed"):
        BatchRunner("slurm", attributes={"clusters": "cm2,cm4"})
    monkeypatch.setenv("SLURM_CLUSTERS", "all")
    with pytest.raises(InvalidInput, match="clusters all cannot"):
        BatchRunner("slurm")
    BatchRunner("slurm", attributes={"clusters": "cm4"})


@pytest.mark.parametrize("script", ["", "echo 'squeue: error: Unable to contact slurm controller' >&2; exit 1"])
def test_a_fake_slurm_that_lists_nothing_is_asked_once_an_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """A job that was lost, and a scheduler that was down from the start, had it asked at every look."""
    pytest.importorskip("psij")
    fake("squeue", script, tmp_path, monkeypatch)
    fake("scontrol", "echo Invalid job id specified; exit 1", tmp_path, monkeypatch)
    runner = BatchRunner("slurm", interval=60)
    made, other = submitted(tmp_path), submitted(tmp_path)
    for _ in range(5):
        assert not runner.poll(made).state.over
    assert (tmp_path / "log").read_text().count("squeue") == 1
    assert not runner.poll(other).state.over  # which it was not asked about
    assert (tmp_path / "log").read_text().count("squeue") == 2


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


@pytest.mark.parametrize("within", [True, False])
def test_a_fake_sbatch_gets_no_variables_of_a_job_that_acic_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within: bool
) -> None:
    """`srun` in the new job took them for options: it failed, or was bound as the interactive one."""
    pytest.importorskip("psij")
    fake("sbatch", f"env >{tmp_path}/seen; echo Submitted batch job 7", tmp_path, monkeypatch)
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    given = {"SLURM_CPU_BIND", "SLURM_MEM_PER_CPU", *({"SLURM_JOB_ID"} if within else ())}
    kept = {"SLURM_CONF", "SLURM_MPI_TYPE"}
    for name in {"SLURM_EXPORT_ENV", *given, *kept}:  # by the first one srun leaves hints out, whatever sbatch is asked
        monkeypatch.setenv(name, "7")
    BatchRunner("slurm").submit(job(tmp_path, "true"))
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert {name for name in seen if name.startswith("SLURM_")} == (kept if within else given | kept)


def test_what_waits_in_the_queue_is_this_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a umask of 002 a whole group could write the scripts that run as who submitted them, hours later."""
    pytest.importorskip("psij")
    pretend("sbatch", "", 0, tmp_path, monkeypatch)
    (tmp_path / "fake" / "sbatch").write_text("#!/bin/sh\necho Submitted batch job 7\n")
    made, before = job(tmp_path, "true"), os.umask(0o002)
    try:
        BatchRunner("slurm").submit(made)
    finally:
        os.umask(before)
    folder = jobscript.folder_of(made)
    programs = [path for path in folder.iterdir() if path.suffix in (".sh", ".batch")]
    assert len(programs) == 2
    assert [path.stat().st_mode & 0o077 for path in (folder, *programs)] == [0, 0, 0]


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
