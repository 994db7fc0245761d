"""Screening plans: a two-level design turned into runs of real parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acic.design.plackett_burman import Levels, foldover, plackett_burman
from acic.space import Space, Value, made_valid


@dataclass(frozen=True, slots=True)
class ScreeningRun:
    """One row of the design as values of parameters.

    `values` is a valid combination; `altered` names the parameters whose level the design asked for
    could not be had together with the others (a striped NFS), and were made valid.
    """

    levels: tuple[int, ...]
    values: Mapping[str, Value]
    altered: tuple[str, ...]


def screening_plan(space: Space, *, fold: bool = True) -> tuple[Levels, list[ScreeningRun]]:
    """Return the design for all parameters of `space`, and its runs with low and high values filled in.

    Returns:
        Levels in {-1, +1}, shape (runs, parameters), and one run per row.

    Source: Liu et al., SC13, section 4.1: values at the two ends of each range, foldover.
    """
    design = plackett_burman(len(space.parameters))
    if fold:
        design = foldover(design)
    return design, [_run(space, row.tolist()) for row in design]


def _run(space: Space, levels: Sequence[int]) -> ScreeningRun:
    wanted = {p.name: p.high if level > 0 else p.low for p, level in zip(space.parameters, levels, strict=True)}
    valid = made_valid(space, wanted)
    altered = tuple(name for name in wanted if valid.get(name) != wanted[name])
    return ScreeningRun(tuple(levels), valid, altered)
