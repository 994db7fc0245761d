"""Jobs on a list of hosts, started over ssh."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from acic.cluster import processes, records, segments
from acic.cluster.direct import GRACE, DirectRunner, Plan, Start
from acic.cluster.hosts import Host, read_hosts, spread
from acic.cluster.job import Ending, Job
from acic.cluster.launcher import find_launcher
from acic.cluster.remote import SSH_FAILED, Remote, unset
from acic.errors import InvalidInput

_OF_THIS_MACHINE = {"HOSTNAME", "PWD", "OLDPWD", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "SSH_AUTH_SOCK"}


class SshRunner(DirectRunner):
    """Runs jobs on hosts that ssh reaches without a password. A job's folder is one that all of them see.

    MPI processes are spread evenly over the first `Job.nodes` hosts. The commands before, and a program
    that is started once, run on the first host, with the controller's environment.

    Args:
        hosts: "NAME" or "NAME:SLOTS" each.
        ssh: the command, with options of one's own.
        connect_timeout: s to wait for a host.
        mpiexec: the launcher; None for that of ACIC_MPIEXEC, beside this Python, or on PATH. The hosts have
            it at the same place.

    Raises:
        InvalidInput: a list of hosts that is none.
    """

    def __init__(
        self,
        hosts: Sequence[str],
        *,
        ssh: Sequence[str] = ("ssh",),
        connect_timeout: float = 10.0,
        mpiexec: Path | None = None,
    ) -> None:
        super().__init__()
        self._hosts = read_hosts(hosts)
        self._remote = Remote(ssh, connect_timeout)
        self._mpiexec = mpiexec

    @property
    def name(self) -> str:
        """What the user calls it."""
        return "ssh"

    def check(self, nodes: int) -> None:
        """See whether the first `nodes` hosts answer, before any job depends on it.

        Raises:
            InvalidInput: there are fewer, there is no ssh here, or one runs no script.
            TransientError: some do not answer.
        """
        self._remote.cores([host.name for host in self._first(nodes)], Path("/"))

    def plan(self, job: Job) -> Plan:
        """Return what to start for `job`; the hosts are asked whether they are there."""
        hosts = self._first(job.nodes)
        cores = self._remote.cores([host.name for host in hosts], job.folder.absolute())
        before = [self._once(job, hosts[0], command) for command in job.before]
        if job.processes == 0:
            return Plan(before=before, command=self._once(job, hosts[0], job.command), environment=_environment(job))
        return self._parallel(job, hosts, cores, before)

    def _first(self, nodes: int) -> tuple[Host, ...]:
        if nodes > len(self._hosts):
            raise InvalidInput(f"a run wants {nodes} hosts of {len(self._hosts)}", hint="list more, or use fewer nodes")
        return self._hosts[:nodes]

    def _parallel(self, job: Job, hosts: Sequence[Host], cores: dict[str, int], before: Sequence[Start]) -> Plan:
        launcher = find_launcher(self._mpiexec)
        placed = {host: number for host, number in spread(job.processes, hosts).items() if number}
        room = {host.name: cores[host.name] if host.slots is None else host.slots for host in hosts}
        tightest = max(placed, key=lambda host: placed[host] / room[host])
        agent = _agent(job).absolute()
        records.write_program(agent, self._remote.agent(job.name, _lost(job).absolute(), without=job.without))
        needed = launcher.environment(placed[tightest], room[tightest]) | launcher.over_ssh(agent)
        return Plan(
            before=before,
            command=Start(launcher.there(job.command, placed, agent), held=True),
            environment=needed | _environment(job),
        )

    def _once(self, job: Job, host: Host, command: Sequence[str]) -> Start:
        # by `env`, since a shell refuses some names; those that tell where a process is would be wrong there
        variables = [f"{name}={value}" for name, value in _environment(job).items() if name not in _OF_THIS_MACHINE]
        lines = [
            f"cd {shlex.quote(str(job.start.absolute()))} || exit",
            # without `exec`: of a program ended by a signal, ssh tells no exit status, but of this shell it does
            f"{shlex.join(['env', *unset(job.without), *variables, *command])} </dev/null",
            "exit $?",
            "",
        ]
        return Start(self._remote.shell(host.name), "\n".join(lines))

    def end(self, job: Job) -> bool:
        """End all processes of `job`, here and on its hosts."""
        here = processes.end(job.name, grace=GRACE)
        there = self._remote.end([host.name for host in self._hosts[: job.nodes]], job.name, grace=GRACE)
        _agent(job).unlink(missing_ok=True)
        return here or there

    def clear(self, job: Job) -> None:
        """Remove the note of lost hosts, and shared memory that nobody uses on this machine; on hosts, `end` did."""
        _lost(job).unlink(missing_ok=True)
        segments.remove_unused()

    def explain(self, job: Job, ending: Ending) -> Ending:
        """Return `ending` with the hosts that were lost, and without an exit status that may be ssh's own."""
        try:
            lost = sorted(set(_lost(job).read_text().split()))
        except FileNotFoundError:
            lost = []
        _lost(job).unlink(missing_ok=True)
        if lost:
            reason = f"node failure: the connection to {', '.join(lost)} was lost"
            return replace(ending, exit_status=None, reason=reason)
        if ending.exit_status == SSH_FAILED:  # of the program or of ssh, nobody can tell
            return replace(ending, exit_status=None, reason="exit status 255, or the connection was lost")
        return ending


def _lost(job: Job) -> Path:
    return job.folder / f".{job.name}.lost"


def _agent(job: Job) -> Path:
    return job.folder / f".{job.name}.ssh"


def _environment(job: Job) -> dict[str, str]:
    return job.variables(os.environ)
