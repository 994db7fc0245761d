"""What a scheduler is asked for: the directives that a user gives, and those that a job brings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from acic.cluster.job import Job
from acic.errors import InvalidInput

NAMING = {"slurm": "job-name", "pbs": "N", "lsf": "J"}  # names are not among what PSI/J writes into a script
_UNSAFE = re.compile(r"[\"\\`$\n]")  # none of these is to be had in a directive
_OWN = {  # NAME=VALUE that acic writes by options of its own: a second one holds, and the journal would tell the first
    "slurm": {r"nodes=": "--nodes", r"time=": "--time-limit", r"(ntasks.*|array|output|error)=": ""},
    "pbs": {r"l=(.*,)?(select|nodes)=": "--nodes", r"l=(.*,)?walltime=": "--time-limit", r"[Joe]=": ""},
    "lsf": {r"nnodes=": "--nodes", r"W=": "--time-limit", r"(n|o|oo|e|eo)=": ""},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks a scheduler for, besides the job itself.

    Args:
        account: whom the time is charged to; "" for the default.
        queue: queue or partition; "" for the default.
        attributes: any other directive and its value, as the scheduler writes them: "constraint": "haswell".

    Raises:
        InvalidInput: a text that no directive can hold.
    """

    account: str = ""
    queue: str = ""
    attributes: Mapping[str, str]

    def __post_init__(self) -> None:
        for text in (self.account, self.queue, *self.attributes, *self.attributes.values()):
            if _UNSAFE.search(text):
                raise InvalidInput(
                    f"{text!r} cannot stand in a directive", hint="leave out quotes, '\\', '$', '`' and line ends"
                )


def check_attributes(scheduler: str, attributes: Mapping[str, str]) -> None:
    """Refuse attributes that acic itself writes.

    Raises:
        InvalidInput: one is.
    """
    for name, value in attributes.items():
        if name == NAMING.get(scheduler):
            why, hint = "it finds its jobs by their names", "leave it out"
        elif (scheduler, name) == ("slurm", "export"):  # PSI/J writes its own behind it, which holds
            why, hint = "runs get your environment", "leave it out, and export in your shell what runs need besides"
        else:
            own = _OWN.get(scheduler, {})
            option = next((o for pattern, o in own.items() if re.match(pattern, f"{name}={value}")), None)
            if option is None:
                continue
            why, hint = "runs are counted and paid by it", f"give {option}" if option else "leave it out"
        raise InvalidInput(f"the attribute {name} is acic's own: {why}", hint=hint)


def slots_per_node(job: Job) -> int:
    """Return for how many processes `job` needs room on each of its nodes."""
    return max(1, -(-(job.processes or job.slots) // job.nodes))


def minutes_of(job: Job) -> int:
    """Return the minutes that a scheduler is asked for: no more than the limit, which may be all that a queue gives."""
    return math.ceil(job.time_limit / 60)
