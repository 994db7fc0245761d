"""How many wrote an input, as a user tells it beside his log."""

from __future__ import annotations

from acic.units import MIB
from acic.workloads import Operation, characterize
from acic.workloads.inputs import with_input_writers
from tests.workloads.simulator import darshan_log, loop


def test_what_is_read_has_as_many_writers_as_are_told() -> None:
    calls = loop(processes=4, write=False, file="/in", size=MIB) + loop(processes=4, file="/out", begin=1.0)
    found = characterize(darshan_log(calls, processes=4))
    told = with_input_writers(found, 16)
    assert {p.characteristics.operation: p.details.get("input_writers") for p in told.phases} == {
        Operation.READ: 16.0,
        Operation.WRITE: None,
    }
    assert with_input_writers(told, 8) == told  # a description knows better
    assert with_input_writers(found, 1) is found
