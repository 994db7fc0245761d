"""A damaged log is read or refused; it never crashes, hangs or fails in another way."""

from __future__ import annotations

import random
import struct
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import UnreadableInput
from acic.workloads.darshan import Log, read_log
from acic.workloads.darshan.regions import Compression
from tests.workloads.darshan.logs import BUNDLED, DATA
from tests.workloads.darshan.mutations import mutate
from tests.workloads.darshan.writing import darshan_log, heat, record, trace

_SECONDS = 10.0  # a whole log takes milliseconds; the machine may be busy


def check(data: bytes, path: Path) -> tuple[int, int]:
    """Read a damaged log both ways; return how many times it was read and refused."""
    path.write_bytes(data)
    read = 0
    for partial in (False, True):
        start = time.perf_counter()
        with suppress(UnreadableInput):
            log = read_log(path, partial=partial)
            read += 1
            assert_sound(log)
        assert time.perf_counter() - start < _SECONDS
    return read, 2 - read


def assert_sound(log: Log) -> None:
    """What was read can be used without a further look at its bounds."""
    ranks = range(-1, log.job.processes)
    for module in log.modules.values():
        assert all(rank in ranks for rank in module.records["rank"].tolist())
        if module.name == "LUSTRE":
            assert len(module.osts) == len(module.pools) == len(module.records)
    for dxt in log.dxt.values():
        assert all(rank in ranks for rank in dxt.record_rank.tolist())
        columns = (dxt.record, dxt.id, dxt.rank, dxt.write, dxt.offset, dxt.length, dxt.start, dxt.end)
        assert len({column.shape for column in columns}) == 1
        assert len(dxt.record_id) == len(dxt.record_rank) == len(dxt.writes)
    for heatmap in log.heatmaps.values():
        assert heatmap.read_bytes.shape == heatmap.write_bytes.shape
        assert len(heatmap.ranks) == len(heatmap.read_bytes)
        assert all(rank in ranks for rank in heatmap.ranks.tolist())
    for note in log.notes:
        assert note.endswith(".")


def handmade(order: str, compression: Compression) -> bytes:
    """A log with what our own do not have: Lustre, threads; unpacked, so that no checksum hides damage."""
    segments = [(i, 10, i / 8, i / 8 + 1) for i in range(5)]
    bins = range(6)
    modules = {
        "POSIX": (4, [record(order, 69, 17, key=key, rank=rank) for key, rank in ((7, -1), (8, 2), (9, 3))]),
        "LUSTRE": (1, [struct.pack(order + "Qq5q3q", key, -1, 9, 1, 0, 1 << 20, 3, 4, 5, 6) for key in (7, 8)]),
        "DXT_POSIX": (2, [trace(order, segments, segments, rank=rank, thread=1) for rank in range(4)]),
        "DXT_MPIIO": (2, [trace(order, segments, segments, rank=rank) for rank in range(4)]),
        "HEATMAP": (1, [heat(order, bins, bins, key=key, rank=rank) for rank in range(4) for key in (1, 2)]),
    }
    names = {key: f"/scratch/{key}" for key in range(7, 15)}
    return darshan_log(modules, order=order, compression=compression, names=names)


def fuzz(count: int, seed: int, path: Path) -> tuple[int, int]:
    rng = random.Random(seed)
    logs = [path.read_bytes() for path in BUNDLED]
    logs += [handmade(order, compression) for order in "<>" for compression in Compression] * 3
    read = refused = 0
    for _ in range(count):
        ok, bad = check(mutate(rng.choice(logs), rng), path)
        read, refused = read + ok, refused + bad
    return read, refused


def test_damaged_logs_are_read_or_refused(tmp_path: Path) -> None:
    read, refused = fuzz(400, 1, tmp_path / "x.darshan")
    # the damage is neither always fatal nor always harmless, or else little was tested
    assert read > 80
    assert refused > 80


@pytest.mark.slow
def test_many_damaged_logs_are_read_or_refused(tmp_path: Path) -> None:
    fuzz(5000, 2, tmp_path / "x.darshan")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=3000))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.darshan"
    whole = (DATA / "known" / "ior_posix_1proc.darshan").read_bytes()
    check(data, path)
    check(whole[:16] + data, path)
    check(whole[:1328] + data, path)


def test_every_cut_of_a_log_is_read_or_refused(tmp_path: Path) -> None:
    whole = (DATA / "known" / "ior_posix_1proc.darshan").read_bytes()
    for size in range(0, len(whole), 3):
        path = tmp_path / "x.darshan"
        path.write_bytes(whole[:size])
        with pytest.raises(UnreadableInput, match=r"truncated|empty|not a Darshan log"):
            read_log(path)
