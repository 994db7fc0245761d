"""What lessons teach: the error of a prior on applications, which a model then takes off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from acic.advisor.informed import informed
from acic.advisor.knowledge import Knowledge
from acic.advisor.learned import Learned
from acic.advisor.learning import learn, training_set
from acic.advisor.lessons import LEAST, joined, taught_by
from acic.models.registry import learner
from acic.platforms import load_platform
from acic.prior import COLUMNS, IMPROVEMENT, Use, prior_of
from acic.space import Configuration
from acic.store import Measurement, Outcome, Repetition
from acic.store.baselines import Baselines
from acic.store.lessons import Lesson
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation

LAB = load_platform("lab")
WHEN = datetime(2026, 11, 21, tzinfo=UTC)
SLOW = tuple(c for c in LAB.space.configurations() if c["instance_type"] == "lab.400m")
SOME = (LAB.baseline, *(c for c in SLOW[::7] if c != LAB.baseline))
FILES = Characteristics(
    processes=8,
    io_processes=8,
    interface=Interface.POSIX,
    iterations=16,
    data_size=MIB // 2,
    request_size=MIB // 2,
    operation=Operation.READ,
    collective=False,
    shared=False,
    access=Access.CONSECUTIVE,
)
COMPUTED = 2.0  # s
Error = Callable[[Configuration], float]


def seconds(workload: Characteristics, use: Use, configurations: Sequence[Configuration]) -> np.ndarray:
    prior = prior_of(LAB)
    assert prior is not None
    return prior.seconds(workload, prior.systems(configurations), use)


def lessons(
    workload: Characteristics = FILES,
    use: Use = Use(files=128),  # noqa: B008  # frozen
    *,
    name: str = "sketch-000",
    error: Error = lambda _: 1.0,
) -> list[Lesson]:
    """Runs that take what the prior says, times an error, and two seconds of computing."""
    io = seconds(workload, use, SOME) * [error(one) for one in SOME]
    return [
        Lesson(
            application=name,
            phases=((workload, use),),
            configuration=one,
            seconds=COMPUTED + float(took),
            io=float(took),
            time=WHEN,
        )
        for one, took in zip(SOME, io, strict=True)
    ]


def measured() -> list[Measurement]:
    """Benchmarks of which the prior is right."""
    found = []
    for size in range(1, 7):
        one = replace(FILES, iterations=size, data_size=size * MIB)
        for configuration, took in zip(SOME, seconds(one, Use(), SOME), strict=True):
            found.append(
                Measurement(
                    platform=LAB.name,
                    revision=LAB.revision,
                    workload=one,
                    configuration=configuration,
                    outcome=Outcome.OK,
                    time=WHEN,
                    repetitions=(Repetition(bandwidth=one.total_bytes / took, seconds=took),),
                    tool="made up",
                )
            )
    return found


def learned(told: Sequence[Lesson], model: str = "prior+extra-trees") -> Learned:
    rows = training_table(measured(), LAB)
    return learn(rows, LAB, learner(model), weight=np.ones(len(rows)), seed=1, lessons=told)


def test_runs_as_the_prior_says_teach_its_improvement() -> None:
    taught = taught_by(lessons(), LAB)
    assert taught is not None
    improvement = taught.x[:, -len(COLUMNS) + COLUMNS.index(IMPROVEMENT)]
    np.testing.assert_allclose(taught.y, improvement, atol=1e-9)
    assert len(taught.y) == len(SOME) - 1


def test_an_error_of_the_prior_is_what_is_told() -> None:
    taught = taught_by(lessons(error=lambda one: 1.0 + 2.0 * (one["file_system"] == "OrangeFS")), LAB)
    assert taught is not None
    improvement = taught.x[:, -len(COLUMNS) + COLUMNS.index(IMPROVEMENT)]
    orange = [one["file_system"] == "OrangeFS" for one in SOME if one != LAB.baseline]
    expected = np.where(orange, -np.log(3.0), 0.0)
    np.testing.assert_allclose(taught.y - improvement, expected, atol=1e-9)


def test_a_run_faster_than_its_computing_has_some_io_left() -> None:
    """Noise in computing may be more than a short phase takes."""
    fast = [replace(one, seconds=one.io * 1.01) if one.configuration != LAB.baseline else one for one in lessons()]
    taught = taught_by(fast, LAB)
    assert taught is not None
    assert taught.y.max() == pytest.approx(-np.log(LEAST))


def test_two_phases_share_the_error_of_the_run() -> None:
    write, read = replace(FILES, operation=Operation.WRITE), FILES
    both = [
        replace(one, phases=((write, Use(files=128, syncs=0)), (read, Use(files=128, own=True)))) for one in lessons()
    ]
    taught = taught_by(both, LAB)
    assert taught is not None
    improvement = taught.x[:, -len(COLUMNS) + COLUMNS.index(IMPROVEMENT)]
    errors = (taught.y - improvement).reshape(-1, len(SOME) - 1)
    np.testing.assert_allclose(errors[0], errors[-1], atol=1e-9)
    assert taught.weight.max() < 1.0


def test_without_a_run_on_the_baseline_nothing_is_taught() -> None:
    assert taught_by([one for one in lessons() if one.configuration != LAB.baseline], LAB) is None
    assert taught_by([one for one in lessons() if one.configuration == LAB.baseline], LAB) is None
    assert taught_by([], LAB) is None
    assert taught_by(lessons(), load_platform("tianhe-lustre")) is None


def test_runs_of_one_application_and_twins_are_never_parted() -> None:
    rows = training_table(measured(), LAB)
    data = training_set(rows, LAB, Baselines.fit(rows, LAB).improvements(rows), np.ones(len(rows)))
    taught = taught_by([*lessons(), *lessons(), *lessons(name="sketch-001", use=Use(files=64))], LAB)
    assert taught is not None
    both = joined(informed(data, rows, LAB, learner("prior+forest")), taught)
    of_lessons = slice(len(data), None)
    assert not set(both.workload[of_lessons]) & set(data.workload)
    assert not set(both.group[of_lessons]) & set(data.group)
    assert len(set(both.workload[of_lessons])) == 2
    assert len(set(both.group[of_lessons])) == 2 * (len(SOME) - 1)


def test_what_sketches_teach_is_known_of_an_application_that_is_like_them() -> None:
    """The prior is wrong by a factor of three for many files on OrangeFS, and benchmarks never make many.

    A quarter of the logarithm is taken off, as for all that is not run as benchmarks are.
    """
    told = [
        one
        for number in range(12)
        for one in lessons(
            replace(
                FILES, iterations=8 + number, data_size=(1 + number) * MIB // 8, request_size=(1 + number) * MIB // 8
            ),
            Use(files=8 * (8 + number)),
            name=f"sketch-{number:03}",
            error=lambda one: 1.0 + 2.0 * (one["file_system"] == "OrangeFS"),
        )
    ]
    asked, use = replace(FILES, iterations=13), Use(files=8 * 13)
    for taught, least, most in ((told, 1.2, 1.5), ([], 0.9, 1.1)):
        knowledge = Knowledge(LAB, learned(taught))
        configurations = [LAB.space.configuration(point) for point in knowledge.points]
        orange = np.array(
            [one["file_system"] == "OrangeFS" and one["instance_type"] == "lab.400m" for one in configurations]
        )
        before = np.log(seconds(asked, use, [LAB.baseline])[0] / seconds(asked, use, configurations))
        factor = np.exp(np.median((before - knowledge.effect(asked, use).mean)[orange]))
        assert least < factor < most


def test_intervals_are_of_measurements_alone() -> None:
    """What was measured has the baseline's own error, and is what an interval's width is promised for."""
    wild = [one for number in range(12) for one in lessons(name=f"sketch-{number:03}", error=lambda _: 20.0)]
    with_lessons, without = learned(wild), learned([])
    assert with_lessons.errors.new == pytest.approx(without.errors.new, abs=0.1)
    assert with_lessons.workloads == without.workloads


def test_models_without_a_prior_learn_nothing_from_lessons() -> None:
    asked, use = FILES, Use(files=128)
    one, other = (Knowledge(LAB, learned(told, "forest")).effect(asked, use) for told in (lessons(), []))
    np.testing.assert_array_equal(one.mean, other.mean)


def test_one_workload_tells_nothing_of_others_whatever_lessons_there_are() -> None:
    """Lessons have workloads of their own, so it was taken for one of several."""
    rows = training_table(measured(), LAB)
    one = rows.rows(rows.workload == rows.workload[0])
    told = [*lessons(), *lessons(name="sketch-001", use=Use(files=64))]
    found = learn(one, LAB, learner("prior+extra-trees"), weight=np.ones(len(one)), seed=1, lessons=told)
    assert found.errors.new == (-np.inf, np.inf)
    assert np.isfinite(learned(told).errors.new).all()
