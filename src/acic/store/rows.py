"""Measurements as rows of the table: one row each, every repetition kept inside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from acic.errors import InvalidInput
from acic.space import Configuration, Value
from acic.store.content import (
    CHARACTERISTICS,
    TEXTS,
    characteristics,
    configuration,
    fingerprint,
    fingerprint_of,
    host_shape,
    repetitions_text,
    texts,
    time_text,
    versions,
)
from acic.store.measurement import Basis, Measurement, Outcome, Repetition
from acic.workloads import Characteristics

COLUMNS = (
    "fingerprint",
    "checksum",
    "platform",
    "revision",
    *CHARACTERISTICS,
    "configuration",
    "outcome",
    "basis",
    "time",
    "repetitions",
    "tool",
    "tool_version",
    "versions",
    "host_shape",
    "seed",
    "contributor",
    "raw_sha256",
    "note",
)
TRAINING_COLUMNS = (
    "fingerprint",
    "revision",
    "time",
    "repetitions",
    "configuration",
    "contributor",
    *CHARACTERISTICS,
)
RUN = ("platform", "raw_sha256", "basis", "tool", *CHARACTERISTICS)  # what tells a run, beside when it was
_LARGEST = 2**63 - 1  # of a database's integers


class TrainingRecord(NamedTuple):
    """What training needs of a measurement, without the cost of the whole."""

    fingerprint: str
    workload: Characteristics
    configuration: Configuration
    revision: str
    time: float  # s since 1970, UTC
    bandwidths: tuple[float, ...]  # B/s
    contributor: str = ""


def training_record(measurement: Measurement) -> TrainingRecord | None:
    """Return what training needs of `measurement`; None if it teaches nothing (not ok, or not measured)."""
    if measurement.outcome is not Outcome.OK or measurement.basis is not Basis.MEASURED:
        return None
    return TrainingRecord(
        fingerprint(measurement),
        measurement.workload,
        measurement.configuration,
        measurement.revision,
        measurement.time.timestamp(),
        measurement.bandwidths,
        measurement.contributor,
    )


def encode(measurement: Measurement) -> dict[str, Any]:
    """Return `measurement` as a row.

    Raises:
        InvalidInput: a number or text that no database can hold.
    """
    figures = repetitions_text(measurement)
    mark = fingerprint_of(measurement, figures)
    time = time_text(measurement.time)  # which is corrected by removing and importing anew, and ages what is learned
    judged = "\0".join((mark, measurement.outcome, measurement.revision, measurement.contributor, time))
    row = dict(_workload_columns(measurement.workload))
    told = {name: getattr(measurement, name) for name in TEXTS}
    _check_texts(told)
    row |= told
    row["fingerprint"] = mark
    row["checksum"] = int(hashlib.sha256(judged.encode()).hexdigest()[:10], 16)
    row["configuration"] = _text_of(measurement.configuration)
    row["outcome"] = measurement.outcome.value
    row["basis"] = measurement.basis.value
    row["time"] = time
    row["repetitions"] = figures
    row["versions"] = _text_of(measurement.versions)
    row["host_shape"] = _text_of(measurement.host_shape)
    row["seed"] = None if measurement.seed is None else str(measurement.seed)
    return row


def run_of(measurement: Measurement) -> tuple[Any, ...]:
    """Return the values of `RUN`, without the cost of a whole row."""
    workload = _workload_columns(measurement.workload)
    told = (measurement.platform, measurement.raw_sha256, measurement.basis.value, measurement.tool)
    return (*told, *(workload[name] for name in CHARACTERISTICS))


class Decoder:
    """Rows back to measurements; workloads and configurations that recur are made once.

    A damaged row is one of the errors in `reading._DAMAGE`, here, and not where its measurement is used.
    """

    def __init__(self) -> None:
        self._workloads: dict[tuple[Any, ...], Characteristics] = {}
        self._configurations: dict[str, Configuration] = {}

    def measurement(self, values: Sequence[Any]) -> Measurement:
        """Return the measurement whose row of `COLUMNS` is `values`."""
        row = dict(zip(COLUMNS, values, strict=True))
        return Measurement(
            **texts(row),
            workload=self.workload(tuple(row[name] for name in CHARACTERISTICS)),
            configuration=self.configuration(row["configuration"]),
            outcome=Outcome(row["outcome"]),
            basis=Basis(row["basis"]),
            time=datetime.fromisoformat(row["time"]),
            repetitions=tuple(Repetition(bandwidth=b, seconds=s, iops=i) for b, s, i in json.loads(row["repetitions"])),
            versions=versions(json.loads(row["versions"])),
            host_shape=host_shape(json.loads(row["host_shape"])),
            seed=None if row["seed"] is None else int(row["seed"]),
        )

    def training_record(self, row: Sequence[Any]) -> TrainingRecord:
        """Return what training needs of a row of `TRAINING_COLUMNS`."""
        mark, revision, time, figures, settings, contributor, *workload = row
        bandwidths = tuple([bandwidth for bandwidth, _, _ in json.loads(figures) if bandwidth is not None])
        if not 0 <= sum(bandwidths) < inf:  # all at once: a store has a million
            raise ValueError(f"its bandwidths are {figures}")
        return TrainingRecord(
            mark,
            self.workload(tuple(workload)),
            self.configuration(settings),
            revision,
            datetime.fromisoformat(time).timestamp(),
            bandwidths,
            contributor,
        )

    def workload(self, key: tuple[Any, ...]) -> Characteristics:
        """Return the workload whose `CHARACTERISTICS` are `key`."""
        if key not in self._workloads:
            self._workloads[key] = characteristics(dict(zip(CHARACTERISTICS, key, strict=True)))
        return self._workloads[key]

    def configuration(self, text: str) -> Configuration:
        """Return the configuration that `text` is the JSON of."""
        if text not in self._configurations:
            self._configurations[text] = configuration(json.loads(text))
        return self._configurations[text]


def check_text(name: str, value: str) -> None:
    """Raise InvalidInput where no database can hold the text `value` of what is called `name`."""
    if "\0" in value:
        raise InvalidInput(f"{name} holds a NUL character", hint="leave it out")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} is not valid text", hint="write it in UTF-8") from error


@lru_cache(4096)
def _workload_columns(workload: Characteristics) -> dict[str, Any]:
    row = {name: getattr(workload, name) for name in CHARACTERISTICS}
    for name, value in row.items():
        if isinstance(value, int) and value > _LARGEST:
            raise InvalidInput(f"{name} ({value}) is too large for a database", hint="it counts bytes, or processes")
    return row | {name: row[name].value for name in ("interface", "operation", "access")}


def _text_of(table: Mapping[str, Value]) -> str:
    """Return names and values as JSON; most measurements share theirs with others."""
    return _table_text(tuple(table), *table.values())


@lru_cache(4096, typed=True)  # 1, 1.0 and True are equal, and have texts of their own
def _table_text(names: tuple[str, ...], *values: Value) -> str:
    return json.dumps(dict(zip(names, values, strict=True)))


def _check_texts(row: Mapping[str, str]) -> None:
    joined = "".join(row.values())
    if joined.isascii() and "\0" not in joined:
        return
    for name, value in row.items():
        check_text(name, value)
