"""Laws of two-level designs, and the paper's own example."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from acic.design import effects, foldover, plackett_burman, ranks
from acic.errors import InvalidInput

# Table 2 of the SC13 paper: 5 parameters, 8 runs.
TABLE_2 = [
    [+1, +1, +1, -1, +1],
    [-1, +1, +1, +1, -1],
    [-1, -1, +1, +1, +1],
    [+1, -1, -1, +1, +1],
    [-1, +1, -1, -1, +1],
    [+1, -1, +1, -1, -1],
    [+1, +1, -1, +1, -1],
    [-1, -1, -1, -1, -1],
]
TABLE_2_RESULTS = [19, 21, 2, 11, 72, 100, 8, 3]


@pytest.mark.parametrize("factors", range(1, 100))
def test_columns_are_balanced_and_orthogonal(factors: int) -> None:
    levels = plackett_burman(factors).astype(int)
    assert levels.shape[1] == factors
    assert set(np.unique(levels)) == {-1, 1}
    assert not levels.sum(axis=0).any()
    assert_array_equal(levels.T @ levels, len(levels) * np.eye(factors))


@given(factors=st.integers(1, 99))
def test_the_design_is_the_smallest_multiple_of_four(factors: int) -> None:
    runs = len(plackett_burman(factors))
    assert runs % 4 == 0
    assert factors < runs <= factors + 4


def test_the_design_for_five_is_the_papers_table_2() -> None:
    assert_array_equal(plackett_burman(5), TABLE_2)


@pytest.mark.parametrize(
    ("factors", "generator"),
    [
        (7, "+++-+--"),
        (11, "++-+++---+-"),
        (19, "++--++++-+-+----++-"),
        (23, "+++++-+-++--++--+-+----"),
    ],
)
def test_rows_are_plackett_and_burmans_generators(factors: int, generator: str) -> None:
    assert "".join("+" if level > 0 else "-" for level in plackett_burman(factors)[0]) == generator


def test_effects_and_ranks_of_table_2() -> None:
    sizes = effects(plackett_burman(5), TABLE_2_RESULTS)
    assert sizes.tolist() == [40, 4, 48, 152, 28]
    assert ranks(sizes).tolist() == [3, 5, 2, 1, 4]


@given(factors=st.integers(2, 40), data=st.data())
def test_foldover_clears_main_effects_of_interactions(factors: int, data: st.DataObject) -> None:
    design = foldover(plackett_burman(factors))
    i, j = data.draw(st.lists(st.integers(0, factors - 1), min_size=2, max_size=2, unique=True))
    interaction = (design[:, i] * design[:, j]).astype(float)
    assert not effects(design, interaction).any()


@given(factors=st.integers(1, 60), data=st.data())
def test_a_linear_response_gives_its_coefficients_back(factors: int, data: st.DataObject) -> None:
    design = plackett_burman(factors)
    coefficients = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=factors, max_size=factors)))
    sizes = effects(design, 5.0 + design @ coefficients)
    np.testing.assert_allclose(sizes, len(design) * np.abs(coefficients), atol=1e-9)


@pytest.mark.parametrize("factors", [7, 11, 23])
def test_what_makes_no_difference_ties_whatever_decimals_results_have(factors: int) -> None:
    """Sums of numbers that no binary fraction is left some of 1e-15, and with them an order."""
    design = plackett_burman(factors)
    results = np.where(design[:, 0] > 0, 45.6, 12.3)
    found = effects(design, results)
    assert found[1:].tolist() == [0.0] * (factors - 1)
    assert ranks(found).tolist() == [1] + [2] * (factors - 1)


def test_ties_share_the_better_rank() -> None:
    assert ranks([5, 1, 5, 3]).tolist() == [1, 4, 1, 3]


@pytest.mark.parametrize("factors", [0, -3, 100])
def test_factors_out_of_range_are_refused(factors: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 99"):
        plackett_burman(factors)


@pytest.mark.parametrize("results", [[1.0] * 7, [1.0] * 7 + [float("nan")]])
def test_missing_results_are_refused(results: list[float]) -> None:
    with pytest.raises(InvalidInput):
        effects(plackett_burman(5), results)
