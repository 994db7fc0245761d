"""Which points to measure next: those that the most important parameters span, then lower and lower ranks.

Source: Liu et al., SC13, section 4.1: sample the top-ranked dimensions, leave the others at their defaults, and go
on to lower ranks as the budget allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.space import Parameter, Rule, Scale, Space, Value, obeying_rows, valid_rows

Rows = NDArray[np.int8]

FEWEST_PARAMETERS = 2  # varied together at first
MOST_LEVELS = 4  # of a numeric parameter, even in its logarithm; the others come last
PER_PARAMETER = 8  # points of a stage, for each parameter that it varies
_WHOLE = 50_000  # combinations that are listed rather than drawn from
_DRAWS = 8  # without anything new, before a stage counts as used up


def sampled(
    space: Space,
    ranked: Sequence[str],
    default: Mapping[str, Value],
    count: int,
    *,
    rng: np.random.Generator,
    done: Rows | None = None,
    fewest: int = FEWEST_PARAMETERS,
) -> Rows:
    """Return up to `count` new valid points, no two alike, shape (points, parameters).

    Args:
        space: parameters and constraints.
        ranked: parameter names, the most important first.
        default: a valid combination, of which the lower-ranked parameters keep their values where rules allow them.
        count: how many are wanted; fewer come only if there are no more.
        rng: of the choice.
        done: points not to return again, shape (any, parameters).
        fewest: parameters that are varied together at first.
    """
    seen = set() if done is None else set(_keys(done))
    stages = _stages(space, ranked, default, count, min(fewest, len(ranked)), rng)
    found: list[Rows] = []
    missing = count
    for quota, rows in stages:
        fresh: list[int] = []
        for i, key in enumerate(_keys(rows)):
            if len(fresh) == min(quota, missing):
                break
            if key not in seen:
                seen.add(key)
                fresh.append(i)
        found.append(rows[fresh])
        missing -= len(fresh)
        if missing <= 0:
            break
    return np.vstack(found) if found else np.zeros((0, len(space.parameters)), dtype=np.int8)


def ordered(rows: Rows, space: Space, deployment: Sequence[str], *, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return positions of `rows` so that each deployment comes once, in random order, and its points at random.

    Random order keeps what changes by the hour (other users) from looking like an effect of a parameter.
    """
    shuffled = rng.permutation(len(rows))
    if not deployment or not len(rows):
        return shuffled
    columns = [space.names.index(name) for name in deployment]
    _, group = np.unique(rows[:, columns], axis=0, return_inverse=True)
    turn = rng.permutation(int(group.max()) + 1)[group]
    return np.asarray(shuffled[np.argsort(turn[shuffled], kind="stable")])


def _stages(
    space: Space, ranked: Sequence[str], default: Mapping[str, Value], count: int, fewest: int, rng: np.random.Generator
) -> Iterator[tuple[int, Rows]]:
    """Yield how many points of each stage are wanted, with more rows than that to take them from."""
    for size in range(fewest, len(ranked) + 1):
        varied, held = set(ranked[:size]), set(space.names) - set(ranked[:size])
        levels = [_allowed(space, p, _levels(p, default, varied=p.name in varied)) for p in space.parameters]
        last = size == len(ranked)
        yield from _stage(space, levels, held, count if last else PER_PARAMETER * size, _DRAWS if last else 1, rng)
    every = [
        _allowed(space, p, _levels(p, default, varied=p.name in ranked, most=len(p.values))) for p in space.parameters
    ]
    if any(len(p.values) > MOST_LEVELS and p.is_numeric for p in space.parameters if p.name in ranked):
        yield from _stage(space, every, set(space.names) - set(ranked), count, _DRAWS, rng)


def _stage(
    space: Space,
    levels: Sequence[NDArray[np.int8]],
    held: set[str],
    quota: int,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, Rows]]:
    """Yield valid rows of `levels`; what is `held` gives way where a rule would rule out what is varied by it."""
    if np.prod([float(len(one)) for one in levels]) <= _WHOLE:
        rows = valid_rows(space, obeying_rows(space, _product(levels), held))
        yield quota, rows[rng.permutation(len(rows))]
        return
    for _ in range(draws):
        drawn = np.stack([rng.choice(one, 2 * quota + 64) for one in levels], axis=1).astype(np.int8)
        yield quota, valid_rows(space, obeying_rows(space, drawn, held))


def _levels(
    parameter: Parameter, default: Mapping[str, Value], *, varied: bool, most: int = MOST_LEVELS
) -> NDArray[np.int8]:
    values = parameter.values
    if not varied:
        return np.array([values.index(default[parameter.name]) if parameter.name in default else 0], dtype=np.int8)
    if not parameter.is_numeric or len(values) <= most:
        return np.arange(len(values), dtype=np.int8)
    numbers = np.array(values, dtype=float)
    scaled = np.log2(numbers) if parameter.scale is Scale.LOG else numbers
    wanted = np.linspace(scaled[0], scaled[-1], most)
    return np.unique(np.abs(scaled[None, :] - wanted[:, None]).argmin(axis=1)).astype(np.int8)


def _allowed(space: Space, parameter: Parameter, levels: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the levels that a parameter may have whatever others are: of drawn rows hardly any would be valid else."""
    rules = [one for one in space.constraints if isinstance(one, Rule) and not one.when]
    fixed = [rule.then[parameter.name] for rule in rules if parameter.name in rule.then]
    if fixed:
        return np.array([parameter.values.index(fixed[0])], dtype=np.int8)
    never = {parameter.values.index(value) for rule in rules for value in rule.never.get(parameter.name, ())}
    left = np.array([level for level in levels.tolist() if level not in never], dtype=np.int8)
    return left if len(left) else np.array(sorted(set(range(len(parameter.values))) - never), dtype=np.int8)


def _product(levels: Sequence[NDArray[np.int8]]) -> Rows:
    return np.stack([axis.ravel() for axis in np.meshgrid(*levels, indexing="ij")], axis=1).astype(np.int8)


def _keys(rows: Rows) -> list[bytes]:
    """Return one value per row, equal where rows are."""
    return [row.tobytes() for row in np.ascontiguousarray(rows)]
