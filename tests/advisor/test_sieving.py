"""Data sieving: only calls of several pieces are sieved, and no benchmark makes such calls."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from acic.advisor.advice import Recommendation
from acic.advisor.sieving import by_chance, put_at_risk
from acic.workloads import Characteristics, Interface, Operation, Workload
from tests.advisor.conftest import WRITE, application

HINTS = ("romio_cb_write", "romio_ds_write", "romio_ds_read")
BASELINE = dict.fromkeys(HINTS, "automatic")
ALONE = replace(WRITE, collective=False)
HDF5 = replace(WRITE, interface=Interface.HDF5)


def job(own: Characteristics, *, views: bool) -> Workload:
    made = application(own)
    return replace(made, phases=tuple(replace(one, details={"file_views": views}) for one in made.phases))


@pytest.mark.parametrize(
    ("workload", "answer", "baseline", "risk"),
    [
        (job(WRITE, views=True), {"romio_cb_write": "disable"}, {}, True),
        (job(HDF5, views=False), {"romio_cb_write": "disable"}, {}, True),
        (job(WRITE, views=False), {"romio_cb_write": "disable"}, {}, False),
        (job(WRITE, views=True), {"romio_cb_write": "disable", "romio_ds_write": "disable"}, {}, False),
        (job(WRITE, views=True), {"romio_cb_write": "disable"}, {"romio_cb_write": "disable"}, False),
        (job(WRITE, views=True), {"romio_cb_write": "DISABLE"}, {}, True),  # as ROMIO takes it, too
        (job(WRITE, views=True), {"romio_cb_write": "disable", "romio_ds_write": "DISABLE"}, {}, False),
        (job(WRITE, views=True), {"romio_cb_write": "enable"}, {}, False),
        (job(ALONE, views=True), {"romio_ds_write": "enable"}, {"romio_ds_write": "disable"}, True),
        (job(ALONE, views=True), {"romio_ds_write": "enable"}, {}, False),  # "automatic" sieves, too
        (job(replace(WRITE, operation=Operation.READ), views=True), {"romio_cb_write": "disable"}, {}, False),
        (job(replace(WRITE, shared=False), views=True), {"romio_cb_write": "disable"}, {}, False),
    ],
)
def test_writes_that_only_an_answer_has_sieved_put_bytes_at_risk(
    workload: Workload, answer: dict[str, str], baseline: dict[str, str], risk: bool
) -> None:
    """A check of every configuration was said to find lost bytes: what benchmarks write is never sieved."""
    usual = BASELINE | baseline
    answers = [SimpleNamespace(rank=1, configuration=usual), SimpleNamespace(rank=2, configuration=usual | answer)]
    told = put_at_risk(cast("list[Recommendation]", answers), usual, workload)
    assert [one.startswith("Answer 2: ") for one in told] == [True] * risk


def test_what_is_predicted_of_hints_of_data_sieving_is_chance() -> None:
    answer = BASELINE | {"romio_ds_write": "enable", "romio_cb_write": "enable"}
    (plain,) = by_chance(answer, BASELINE, job(WRITE, views=False))
    assert plain.startswith("romio_ds_write: ")
    assert "--keep romio_ds_write=automatic leaves it out" in plain
    for pieces in (job(WRITE, views=True), job(HDF5, views=False)):
        (told,) = by_chance(answer, BASELINE, pieces)
        assert told.endswith("acic verify LOG -- COMMAND.")
    assert by_chance(BASELINE | {"romio_cb_write": "enable"}, BASELINE, job(WRITE, views=False)) == []


def test_a_hint_that_the_baseline_has_not_cannot_be_kept_as_there() -> None:
    """It ended in a KeyError, a mistake of acic's: the hint does not apply on the baseline's file system."""
    (told,) = by_chance({"storage": "/s", "romio_ds_write": "disable"}, {"storage": "/h"}, job(WRITE, views=False))
    assert told.endswith("Nor is this job known to.")
