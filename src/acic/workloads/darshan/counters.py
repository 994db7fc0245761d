"""Darshan's counters, as data: what each module records about a file, in the order of the log.

What each counter means stands beside its definition in Darshan's `include/darshan-*-log-format.h`
(https://github.com/darshan-hpc/darshan, 3.5.0), from which this table was taken. Counters are in B and s;
timestamps are in s since the start of the job; -1 stands for "not recorded".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The record of one module in one version of its format.

    Args:
        prefix: what every counter's name begins with, without the last underscore.
        version: of the module's format.
        integers: names of the int64 counters, without prefix.
        floats: names of the float64 counters, without prefix.
        file_id: whether the record names the file that its dataset or variable is in.
        tail: fields behind the counters, with their numpy types.
    """

    prefix: str
    version: int
    integers: tuple[str, ...]
    floats: tuple[str, ...]
    file_id: bool = False
    tail: tuple[tuple[str, str], ...] = ()

    def dtype(self) -> np.dtype[np.void]:
        """Return the record's numpy type in native byte order."""
        head = [("id", "u8"), ("rank", "i8"), *([("file_id", "u8")] if self.file_id else [])]
        counters = [(f"{self.prefix}_{name}", "i8") for name in self.integers]
        timers = [(f"{self.prefix}_{name}", "f8") for name in self.floats]
        return np.dtype([*head, *counters, *timers, *self.tail])


def names(*parts: str) -> tuple[str, ...]:
    """Return the words of all `parts`, in order."""
    return tuple(name for part in parts for name in part.split())


def _sizes(prefix: str) -> str:
    ranges = "0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS"
    return " ".join(f"{prefix}_{size}" for size in ranges.split())


def _top_four(*names: str) -> str:
    return " ".join(f"{name[0]}{i}_{name[1]}" for name in (n.split("*") for n in names) for i in (1, 2, 3, 4))


def _shapes() -> str:
    axes = " ".join(f"ACCESS*_{what}_D{axis}" for what in ("LENGTH", "STRIDE") for axis in range(1, 6))
    return " ".join(f"ACCESS*_ACCESS {axes}".replace("*", str(i)) for i in (1, 2, 3, 4))


_ACCESSES = _top_four("ACCESS*ACCESS", "ACCESS*COUNT")
_RANKS = "FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES"
_SLOWEST_SIZES = "MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE"
_HISTOGRAMS = f"{_sizes('SIZE_READ')} {_sizes('SIZE_WRITE')}"
_AGG_HISTOGRAMS = f"{_sizes('SIZE_READ_AGG')} {_sizes('SIZE_WRITE_AGG')}"
_RANK_TIMES = "F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME"
_VARIANCES = "F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES"
_TIMERS = """
    F_OPEN_START_TIMESTAMP F_READ_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_CLOSE_START_TIMESTAMP
    F_OPEN_END_TIMESTAMP F_READ_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_CLOSE_END_TIMESTAMP
    F_READ_TIME F_WRITE_TIME F_META_TIME F_MAX_READ_TIME F_MAX_WRITE_TIME F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME"""
_DAOS_IDS = (("pool_uuid", "V16"), ("cont_uuid", "V16"))

