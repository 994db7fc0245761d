"""Workloads as TOML: what is written is read back, and what cannot be right is refused with a remedy."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acic.errors import AcicError, InvalidInput, UnreadableInput
from acic.units import MIB
from acic.workloads import (
    Access,
    Characteristics,
    Interface,
    Operation,
    Phase,
    Quality,
    Workload,
    characterize_file,
    dump_workload,
    from_options,
    load_workload,
)
from tests.workloads.darshan.logs import EACH_BUNDLED

NAMES = tuple(field.name for field in dataclasses.fields(Characteristics))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DETAILS = st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False)
SIZES = st.integers(1, 2**50)
NUMBERS = st.floats(0, 1e12, allow_nan=False)


@st.composite
def characteristics(draw: st.DrawFn, most: int) -> Characteristics:
    processes = draw(st.integers(1, most))
    data = draw(SIZES)
    return Characteristics(
        processes=processes,
        io_processes=draw(st.integers(1, processes)),
        interface=draw(st.sampled_from(Interface)),
        iterations=draw(st.integers(1, 10**6)),
        data_size=data,
        request_size=draw(st.integers(1, data)),
        operation=draw(st.sampled_from(Operation)),
        collective=draw(st.booleans()),
        shared=draw(st.booleans()),
        access=draw(st.sampled_from(Access)),
    )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    processes = draw(st.integers(1, 2**20))
    run = draw(st.none() | NUMBERS)
    phases = st.builds(
        Phase,
        characteristics=characteristics(processes),
        quality=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(Quality)),
        files=st.integers(1, 10**6),
        bytes=st.integers(0, 2**60),
        seconds=st.none() | (NUMBERS if run is None else st.floats(0, run)),
        imbalance=st.none() | st.floats(1, 2**20),
        example=TEXTS,
        details=st.dictionaries(TEXTS, TEXTS | DETAILS, max_size=3),
    )
    return Workload(
        name=draw(TEXTS),
        processes=processes,
        phases=tuple(draw(st.lists(phases, max_size=3))),
        run_seconds=run,
        io_share=None if run is None else draw(st.none() | st.floats(0, 1)),
        source=draw(TEXTS.filter(bool)),
        notes=tuple(draw(st.lists(TEXTS, max_size=3))),
        complete=draw(st.booleans()),
    )


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(workload=workloads())
def test_what_is_written_is_read_back(workload: Workload, tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(dump_workload(workload), encoding="utf-8")
    assert load_workload(path) == workload


@EACH_BUNDLED
def test_a_characterised_log_is_read_back(path: Path, tmp_path: Path) -> None:
    workload = characterize_file(path)
    copy = tmp_path / "w.toml"
    copy.write_text(dump_workload(workload), encoding="utf-8")
    assert load_workload(copy) == workload


def test_people_write_sizes_and_times_with_units_and_leave_out_what_is_plain(tmp_path: Path) -> None:
    path = tmp_path / "ocean.toml"
    path.write_text(
        """
        processes = 256
        run_seconds = "10min"
        [[phases]]
        interface = "MPIIO"
        operation = "write"
        iterations = 10
        data_size = "16MiB"
        request_size = "4m"
        collective = true
        shared = true
        [[phases]]
        io_processes = 1
        interface = "POSIX"
        operation = "read"
        iterations = 1
        data_size = 1000
        collective = false
        shared = false
        """
    )
    workload = load_workload(path)
    assert (workload.name, workload.source, workload.run_seconds, workload.io_share) == ("ocean", "TOML", 600, None)
    first, second = (phase.characteristics for phase in workload.phases)
    assert (first.processes, first.io_processes, first.data_size, first.request_size) == (256, 256, 16 * MIB, 4 * MIB)
    assert (second.io_processes, second.request_size, second.access) == (1, 1000, Access.UNKNOWN)
    assert workload.phases[0].bytes == 256 * 10 * 16 * MIB


GOOD = """
processes = 8
[[phases]]
interface = "POSIX"
operation = "write"
iterations = 1
data_size = "1MiB"
collective = false
shared = false
"""


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("processes = 8", "", "no processes"),
        ("processes = 8", "processes = 0", "processes is 0"),
        ("processes = 8", 'processes = "8"', "processes is '8'"),
        ("processes = 8", "processes = 1000000000", "processes is not 1000000000"),
        ("processes = 8", "processes = 8\nshape = 1", "no 'shape'"),
        ("iterations = 1", "iteration = 1", "no 'iteration'"),
        ("iterations = 1", "", "no iterations"),
        ("iterations = 1", "iterations = 1.5", "iterations is not 1.5"),
        ("iterations = 1", "iterations = true", "iterations is not True"),
        ("iterations = 1", "iterations = 1\nprocesses = 9", "processes (9) exceeds the workload's (8)"),
        ("iterations = 1", "iterations = 1\nio_processes = 9", "io_processes (9) exceeds processes (8)"),
        ('"1MiB"', '"a lot"', "'a lot' is not a size"),
        ('"1MiB"', '"1MiB"\nrequest_size = "2MiB"', "exceeds data_size"),
        ('"POSIX"', '"posix"', "interface is not 'posix'"),
        ('"write"', '"append"', "operation is not 'append'"),
        ("shared = false", 'shared = "no"', "shared is not 'no'"),
        ("shared = false", 'shared = false\nseconds = "long"', "'long' is not a duration"),
        ("shared = false", "shared = false\nseconds = -1", "seconds is -1"),
        ("[[phases]]", "run_seconds = 1\n[[phases]]\nseconds = 2", "seconds (2.0 s) exceeds run_seconds (1.0 s)"),
        ("shared = false", "shared = false\nimbalance = 0.5", "imbalance is 0.5"),
        ("shared = false", "shared = false\nimbalance = 0", "imbalance is 0"),
        ("shared = false", f"shared = false\nseconds = {10**400}", "seconds is 1000"),
        ("shared = false", f"shared = false\nbytes = {10**400}", "bytes is 1000"),
        ("shared = false", "shared = false\nbytes = -1", "bytes is -1"),
        ("shared = false", 'shared = false\nquality = { speed = "exact" }', "no 'speed'"),
        ("shared = false", 'shared = false\nquality = { shared = "sure" }', "'sure'"),
        ("shared = false", "shared = false\nquality = 1", "quality is not a table"),
        ("shared = false", "shared = false\ndetails = { a = [] }", "a in details"),
        ("shared = false", "shared = false\ndetails = { times_over = 0 }", "times_over in details is 0"),
        ("shared = false", "shared = false\ndetails = { times_over = inf }", "times_over in details is inf"),
        ("shared = false", "shared = false\ndetails = { ranks_apart = 0 }", "ranks_apart in details is 0"),
        ("shared = false", "shared = false\ndetails = { pause_seconds = -1 }", "pause_seconds in details is -1"),
        ("shared = false", "shared = false\ndetails = { removed_files = -1 }", "removed_files in details is -1"),
        ("shared = false", "shared = false\ndetails = { names_by = 0.5 }", "names_by in details is 0.5"),
        ("shared = false", "shared = false\ndetails = { input_writers = 0 }", "input_writers in details is 0"),
        ("shared = false", "shared = false\ndetails = { names_by = 1e18 }", "names_by in details is 1e+18"),
        ("shared = false", f"shared = false\ndetails = {{ syncs = {10**400} }}", "syncs in details is 1000"),
        ("shared = false", "shared = false\ndetails = { syncs = nan }", "syncs in details is nan"),
        ("shared = false", 'shared = false\ndetails = { opens = "8" }', "opens in details is '8'"),
        ("shared = false", "shared = false\ndetails = { opens = true }", "opens in details is True"),
        ("shared = false", "shared = false\ndetails = { collective_buffering = 1 }", "collective_buffering in details"),
        ("shared = false", "shared = false\ndetails = { contiguous = 1 }", "contiguous in details is 1"),
        ("shared = false", "shared = false\ndetails = { written_by_others = 1 }", "written_by_others in details is 1"),
        ("shared = false", "shared = false\nexample = 1", "example is 1"),
        ("[[phases]]", "[phases]", "not a list of tables"),
        ("processes = 8", "processes = 8\nio_share = 1.5", "io_share is 1.5"),
        ("processes = 8", "processes = 8\nio_share = 0.5", "io_share is a share of run_seconds, which is not told"),
        ("processes = 8", 'processes = 8\nnotes = "one"', "notes is not a list"),
    ],
)
def test_what_cannot_be_right_is_refused_with_a_remedy(tmp_path: Path, wrong: str, right: str, told: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(GOOD.replace(wrong, right, 1))
    with pytest.raises(InvalidInput) as caught:
        load_workload(path)
    assert told in caught.value.problem
    assert str(path) in caught.value.problem
    assert caught.value.hint


@pytest.mark.parametrize("content", [b"processes =", b"processes = " + b"1" * 5000, b"\xff\xfe\x00", None])
def test_what_is_no_toml_is_unreadable(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "w.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableInput) as caught:
        load_workload(path)
    assert caught.value.hint


edited = st.builds(
    lambda at, count, new: GOOD[:at] + new + GOOD[at + count :],
    st.integers(0, len(GOOD)),
    st.integers(0, 12),
    st.text(st.sampled_from("=[]{}.\"'\n01 "), max_size=6),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from(GOOD + "=[]{}.\"'\n01"), max_size=80) | edited)
def test_any_text_is_a_workload_or_an_error_of_ours(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(text)
    with contextlib.suppress(AcicError):  # any other error fails
        load_workload(path)


def test_options_make_a_workload_of_one_phase() -> None:
    workload = from_options(processes=64, data_size=16 * MIB, operation="write", iterations=3, interface="MPIIO")
    (phase,) = workload.phases
    c = phase.characteristics
    assert (c.io_processes, c.request_size, c.iterations, c.interface) == (64, 16 * MIB, 3, Interface.MPIIO)
    assert (c.shared, c.collective, c.access) == (True, False, Access.CONSECUTIVE)
    assert phase.bytes == 64 * 3 * 16 * MIB
    assert set(phase.quality.values()) == {Quality.EXACT}
    assert workload.source == "options"


@pytest.mark.parametrize(
    "options",
    [
        {"processes": 0},
        {"data_size": 0},
        {"request_size": 2 * MIB},
        {"operation": "scribble"},
        {"interface": "FTP"},
        {"io_processes": 5},
        {"io_share": 2.0},
        {"io_share": 0.5},
    ],
)
def test_impossible_options_are_refused_with_a_remedy(options: dict[str, int | str]) -> None:
    given_all: dict[str, int | str] = {"processes": 4, "data_size": MIB, "operation": "read", **options}
    with pytest.raises(InvalidInput) as caught:
        from_options(**given_all)  # type: ignore[arg-type]  # checked by the callee
    assert caught.value.hint
