"""Lessons: runs of whole small applications, which teach what benchmarks do not show.

A measurement is of one phase of a benchmark. A lesson is a run of several phases with what a log tells of each beside
its characteristics (pauses, syncs, files, whose data is read), and with the seconds of the whole run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from acic.errors import InvalidInput
from acic.prior import Use
from acic.space import Configuration
from acic.store.content import characteristics
from acic.store.tables import Kind, read_table, write_table
from acic.workloads import Characteristics
from acic.workloads.parameters import values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One run of an application on one configuration, measured.

    Args:
        application: its name; its runs on other configurations have the same.
        phases: what it does to files, each with how it is used: pauses in s of a clock, as on the baseline.
        configuration: the system parameters.
        seconds: s of the run, from the first process's start to the last one's end.
        io: s of it in I/O, of the slowest process.
        time: when it began, with a timezone.

    Raises:
        InvalidInput: no phase, or seconds that are not positive.
    """

    application: str
    phases: tuple[tuple[Characteristics, Use], ...]
    configuration: Configuration
    seconds: float
    io: float
    time: datetime

    def __post_init__(self) -> None:
        if not self.phases or not 0.0 < self.io <= self.seconds:
            raise InvalidInput(
                f"{self.application} has {len(self.phases)} phases, and {self.io:g} of {self.seconds:g} s in I/O",
                hint="leave it out",
            )

    def content(self) -> dict[str, Any]:
        """Return it as a row of a table takes it."""
        phases = [{"workload": values_of(one), "use": asdict(use)} for one, use in self.phases]
        return {
            "application": self.application,
            "phases": json.dumps(phases, sort_keys=True),
            "configuration": json.dumps(dict(self.configuration), sort_keys=True),
            "seconds": self.seconds,
            "io": self.io,
            "time": self.time.isoformat(),
        }

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Lesson:
        """Return the lesson that `content` made; KeyError, TypeError or ValueError if it is none."""
        phases = json.loads(content["phases"])
        return cls(
            application=content["application"],
            phases=tuple((characteristics(one["workload"]), Use(**one["use"])) for one in phases),
            configuration=Configuration(json.loads(content["configuration"])),
            seconds=content["seconds"],
            io=content["io"],
            time=datetime.fromisoformat(content["time"]),
        )


_KIND = Kind(
    name="acic-lessons",
    columns=dict.fromkeys(Lesson.__dataclass_fields__, "string") | dict.fromkeys(("seconds", "io"), "float64"),
    otherwise="has no lessons",
    hint="give a file of `acic survey export --lessons`",
)


def write_lessons(lessons: Iterable[Lesson], path: Path) -> None:
    """Write lessons as Parquet, whole or not at all.

    Raises:
        InvalidInput: the file cannot be written.
    """
    write_table((one.content() for one in lessons), path, _KIND)


def read_lessons(path: Path) -> list[Lesson]:
    """Return the lessons in a file of `write_lessons`.

    Raises:
        UnreadableInput: it is missing, damaged or something else.
    """
    return read_table(path, _KIND, Lesson.of)


def bundled_lessons(platform: str) -> list[Lesson]:
    """Return the lessons that come with acic for the platform called so; none if there are none."""
    return _bundled(platform, "lessons")


def bundled_compared(platform: str) -> list[Lesson]:
    """Return the runs that come with acic in which all bytes were compared, and right; none if there are none.

    They are of software that gave wrong bytes to others. Nothing learns from them: they are of one machine alone.
    """
    return _bundled(platform, "compared")


def lessons_hash(platform: str) -> str:
    """Return a text that changes when these lessons do."""
    return _hash(platform, "lessons")


def compared_hash(platform: str) -> str:
    """Return a text that changes when the runs that were compared do."""
    return _hash(platform, "compared")


def _bundled(platform: str, kind: str) -> list[Lesson]:
    file = _file(platform, kind)
    if not file.is_file():
        return []
    with resources.as_file(file) as path:
        return read_lessons(path)


def _hash(platform: str, kind: str) -> str:
    file = _file(platform, kind)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32] if file.is_file() else ""


def _file(platform: str, kind: str) -> Traversable:
    return resources.files("acic.store").joinpath("data", kind, f"{platform}.parquet")
