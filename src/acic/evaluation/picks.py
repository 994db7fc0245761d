"""What is judged: the choices of a method for each application, and how a figure grows with what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acic.evaluation.field import Application


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks:
    """What a method would have chosen.

    Args:
        method: its name, as options take it: "forest", "fixed", "rules", "baseline".
        title: its name for people.
        goal: "time" or "cost".
        ranked: for each application the columns of the truth's table that it would choose, best first, at least one.
    """

    method: str
    title: str
    goal: str
    ranked: Mapping[Application, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How a figure changes with what was spent, over several seeds or applications.

    Args:
        name: of the line.
        spent: the horizontal axis, ascending, shape (points,).
        middle: the median, shape (points,).
        low, high: the least and the largest of up to ten, of more the 10 % and 90 % quantiles, shape (points,).
    """

    name: str
    spent: tuple[float, ...]
    middle: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
