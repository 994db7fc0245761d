"""Configurations that fail: what keeps giving no figure teaches no model, and yet is on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from acic.platforms import Platform
from acic.space import Configuration
from acic.store.content import fingerprint
from acic.store.measurement import Measurement
from acic.store.training import TrainingRows
from acic.workloads import Characteristics, Phase

FEWEST = 2  # that failed, before it is told: a campaign leaves a configuration alone after as many


@dataclass(frozen=True, slots=True)
class Failing:
    """What is on record of a configuration that failed, with one workload.

    Args:
        configuration: which.
        workload: what was run.
        failed: how many measurements gave no figure: failures and time limits.
        good: how many gave one.
        note: why the last one failed, as far as it is known; "" also where none did with this workload.
    """

    configuration: Configuration
    workload: Characteristics
    failed: int
    good: int
    note: str = ""


def failing_of(failed: Iterable[Measurement], rows: TrainingRows, platform: Platform) -> tuple[Failing, ...]:
    """Return what is on record of each configuration of `platform` that failed, with each workload of it.

    Args:
        failed: measurements that ended as failures or at their time limit.
        rows: the measurements that gave a figure.
        platform: whose they are.
    """
    distinct = {fingerprint(one): one for one in failed}  # what comes with acic may be in a store, too
    mine = [one for one in distinct.values() if not platform.space.problem(one.configuration)]
    known = {one.configuration for one in mine}
    bad = Counter((one.configuration, one.workload) for one in mine)
    good = Counter(
        (rows.configurations[place], rows.workloads[workload])
        for place, workload in zip(rows.configuration, rows.workload, strict=True)
        if rows.configurations[place] in known
    )
    last: dict[tuple[Configuration, Characteristics], tuple[datetime, str]] = {}
    for one in mine:
        key = (one.configuration, one.workload)
        last[key] = max(last.get(key, (one.time, "")), (one.time, one.note))
    return tuple(Failing(*key, bad[key], good[key], last[key][1] if key in last else "") for key in bad | good)


def often_failed(
    configurations: Sequence[Configuration], phases: Sequence[Phase], failing: Sequence[Failing]
) -> tuple[str, ...]:
    """Return which answers failed more often than not with workloads like the job's, and how often; one sentence each.

    What was run with just that workload tells; where nothing was, what is of its kind, whatever its sizes.

    Args:
        configurations: the answers, from the first.
        phases: of the job.
        failing: what is on record.
    """
    told = []
    for rank, configuration in enumerate(configurations, 1):
        mine = [one for one in failing if one.configuration == configuration]
        for kind, workload in {_kind(phase.characteristics): phase.characteristics for phase in phases}.items():
            alike = [one for one in mine if one.workload == workload] or [
                one for one in mine if _kind(one.workload) == kind
            ]
            failed, good = sum(one.failed for one in alike), sum(one.good for one in alike)
            if failed >= FEWEST and failed > good:
                why = next((f", as by: {one.note}" for one in alike if one.note), "")
                told.append(
                    f"Answer {rank} failed in {failed} of the {failed + good} measurements that there are of it with "
                    f"{workload.operation}s like the job's ({', '.join(kind[1:])}){why}. See that it works before you "
                    "rely on it."
                )
    return tuple(told)


def _kind(workload: Characteristics) -> tuple[str, ...]:
    """Return what is told of workloads that are alike but for their sizes, the operation first."""
    return (
        str(workload.operation),
        str(workload.interface),
        "collective" if workload.collective else "independent",
        "shared file" if workload.shared else "file per process",
    )
