"""What `acic verify` found: tables, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

import click

from acic.cli.output import say, table
from acic.cli.searching import amount

if TYPE_CHECKING:
    from acic.advisor.advice import Estimate
    from acic.campaign.comparison import Improvement
    from acic.platforms import Platform
    from acic.space import Configuration
    from acic.workloads import Workload

BY = {True: "its own command", False: "its replica"}
OF = {True: "run", False: "I/O"}  # what of it is timed
NOT_RUN = "it was not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One configuration: what was predicted of it, what was measured, and what is predicted after learning that.

    `objective` is the median over the rounds that gave one, s or USD; None if it failed in all `rounds`, or was not run
    (`note` says why). It failed in `failed` of them. `single_writer` is that of the recommendation.
    """

    configuration: Configuration
    predicted: Estimate | None
    measured: Improvement | None
    objective: float | None
    refitted: Estimate | None
    note: str = ""
    single_writer: bool = False
    rounds: int = 0
    failed: int = 0

    @property
    def failures(self) -> str:
        """How often it failed, in words."""
        return f"{self.failed} of {self.rounds} rounds"

    def fails_more_than(self, other: Verified) -> bool:
        """Return whether it failed in a larger part of its rounds."""
        return self.failed * other.rounds > other.failed * self.rounds


def show(
    found: Sequence[Verified],
    platform: Platform,
    workload: Workload,
    goal: str,
    *,
    own: bool,
    extrapolated: Sequence[str],
) -> None:
    """Print what was verified of the workload: by its own command, or else the I/O of its replica.

    `extrapolated` is how what was predicted lies outside of what was measured before, one sentence each.
    """
    from acic.advisor.cautions import one_writer

    names = [n for n in platform.space.names if len({one.configuration.get(n) for one in found}) > 1]
    refitted, failing = any(one.refitted for one in found), any(one.failed for one in found)
    rows = [
        [
            "baseline" if place == 0 else str(place),
            *(platform.space[n].text(one.configuration.get(n)) for n in names),
            _interval(one.predicted),
            _interval(one.measured) if place or one.objective is None else "1.00x",
            "-" if one.note == NOT_RUN else amount(one.objective, goal),
            *([one.failures] if failing else []),
            *([_interval(one.refitted)] if refitted else []),
        ]
        for place, one in enumerate(found)
    ]
    columns = ["", *names, "predicted", "measured", "median"]
    columns += [*(["failed in"] if failing else []), *(["predicted now"] if refitted else [])]
    by, of, in_cost = BY[own], OF[own], " in cost" if goal == "cost" else ""
    alone = "" if own else " alone"
    title = (
        f"{workload.name} on {platform.name}, run by {by}: improvement{in_cost} of the {of}{alone}, with 80 % intervals"
    )
    table(columns, rows, title=title, right=["median"])
    for caution in one_writer([place for place, one in enumerate(found) if one.single_writer], workload):
        click.echo(f"Caution: {caution}")
    for line in extrapolated:
        say(f"extrapolation: {line}")
    for place, one in enumerate(found):
        if told := [*([f"failed in {one.failures}"] if one.failed else []), *([one.note] if one.note else [])]:
            say(f"note: {place or 'baseline'}: {': '.join(told)}")
    click.echo("Verdict: {}: {}.".format(*verdict(found, goal, of=of)))


def verdict(found: Sequence[Verified], goal: str, *, of: str) -> tuple[str, str]:
    """Return what to do (`change`, `not sure` or `nothing`), and why in one sentence.

    What is named is the best of all that were measured, so what it gains at least allows for the luck of each.

    Args:
        found: the first is the baseline.
        goal: "time" or "cost".
        of: what was timed.
    """
    from acic.advisor.verdict import LEAST_GAIN, worth

    better, worse = ("faster", "slower") if goal == "time" else ("cheaper", "dearer")
    measured = [(place, one.measured) for place, one in enumerate(found) if place and one.measured]
    if not measured:
        if len(found) == 1 and found[0].objective is not None:
            return "nothing", "the baseline itself is recommended, so there is nothing to compare it with"
        return "not sure", "nothing could be compared with the baseline"
    likely = [(place, one) for place, one in measured if one.high >= 1.0]
    if not likely:
        lacking = {one.note == NOT_RUN for one in found[1:] if not one.measured}
        others = [told for unlike, told in ((True, "was run"), (False, "did not fail")) if unlike in lacking]
        which = "every recommendation" + (f" that {' and '.join(others)}" if others else "")
        return "nothing", f"{which} is measured to be {worse} than the baseline"
    sound = [(place, one) for place, one in likely if not found[place].fails_more_than(found[0])]
    least, enough = partial(_least, of=len(measured)), partial(worth, noise=0.0)  # noise is in what is least
    sure = [(place, one) for place, one in sound if least(one) > 1.0 and enough(one.value)]
    place, m = max(sure or sound or likely, key=lambda one: one[1].value)
    which, one = f"the {of} of {place}", found[place]
    but = f"; but it failed in {one.failures}" if one.failed else ""
    if not sound:
        usual = found[0].failures if found[0].failed else "none"
        return "not sure", f"{which} is measured at {_interval(m)}{but}, the baseline in {usual}: see why it fails"
    if sure:
        at_least = f"at least {least(m):.2f}x in 9 of 10 cases"
        return "change", f"{which} is measured to be {m.value:.2f}x {better}, {at_least}{but}"
    if m.low > 1.0 and not enough(m.value):
        return "nothing", f"{which} is measured at {_interval(m)}, and less than {LEAST_GAIN:.0%} is too little"
    luck = f", which luck alone may give the best of {len(measured)}" if m.low > 1.0 else ""
    return "not sure", f"{which} is measured at {_interval(m)}{luck}{but}; more --rounds tell better"


def _least(m: Improvement, *, of: int) -> float:
    """Return the improvement that the best of so many has at least in 9 of 10 cases (Šidák's correction)."""
    from acic.campaign.student import student

    if of < 2 or m.rounds < 2 or m.low <= 0.0:
        return m.low
    wider: float = student(m.rounds - 1, 0.9 ** (1 / of)) / student(m.rounds - 1)
    return float(m.value * (m.low / m.value) ** wider)


def _interval(estimate: Estimate | Improvement | None) -> str:
    if estimate is None:
        return "-"
    low, high = (f"{end:.2f}x" if isfinite(end) and end > 0 else "?" for end in (estimate.low, estimate.high))
    return f"{estimate.value:.2f}x ({low} to {high})"
