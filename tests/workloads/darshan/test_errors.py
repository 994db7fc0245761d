"""What cannot be read is told with the reason and the remedy, and never otherwise."""

from __future__ import annotations

import bz2
import gzip
import os
import struct
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest

from acic.errors import UnreadableInput
from acic.workloads.darshan import Log, read_log
from acic.workloads.darshan.regions import Compression
from tests.workloads.darshan.logs import DATA
from tests.workloads.darshan.writing import darshan_log, heat, record, trace

FPP = DATA / "known" / "ior_posix_fpp.darshan"
POSIX = {"POSIX": (4, [record("<", 69, 17)])}
HEAT = heat("<", [1, 2], [3, 4], key=16592106915301738621, rank=0)


def refusal(path: Path, data: bytes | None = None, *, partial: bool = False) -> UnreadableInput:
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UnreadableInput) as caught:
        read_log(path, partial=partial)
    assert caught.value.hint
    assert caught.value.problem.startswith(f"cannot read {path}: ")
    return caught.value


def place(data: bytes, slot: int) -> tuple[int, int]:
    """Return start and length of a region of a 3.41 log: slot 0 is the names, then come the modules."""
    start, length = struct.unpack_from("<QQ", data, 32 + 16 * slot)
    return start, length


NOT_LOGS = {
    "empty": (b"", "the file is empty"),
    "text": (b"Hello, world, this is a text file.\n" * 99, "it is not a Darshan log"),
    "number": (b"3.14159265358979323846264338327950288419716939937510", "it is not a Darshan log"),
    "zeros": (bytes(5000), "it is not a Darshan log"),
    "magic": (b"3.41\0\0\0\0" + bytes(5000), "its magic number is wrong"),
    "short": (b"3.41", "truncated in its header"),
    "header": (FPP.read_bytes()[:500], "truncated in its header"),
    "future": (FPP.read_bytes().replace(b"3.41", b"3.99", 1), "log format 3.99 is unknown"),
    "darshan 2": (gzip.compress(b"2.05\0\0\0\0" + bytes(3000)), "it is a log of Darshan 2 (format 2.05)"),
    "darshan 2, bzip2": (bz2.compress(b"2.02\0\0\0\0" + bytes(3000)), "it is a log of Darshan 2 (format 2.02)"),
    "darshan 1": (gzip.compress(b"1.22\0\0\0\0" + bytes(3000)), "it is a log of Darshan 1 (format 1.22)"),
    "darshan 2, unpacked": (b"2.05\0\0\0\0" + bytes(3000), "it is a log of Darshan 2 (format 2.05)"),
    "packed log": (gzip.compress(FPP.read_bytes()), "it is packed with gzip or bzip2"),
    "damaged gzip": (b"\x1f\x8b" + bytes(100), "it is packed with gzip or bzip2"),
    "no such packing": (
        FPP.read_bytes()[:16] + b"\x07" + FPP.read_bytes()[17:],
        "it is packed with method 7, which Darshan does not have",
    ),
    "no job": (FPP.read_bytes()[:1328], "the log is truncated in its job record"),
    "half a job": (FPP.read_bytes()[:1400], "the log is truncated in its job record"),
    "damaged job": (FPP.read_bytes()[:1330] + b"\xff" * 8 + FPP.read_bytes()[1338:], "its job record do not unpack"),
    "processes": (darshan_log(POSIX, processes=0), "the data of its job record claim 0 processes"),
    "many processes": (darshan_log(POSIX, processes=1 << 60), "claim 1152921504606846976 processes"),
}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("what", NOT_LOGS)
def test_what_is_no_log_is_refused_with_the_reason(tmp_path: Path, what: str, partial: bool) -> None:
    data, reason = NOT_LOGS[what]
    assert reason in refusal(tmp_path / "x.darshan", data, partial=partial).problem


def test_missing_files_directories_and_pipes_are_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.darshan").problem
    assert "it is a directory" in refusal(tmp_path).problem
    assert "not a regular file" in refusal(Path("/dev/zero")).problem
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe").problem
    assert "the system says" in refusal(tmp_path / "x\0y").problem
    assert "the system says" in refusal(tmp_path / ("x" * 5000)).problem
    assert "the system says" in refusal(FPP / "below").problem


def test_a_file_without_read_permission_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:  # the tests may run as root, who may read everything
        raise PermissionError

    monkeypatch.setattr(os, "open", denied)
    assert "you may not read it" in refusal(FPP).problem


def test_a_log_that_is_cut_says_after_which_module(tmp_path: Path) -> None:
    data = FPP.read_bytes()
    names, posix, stdio, dxt, heatmap = (place(data, slot) for slot in (0, 2, 10, 11, 16))
    assert names < posix < stdio < dxt < heatmap
    last = [
        (names[0] + 1, "the job record"),
        (sum(names), "the file names"),
        (sum(posix) - 1, "the file names"),
        (sum(posix), "module POSIX"),
        (sum(dxt), "module DXT_POSIX"),
        (sum(heatmap) - 1, "module DXT_POSIX"),
    ]
    for size, whole in last:
        path = tmp_path / "x.darshan"
        error = refusal(path, data[:size])
        assert error.problem == f"cannot read {path}: the log is truncated after {whole}"
        assert error.hint == (
            "the file was cut while it was written or copied: copy it again, or run the job again, "
            "or pass --partial to use the modules that are whole"
        )
    (tmp_path / "x.darshan").write_bytes(data[: sum(heatmap)])
    assert read_log(tmp_path / "x.darshan").notes == ()


