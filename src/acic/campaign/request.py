"""What a user asks of a campaign, and how its runs are made: what the first event of its journal keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

from acic.campaign.budget import Budget
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.platforms import Platform, is_platform_file
from acic.space import Value
from acic.toml import count, string, table
from acic.workloads import Characteristics
from acic.workloads.parameters import characteristics_of, values_of

LOCAL, SSH = "local", "ssh"
TRAIN = "train"  # the kind of campaign that plans by itself
PLANNING = 2  # the ways of planning so far: a campaign that was begun in an earlier one goes on in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """How runs are made.

    Args:
        runner: "local", "ssh", "lab", or a batch scheduler's name.
        hosts: for ssh.
        nodes: machines of each run.
        directory: where files go, unless the configuration chooses a storage.
        benchmark: "ior", "acic-bench" or a path; None for what is found.
        queue, account, attributes: for a scheduler.
    """

    runner: str = LOCAL
    hosts: tuple[str, ...] = ()
    nodes: int = 1
    directory: str = ""
    benchmark: str | None = None
    queue: str = ""
    account: str = ""
    attributes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Where:
        """Return what was kept as JSON."""
        pairs = tuple((str(name), str(value)) for name, value in kept["attributes"])
        return cls(**{**kept, "hosts": tuple(kept["hosts"]), "attributes": pairs})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks of a campaign.

    Args:
        platform: a name, or the path of a platform file.
        budget: what may be spent.
        where: how runs are made.
        like: the workloads to measure; empty for the platform's own.
        only: values that all configurations have; of a search, those of the baseline.
        active: let a model choose what to measure.
        spread: sample all parameters at once, rather than the most important ones first.
        screen: begin with a screening.
        repeats: how often.
        verify: part of the points of which the first run is read back and compared.
        time_limit: s for each job; None for far above what is expected.
        seed: of every random choice.
        contributor: who measures.
        kind: the command that chooses the points.
        search: that command's own options, so that it goes on as it began.
        store: where measurements go (`Store.kept`), "" where a journal does not tell.
        planning: which way of it (`PLANNING`); 1, an earlier one, where a journal does not tell.
    """

    platform: str
    budget: Budget
    where: Where
    like: tuple[Characteristics, ...] = ()
    only: Mapping[str, Value] = dataclass_field(default_factory=dict)
    active: bool = False
    spread: bool = False
    screen: bool = True
    repeats: Repeats
    verify: float = 0.1
    time_limit: float | None = None
    seed: int = 0
    contributor: str = ""
    kind: str = TRAIN
    search: Mapping[str, Any] = dataclass_field(default_factory=dict)
    store: str = ""
    planning: int = PLANNING

    def field(self, platform: Platform) -> Field:
        """Return what is measured on `platform`. What a search leaves as it is, is no part of its space."""
        earlier = self.planning < PLANNING
        if self.kind == TRAIN:
            return Field(platform, self.like, self.only, earlier=earlier)
        return Field(platform, self.like, held=self.only, earlier=earlier)

    def event(self) -> dict[str, Any]:
        """Return the request as the journal keeps it."""
        path = str(Path(self.platform).resolve()) if is_platform_file(self.platform) else self.platform
        return asdict(self) | {"platform": path, "like": [values_of(w) for w in self.like]}

    @classmethod
    def of(cls, event: dict[str, Any]) -> Request:
        """Return the request that a journal's first event holds.

        Raises:
            InvalidInput, LookupError, TypeError, ValueError: it holds none.
        """
        names = {f for f in cls.__dataclass_fields__ if f in event}
        given = {name: event[name] for name in names}
        given["where"] = Where.of(given["where"])
        given["platform"], given["only"] = string("platform", given["platform"]), table("only", given["only"])
        given["store"] = string("store", event.get("store", ""))
        given["planning"] = count("planning", event.get("planning", 1))
        given["search"] = table("search", event.get("search", {}))
        given["budget"] = Budget.of(table("budget", given["budget"]))
        given["repeats"] = Repeats(**given["repeats"])
        given["like"] = tuple(characteristics_of(values) for values in given["like"])
        return cls(**given)
