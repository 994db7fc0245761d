"""A measurement as plain data, and the fingerprint that tells whether it is known already."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from acic.errors import InvalidInput
from acic.space import Configuration, Value
from acic.store.measurement import Basis, Measurement, Outcome, Repetition, check_figures
from acic.workloads import Access, Characteristics, Interface, Operation
from acic.workloads.parameters import checked, values_of

COUNTS = ("processes", "io_processes", "iterations", "data_size", "request_size")
FLAGS = ("collective", "shared")
CHARACTERISTICS = (*COUNTS, "interface", "operation", "access", *FLAGS)
TEXTS = ("platform", "revision", "tool", "tool_version", "contributor", "raw_sha256", "note")


def to_content(measurement: Measurement) -> dict[str, Any]:
    """Return `measurement` as what JSON can hold, every field by its own name.

    A repetition is `[bandwidth in B/s, seconds, operations per second]`, null where not reported;
    the time is ISO 8601 in UTC.
    """
    return {
        "platform": measurement.platform,
        "revision": measurement.revision,
        "workload": values_of(measurement.workload),
        "configuration": dict(measurement.configuration),
        "outcome": measurement.outcome.value,
        "time": time_text(measurement.time),
        "repetitions": repetitions_content(measurement.repetitions),
        "basis": measurement.basis.value,
        "tool": measurement.tool,
        "tool_version": measurement.tool_version,
        "versions": dict(measurement.versions),
        "host_shape": dict(measurement.host_shape),
        "seed": measurement.seed,
        "contributor": measurement.contributor,
        "raw_sha256": measurement.raw_sha256,
        "note": measurement.note,
    }


def from_content(content: Mapping[str, Any]) -> Measurement:
    """Return the measurement that `to_content` wrote.

    Raises:
        InvalidInput: a field is missing, unknown, of the wrong kind, or its value is not possible.
    """
    try:
        unknown = set(content) - _FIELDS
        if unknown:
            raise InvalidInput(f"there is no field {min(unknown)!r}", hint="correct the field's name")
        found = Measurement(
            **texts(content),
            workload=_possible(characteristics(_names(content["workload"], "workload"))),
            configuration=configuration(content["configuration"]),
            outcome=Outcome(content["outcome"]),
            time=_time(_text(content["time"], "time")),
            repetitions=repetitions(_triples(content["repetitions"], "repetitions")),
            basis=Basis(content["basis"]),
            versions=versions(content["versions"]),
            host_shape=host_shape(content["host_shape"]),
            seed=None if content["seed"] is None else _count(content["seed"], "seed"),
        )
        check_figures(found)
        return found
    except KeyError as error:
        raise InvalidInput(f"the field {error.args[0]!r} is missing", hint="add it") from error
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidInput(f"a field is not what it should be: {error}", hint="correct it") from error


def characteristics(content: Mapping[str, Any]) -> Characteristics:
    """Return the characteristics that `values_of` gave; TypeError or ValueError if it did not."""
    unknown = set(content) - set(CHARACTERISTICS)
    if unknown:
        raise ValueError(f"workload has no field {min(unknown)!r}")
    return _characteristics(*(content[name] for name in CHARACTERISTICS))


@lru_cache(4096, typed=True)  # of 1 and True the one is no flag, and the other no count
def _characteristics(*values: Any) -> Characteristics:
    told: dict[str, Any] = dict(zip(CHARACTERISTICS, values, strict=True))
    counts: dict[str, Any] = {name: _count(told[name], name) for name in COUNTS}
    flags: dict[str, Any] = {name: _flag(told[name], name) for name in FLAGS}
    return Characteristics(
        **counts,
        **flags,
        interface=Interface(told["interface"]),
        operation=Operation(told["operation"]),
        access=Access(told["access"]),
    )


def texts(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a measurement that are texts; KeyError or TypeError if one is missing or none."""
    return {name: _text(content[name], name) for name in TEXTS}


def configuration(content: object) -> Configuration:
    """Return the configuration that is `dict(configuration)`; TypeError or ValueError if it is not of one."""
    for key, value in (labels := _names(content, "configuration")).items():
        if not isinstance(value, str | int | float):
            raise TypeError(f"configuration holds {value!r}")
        if isinstance(value, float) and not math.isfinite(value):  # JSON has none: it could not be exported
            raise ValueError(f"{key} is {value}")
    return Configuration(labels)


def versions(content: object) -> dict[str, str]:
    """Return the versions of what ran; TypeError if they are none."""
    return {name: _text(value, "versions") for name, value in _names(content, "versions").items()}


def host_shape(content: object) -> dict[str, str | int]:
    """Return what a run ran on; TypeError if it is none."""
    return {name: _shape(value) for name, value in _names(content, "host_shape").items()}