def test_partial_uses_the_modules_that_are_whole(tmp_path: Path) -> None:
    data, path = FPP.read_bytes(), tmp_path / "x.darshan"
    whole = read_log(FPP)
    path.write_bytes(data[: sum(place(data, 10))])
    cut = read_log(path, partial=True)
    assert set(cut.modules) == {"POSIX", "STDIO"}
    assert (cut.modules["POSIX"].records == whole.modules["POSIX"].records).all()
    assert (cut.dxt, cut.heatmaps, cut.names, cut.job) == ({}, {}, whole.names, whole.job)
    assert cut.notes == (
        "Module DXT_POSIX was left out: the data end early.",
        "Module HEATMAP was left out: the data end early.",
    )
    path.write_bytes(data[: place(data, 0)[0] + 1])
    nothing = read_log(path, partial=True)
    assert (nothing.modules, nothing.names) == ({}, {})
    assert nothing.notes[0] == "The file names were left out: the data end early."


DAMAGED = {
    "checksum": (None, "the data of module POSIX do not unpack"),
    "half a record": ({"POSIX": (4, [record("<", 69, 17)[:-1]])}, "the data of module POSIX end within a record"),
    "no record": ({"POSIX": (4, [b"abc"])}, "the data of module POSIX end within a record"),
    "rank": ({"POSIX": (4, [record("<", 69, 17, rank=4)])}, "name a rank that the job does not have"),
    "rank -2": ({"POSIX": (4, [record("<", 69, 17, rank=-2)])}, "name a rank that the job does not have"),
    "dxt head": ({"DXT_POSIX": (1, [trace("<", [], [])[:50]])}, "DXT_POSIX end within a record"),
    "dxt count": (
        {"DXT_POSIX": (1, [trace("<", [], [])[:-16] + struct.pack("<qq", 1 << 59, 1 << 59)])},
        "DXT_POSIX end within a record",
    ),
    "dxt negative": (
        {"DXT_POSIX": (1, [trace("<", [], [])[:-16] + struct.pack("<qq", -1, 1)])},
        "DXT_POSIX end within a record",
    ),
    "dxt rank": ({"DXT_MPIIO": (2, [trace("<", [], [], rank=1 << 40)])}, "name a rank that the job does not have"),
    "bins": ({"HEATMAP": (1, [HEAT[:24] + struct.pack("<q", 1 << 60) + HEAT[32:]])}, "HEATMAP end within a record"),
    "minus bins": ({"HEATMAP": (1, [HEAT[:24] + struct.pack("<q", -1) + HEAT[32:]])}, "HEATMAP end within a record"),
    "bin width": ({"HEATMAP": (1, [HEAT[:16] + struct.pack("<d", -1) + HEAT[24:]])}, "HEATMAP hold impossible bins"),
    "no bin width": (
        {"HEATMAP": (1, [HEAT[:16] + struct.pack("<d", float("nan")) + HEAT[24:]])},
        "HEATMAP hold impossible bins",
    ),
    "stripes": ({"LUSTRE": (1, [struct.pack("<Qq5q", 7, -1, 1, 1, 0, 1, 1 << 60)])}, "LUSTRE end within a record"),
    "components": ({"LUSTRE": (2, [struct.pack("<Qqqq", 7, -1, 1 << 60, 0)])}, "LUSTRE end within a record"),
    "stripe count": (
        {"LUSTRE": (2, [struct.pack("<Qqqq7q16sq", 7, -1, 1, 1, 1, 2, 0, 0, 0, 0, 0, b"", 5)])},
        "LUSTRE hold more stripes than they say",
    ),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_module_is_refused_or_left_out(tmp_path: Path, what: str) -> None:
    modules, reason = DAMAGED[what]
    path = tmp_path / "x.darshan"
    data = darshan_log(modules or POSIX)
    if modules is None:
        last = sum(place(data, 2)) - 1
        data = data[:last] + bytes([data[last] ^ 1]) + data[last + 1 :]
    error = refusal(path, data)
    assert reason in error.problem
    assert "--partial" in error.hint
    log = read_log(path, partial=True)
    assert (log.modules, log.dxt, log.heatmaps) == ({}, {}, {})
    assert len(log.notes) == 1


def test_a_region_in_the_header_or_behind_the_file_is_refused(tmp_path: Path) -> None:
    for start, reason in ((8, "overlap the header"), (1 << 63, "truncated after the file names")):
        data = bytearray(darshan_log(POSIX))
        struct.pack_into("<Q", data, 32 + 32, start)
        assert reason in refusal(tmp_path / "x.darshan", bytes(data)).problem


BOMBS = {
    "zlib": (Compression.ZLIB, 256, 1),
    "zlib pieces": (Compression.ZLIB, 8, 32),
    "bzip2": (Compression.BZIP2, 32, 1),
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, what: str) -> None:
    compression, mebibytes, pieces = BOMBS[what]
    data = darshan_log({"POSIX": (4, [bytes(mebibytes << 20)] * pieces)}, compression=compression)
    assert len(data) < 1 << 19
    (tmp_path / "x.darshan").write_bytes(data)
    tracemalloc.start()
    start = time.perf_counter()
    try:
        assert "unpack to more than a log can hold" in refusal(tmp_path / "x.darshan").problem
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - start < 20


def test_names_are_read_whatever_their_bytes_are(tmp_path: Path) -> None:
    data = darshan_log(POSIX, names={7: "/näme", 8: ""})
    start, length = place(data, 0)
    raw = zlib.decompress(data[start : start + length]).replace("ä".encode(), b"\xff\xfe")
    packed = zlib.compress(raw + struct.pack("<Q", 8) + b"/late\0")
    changed = bytearray(data + packed)
    struct.pack_into("<QQ", changed, 32, len(data), len(packed))
    (tmp_path / "x.darshan").write_bytes(changed)
    log: Log = read_log(tmp_path / "x.darshan")
    assert dict(log.names) == {7: "/n\ufffd\ufffdme", 8: "/late"}
