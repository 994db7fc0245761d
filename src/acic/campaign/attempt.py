"""One run of a point that ended, and what a campaign's journal keeps of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from acic.store.measurement import Outcome, Repetition
from acic.toml import count, flag, number, string, table

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One run of a point that ended.

    Args:
        number: of the run, in the campaign.
        outcome: how it ended.
        repetition: what it gave; None unless it is ok or suspect.
        elapsed: s of wall time that it took, all told.
        dollars: USD that it cost, without what it waited in a queue; 0.0 where nobody is billed.
        overhead: s of `elapsed` in which no job had its machines: what the campaign itself took, and a queue.
        time: when it began, ISO 8601.
        note: what was odd, or the error.
        raw_sha256: hash of the raw output, "" if there is none.
        tool_version: of the benchmark.
        verified: whether the bytes were read back and found right.
    """

    number: int
    outcome: Outcome
    repetition: Repetition | None
    elapsed: float
    dollars: float
    overhead: float
    time: str
    note: str = ""
    raw_sha256: str = ""
    tool_version: str = ""
    verified: bool = False

    @property
    def kind(self) -> str:
        """Its note without numbers, which runs of one reason share."""
        return _NUMBER.sub("#", self.note)


def attempt_of(event: dict[str, Any]) -> Attempt:
    """Return the attempt that an event `finished` tells.

    Raises:
        InvalidInput, LookupError, TypeError, ValueError: it tells none.
    """
    figures = table("figures", event.get("figures") or {})
    return Attempt(
        number=count("run", event["run"], least=0),
        outcome=Outcome(event["outcome"]),
        repetition=Repetition(**{name: number(name, one) for name, one in figures.items()}) if figures else None,
        elapsed=amount("elapsed", event["elapsed"]),
        dollars=amount("dollars", event["dollars"]),
        overhead=amount("overhead", event["overhead"]),
        time=datetime.fromisoformat(event["time"]).isoformat(),
        note=string("note", event.get("note", "")),
        raw_sha256=string("raw_sha256", event.get("raw_sha256", "")),
        tool_version=string("tool_version", event.get("tool_version", "")),
        verified=flag("verified", event.get("verified", False)),
    )


def event_of(attempt: Attempt, point: int) -> dict[str, Any]:
    """Return an attempt as the fields of an event `finished`."""
    r = attempt.repetition
    figures = None if r is None else {"bandwidth": r.bandwidth, "seconds": r.seconds, "iops": r.iops}
    names = ("elapsed", "dollars", "overhead", "time", "note", "raw_sha256", "tool_version", "verified")
    rest = {name: getattr(attempt, name) for name in names}
    return {"run": attempt.number, "point": point, "outcome": str(attempt.outcome), "figures": figures, **rest}


def amount(name: str, value: object) -> float:
    """Return a number, 0 or more, that has to be there.

    Raises:
        InvalidInput, ValueError: it is none, or missing.
    """
    told = number(name, value)
    if told is None:
        raise ValueError(f"{name} is missing")
    return told
