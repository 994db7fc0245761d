"""Laws of a measurement as plain data, and of its fingerprint."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given

from acic.errors import InvalidInput
from acic.space import Configuration
from acic.store import Basis, Measurement, Outcome, Repetition
from acic.store.content import fingerprint, from_content, to_content
from acic.workloads import Operation
from acic.workloads.workload import MOST_PROCESSES
from tests.store.samples import failure, lustre, measurement, measurements, workload


@given(measurement=measurements())
def test_content_is_json_and_gives_the_measurement_back(measurement: Measurement) -> None:
    content = json.loads(json.dumps(to_content(measurement), allow_nan=False))
    again = from_content(content)
    assert again == measurement
    assert fingerprint(again) == fingerprint(measurement)
    assert to_content(again) == content


def test_equal_measurements_have_equal_fingerprints() -> None:
    one = measurement(configuration=Configuration(a=1, b=True), repetitions=(Repetition(bandwidth=5, seconds=None),))
    same = replace(
        one,
        configuration=Configuration(b=1.0, a=True),
        repetitions=(Repetition(bandwidth=5.0, seconds=None),),
        time=one.time.astimezone(timezone(timedelta(hours=8))),
    )
    assert one == same
    assert fingerprint(one) == fingerprint(same)


@pytest.mark.parametrize(
    "change",
    [
        {"platform": "other"},
        {"workload": workload(operation=Operation.READ)},
        {"configuration": lustre(stripe_count=2)},
        {"configuration": lustre(stripe_count="1")},
        {"basis": Basis.SIMULATED},
        {"time": measurement(1).time},
        {"repetitions": measurement(0).repetitions[:1]},
        {"repetitions": measurement(0).repetitions[::-1]},
        {"tool": "acic-bench"},
        {"tool_version": "4.2"},
        {"versions": {}},
        {"host_shape": {"nodes": 32}},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_was_measured_makes_another_fingerprint(change: dict[str, Any]) -> None:
    assert fingerprint(replace(measurement(), **change)) != fingerprint(measurement())


@pytest.mark.parametrize(
    "label", [{"outcome": Outcome.SUSPECT}, {"revision": "2024-01"}, {"contributor": "another"}, {"note": "odd"}]
)
def test_a_judgement_or_label_does_not(label: dict[str, Any]) -> None:
    assert fingerprint(replace(measurement(), **label)) == fingerprint(measurement())


def test_raw_output_with_figures_stands_for_the_moment() -> None:
    one, copied = (
        replace(measurement(), raw_sha256="ab" * 32, time=t) for t in (measurement().time, measurement(9).time)
    )
    assert fingerprint(one) == fingerprint(copied)
    assert fingerprint(one) != fingerprint(replace(one, raw_sha256="cd" * 32))


def test_failures_that_look_alike_are_told_apart_by_time() -> None:
    empty = "e3b0" * 16
    one, other = (replace(failure(), raw_sha256=empty, time=t) for t in (measurement().time, measurement(9).time))
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("platform", None),
        ("platform", 3),
        ("outcome", "fine"),
        ("basis", "guessed"),
        ("time", "yesterday"),
        ("time", "2026-01-01T00:00:00"),
        ("time", 5),
        ("repetitions", [[1, 2]]),
        ("repetitions", [[-1.0, 1, 1]]),
        ("repetitions", [["1", 1, 1]]),
        ("repetitions", [[True, 1, 1]]),
        ("repetitions", []),
        ("repetitions", 7),
        ("configuration", {"a": []}),
        ("configuration", {"a": None}),
        ("configuration", []),
        ("versions", {"MPI": 3}),
        ("host_shape", {"nodes": 1.5}),
        ("host_shape", {"nodes": True}),
        ("seed", "1"),
        ("seed", True),
        ("workload", {}),
        ("workload", None),
        ("surprise", 1),
    ],
)
def test_wrong_content_is_refused_with_a_remedy(field: str, value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_content(to_content(measurement()) | {field: value})
    assert caught.value.hint


@pytest.mark.parametrize(
    "change",
    [
        {"processes": "64"},
        {"processes": True},
        {"shared": 1},
        {"colour": "red"},
        {"processes": MOST_PROCESSES + 1},
        {"data_size": 2**62 + 1},
    ],
    ids=str,
)
def test_a_wrong_workload_is_refused(change: dict[str, Any]) -> None:
    content = to_content(measurement())
    content["workload"] |= change
    with pytest.raises(InvalidInput):
        from_content(content)


@pytest.mark.parametrize("name", list(to_content(measurement())))
def test_a_missing_field_is_named(name: str) -> None:
    content = to_content(measurement())
    del content[name]
    with pytest.raises(InvalidInput, match=name):
        from_content(content)


@pytest.mark.parametrize("figure", [-1.0, math.inf, math.nan])
def test_a_repetition_holds_possible_figures_only(figure: float) -> None:
    with pytest.raises(InvalidInput):
        Repetition(bandwidth=figure, seconds=None)


def test_a_measurement_knows_its_bandwidths() -> None:
    assert measurement().bandwidth == pytest.approx(1.05e9)
    assert failure().bandwidth is None
    with pytest.raises(InvalidInput, match="without any bandwidth"):
        replace(failure(), outcome=Outcome.OK)
    with pytest.raises(InvalidInput, match="timezone"):
        replace(measurement(), time=measurement().time.astimezone(UTC).replace(tzinfo=None))


@pytest.mark.parametrize("value", ["", 5, None, [1]])
@pytest.mark.parametrize("field", ["workload", "configuration", "versions", "host_shape", "repetitions"])
def test_what_is_of_another_kind_is_told_by_the_name_of_its_field(field: str, value: object) -> None:
    """It was said that 'str' object has no attribute 'items', of one of 17 fields."""
    with pytest.raises(InvalidInput) as caught:
        from_content(to_content(measurement()) | {field: value})
    assert f"{field} is {value!r}, not " in caught.value.problem
    assert "object has no attribute" not in caught.value.problem
