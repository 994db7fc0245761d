"""Platforms with next to nothing to choose: all of it measured is enough to learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from tomllib import loads

import numpy as np
import pytest

from acic.advisor.advice import Verdict
from acic.advisor.explaining import Against, explain
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.advisor.learning import check, learn
from acic.advisor.recommend import recommend
from acic.campaign.points import Field
from acic.cli.recommend import left_to_the_application
from acic.errors import MissingData
from acic.models.registry import learner
from acic.platforms import Platform, parse_platform
from acic.platforms.here import Machine, platform_text
from acic.platforms.mounts import Storage
from acic.report.model_error import _check
from acic.space import Configuration
from acic.store import Measurement
from acic.store.database import Store
from acic.store.training import training_table
from acic.units import GIB, MIB
from acic.workloads import Characteristics, Interface, Operation
from tests.advisor.conftest import WHEN, WRITE, application, measurement

POSIX = replace(WRITE, interface=Interface.POSIX, collective=False)
OWN = "one per process"
Ask = Callable[..., tuple[Knowledge, list[str]]]


@pytest.fixture(scope="module")
def laptop() -> Platform:
    """One disk: a job that does not use MPI-IO may have a file for each process, and that is all."""
    machine = Machine(host="laptop", kernel="1", cores=4, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    return parse_platform(loads(platform_text(machine, today=date(2026, 11, 23))))


def measured(platform: Platform, workload: Characteristics, *configurations: Configuration) -> list[Measurement]:
    def one(configuration: Configuration) -> Measurement:
        bandwidth = (300e6 if configuration["files"] == OWN else 100e6) * (workload.request_size / MIB) ** 0.1
        return measurement(platform, workload, configuration, bandwidth)

    return [one(platform.baseline), *map(one, configurations)]


@pytest.fixture
def ask(laptop: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    said: list[str] = []

    def knowledge(runs: list[Measurement], model: str = "forest") -> tuple[Knowledge, list[str]]:
        with Store.open(str(tmp_path / "store.sqlite")) as opened:
            opened.add(runs)
        url = str(tmp_path / "store.sqlite")
        return known(laptop, model, store=url, trust=Trust(), now=WHEN, announce=said.append), said

    return knowledge


@pytest.mark.parametrize("model", ["forest", "cart", "prior+extra-trees"])
def test_a_job_with_one_alternative_gets_an_answer_when_that_was_measured(
    laptop: Platform, ask: Ask, model: str
) -> None:
    """It was told to measure more for ever: eight configurations were wanted, and there were two."""
    for times in (1, 2):  # nothing is found in the cache that another model had left
        knowledge, said = ask(measured(laptop, POSIX, Configuration(laptop.baseline, files=OWN)), model)
        advice = recommend(application(POSIX), laptop, knowledge)
        assert advice.recommendations[0].configuration["files"] == OWN
        assert advice.recommendations[0].io_improvement.value == pytest.approx(3.0, rel=0.05)
        assert advice.verdict is Verdict.VERIFY
        assert "too little was measured" in advice.reason, "one run of each tells no interval"
        assert sum("so little to choose that nearest answers" in line for line in said) == times
    how = ["if the application has no option for it: --keep 'files=as the application does'"]
    assert left_to_the_application(advice, laptop, {}) == how
    assert left_to_the_application(advice, laptop, {"files": OWN}) == []


def test_a_job_that_takes_hints_has_more_to_choose_and_needs_more(laptop: Platform, ask: Ask) -> None:
    with pytest.raises(MissingData, match="fewer than 8"):
        ask(measured(laptop, WRITE, Configuration(laptop.baseline, files=OWN)))


def test_a_job_with_a_file_each_has_its_place_to_choose_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `acic train` called all that there is to measure was too little for an answer, which told to train."""
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    places = [Storage("/x", "ext4", "/"), Storage("/y", "tmpfs", "/y")]
    machine = Machine(host="desk", kernel="1", cores=4, memory=GIB, storage=places)
    desk = parse_platform(loads(platform_text(machine, today=date(2026, 11, 23))))
    own = replace(POSIX, shared=False)
    choices = Field(desk, (own,)).system
    assert choices.names == ("storage",)
    with Store.open(str(tmp_path / "store.sqlite")) as store:
        store.add(measured(desk, own, Configuration(desk.baseline, storage="/y")))
    knowledge = known(
        desk, "forest", store=str(tmp_path / "store.sqlite"), trust=Trust(), now=WHEN, announce=lambda _: None
    )
    assert recommend(application(own), desk, knowledge).recommendations
    rows = training_table(measured(desk, POSIX, Configuration(desk.baseline, storage="/y")), desk)
    with pytest.raises(MissingData, match="fewer than 3"):  # of a file together, there are more
        check(rows, desk)


