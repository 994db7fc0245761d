"""Kernels are what they say they are: their scripts, read a second time, have the characteristics that they tell."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections import defaultdict
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from acic.benchmarks.kernels import Kernel, Part, kernel, kernels, result_of
from acic.benchmarks.kernels.table import table
from acic.errors import InvalidInput, UnreadableInput
from acic.prior import uses_of
from acic.workloads import Characteristics, Operation, Quality, dump_workload, ior_commands
from tests.benchmarks.kernels.reading import Found, Reading, last, phases, read

PARTS: tuple[Part, ...] = ("development", "test", "heldout")
KERNELS = tuple(one for part in PARTS for one in kernels(part))
KEYS = [one.key for one in KERNELS]
PAGE = Path(__file__).parents[3] / "docs" / "kernels.md"
MADE = re.compile(r"(<!-- (\w+), made from the code[^\n]*-->\n)(.*?)(<!-- the end of what is made -->)", re.DOTALL)
EVERY = pytest.mark.parametrize("one", KERNELS, ids=KEYS)


@cache
def reading(key: str) -> Reading:
    one = next(one for one in KERNELS if one.key == key)
    return read(one.run.text, one.inputs)


def test_the_page_s_example_gets_as_far_as_to_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended at its second line: there was no folder for the scripts."""
    (example,) = re.findall(r"```python\n(.*?)^outcome = ", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(example)  # noqa: S102  # our own page
    assert len(list((tmp_path / "scripts").iterdir())) == len(kernel("btio", "small").steps)


def test_every_kernel_has_a_name_of_its_own() -> None:
    assert len(set(KEYS)) == len(KEYS) == 24 + 208 + 10
    assert len({(one.name, one.scale) for one in KERNELS}) == len(KERNELS)
    for one in KERNELS:
        assert kernel(one.name, one.scale) is one
        assert re.fullmatch(r"[a-z0-9-]+", one.key)
    with pytest.raises(InvalidInput, match="no kernel btio at the scale only"):
        kernel("btio")


def test_the_applications_of_the_papers_are_there() -> None:
    names = {one.name for one in KERNELS}
    assert names >= {"btio", "flashio", "madbench2", "mpiblast", "abyss", "pop", "vpicio", "vorpalio", "gcrmio"}


@EVERY
def test_the_workload_is_the_truth_about_the_script(one: Kernel) -> None:
    told_truly(one, reading(one.key))
    dump_workload(one.workload)
    assert ior_commands(one.workload)


def told_truly(one: Kernel, found: Reading) -> None:
    told = {}
    before = read(one.prepares.text) if one.prepares else Reading()
    for phase in one.workload.phases:
        told[phase.characteristics.operation.value, phase.example] = phase
    seen = phases(found)
    assert len(seen) == len(told)
    for truth in seen:
        (phase,) = [p for (operation, path), p in told.items() if path in truth.files and operation == truth.operation]
        c = phase.characteristics
        for name in ("io_processes", "iterations", "data_size", "request_size", "collective", "shared"):
            assert getattr(c, name) == getattr(truth, name), name
        for name in ("interface", "operation", "access"):
            assert getattr(c, name).value == getattr(truth, name), name
        assert c.processes == found.ranks == one.processes == one.workload.processes
        assert phase.files == len(truth.files)
        assert phase.bytes == truth.bytes == c.total_bytes
        assert phase.details.get("syncs", 0) == (truth.syncs if c.operation is Operation.WRITE else 0)
        assert phase.details.get("collective_buffering", False) == truth.interleaved
        assert phase.details.get("times_over", 1.0) == truth.bytes / truth.extent
        assert phase.details.get("ranks_apart", 1.0) == truth.apart
        assert phase.details.get("contiguous", False) == (truth.contiguous and truth.shared)
        assert phase.details.get("written_by_others", False) == truth.others
        assert phase.details.get("input_writers", 1.0) == pytest.approx(_writers(truth, found, before))
        if opens := phase.details.get("opens"):
            assert opens == sum(found.opens[path] for path in truth.files)
        assert set(phase.quality.values()) == {Quality.EXACT}
        if c.iterations > 1:
            assert truth.pauses == {phase.details.get("pause_seconds", 0.0)}
    assert one.bytes_moved == sum(request.size for request in found.requests)
    assert [p.bytes for p in one.workload.phases] == sorted((p.bytes for p in one.workload.phases), reverse=True)
    assert found.computed == pytest.approx([one.compute] * one.processes)
    for phase, use in zip(one.workload.phases, uses_of(one.workload), strict=True):
        assert "opens" in phase.details or not use.own, "whether it was opened again to be read is not told"


def _writers(phase: Found, found: Reading, before: Reading) -> float:
    """How many ranks wrote each of the files that a phase reads, before the run, by the bytes that it reads of them."""
    writers: dict[str, set[int]] = defaultdict(set)
    for request in before.requests:
        if request.write:
            writers[request.path].add(request.rank)
    read_of_them = [
        (len(writers[one.path]), one.size)
        for one in found.requests
        if phase.operation == "read" and not one.write and one.path in phase.files and writers[one.path]
    ]
    return sum(n * size for n, size in read_of_them) / sum(size for _, size in read_of_them) if read_of_them else 1.0


@EVERY
def test_files_are_inputs_results_or_removed(one: Kernel) -> None:
    found = reading(one.key)
    assert found.made - found.removed == {found.kept.get(path, last(path, found.names)) for path in one.results}
    assert found.removed <= found.made
    assert {request.path for request in found.requests} <= found.made | {last(path, found.names) for path in one.inputs}
    prepared = read(one.prepares.text) if one.prepares else Reading()
    assert prepared.made == set(one.inputs)
    assert (one.prepares is None) == (not one.inputs)


@EVERY
def test_what_is_read_was_written(one: Kernel) -> None:
    check_what_is_read(one)


def check_what_is_read(one: Kernel) -> None:
    """Each byte that is read is written, by the run or before it."""
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    scripts = [read(script.text) for script in (one.prepares, one.run) if script]
    for found in scripts:
        for request in found.requests:
            if request.write:
                spans[request.path] += [(offset, offset + size) for offset, size in request.pieces]
    for pieces in spans.values():
        pieces.sort()
    for request in scripts[-1].requests:
        if not request.write:
            low, high = request.offset, request.end
            for start, end in spans[request.path]:
                if start <= low < end:
                    low = end
            assert low >= high


@EVERY
def test_files_of_all_ranks_are_written_whole_and_once(one: Kernel) -> None:
    check_whole(one, reading(one.key))


def check_whole(one: Kernel, found: Reading) -> None:
    """Cells, blocks and records of the ranks fit together without a gap; only what is written again overlaps."""
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for request in found.requests:
        if request.write:
            spans[request.path] += request.pieces
    for path, pieces in spans.items():
        pieces.sort()
        assert pieces[0][0] == 0
        again = (
            found.renamed[path] > 1
            or path == "header"
            or one.name.startswith(
                (
                    "madbench2",
                    "espresso",
                    "inplace",
                    "lammps",
                    "megatron",
                    "mesa",
                    "molcas",
                    "siesta",
                    "suite2p",
                    "swift",
                    "yolo",
                )
            )
        )
        for (a, length), (b, _) in pairwise(pieces):
            assert b == a + length or (again and a == b)


def test_cells_of_btio_are_those_of_npb() -> None:
    """Each rank has a cell in each slab, no two of them in one row or column of cells."""
    for scale, side in (("small", 2), ("large", 4)):
        one = kernel("btio", scale)
        views = [line.split() for line in one.run.lines if " view " in line]
        assert len(views) == side**2
        for words in views:
            numbers = [int(word) for word in words[8:]]
            cells = [tuple(numbers[at : at + 3]) for at in range(0, len(numbers), 6)]
            for dimension in range(3):
                assert len({cell[dimension] for cell in cells}) == side


def test_two_scales_differ_only_in_scale() -> None:
    by_name: dict[str, list[Kernel]] = defaultdict(list)
    for one in KERNELS:
        by_name[one.name].append(one)
    kinds = ("interface", "operation", "collective", "shared", "access")
    for alike in by_name.values():
        assert [one.scale for one in alike] in (["small", "large"], ["only"])
        if len(alike) == 2:
            small, large = alike
            assert (small.title, small.source, small.steps) == (large.title, large.source, large.steps)
            for a, b in zip(small.workload.phases, large.workload.phases, strict=True):
                assert [getattr(a.characteristics, k) for k in kinds] == [getattr(b.characteristics, k) for k in kinds]
            assert large.processes > small.processes
            assert large.bytes_moved > small.bytes_moved
            stems = [{re.sub(r"\d+", "", path) for path in one.results} for one in alike]
            assert stems[0] == stems[1]


@EVERY
def test_inputs_are_written_by_ranks_of_other_nodes(one: Kernel) -> None:
    """Ranks stand in blocks on four nodes; what few readers read is written by all, most of it elsewhere."""
    if one.prepares is None:
        return
    made = read(one.prepares.text)
    block = one.processes // 4
    nodes = {(r.path, offset): r.rank // block for r in made.requests for offset, _ in r.pieces}
    assert len(set(nodes.values())) == 4
    readers = {r.rank for r in reading(one.key).requests if not r.write}
    whole = [(path, node) for (path, _), node in nodes.items()]
    for path in one.inputs:
        here = [node in {rank // block for rank in readers} for name, node in whole if name == path]
        assert len(readers) > 2 or sum(here) * 2 <= len(here)


@EVERY
def test_sizes_suit_the_lab(one: Kernel) -> None:
    """See docs/kernels.md: seconds, not minutes, with disks of 250 IOPS and half of a processor on each of 4 nodes."""
    assert one.processes in (4, 8, 16)
    assert one.bytes_moved <= 130e6
    assert one.compute * one.processes / 4 <= 2
    random = sum(p.bytes // p.characteristics.request_size for p in one.workload.phases if p.details.get("syncs"))
    random += sum(
        p.bytes // p.characteristics.request_size
        for p in one.workload.phases
        if p.characteristics.access.value == "random"
    )
    assert random <= 1000


@cache
def training() -> dict[str, list[object]]:
    text = resources.files("acic.platforms").joinpath("data/lab.toml").read_text()
    found: dict[str, list[object]] = tomllib.loads(text)["training"]
    return found


@EVERY
def test_no_kernel_is_a_point_of_the_training_ranges(one: Kernel) -> None:
    for phase in one.workload.phases:
        assert not is_trained(phase.characteristics)


def is_trained(c: Characteristics) -> bool:
    return all(getattr(c, name) in values for name, values in training().items())


def test_a_trained_point_would_be_found() -> None:
    first = {name: values[-1] for name, values in training().items()}
    assert is_trained(Characteristics(**first))  # type: ignore[arg-type]  # checked by the callee


def test_the_commands_are_those_of_acic_bench(tmp_path: Path) -> None:
    one = kernel("abyss", "small")
    one.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["abyss-small-prepare.script", "abyss-small-run.script"]
    assert one.command("run", Path("/d"), scripts=Path("/s"), summary=Path("/j"), check=True) == (
        *("play", "/s/abyss-small-run.script", "--dir", "/d", "-O", "summaryFormat=JSON"),
        *("-O", "summaryFile=/j", "-W"),
    )
    assert one.command("prepare", Path("/d"))[-1] == "--fill"
    assert one.command("run", Path("/d"), settle=True)[-1] == "--settle"
    with pytest.raises(InvalidInput, match="prepares nothing"):
        kernel("one-writer").command("prepare", Path("/d"))
    with pytest.raises(InvalidInput, match="cannot write"):
        one.write(tmp_path / "missing")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"Play": {}}', '{"Status": "ok", "Play": [], "Hints": {}}', '{"a'])
def test_what_is_no_summary_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput, match="no summary"):
        result_of(text)


def test_a_failure_has_no_times() -> None:
    text = '{"Status": "failed", "Error": "disk full", "Play": {"filesMade": 1}, "Hints": {"in force": {}}}'
    outcome = result_of(text)
    assert not outcome.good
    assert outcome.error == "disk full"
    assert math.isnan(outcome.seconds)
    assert math.isnan(outcome.io_seconds)


def test_the_page_has_the_golden_table() -> None:
    page, tables = PAGE.read_text(), {str(part): table(part) for part in PARTS}
    expected = MADE.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n{found[4]}", page)
    assert [found[2] for found in MADE.finditer(page)] == list(tables)
    if os.environ.get("ACIC_WRITE_GOLDEN"):
        PAGE.write_text(expected)
    assert PAGE.read_text() == expected
    for one in KERNELS:
        assert f"| `{one.key}` |" in expected
        assert one.source in expected
