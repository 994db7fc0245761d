"""Laws of what a campaign plans: sampling, order, screening, active planning."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.campaign import active
from acic.campaign.attempt import Attempt
from acic.campaign.checking import worth_checking
from acic.campaign.planning import CHUNK, Planner, is_whole, screened, screening_measured
from acic.campaign.points import WORKLOAD, Field, Rows
from acic.campaign.sampling import MOST_LEVELS, PER_PARAMETER, ordered, sampled
from acic.campaign.screening import log_results, parameter_effects, ranking, screening_rows
from acic.campaign.state import Progress, Stage, State
from acic.design import foldover, plackett_burman
from acic.errors import InvalidInput
from acic.platforms import load_platform
from acic.report.effects import effects_of
from acic.space import ABSENT, Configuration, Parameter, Rule, Scale, Space, Value
from acic.store.measurement import Outcome, Repetition
from acic.workloads.parameters import values_of
from tests.campaign.fakes import BEGAN, lab_platform
from tests.campaign.test_trials import READ, WRITE

LIKE = (WRITE, READ, dataclasses.replace(WRITE, request_size=2**13))


def test_no_configuration_differs_in_what_is_held() -> None:
    """A walk that was to keep four servers ran NFS, on one, and may have found it best."""
    ec2 = load_platform("ec2-2013")
    usual = {**ec2.baseline, "file_system": "PVFS2", "servers": 4, "stripe_size": 65536}
    platform = dataclasses.replace(ec2, baseline=Configuration(usual))
    for name in ("servers", "stripe_size"):
        field, earlier = (Field(platform, (WRITE,), held=[name], earlier=one) for one in (False, True))
        had, before = (
            {one.point(row).configuration.get(name) for row in one.space.enumerate()} for one in (field, earlier)
        )
        assert had == {usual[name]}
        assert before > had  # as campaigns that were begun so go on


def test_what_is_wrong_with_the_training_of_a_platform_file_names_the_file() -> None:
    platform = dataclasses.replace(lab_platform(), training={"sizes": (1, 2)}, given="mine.toml")
    with pytest.raises(InvalidInput, match=r"^mine\.toml: \[training\] names 'sizes'"):
        Field(platform)


@pytest.mark.parametrize("name", ["acess", "stripe_count", "processes"])
def test_a_constraint_of_training_on_what_training_does_not_have_is_refused(name: str) -> None:
    """It was left out without a word, and what it rules out was measured."""
    rule = Rule(when={name: 1}, never={"data_size": (65536,)})
    platform = dataclasses.replace(lab_platform(), training_constraints=(rule,), given="mine.toml")
    with pytest.raises(InvalidInput, match=rf"^mine\.toml: a \[\[training_constraint\]\] names '{name}'") as caught:
        Field(platform)
    assert ("did you mean 'access'?" in caught.value.hint) is (name == "acess")


seeds = st.integers(0, 2**32 - 1)
slowly = settings(deadline=None, max_examples=25)


CHOICES: dict[str, tuple[Any, ...]] = {
    "processes": (1, 4),
    "io_processes": (1, 2, 4),
    "interface": ("POSIX", "MPIIO"),
    "iterations": (1, 8),
    "data_size": (2**12, 2**20),
    "request_size": (2**12, 2**16),
    "collective": (False, True),
    "shared": (False, True),
    "access": ("consecutive", "strided", "random"),
}


def can_run(one: dict[str, Any], training: dict[str, tuple[Any, ...]]) -> bool:
    """Whether there is such a workload, and IOR does it, said without a space."""
    if one["io_processes"] > one["processes"] or one["request_size"] > one["data_size"]:
        return False
    if one["collective"] and (one["interface"] == "POSIX"):
        return False
    if "consecutive" not in training["access"]:
        return True
    holes = one["access"] == "strided" and (not one["shared"] or one["io_processes"] == 1)
    return not holes and not (one["access"] == "random" and one["collective"])


@slowly
@given(data=st.data())
def test_a_workload_parameter_of_one_value_rules_the_others_as_one_of_several_does(data: st.DataObject) -> None:
    """One request size beside smaller data was an error amid the plan; POSIX alone was measured as collective."""
    training = {
        name: tuple(v for v in values if v in data.draw(st.sets(st.sampled_from(values), min_size=1), label=name))
        for name, values in CHOICES.items()
    }
    every = (dict(zip(training, values, strict=True)) for values in itertools.product(*training.values()))
    wanted = {tuple(one.values()) for one in every if can_run(one, training)}
    try:
        field = Field(dataclasses.replace(lab_platform(), training=training))
    except InvalidInput:
        assert not wanted
        return
    measured = {field.point(row).workload for row in field.sampling_space.enumerate()}
    found = {tuple(values_of(workload)[name] for name in training) for workload in measured}
    assert found == wanted


def test_hints_that_do_not_apply_everywhere_leave_no_configuration_out() -> None:
    platform = lab_platform()
    hint = Parameter(name="cb_nodes", values=(1, 2), scale=Scale.LOG)
    apart = Rule(when={"files": "one per process"}, absent=("cb_nodes",))
    for absent in (apart, Rule(when={"files": "as the application does"}, absent=("cb_nodes",))):
        applies = not absent.holds(platform.baseline)
        made = dataclasses.replace(
            platform,
            space=Space((*platform.space.parameters, hint), (*platform.space.constraints, absent)),
            baseline=Configuration({**platform.baseline, **({"cb_nodes": 1} if applies else {})}),
        )
        field = Field(made)
        points = [field.point(row) for row in field.sampling_space.enumerate()]
        for interface in ("POSIX", "MPIIO"):
            mine = [p.configuration for p in points if p.workload.interface == interface]
            assert {c["files"] for c in mine} == {"as the application does", "one per process"}


@cache
def a_field(which: str) -> Field:
    if which == "like":
        return Field(lab_platform(), LIKE)
    return Field(lab_platform() if which == "lab" else load_platform(which))


fields = st.sampled_from(["lab", "like", "ec2-2013", "tianhe-lustre"]).map(a_field)


@st.composite
def asked(draw: st.DrawFn) -> tuple[Field, list[str], int, int]:
    field = draw(fields)
    return field, draw(st.permutations(field.space.names)), draw(st.integers(1, 400)), draw(seeds)


def sample(field: Field, ranked: list[str], count: int, seed: int, done: Rows | None = None) -> Rows:
    return sampled(field.sampling_space, ranked, field.default, count, rng=np.random.default_rng(seed), done=done)


def keys(rows: Rows) -> list[bytes]:
    return [row.tobytes() for row in rows]


@slowly
@given(asked=asked())
def test_samples_are_valid_and_distinct_and_repeat_with_their_seed(asked: tuple[Field, list[str], int, int]) -> None:
    field, ranked, count, seed = asked
    rows = sample(field, ranked, count, seed)
    assert 0 < len(rows) <= count
    assert len(set(keys(rows))) == len(rows)
    for row in rows:
        assert field.sampling_space.problem(field.sampling_space.configuration(row)) == ""
    assert np.array_equal(rows, sample(field, ranked, count, seed))
    if len(rows) > 50:
        assert not np.array_equal(rows, sample(field, ranked, count, seed + 1))


@slowly
@given(asked=asked(), data=st.data())
def test_what_is_done_is_not_sampled_again(asked: tuple[Field, list[str], int, int], data: st.DataObject) -> None:
    field, ranked, count, seed = asked
    first = sample(field, ranked, count, seed)
    done = first[: data.draw(st.integers(0, len(first)))]
    again = sample(field, ranked, count, data.draw(seeds), done)
    assert not set(keys(again)) & set(keys(done))
    assert len(again) > 0 or len(done) >= 8


def size(row: Rows, ranked: list[str], default: Rows, names: tuple[str, ...]) -> int:
    """How many of the first ranks hold all that is changed."""
    changed = [rank for rank, n in enumerate(ranked, 1) if row[names.index(n)] not in (ABSENT, default[names.index(n)])]
    return max(changed, default=0)


@given(labels=st.integers(2, 4), order=st.permutations(range(6)), seed=seeds)
def test_each_stage_varies_one_rank_more(labels: int, order: list[int], seed: int) -> None:
    """Where nothing is ruled out, it is known how many points each stage has to give."""
    space = Space(tuple(Parameter(name=f"p{i}", values=tuple("abcd"[:labels])) for i in range(6)))
    ranked = [f"p{i}" for i in order]
    default = {f"p{i}": "b" for i in range(6)}
    rows = sampled(space, ranked, default, 200, rng=np.random.default_rng(seed))
    sizes = [size(row, ranked, space.point(default), space.names) for row in rows]
    begin, left = 0, 0
    for stage in range(2, 7):
        left = labels**stage - begin
        count = left if stage == 6 else min(left, PER_PARAMETER * stage)
        assert max(sizes[begin : begin + count], default=0) <= stage
        begin += count
    assert len(rows) == min(200, begin)


@slowly
@given(asked=asked())
def test_the_first_sample_changes_nothing_but_the_two_most_important_parameters(
    asked: tuple[Field, list[str], int, int],
) -> None:
    field, ranked, count, seed = asked
    space = field.sampling_space
    default = np.maximum(space.point(field.default), 0)
    assert size(sample(field, ranked, count, seed)[0], ranked, default, space.names) <= 2


def test_the_two_most_important_parameters_are_sampled_wherever_they_are_valid() -> None:
    """GlusterFS was sampled on one server alone: what the baseline lacks was held at a size of strips it rules out."""
    field = Field(load_platform("lab"), LIKE)
    space = field.sampling_space
    ranked = ["file_system", "servers", *(name for name in space.names if name not in ("file_system", "servers"))]
    columns = [space.names.index(name) for name in ranked[:2]]
    every = {tuple(row) for row in space.enumerate()[:, columns].tolist()}
    drawn = sample(field, ranked, PER_PARAMETER * 2, 0)
    assert {tuple(row) for row in drawn[:, columns].tolist()} == every


@given(
    numbers=st.lists(st.integers(1, 2**30), min_size=2, max_size=40, unique=True).map(sorted),
    scale=st.sampled_from([Scale.LOG, Scale.LINEAR]),
)
def test_a_number_gets_levels_evenly_over_its_range(numbers: list[int], scale: Scale) -> None:
    """Both ends always; even in the logarithm where the parameter is logarithmic; each the nearest that is listed."""
    space = Space((Parameter(name="n", values=tuple(numbers), scale=scale),))
    found = [numbers[row[0]] for row in sampled(space, ["n"], {"n": numbers[0]}, 99, rng=np.random.default_rng(0))]
    levels = sorted(found[: min(MOST_LEVELS, len(numbers))])
    assert sorted(found) == numbers  # the others come last
    assert (levels[0], levels[-1]) == (numbers[0], numbers[-1])
    assert len(levels) <= MOST_LEVELS or levels == numbers
    scaled = {n: math.log2(n) if scale is Scale.LOG else float(n) for n in numbers}
    for wanted in np.linspace(scaled[numbers[0]], scaled[numbers[-1]], MOST_LEVELS):
        nearest = min(abs(one - wanted) for one in scaled.values())
        assert any(abs(scaled[one] - wanted) <= nearest + 1e-9 for one in levels)


@pytest.mark.parametrize("which", ["lab", "like"])
def test_all_that_is_valid_is_reached_in_the_end(which: str) -> None:
    """The laboratory's parameters have four levels at most, so that nothing is passed over."""
    field = a_field(which)
    rows = sample(field, list(field.space.names), 10**6, 1)
    assert set(keys(rows)) == set(keys(field.sampling_space.enumerate()))


