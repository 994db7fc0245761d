"""Counters: the records of the modules that keep a fixed number of them for each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.regions import Damage, Region
from acic.workloads.darshan.versions import Conversion, conversion


@dataclass(slots=True)  # not frozen: that takes twice as long to make, and a small log is read in 0.1 ms
class Module:
    """What one module recorded.

    Args:
        name: Darshan's own, as "POSIX" or "MPI-IO".
        version: of the module's format in the log; the records are always those of the newest.
        partial: Darshan ran out of memory for this module, so that some files are not in it.
        records: one for each file and rank (rank -1: all ranks together): "id", "rank", for H5D and PNETCDF_VAR
            "file_id", and every counter under Darshan's name, B and s; -1 where an older version lacks it. LUSTRE
            has one record for each component of a file's layout.
        osts: LUSTRE only: the object storage targets of each record.
        pools: LUSTRE only: the pool of each record, or "".
    """

    name: str
    version: int
    partial: bool
    records: NDArray[np.void]
    osts: tuple[NDArray[np.int64], ...] = ()
    pools: tuple[str, ...] = ()


def check_ranks(ranks: Sequence[int], processes: int) -> None:
    """Refuse ranks that the job does not have; -1 is all of them.

    Raises:
        Damage: a rank below -1 or not below `processes`.
    """
    if ranks and (min(ranks) < -1 or max(ranks) >= processes):
        raise Damage("name a rank that the job does not have")


def read_records(raw: bytes, region: Region, order: str, processes: int) -> tuple[Module, str]:
    """Return the records of a module in `counters.LAYOUTS`, and a note on what of them was left out, or "".

    Raises:
        Damage: the last record is cut, or a rank is impossible.
    """
    how = conversion(region.name, region.version)
    if how is None:  # read_log has left this one out
        raise Damage("are in an unknown format")
    if len(raw) % how.source.itemsize:
        raise Damage("end within a record")
    note = ""
    if order == "<":
        records = np.frombuffer(raw, dtype=how.source)
    elif how.swapped is None:
        raw = np.frombuffer(raw, dtype=np.uint64).byteswap().tobytes()
        records = np.frombuffer(raw, dtype=how.source)
    else:
        records = np.frombuffer(raw, dtype=how.swapped).astype(how.source)
        raw = records.tobytes()
    if not how.same:
        records, note = _convert(records, raw, how, region)
    check_ranks(records["rank"].tolist(), processes)
    return Module(region.name, region.version, region.partial, records), note


def _convert(records: NDArray[np.void], raw: bytes, how: Conversion, region: Region) -> tuple[NDArray[np.void], str]:
    """Return the records, of which `raw` are the bytes, in the newest layout, and a note.

    `view` is not used, as numpy then looks at every field in Python.
    """
    note = ""
    if region.name == "POSIX" and region.version == 1:
        # these mix stdio calls into the POSIX counters, and nothing can tell them apart
        mixed = records["POSIX_FOPENS"] > 0
        if np.count_nonzero(mixed):
            note = f"{int(mixed.sum())} POSIX records were left out: Darshan 3.0 mixed stdio calls into them."
            records = records[~mixed]
            raw = records.tobytes()
    words = np.frombuffer(raw, dtype=np.int64).reshape(len(records), how.source.itemsize // 8)
    newest = np.empty((len(records), how.target.itemsize // 8), dtype=np.int64)
    newest[:] = how.blank
    for target, source in how.blocks:
        newest[:, target] = words[:, source]
    converted = np.frombuffer(newest, dtype=how.target)
    if region.name == "PNETCDF_FILE":
        converted["PNETCDF_FILE_OPENS"] = records["PNETCDF_FILE_INDEP_OPENS"] + records["PNETCDF_FILE_COLL_OPENS"]
    return converted, note
