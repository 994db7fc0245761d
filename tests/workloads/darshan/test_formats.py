"""Rare formats: old module versions, big-endian machines, bzip2 and no packing, many packed pieces."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from acic.workloads import characterize
from acic.workloads.darshan import read_log
from acic.workloads.darshan.counters import LAYOUTS
from acic.workloads.darshan.regions import Compression
from tests.workloads.darshan.comparing import assert_same_log
from tests.workloads.darshan.logs import BUNDLED, public
from tests.workloads.darshan.writing import darshan_log, heat, record, trace

HEAT_POSIX, HEAT_STDIO = 16592106915301738621, 3989511027826779520
SEGMENTS = [(0, 100, 0.5, 0.75), (100, 50, 1.0, 1.25), (1 << 40, 7, 2.0, 2.5)]

# module, its version, log format: how many integers and floats (and file ids) such a record has
OLD = [
    ("POSIX", 1, "3.00", 68, 15, False),
    ("POSIX", 2, "3.10", 64, 15, False),
    ("POSIX", 3, "3.10", 64, 17, False),
    ("POSIX", 4, "3.21", 69, 17, False),
    ("MPI-IO", 1, "3.00", 51, 15, False),
    ("MPI-IO", 2, "3.10", 51, 15, False),
    ("MPI-IO", 3, "3.20", 51, 17, False),
    ("STDIO", 1, "3.10", 13, 15, False),
    ("STDIO", 2, "3.20", 14, 15, False),
    ("H5F", 1, "3.00", 1, 2, False),
    ("H5F", 2, "3.10", 1, 4, False),
    ("H5F", 3, "3.20", 3, 5, False),
    ("H5D", 1, "3.20", 94, 17, False),
    ("H5D", 2, "3.41", 94, 17, True),
    ("PNETCDF_FILE", 1, "3.00", 2, 2, False),
    ("PNETCDF_FILE", 2, "3.10", 2, 4, False),
    ("PNETCDF_FILE", 3, "3.41", 9, 8, False),
    ("PNETCDF_VAR", 1, "3.41", 120, 17, True),
    ("BG/Q", 1, "3.00", 12, 1, False),
    ("BG/Q", 2, "3.10", 11, 1, False),
]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize(("module", "version", "log", "integers", "floats", "file_id"), OLD)
def test_old_records_are_read_as_libdarshan_converts_them(
    tmp_path: Path, order: str, module: str, version: int, log: str, integers: int, floats: int, file_id: bool
) -> None:
    pieces = [record(order, integers, floats, rank=rank, file_id=99 if file_id else None) for rank in (-1, 3)]
    if (module, version) == ("POSIX", 1):
        # no stdio calls: these have the sevenths of the integers
        pieces = [piece[: 16 + 6 * 8] + bytes(8) + piece[16 + 7 * 8 :] for piece in pieces]
    assert_same_log(write(tmp_path / "x.darshan", darshan_log({module: (version, pieces)}, version=log, order=order)))


def test_records_that_mix_stdio_into_posix_are_left_out_with_a_note(tmp_path: Path) -> None:
    mixed = record("<", 68, 15)
    pure = mixed[: 16 + 6 * 8] + bytes(8) + mixed[16 + 7 * 8 :]
    path = write(tmp_path / "x.darshan", darshan_log({"POSIX": (1, [mixed, pure, mixed])}, version="3.00"))
    log = read_log(path)
    assert len(log.modules["POSIX"].records) == 1
    assert log.notes == ("2 POSIX records were left out: Darshan 3.0 mixed stdio calls into them.",)
    assert_same_log(path)


@pytest.mark.parametrize("compression", Compression)
@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
def test_packing_and_byte_order_make_no_difference(tmp_path: Path, compression: Compression, order: str) -> None:
    modules = {
        "POSIX": (4, [record(order, 69, 17, rank=rank) for rank in range(4)]),
        "LUSTRE": (1, [struct.pack(order + "Qq8q", 7, -1, 9, 1, 0, 1 << 20, 3, 4, 5, 6)]),
        "DXT_POSIX": (1, [trace(order, SEGMENTS, SEGMENTS[:rank], rank=rank) for rank in range(4)]),
        "HEATMAP": (1, [heat(order, [1, 2, 3], [4, 5, 6], key=HEAT_POSIX, rank=rank) for rank in range(4)]),
    }
    path = write(tmp_path / "x.darshan", darshan_log(modules, order=order, compression=compression))
    log = read_log(path)
    assert log.job.start == 1_700_000_000.25
    assert log.job.run_seconds == 10.5
    assert log.job.mounts == (("/scratch", "lustre"), ("/", "ext4"))
    assert log.modules["POSIX"].records["POSIX_OPENS"].tolist() == [1001] * 4
    assert log.modules["LUSTRE"].osts[0].tolist() == [4, 5, 6]
    assert log.dxt["DXT_POSIX"].write.sum() == 12
    assert log.heatmaps["POSIX"].write_bytes.tolist() == [[1, 2, 3]] * 4
    assert log.heatmaps["POSIX"].read_bytes.tolist() == [[4, 5, 6]] * 4
    for array in (log.modules["POSIX"].records, log.dxt["DXT_POSIX"].offset, log.heatmaps["POSIX"].read_bytes):
        assert array.dtype.isnative
    if compression is Compression.ZLIB:  # PyDarshan's wheel is built without the others
        assert_same_log(path)


@pytest.mark.parametrize("version", ["3.21", "3.41"])
@pytest.mark.parametrize(
    ("began", "ended", "said"),
    [
        (0, 1_700_000_010, "began in 1970 or before: no clock was right"),
        (-5, 10, "began in 1970 or before: no clock was right"),
        (1_700_000_000, 2**40, "ran for more than a year: a clock was wrong"),
        (1_700_000_000, 2**63 - 1, "a clock was wrong"),
        (1_700_000_000, -1, "did not end after it began: a clock was set back"),
        (1_700_000_000, 1_700_000_000 + 300 * 86_400, ""),
    ],
)
def test_a_run_time_that_cannot_be_is_not_known(
    tmp_path: Path, version: str, began: int, ended: int, said: str
) -> None:
    """A job of 292 years was believed, of which I/O took no share at all."""
    path = tmp_path / "job.darshan"
    path.write_bytes(darshan_log({}, version=version, began=began, ended=ended))
    found = characterize(read_log(path))
    assert (found.run_seconds is None) == bool(said)
    assert any("its run time is not known" in note and said in note for note in found.notes) == bool(said)


@pytest.mark.parametrize("ranks", [1, 300, 5000])
def test_each_rank_may_pack_its_own_piece(tmp_path: Path, ranks: int) -> None:
    pieces = [record("<", 69, 17, key=rank, rank=rank) for rank in range(ranks)]
    names = {rank: f"/scratch/out.{rank}" for rank in range(ranks)}
    log = read_log(write(tmp_path / "x.darshan", darshan_log({"POSIX": (4, pieces)}, names=names, processes=ranks)))
    assert_array_equal(log.modules["POSIX"].records["rank"], np.arange(ranks))
    assert dict(log.names) == names


def test_the_newest_dxt_format_tells_threads(tmp_path: Path) -> None:
    modules = {
        "DXT_POSIX": (2, [trace("<", SEGMENTS, SEGMENTS[:1], rank=2, thread=1 << 63)]),
        "DXT_MPIIO": (3, [trace("<", [], SEGMENTS, rank=3, thread=5)]),
    }
    log = read_log(write(tmp_path / "x.darshan", darshan_log(modules)))
    posix, mpiio = log.dxt["DXT_POSIX"], log.dxt["DXT_MPIIO"]
    assert posix.thread is not None
    assert posix.thread.tolist() == [1 << 63] * 4
    assert posix.write.tolist() == [True, True, True, False]
    assert posix.length.tolist() == [100, 50, 7, 100]
    assert posix.start.tolist() == [0.5, 1.0, 2.0, 0.5]
    assert mpiio.end.tolist() == [0.75, 1.25, 2.5]
    assert mpiio.rank.tolist() == [3, 3, 3]


@pytest.mark.shared
def test_the_newest_dxt_format_agrees_with_the_counters_of_its_log() -> None:
    log = read_log(public("dxt_v3_unsupported"))
    for module, trace_of in (("POSIX", log.dxt["DXT_POSIX"]), ("MPI-IO", log.dxt["DXT_MPIIO"])):
        records, prefix = log.modules[module].records, LAYOUTS[module].prefix
        for done, write_ in (("READ", False), ("WRITTEN", True)):
            moved = trace_of.length[trace_of.write == write_].sum()
            assert moved == records[f"{prefix}_BYTES_{done}"].sum() > 0
        assert trace_of.thread is not None
        assert len(set(trace_of.thread.tolist())) > 1
        assert (trace_of.end >= trace_of.start).all()
        assert (trace_of.start > 0).all()
        assert trace_of.end.max() <= log.job.run_seconds


def test_the_first_mpiio_trace_format_has_no_offsets(tmp_path: Path) -> None:
    path = write(tmp_path / "x.darshan", darshan_log({"DXT_MPIIO": (1, [trace("<", SEGMENTS, [])])}, version="3.10"))
    assert read_log(path).dxt["DXT_MPIIO"].offset.tolist() == [-1, -1, -1]
    assert_same_log(path)


def test_a_trace_that_ran_out_of_memory_is_told(tmp_path: Path) -> None:
    pieces = [trace("<", SEGMENTS, SEGMENTS, rank=1)]
    flagged = darshan_log({"DXT_POSIX": (1, pieces)}, partial=["DXT_POSIX"])
    whole = darshan_log({"DXT_POSIX": (1, pieces)})
    assert read_log(write(tmp_path / "x.darshan", flagged)).dxt["DXT_POSIX"].partial
    assert not read_log(write(tmp_path / "y.darshan", whole)).dxt["DXT_POSIX"].partial


def test_lustre_components_have_their_own_targets(tmp_path: Path) -> None:
    part = struct.Struct("<7q16s")
    pieces = [
        struct.pack("<Qqqq", 7, -1, 2, 5)
        + part.pack(1 << 20, 2, 0, 0, 0, 1 << 30, 1, b"flash")
        + part.pack(1 << 22, 3, 0, 0, 1 << 30, -1, 1, b"")
        + struct.pack("<5q", 3, 4, 5, 6, 7)
    ]
    path = write(tmp_path / "x.darshan", darshan_log({"LUSTRE": (2, pieces)}))
    lustre = read_log(path).modules["LUSTRE"]
    assert lustre.records["LUSTRE_COMP_STRIPE_SIZE"].tolist() == [1 << 20, 1 << 22]
    assert [osts.tolist() for osts in lustre.osts] == [[3, 4], [5, 6, 7]]
    assert lustre.pools == ("flash", "")
    assert_same_log(path)


def test_heat_maps_with_a_bin_too_many_or_too_few_are_made_even(tmp_path: Path) -> None:
    pieces = [
        heat("<", [1, 2, 3], [4, 5, 6], key=HEAT_POSIX, rank=0),
        heat("<", [1, 2, 3, 9], [4, 5, 6, 9], key=HEAT_STDIO, rank=0),
        heat("<", [1, 2], [4, 5], key=HEAT_POSIX, rank=1),
    ]
    assert_same_log(write(tmp_path / "y.darshan", darshan_log({"HEATMAP": (1, pieces[:2])})))
    # libdarshan means the third record to be like this, but does not tell that it has moved the bins
    path = write(tmp_path / "x.darshan", darshan_log({"HEATMAP": (1, pieces)}))
    heatmaps = read_log(path).heatmaps
    assert heatmaps["POSIX"].write_bytes.tolist() == [[1, 2, 3], [1, 2, 0]]
    assert heatmaps["POSIX"].read_bytes.tolist() == [[4, 5, 6], [4, 5, 0]]
    assert heatmaps["STDIO"].ranks.tolist() == [0]


def test_heat_maps_of_another_width_are_left_out_with_a_note(tmp_path: Path) -> None:
    pieces = [
        heat("<", [1, 2, 3], [4, 5, 6], key=HEAT_POSIX, rank=0),
        heat("<", [1, 2, 3], [4, 5, 6], key=HEAT_POSIX, rank=1, seconds=0.2),
    ]
    log = read_log(write(tmp_path / "x.darshan", darshan_log({"HEATMAP": (1, pieces)})))
    assert log.heatmaps["POSIX"].ranks.tolist() == [0]
    assert log.notes == ("1 heat map records were left out: their bins are not those of the others.",)


def test_modules_that_are_not_known_are_left_out_with_a_note(tmp_path: Path) -> None:
    modules = {
        "POSIX": (5, [b"x"]),
        "MDHIM": (1, [b"x"]),
        "STDIO": (2, [record("<", 14, 15)]),
        "DXT_MPIIO": (4, [b"x"]),
        "H5F": (0, [b"x"]),
    }
    log = read_log(write(tmp_path / "x.darshan", darshan_log(modules)))
    assert set(log.modules) == {"STDIO"}
    assert set(log.notes) == {
        "POSIX is in format 5, newer than this reader's 4, and was left out.",
        "Module MDHIM was left out: this reader does not know it.",
        "DXT_MPIIO is in format 4, newer than this reader's 3, and was left out.",
        "H5F is in format 0, which Darshan does not have, and was left out.",
    }


def test_modules_that_tell_of_no_files_are_missed_by_nobody(tmp_path: Path) -> None:
    modules = {"STDIO": (2, [record("<", 14, 15)]), "APMPI": (1, [b"x"]), "APXC": (1, [b"x"])}
    log = read_log(write(tmp_path / "x.darshan", darshan_log(modules)))
    assert (set(log.modules), log.notes, log.lost) == ({"STDIO"}, (), ())
    assert characterize(log).complete


def test_a_log_without_modules_is_fine(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "x.darshan", darshan_log({}, names={})))
    assert (log.modules, log.dxt, log.heatmaps, log.names, log.notes) == ({}, {}, {}, {}, ())


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
def test_modules_without_records_are_fine(tmp_path: Path, version: int, order: str) -> None:
    modules = {name: (version, [b""]) for name in (*LAYOUTS, "LUSTRE", "DXT_POSIX", "HEATMAP")}
    log = read_log(write(tmp_path / "x.darshan", darshan_log(modules, order=order)))
    assert {len(module.records) for module in log.modules.values()} == {0}
    assert len(log.heatmaps) == 0
    for segments in log.dxt.values():
        assert len(segments.offset) == 0


def test_segments_and_heat_maps_are_made_once_on_first_use() -> None:
    log = read_log(BUNDLED[0])
    assert "DXT_POSIX" in log.dxt
    assert "DXT_NOTHING" not in log.dxt
    assert log.dxt.get("DXT_NOTHING") is None
    assert len(log.dxt) == len(list(log.dxt))
    assert log.dxt["DXT_POSIX"] is log.dxt["DXT_POSIX"]
    again = pickle.loads(pickle.dumps(log))  # noqa: S301 - our own
    assert_array_equal(again.dxt["DXT_POSIX"].offset, log.dxt["DXT_POSIX"].offset)


def test_a_module_that_darshan_marked_as_partial_is_read(tmp_path: Path) -> None:
    data = darshan_log({"POSIX": (4, [record("<", 69, 17)])}, partial=["POSIX"])
    assert read_log(write(tmp_path / "x.darshan", data)).modules["POSIX"].partial
