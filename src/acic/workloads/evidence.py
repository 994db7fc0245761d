"""Evidence: what a log has beside its counters, looked at only when a question needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from acic.units import MIB
from acic.workloads.columns import BYTES, CALLS, HIGHEST_BYTE, LIBRARY_DATA, OPENS, SECONDS, VIEWS, WAITS, WRITE
from acic.workloads.darshan import Heatmap, Log, Module, below
from acic.workloads.groups import Group
from acic.workloads.tables import Table
from acic.workloads.trace import Trace
from acic.workloads.traced import Traced, traced
from acic.workloads.workload import Interface

_FEWER = 0.9  # times as many requests, from which on some are taken to have been put together
_BUFFER = 16 * MIB  # cb_buffer_size of ROMIO where nobody sets another: aggregators make no larger request


class Evidence:
    """The log, beside its counters: traces and heat maps, prepared when first asked for."""

    def __init__(self, log: Log, tables: Mapping[str, Table]) -> None:
        self.log = log
        self.tables = tables
        self.processes = log.job.processes
        self.damaged: list[str] = []
        self._mounts = dict(reversed(log.job.mounts))  # of two file systems at one place, the first
        self._traces: dict[str, Trace] = {}
        self._places: dict[int, tuple[str, dict[str, str | int]]] = {}
        self._renames: dict[int, Counter[int]] | None = None
        self._opens: dict[str, Counter[tuple[int, int]]] = {}

    def traced(self, group: Group) -> Traced | None:
        """Return the traced requests of a group, at its level or, if they are the same there, below."""
        if group.table.name == "STDIO" or group.spans:
            return None
        if group.table.name != "POSIX" and (found := self._trace("DXT_MPIIO", group)) is not None:
            return found
        if group.table.name == "POSIX" or not group.collective:
            return self._trace("DXT_POSIX", group)
        return None

    def _trace(self, name: str, group: Group) -> Traced | None:
        trace = self._traces.get(name)
        if trace is None:
            if name not in self.log.dxt or name in self.damaged:
                return None
            trace = Trace(self.log.dxt[name])
            if not trace.possible:
                self.damaged.append(name)
                return None
            self._traces[name] = trace
        return traced(trace, group)

    def heatmap(self, group: Group) -> Heatmap | None:
        """Return the heat map of the level that counts the group's requests."""
        name = group.table.name
        if name not in ("POSIX", "STDIO"):
            name = "MPIIO" if "MPI-IO" in self.tables else "POSIX"
        if name not in self.log.heatmaps:  # to ask `get` of a mapping that lacks it costs an exception
            return None
        return self.log.heatmaps[name]

    def spent(self, group: Group, processes: int) -> float:
        """Return the mean time of a process inside the interface, for the group's requests, s."""
        d = group.direction
        table = self.tables.get(LIBRARY_DATA.get(group.interface, ""))
        if table is None or table is group.table or not table.about(group.files).totals[BYTES + d]:
            return group.times[SECONDS + d] / processes
        moved = sum(table.moved(d))
        return float(np.sum(table.seconds(SECONDS + d))) * min(1.0, group.bytes / max(moved, 1)) / processes

    def place(self, file: int) -> tuple[str, dict[str, str | int]]:
        """Return the name of a file, and what is known of where it lies."""
        found = self._places.get(file)
        if found is None:
            name = self.log.names.get(file, "")
            known: dict[str, str | int] = {}
            for where in filter(name.startswith, reversed(self._mounts)):  # the longest first
                if below(name, where):
                    known.update(file_system=self._mounts[where], mount=where)
                    break
            if "LUSTRE" in self.log.modules:
                known.update(_striping(file, self.log.modules["LUSTRE"], self._reached(file)))
            found = self._places[file] = name, known
        return found

    def _reached(self, file: int) -> int:
        """Return where the bytes that were moved of a file end, B; 0 if the log does not tell."""
        found = 0
        for table in filter(None, map(self.tables.get, ("POSIX", "STDIO"))):
            for row in table.rows_of([file]):
                highest = max(table.counters[row][HIGHEST_BYTE : HIGHEST_BYTE + 2])  # read, written
                found = max(found, highest + 1 if highest else 0)
        return found

    def opens(self, group: Group) -> int:
        """Return how often all processes together opened the group's files; 0 if the log does not tell.

        Records of datasets and variables count how often these were opened, within the files.
        """
        if group.table.name not in LIBRARY_DATA.values():
            return self._opened(group) if self.log.renamed else group.totals[OPENS]
        lower = self.tables.get("MPI-IO") or self.tables.get("POSIX")
        return lower.about(group.files).totals[OPENS] if lower is not None else 0

    def _opened(self, group: Group) -> int:
        """Return how often the processes of a group opened its files, by whichever name: each has its own record."""
        table = group.table
        if table.name not in self._opens:
            self._opens[table.name] = found = Counter[tuple[int, int]]()
            for file, rank, opens in zip(table.file_list, table.rank_list, table.column(OPENS), strict=True):
                found[file, rank] += opens
        mine = {(table.file_list[row], table.rank_list[row]) for row in group.rows}
        return sum(self._opens[table.name][one] for one in mine)

    def renames(self, group: Group) -> tuple[int, float]:
        """Return how often the files that a group writes were renamed, and by how many processes, if all do as much.

        Both are 0 if the log does not tell.
        """
        if group.direction != WRITE or "POSIX" not in self.log.modules:
            return 0, 0.0
        if self._renames is None:
            records = self.log.modules["POSIX"].records
            self._renames = {}
            for one in records[records["POSIX_RENAME_SOURCES"] > 0]:
                by_rank = self._renames.setdefault(int(one["id"]), Counter())
                by_rank[int(one["rank"])] += int(one["POSIX_RENAME_SOURCES"])
        if not self._renames:
            return 0, 0.0
        ranks = Counter[int]()
        for file in group.files:
            ranks.update(self._renames.get(file, {}))
        every, together = ranks.total(), ranks.pop(-1, 0)
        busiest = max(ranks.values(), default=0) + together  # of a file that all have open, one changes the name
        return every, every / busiest if every else 0.0

    def waits(self, group: Group) -> int:
        """Return how often each process waited for PnetCDF's non-blocking requests on the group's files."""
        table = self.tables.get("PNETCDF_FILE")
        if table is None or group.interface is not Interface.PNETCDF:
            return 0
        if group.totals[BYTES + 1 - group.direction]:
            return 0  # a wait may have been for reads or for writes
        files = table.about(group.files)
        return sum(files.totals[WAITS : WAITS + 2]) // self.processes if not files.ranks else 0

    def gathered(self, group: Group) -> bool | None:
        """Return whether collective calls went through aggregators (two-phase I/O); None if the log does not tell.

        They did where POSIX saw fewer requests than MPI-IO. Where each process is an aggregator it sees as many, which
        fit into its buffer; then the views of the file that an application set itself tell it: libraries set some
        in any case.
        """
        upper, lower = self.tables.get("MPI-IO"), self.tables.get("POSIX")
        if not group.collective or upper is None or lower is None:
            return None
        d = group.direction
        asked, made = upper.about(group.files).totals, lower.about(group.files).totals
        if not asked[CALLS + d] or not made[CALLS + d]:
            return None
        if made[CALLS + d] < _FEWER * asked[CALLS + d]:
            return True
        viewed = group.interface is Interface.MPIIO and asked[VIEWS] > 0
        return viewed and made[CALLS + d] == asked[CALLS + d] and made[BYTES + d] <= _BUFFER * made[CALLS + d]

    def viewed(self, group: Group) -> bool:
        """Return whether requests went through views of the files that the application set itself, with holes perhaps.

        There are none where POSIX saw the same independent requests: each is one piece.
        """
        if group.interface is not Interface.MPIIO or group.table.name != "MPI-IO" or not group.totals[VIEWS]:
            return False
        lower = self.tables.get("POSIX")
        if group.collective or lower is None:
            return True
        d = group.direction
        below_it = lower.about(group.files).totals
        return (below_it[CALLS + d], below_it[BYTES + d]) != (group.calls, group.bytes)


