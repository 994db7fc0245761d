"""A made-up system to search on, where the real one's weak points are: constraints, interactions, a large space."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from acic.search import Lessons, Row
from acic.space import AtMost, Configuration, Encoder, Parameter, Rule, Scale, Space
from acic.units import MIB
from tests.search.measured import System

SPACE = Space(
    (
        Parameter(name="device", values=("disk", "flash")),
        Parameter(name="file_system", values=("NFS", "PVFS2", "Lustre")),
        Parameter(name="servers", values=(1, 2, 4, 8, 16), scale=Scale.LOG),
        Parameter(name="placement", values=("part-time", "dedicated")),
        Parameter(name="stripe_count", values=(1, 2, 3, 4, 6, 8, 12, 16), scale=Scale.LOG),
        Parameter(name="stripe_size", values=tuple(2**k * MIB for k in range(9)), scale=Scale.LOG, unit="B"),
        Parameter(name="cb_nodes", values=(1, 2, 4, 8, 16, 32, 64), scale=Scale.LOG),
        Parameter(name="cb_buffer_size", values=tuple(4**k * MIB for k in range(6)), scale=Scale.LOG, unit="B"),
        Parameter(name="romio_cb_write", values=("automatic", "enable", "disable")),
        Parameter(name="romio_ds_write", values=("automatic", "enable", "disable")),
    ),
    (
        Rule(when={"file_system": "NFS"}, then={"servers": 1}, absent=("stripe_count", "stripe_size")),
        Rule(when={"file_system": "PVFS2"}, absent=("stripe_count",)),
        AtMost(smaller="stripe_count", larger="servers"),
    ),
)
BASELINE = Configuration(
    device="disk",
    file_system="NFS",
    servers=1,
    placement="dedicated",
    cb_nodes=1,
    cb_buffer_size=16 * MIB,
    romio_cb_write="automatic",
    romio_ds_write="automatic",
)
GIGABYTES = Parameter(name="data_size", values=(1, 1024), scale=Scale.LOG)
Floats = NDArray[np.float64]


@cache
def bottleneck(*, gigabytes: float = 256.0) -> System:
    """Return the system with a job that writes so much; its lessons are runs that write a 64th and a 16th of it."""
    points = SPACE.enumerate()
    small = []
    for share in (64.0, 16.0):
        objective = _seconds(points, gigabytes / share)
        base = float(objective[(points == SPACE.point(BASELINE)).all(axis=1)][0])
        small += [
            Row(
                workload={"data_size": gigabytes / share},
                configuration=SPACE.configuration(points[row]),
                objective=float(objective[row]),
                baseline=base,
            )
            for row in np.random.default_rng(int(share)).choice(len(points), size=100, replace=False)
        ]
    lessons = Lessons(parameters=(GIGABYTES,), target={"data_size": gigabytes}, rows=tuple(small))
    return System(SPACE, BASELINE, _seconds(points, gigabytes), points, lessons)


def _seconds(points: NDArray[np.int8], gigabytes: float) -> Floats:
    """Return what a run takes: the slowest of disks, network and aggregators, and what moving costs beside."""
    encoder = Encoder(SPACE.parameters)
    x = encoder.encode_points(SPACE, points)
    of = {name: x[:, i] for i, name in enumerate(encoder.columns)}
    servers = np.exp2(of["servers"])
    used = np.where(of["file_system=Lustre"] == 1, np.exp2(np.maximum(of["stripe_count"], 0)), servers)
    disks = used * np.where(of["device"] == 1, 0.9, 0.12) * np.where(of["file_system=NFS"] == 1, 0.7, 1.0)
    network = servers * np.where(of["placement"] == 1, 1.0, 0.75)
    aggregators = 0.25 * np.exp2(of["cb_nodes"]) * np.where(of["romio_cb_write=disable"] == 1, 0.5, 1.0)
    shuffle = 0.004 * of["cb_nodes"] ** 2 * np.where(of["romio_cb_write=enable"] == 1, 1.3, 1.0)
    mismatch = np.where(of["stripe_size"] > 0, 0.02 * np.abs(of["stripe_size"] - of["cb_buffer_size"]), 0.1)
    sieving = np.where(of["romio_ds_write=enable"] == 1, 0.05, 0.0)
    slowest = np.maximum(1.0 / disks, np.maximum(1.0 / network, 1.0 / aggregators))
    return np.asarray(0.5 * servers**0.5 + gigabytes * (slowest + shuffle + mismatch + sieving))
