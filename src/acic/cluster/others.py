"""Processor time that this machine wanted and others got.

Where a machine is virtual, its hypervisor may give its processors to others on the same hardware. What runs then
takes longer by any factor, and nothing else in the machine looks different. Linux counts it as `steal`. Others may be
on the machine itself, too: whoever compiles something while a lab measures, at whatever priority, as that counts only
within a control group.

Source: proc(5), /proc/stat and /proc/PID/stat.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

TAKEN = 0.03  # of the processors, for others: where a hypervisor leaves a machine alone it is 0.016 at most
_PROC = Path("/proc")
_KERNEL = 2  # the process whose children are the kernel's own threads
_WORKED = ("user", "nice", "system", "irq", "softirq")
_IDLE = ("idle", "iowait")
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """What became of the time of all processors since the machine began, in ticks of the kernel.

    Args:
        worked: they worked here.
        stolen: there was work here, and the hypervisor had given them to others.
        idle: there was none.
        others: of `worked`, that of each process which has nothing to do with what is measured.
        processors: how many there are.
    """

    worked: int
    stolen: int
    idle: int = 0
    others: Mapping[int, int] = field(default_factory=dict)
    processors: int = 1

    def taken_since(self, before: ProcessorTime) -> float:
        """Return the share of the processors that others got since `before`, 0 to 1; 0.0 where no time went by.

        Who is not here takes what was wanted, so that share counts, but nobody waits longer for it than it took: where
        little is wanted, as by a run that waits for disks, it is the share of the time that went by. Who is here takes
        first what is idle, so that of all of it counts: a little in the background would be much of such a run.
        """
        stolen = max(0, self.stolen - before.stolen)
        others = sum(max(0, ticks - before.others.get(process, 0)) for process, ticks in self.others.items())
        wanted = stolen + max(others, self.worked - before.worked)
        whole = wanted + max(0, self.idle - before.idle)
        return min(1.0, stolen / max(wanted, whole / self.processors) + others / whole) if wanted else 0.0


def processor_time(proc: Path = _PROC) -> ProcessorTime:
    """Return what became of this machine's processors so far; nothing stolen where the system does not tell."""
    try:
        lines = (proc / "stat").read_text(encoding="ascii").split("\n")
        ticks = dict(zip(_FIELDS, map(int, lines[0].split()[1:]), strict=False))
        processors = sum(line.startswith("cpu") for line in lines[1:])
    except (OSError, ValueError):
        return ProcessorTime(0, 0)
    worked, idle = (sum(ticks.get(name, 0) for name in names) for names in (_WORKED, _IDLE))
    return ProcessorTime(worked, ticks.get("steal", 0), idle, processors=max(1, processors))


def processor_time_beside(ours: Set[int], proc: Path = _PROC) -> ProcessorTime:
    """Return `processor_time`, and what processes got that are not `ours`, nor this one, its children or the kernel's.

    What ended before it was looked at is not seen.
    """
    parents: dict[int, int] = {}
    worked: dict[int, int] = {}
    for stat in proc.glob("[0-9]*/stat"):
        try:
            words = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()  # names hold anything
            process = int(stat.parent.name)
            parents[process], worked[process] = int(words[1]), int(words[11]) + int(words[12])
        except (OSError, ValueError, IndexError):
            continue  # it ended meanwhile
    others = {one: ticks for one, ticks in worked.items() if one not in ours and not _own(one, parents)}
    whole = processor_time(proc)
    return replace(whole, others=others)


def _own(process: int, parents: Mapping[int, int]) -> bool:
    """Return whether it is this process, one that it began, or the kernel's."""
    own = {os.getpid(), _KERNEL}
    while process in parents and process not in own:
        process = parents[process]
    return process in own