@slowly
@given(asked=asked())
def test_an_order_is_a_permutation_with_each_deployment_once(asked: tuple[Field, list[str], int, int]) -> None:
    field, ranked, count, seed = asked
    rows = sample(field, ranked, count, seed)
    for deployment in ((), tuple(ranked[:1]), tuple(ranked[:2])):
        order = ordered(rows, field.space, deployment, rng=np.random.default_rng(seed))
        assert sorted(order.tolist()) == list(range(len(rows)))
        columns = [field.space.names.index(name) for name in deployment]
        groups = [tuple(row[columns]) for row in rows[order]]
        turns = [group for i, group in enumerate(groups) if i == 0 or groups[i - 1] != group]
        assert len(turns) == len(set(turns))


def test_orders_differ_by_seed_between_deployments_and_within() -> None:
    field = a_field("ec2-2013")
    rows = sample(field, list(field.space.names), 300, 0)
    orders = [ordered(rows, field.space, ("device",), rng=np.random.default_rng(s)).tolist() for s in range(20)]
    first = {int(rows[order[0]][field.space.names.index("device")]) for order in orders}
    assert len(first) == 2
    assert len({tuple(order) for order in orders}) == 20


@pytest.mark.parametrize("which", ["lab", "like", "ec2-2013", "tianhe-lustre"])
def test_screening_rows_are_valid(which: str) -> None:
    field = a_field(which)
    rows = screening_rows(field)
    assert len(rows) >= len(field.space.names)
    for row in rows:
        assert field.space.problem(field.space.configuration(row)) == ""
        field.point(row)


