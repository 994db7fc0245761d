"""Verification finds every kind of wrong bytes, and says so in status, message and JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.bench import FAILED, OK, WRONG_DATA, Bench
from tests.native.model import Layout

LAYOUT = Layout(ranks=2, block=16384, transfer=4096, segments=2)
OPTIONS = f"{LAYOUT.options} -G 5 -o data"


def swap(file: bytearray, first: int, second: int, length: int) -> None:
    a, b = file[first : first + length], file[second : second + length]
    file[first : first + length], file[second : second + length] = b, a


def flip(file: bytearray) -> None:
    file[20000] ^= 1


def swap_ranks(file: bytearray) -> None:
    swap(file, 0, 16384, 4096)


def swap_blocks_of_a_rank(file: bytearray) -> None:
    swap(file, 0, 4096, 4096)


def swap_sectors(file: bytearray) -> None:
    swap(file, 512, 1024, 512)


def swap_segments(file: bytearray) -> None:
    swap(file, 0, 32768, 16384)


def lose(file: bytearray) -> None:
    file[4096:8192] = bytes(4096)


def repeat(file: bytearray) -> None:
    file[4096:8192] = file[0:4096]


DAMAGES = [flip, swap_ranks, swap_blocks_of_a_rank, swap_sectors, swap_segments, lose, repeat]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("interface", ["-a POSIX", "-a MPIIO -c"])
def test_damage_is_found(bench: Bench, tmp_path: Path, interface: str, damage: Callable[[bytearray], None]) -> None:
    bench.do(f"{interface} {OPTIONS} -w -W -k", cwd=tmp_path)
    bench.do(f"{interface} {OPTIONS} -r -R -k -C", cwd=tmp_path)
    file = bytearray((tmp_path / "data").read_bytes())
    damage(file)
    (tmp_path / "data").write_bytes(file)
    for options in ("-r -R -k", "-R -C -k", "-W -k"):
        summary = bench.measure(f"{interface} {OPTIONS} {options}", cwd=tmp_path, status=WRONG_DATA)
        assert "ERROR: incorrect data on" in summary.stderr
        assert summary.data["Status"] == "wrong data"
        assert sum(summary.test["Errors"][k] for k in ("checkWrite", "checkRead")) > 0
        assert summary.test["Results"] == summary.data["summary"] == []
        assert "Finished" not in summary.data


def test_the_first_wrong_place_is_named(bench: Bench, tmp_path: Path) -> None:
    bench.do(f"{OPTIONS} -w -W -k", cwd=tmp_path)
    file = bytearray((tmp_path / "data").read_bytes())
    file[40001] ^= 1
    (tmp_path / "data").write_bytes(file)
    summary = bench.measure(f"{OPTIONS} -r -R -k", cwd=tmp_path, status=WRONG_DATA)
    assert summary.test["Errors"] == {"checkWrite": 0, "checkRead": 1, "first": "data at byte 40000"}


def test_data_written_without_a_check_are_checked_too(bench: Bench, tmp_path: Path) -> None:
    """A run that only checks takes IOR's own data for right as well."""
    bench.do(f"{OPTIONS} -w -k", cwd=tmp_path)
    bench.do(f"{OPTIONS} -R -k", cwd=tmp_path)
    file = bytearray((tmp_path / "data").read_bytes())
    file[20000] ^= 1
    (tmp_path / "data").write_bytes(file)
    assert bench.run(f"{OPTIONS} -R -k", cwd=tmp_path).returncode == WRONG_DATA
    assert bench.run(f"{OPTIONS.replace('-G 5', '-G 6')} -R -k", cwd=tmp_path).returncode == WRONG_DATA


def test_a_short_file_is_a_failure(bench: Bench, tmp_path: Path) -> None:
    for interface in ("-a POSIX", "-a MPIIO", "-a MPIIO -c"):
        bench.do(f"{interface} {OPTIONS} -w -k", cwd=tmp_path)
        with (tmp_path / "data").open("r+b") as file:
            file.truncate(LAYOUT.size() - 100)
        done = bench.run(f"{interface} {OPTIONS} -r -k", cwd=tmp_path)
        assert done.returncode == FAILED
        assert "ERROR" in done.stderr


def test_wrong_files_are_kept_on_demand(bench: Bench, tmp_path: Path) -> None:
    for keep, there in (("", False), ("-K", True)):
        bench.do(f"{OPTIONS} -w -W -k", cwd=tmp_path)
        file = bytearray((tmp_path / "data").read_bytes())
        flip(file)
        (tmp_path / "data").write_bytes(file)
        assert bench.run(f"{OPTIONS} -r -R {keep}", cwd=tmp_path).returncode == WRONG_DATA
        assert (tmp_path / "data").exists() == there
    assert bench.run(f"{OPTIONS} -r -w -R -K", cwd=tmp_path).returncode == OK
    assert not (tmp_path / "data").exists()
