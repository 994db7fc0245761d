"""A made-up cluster whose truth is known: what the advisor must find."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from tomllib import loads
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from acic.advisor.knowledge import Knowledge
from acic.advisor.learned import Errors
from acic.advisor.learning import learn
from acic.models import Describe, Prediction, plain
from acic.models.calibration import Calibration
from acic.models.registry import learner
from acic.platforms import Platform, parse_platform
from acic.space import Configuration, Value
from acic.store import Measurement, Outcome, Repetition
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Workload

WRITE = Characteristics(
    processes=64,
    io_processes=64,
    interface=Interface.MPIIO,
    iterations=1,
    data_size=64 * MIB,
    request_size=4 * MIB,
    operation=Operation.WRITE,
    collective=True,
    shared=True,
    access=Access.CONSECUTIVE,
)
WHEN = datetime(2026, 11, 21, tzinfo=UTC)


def true_bandwidth(configuration: Mapping[str, Value], workload: Characteristics) -> float:
    """B/s: more servers help, ephemeral disks too, small stripes cost; reads like NFS."""
    servers = float(configuration["servers"])
    rate: float = 80e6 * servers**0.9 * (2.0 if configuration["device"] == "ephemeral" else 1.0)
    if configuration["file_system"] == "PVFS2":
        rate *= 0.6 if configuration["stripe_size"] == 65_536 else 1.1
    if workload.operation is Operation.READ:
        rate *= 1.5 if configuration["file_system"] == "NFS" else 0.7
    return float(rate * (workload.request_size / MIB) ** 0.1)


def measurement(
    platform: Platform, workload: Characteristics, configuration: Configuration, *bandwidths: float
) -> Measurement:
    """Return what one run tells, with a repetition for each of `bandwidths`, B/s."""
    return Measurement(
        platform=platform.name,
        revision=platform.revision,
        workload=workload,
        configuration=configuration,
        outcome=Outcome.OK,
        time=WHEN,
        repetitions=tuple(Repetition(bandwidth=b, seconds=workload.total_bytes / b) for b in bandwidths),
        tool="made up",
    )


def measured(platform: Platform, workloads: list[Characteristics], rng: np.random.Generator) -> list[Measurement]:
    found = []
    for workload, configuration in itertools.product(workloads, platform.space.configurations()):
        truth = true_bandwidth(configuration, workload)
        noisy = [truth * float(np.exp(rng.normal(0, 0.03))) for _ in range(3)]
        found.append(measurement(platform, workload, configuration, *noisy))
    return found


@pytest.fixture(scope="session")
def cluster() -> Platform:
    table = loads(resources.files("acic.platforms").joinpath("data", "ec2-2013.toml").read_text())
    return parse_platform(table | {"name": "made-up"})


@pytest.fixture(scope="session")
def training(cluster: Platform) -> list[Measurement]:
    workloads = [
        replace(WRITE, data_size=size * MIB, request_size=request * MIB, operation=operation)
        for size, request in ((16, 1), (64, 4), (256, 16))
        for operation in (Operation.WRITE, Operation.READ)
    ]
    return measured(cluster, workloads, np.random.default_rng(1))


@pytest.fixture(scope="session", params=["cart", "forest"])
def knowledge(cluster: Platform, training: list[Measurement], request: pytest.FixtureRequest) -> Knowledge:
    rows = training_table(training, cluster)
    return Knowledge(cluster, learn(rows, cluster, learner(request.param), weight=np.ones(len(rows)), seed=1))


def application(
    *phases: Characteristics, run: float | None = 100.0, io: tuple[float | None, ...] = (40.0,), name: str = "app"
) -> Workload:
    """An application whose phases take `io` seconds each of the `run`."""
    made = tuple(
        Phase(characteristics=c, bytes=c.total_bytes, seconds=seconds) for c, seconds in zip(phases, io, strict=True)
    )
    share = sum(s or 0.0 for s in io) / run if run else None
    return Workload(name=name, processes=phases[0].processes, phases=made, run_seconds=run, io_share=share)


@dataclass(frozen=True)
class Crossing:
    """Servers help where requests are larger than `at` B, and harm where they are smaller."""

    columns: tuple[str, ...]
    at: int = 2 * MIB

    name = "crossing"
    is_relative = False

    @property
    def looks_at(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(self.columns, ["request_size", "servers"]))

    def predict(self, x: NDArray[np.float64]) -> Prediction:
        request, servers = (x[:, self.columns.index(name)] for name in ("request_size", "servers"))
        return Prediction(0.3 * servers * np.sign(request - np.log2(self.at)), np.zeros(len(x)))

    def explain(self, x: NDArray[np.float64], describe: Describe = plain) -> list[str]:
        return [describe("request_size", "=", float(x[self.columns.index("request_size")]))]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}


@pytest.fixture
def crossing(knowledge: Knowledge, cluster: Platform) -> Knowledge:
    errors = Errors(Calibration(np.linspace(-0.4, 0.4, 21), math.inf), (-math.log(1.5), math.log(1.5)), 0.1)
    learned = replace(
        knowledge.learned, model="crossing", predictor=Crossing(knowledge.encoder.columns), errors=errors, noise=0.03
    )
    return Knowledge(cluster, learned)
