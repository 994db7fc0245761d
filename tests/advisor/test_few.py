"""Platforms with next to nothing to choose: all of it measured is enough to learn from."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from tomllib import loads

import numpy as np
import pytest

from acic.advisor.advice import Verdict
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import learn
from acic.advisor.recommend import recommend
from acic.errors import MissingData
from acic.models.registry import learner
from acic.platforms import Platform, parse_platform
from acic.platforms.here import Machine, platform_text
from acic.platforms.mounts import Storage
from acic.space import Configuration
from acic.store import Measurement, Outcome, Repetition
from acic.store.training import TrainingRows, training_table
from acic.units import GIB, MIB
from acic.workloads import Characteristics, Interface
from tests.advisor.conftest import WHEN, WRITE, application

POSIX = replace(WRITE, interface=Interface.POSIX, collective=False)
OWN = "one per process"


@pytest.fixture(scope="module")
def laptop() -> Platform:
    """One disk: a job that does not use MPI-IO may have a file for each process, and that is all."""
    machine = Machine(host="laptop", kernel="1", cores=4, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    return parse_platform(loads(platform_text(machine, today=date(2026, 11, 23))))


def rows_of(platform: Platform, workload: Characteristics, *configurations: Configuration) -> TrainingRows:
    def one(configuration: Configuration) -> Measurement:
        bandwidth = (300e6 if configuration["files"] == OWN else 100e6) * (workload.request_size / MIB) ** 0.1
        return Measurement(
            platform=platform.name,
            revision=platform.revision,
            workload=workload,
            configuration=configuration,
            outcome=Outcome.OK,
            time=WHEN,
            repetitions=(Repetition(bandwidth=bandwidth, seconds=workload.total_bytes / bandwidth),),
            tool="made up",
        )

    return training_table([one(platform.baseline), *map(one, configurations)], platform)


@pytest.mark.parametrize("model", ["forest", "cart", "nearest", "prior+extra-trees"])
def test_a_job_with_one_alternative_gets_an_answer_when_that_was_measured(laptop: Platform, model: str) -> None:
    """It was told to measure more for ever: eight configurations were wanted, and there were two."""
    other = Configuration(laptop.baseline, files=OWN)
    rows = rows_of(laptop, POSIX, other)
    knowledge = Knowledge(laptop, learn(rows, laptop, learner(model), weight=np.ones(len(rows)), seed=1))
    advice = recommend(application(POSIX), laptop, knowledge)
    assert advice.recommendations[0].configuration["files"] == OWN
    assert advice.verdict is Verdict.VERIFY, "one run of each tells no interval"


def test_a_job_that_takes_hints_has_more_to_choose_and_needs_more(laptop: Platform) -> None:
    rows = rows_of(laptop, WRITE, Configuration(laptop.baseline, files=OWN))
    with pytest.raises(MissingData, match="fewer than 8"):
        learn(rows, laptop, learner("forest"), weight=np.ones(len(rows)), seed=1)


def test_the_baseline_alone_teaches_nothing(laptop: Platform) -> None:
    rows = rows_of(laptop, POSIX)
    with pytest.raises(MissingData, match="fewer than 1$"):
        learn(rows, laptop, learner("forest"), weight=np.ones(len(rows)), seed=1)
