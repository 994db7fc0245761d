"""What is particular to the genetic algorithm, to Optuna, and to the random search."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from acic.errors import InvalidInput, with_extra
from acic.search import Genetic, RandomSearch, Tpe
from acic.space import Configuration, Parameter, Scale, Space
from tests.search.made_up import Bench, separable

SPACE = Space(
    (
        Parameter(name="a", values=(1, 2, 4, 8), scale=Scale.LOG),
        Parameter(name="b", values=("x", "y", "z")),
        Parameter(name="c", values=("low", "middle", "high"), scale=Scale.ORDERED),
    )
)
START = Configuration(a=1, b="x", c="low")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_population_that_has_converged_ends_the_search() -> None:
    found = Genetic(generations=1000).run(SPACE, START, Bench(separable(SPACE, 0)), rng=rng())
    assert found.why_ended == "The population has converged: all that it breeds was measured."
    assert len(found.observations) <= 36


def test_children_are_made_of_their_parents() -> None:
    """Without mutation, a child's value is one that a parent has."""
    search = Genetic(population=4, generations=2, mutation=0.0)
    space = Space(tuple(Parameter(name=name, values=tuple(range(50)), scale=Scale.LINEAR) for name in "abcd"))
    bench = Bench(separable(space, 0))
    search.run(space, Configuration(a=0, b=0, c=0, d=0), bench, rng=rng())
    parents, children = bench.batches[:2][1], bench.batches[2]
    parents = [*bench.batches[0], *parents]
    assert children
    assert all(child[name] in {one[name] for one in parents} for child in children for name in "abcd")
    assert not set(children) & set(parents)


def test_the_better_half_has_most_of_the_children() -> None:
    """Only the last of the parents has the value 1 of each parameter, and it is the worst of all."""
    space = Space(tuple(Parameter(name=name, values=tuple(range(1, 60)), scale=Scale.LINEAR) for name in "abcdef"))
    worst = Configuration(dict.fromkeys("abcdef", 59))
    inherited = []
    for seed in range(10):
        bench = Bench(lambda one: float(one["a"]))
        Genetic(population=8, generations=2, mutation=0.0).run(space, worst, bench, rng=rng(seed))
        inherited += [one["a"] == 59 for one in bench.batches[2]]
    assert np.mean(inherited) < 0.05  # an eighth, if parents were drawn blindly


def test_optuna_finds_what_is_left_of_a_small_space() -> None:
    found = Tpe().run(SPACE, START, Bench(separable(SPACE, 0)), rng=rng())
    assert len(found.observations) >= 30
    assert found.why_ended == "Nothing new came of 30 suggestions."


def test_optuna_avoids_what_fails() -> None:
    """Two values of three fail; Optuna's own way with failed trials, to forget them, comes back to them ever again."""
    space = Space((*SPACE.parameters, Parameter(name="d", values=tuple(range(1, 30)), scale=Scale.LINEAR)))
    ran = []
    for seed in range(3):
        bench = Bench(lambda one: None if one["b"] != "z" else 1.0 + float(one["d"]))
        Tpe(runs=40).run(space, Configuration({**START, "d": 9}), bench, rng=rng(seed))
        ran += [one["b"] == "z" for one in bench.asked[20:]]
    assert np.mean(ran) > 0.5


def test_optuna_is_silent_and_leaves_its_logger_alone(capfd: pytest.CaptureFixture[str]) -> None:
    import optuna

    before = optuna.logging.get_verbosity()
    heard: list[int] = []

    def objective(one: Configuration) -> float:
        heard.append(optuna.logging.get_verbosity())
        return float(one["a"])

    Tpe(runs=15).run(SPACE, START, Bench(objective), rng=rng())
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == before
    assert set(heard) == {before}  # whoever uses Optuna while measuring hears of it


def test_without_optuna_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    bench = Bench(separable(SPACE, 0))
    with pytest.raises(InvalidInput, match="which is not installed") as raised:
        Tpe().run(SPACE, START, bench, rng=rng())
    assert raised.value.hint == with_extra("compare")
    assert not bench.asked


def test_importing_the_strategies_imports_neither_optuna_nor_scikit_learn() -> None:
    code = "import sys, acic.search; sys.exit(bool({'optuna', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_random_search_of_all_runs_measures_the_whole_space() -> None:
    bench = Bench(separable(SPACE, 0))
    found = RandomSearch(runs=1000).run(SPACE, START, bench, rng=rng())
    assert set(bench.asked) == set(SPACE.configurations())
    assert found.why_ended == "Every configuration of the space was measured."


def test_a_random_search_draws_uniformly() -> None:
    """Each of the other 35 configurations is as likely: 40 draws in 1,400 on average, 6.2 standard deviation."""
    counts = dict.fromkeys(SPACE.configurations(), 0)
    for seed in range(1400):
        bench = Bench(separable(SPACE, 0))
        RandomSearch(runs=1).run(SPACE, START, bench, rng=rng(seed))
        counts[bench.asked[1]] += 1
    assert counts.pop(START) == 0
    assert all(40 - 27 < count < 40 + 27 for count in counts.values())
