"""Rules of thumb: what the paper's own insights and sites' documentation would have a user choose, scripted.

Each rule looks at the workload alone and says which values to prefer. A configuration is the better the more important
the rules are that it follows: the first rule that two configurations differ in decides. Thresholds are ours where the
source names none; they were written down before any of them was tried on the ground truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from acic.space import Configuration, Value
from acic.units import KIB, MIB, format_setting
from acic.workloads import Access, Characteristics, Interface, Phase, Workload

SMALL = 64 * KIB  # B of a request, below which latency counts and not bandwidth
LITTLE = 32 * MIB  # B moved in all, that the paper's "small amounts of I/O" is taken for
MANY = 64  # files, from which on metadata counts

_SC13 = "Liu et al., SC13, section 5.6"
_AWS = "AWS Storage Services Overview"
_NERSC = "NERSC documentation, Lustre file striping"
_PARALLEL = ("OrangeFS", "CephFS", "GlusterFS")  # OrangeFS first: it is the paper's PVFS2 under its present name


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of thumb.

    Args:
        says: it in words.
        source: who says so.
        when: whether it speaks about a workload, wanted for a goal ("time" or "cost").
        prefers: parameter and the values to prefer, the best first; what is not named comes last.
        only: values of the configurations that it speaks about; none for all.
    """

    says: str
    source: str
    when: Callable[[Workload, str], bool]
    prefers: Mapping[str, tuple[Value, ...]]
    only: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)


def _largest(workload: Workload) -> Phase:
    return max(workload.phases, key=lambda phase: phase.bytes)


def _main(workload: Workload) -> Characteristics:
    return _largest(workload).characteristics


def _little(workload: Workload, _: str) -> bool:
    moved = sum(phase.bytes for phase in workload.phases)
    return _main(workload).interface in (Interface.POSIX, Interface.STDIO) and moved <= LITTLE


def _small_files(workload: Workload, _: str) -> bool:
    largest = _largest(workload)
    return largest.files >= MANY and largest.bytes / largest.files <= MIB


def _random(workload: Workload, _: str) -> bool:
    main = _main(workload)
    return main.access is Access.RANDOM or (main.access is Access.STRIDED and main.request_size <= SMALL)


def _shared(workload: Workload, _: str) -> bool:
    return _main(workload).shared and _main(workload).io_processes > 1


def _file_each(workload: Workload, _: str) -> bool:
    return not _main(workload).shared


def aggregates(workload: Workload, _: str = "") -> bool:
    """Return whether the largest phase has aggregators: it is collective, or only some of the processes do I/O."""
    main = _main(workload)
    return main.collective or main.io_processes < main.processes


def _cheap(_: Workload, goal: str) -> bool:
    return goal == "cost"


def _always(*_: object) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    Rule(
        says="small files do not belong on a parallel file system",
        source="MIT ORCD documentation, Lustre best practices: avoid storing and accessing small files on Lustre",
        when=_small_files,
        prefers={"file_system": ("NFS",)},
    ),
    Rule(
        says="NFS works better for small amounts of I/O through POSIX",
        source=f"{_SC13}, observation 4",
        when=_little,
        prefers={"file_system": ("NFS",)},
    ),
    Rule(
        says="random access wants provisioned IOPS, not spinning disks",
        source=f"{_AWS}: provisioned IOPS volumes are for a high and consistent rate of random reads and writes",
        when=_random,
        prefers={"device": ("EBS",)},
    ),
    Rule(
        says="a file that many processes share goes to a parallel file system, over all servers",
        source=f"{_NERSC}: striping improves many nodes' I/O to a single shared file",
        when=_shared,
        prefers={"file_system": _PARALLEL},
    ),
    Rule(
        says="more servers of a parallel file system are faster and cheaper",
        source=f"{_SC13}, observation 2",
        when=_always,
        prefers={"servers": (4, 2)},
    ),
    Rule(
        says="to save money, put servers on the compute nodes",
        source="Liu et al., SC13, equation (1): dedicated servers are paid for",
        when=_cheap,
        prefers={"placement": ("part-time",)},
    ),
    Rule(
        says="applications with aggregators want part-time servers, which keep data local",
        source=f"{_SC13}, observation 1",
        when=aggregates,
        prefers={"placement": ("part-time",)},
    ),
    Rule(
        says="ephemeral disks beat EBS with more than one server",
        source=f"{_SC13}, observation 3",
        when=_always,
        prefers={"device": ("ephemeral",)},
        only={"servers": (2, 4)},
    ),
    Rule(
        says="stripe a shared file in units of some MiB",
        source=f"{_NERSC} (1 MiB); Table 4 of SC13 has 4 MB in five of six cases with PVFS2",
        when=_shared,
        prefers={"stripe_size": (4 * MIB, 64 * MIB, 64 * KIB)},
    ),
    Rule(
        says="files of one process each are not striped",
        source=f"{_NERSC}: file per process keeps the default, one target for each file",
        when=_file_each,
        prefers={"stripe_size": (2**40, 64 * MIB, 4 * MIB)},
    ),
    Rule(
        says="put disks together in RAID-0",
        source=f"{_AWS}: to increase aggregate IOPS or sequential throughput, group volumes using RAID 0",
        when=_always,
        prefers={"raid_devices": (2,)},
    ),
    Rule(
        says="answering writes before they are on disk is faster",
        source="exports(5) of the Linux NFS server, option async",
        when=_always,
        prefers={"consistency": ("relaxed",)},
    ),
    Rule(
        says="distribute metadata",
        source="OrangeFS wiki: distributed directories make directory operations more scalable",
        when=_always,
        prefers={"metadata": ("all",)},
    ),
    Rule(
        says="otherwise the fast parallel file system, servers apart",
        source=f"{_SC13}, Table 4: PVFS2 in six of nine cases, dedicated servers in five of nine",
        when=_always,
        prefers={"file_system": _PARALLEL, "placement": ("dedicated",)},
    ),
)
"""The most important first."""


def by_rules(workload: Workload, goal: str, configurations: Sequence[Configuration]) -> tuple[int, ...]:
    """Return positions of `configurations` as the rules would have them tried, best first; the first of equals stays.

    Args:
        workload: with at least one phase.
        goal: "time" or "cost".
        configurations: to choose from.
    """
    speaking = [rule for rule in RULES if rule.when(workload, goal)]
    return tuple(
        sorted(range(len(configurations)), key=lambda i: [_distance(rule, configurations[i]) for rule in speaking])
    )


def table() -> str:
    """Return the rules as a Markdown table, for docs/evaluate.md."""
    lines = [("rule", "prefers", "for configurations with", "source"), ("---",) * 4]
    lines += [(rule.says, _listed(rule.prefers), _listed(rule.only) or "any", rule.source) for rule in RULES]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _listed(values: Mapping[str, tuple[Value, ...]]) -> str:
    return "; ".join(f"`{name}` {', '.join(format_setting(name, v) for v in those)}" for name, those in values.items())


def _distance(rule: Rule, configuration: Configuration) -> int:
    """Return how far a configuration is from what the rule prefers; what it does not have at all does not count."""
    if any(configuration.get(name) not in values for name, values in rule.only.items()):
        return 0
    found = 0
    for name, values in rule.prefers.items():
        if name in configuration:
            value = configuration[name]
            found += values.index(value) if value in values else len(values)
    return found