def independent() -> Field:
    """The laboratory without constraints between workload parameters: every row is what the design asks for."""
    platform = dataclasses.replace(
        lab_platform(),
        training={
            "io_processes": (1, 2),
            "interface": ("MPIIO",),
            "iterations": (1, 8),
            "data_size": (2**20, 2**24),
            "request_size": (2**10, 2**14),
            "operation": ("write", "read"),
            "collective": (False, True),
            "shared": (False, True),
        },
    )
    return Field(platform)


@slowly
@given(data=st.data(), noise=st.floats(0, 0.05), seed=seeds)
def test_screening_finds_the_parameters_that_were_planted(data: st.DataObject, noise: float, seed: int) -> None:
    field = independent()
    names = list(field.space.names)
    planted = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    rng = np.random.default_rng(seed)
    rows = screening_rows(field)
    high = np.array([[row[i] == len(p.values) - 1 for i, p in enumerate(field.space.parameters)] for row in rows])
    results = noise * rng.standard_normal(len(rows))
    for weight, name in enumerate(planted, 1):
        results = results + weight * rng.choice([-1, 1]) * high[:, names.index(name)]
    found = parameter_effects(field, results.tolist())
    assert set(list(found)[: len(planted)]) == set(planted)
    assert next(iter(found)) == planted[-1]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert set(ranking(field, found)) == set(names)