def repetitions_content(them: Sequence[Repetition]) -> list[list[float | None]]:
    """Return repetitions as [bandwidth, seconds, iops], each."""
    return [[r.bandwidth, r.seconds, r.iops] for r in them]


def repetitions(content: Sequence[Sequence[float | None]]) -> tuple[Repetition, ...]:
    """Return the repetitions that `repetitions_content` wrote; TypeError or ValueError if it did not."""
    return tuple(
        Repetition(bandwidth=_figure(bandwidth), seconds=_figure(seconds), iops=_figure(iops))
        for bandwidth, seconds, iops in content
    )


def time_text(time: datetime) -> str:
    """Return `time` as ISO 8601 in UTC, of one length, so that texts sort as times do."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def repetitions_text(measurement: Measurement) -> str:
    """Return the repetitions as JSON: what the database keeps, and what the fingerprint is made of."""
    figures = [(r.bandwidth, r.seconds, r.iops) for r in measurement.repetitions]
    return _compact([[x if x is None else float(x) for x in row] for row in figures])


def fingerprint(measurement: Measurement) -> str:
    """Return the sha256, in hex, of what was measured, on what, and what came out.

    How a figure was judged (`outcome`) and labelled (`revision`, `contributor`, `note`) is left out: the
    same run imported twice is one measurement, whoever imports it. Where there are figures, the raw
    output stands for the moment of the run, since a file without a time inside (IOR's CSV) would
    otherwise be new after every copy; else the time does.
    """
    return fingerprint_of(measurement, repetitions_text(measurement))


def beginning(text: str) -> str:
    """Return `text` as the beginning of a fingerprint.

    Raises:
        InvalidInput: it is empty, or not hexadecimal.
    """
    wanted = text.lower()
    if not wanted or set(wanted) - set("0123456789abcdef"):
        raise InvalidInput(
            f"{text!r} is no fingerprint", hint="give the first digits that `acic data list --limit 20` shows"
        )
    return wanted


def fingerprint_of(measurement: Measurement, text: str) -> str:
    """Return `fingerprint(measurement)`, whose `repetitions_text` is `text`."""
    raw = measurement.raw_sha256 if measurement.bandwidths else ""
    made = [measurement.basis, raw or time_text(measurement.time), measurement.tool, measurement.tool_version]
    identity = (  # a list in JSON, whose tables recur
        _compact(measurement.platform),
        _configuration_text(measurement.configuration),
        *map(_compact, made),
        _table_text(*measurement.versions.items()),
        _table_text(*measurement.host_shape.items()),
        "null" if measurement.seed is None else _compact(measurement.seed),
    )
    whole = f"[{','.join(identity)}]{_workload_text(measurement.workload)}{text}"
    return hashlib.sha256(whole.encode()).hexdigest()


@lru_cache(4096)
def _configuration_text(configuration: Configuration) -> str:
    return _compact(_canonical(configuration))


@lru_cache(4096)
def _table_text(*items: tuple[str, Value]) -> str:
    return _compact(_canonical(dict(items)))


@lru_cache(4096)
def _workload_text(workload: Characteristics) -> str:
    return _compact([getattr(workload, name) for name in CHARACTERISTICS])


_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_FIELDS = frozenset((*TEXTS, "workload", "configuration", "outcome", "time", "repetitions", "basis")) | frozenset(
    ("versions", "host_shape", "seed")
)


def _canonical(values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: v if isinstance(v, str) else _number(v) for name, v in values.items()}


def _number(value: float) -> float:
    """Return 1 for 1.0 and True, which Python holds equal: equal measurements have one fingerprint."""
    return int(value) if isinstance(value, int) or value.is_integer() else value


@lru_cache(4096)
def _possible(workload: Characteristics) -> Characteristics:
    """Return the workload; InvalidInput of a count that no machine has, and that no cache gives back."""
    for name in COUNTS:
        checked(name, getattr(workload, name))
    return workload


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, not text")
    return value


def _names(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {value!r}, not an object of names and values")
    return value


def _triples(value: object, name: str) -> Sequence[Any]:
    if not isinstance(value, list) or not all(isinstance(one, list) and len(one) == 3 for one in value):
        raise TypeError(f"{name} is {value!r}, not a list of [bandwidth, seconds, operations per second]")
    return value


def _count(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, not a whole number")
    return value


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, not true or false")
    return value


def _figure(value: object) -> float | None:
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"{value!r} is not a figure")


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time.astimezone(UTC) if time.tzinfo else time  # one without is told by Measurement


def _shape(value: object) -> str | int:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"host_shape holds {value!r}")
