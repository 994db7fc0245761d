"""Processor time that this machine wanted and others got.

Where a machine is virtual, its hypervisor may give its processors to others on the same hardware. What runs then
takes longer by any factor, and nothing else in the machine looks different. Linux counts it as `steal`.

Source: proc(5), /proc/stat.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STOLEN = 0.03  # of the processor time wanted: where a hypervisor leaves a machine alone it is 0.016 at most
_STAT = Path("/proc/stat")
_WORKED = ("user", "nice", "system", "irq", "softirq")
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """What became of the time of all processors since the machine began, in ticks of the kernel.

    Args:
        worked: they worked here.
        stolen: there was work here, and the hypervisor had given them to others.
    """

    worked: int
    stolen: int

    def stolen_since(self, before: ProcessorTime) -> float:
        """Return the share of the time wanted since `before` that others got, 0 to 1; 0.0 where none was wanted."""
        stolen = max(0, self.stolen - before.stolen)
        wanted = stolen + max(0, self.worked - before.worked)
        return stolen / wanted if wanted else 0.0


def processor_time(stat: Path = _STAT) -> ProcessorTime:
    """Return what became of this machine's processors so far; nothing stolen where the system does not tell."""
    try:
        first = stat.read_text(encoding="ascii").split("\n", 1)[0].split()
        ticks = dict(zip(_FIELDS, map(int, first[1:]), strict=False))
    except (OSError, ValueError):
        return ProcessorTime(0, 0)
    return ProcessorTime(sum(ticks.get(name, 0) for name in _WORKED), ticks.get("steal", 0))