def test_what_has_one_value_only_is_not_screened() -> None:
    """It was ranked, by noise and by what three other parameters do together, and made the design longer."""
    only: dict[str, Value] = {"file_system": "NFS", "device": "EBS", "operation": "write"}
    lab = load_platform("lab")
    field = Field(lab, only=only)
    fixed = {*only, "servers", "stripe_size", "metadata"}
    assert set(field.screened) == set(field.space.names) - fixed
    rows = screening_rows(field)
    assert len(rows) == len(foldover(plackett_burman(len(field.space.names) - len(fixed))))
    assert len(rows) < len(screening_rows(Field(lab, only=only, earlier=True)))
    results = np.random.default_rng(0).random(len(rows)).tolist()
    found = parameter_effects(field, results)
    assert set(found) == set(field.screened)
    assert ranking(field, found)[: len(found)] == list(found)
    assert set(ranking(field, {})[-len(fixed) :]) == fixed


def test_what_is_fixed_altogether_is_screened_by_the_only_run_there_is() -> None:
    platform = lab_platform()
    field = Field(platform, (WRITE,), only=platform.baseline)
    assert len(np.unique(screening_rows(field), axis=0)) == 1


def test_no_workload_is_left_out_of_the_samples_for_being_screened_by_itself() -> None:
    assert ranking(Field(lab_platform(), LIKE, only={"files": "one per process"}), {})[0] == "workload"


