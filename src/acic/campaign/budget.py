"""What a campaign may spend, and what its runs are expected to."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import product
from statistics import fmean, median
from typing import Any

from acic.campaign.points import Point
from acic.errors import InvalidInput, MissingData
from acic.platforms import Platform
from acic.platforms.platform import SECONDS_PER_HOUR
from acic.toml import count, number
from acic.units import format_seconds, format_usd, parse_seconds
from acic.workloads import Operation

_MONEY = re.compile(r"\s*\$?\s*(\d+(?:\.\d+)?)\s*(?:USD|\$)?\s*", re.IGNORECASE)
ASSUMED_BANDWIDTH = 100e6  # B/s of each machine, before anything was measured
ASSUMED_START = 0.5  # s, for a job to begin and end
_JOBS = {Operation.READ: 2, Operation.WRITE: 1}


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent: s of run time, USD, points, and until when (s since 1970); None where there is no limit."""

    seconds: float | None = None
    dollars: float | None = None
    points: int | None = None
    deadline: float | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Return the budget that a user gives: "2h", "10min", "50USD", "$50".

        Raises:
            InvalidInput: neither a time nor money, or nothing at all.
        """
        match = _MONEY.fullmatch(text)
        try:
            if match and ("$" in text or "usd" in text.lower()):
                found = cls(dollars=float(match.group(1)))
            else:
                found = cls(seconds=parse_seconds(text))
        except InvalidInput:
            raise InvalidInput(f"{text!r} is no budget", hint="write a time (10min, 2h) or money (50USD)") from None
        if not (found.seconds or found.dollars):
            raise InvalidInput(f"{text!r} covers nothing", hint="give a time (10min, 2h) or money (50USD) above 0")
        return found

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Budget:
        """Return the budget that a journal tells, by the names of the fields.

        Raises:
            InvalidInput: a limit that is none.
            TypeError: one of another name.
        """
        points = told.get("points")
        limits = {name: number(name, value) for name, value in told.items() if name != "points"}
        return cls(points=None if points is None else count("points", points), **limits)

    def left(self, seconds: float, dollars: float) -> float:
        """Return which part of the budget is left, at least 0."""
        parts = [1.0]
        if self.seconds is not None:
            parts.append(1 - seconds / self.seconds if self.seconds else 0.0)
        if self.dollars is not None:
            parts.append(1 - dollars / self.dollars if self.dollars else 0.0)
        return max(0.0, min(parts))

    def covers(self, seconds: float, dollars: float, *, until: float = 0.0) -> bool:
        """Return whether spending this much in all, until then (s since 1970), stays within it."""
        if self.deadline is not None and until > self.deadline:
            return False
        return (self.seconds is None or seconds <= self.seconds) and (self.dollars is None or dollars <= self.dollars)

    def doubled(self, seconds: float = 0.0, dollars: float = 0.0) -> str:
        """Return what a user types for twice as much time, or else money: as was allowed, or as is given if more."""
        if self.seconds is not None:
            return f"{_plain(2 * (self.seconds if seconds <= self.seconds else _rounded_up(seconds)))}s"
        allowed = self.dollars or 0.0
        return f"{_plain(2 * (allowed if dollars <= allowed else _rounded_up(dollars)))}USD"

    def check(self, platform: Platform) -> None:
        """Refuse to be limited by money where nothing has a price: it would never end.

        Raises:
            InvalidInput: it is so.
        """
        if self.dollars is not None:
            check_prices(platform, otherwise="give a time (10min, 2h)")

    def __str__(self) -> str:
        parts = [format_seconds(self.seconds)] if self.seconds is not None else []
        parts += [format_usd(self.dollars)] if self.dollars is not None else []
        parts += [f"{self.points} points"] if self.points is not None else []
        return " and ".join(parts) or "no limit"


def _rounded_up(number: float) -> float:
    """Return two digits that are as much or more."""
    digit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / digit) * digit


def _plain(number: float) -> str:
    """Return a number without an exponent and without what floats add to it (15 digits): `Budget.parse` reads it."""
    return f"{Decimal(f'{number:.15g}').normalize():f}"


def check_prices(platform: Platform, *, otherwise: str, varied: Collection[str] = ()) -> None:
    """Refuse a platform without prices, before anything is run.

    Args:
        platform: that is to be measured.
        otherwise: what a user can do instead.
        varied: parameters that may be other than in the baseline: of free machines there is no cost to compare.

    Raises:
        InvalidInput: it has none, or its baseline costs nothing, or another machine or disk with it.
    """
    hint = f"{otherwise}, or a platform file with prices of its machines (docs/platforms.md)"
    paid = [role for role in (platform.roles.instance, platform.roles.device) if role in varied]
    values = product(*(platform.space[role].values for role in paid))
    others = [{**platform.baseline, **dict(zip(paid, one, strict=True))} for one in values]
    try:
        free = [one for one in (platform.baseline, *others) if platform.cost(one, 1, 1.0) <= 0]
    except MissingData as error:
        raise InvalidInput(error.problem, hint=hint) from error
    if free:
        names = ", ".join(dict.fromkeys(platform.instance_for(one).name for one in free))
        raise InvalidInput(f"machines of {platform.name} cost nothing: {names}", hint=hint)


class Expectation:
    """How long runs take: a start-up, and their bytes at the bandwidth seen so far.

    It learns from each run; what a run took over what was expected of it corrects the next.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._ratios: list[float] = []
        self._paid: list[float] = []  # likewise, of the s that were paid for
        self._ran: list[float] = []  # likewise, of the s in its jobs, without what they waited for in a queue
        self._spent: list[tuple[float, float]] = []  # s and USD of each run

    def learn(self, point: Point, seconds: float, dollars: float, *, paid: float, ran: float) -> None:
        """Take in the s that a run took, its USD for `paid` s of machines, and the s that its jobs `ran`."""
        for ratios, told in ((self._ratios, seconds), (self._paid, paid), (self._ran, ran)):
            ratios.append(told / self._first_guess(point))
        self._spent.append((seconds, dollars))

    def covered(self, budget: Budget) -> float:
        """Return how many runs like recent ones the whole budget covers; inf where it limits none that is known."""
        limits = zip((budget.seconds, budget.dollars), zip(*self._spent[-51:], strict=True), strict=False)
        known = [(limit, fmean(spent)) for limit, spent in limits if limit is not None]
        return min((limit / each for limit, each in known if each), default=math.inf)

    def seconds(self, point: Point) -> float:
        """Return what a run of `point` is expected to take, s."""
        return self._corrected(point, self._ratios)

    def paid(self, point: Point) -> float:
        """Return for how long the machines of a run of `point` are expected to be paid, s: not while it is queued."""
        return self._corrected(point, self._paid)

    def limit(self, point: Point, given: float | None) -> float:
        """Return the time after which a job counts as hung: the user's, or far above what is expected of it."""
        return given if given is not None else max(60.0, 20.0 * self._corrected(point, self._ran))

    def _corrected(self, point: Point, ratios: Sequence[float]) -> float:
        recent = ratios[-51:]
        return self._first_guess(point) * (median(recent) if recent else 1.0)

    def _first_guess(self, point: Point) -> float:
        machines = math.ceil(point.workload.processes / self._platform.instance_for(point.configuration).cores)
        seconds = ASSUMED_START + point.workload.total_bytes / (ASSUMED_BANDWIDTH * machines)
        return _JOBS[point.workload.operation] * seconds


def residual(budget: Budget, *, since: datetime, now: datetime) -> Budget:
    """Return the budget, cut to the rest of the hour that is paid already, in which runs cost nothing.

    Args:
        budget: what the user allows besides.
        since: when the machines were started: they are paid by the hour from then on.
        now: the present.

    Raises:
        InvalidInput: `since` is in the future.
    """
    if since > now:
        raise InvalidInput(f"{since.isoformat()} is in the future", hint="give when the machines were started, in UTC")
    rest = SECONDS_PER_HOUR - (now - since).total_seconds() % SECONDS_PER_HOUR
    seconds = min(rest, budget.seconds) if budget.seconds is not None else rest
    return Budget(seconds, None, budget.points, now.timestamp() + rest)
