"""HDF5, where acic-bench was built with it: a data set for each segment, with the layout's bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.bench import FAILED, Bench
from tests.native.model import WORD, Layout


@pytest.fixture(autouse=True)
def hdf5(bench: Bench, tmp_path: Path) -> None:
    if "HDF5. Exit" not in bench.do("-h", ranks=1, cwd=tmp_path):
        pytest.skip("acic-bench was built without HDF5: no parallel HDF5 of this MPI was found")


@pytest.mark.parametrize("options", ["", "-c"])
@pytest.mark.parametrize("own", [False, True], ids=["shared", "-F"])
def test_data_sets_hold_what_the_layout_says(bench: Bench, tmp_path: Path, options: str, own: bool) -> None:
    layout = Layout(ranks=3, block=16384, transfer=8192, segments=2, file_per_process=own)
    bench.do(f"-a HDF5 {options} {layout.options} -w -k -G 7 -o data", ranks=3, cwd=tmp_path)
    words_of_a_segment = layout.size() // layout.segments // WORD
    for file, words in layout.contents("t", 7).items():
        held = layout.name(tmp_path / "data", file).read_bytes()
        for segment in range(layout.segments):
            assert held.count(words[segment * words_of_a_segment :][:words_of_a_segment].tobytes()) >= 1
            assert f"Dataset-0000.{segment:04}".encode() in held


@pytest.mark.parametrize("options", ["", "-c", "-F", "-C", "-e -Y"])
def test_what_is_written_is_read(bench: Bench, tmp_path: Path, options: str) -> None:
    summary = bench.measure(f"-a HDF5 {options} -b 64k -t 4k -s 3 -w -r -W -R -i 2", ranks=3, cwd=tmp_path)
    assert [r["bytes"] for r in summary.results] == [3 * 3 * 65536] * 4
    assert summary.test["Hints"]["in force"]


@pytest.mark.parametrize("options", ["", "-c", "-F", "-e", "-Y"])
@pytest.mark.usefixtures("no_shared_memory_left")
def test_a_full_file_system_fails_without_a_hang(bench: Bench, tmp_path: Path, tiny: Path, options: str) -> None:
    summary = bench.measure(f"-a HDF5 {options} -b 2m -t 64k -o {tiny}/data", ranks=3, cwd=tmp_path, status=FAILED)
    assert "ERROR: " in summary.stderr
    assert summary.data["Status"] == "failed"


def test_a_folder_that_is_not_there(bench: Bench, tmp_path: Path) -> None:
    summary = bench.measure("-a HDF5 -b 64k -t 4k -o missing/data", cwd=tmp_path, status=FAILED)
    assert "missing/data" in summary.data["Error"]


def test_shuffled_transfers_are_refused(bench: Bench, tmp_path: Path) -> None:
    assert bench.run("-a HDF5 -z -b 64k -t 4k", cwd=tmp_path).returncode == FAILED