@slowly
@given(which=st.sampled_from(["lab", "like"]), data=st.data())
def test_runs_that_failed_speak_neither_for_nor_against_a_parameter(which: str, data: st.DataObject) -> None:
    """Where all others agree, they make no effect; where all failed, there is none either."""
    field = a_field(which)
    rows = screening_rows(field)
    failed = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    results = [math.nan if i in failed else 3.0 for i in range(len(rows))]
    assert max(parameter_effects(field, results).values()) == pytest.approx(0.0, abs=1e-9)


def factors(field: Field, bandwidth: Callable[[Rows], float | None]) -> dict[str, float]:
    """By parameter, what a report tells of a screening in which each row ran so fast, B/s; None: it failed."""
    rows = screening_rows(field)
    state = State(begun={}, progress=[progress(field, row, bandwidth(row), i) for i, row in enumerate(rows)])
    state.effects = screened(field, state)[1]
    return {one.parameter: one.factor for one in effects_of(state, field)["time"]}


def test_a_workload_that_never_ran_takes_nothing_from_the_factors_of_the_others() -> None:
    """A parameter that made two of three workloads four times as slow was told as one of 2.5."""
    three = [dataclasses.replace(WRITE, request_size=size) for size in (2**12, 2**13, 2**14)]
    two, all_three = Field(lab_platform(), three[:2]), Field(lab_platform(), three)
    which = all_three.space.names.index(WORKLOAD)

    def bandwidth(row: Rows) -> float | None:
        slow = sum(place * (value == last) for place, (value, last) in enumerate(zip(row, ends, strict=True)))
        return None if row[which] == 2 else math.exp(20.0 - slow - row[which])

    ends = [len(p.values) - 1 for p in all_three.space.parameters]
    ends[which] = -1
    assert factors(all_three, bandwidth) == pytest.approx(factors(two, bandwidth))


