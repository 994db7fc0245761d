"""A log read by us and by PyDarshan, compared counter by counter, segment by segment, bin by bin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from acic.workloads.darshan import Log, Module, Segments, read_log
from acic.workloads.darshan.regions import MAGIC
from tests.workloads.darshan import oracle

_HEATMAPS = {16592106915301738621: "POSIX", 3989511027826779520: "STDIO", 3668870418325792824: "MPIIO"}


def wrong_in_libdarshan(module: Module, *, big_endian: bool) -> set[str]:
    """Return what libdarshan-util 3.5.0 gets wrong in records of old versions, and of big-endian machines.

    It moves too few bytes when it makes room for the counters of POSIX version 4, and loses the last ones. It does not
    swap the bytes of three timers, because it takes their numbers for those of new counters; it looks at the version of
    H5F when it is to swap the file id of H5D; and it adds two counters of PNETCDF_FILE before it swaps their bytes.
    """
    wrong: set[str] = set()
    if module.name == "POSIX" and module.version < 4:
        if module.version > 1:
            wrong |= {"POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES"}
        if module.version == 2:
            wrong |= {"POSIX_F_FASTEST_RANK_TIME", "POSIX_F_SLOWEST_RANK_TIME"}
        if big_endian:
            wrong |= {"POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME"}
    if module.name == "PNETCDF_FILE" and module.version < 3 and big_endian:
        wrong.add("PNETCDF_FILE_OPENS")
    if module.name == "H5D" and big_endian:
        wrong.add("file_id")
    return wrong


def assert_same_log(path: Path) -> None:
    ours, theirs = read_log(path), oracle.read(path)
    big_endian = path.read_bytes()[8:16] == MAGIC.to_bytes(8, "big")
    assert_same_job(ours, theirs)
    assert dict(ours.names) == theirs.names
    for name, records in theirs.records.items():
        assert_same_records(ours.modules[name], records, *theirs.counters[name], big_endian=big_endian)
    for name, traces in theirs.dxt.items():
        assert_same_segments(ours.dxt[name], traces)
    if theirs.lustre:
        assert_same_layouts(ours.modules["LUSTRE"], theirs.lustre)
    assert_same_heatmaps(ours, theirs.heatmaps)
    for name, module in theirs.modules.items():
        read: Module | Segments | None = ours.modules.get(name) or ours.dxt.get(name)
        # libdarshan does not swap the bytes of these flags
        assert read is None or read.partial == module["partial_flag"] or big_endian


def assert_same_job(ours: Log, theirs: oracle.Theirs) -> None:
    job = ours.job
    assert (job.uid, job.processes, job.jobid) == tuple(theirs.job[k] for k in ("uid", "nprocs", "jobid"))
    assert (job.run_seconds, job.log_version) == (theirs.job["run_time"], theirs.job["log_ver"])
    assert job.start == pytest.approx(theirs.job["start_time_sec"] + theirs.job["start_time_nsec"] / 1e9)
    assert job.end == pytest.approx(theirs.job["end_time_sec"] + theirs.job["end_time_nsec"] / 1e9)
    assert dict(job.metadata) == theirs.job["metadata"]
    assert sorted(job.mounts) == sorted(theirs.mounts)
    assert job.exe == theirs.exe


def assert_same_records(
    module: Module,
    records: list[dict[str, Any]],
    integers: list[str] | None,
    floats: list[str] | None,
    *,
    big_endian: bool,
) -> None:
    ours = module.records
    assert ours["id"].tolist() == [record["id"] for record in records]
    assert ours["rank"].tolist() == [record["rank"] for record in records]
    wrong = wrong_in_libdarshan(module, big_endian=big_endian)
    if "file_id" in (ours.dtype.names or ()) and "file_id" not in wrong:
        assert ours["file_id"].tolist() == [record["file_rec_id"] for record in records]
    for kind, names in (("counters", integers), ("fcounters", floats)):
        table: NDArray[Any] = np.array([record[kind] for record in records]).reshape(len(records), -1)
        names = names or _of_type(ours, table.dtype)  # PyDarshan does not know the names of BG/Q
        assert table.shape[1] == len(names)
        for i, name in enumerate(names):
            if name not in wrong:
                assert_array_equal(ours[name], table[:, i], err_msg=name)
                assert ours[name].dtype == table.dtype


def _of_type(records: NDArray[np.void], dtype: np.dtype[Any]) -> list[str]:
    return [name for name in records.dtype.names or () if records.dtype[name] == dtype and name != "rank"]


def assert_same_segments(ours: Segments, traces: list[dict[str, Any]]) -> None:
    assert ours.record_id.tolist() == [trace["id"] for trace in traces]
    assert ours.record_rank.tolist() == [trace["rank"] for trace in traces]
    assert ours.writes.tolist() == [trace["write_count"] for trace in traces]
    theirs = [
        (i, trace["id"], trace["rank"], write, *segment.values())
        for i, trace in enumerate(traces)
        for write in (True, False)
        for segment in trace["write_segments" if write else "read_segments"]
    ]
    columns = (ours.record, ours.id, ours.rank, ours.write, ours.offset, ours.length, ours.start, ours.end)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == theirs


def assert_same_layouts(ours: Module, records: list[dict[str, Any]]) -> None:
    theirs = [
        (record["id"], record["rank"], *map(int, part["counters"].values()), part["pool_name"], list(part["ost_ids"]))
        for record in records
        for part in record["components"]
    ]
    rows = zip(ours.records.tolist(), ours.pools, ours.osts, strict=True)
    assert [(*row, pool, osts.tolist()) for row, pool, osts in rows] == theirs


def assert_same_heatmaps(ours: Log, records: list[dict[str, Any]]) -> None:
    assert sum(len(heatmap.ranks) for heatmap in ours.heatmaps.values()) == len(records)
    rows = dict.fromkeys(ours.heatmaps, 0)
    for record in records:
        module = _HEATMAPS[record["id"]]
        heatmap, row = ours.heatmaps[module], rows[module]
        rows[module] += 1
        assert heatmap.ranks[row] == record["rank"]
        assert heatmap.bin_seconds == record["bin_width_seconds"]
        assert_array_equal(heatmap.read_bytes[row], record["read_bins"])
        assert_array_equal(heatmap.write_bytes[row], record["write_bins"])
