"""Training sets to test on: made up, with every kind of column that an encoder gives."""

from __future__ import annotations

import numpy as np
import pytest

from acic.models import TrainingSet
from acic.space import Encoder, Parameter, Scale
from acic.units import MIB

PARAMETERS = (
    Parameter(name="servers", values=(1, 2, 4, 8), scale=Scale.LOG),
    Parameter(name="stripe_size", values=tuple(2**k * MIB for k in range(7)), scale=Scale.LOG, unit="B"),
    Parameter(name="delay", values=(0, 1, 2), scale=Scale.LINEAR, unit="s"),
    Parameter(name="raid", values=("none", "0", "5"), scale=Scale.ORDERED),
    Parameter(name="device", values=("EBS", "ephemeral")),
    Parameter(name="file_system", values=("NFS", "PVFS2", "Lustre")),
    Parameter(name="data_size", values=(MIB, 1024 * MIB), scale=Scale.LOG, unit="B"),
)


def made_up(rows: int, seed: int = 0, *, noise: float = 0.1, workloads: int = 3) -> TrainingSet:
    """Runs of some workloads, every fifth a twin of the one before; NFS has no stripe size."""
    rng = np.random.default_rng(seed)
    workload = rng.integers(workloads, size=rows)
    configurations = []
    for one in workload:
        values = {p.name: p.values[rng.integers(len(p.values))] for p in PARAMETERS[:-1]}
        if values["file_system"] == "NFS":
            del values["stripe_size"]
        configurations.append({**values, "data_size": 4**one * MIB})
    group = np.arange(rows)
    for i in range(4, rows, 5):
        configurations[i], group[i], workload[i] = configurations[i - 1], group[i - 1], workload[i - 1]
    encoder = Encoder(PARAMETERS)
    x = encoder.encode(configurations)
    at = encoder.columns.index
    y = 0.5 * x[:, at("servers")] + 0.1 * x[:, at("device")] * workload - 0.3 * x[:, at("file_system=NFS")]
    y = y + noise * rng.standard_normal(rows)
    return TrainingSet(
        columns=encoder.columns,
        x=x,
        y=y,
        best=y + np.abs(noise * rng.standard_normal(rows)),
        weight=rng.uniform(0.5, 2.0, rows),
        group=group,
        workload=workload.astype(np.int64),
        parameters=PARAMETERS,
    )


@pytest.fixture(scope="session")
def runs() -> TrainingSet:
    return made_up(120)
