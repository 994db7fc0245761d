"""A pretended lab whose truth is a formula, for tests: no figure here was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import numpy as np

from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import learn
from acic.benchmarks.kernels import Kernel, kernels
from acic.evaluation.truth import Run
from acic.models.registry import learner
from acic.platforms import load_platform
from acic.space import Configuration, Value
from acic.store import Measurement, Outcome, Repetition
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation

LAB = load_platform("lab")
WHEN = datetime(2026, 11, 21, tzinfo=UTC)
SLOW_NETWORK = tuple(c for c in LAB.space.configurations() if c["instance_type"] == "lab.400m")
SOME = (LAB.baseline, *(c for c in SLOW_NETWORK[::9] if c != LAB.baseline))
SIX = tuple(k for k in kernels() if k.name in ("btio", "pop", "random-reads") or k.key == "mpiblast-small")

WRITE = Characteristics(
    processes=8,
    io_processes=8,
    interface=Interface.MPIIO,
    iterations=1,
    data_size=16 * MIB,
    request_size=4 * MIB,
    operation=Operation.WRITE,
    collective=True,
    shared=True,
    access=Access.CONSECUTIVE,
)


def rate(configuration: Mapping[str, Value], operation: Operation) -> float:
    """B/s: servers and disks help; NFS reads well; nothing else matters."""
    found: float = 30e6 * float(configuration["servers"]) ** 0.7 * float(configuration["raid_devices"]) ** 0.3
    found *= 1.3 if configuration["device"] == "ephemeral" else 1.0
    nfs = configuration["file_system"] == "NFS"
    return found * ((2.5 if nfs else 1.0) if operation is Operation.READ else (0.8 if nfs else 1.0))


def run_of(
    kernel: Kernel,
    configuration: Configuration,
    repetition: int = 0,
    *,
    factor: float = 1.0,
    outcome: Outcome = Outcome.OK,
) -> Run:
    """Return the run that the formula gives, `factor` times as long."""
    io = sum(p.bytes / rate(configuration, p.characteristics.operation) for p in kernel.workload.phases) * factor
    good = outcome is Outcome.OK
    kept = 8 * MIB if kernel.results and LAB.stages_out(configuration) and good else 0
    return Run(
        kernel=kernel.name,
        scale=kernel.scale,
        configuration=configuration,
        repetition=repetition,
        time=WHEN,
        outcome=outcome,
        seconds=1.0 + io if good else None,
        io=io if good else None,
        compute=1.0 if good else None,
        staged=kept / 60e6,
        staged_bytes=kept,
    )


def truth(
    *,
    applications: Sequence[Kernel] = SIX,
    configurations: Sequence[Configuration] = SOME,
    repetitions: int = 1,
    noise: float = 0.0,
    seed: int = 0,
    factor: Callable[[Kernel, Configuration], float] = lambda _k, _c: 1.0,
) -> list[Run]:
    """Return runs of all applications on all configurations, by the formula, with logarithmic noise."""
    rng = np.random.default_rng(seed)
    return [
        run_of(k, c, repetition, factor=factor(k, c) * float(np.exp(rng.normal(0.0, noise))))
        for repetition in range(repetitions)
        for c in configurations
        for k in applications
    ]


@cache
def knowledge(model: str = "ridge") -> Knowledge:
    """Return what a model learned of the formula, from workloads that are no kernel's."""
    workloads = [replace(WRITE, data_size=size * MIB, operation=o) for size in (4, 16, 64) for o in Operation]
    rows = training_table([_measured(w, c) for w in workloads for c in (LAB.baseline, *SLOW_NETWORK[::3])], LAB)
    return Knowledge(LAB, learn(rows, LAB, learner(model), weight=np.ones(len(rows)), seed=1))


def _measured(workload: Characteristics, configuration: Configuration) -> Measurement:
    bandwidth = rate(configuration, workload.operation)
    return Measurement(
        platform=LAB.name,
        revision=LAB.revision,
        workload=workload,
        configuration=configuration,
        outcome=Outcome.OK,
        time=WHEN,
        repetitions=(Repetition(bandwidth=bandwidth, seconds=workload.total_bytes / bandwidth),),
        tool="made up",
    )
