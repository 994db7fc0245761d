"""Workload parameters: one for each characteristic, and back."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given

from acic.errors import InvalidInput
from acic.space import Encoder, Scale, Space, Value
from acic.workloads import (
    WORKLOAD_CONSTRAINTS,
    WORKLOAD_PARAMETERS,
    Characteristics,
    Workload,
    characteristics_of,
    values_of,
)
from tests.workloads.test_workload_files import workloads

FIELDS = [field.name for field in dataclasses.fields(Characteristics)]


def test_the_parameters_are_the_characteristics() -> None:
    assert [parameter.name for parameter in WORKLOAD_PARAMETERS] == FIELDS
    for parameter in WORKLOAD_PARAMETERS:
        assert parameter.about
        assert (parameter.scale is Scale.LOG) is isinstance(parameter.values[0], int) or parameter.name in (
            "collective",
            "shared",
        )


def test_the_constraints_speak_of_the_parameters() -> None:
    Space(WORKLOAD_PARAMETERS, WORKLOAD_CONSTRAINTS)


@given(workload=workloads())
def test_values_are_plain_and_make_the_same_characteristics(workload: Workload) -> None:
    for phase in workload.phases:
        values = values_of(phase.characteristics)
        assert {type(value) for value in values.values()} <= {str, int, bool}
        assert characteristics_of(values) == phase.characteristics
        assert characteristics_of({**values, "file_system": "NFS"}) == phase.characteristics


@given(workload=workloads())
def test_models_can_encode_them(workload: Workload) -> None:
    encoder = Encoder(WORKLOAD_PARAMETERS)
    rows = encoder.encode([values_of(phase.characteristics) for phase in workload.phases])
    assert rows.shape == (len(workload.phases), len(encoder.columns))


GOOD: dict[str, Value] = {
    "processes": 4,
    "io_processes": 4,
    "interface": "POSIX",
    "iterations": 1,
    "data_size": 8,
    "request_size": 8,
    "operation": "read",
    "collective": False,
    "shared": True,
}


def test_a_database_may_give_numbers_for_truth_and_floats_for_counts() -> None:
    found = characteristics_of({**GOOD, "collective": 1, "data_size": 16.0})
    assert found.collective is True
    assert (found.data_size, type(found.data_size)) == (16, int)


@pytest.mark.parametrize(
    "wrong",
    [
        {"interface": "FTP"},
        {"operation": 1},
        {"access": "wild"},
        {"collective": "yes"},
        {"shared": 2},
        {"iterations": 1.5},
        {"processes": True},
        {"processes": "4"},
        {"data_size": float("nan")},
        {"data_size": float("inf")},
    ],
)
def test_what_no_characteristic_can_be_is_refused_with_a_remedy(wrong: dict[str, Value]) -> None:
    with pytest.raises(InvalidInput) as caught:
        characteristics_of({**GOOD, **wrong})
    assert caught.value.hint


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_value_is_named(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        characteristics_of({key: value for key, value in GOOD.items() if key != name})
