"""Jobs on the compute nodes of a lab."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from acic.cluster import processes, records, segments
from acic.cluster.direct import GRACE, DirectRunner, Plan, Start
from acic.cluster.job import Ending, Job
from acic.cluster.lab.nodes import Node
from acic.cluster.launcher import Kind, find_launcher
from acic.errors import InvalidInput

# MPICH's ranks ask for news all the time while they wait, and two of them would use up their node's share of the
# processor, which servers on it need. Here each sleeps between two questions, for as long as the timer slack says:
# a rank that waits takes 0.02 cores in place of all it gets, and an MPI_Allreduce of 8 ranks 1.1 ms in place of 0.3.
_SLEEPING = {
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",
}
_SLACK = 200_000  # ns

# Over TCP, as on a cluster without better; the device's collectives would wait by spinning in shared memory.
_OVER_TCP = {
    "FI_PROVIDER": "tcp",
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
}

# Called in place of ssh, as `agent [options] address command...`.
_AGENT = """#!/bin/sh
while :; do
  case $1 in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
address=$1
shift
echo {slack} >/proc/self/timerslack_ns || :
case $address in
{cases}
*) echo "no node has the address $address" >&2; exit 1 ;;
esac
"""


class LabRunner(DirectRunner):
    """Runs jobs on the first `Job.nodes` compute nodes, in equal blocks of processes: the last one may be smaller.

    The commands before, and a program that is started once, run on the first one.

    Args:
        nodes: compute nodes, in order.
        bridge: the network interface by which this machine reaches them.
        environment: for every job, unless the job says otherwise.
        mpiexec: the launcher; None for that of ACIC_MPIEXEC, beside this Python, or on PATH.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        bridge: str,
        *,
        environment: Mapping[str, str] | None = None,
        mpiexec: Path | None = None,
    ) -> None:
        super().__init__()
        self._nodes = tuple(nodes)
        self._bridge = bridge
        self._given = dict(environment or {})
        self._mpiexec = mpiexec

    @property
    def name(self) -> str:
        """What the user calls it."""
        return "lab"

    def plan(self, job: Job) -> Plan:
        """Return what to start for `job`."""
        if job.nodes > len(self._nodes):
            raise InvalidInput(
                f"the job {job.name} wants {job.nodes} nodes of {len(self._nodes)}", hint="use fewer, or a larger lab"
            )
        first = self._nodes[0]
        before = [_once(first, job, command) for command in job.before]
        if job.processes == 0:
            return Plan(before=before, command=_once(first, job, job.command), environment=self._environment(job, {}))
        launcher = find_launcher(self._mpiexec)
        agent = _agent(job).absolute()
        records.write_program(agent, agent_text(self._nodes))
        placed = {node.address: count for node, count in deal(job.processes, self._nodes[: job.nodes]).items()}
        command = launcher.there(job.command, placed, agent)
        needed = launcher.over_ssh(agent)
        if launcher.kind is Kind.MPICH:
            command[1:1] = ["-iface", self._bridge]
            needed |= _OVER_TCP | _SLEEPING
        else:
            needed |= launcher.crowded()
        return Plan(before=before, command=Start(command, held=True), environment=self._environment(job, needed))

    def _environment(self, job: Job, needed: Mapping[str, str]) -> dict[str, str]:
        return job.variables(dict(needed) | os.environ | self._given)

    def end(self, job: Job) -> bool:
        """End all processes of `job`: this machine sees those of all nodes."""
        ended = processes.end(job.name, grace=GRACE)
        _agent(job).unlink(missing_ok=True)
        return ended

    def clear(self, job: Job) -> None:  # noqa: ARG002  # a segment does not tell whose it was
        """Remove shared memory that nobody uses; that of nodes is theirs, and small."""
        segments.remove_unused()
        for node in self._nodes:
            segments.remove_unused(node.within("/dev/shm"))  # noqa: S108  # where shm_open puts it

    def explain(self, job: Job, ending: Ending) -> Ending:  # noqa: ARG002  # nothing more is known of it
        """Return `ending`: the exit status says all."""
        return ending


def deal(count: int, nodes: Sequence[Node]) -> dict[Node, int]:
    """Return how many of `count` processes go to each node: as many as fit evenly, until there are no more."""
    each = -(-count // len(nodes))
    left = {node: max(0, min(each, count - index * each)) for index, node in enumerate(nodes)}
    return {node: number for node, number in left.items() if number}


def agent_text(nodes: Sequence[Node]) -> str:
    """Return a program for launchers to call in place of ssh."""
    cases = "\n".join(f'{node.address}) {node.entrance()} /bin/sh -c "$*" ;;' for node in nodes)
    return _AGENT.format(cases=cases, slack=_SLACK)


def _once(node: Node, job: Job, command: Sequence[str]) -> Start:
    inside = f'cd {shlex.quote(str(job.start.absolute()))} && exec "$@"'
    return Start(node.enter(["/bin/sh", "-c", inside, "sh", *command]))


def _agent(job: Job) -> Path:
    return job.folder / f".{job.name}.agent"