@slowly
@given(seed=seeds)
def test_runs_that_failed_at_random_leave_a_factor_as_it_is(seed: int) -> None:
    field = independent()
    rows = screening_rows(field)
    column = field.space.names.index("data_size")
    lost = {row.tobytes() for row in np.random.default_rng(seed).permutation(rows)[: len(rows) // 10]}
    found = factors(field, lambda row: None if row.tobytes() in lost else 100.0 * 4.0 ** int(row[column] > 0))
    assert found["data_size"] == pytest.approx(4.0, rel=0.05)


def test_time_is_what_is_screened_and_a_price_makes_it_cost() -> None:
    nothing = float("nan")
    assert log_results([10.0, None, 0.0]) == pytest.approx([-math.log(10), nothing, nothing], nan_ok=True)
    assert log_results([10.0, 10.0], lambda i: [1.0, 100.0][i]) == pytest.approx([-math.log(10), math.log(10)])


def progress(
    field: Field, row: Rows, bandwidth: float | None, number: int = 0, stage: Stage = Stage.SCREENING
) -> Progress:
    repetition = None if bandwidth is None else Repetition(bandwidth=bandwidth, seconds=1.0)
    attempt = Attempt(
        number=number,
        outcome=Outcome.OK if repetition else Outcome.FAILED,
        repetition=repetition,
        elapsed=1.0,
        dollars=0.0,
        overhead=0.0,
        time=BEGAN.isoformat(),
    )
    return Progress(number, row, field.point(row), stage, [attempt], closed=True, stored=True)


def test_processes_cost_money_where_they_save_no_time() -> None:
    """Twice the machines for the same bandwidth: no effect on time, one on cost; and the other way round."""
    field = independent()
    column = field.space.names.index("io_processes")
    rows = screening_rows(field)

    def screen(bandwidth: Any, held: int = 1) -> dict[str, list[str]]:
        state = State(begun={}, progress=[progress(field, row, bandwidth(row), i) for i, row in enumerate(rows)])
        return screened(field, state, held=held)[0]

    ds_write = field.space.names.index("romio_ds_write")
    flat = screen(lambda row: 100.0 * (1.1 if row[ds_write] else 1.0))
    assert (flat["time"][0], flat["cost"][0]) == ("romio_ds_write", "io_processes")
    flat = screen(lambda row: 100.0 * (1.1 if row[ds_write] else 1.0), held=2)  # for one process too
    assert (flat["time"][0], flat["cost"][0]) == ("romio_ds_write", "romio_ds_write")
    scaling = screen(lambda row: 100.0 * 2 ** row[column] * (1.1 if row[ds_write] else 1.0))
    assert (scaling["time"][0], scaling["cost"][0]) == ("io_processes", "romio_ds_write")


def test_a_cost_of_nothing_ranks_nothing_for_cost() -> None:
    """All runs on a free machine counted as failed, and what chose it had no effect on the cost."""
    lab = load_platform("lab")
    kinds = {
        name: dataclasses.replace(one, price=one.price if name == "lab.1g" else 0.0)
        for name, one in lab.instances.items()
    }
    free = dataclasses.replace(lab, instances=kinds)
    for platform, goals in ((lab, {"time", "cost"}), (free, {"time"})):
        field = Field(platform)
        state = State(begun={})
        state.progress = [progress(field, row, 100.0, i) for i, row in enumerate(screening_rows(field)[2:])]
        assert screened(field, state)[0].keys() == goals


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.15, 0.5, 1.0])
def test_a_screening_of_which_much_failed_is_not_whole(missing: float) -> None:
    """Planned was enough: with half of the runs failed, ranks were told like any others."""
    field = independent()
    rows = screening_rows(field)
    lacking = round(missing * len(rows))
    assert len({row.tobytes() for row in rows}) == len(rows)
    state = State(begun={})
    state.progress = [progress(field, row, None if i < lacking else 100.0, i) for i, row in enumerate(rows)]
    assert screening_measured(field, state) == (len(rows) - lacking, len(rows))
    assert is_whole(field, state) is (lacking <= len(rows) / 10)
    state.progress = state.progress[: len(rows) // 2]  # and with half of them not even planned
    assert not is_whole(field, state)


def test_a_screening_takes_the_middle_of_repeated_runs_that_the_store_takes() -> None:
    """Of two runs it took the faster one, and everything else what lies between them."""
    field = independent()
    rows = screening_rows(field)

    def effects(*factors: float) -> dict[str, float]:
        state = State(begun={})
        for i, row in enumerate(rows):
            made = [progress(field, row, factor, i) for factor in ((150.0,) if i else factors)]
            made[0].attempts = [attempt for one in made for attempt in one.attempts]
            state.progress.append(made[0])
        return screened(field, state)[1]["time"]

    assert effects(100.0, 200.0) == pytest.approx(effects(150.0))
    assert effects(100.0, 150.0, 900.0) == pytest.approx(effects(150.0))


def test_half_of_what_is_picked_is_promising_where_that_is_the_most_uncertain_too() -> None:
    spread, promise = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([5.0, 0.0, 0.0, 4.0, 3.0])
    assert active._pick(spread, promise, 4) == [0, 3, 1, 4]


@pytest.mark.parametrize("sign", [1, -1])
def test_active_planning_prefers_what_is_faster(sign: int) -> None:
    """One parameter makes runs four times faster, or slower: half of the points look for the promise."""
    field = Field(lab_platform(), (WRITE,))
    column = field.space.names.index("romio_ds_write")
    rows = sample(field, list(field.space.names), 10**6, 0)
    known, rest = rows[:7], rows[7:]
    fast = {0: 1.0, 1: 4.0**sign, 2: 4.0**-sign}
    state = State(begun={}, progress=[progress(field, r, 1e8 * fast[int(r[column])], i) for i, r in enumerate(known)])
    level = 1 if sign == 1 else 2
    assert sum(rest[:, column] == level) >= 1
    _, promising = active_choice(field, state, Promise(field, fast, column))
    assert int(promising[column]) == level


class Promise:
    """A learner that knows the truth, and is equally sure of everything."""

    def __init__(self, field: Field, fast: dict[int, float], column: int) -> None:
        self._encoder_column = _column(field, column)
        self._fast = fast

    def fit(self, data: Any, *, rng: np.random.Generator) -> Promise:  # noqa: ARG002  (a Learner's)
        return self

    def predict(self, x: Any) -> Any:
        levels = x[:, self._encoder_column].argmax(axis=1)
        mean = np.array([math.log(self._fast[int(level)]) for level in levels])
        return dataclasses.make_dataclass("Prediction", ["mean", "spread"])(mean, np.full(len(x), 0.1))


def _column(field: Field, column: int) -> slice:
    from acic.space import Encoder

    return Encoder(field.space.parameters).columns_of(field.space.names[column])


def active_choice(field: Field, state: State, model: Promise) -> Rows:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(active, "learner", lambda _: model)
        return active.chosen(field, state, 2, rng=np.random.default_rng(0))


def test_a_spread_plan_varies_all_parameters_from_the_beginning() -> None:
    field = a_field("lab")
    ranked = list(field.space.names)
    by_rank, spread = (
        Planner(field, 0, spread=spread).sample(ranked, CHUNK, rng=np.random.default_rng(0)) for spread in (False, True)
    )
    default = field.row(field.default)
    several = [i for i, parameter in enumerate(field.space.parameters) if len(parameter.values) > 1]
    assert ((spread != default).any(axis=0)[several]).all()
    assert not ((by_rank != default).any(axis=0)[several]).all()


@pytest.mark.parametrize("active_", [False, True])
def test_a_plan_depends_on_the_events_and_the_seed_alone(active_: bool) -> None:
    field = a_field("lab")

    def plan(seed: int) -> list[list[bytes]]:
        planner, state, plans = Planner(field, seed, active=active_), State(begun={}), []
        for _ in range(4):
            found = planner.next(state)
            assert found
            stage, rows = found
            plans.append(keys(rows))
            state.stages.append(stage)
            start = len(state.progress)
            state.progress += [progress(field, row, 1e8 + i, start + i, stage) for i, row in enumerate(rows)]
        assert len({key for plan in plans for key in plan}) == sum(map(len, plans))
        return plans

    assert plan(1) == plan(1)
    assert plan(1) != plan(2)


@given(share=st.one_of(st.floats(0, 1, exclude_min=True), st.integers(1, 1000).map(lambda n: n / 1000)))
def test_the_share_of_points_that_is_asked_for_is_checked(share: float) -> None:
    checked = checked_of(1000, share)
    assert checked[0]
    for count in (1, 10, 100, 999, 1000):
        assert share * count - 1e-9 <= sum(checked[:count]) < share * count + 1 + 1e-9


def test_the_points_that_are_checked_lie_evenly() -> None:
    for share, step in ((1.0, 1), (0.5, 2), (0.2, 5), (0.1, 10), (0.01, 100)):
        assert checked_of(1000, share) == [number % step == 0 for number in range(1000)]
    assert not any(checked_of(1000, 0.0))


def checked_of(count: int, share: float) -> list[bool]:
    field = a_field("like")
    row = field.row(field.default)
    point = field.point(row)
    points = [Progress(number=number, row=row, point=point, stage=Stage.SAMPLING) for number in range(count)]
    return [worth_checking(one, share=share, checked={point.configuration}) for one in points]


def test_the_number_of_points_is_never_exceeded() -> None:
    field = a_field("lab")
    for points in (1, 5, 24, 25, 60, 61, CHUNK * 3):
        planner, state = Planner(field, 0, points=points), State(begun={})
        while (found := planner.next(state)) is not None:
            state.stages.append(found[0])
            state.progress += [progress(field, row, 1e8, i, found[0]) for i, row in enumerate(found[1])]
            assert len(state.progress) <= points
        assert len(state.progress) == points
        assert dataclasses.replace(planner, points=points - 1 or 1).next(state) is None


@pytest.mark.parametrize(("which", "active_"), [("lab", False), ("ec2-2013", False), ("ec2-2013", True)])
def test_a_limit_of_points_leaves_no_sample_without_its_baseline(which: str, active_: bool) -> None:
    """Most of ten points were of workloads whose baseline was cut off."""
    field = Field(load_platform(which))
    for seed in range(3 if active_ else 20):
        planner = Planner(field, seed, active=active_, screen=False, points=10, spread=True)
        state = State(begun={})
        while (found := planner.next(state)) is not None:
            state.stages.append(found[0])
            state.progress += [progress(field, row, 1e8, i, found[0]) for i, row in enumerate(found[1])]
        assert len(state.progress) == 10
        assert set(keys(field.baseline_rows(state.rows))) <= set(keys(state.rows))
        samples = [p for p in state.progress if p.point.configuration != field.platform.baseline]
        assert len(samples) >= 4


@given(count=st.integers(1, 150), seed=st.integers(0, 3), turns=st.integers(1, 3), swap=st.booleans())
def test_where_deploying_costs_time_workloads_share_deployments(count: int, seed: int, turns: int, swap: bool) -> None:
    field = Field(load_platform("lab"), only={"instance_type": "lab.400m"})
    ranked = list(field.space.names)[:: -1 if swap else 1]
    done = np.zeros((0, len(ranked)), dtype=np.int8)
    rng = np.random.default_rng(seed)
    for _ in range(turns):
        rows = Planner(field, seed).sample(ranked, count, rng=rng, done=done)
        points = [field.point(row) for row in rows]
        assert 0 < len(points) <= count
        assert len(set(points)) == len(points)
        assert not {row.tobytes() for row in rows} & {row.tobytes() for row in done}
        assert {p.configuration["instance_type"] for p in points} == {"lab.400m"}
        workloads = len({p.workload for p in points})
        assert len({p.configuration for p in points}) <= max(math.isqrt(count), count // workloads)
        done = np.vstack([done, rows])


def test_configurations_and_workloads_not_measured_before_come_first() -> None:
    field = Field(load_platform("lab"), only={"instance_type": "lab.400m"})
    ranked = list(field.space.names)
    done = np.zeros((0, len(ranked)), dtype=np.int8)
    for turn in range(1, 11):
        rows = Planner(field, 0).sample(ranked, 100, rng=np.random.default_rng(turn), done=done)
        done = np.vstack([done, rows])
        points = [field.point(row) for row in done]
        assert len({p.configuration for p in points}) >= 8 * turn
        assert len({p.workload for p in points}) >= 8 * turn


def test_what_is_pinned_leaves_as_many_points_as_are_wanted() -> None:
    """Of the rows that were drawn one in 4,096 had it, so that "everything there is to measure" was measured."""
    names = [f"p{i}" for i in range(12)]
    parameters = tuple(Parameter(name=name, values=(1, 2, 3, 4)) for name in names)
    pinned: dict[str, Value] = dict.fromkeys(names[:6], 3)
    rules = (Rule(when={}, then=pinned), Rule(when={}, never={"p6": (1, 2)}))
    space = Space(parameters, rules)
    default: dict[str, Value] = {**pinned, **dict.fromkeys(names[6:], 3)}
    for fewest in (2, 12):
        rows = sampled(space, names, default, 300, rng=np.random.default_rng(0), fewest=fewest)
        assert len(np.unique(rows, axis=0)) == 300
        assert (rows[:, :6] == 2).all()
        assert (rows[:, 6] >= 2).all()
