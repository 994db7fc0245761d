"""Waiting for a resource in one's own time: the laws of a closed queue."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.prior import queues
from acic.prior.queues import MANY, by_turns, waiting

customers, visits = st.integers(1, 64), st.integers(1, 100)
seconds = st.floats(0.0, 1e4, allow_subnormal=False).filter(lambda one: one == 0.0 or one > 1e-9)


@given(busy=seconds, customers=customers, visits=visits, think=seconds)
def test_nobody_waits_longer_than_all_take_nor_shorter_than_he_does(
    busy: float, customers: int, visits: int, think: float
) -> None:
    (found,) = waiting(np.array([busy]), customers, visits, think)
    assert busy / customers * (1 - 1e-9) <= found <= busy * (1 + 1e-9)


@given(busy=seconds, customers=customers, visits=visits)
def test_without_computing_all_wait_for_all(busy: float, customers: int, visits: int) -> None:
    assert waiting(np.array([busy]), customers, visits, 0.0)[0] == pytest.approx(busy)


@given(busy=seconds, customers=customers, visits=visits, think=seconds, more=seconds)
def test_longer_computing_is_less_waiting(busy: float, customers: int, visits: int, think: float, more: float) -> None:
    short, long = (waiting(np.array([busy]), customers, visits, one)[0] for one in (think, think + more))
    assert long <= short * (1 + 1e-9)


@given(busy=st.floats(1e-3, 1e4), customers=customers, visits=visits, think=seconds)
def test_a_resource_is_never_asked_for_more_than_it_has(busy: float, customers: int, visits: int, think: float) -> None:
    """Little's law: all visits together take at least as long as the resource works."""
    (found,) = waiting(np.array([busy]), customers, visits, think)
    assert found + visits * think >= busy * (1 - 1e-9)


def test_two_that_share_a_machine_are_known_to_the_digit() -> None:
    """One s of service, one of thinking: alone it answers in 1 s, half of the time; for two in 1.5 s."""
    np.testing.assert_allclose(waiting(np.array([1.0, 2.0]), 1, 1, 1.0), [1.0, 2.0])
    assert waiting(np.array([2.0]), 2, 1, 1.0)[0] == pytest.approx(1.5)


@pytest.mark.parametrize("many", [MANY + 1, 3 * MANY])
@pytest.mark.parametrize("think", [0.0, 0.5, 0.97, 1.0, 1.03, 2.0, 10.0])
def test_very_many_wait_as_many_do(many: int, think: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has little of a second's work, so that one more makes no difference."""
    (found,) = waiting(np.ones(1), many, 1, think)
    assert found == waiting(np.ones(1), 10**8, 1, think)[0]
    monkeypatch.setattr(queues, "MANY", many)
    assert found == pytest.approx(waiting(np.ones(1), many, 1, think)[0], abs=0.03)


@given(customers=customers)
def test_by_turns_one_waits_for_both_and_many_for_half(customers: int) -> None:
    """The two queues of a closed network with as much work each: n customers use n / (n + 1) of either."""
    found = by_turns(customers)
    assert 0.5 < found <= 1.0
    assert (found == 1.0) == (customers == 1)
    assert by_turns(customers + 1) < found