LAYOUTS = {
    "POSIX": Layout(
        prefix="POSIX",
        version=4,
        integers=names(
            "OPENS FILENOS DUPS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS RENAME_SOURCES RENAME_TARGETS",
            "RENAMED_FROM MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN CONSEC_READS CONSEC_WRITES",
            "SEQ_READS SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED FILE_ALIGNMENT",
            _SLOWEST_SIZES,
            _HISTOGRAMS,
            _top_four("STRIDE*STRIDE", "STRIDE*COUNT"),
            _ACCESSES,
            _RANKS,
        ),
        floats=names(_TIMERS, _VARIANCES),
    ),
    "MPI-IO": Layout(
        prefix="MPIIO",
        version=3,
        integers=names(
            "INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS SPLIT_WRITES",
            "NB_READS NB_WRITES SYNCS HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN RW_SWITCHES",
            _SLOWEST_SIZES,
            _AGG_HISTOGRAMS,
            _ACCESSES,
            _RANKS,
        ),
        floats=names(_TIMERS, _VARIANCES),
    ),
    "H5F": Layout(
        prefix="H5F",
        version=3,
        integers=names("OPENS FLUSHES USE_MPIIO"),
        floats=names(
            "F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_META_TIME"
        ),
    ),
    "H5D": Layout(
        prefix="H5D",
        version=2,
        file_id=True,
        integers=names(
            "OPENS READS WRITES FLUSHES BYTES_READ BYTES_WRITTEN RW_SWITCHES REGULAR_HYPERSLAB_SELECTS",
            "IRREGULAR_HYPERSLAB_SELECTS POINT_SELECTS",
            _SLOWEST_SIZES,
            _AGG_HISTOGRAMS,
            _shapes(),
            _top_four("ACCESS*COUNT"),
            "DATASPACE_NDIMS DATASPACE_NPOINTS DATATYPE_SIZE",
            "CHUNK_SIZE_D1 CHUNK_SIZE_D2 CHUNK_SIZE_D3 CHUNK_SIZE_D4 CHUNK_SIZE_D5",
            "USE_MPIIO_COLLECTIVE USE_DEPRECATED",
            _RANKS,
        ),
        floats=names(_TIMERS, _VARIANCES),
    ),
    "PNETCDF_FILE": Layout(
        prefix="PNETCDF_FILE",
        version=3,
        integers=names(
            "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES",
        ),
        floats=names(
            "F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WAIT_START_TIMESTAMP",
            "F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WAIT_END_TIMESTAMP F_META_TIME F_WAIT_TIME",
        ),
    ),
    "PNETCDF_VAR": Layout(
        prefix="PNETCDF_VAR",
        version=1,
        file_id=True,
        integers=names(
            "OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES NB_READS NB_WRITES",
            "BYTES_READ BYTES_WRITTEN RW_SWITCHES",
            "PUT_VAR PUT_VAR1 PUT_VARA PUT_VARS PUT_VARM PUT_VARN PUT_VARD",
            "GET_VAR GET_VAR1 GET_VARA GET_VARS GET_VARM GET_VARN GET_VARD",
            "IPUT_VAR IPUT_VAR1 IPUT_VARA IPUT_VARS IPUT_VARM IPUT_VARN",
            "IGET_VAR IGET_VAR1 IGET_VARA IGET_VARS IGET_VARM IGET_VARN",
            "BPUT_VAR BPUT_VAR1 BPUT_VARA BPUT_VARS BPUT_VARM BPUT_VARN",
            _SLOWEST_SIZES,
            _AGG_HISTOGRAMS,
            _shapes(),
            _top_four("ACCESS*COUNT"),
            "NDIMS NPOINTS DATATYPE_SIZE IS_RECORD_VAR",
            _RANKS,
        ),
        floats=names(_TIMERS, _VARIANCES),
    ),
    "BG/Q": Layout(
        prefix="BGQ",
        version=2,
        integers=names("CSJOBID NNODES RANKSPERNODE DDRPERNODE INODES ANODES BNODES CNODES DNODES ENODES TORUSENABLED"),
        floats=names("F_TIMESTAMP"),
    ),
    "STDIO": Layout(
        prefix="STDIO",
        version=2,
        integers=names(
            "OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ MAX_BYTE_WRITTEN", _RANKS
        ),
        floats=names(
            "F_META_TIME F_WRITE_TIME F_READ_TIME",
            "F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_READ_START_TIMESTAMP",
            "F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_READ_END_TIMESTAMP",
            _RANK_TIMES,
            _VARIANCES,
        ),
    ),
    "DFS": Layout(
        prefix="DFS",
        version=1,
        integers=names(
            "OPENS GLOBAL_OPENS LOOKUPS DUPS READS READXS WRITES WRITEXS NB_READS NB_WRITES GET_SIZES PUNCHES",
            "REMOVES STATS BYTES_READ BYTES_WRITTEN RW_SWITCHES",
            _SLOWEST_SIZES,
            _HISTOGRAMS,
            _ACCESSES,
            "CHUNK_SIZE",
            _RANKS,
        ),
        floats=names(_TIMERS),
        tail=_DAOS_IDS,
    ),
    "DAOS": Layout(
        prefix="DAOS",
        version=1,
        integers=names(
            "OBJ_OPENS OBJ_FETCHES OBJ_UPDATES OBJ_PUNCHES OBJ_DKEY_PUNCHES OBJ_AKEY_PUNCHES OBJ_DKEY_LISTS",
            "OBJ_AKEY_LISTS OBJ_RECX_LISTS ARRAY_OPENS ARRAY_READS ARRAY_WRITES ARRAY_GET_SIZES ARRAY_SET_SIZES",
            "ARRAY_STATS ARRAY_PUNCHES ARRAY_DESTROYS KV_OPENS KV_GETS KV_PUTS KV_REMOVES KV_LISTS KV_DESTROYS",
            "NB_OPS BYTES_READ BYTES_WRITTEN RW_SWITCHES",
            _SLOWEST_SIZES,
            _HISTOGRAMS,
            _ACCESSES,
            "OBJ_OTYPE ARRAY_CELL_SIZE ARRAY_CHUNK_SIZE",
            _RANKS,
        ),
        floats=names(_TIMERS),
        tail=(*_DAOS_IDS, ("oid_hi", "u8"), ("oid_lo", "u8")),
    ),
}