def test_the_baseline_alone_teaches_nothing(laptop: Platform, ask: Ask) -> None:
    with pytest.raises(MissingData, match=r"fewer than 1$"):
        ask(measured(laptop, POSIX))


@pytest.mark.parametrize("interface", [Interface.POSIX, Interface.MPIIO])
def test_hints_are_recommended_only_to_who_takes_them(laptop: Platform, interface: Interface) -> None:
    """A job that uses the C library was told to change the buffer of MPI-IO's collective calls."""
    workload = replace(WRITE, interface=interface, collective=interface.on_mpi_io)
    some = [one for one in list(laptop.space.configurations())[::29] if one != laptop.baseline]
    hinted = measured(laptop, replace(workload, interface=Interface.MPIIO), *some)
    rows = training_table([*hinted, *measured(laptop, POSIX, Configuration(laptop.baseline, files=OWN))], laptop)
    learned = learn(rows, laptop, learner("nearest"), weight=np.ones(len(rows)), seed=1)
    knowledge = Knowledge(laptop, learned)
    changed = {
        name
        for one in recommend(application(workload), laptop, knowledge, top=50).recommendations
        for name in laptop.hints
        if one.configuration[name] != laptop.baseline[name] or name in one.free
    }
    assert bool(changed) is interface.on_mpi_io
    assert not [name for name in changed if name.endswith("_read")]


@pytest.mark.parametrize(
    ("workload", "matters"),
    [
        (POSIX, True),
        (replace(POSIX, shared=False), False),  # each has his own already
        (replace(POSIX, processes=1, io_processes=1), False),
        (replace(POSIX, io_processes=1), False),
        (replace(POSIX, operation=Operation.READ), False),  # what is read was written by somebody else
    ],
)
def test_files_of_their_own_are_recommended_only_to_those_who_write_one_together(
    laptop: Platform, workload: Characteristics, matters: bool
) -> None:
    """Jobs that do so already were promised what others gain by it, and runs were spent on twins."""
    own = Configuration(laptop.baseline, files=OWN)
    runs = [run for one in (POSIX, workload) for run in measured(laptop, one, own)]
    rows = training_table(runs, laptop)
    learned = learn(rows, laptop, learner("nearest"), weight=np.ones(len(rows)), seed=1)
    knowledge = Knowledge(laptop, learned)
    advice = recommend(application(workload), laptop, knowledge, top=50)
    assert any(one.configuration["files"] == OWN or "files" in one.free for one in advice.recommendations) is matters
    asked = explain(application(workload), laptop, knowledge, against=Against.NAMED, instead={"files": OWN})
    assert asked.other == own  # who names it is told what the model says of it


def test_a_report_tells_no_error_of_fewer_points_than_it_leaves_out(laptop: Platform) -> None:
    """The page of a campaign with two points ended in an error: two groups cannot be split into five folds."""
    rows = training_table(measured(laptop, POSIX, Configuration(laptop.baseline, files=OWN)), laptop)
    check(rows, laptop)
    with pytest.raises(MissingData, match="2 different points are fewer than the 5"):
        _check(rows, laptop)
