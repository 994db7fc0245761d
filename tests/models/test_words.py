"""Reasons are told in the units and labels of the parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from acic.models import TrainingSet, in_units, learner, plain
from acic.models.ensemble import TreePredictor, contributions_in_words
from acic.models.trees import Trees
from acic.space import ABSENT_CODE, Parameter, Scale
from acic.units import MIB
from tests.models.conftest import PARAMETERS

describe = in_units(
    (
        *PARAMETERS,
        Parameter(name="load", values=(0.5, 1.5), scale=Scale.LINEAR),
        Parameter(name="odd", values=(11_000_000, 12_000_000), scale=Scale.LOG, unit="B"),
    )
)


@pytest.mark.parametrize(
    ("column", "relation", "number", "words"),
    [
        ("stripe_size", ">", np.log2(96 * MIB), "stripe_size > 96 MiB"),
        ("stripe_size", "<=", 22.5, "stripe_size <= 5.66 MiB"),
        ("stripe_size", "=", 22.0, "stripe_size = 4 MiB"),
        ("stripe_size", "=", ABSENT_CODE, "stripe_size does not apply"),
        ("stripe_size", "<=", 9.5, "stripe_size does not apply"),
        ("stripe_size", ">", 9.5, "stripe_size applies"),
        ("stripe_size", "<=", 12.5, "stripe_size does not apply"),  # of 64 MiB and what does not apply, half-way
        ("stripe_size", ">", 12.5, "stripe_size applies"),
        ("odd", "<=", (float(np.float32(np.log2(12_000_000))) - 1.0) / 2, "odd does not apply"),
        ("servers", "<=", 0.0, "servers <= 1"),  # though half-way to 2
        ("servers", ">", 0.5, "servers > 1"),
        ("servers", "<=", 1.5, "servers <= 2"),
        ("servers", "=", np.log2(6), "servers = 6"),
        ("delay", "<=", 0.5, "delay <= 0.5 s"),
        ("delay", "<=", -0.5, "delay does not apply"),
        ("load", ">", 1.0, "load > 1"),
        ("raid", ">", 0.5, "raid is 0 or 5"),
        ("raid", "<=", 0.5, "raid is none"),
        ("raid", "=", 2.0, "raid is 5"),
        ("raid", ">", -0.5, "raid applies"),
        ("raid", "<=", -0.5, "raid does not apply"),
        ("device", ">", 0.5, "device is ephemeral"),
        ("device", "<=", 0.5, "device is EBS"),
        ("file_system=NFS", ">", 0.5, "file_system is NFS"),
        ("file_system=NFS", "<=", 0.5, "file_system is not NFS"),
        ("file_system=NFS", "=", 1.0, "file_system is NFS"),
        ("unheard_of", ">", 2.5, "unheard_of > 2.5"),
    ],
)
def test_conditions(column: str, relation: str, number: float, words: str) -> None:
    assert describe(column, relation, float(number)) == words


def test_without_parameters_the_code_is_told() -> None:
    assert plain("stripe_size", ">", 26.585) == "stripe_size > 26.59"


def test_a_tree_tells_its_path() -> None:
    """A tree by hand: the path, each column's narrowest limits only, and the leaf."""
    tree = Trees(
        roots=np.array([0]),
        feature=np.array([0, -2, 1, 0, -2, -2, -2]),
        threshold=np.array([24.0, 0, 1.5, np.log2(96 * MIB), 0, 0, 0]),
        left=np.array([1, -1, 3, 4, -1, -1, -1]),
        right=np.array([2, -1, 6, 5, -1, -1, -1]),
        value=np.log([2.0, 1.0, 3.0, 3.5, 2.5, 4.1, 1.5]),
        std=np.full(7, 0.3 / 4.1),
        count=np.array([50, 10, 40, 31, 8, 23, 9]),
    )
    predictor = TreePredictor("cart", ("stripe_size", "servers"), tree)
    assert predictor.explain(np.array([28.0, 1.0]), describe) == [
        "stripe_size > 96 MiB",
        "servers <= 2",
        "leaf: 23 runs, mean 4.1x ± 0.3",
    ]
    assert predictor.explain(np.array([25.0, 0.0]), describe) == [
        "stripe_size > 16 MiB",
        "servers <= 2",
        "stripe_size <= 96 MiB",
        "leaf: 8 runs, mean 2.5x ± 0.18",
    ]
    assert_allclose(predictor.predict(np.array([[28.0, 1.0]])).mean, np.log(4.1))


def test_a_path_tells_no_value_of_what_does_not_apply(runs: TrainingSet) -> None:
    """It went left as if it had a small one: GlusterFS, which has no `consistency`, was told to be relaxed."""
    at = runs.columns.index("stripe_size")
    tree = Trees(
        roots=np.array([0]),
        feature=np.array([0, 1, -2, 0, -2, -2, -2]),
        threshold=np.array([24.5, 0.5, 0, 22.5, 0, 0, 0]),
        left=np.array([1, 3, -1, 4, -1, -1, -1]),
        right=np.array([2, 6, -1, 5, -1, -1, -1]),
        value=np.zeros(7),
        std=np.zeros(7),
        count=np.full(7, 9),
    )
    predictor = TreePredictor("cart", ("stripe_size", "device"), tree)
    *told, _ = predictor.explain(np.array([ABSENT_CODE, ABSENT_CODE]), describe)
    assert told == ["stripe_size does not apply", "device does not apply"]
    *told, _ = predictor.explain(np.array([22.0, 0.0]), describe)
    assert told == ["stripe_size <= 5.66 MiB", "device is EBS"]
    fitted = learner("cart").fit(
        replace(runs, y=np.where(runs.x[:, at] > 22.5, 1.0, 0.0)), rng=np.random.default_rng(0)
    )
    reasons = [one for row in runs.x[runs.x[:, at] == ABSENT_CODE] for one in fitted.explain(row, describe)]
    assert {one for one in reasons if one.startswith("stripe_size")} == {"stripe_size does not apply"}


def test_columns_of_one_label_count_together() -> None:
    columns = ("servers", "file_system=NFS", "file_system=PVFS2", "file_system=Lustre", "stripe_size")
    moved = np.log(np.array([1.5, 0.5, 0.8, 1.0, 1.001]))
    x = np.array([2.0, 0.0, 1.0, 0.0, ABSENT_CODE])
    assert contributions_in_words(moved, columns, x, describe) == [
        "file_system is PVFS2: 2.5x slower than the average run",
        "servers = 4: 1.5x faster than the average run",
    ]
    assert contributions_in_words(moved * 0, columns, x, describe) == [
        "no parameter makes a difference of half a percent here"
    ]
    x[2] = 0.0
    assert contributions_in_words(moved, columns, x, describe)[0].startswith("file_system does not apply: ")


def test_the_strongest_reason_is_first(runs: TrainingSet) -> None:
    predictor = learner("forest").fit(runs, rng=np.random.default_rng(0))
    eight = runs.x[runs.x[:, 0] == 3.0][0]
    assert predictor.explain(eight, describe)[0].startswith("servers = 8: ")
    assert "faster" in predictor.explain(eight, describe)[0]
