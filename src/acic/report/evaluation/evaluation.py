"""What the page and the pictures are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from acic.errors import InvalidInput
from acic.evaluation.field import Application, Table
from acic.evaluation.fresh import FreshScore, Interval
from acic.evaluation.observations import Observation
from acic.evaluation.picks import Curve, Picks
from acic.evaluation.ranks import Rank
from acic.platforms import Platform
from acic.report.words import count_text

FIGURES: Mapping[str, str] = {
    "regret": "how far each method stays behind the best",
    "table1": "which parameters matter, by a screening",
    "fig1": "how far the configurations of one application lie apart",
    "table4": "the best configuration of each application and scale",
    "observations": "what the paper observed, tested",
    "fig5": "run time of every application on every configuration",
    "fig6": "cost of every application on every configuration",
    "fig7": "what trying the first few recommendations brings",
    "fig8": "how many of the top-ranked parameters to train with",
    "fig9": "walks through the configurations, and the model",
    "learning": "how much training is needed",
    "transfer": "what training is worth on another kind of instance",
    "crowd": "what contributors who lie cost",
}  # names as options take them, in the order of the page
SHEETS = frozenset(("table1", "table4", "observations"))  # those that are tables, and have no picture
SLOW = frozenset(("crowd",))  # those that are made where they are called for alone
ELSEWHERE = frozenset(("transfer",))  # so are these beside other applications than those for development
GOALS = ("time", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Curves on common axes.

    Args:
        title: what is shown, in a few words.
        spent: the horizontal axis, with its unit: "training runs", "training cost, USD".
        shown: the vertical axis, with its unit: "regret of the first choice".
        kind: how its values are written: "share" (0.05 is 5 %), "factor" (3.0x), "count", "seconds" or "dollars".
        curves: what there is to compare, at least one.
        basis: "measured", or "predicted" or "simulated" where the values were not.
        log_spent, log_shown: whether equal factors are equally far apart on that axis; values <= 0 are at its edge.
        about: what the band is over, in a sentence; "" where there is none.
        goal: "time" or "cost", which the curves are of.
        level: a dashed line, if any: its height, and what it stands for.

    Raises:
        InvalidInput: no curve, curves of unequal lengths, or an unknown kind.
    """

    title: str
    spent: str
    shown: str
    kind: str
    curves: tuple[Curve, ...]
    basis: str = "measured"
    log_spent: bool = False
    log_shown: bool = False
    about: str = ""
    goal: str = "time"
    level: tuple[float, str] | None = None

    def __post_init__(self) -> None:
        whole = all(len({len(c.spent), len(c.middle), len(c.low), len(c.high)}) == 1 and c.spent for c in self.curves)
        if not self.curves or not whole:
            raise InvalidInput(f"nothing to draw as {self.title!r}", hint="give curves whose parts are equally long")
        if self.kind not in ("share", "factor", "count", "seconds", "dollars"):
            raise InvalidInput(f"{self.kind!r} is no kind of values", hint="share, factor, count, seconds or dollars")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that the page and the pictures are made of.

    Args:
        platform: whose truth it is.
        tables: the truth by goal, "time", "cost" or both, of the same applications and configurations. The first goal
            leads.
        picks: of all methods and goals. The first of each goal is the advice that is judged, the next ones are its
            opponents. Figures 5 and 6 show the first four of a goal, "regret" shows all of them.
        again: whether some was run again, after it was chosen.
        fresh: what these runs say of methods; none where nobody looked. Regret by these leads where it is whole, for
            the smallest of many medians flatters itself; that by the truth stands beside it.
        runs: how many runs stand behind the tables of the truth, second tries among them; fresh_runs: were made after.
        repetitions: how often each application ran on each configuration: the least and the most.
        noise: |ln| of a ratio of repeated runs that counts as no difference; NaN where that is not known.
        processes: of each application, as far as they are known.
        observations: the paper's, tested; none where nobody looked.
        ranks: what a screening told of each parameter, by rank; none if there was no screening.
        lines: curves for "fig8", "fig9", "learning", "transfer" and "crowd".
        command: that makes the page.
        made: when.

    Raises:
        InvalidInput: the tables do not fit together, or a choice is no column of them.
    """

    platform: Platform
    tables: Mapping[str, Table]
    picks: Sequence[Picks]
    runs: int
    repetitions: tuple[int, int]
    made: datetime
    again: bool = False
    fresh: Sequence[FreshScore] = ()
    fresh_runs: int = 0
    noise: float = math.nan
    processes: Mapping[Application, int] = field(default_factory=dict)
    observations: Sequence[Observation] = ()
    ranks: Sequence[Rank] = ()
    lines: Mapping[str, Sequence[Lines]] = field(default_factory=dict)
    command: str = "acic evaluate"

    def __post_init__(self) -> None:
        if not self.tables or not set(self.tables) <= set(GOALS):
            raise InvalidInput("there is no table of run times or costs", hint="give tables for time, cost or both")
        first = self.table
        if not first.applications or not first.configurations:
            raise InvalidInput("the truth is empty", hint="measure an application first: acic survey")
        tables = self.tables.values()
        if any((t.applications, t.configurations) != (first.applications, first.configurations) for t in tables):
            raise InvalidInput("the tables are not of the same runs", hint="make them with table_of from the same runs")
        if any(not 0 <= c < len(first.configurations) for p in self.picks for r in p.ranked.values() for c in r):
            raise InvalidInput("a choice is no column of the truth", hint="make the choices from the same table")

    @property
    def table(self) -> Table:
        """The truth of the goal that leads."""
        return next(iter(self.tables.values()))

    @property
    def repeated(self) -> str:
        """How often each application ran on each configuration, in words."""
        least, most = self.repetitions
        runs = count_text(most, "run")
        return runs if least == most else f"{least} to {runs}"

    @property
    def by_truth(self) -> str:
        """What the figures of the truth rest on, in words."""
        return f"the truth, the median of {self.repeated} of each"

    @property
    def by_both(self) -> str:
        """What curves are judged by, in words."""
        return "the truth and the fresh runs together" if self.again else "the truth"

    @property
    def baseline(self) -> int | None:
        """The baseline's column; None if it was never measured."""
        configurations = self.table.configurations
        return configurations.index(self.platform.baseline) if self.platform.baseline in configurations else None

    def of_goal(self, goal: str) -> list[Picks]:
        """Return the choices for a goal, the advice first."""
        return [p for p in self.picks if p.goal == goal]

    def fresh_of(self, picks: Picks) -> FreshScore | None:
        """Return what fresh runs say of a method; None where they do not have all of its choices."""
        mine = (s for s in self.fresh if (s.method, s.goal) == (picks.method, picks.goal))
        return next((s for s in mine if s.whole), None)

    def interval(self, picks: Picks) -> Interval | None:
        """Return the median regret of a method by fresh runs, with its interval; None where too few runs tell it."""
        score = self.fresh_of(picks)
        return None if score is None or math.isnan(score.median.low) else score.median
