"""Batch schedulers: PSI/J knows their directives and commands, and what it takes for granted is asked anew here."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acic.cluster import commands
from acic.cluster.directives import NAMING, Request, minutes_of, slots_per_node
from acic.cluster.job import Job, Refused, State
from acic.errors import InvalidInput, MissingData, TransientError, with_extra

if TYPE_CHECKING:
    from psij.executors.batch.batch_scheduler_executor import BatchSchedulerExecutor

# What a scheduler says when it cannot take a job now; anything else it says, it will say again.
_PASSING = re.compile(
    r"timed? ?out|unable to contact|cannot connect|can't connect|connection|not respond|not available now|temporar"
    r"|try again|communication|unreachable|zero bytes|queue is full|Max(Submit)?Job|maximum number of jobs|busy",
    re.IGNORECASE,
)
_STATES = {"QUEUED": State.QUEUED, "ACTIVE": State.RUNNING, "COMPLETED": State.DONE, "FAILED": State.FAILED}
_STATES |= {"NEW": State.QUEUED, "CANCELED": State.CANCELLED}
_TORQUE = "pbs_classic"  # PSI/J writes its directives, and asks it what only PBS Professional understands
_NONE_FOUND = re.compile(r"\bjob\b.*is not found|no .*job found|unknown job|illegally formed job id", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a scheduler says of a job.

    Args:
        state: where it is; DONE only says that its script ended.
        reason: why, in a few words.
        final: whether the script can no more have an exit status to tell: the scheduler itself ended the job.
        job: the job's name; "" where the scheduler does not tell it.
    """

    state: State
    reason: str = ""
    final: bool = False
    job: str = ""

    def of(self, job: Job) -> bool:
        """Whether this is said of `job`: a scheduler that lost its memory gives ids a second time."""
        return self.job in ("", job.name)


