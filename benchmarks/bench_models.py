"""How fast models score on one core: rows of `predict` (mean and spread), and of the same trees in scikit-learn.

Rows per second of processor time, so that what else runs on the machine counts less.

`recommend` is what the advisor asks: one workload, so its columns are constant, and many configurations. `grid` has
workloads that vary too, `random` a different number in every cell: the worst case. Then a cold start: a new process
that restores the default model and scores once.

The last row is the default where the hardware is known, taught what comes with acic for the lab: one workload of these,
and its configurations over and over (what the prior has to say of them is timed by bench_prior.py).

Run it: python benchmarks/bench_models.py [--rows 200000] [--taught 1000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from acic.advisor.informed import default_model, informed
from acic.advisor.learning import training_set
from acic.models import DEFAULT, LEARNERS, TrainingSet, learner
from acic.platforms import load_platform
from acic.space import Encoder, Parameter, Scale
from acic.store.baselines import Baselines
from acic.store.bundled import bundled
from acic.store.training import training_table
from acic.units import KIB, MIB

Floats = NDArray[np.float64]

BAR = 200_000  # rows/s of the default models
_FEW = 20_000  # rows that take the slower of them a second
SYSTEM = (
    Parameter(name="stripe_count", values=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32), scale=Scale.LOG),
    Parameter(name="stripe_size", values=tuple(2**k * MIB for k in range(12)), scale=Scale.LOG, unit="B"),
    *(Parameter(name=f"hint_{i}", values=("automatic", "enable", "disable")) for i in range(4)),
    Parameter(name="aggregators", values=(1, 2, 4, 8, 16, 32, 64), scale=Scale.LOG),
    Parameter(name="device", values=("disk", "flash")),
)
WORKLOAD = (
    Parameter(name="processes", values=tuple(2**k for k in range(4, 12)), scale=Scale.LOG),
    Parameter(name="data_size", values=tuple(2**k * MIB for k in range(12)), scale=Scale.LOG, unit="B"),
    Parameter(name="request_size", values=tuple(2**k * KIB for k in range(2, 16)), scale=Scale.LOG, unit="B"),
    Parameter(name="operation", values=("read", "write")),
    Parameter(name="collective", values=(False, True)),
)
COLD = """
import time
begun = time.perf_counter()
import numpy as np, acic.models
imported = time.perf_counter()
with np.load("model.npz") as file:
    predictor = acic.models.learner().restore(dict(file))
predictor.predict(np.load("x.npy"))
print(f"{imported - begun:.3f} {time.perf_counter() - imported:.3f}")
"""


def drawn(rows: int, rng: np.random.Generator) -> tuple[tuple[str, ...], Floats]:
    encoder = Encoder((*SYSTEM, *WORKLOAD))
    x = np.empty((rows, len(encoder.columns)))
    for parameter in encoder.parameters:
        codes = encoder.encode([{parameter.name: v} for v in parameter.values])[:, encoder.columns_of(parameter.name)]
        x[:, encoder.columns_of(parameter.name)] = codes[rng.integers(len(codes), size=rows)]
    return encoder.columns, x


def improvement(columns: tuple[str, ...], x: Floats) -> Floats:
    """Log improvement with bottlenecks, so that all trees are as deep as real ones."""
    of = {name: x[:, i] for i, name in enumerate(columns)}
    disks = 0.6 * of["stripe_count"] + 0.5 * of["device"]
    network = 0.4 * of["aggregators"] + 0.1 * (of["request_size"] - 12)
    seeks = 0.2 * np.abs(of["stripe_size"] - of["request_size"]) + 0.3 * of["hint_1=enable"] * of["collective"]
    return np.asarray(np.minimum(disks, network) - seeks + 0.05 * of["data_size"] * of["operation"])


def rows_per_second(work: Callable[[], object], rows: int) -> float:
    """The best of five: what the machine can do, not what else it did."""
    taken = []
    for _ in range(5):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return rows / min(taken)


def peer(data: TrainingSet, x: Floats) -> float:
    """The default forest in scikit-learn: the mean alone, one job."""
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(100, min_samples_leaf=3, max_features=0.7, max_leaf_nodes=126, random_state=0)
    forest.fit(data.x, data.y)
    return rows_per_second(partial(forest.predict, x), len(x))


def beside_hardware(count: int) -> tuple[str, float]:
    """Return the default model of the lab, and how many rows it scores in a second."""
    platform = load_platform("lab")
    rows = training_table(bundled(platform), platform)
    chosen = learner(default_model(platform))
    improvements = Baselines.fit(rows, platform).improvements(rows)
    data = informed(training_set(rows, platform, improvements, np.ones(len(rows))), rows, platform, chosen)
    predictor = chosen.fit(data, rng=np.random.default_rng(0))
    mine = data.x[rows.workload == np.bincount(rows.workload).argmax()]
    x = mine[np.arange(count) % len(mine)]
    return chosen.name, rows_per_second(partial(predictor.predict, x), count)


def cold(data: TrainingSet, x: Floats) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (default,) = [one for one in LEARNERS if one.name == DEFAULT]
        arrays: dict[str, Any] = {**default.fit(data, rng=np.random.default_rng(0)).arrays()}
        np.savez(Path(folder, "model.npz"), **arrays)
        np.save(Path(folder, "x.npy"), x[:10_000])
        found = subprocess.run([sys.executable, "-c", COLD], cwd=folder, check=True, capture_output=True, text=True)
    return found.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="scored")
    parser.add_argument("--taught", type=int, default=1000, help="rows that models learn from")
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    columns, taught = drawn(arguments.taught, rng)
    y = improvement(columns, taught) + 0.2 * rng.standard_normal(len(taught))
    rows = np.arange(len(taught))
    data = TrainingSet(
        columns=columns,
        x=taught,
        y=y,
        best=y,
        weight=np.ones(len(taught)),
        group=rows,
        workload=np.zeros_like(rows),
        parameters=(*SYSTEM, *WORKLOAD),
    )
    _, grid = drawn(arguments.rows, rng)
    workload = columns.index("processes")
    kinds = {
        "recommend": grid.copy(),
        "grid": grid,
        "random": rng.uniform(grid.min(axis=0), grid.max(axis=0), grid.shape),
    }
    kinds["recommend"][:, workload:] = grid[0, workload:]
    print(f"{arguments.rows} rows x {len(columns)} columns, learned from {arguments.taught}; rows/s on one core")
    print(f"{'model':14}" + "".join(f"{kind:>12}" for kind in kinds))
    passed = False
    for one in LEARNERS:
        predictor = one.fit(data, rng=np.random.default_rng(0))
        speeds = {kind: rows_per_second(partial(predictor.predict, x), len(x)) for kind, x in kinds.items()}
        passed |= one.name == DEFAULT and speeds["recommend"] >= BAR
        print(f"{one.name:14}" + "".join(f"{speed:12,.0f}" for speed in speeds.values()), flush=True)
    print(f"{'scikit-learn':14}" + "".join(f"{peer(data, x):12,.0f}" for x in kinds.values()) + "  (a forest's mean)")
    known, speed = beside_hardware(min(arguments.rows, _FEW))
    print(f"{known:18}{speed:8,.0f}")
    print(f"cold start, s: import; restore {DEFAULT} and score 10,000 rows: {cold(data, kinds['recommend'])}")
    for name, held in ((DEFAULT, passed), (known, speed >= BAR)):
        print(f"bar: {name}, recommend >= {BAR:,} rows/s: {'passed' if held else 'MISSED'}")
    return 0 if passed and speed >= BAR else 1


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        sys.exit(main())