def _striping(file: int, layouts: Module, reached: int) -> dict[str, int]:
    """Return how Lustre stripes a file, of which bytes were moved up to `reached` (0: not known).

    A progressive layout has components for parts of the file, one behind the other: it is told of the one that holds
    most of those bytes, or else of the first, and how many there are.
    """
    rows = np.flatnonzero(layouts.records["id"] == np.uint64(file))
    if not len(rows):
        return {}
    found = layouts.records[rows]
    of_one = [one for one in found if all(one[name] == found[0][name] for name in ("rank", "LUSTRE_COMP_MIRROR_ID"))]
    row = max(of_one, key=lambda one: _held(one, reached))
    layout = {
        "stripe_size": int(row["LUSTRE_COMP_STRIPE_SIZE"]),
        "stripe_count": int(row["LUSTRE_COMP_STRIPE_COUNT"]),
    }
    if len(of_one) > 1:
        layout |= {"layout_components": len(of_one), "layout_from": int(row["LUSTRE_COMP_EXT_START"]) if reached else 0}
    return {name: value for name, value in layout.items() if value > 0}


def _held(component: np.void, reached: int) -> int:
    """Return how many of a file's first `reached` bytes lie in a component, whose end is -1 where it has none."""
    start, end = int(component["LUSTRE_COMP_EXT_START"]), int(component["LUSTRE_COMP_EXT_END"])
    return max(0, (reached if end < 0 else min(end, reached)) - max(0, start))
