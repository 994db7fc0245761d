"""Methods of choosing a configuration: acic's advice with each model, and its honest and less honest opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from acic.advisor.knowledge import Knowledge
from acic.errors import InvalidInput
from acic.evaluation.advising import Asked, foresee, ranked
from acic.evaluation.field import Application, Table, by_regret
from acic.evaluation.picks import Picks
from acic.evaluation.rules import by_rules
from acic.models.registry import DEFAULT, NAMES
from acic.platforms import Platform

_MODEL = "model:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What methods choose in.

    Args:
        platform: whose truth it is.
        table: the truth, as `candidates` gives it. Only those methods look at its values that say so.
        asked: what a user knows of each application.
        knowledge: what a model learned of the platform's training, by its name; never from these applications.
        seed: of what is drawn.
    """

    platform: Platform
    table: Table
    asked: Mapping[Application, Asked]
    knowledge: Callable[[str], Knowledge]
    seed: int = 0


class Method(Protocol):
    """A way of choosing; it returns the same for the same scene."""

    @property
    def name(self) -> str:
        """As options take it."""

    @property
    def title(self) -> str:
        """For people."""

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return what it would choose for every application of the table.

        Several choices, each as likely as the others, where it chooses at random: figures are means over them.
        """


@dataclass(frozen=True, slots=True)
class Advised:
    """What `acic recommend` says, with one model."""

    model: str

    @property
    def name(self) -> str:
        """As options take it."""
        return f"{_MODEL}{self.model}"

    @property
    def title(self) -> str:
        """For people."""
        return f"acic, {self.model}"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return acic's advice for each application, from its run on the baseline."""
        questions = [scene.asked[application] for application in scene.table.applications]
        knowledge = scene.knowledge(self.model).among(scene.table.configurations)
        foresee(knowledge, questions)

        def rank(application: Application) -> tuple[int, ...]:
            return ranked(scene.asked[application], scene.platform, knowledge, scene.table, scene.table.goal)

        return [_picks(self, scene, rank)]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Nobody chooses: all stay with the baseline."""

    name: str = "baseline"
    title: str = "the baseline"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return the baseline alone."""
        column = scene.table.configurations.index(scene.platform.baseline)
        return [_picks(self, scene, lambda _: (column,))]


@dataclass(frozen=True, slots=True)
class Fixed:
    """One configuration for everybody: the one with the least mean regret of the other applications.

    All scales and variants of the application that is judged are left out, so it is what a site could choose who
    measured everything but this application: who measured nothing else stays with the baseline. With `all_seen` it
    looks at the judged application too.
    """

    all_seen: bool = False

    @property
    def name(self) -> str:
        """As options take it."""
        return "fixed-all" if self.all_seen else "fixed"

    @property
    def title(self) -> str:
        """For people."""
        return "one for all, seen" if self.all_seen else "one for all"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return the configurations by their mean regret over the (other) applications."""
        table = scene.table
        regret = table.values / table.values.min(axis=1, keepdims=True) - 1.0
        family = np.array([family_of(one, table.applications) for one in table.applications])

        def rank(application: Application) -> tuple[int, ...]:
            others = family != family[table.applications.index(application)]
            if not self.all_seen and not others.any():
                return (table.configurations.index(scene.platform.baseline),)
            return by_regret(regret if self.all_seen else regret[others])

        return [_picks(self, scene, rank)]


@dataclass(frozen=True, slots=True)
class Rules:
    """Scripted rules of thumb (`acic.evaluation.rules`)."""

    name: str = "rules"
    title: str = "rules of thumb"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return the configurations as the rules prefer them; they look at the workload alone."""

        def rank(application: Application) -> tuple[int, ...]:
            return by_rules(scene.asked[application].workload, scene.table.goal, scene.table.configurations)

        return [_picks(self, scene, rank)]


@dataclass(frozen=True, slots=True)
class Random:
    """A blind choice: each configuration comes first in one of as many equally likely orders."""

    name: str = "random"
    title: str = "a blind choice"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return every rotation of an order that is drawn for each application."""
        count = len(scene.table.configurations)
        rng = np.random.default_rng(scene.seed)
        # all turns of an order share its numbers: of 1,000 configurations there are a million for each application
        orders = {application: tuple(rng.permutation(count).tolist()) for application in scene.table.applications}

        def turned(by: int) -> Picks:
            return _picks(self, scene, lambda application: orders[application][-by:] + orders[application][:-by])

        return [turned(by) for by in range(count)]


@dataclass(frozen=True, slots=True)
class Best:
    """The best that was measured, which nobody knows before."""

    name: str = "best"
    title: str = "the best measured"

    def picks(self, scene: Scene) -> Sequence[Picks]:
        """Return the configurations as the truth has them."""
        table = scene.table

        def rank(application: Application) -> tuple[int, ...]:
            row = table.values[table.applications.index(application)]
            return tuple(np.argsort(row, kind="stable").tolist())

        return [_picks(self, scene, rank)]


OPPONENTS: tuple[Method, ...] = (Fixed(), Fixed(all_seen=True), Rules(), Random(), Baseline(), Best())


def methods(names: Sequence[str] = (), first: str = DEFAULT) -> tuple[Method, ...]:
    """Return the methods called so; if none is called all of them, acic with the model `first` before the others.

    Raises:
        InvalidInput: there is none of a name.
    """
    known: dict[str, Method] = {f"{_MODEL}{model}": Advised(model) for model in dict.fromkeys((first, *NAMES))}
    known |= {opponent.name: opponent for opponent in OPPONENTS}
    for name in names:
        if name not in known:
            raise InvalidInput(f"there is no method {name!r}", hint=f"the methods are {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names or known))


def family_of(application: Application, applications: Sequence[Application]) -> str:
    """Return the application's name without what marks a variant: "madbench2" of "madbench2-unique".

    Where there is no plain one, what several have before their last "-" is theirs: "io500" of "io500-easy" and
    "io500-hard".
    """
    names = sorted({name for name, _ in applications}, key=len)
    plain = next(name for name in names if application[0] == name or application[0].startswith(f"{name}-"))
    stem = plain.rpartition("-")[0]
    return stem if stem and sum(name.rpartition("-")[0] == stem for name in names) > 1 else plain


def _picks(method: Method, scene: Scene, rank: Callable[[Application], tuple[int, ...]]) -> Picks:
    return Picks(
        method=method.name,
        title=method.title,
        goal=scene.table.goal,
        ranked={application: rank(application) for application in scene.table.applications},
    )