class Scheduler:
    """A scheduler as PSI/J knows it.

    Args:
        name: as PSI/J calls it: "slurm", "pbs", "lsf", "cobalt".
        patience: s to wait for an answer to a command.

    Raises:
        MissingData: PSI/J is not installed.
        InvalidInput: it knows no such batch scheduler, or cannot follow its jobs.
    """

    def __init__(self, name: str, patience: float) -> None:
        self.name = name
        self._patience = patience
        self._executor = _executor(name)

    def script(self, job: Job, request: Request, launch: Sequence[str], folder: Path) -> str:
        """Return the text to submit: directives, then the command `launch`, whose status is the script's own.

        Args:
            job: what its directives are for.
            request: what the user wants besides.
            launch: what the first node is to run.
            folder: for the files that PSI/J's scripts write.
        """
        import psij
        import pystache  # type: ignore[import-untyped]  # it has no types
        from psij.executors.batch.template_function_library import ALL

        duration = timedelta(minutes=minutes_of(job))  # the script itself keeps to the second
        attributes = {**self._directives(job), **request.attributes}
        described = psij.Job(
            psij.JobSpec(
                executable=launch[0],
                resources=psij.ResourceSpecV1(node_count=job.nodes, processes_per_node=slots_per_node(job)),
                attributes=psij.JobAttributes(
                    duration=duration, queue_name=request.queue or None, account=request.account or None
                ),
            )
        )
        context: dict[str, Any] = {
            "job": described,
            "custom_attributes": {self.name: [{"key": key, "value": value} for key, value in attributes.items()]},
            "env": [],
            "psij": {
                "lib": ALL,
                "launch_command": [f"{shlex.join(launch)}; status=$?; (exit $status)"],
                "script_dir": str(folder),
            },
            "formatted_job_duration": self._executor._format_duration(duration),
        }
        # PSI/J's own renderer quotes for a shell what stands in directives, which no shell reads
        text: str = pystache.Renderer(escape=str).render(self._executor.generator.template, context)  # type: ignore[attr-defined]  # of batch executors only
        return f"{text}\nexit $status\n"

    def _directives(self, job: Job) -> dict[str, str]:
        """Return what `job` is given besides what PSI/J writes, where the user does not give it."""
        return {NAMING[self.name]: job.name} if self.name in NAMING else {}

    def submit(self, script: Path) -> str:
        """Submit `script`; return the scheduler's id of the job.

        Raises:
            Refused: the scheduler will never take it.
            InvalidInput: its commands are not here.
            TransientError: it did not take it now, or did not answer, so that it may have.
        """
        done = self._hand_over(script)
        told = (done.stdout + done.stderr).strip()
        if done.returncode != 0:
            if _PASSING.search(told):
                raise TransientError(f"{self.name} does not take the job now: {told}", hint="try again later")
            raise Refused(f"{self.name} does not take the job: {told}", hint="see its queues and limits")
        try:
            return self._id_in(done.stdout)
        except Exception as error:  # PSI/J indexes and matches as it goes
            raise TransientError(f"{self.name} told no id of the job: {told}", hint="try again later") from error

    def _hand_over(self, script: Path) -> subprocess.CompletedProcess[str]:
        """Run the command that submits `script`."""
        import psij

        described = psij.Job(psij.JobSpec(executable="/bin/sh"))
        return self._command(self._executor.get_submit_command(described, script))

    def _id_in(self, answer: str) -> str:
        """Return the id of the job that was submitted; raises anything where the answer tells none."""
        return self._executor.job_id_from_submit_output(answer)

    def check(self) -> None:
        """Ask the scheduler about a job that there never was, to see whether it answers.

        Raises:
            InvalidInput: its commands are not here.
            TransientError: it does not answer.
        """
        done = self._ask(["0"])
        if _PASSING.search(done.stderr) or not self._answered(done):
            program, told = done.args[0], (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]
            raise TransientError(
                f"{self.name} does not answer: {told or f'{program} ended with status {done.returncode}'}",
                hint=f"see whether it is up, and that `{program}` works on this machine",
            )

    def _answered(self, done: subprocess.CompletedProcess[str]) -> bool:
        """Return whether what came of the question in `check` is an answer: that there is no such job is one, too."""
        return done.returncode == 0 or not done.stderr.strip() or _NONE_FOUND.search(done.stderr) is not None

    def _ask(self, natives: Collection[str]) -> subprocess.CompletedProcess[str]:
        """Run the command that tells where the jobs with these ids are."""
        return self._command(self._executor.get_status_command(natives))

    def look(self, natives: Collection[str]) -> dict[str, Sight]:
        """Return what the scheduler says of the jobs with these ids; those it does not know are left out.

        Raises:
            TransientError: it does not answer, or not in words that are understood.
        """
        done = self._ask(natives)
        try:
            sights = self._read(done)
        except Exception as error:  # PSI/J asserts and indexes as it goes
            if _NONE_FOUND.search(done.stdout + done.stderr):  # of several, the others are asked for one by one
                each = [self.look([native]) for native in natives] if len(natives) > 1 else []
                return {native: sight for some in each for native, sight in some.items()}
            raise TransientError(
                f"{self.name} said nothing that is understood: {(done.stdout + done.stderr)[:200]}",
                hint="see whether its commands work",
            ) from error
        return {native: sight for native, sight in sights.items() if native in natives}

    def _read(self, done: subprocess.CompletedProcess[str]) -> dict[str, Sight]:
        """Return what the answer to `_ask` says of each job; raises anything where it is not understood."""
        statuses = self._executor.parse_status_output(done.returncode, done.stdout)
        return {
            native: Sight(_STATES.get(status.state.name, State.UNKNOWN), status.message or "")
            for native, status in statuses.items()
        }

    def find(self, name: str) -> list[str]:
        """Return the ids of this user's jobs with this name, as far as the scheduler can be asked for them.

        Raises:
            TransientError: it does not answer.
        """
        finding = self._finding()
        if not finding:
            return []
        done = self._command([*finding, name])
        if done.returncode != 0 and not _NONE_FOUND.search(done.stdout + done.stderr):
            raise TransientError(f"{self.name} does not answer: {done.stderr.strip()}", hint="try again later")
        return done.stdout.split() if done.returncode == 0 else []

    def _finding(self) -> Sequence[str]:
        """Return the command that tells the ids of this user's jobs, up to their name; () where there is none."""
        return ()

    def cancel(self, native: str) -> None:
        """Ask the scheduler to end a job; whether it did is to be seen by `look`.

        Raises:
            TransientError: it does not answer.
        """
        self._command(self._executor.get_cancel_command(native))

    def _command(
        self, words: Sequence[str], *, stdin: str = "", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        try:
            return commands.run(words, patience=self._patience, stdin=stdin, environment=environment)
        except subprocess.TimeoutExpired as error:
            raise TransientError(
                f"{words[0]} did not answer for {self._patience:g} s", hint="the scheduler is busy or down"
            ) from error
        except OSError as error:
            raise InvalidInput(
                f"{words[0]} cannot be run: {error.strerror}", hint=f"run acic where {self.name}'s commands are"
            ) from error


def _executor(name: str) -> BatchSchedulerExecutor:
    try:
        import psij
        from psij.executors.batch.batch_scheduler_executor import BatchSchedulerExecutor
    except ImportError as error:
        raise MissingData("PSI/J is not installed", hint=with_extra("schedulers")) from error
    known: dict[str, BatchSchedulerExecutor] = {}
    for one in sorted(psij.JobExecutor.get_executor_names()):
        with suppress(ValueError):  # of those that need a library which is not here
            made: Any = psij.JobExecutor.get_instance(one)
            known |= {one: made} if isinstance(made, BatchSchedulerExecutor) else {}
    if name == _TORQUE:
        raise InvalidInput("jobs of Torque (pbs_classic) cannot be followed", hint="those of PBS Professional can: pbs")
    known.pop(_TORQUE, None)
    if name not in known:
        raise InvalidInput(
            f"{name!r} is no batch scheduler", hint=f"PSI/J knows {', '.join(known)}; without one: local, ssh"
        )
    return known[name]
