"""The bytes on disk are those of IOR's layout, whoever writes them and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.native.bench import Bench
from tests.native.model import WORD, Layout, data, words_of

INTERFACES = ["-a POSIX", "-a MPIIO", "-a MPIIO -c"]
SIGNATURE = 77


def check_files(layout: Layout, path: Path, packet: str) -> None:
    for file, words in layout.contents(packet, SIGNATURE).items():
        assert_array_equal(words_of(layout.name(path, file)), words)


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("packet", ["", "-l t", "-l offset", "-l v"])
@pytest.mark.parametrize("own", [False, True], ids=["shared", "-F"])
def test_files_hold_what_the_layout_says(bench: Bench, tmp_path: Path, interface: str, packet: str, own: bool) -> None:
    layout = Layout(ranks=3, block=24576, transfer=12288, segments=2, file_per_process=own)
    bench.do(f"{interface} {layout.options} {packet} -w -k -G {SIGNATURE} -o data", ranks=3, cwd=tmp_path)
    check_files(layout, tmp_path / "data", {"": "t", "-l t": "t", "-l offset": "o", "-l v": "v"}[packet])


@settings(max_examples=12, deadline=None)
@given(
    ranks=st.integers(1, 4),
    words=st.integers(1, 700),
    transfers=st.integers(1, 4),
    segments=st.integers(1, 3),
    own=st.booleans(),
    interface=st.sampled_from(INTERFACES),
    packet=st.sampled_from("tov"),
)
def test_any_layout(
    bench: Bench,
    tmp_path_factory: pytest.TempPathFactory,
    ranks: int,
    words: int,
    transfers: int,
    segments: int,
    own: bool,
    interface: str,
    packet: str,
) -> None:
    folder = tmp_path_factory.mktemp("layout")
    transfer = words * WORD
    layout = Layout(ranks=ranks, block=transfer * transfers, transfer=transfer, segments=segments, file_per_process=own)
    bench.do(f"{interface} {layout.options} -l {packet} -w -k -G {SIGNATURE} -o d", ranks=ranks, cwd=folder)
    check_files(layout, folder / "d", packet)


@pytest.mark.parametrize("options", ["-w -W", "-w -r -R", "-w -W -r -R -C"])
def test_data_to_be_checked_carry_rank_and_offset(bench: Bench, tmp_path: Path, options: str) -> None:
    layout = Layout(ranks=2, block=8192, transfer=4096, segments=3)
    bench.do(f"{layout.options} {options} -k -G {SIGNATURE} -o data", cwd=tmp_path)
    check_files(layout, tmp_path / "data", "v")


@pytest.mark.parametrize("own", [False, True], ids=["shared", "-F"])
@pytest.mark.parametrize("interface", ["-a POSIX", "-a MPIIO"])
def test_shuffled_transfers_cover_each_block_once(bench: Bench, tmp_path: Path, interface: str, own: bool) -> None:
    layout = Layout(ranks=3, block=10 * 1024, transfer=1024, segments=2, file_per_process=own)
    summary = bench.measure(
        f"{interface} {layout.options} -z -w -r -W -R -C -k -G {SIGNATURE} -o data", ranks=3, cwd=tmp_path
    )
    assert summary.of("write")[0]["bytes"] == 3 * 20 * 1024
    writers = []
    for file in range(3 if own else 1):
        words = words_of(layout.name(tmp_path / "data", file))
        assert len(words) * WORD == layout.size()
        for offset in range(0, layout.size(), 1024):
            found = words[offset // WORD :][: 1024 // WORD]
            rank = next(r for r in range(3) if np.array_equal(found, data("v", SIGNATURE, r, offset, 1024)))
            assert rank == file or not own
            writers.append(rank)
    assert [writers.count(r) for r in range(3)] == [20, 20, 20]
    if not own:
        assert writers != sorted(writers)


def test_files_are_named_as_iors(bench: Bench, tmp_path: Path) -> None:
    for options in ("", "-F", "-m -i 2", "-F -m -i 2"):
        bench.do(f"-b 64 -t 64 -w -k {options} -o n{options.replace(' ', '')}", cwd=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "n",
        "n-F-m-i2.00000000.0",
        "n-F-m-i2.00000000.1",
        "n-F-m-i2.00000001.0",
        "n-F-m-i2.00000001.1",
        "n-F.00000000",
        "n-F.00000001",
        "n-m-i2.0",
        "n-m-i2.1",
    ]


def test_files_go_at_the_end_unless_they_are_to_be_kept(bench: Bench, tmp_path: Path) -> None:
    for interface in INTERFACES:
        bench.do(f"{interface} -b 64 -t 64 -i 2 -o data", cwd=tmp_path)
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("interface", "size"), [("POSIX", 4096), ("MPIIO", 128)])
def test_an_existing_file_is_written_into_or_removed(bench: Bench, tmp_path: Path, interface: str, size: int) -> None:
    """MPI-IO empties it in any case, as IOR does."""
    file = tmp_path / "data"
    file.write_bytes(bytes(4096))
    bench.do(f"-a {interface} -b 64 -t 64 -w -k -E -o data", cwd=tmp_path)
    assert file.stat().st_size == size
    file.write_bytes(bytes(4096))
    done = bench.run(f"-a {interface} -b 64 -t 64 -w -k -o data", cwd=tmp_path)
    assert file.stat().st_size == 128
    assert "existed already" in done.stderr


def test_fewer_tasks_than_ranks(bench: Bench, tmp_path: Path) -> None:
    summary = bench.measure("-N 2 -b 4k -t 4k -k -o data", ranks=3, cwd=tmp_path)
    assert (tmp_path / "data").stat().st_size == 8192
    assert summary.test["Options"]["tasks"] == 2
    more = bench.measure("-N 9 -b 4k -t 4k -o data", ranks=2, cwd=tmp_path)
    assert more.test["Options"]["tasks"] == 2
    assert "WARNING" in more.stderr


def test_direct_io_writes_the_same(bench: Bench, tmp_path: Path) -> None:
    layout = Layout(ranks=2, block=65536, transfer=16384)
    done = bench.run(f"--posix.odirect {layout.options} -w -k -G {SIGNATURE} -o data", cwd=tmp_path)
    if "Invalid argument" in done.stderr:
        pytest.skip("the file system of the temporary folder knows no O_DIRECT")
    check_files(layout, tmp_path / "data", "t")


def test_each_repetition_has_data_of_its_own(bench: Bench, tmp_path: Path) -> None:
    """With -E a write that is lost left the bytes of the one before, which were right; -G says which to expect."""
    for options, alike in (("", False), ("-G 7", True)):
        bench.do(f"-i 2 -m -w -W -r -R -k -b 4k -t 4k {options} -o data", cwd=tmp_path)
        first, second = ((tmp_path / f"data.{k}").read_bytes() for k in range(2))
        assert (first == second) == alike
