"""Levels: what the seconds that a phase took on the baseline say of other file systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.advice import Goal
from acic.advisor.explaining import explain
from acic.advisor.forecast import Forecast, forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import unmeasured
from acic.advisor.level import FARTHEST, SHARED, SHORT, corrections
from acic.platforms import load_platform
from acic.workloads import Characteristics, Operation
from tests.advisor.conftest import WRITE, application
from tests.advisor.test_explaining import adds_up
from tests.advisor.test_lessons import FILES, learned

LAB = load_platform("lab")
OTHER = np.array([False, True, True])
SECONDS = st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge(LAB, learned(()))


@given(SECONDS)
def test_the_baselines_file_system_has_all_of_a_level_and_others_a_part(pairs: list[tuple[float, float]]) -> None:
    told, thought = zip(*pairs, strict=True)
    for (one, other), added in zip(pairs, corrections(told, thought, OTHER), strict=True):
        level = np.log(max(one, SHORT) / max(other, SHORT))
        assert added[0] == 0.0
        assert added[1] == added[2]
        assert added[1] * level >= 0.0
        assert abs(added[1]) <= (1 - SHARED) * min(abs(level), FARTHEST) + 1e-12


def test_others_have_seven_tenths_of_a_level() -> None:
    """By the logarithm (decision 21): what took 0.8 of what was predicted takes 0.8 ** 0.7 of it elsewhere."""
    (added,) = corrections([0.8 * 3.0], [3.0], OTHER)
    there = 0.8 / np.exp(added)  # seconds over those predicted: the baseline's, over the improvement that is added
    np.testing.assert_allclose(there, [0.8, 0.8**0.7, 0.8**0.7], rtol=1e-12)


def test_a_phase_that_takes_what_was_predicted_stays_as_it_is() -> None:
    (added,) = corrections([3.0], [3.0], OTHER)
    assert not added.any()
    (added,) = corrections([SHORT / 2], [SHORT / 9], OTHER)
    assert not added.any(), "clocks tell no more of it"


def asked(knowledge: Knowledge, *phases: Characteristics, times: float = 1.0, elsewhere: bool = False) -> Forecast:
    """Return the forecast of a job whose I/O took as many `times` as long on the baseline as is predicted."""
    seconds = [times * knowledge.baseline_seconds(one) for one in phases]
    workload = application(*phases, run=3 * sum(seconds), io=tuple(seconds))
    return forecast(workload, LAB, knowledge, goal=Goal.TIME, elsewhere=elsewhere)


@pytest.mark.parametrize("measured", [True, False])
def test_what_was_fast_on_the_baseline_gains_less_elsewhere(knowledge: Knowledge, measured: bool) -> None:
    known = knowledge if measured else Knowledge(LAB, unmeasured(LAB))
    usual, fast, slow = (asked(known, FILES, times=times).log_improvements[0] for times in (1.0, 0.8, 1.25))
    np.testing.assert_allclose(usual, known.effect(FILES).mean, atol=1e-9)
    np.testing.assert_allclose(
        usual - fast, np.where(known.other_file_system, (1 - SHARED) * np.log(1.25), 0.0), atol=1e-9
    )
    np.testing.assert_allclose(slow - usual, usual - fast, atol=1e-9)
    assert 0 < known.other_file_system.sum() < len(known.other_file_system)


def test_a_log_from_elsewhere_tells_no_level(knowledge: Knowledge) -> None:
    found = asked(knowledge, FILES, times=0.8, elsewhere=True)
    np.testing.assert_allclose(found.log_improvements[0], knowledge.effect(FILES).mean, atol=1e-12)


def test_an_explanation_counts_it_and_still_adds_up(knowledge: Knowledge) -> None:
    usual = knowledge.baseline_seconds(FILES)
    for times in (0.8, 1.0, 1.25):
        workload = application(FILES, run=3 * times * usual, io=(times * usual,))
        found = explain(workload, LAB, knowledge)
        adds_up(found)
        (character,) = found.characters
        moved = found.answer["file_system"] != found.other["file_system"]
        expected = times ** (1 - SHARED) if moved else 1.0
        assert character.level.factor == pytest.approx(expected, rel=1e-6)


def test_without_hardware_no_seconds_are_known() -> None:
    reading = replace(WRITE, operation=Operation.READ)
    plain = Knowledge(LAB, learned((), model="forest"))
    assert plain.prior is None
    for one in (FILES, reading):
        if plain.covers(one):
            found = asked(plain, one, times=0.8)
            np.testing.assert_allclose(found.log_improvements[0], plain.effect(one).mean, atol=1e-12)
