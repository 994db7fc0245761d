"""Pictures: marks lie where their numbers say, and labels do not run into one another."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.report.axis import log_axis
from acic.report.html import Markup
from acic.report.pictures import Dot, bar, curve, ruler, scatter, strip
from acic.report.words import tick_text

values = st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=12)


def parsed(picture: Markup) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 (ours)


def percent(element: ET.Element, name: str) -> float:
    return float((element.get(name) or "").rstrip("%"))


@given(values)
def test_labels_of_a_ruler_keep_apart(numbers: list[float]) -> None:
    places = [percent(t, "x") for t in parsed(ruler(log_axis(numbers, tick_text))).iter("text")]
    assert places
    assert all(b - a > 20 for a, b in pairwise(places))


@given(values)
def test_marks_lie_where_the_axis_says_and_tell_their_number(numbers: list[float]) -> None:
    axis = log_axis(numbers, tick_text)
    drawn = parsed(strip(axis, numbers, numbers[0], "label", [str(n) for n in numbers], "measured"))
    circles = list(drawn.iter("circle"))
    assert [percent(c, "cx") for c in circles] == pytest.approx([axis.place(n) for n in numbers], abs=0.01)
    assert [c.findtext("title") for c in circles] == [str(n) for n in numbers]
    assert drawn.get("aria-label") == "label"


def test_equal_numbers_lie_on_the_diagonal() -> None:
    axis = log_axis([0.1, 10.0], tick_text)
    circles = list(parsed(scatter(axis, axis, [Dot(x, x, "") for x in (0.1, 0.5, 3.0)], "label")).iter("circle"))
    assert len(circles) == 3
    for circle in circles:
        assert percent(circle, "cx") + percent(circle, "cy") == pytest.approx(100, abs=0.01)


def test_a_stepped_curve_keeps_its_height_until_the_next_place() -> None:
    axis = log_axis([1.0, 100.0], tick_text)
    places = [(1.0, 1.0), (10.0, 100.0)]
    (stepped,) = parsed(curve(axis, axis, places, "", stepped=True, kind="measured")).iter("path")
    assert stepped.get("d") == "M37 963H500V37"
    assert bar(0.25, "a quarter").count('width="25.00%"') == 1
