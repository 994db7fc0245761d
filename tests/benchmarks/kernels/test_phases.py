"""Phases are derived from a script: what small scripts do is known without a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.benchmarks.kernels import kernel
from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.phases import workload_of
from acic.benchmarks.kernels.played import played, sign
from acic.benchmarks.kernels.script import Box, Script, Writer, prepared
from acic.benchmarks.kernels.sketches import sketch
from acic.errors import InvalidInput
from acic.prior import uses_of
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Quality
from tests.benchmarks.kernels.reading import seen


def phases(writer: Writer, *first: str, before: bool = False) -> dict[str, Phase]:
    """The phases of what was written, by operation and example."""
    told = workload_of("it", played(writer.script), first=first, before=before)
    assert (told.name, told.processes, told.source) == ("it", writer.script.ranks, "acic kernel")
    moved = [phase.bytes for phase in told.phases]
    assert moved == sorted(moved, reverse=True)
    return {f"{phase.characteristics.operation} {phase.example}": phase for phase in told.phases}


def test_a_field_and_a_log_are_told_whole() -> None:
    """That of docs/acic-bench.md: a quarter of a field of each rank, twice, and lines of a log that is synced."""
    writer = Writer(4)
    writer.open("log", "run.log", ranks=0, write=True)
    writer.open("f", "field", write=True, mpiio=True)
    quarters: list[list[Box]] = [[((0, y, x), (1, 32, 32))] for y in (0, 32) for x in (0, 32)]
    writer.view("f", 0, 8, (1, 64, 64), quarters)
    for step in range(2):
        writer.compute(0.05)
        writer.barrier()
        writer.write_all("f", [(step * 8192, 8192)] * 4)
        writer.write("log", step * 80, 80, ranks=0)
        writer.sync("log", ranks=0)
    writer.close("f")
    told = phases(writer)
    assert list(told) == ["write field", "write run.log"]
    field, log = told.values()
    assert field.characteristics == Characteristics(
        processes=4,
        io_processes=4,
        interface=Interface.MPIIO,
        iterations=2,
        data_size=8192,
        request_size=8192,
        operation=Operation.WRITE,
        collective=True,
        shared=True,
        access=Access.STRIDED,
    )
    assert (field.files, field.bytes, set(field.quality.values())) == (1, 2 * 4 * 8192, {Quality.EXACT})
    told_of_field = {"iterations_are": "pauses", "pause_seconds": 0.05, "opens": 4, "collective_buffering": True}
    assert field.details == told_of_field
    assert (log.characteristics.io_processes, log.characteristics.shared) == (1, False)
    assert log.characteristics.access is Access.CONSECUTIVE
    assert log.details == {"iterations_are": "pauses", "pause_seconds": 0.05, "syncs": 2, "opens": 1}


def test_another_file_or_direction_ends_an_iteration_as_computing_does() -> None:
    writer = Writer(1)
    writer.open("a", "a", write=True)
    writer.open("b", "b", write=True)
    for number in range(3):
        writer.write("a", number * 10, 5, count=2)
        writer.write("b", number * 7, 7)
    writer.read("a", 0, 5, count=6)
    told = phases(writer)
    assert [told[name].characteristics.iterations for name in ("write a", "write b", "read a")] == [3, 3, 1]
    assert told["write a"].characteristics.data_size == 10
    assert told["write a"].details["iterations_are"] == "pauses"


@pytest.mark.parametrize(("path", "place", "how"), [("x", 0, "again"), ("x", 100, "pauses"), ("x.{}", 0, "files")])
def test_iterations_come_back_to_a_place_go_on_or_have_files_of_their_own(path: str, place: int, how: str) -> None:
    writer = Writer(2)
    for number in range(3):
        writer.compute(0.1)
        for rank in range(2):
            name = f"{rank}.{path.format(number)}"
            writer.open("x", name, ranks=rank, write=True)
            writer.write("x", number * place, 100, ranks=rank)
            writer.close("x", ranks=rank)
    (one,) = phases(writer).values()
    assert one.details["iterations_are"] == how
    assert one.details.get("times_over", 1.0) == (3.0 if how == "again" else 1.0)


def test_what_was_written_once_and_is_read_three_times_is_not_written_again() -> None:
    writer = Writer(1)
    writer.open("x", "x", write=True)
    writer.write("x", 0, 100)
    for _ in range(3):
        writer.compute(0.1)
        writer.read("x", 0, 100)
    told = phases(writer)
    assert told["read x"].details == {
        "iterations_are": "pauses",
        "pause_seconds": 0.1,
        "opens": 1,
        "times_over": 3.0,
        "jumps": 2,
    }
    assert told["write x"].details == {"iterations_are": "one", "opens": 1}


def test_how_often_processes_read_elsewhere_is_told() -> None:
    """Each time that a request does not begin where the one before in the same file ended, whatever is between."""
    writer = Writer(2)
    for rank in (0, 1):
        writer.open("x", f"x{rank}", ranks=rank, write=False)
        writer.open("y", "y", ranks=rank, write=False)
        writer.read("x", 0, 10, count=3, ranks=rank)
        writer.read("x", 50, 10, ranks=rank)  # elsewhere
        writer.read("y", rank * 100, 20, count=2, stride=30, ranks=rank)  # once inside
        writer.read("x", 60, 10, count=2, ranks=rank)
        writer.read("x", 0, 10, count=2, ranks=rank)  # elsewhere
        writer.close("x", ranks=rank)
        writer.close("y", ranks=rank)
    told = phases(writer)
    assert told["read x0"].details["jumps"] == 4
    assert told["read y"].details["jumps"] == 2


def test_how_many_wrote_what_is_there_is_told_of_what_is_read() -> None:
    writer = Writer(4)
    writer.read_file("i", "input", 4096, count=2, ranks=0)
    writer.get("small.#", 2, 100, ranks=1)
    writer.write_file("o", "output", 400, ranks=0)
    before = Writer(4)
    before.put("small.#", 2, 100, ranks=1)
    inputs = Script(4, (*before.script.lines, *prepared(4, [("input", 8192)]).lines))
    told = workload_of("told", played(writer.script), inputs=played(inputs)).phases
    writers = {phase.example: phase.details.get("input_writers") for phase in told}
    assert writers == {"input": 4.0, "small.0": None, "output": None}


def test_opens_are_told_of_files_whichever_way_they_are_used() -> None:
    writer = Writer(4)
    writer.read_file("i", "input", 100)
    writer.write_file("o", "scratch", 400, ranks=0)
    writer.barrier()
    writer.read_file("o", "scratch", 400, ranks=2)
    told = phases(writer)
    assert told["read input"].details["opens"] == 4
    assert told["write scratch"].details == {"iterations_are": "one", "opens": 2}
    assert told["read scratch"].details == {"iterations_are": "one", "opens": 2, "written_by_others": True}


def test_a_rank_that_wrote_a_part_itself_does_not_read_what_others_wrote() -> None:
    writer = Writer(2)
    writer.open("x", "x", write=True)
    for rank in range(2):
        writer.write("x", rank * 100, 100, ranks=rank)
    writer.barrier()
    for rank in range(2):
        writer.read("x", (1 - rank) * 100, 100, ranks=rank)
    assert "written_by_others" not in phases(writer)["read x"].details


@pytest.mark.parametrize(("own", "contiguous"), [(True, True), (False, False)])
def test_parts_that_go_on_are_told_from_segments(own: bool, contiguous: bool) -> None:
    writer = Writer(2)
    writer.open("x", "x", write=True)
    for number in range(3):
        writer.compute(0.1)
        for rank in range(2):
            place = rank * 3 + number if own else number * 2 + rank
            writer.write("x", place * 100, 50, count=2, ranks=rank)
    (one,) = phases(writer).values()
    assert one.details.get("contiguous", False) is contiguous
    assert one.characteristics.access is Access.CONSECUTIVE


@pytest.mark.parametrize(
    ("places", "access"),
    [
        ([0, 300, 600, 900], Access.STRIDED),
        ([900, 0, 600, 300], Access.RANDOM),
        ([0, 10, 20, 900], Access.CONSECUTIVE),
        ([0], Access.CONSECUTIVE),
    ],
)
def test_requests_lie_as_most_of_them_do(places: list[int], access: Access) -> None:
    writer = Writer(1)
    writer.open("x", "x", write=True)
    for place in places:
        writer.write("x", place, 10)
    (one,) = phases(writer).values()
    assert one.characteristics.access is access


def test_a_request_is_the_one_that_moves_the_median_byte_as_in_logs() -> None:
    """`psana` writes three short records for each two long ones, and was told to write as short as they are."""
    writer = Writer(1)
    writer.open("x", "x", write=True)
    for size in (440, 440, 880, 225_280, 352_000):
        writer.write("x", 0, size)
    (one,) = phases(writer).values()
    assert one.characteristics.request_size == 352_000


@given(requests=st.lists(st.integers(1, 10_000), min_size=1, max_size=20))
def test_what_shorter_requests_move_is_less_than_half_and_with_those_of_its_size_half_or_more(
    requests: list[int],
) -> None:
    writer = Writer(1)
    writer.open("x", "x", write=True)
    place = 0
    for size in requests:
        writer.write("x", place, size)
        place += size
    (one,) = phases(writer).values()
    size = one.characteristics.request_size
    assert sum(other for other in requests if other < size) * 2 < place
    assert sum(other for other in requests if other <= size) * 2 >= place


def test_every_fourth_rank_lies_four_apart() -> None:
    writer = Writer(16)
    for rank in range(0, 16, 4):
        writer.put(f"x.{rank}", 1, 100, ranks=rank)
    (one,) = phases(writer).values()
    assert one.details == {"iterations_are": "one", "opens": 4, "ranks_apart": 4.0}


def test_names_are_told_of_their_files_and_empty_ones_of_the_most() -> None:
    writer = Writer(4)
    writer.put("few", 1, 500, ranks=0)
    writer.put("many.#", 3, 100, ranks=1)
    writer.mkdir("folder", ranks=0)
    for rank in (0, 0, 1):
        writer.open("l", "lock", ranks=rank, write=True)
        writer.close("l", ranks=rank)
        writer.unlink("lock", ranks=rank)
    writer.read_file("e", "empty", 0, ranks=0)
    writer.stat("few", ranks=2)
    writer.unlink("few", ranks=2)
    told = phases(writer)
    names = {"asked_files", "empty_files", "removed_files", "names_by"}
    few, many = ({k: v for k, v in told[f"write {name}"].details.items() if k in names} for name in ("few", "many.0"))
    assert few == {"asked_files": 1, "removed_files": 1, "names_by": 1.0}
    assert many == {"asked_files": 1, "empty_files": 4, "removed_files": 3, "names_by": 8 / 6}


def test_a_file_is_told_of_by_the_last_name_that_it_gets() -> None:
    """So who reads it reads what another wrote; and a folder's new name is its files', too."""
    writer = Writer(4)
    writer.mkdir("new", ranks=0)
    for rank in range(4):
        writer.put(f"new/{rank}.tmp", 1, 100, ranks=rank)
        writer.rename(f"new/{rank}.tmp", f"new/{rank}", ranks=rank)
    writer.rename("new", "old", ranks=0)
    for rank in range(2):
        writer.get(f"old/{rank}", 1, 100, ranks=rank + 2)
    write, read = (phases(writer)[f"{way} old/0"] for way in ("write", "read"))
    assert (write.files, write.details["renames"], write.details["empty_files"]) == (4, 5, 1)
    assert (read.files, read.details["written_by_others"], read.details.get("renames")) == (2, True, None)


def test_what_replaces_an_input_is_not_what_was_read_of_it() -> None:
    """`rsync` reads the copy that is there twice before it writes it anew: it was told to read what it had written."""
    inputs, writer = Writer(2), Writer(2)
    inputs.put("x", 1, 100, ranks=0)
    writer.get("x", 1, 100, ranks=1)
    writer.put("x.tmp", 1, 100, ranks=1)
    writer.rename("x.tmp", "x", ranks=1)
    found = workload_of("copy", played(writer.script, ["x"]), inputs=played(inputs.script))
    assert [(one.example, use.own) for one, use in zip(found.phases, uses_of(found), strict=True)] == [
        ("x", False),
        ("x.tmp", False),
    ]
    assert found.phases[1].details["renames"] == 1


def test_names_change_with_those_of_their_folders_and_may_not_go_round() -> None:
    writer = Writer(1)
    writer.put("a/x", 1, 100, ranks=0)
    writer.rename("a", "b", ranks=0)
    writer.rename("b/x", "b/y", ranks=0)
    assert list(phases(writer)) == ["write b/y"]
    writer.rename("b/y", "a/x", ranks=0)
    with pytest.raises(InvalidInput, match="go round"):
        phases(writer)


def test_a_file_that_is_replaced_again_and_again_is_one() -> None:
    writer = Writer(1)
    for _ in range(3):
        writer.put("state.tmp", 1, 100, ranks=0)
        writer.rename("state.tmp", "state", ranks=0)
        writer.compute(0.1)
    (one,) = phases(writer).values()
    assert (one.example, one.files, one.details["opens"], one.details["renames"]) == ("state", 1, 3, 3)
    assert (one.characteristics.iterations, one.details["iterations_are"]) == (3, "again")


def test_what_is_written_and_read_is_told_removed_once() -> None:
    writer = Writer(2)
    writer.put("x", 1, 100, ranks=0)
    writer.get("x", 1, 100, ranks=1)
    writer.unlink("x", ranks=1)
    told = phases(writer)
    assert told["write x"].details["removed_files"] == 1
    assert "removed_files" not in told["read x"].details


def test_a_collective_call_of_one_piece_each_is_not_gathered() -> None:
    writer = Writer(4)
    writer.open("x", "x", write=True, mpiio=True)
    writer.write_all("x", [(rank * 100, 100) for rank in range(4)])
    (one,) = phases(writer).values()
    assert one.details["collective_buffering"] is False


def test_the_example_is_the_file_that_was_made_first() -> None:
    """What a run reads and what it wrote are known to be the same files by it: the prior compares examples."""
    writer = Writer(2)
    for rank in range(2):
        writer.put(f"x.{rank}", 1, 100, ranks=rank)
    writer.barrier()
    for rank in range(2):
        writer.get(f"x.{1 - rank}", 1, 100, ranks=rank)
        writer.get(f"in.{1 - rank}", 1, 200, ranks=rank)
    assert set(phases(writer, "in.0", "in.1")) == {"write x.0", "read x.0", "read in.0"}
    assert set(phases(writer, "in.1", "in.0")) == {"write x.0", "read x.0", "read in.1"}


def test_a_pause_before_the_only_iteration_is_told_where_that_is_asked_for() -> None:
    writer = Writer(1)
    writer.compute(0.3)
    writer.put("x", 1, 100, ranks=0)
    assert "pause_seconds" not in phases(writer)["write x"].details
    assert phases(writer, before=True)["write x"].details["pause_seconds"] == 0.3


def test_files_that_are_used_otherwise_are_phases_of_their_own() -> None:
    writer = Writer(2)
    writer.put("a.#", 3, 100, ranks=0)
    writer.put("b.#", 3, 50, ranks=1)
    writer.write_file("m", "m", 100, ranks=0)
    assert {name: phase.files for name, phase in phases(writer).items()} == {"write a.0": 4, "write b.0": 3}


@pytest.mark.parametrize("what", ["iterations", "bytes", "pauses"])
def test_ranks_and_iterations_that_differ_are_refused(what: str) -> None:
    writer = Writer(2)
    writer.open("x", "x", write=True)
    for number in range(3):
        writer.compute(0.2 if what == "pauses" and number == 1 else 0.1)
        for rank in range(1 if what == "iterations" and number else 2):
            writer.write("x", (2 * number + rank) * 100, 50 if what == "bytes" and number else 100, ranks=rank)
    with pytest.raises(InvalidInput, match=f"x and files like it differs in {what}"):
        phases(writer)


boxes = st.lists(st.tuples(*[st.integers(1, 3)] * 3, *[st.integers(0, 2)] * 3), min_size=1, max_size=3)


@given(boxes, st.integers(0, 2), st.integers(1, 3), st.integers(1, 8), st.integers(0, 50))
def test_gaps_in_a_view_are_those_of_its_rows(
    drawn: list[tuple[int, ...]], skipped: int, arrays: int, element: int, base: int
) -> None:
    """They are counted by arithmetic: a field of 4 ranks has 20,000 rows."""
    planes = 0
    numbers: list[int] = []
    for depth, height, width, z, y, x in drawn:  # each box behind the one before
        numbers += [planes + z, y, x, depth, height, width]
        planes += z + depth
    view = [base, element, planes, 5, 5, *numbers]
    each = sum(d * h * w for d, h, w, *_ in drawn) * element
    rows = list(seen(view, skipped * each, arrays * each))
    line = " ".join(map(str, ("0 view f", *view)))
    made = ("0 open f mpiio w x", line, f"0 write_all f {skipped * each} {arrays * each}")
    ((one,),) = (of[0] for of in played(Script(1, made)).transfers.values())
    assert (one.offset, one.offset + one.span) == (rows[0][0], sum(rows[-1]))
    assert +Counter(one.gaps) == Counter(sign(b[0] - sum(a)) for a, b in pairwise(rows))


def test_kernels_are_made_without_playing_their_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are made to find one by its name; to play 393 scripts for that would take several times as long."""

    def never(*_: object) -> None:
        raise AssertionError("played")

    monkeypatch.setattr(import_module("acic.benchmarks.kernels.kernel"), "played", never)
    one = sketch(7)
    assert one.processes == one.run.ranks
    with pytest.raises(AssertionError, match="played"):
        _ = one.workload


def test_a_kernel_with_another_script_is_told_by_that() -> None:
    one = kernel("mdtest", "small")
    assert one.workload is one.workload
    writer = Writer(2)
    writer.compute(0.5)
    writer.put("x.#", 2, 100, ranks=1)
    other: Kernel = replace(one, run=writer.script)
    assert (other.processes, other.compute, other.bytes_moved) == (2, 0.5, 200)
    assert [phase.example for phase in other.workload.phases] == ["x.0"]
