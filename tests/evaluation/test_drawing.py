"""A draw of configurations in which every value has its share, however early it ends."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.evaluation.drawing import balanced, balanced_with
from acic.platforms import load_platform
from acic.space import Configuration

LAB = load_platform("lab")
AT_400M = [c for c in LAB.space.configurations() if c["instance_type"] == "lab.400m"]


def drawn(count: int, seed: int = 0) -> list[Configuration]:
    return balanced(LAB.space, AT_400M, count, first=LAB.baseline, rng=np.random.default_rng(seed))


@given(count=st.integers(1, 300), seed=st.integers(0, 5))
def test_a_draw_has_each_configuration_once_the_baseline_first(count: int, seed: int) -> None:
    found = drawn(count, seed)
    assert found[0] == LAB.baseline
    assert len(found) == len(set(found)) == min(count, len(AT_400M))
    assert set(found) <= set(AT_400M)


def test_the_same_seed_draws_the_same_and_a_longer_draw_goes_on_from_a_shorter_one() -> None:
    assert drawn(40) == drawn(160)[:40]
    assert drawn(40, seed=1) != drawn(40)


@pytest.mark.parametrize("count", [24, 40, 80, 160])
def test_values_that_half_of_all_have_get_half_of_the_draw(count: int) -> None:
    found = drawn(count)
    for name in ("device", "raid_devices", "placement"):
        assert max(Counter(c[name] for c in found).values()) <= 0.55 * count


def test_every_value_and_every_pair_of_them_is_soon_there() -> None:
    def pairs(configurations: list[Configuration]) -> set[object]:
        return {frozenset((a, b)) for c in configurations for a in c.items() for b in c.items()}

    assert pairs(drawn(60)) == pairs(AT_400M)


def test_no_random_draw_is_as_balanced() -> None:
    def unevenness(configurations: list[Configuration]) -> float:
        total = 0.0
        for name in LAB.space.names:
            wanted = Counter(c.get(name) for c in AT_400M)
            got = Counter(c.get(name) for c in configurations)
            total += sum(abs(got[v] / len(configurations) - n / len(AT_400M)) for v, n in wanted.items() if n)
        return total

    rng = np.random.default_rng(0)
    at_random = [unevenness([AT_400M[i] for i in rng.choice(len(AT_400M), 60, replace=False)]) for _ in range(200)]
    mine = unevenness(drawn(60))
    assert sum(value < mine for value in at_random) <= 20


def test_the_baseline_cannot_be_left_out() -> None:
    baseline, *others = balanced_with(LAB, {"instance_type": "lab.1g"}, 4, seed=0)
    assert baseline["instance_type"] == "lab.400m"
    assert {c["instance_type"] for c in others} == {"lab.1g"}
    assert len(others) == 3


def test_values_that_no_configuration_has_together_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no configuration of lab has file_system=NFS, servers=4"):
        balanced_with(LAB, {"file_system": "NFS", "servers": 4}, 4, seed=0)


def test_configurations_measured_on_another_platform_are_refused() -> None:
    other = {load_platform("ec2-2013").baseline}
    with pytest.raises(InvalidInput, match="none of these configurations"):
        balanced_with(LAB, {}, 4, seed=0, among=other)


def test_the_baseline_alone_is_drawn() -> None:
    assert balanced_with(LAB, {}, 4, seed=0, among={LAB.baseline}) == [LAB.baseline]
