"""Whether collective buffering is worth it, on a made-up cluster with a made-up model: the truth is known."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from tomllib import loads
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.buffering import Buffering, Worth
from acic.advisor.explaining import Against, Explanation, explain
from acic.advisor.knowledge import Knowledge
from acic.advisor.learned import Errors
from acic.advisor.learning import learn
from acic.cli.explain_shown import show
from acic.models import Describe, Prediction, plain
from acic.models.calibration import Calibration
from acic.models.registry import learner
from acic.platforms import Platform, parse_platform
from acic.report.explanation.page import page
from acic.store import Measurement
from acic.store.training import TrainingRows, training_table
from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation, Workload
from tests.advisor.conftest import WRITE, application, measurement

PIECES = replace(WRITE, data_size=16 * MIB, request_size=256 * KIB, access=Access.STRIDED)
Words = Callable[..., str]
_NUMBERS = ("cb_nodes", "stripe_size")


@dataclass(frozen=True)
class Switched:
    """What each value of a hint makes faster, in natural logarithms; each doubling of aggregators as `nodes`.

    Large stripes are faster too, so that the answer is never the baseline.
    """

    columns: tuple[str, ...]
    values: Mapping[str, float]
    nodes: float = 0.0

    name = "switched"
    is_relative = False

    @property
    def looks_at(self) -> NDArray[np.int64]:
        return np.array([i for i, name in enumerate(self.columns) if name in (*self.values, *_NUMBERS)])

    def predict(self, x: NDArray[np.float64]) -> Prediction:
        nodes, stripes = (x[:, self.columns.index(name)] for name in _NUMBERS)
        found = self.nodes * nodes + 0.05 * stripes
        for name, worth in self.values.items():
            found = found + worth * x[:, self.columns.index(name)]
        return Prediction(found, np.zeros(len(x)))

    def explain(self, x: NDArray[np.float64], describe: Describe = plain) -> list[str]:  # noqa: ARG002 (as all models)
        return ["it is made up"]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}


@pytest.fixture(scope="module")
def site() -> Platform:
    table = loads(resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text())
    values = table["baseline"]["values"] | {"cb_nodes": 1}
    kept = [one for one in table["parameter"] if one["name"] in ("stripe_size", "romio_cb_read", "romio_cb_write")]
    kept[0] = kept[0] | {"values": [MIB, 16 * MIB]}
    kept.append({"name": "cb_nodes", "values": [1, 2, 4], "scale": "log"})
    values = {one["name"]: values[one["name"]] for one in kept}
    baseline = table["baseline"] | {"values": values}
    return parse_platform(table | {"name": "site", "parameter": kept, "baseline": baseline})


def rows_of(site: Platform, *workloads: Characteristics) -> TrainingRows:
    found = [
        measurement(site, one, configuration, 1e9, 1.1e9)
        for one, configuration in itertools.product(workloads, site.space.configurations())
    ]
    return training_table(found, site)


@pytest.fixture(scope="module")
def rows(site: Platform) -> TrainingRows:
    return rows_of(site, PIECES, replace(PIECES, iterations=4))


def knowing(site: Platform, rows: TrainingRows, values: Mapping[str, float], nodes: float = 0.0) -> Knowledge:
    learned = learn(rows, site, learner("cart"), weight=np.ones(len(rows)), seed=1)
    errors = Errors(Calibration(np.linspace(-0.05, 0.05, 21), math.inf), (-0.05, 0.05), 0.0)
    empty = Knowledge(site, learned)
    predictor = Switched(empty.encoder.columns, values, nodes)
    return Knowledge(site, replace(learned, model="switched", predictor=predictor, errors=errors, noise=0.02))


def explained(
    site: Platform, rows: TrainingRows, values: Mapping[str, float], workload: Workload | None = None, **more: Any
) -> Explanation:
    return explain(workload or application(PIECES), site, knowing(site, rows, values, **more), rows=rows)


def only(found: Explanation) -> Buffering:
    (one,) = found.buffering
    return one


@pytest.fixture
def words(site: Platform, capsys: pytest.CaptureFixture[str]) -> Words:
    def printed(found: Explanation, workload: Workload | None = None, platform: Platform = site) -> str:
        show(found, workload or application(PIECES), platform)
        return " ".join(capsys.readouterr().out.partition("4. What does it rest on?")[2].split())

    return printed


@pytest.mark.parametrize(
    ("values", "worth", "told"),
    [
        ({"romio_cb_write=enable": 0.5}, Worth.KEEP, "collective buffering is worth it"),
        ({"romio_cb_write=disable": 0.5}, Worth.BYPASS, "bypass collective buffering"),
        ({"romio_cb_write=disable": 0.02}, Worth.EITHER, "it makes no difference beyond the noise"),
        ({"romio_cb_write=automatic": 0.5}, Worth.EITHER, "it makes no difference beyond the noise"),
    ],
)
def test_what_was_made_up_is_found(
    site: Platform, rows: TrainingRows, words: Words, values: Mapping[str, float], worth: Worth, told: str
) -> None:
    found = explained(site, rows, values)
    one = only(found)
    assert one.worth is worth
    assert one.on is not None
    assert one.off is not None
    assert (one.on.values, one.off.values) == ({"romio_cb_write": "enable"}, {"romio_cb_write": "disable"})
    assert f"5. Is collective buffering worth it? Phase 1 (MPIIO write): {told}" in words(found)


def test_automatic_counts_as_what_the_log_did(site: Platform, rows: TrainingRows) -> None:
    for gathered, worth in ((True, Worth.KEEP), (False, Worth.BYPASS)):
        workload = application(PIECES)
        phase = replace(workload.phases[0], details={"collective_buffering": gathered})
        found = explained(site, rows, {"romio_cb_write=automatic": 0.5}, replace(workload, phases=(phase,)))
        assert only(found).worth is worth
        assert only(found).instead == ("disable" if gathered else "enable")


@pytest.mark.parametrize("goal", [Goal.TIME, Goal.COST])
def test_each_other_value_is_told_as_it_is_told_of_one_named(site: Platform, rows: TrainingRows, goal: Goal) -> None:
    known = knowing(site, rows, {"romio_cb_write=enable": 0.5}, nodes=0.3)
    workload = application(PIECES)
    found = explain(workload, site, known, rows=rows, goal=goal, price=1.0)
    told = {tuple(one.values.items()): one for one in only(found).others}
    assert set(told) == {
        *((("romio_cb_write", value),) for value in ("automatic", "disable")),
        *((("cb_nodes", value),) for value in (1, 2)),
    }
    for values, one in told.items():
        named = explain(
            workload, site, known, goal=goal, price=1.0, against=Against.NAMED, instead=dict(values), rows=rows
        )
        assert one.takes.value == pytest.approx(named.theirs)
        assert one.takes.low < one.takes.value < one.takes.high
        assert one.more == pytest.approx(named.theirs / named.ours - 1)
        assert one.beyond is (one.more > 0.05)  # runs differ by less
        of_value = [c for c in site.space.configurations() if dict(values).items() <= dict(c).items()]
        assert one.points == 2 * len(of_value)


def test_aggregators_are_told_with_something_to_gather(site: Platform, rows: TrainingRows) -> None:
    one = only(explained(site, rows, {"romio_cb_write=disable": 0.5}))
    assert {tuple(sorted(other.values)) for other in one.others if "cb_nodes" in other.values} == {
        ("cb_nodes", "romio_cb_write")
    }
    assert all(other.values["romio_cb_write"] == "enable" for other in one.others if "cb_nodes" in other.values)


def test_what_independent_calls_taught_is_no_answer(site: Platform, words: Words) -> None:
    """Hints for aggregators change nothing of those, so that what a model makes of them is noise."""
    rows = rows_of(site, replace(PIECES, collective=False))
    found = explained(site, rows, {"romio_cb_write=enable": 0.5})
    one = only(found)
    assert one.worth is Worth.UNTOLD
    assert one.others == ()
    assert one.untold == ("romio_cb_write", "cb_nodes")
    text = words(found)
    assert "no collective writes were measured on site with different values of romio_cb_write" in text
    value = one.instead
    assert value in ("enable", "disable")
    assert f"acic verify LOG --platform site, and the same with --keep romio_cb_write={value}." in text


def test_reads_are_told_by_what_was_read(site: Platform) -> None:
    read = replace(PIECES, operation=Operation.READ)
    both = rows_of(site, PIECES, read)
    known = {"romio_cb_write=enable": 0.5, "romio_cb_read=disable": 0.5}
    workload = application(PIECES, read, run=50.0, io=(20.0, 20.0))
    write, other = explained(site, both, known, workload).buffering
    assert (write.operation, write.switch, write.worth) == (Operation.WRITE, "romio_cb_write", Worth.KEEP)
    assert (other.operation, other.switch, other.worth) == (Operation.READ, "romio_cb_read", Worth.BYPASS)
    assert (write.phase, other.phase) == (0, 1)


def test_independent_calls_have_no_part_in_it(site: Platform, words: Words) -> None:
    independent = application(replace(PIECES, collective=False))
    rows = rows_of(site, independent.phases[0].characteristics)
    found = explained(site, rows, {}, independent)
    assert (only(found).worth, only(found).others, only(found).untold) == (Worth.NOTHING, (), ())
    text = words(found, independent)
    assert "its calls are independent" in text
    assert "acic explain job.toml --platform site --elsewhere" in text


def test_only_jobs_on_mpi_io_are_told_of_it(site: Platform, rows: TrainingRows, words: Words) -> None:
    posix = application(replace(PIECES, interface=Interface.POSIX, collective=False))
    found = explained(site, rows, {}, posix)
    assert found.buffering == ()
    assert "5." not in words(found, posix)


def test_a_platform_without_hints_says_so(
    cluster: Platform, crossing: Knowledge, training: list[Measurement], words: Words
) -> None:
    workload = application(PIECES)
    found = explain(workload, cluster, crossing, rows=training_table(training, cluster))
    assert only(found).worth is Worth.UNTOLD
    text = words(found, workload, cluster)
    assert "made-up has no hint that turns collective buffering on and off" in text
    assert "'romio_cb_write disable'" in text


def test_why_is_told_by_requests_and_bytes(site: Platform, rows: TrainingRows, words: Words) -> None:
    """64 processes fill 4 machines of 16 cores; on Lustre an aggregator writes one stripe at a time."""
    found = explained(site, rows, {"romio_cb_write=enable": 0.5}, nodes=0.3)
    one = only(found)
    assert (found.answer["cb_nodes"], found.answer["stripe_size"]) == (4, 16 * MIB)
    assert (one.together.callers, one.together.request) == (4, 4 * MIB)
    assert one.together.exchanged == 3 / 4 * PIECES.total_bytes
    assert (one.alone.callers, one.alone.requests, one.alone.request) == (64, 4096, 256 * KIB)
    text = words(found)
    assert "768 MiB of 1 GiB go over the network first; without it 64 processes make 4096 of 256 KiB" in text
    assert "pieces of several processes lie in one stripe of 16 MiB" in text
    whole = application(replace(PIECES, data_size=64 * MIB, request_size=64 * MIB))
    assert "Requests get no larger by it" in words(explained(site, rows, {}, whole), whole)
    views = replace(whole, phases=(replace(whole.phases[0], details={"collective_buffering": True}),))
    text = words(explained(site, rows, {}, views), views)
    assert "no larger" not in text
    assert "64 processes make at least 64 of 64 MiB" in text
    assert "data sieving (romio_ds_write) reads, changes and writes back" in text


def test_the_page_says_what_the_command_says(site: Platform, rows: TrainingRows, words: Words) -> None:
    found = explained(site, rows, {"romio_cb_write=enable": 0.5}, nodes=0.3)
    workload = application(PIECES)
    text = page(found, workload, site, [], command="acic explain", made=datetime(2026, 11, 30, tzinfo=UTC))
    (section,) = (
        one
        for one in ET.fromstring(text.removeprefix("<!DOCTYPE html>")).iter("section")  # noqa: S314 (ours)
        if one.get("id") == "buffering"
    )
    printed = words(found)
    for one in (*section.iter("p"), *section.iter("td")):
        assert " ".join("".join(one.itertext()).split()) in printed
    assert len(list(section.iter("tr"))) == 1 + 1 + len(only(found).others)
    assert 'href="#buffering"' in text
