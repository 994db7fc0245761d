"""Ground truth: how long whole applications took on each configuration, one row for each run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from acic.errors import AcicError
from acic.space import Configuration
from acic.store.measurement import Outcome
from acic.store.tables import Kind, read_table, write_table


class OutOfTime(AcicError):
    """The time for runs was up before one was made that tells anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one application on one configuration, measured.

    Args:
        kernel: which application; scale: how large.
        configuration: the system parameters.
        repetition: the pass through all configurations that it was part of, from 0.
        time: when it began, with a timezone.
        outcome: how it ended; only OK has figures.
        seconds: s from the first process's start to the last one's end: I/O and compute.
        io: s of it in I/O, of the slowest process; compute: the same of computing.
        staged: s that copying its results to where they last took, after it; 0.0 where they last anyway.
        staged_bytes: B of these results.
        tool_version: of acic-bench.
        note: the error, or what is odd.
    """

    kernel: str
    scale: str
    configuration: Configuration
    repetition: int
    time: datetime
    outcome: Outcome
    seconds: float | None = None
    io: float | None = None
    compute: float | None = None
    staged: float = 0.0
    staged_bytes: int = 0
    tool_version: str = ""
    note: str = ""

    @property
    def total(self) -> float | None:
        """Seconds that machines are needed for: the run, and staging out; None if it failed."""
        return None if self.seconds is None else self.seconds + self.staged

    def content(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        made = asdict(self) | {"configuration": dict(self.configuration), "outcome": str(self.outcome)}
        return made | {"time": self.time.isoformat()}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Run:
        """Return the run that `content` made; KeyError, TypeError or ValueError if it is none."""
        known = {name: content[name] for name in cls.__dataclass_fields__}
        return cls(
            **known
            | {
                "configuration": Configuration(known["configuration"]),
                "outcome": Outcome(known["outcome"]),
                "time": datetime.fromisoformat(known["time"]),
            }
        )


def unsound(runs: Iterable[Run]) -> frozenset[Configuration]:
    """Return the configurations that gave wrong bytes to any application: nobody should run those."""
    return frozenset(run.configuration for run in runs if run.outcome is Outcome.CORRUPT)


_KIND = Kind(
    name="acic-truth",
    columns=dict.fromkeys(Run.__dataclass_fields__, "string")
    | dict.fromkeys(("seconds", "io", "compute", "staged"), "float64")
    | {"repetition": "int16", "staged_bytes": "int64"},
    otherwise="is no ground truth",
    hint="give a file that `acic survey export` wrote",
)


def write_truth(runs: Iterable[Run], path: Path) -> None:
    """Write runs as Parquet, whole or not at all, with the configuration as JSON in a column.

    Raises:
        InvalidInput: the file cannot be written.
    """
    rows = (run.content() for run in runs)
    texts = (row | {"configuration": json.dumps(row["configuration"], sort_keys=True)} for row in rows)
    write_table(texts, path, _KIND)


def read_truth(path: Path) -> list[Run]:
    """Return the runs in a file of `write_truth`.

    Raises:
        UnreadableInput: it is missing, damaged or something else.
    """
    return read_table(path, _KIND, lambda row: Run.of(row | {"configuration": json.loads(row["configuration"])}))
