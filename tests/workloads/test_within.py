"""A part of a log is the log that the files of one directory would have left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData
from acic.units import KIB
from acic.workloads import Workload, characterize, characterize_file
from acic.workloads.darshan import Module, below, read_log, within
from acic.workloads.darshan.counters import LAYOUTS
from tests.workloads.darshan.logs import BUNDLED
from tests.workloads.simulator import darshan_log, loop

WRITES = loop(processes=4, iterations=3, pause=0.5, seconds=0.1, file="/scratch/run/out")
READS = loop(processes=4, size=256 * KIB, requests=8, write=False, shared=False, begin=2.5, file="/home/me/in")


def told(workload: Workload) -> list[object]:
    return [replace(one, details={}) for one in workload.phases]


@pytest.mark.parametrize("interface", ["POSIX", "MPI-IO", "STDIO"])
@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize(("directory", "mine"), [("//scratch", WRITES), ("/home/me/", READS)])
def test_the_rest_is_as_if_it_had_not_been(interface: str, trace: bool, directory: str, mine: Any) -> None:
    lacks: dict[str, Any] = {"interface": interface, "trace": trace, "heatmap": False, "run_seconds": 9.0}
    whole = darshan_log(WRITES + READS, processes=4, **lacks)
    alone = darshan_log(mine, processes=4, **lacks)
    assert told(characterize(within(whole, directory))) == told(characterize(alone))
    assert within(alone, directory) is alone


@given(share=st.floats(0.0, 0.05))
def test_a_heat_map_of_other_files_tells_nothing(share: float) -> None:
    size = round(share * sum(call.length for call in WRITES))
    other = loop(processes=1, size=max(1, size), begin=3.0, file="/home/me/log")
    whole = darshan_log(WRITES + other, processes=4)
    assert ("POSIX" in within(whole, "/scratch").heatmaps) == (size <= 0.01 * sum(c.length for c in WRITES + other))


@pytest.mark.parametrize("trace", [True, False])
def test_files_elsewhere_are_left_out_also_where_no_counters_tell_of_them(trace: bool) -> None:
    whole = darshan_log(WRITES + READS, processes=4, counters=False, trace=trace)
    part = within(whole, "/scratch")
    assert not part.heatmaps  # nothing tells what of them is here
    assert sum(one.bytes for one in characterize(part).phases) == trace * sum(call.length for call in WRITES)


def test_what_is_no_file_lies_nowhere_else() -> None:
    log = darshan_log(WRITES, processes=4)
    machine = np.zeros(1, dtype=LAYOUTS["BG/Q"].dtype())
    machine["id"] = 9
    modules = {**log.modules, "BG/Q": Module("BG/Q", 2, False, machine)}
    whole = replace(log, names={**log.names, 9: "darshan-internal-bgq"}, modules=modules)
    assert within(whole, "/scratch") is whole


def test_a_directory_is_no_beginning_of_a_name() -> None:
    assert below("/scratch/a", "/scratch")
    assert below("/a", "/")
    assert not below("/scratch2/a", "/scratch")
    log = darshan_log(loop(processes=4, file="/scratch2/out"), processes=4)
    (phase,) = characterize(log).phases
    assert (phase.details["mount"], phase.details["file_system"]) == ("/", "ext4")
    with pytest.raises(MissingData, match="below /scratch") as told:
        within(log, "/scratch/")
    assert "below /" in told.value.hint


def test_a_directory_is_named_as_the_job_saw_it() -> None:
    with pytest.raises(InvalidInput, match="no absolute path"):
        within(darshan_log(WRITES, processes=4), "scratch")


def test_several_file_systems_are_told_where_it_matters() -> None:
    (note,) = [one for one in characterize(darshan_log(WRITES + READS, processes=4)).notes if "--only" in one]
    assert "60% on /scratch (lustre) and 40% on / (ext4): say --only /scratch" in note
    few = loop(processes=1, size=KIB, write=False, file="/home/me/settings")
    assert not [one for one in characterize(darshan_log(WRITES + few, processes=4)).notes if "--only" in one]


@pytest.mark.parametrize("log", BUNDLED, ids=[log.stem for log in BUNDLED])
def test_real_logs_lie_below_the_root_and_in_parts_below_their_files(log: Path) -> None:
    whole = read_log(log)
    named = [name for name in whole.names.values() if name.startswith("/")]
    everything = characterize(whole)
    assert told(characterize_file(log, only="/")) == told(everything)
    folders = {name.rpartition("/")[0] for name in named if name.rpartition("/")[0]}
    parts = [characterize_file(log, only=folder) for folder in folders]
    largest = max(sum(one.bytes for one in part.phases) for part in parts)
    assert largest <= sum(one.bytes for one in everything.phases)
    assert all(part.run_seconds == everything.run_seconds for part in parts)
