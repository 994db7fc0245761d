"""The same command line on IOR itself, where there is one: the same bytes, and bandwidths that can be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.native.bench import Bench

COMMANDS = [
    f"{interface} {options}"
    for interface in ("-a POSIX", "-a MPIIO", "-a MPIIO -c")
    for options in (
        "-b 64k -t 16k",
        "-b 64k -t 16k -s 3",
        "-b 64k -t 16k -F",
        "-b 64k -t 16k -s 2 -F -m -i 2",
        "-b 47008 -t 47008 -s 2",
        "-b 64k -t 16k -l offset -s 2",
        "-b 64k -t 16k -C -e",
        "-b 64k -t 16k -N 2 -g",
    )
]


def written(bench: Bench, options: str, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    bench.do(f"{options} -k -G 7 -o data", ranks=3, cwd=folder)
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.parametrize("options", COMMANDS)
def test_the_same_bytes_and_names(bench: Bench, ior: Bench, tmp_path: Path, options: str) -> None:
    assert written(bench, options, tmp_path / "ours") == written(ior, options, tmp_path / "theirs")


@pytest.mark.parametrize("own", ["", "-F"])
def test_shuffled_files_have_the_same_sizes(bench: Bench, ior: Bench, tmp_path: Path, own: str) -> None:
    options = f"-b 64k -t 4k -z {own}"
    ours, theirs = (written(b, options, tmp_path / b.program.name) for b in (bench, ior))
    assert {n: len(c) for n, c in ours.items()} == {n: len(c) for n, c in theirs.items()}


@pytest.mark.parametrize("options", ["-a POSIX", "-a MPIIO -F", "-a MPIIO -c -s 2", "-a POSIX -l offset -s 2"])
def test_each_takes_the_others_data_for_right(bench: Bench, ior: Bench, tmp_path: Path, options: str) -> None:
    line = f"{options} -b 64k -t 16k -k -G 7 -o data"
    for writer, reader in ((bench, ior), (ior, bench)):
        writer.do(f"{line} -w", ranks=2, cwd=tmp_path)
        reader.do(f"{line} -r -R", ranks=2, cwd=tmp_path)


@pytest.mark.parametrize("interface", ["-a POSIX", "-a MPIIO", "-a MPIIO -c"])
def test_bandwidths_are_of_one_size(bench: Bench, ior: Bench, tmp_path: Path, interface: str) -> None:
    """Only that nothing is measured wrongly: benchmarks/bench_native.py compares them closely."""
    best: dict[str, dict[str, float]] = {}
    for name, program in (("ours", bench), ("theirs", ior)):
        path = tmp_path / f"{name}.json"
        program.do(f"{interface} -b 8m -t 1m -i 7 -o data -O summaryFormat=JSON -O summaryFile={path}", cwd=tmp_path)
        best[name] = {s["operation"]: s["bwMaxMIB"] for s in json.loads(path.read_text())["summary"]}
    for access in ("write", "read"):
        assert 1 / 4 < best["ours"][access] / best["theirs"][access] < 4
