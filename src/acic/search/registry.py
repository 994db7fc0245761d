"""The strategies that can be asked for by name; a new one is one file and one line here.

The commands and the replays of `acic.evaluation.loops` take their names from here.
"""

from __future__ import annotations

from acic.errors import InvalidInput
from acic.search.genetic import Genetic
from acic.search.model import ModelDriven
from acic.search.protocol import Search
from acic.search.tpe import Tpe
from acic.search.uniform import RandomSearch
from acic.search.walk import PbWalk, RandomWalk

WALKS: tuple[Search, ...] = (PbWalk(), RandomWalk())  # of `acic walk --order`, called by what is before WALK
TUNERS: tuple[Search, ...] = (ModelDriven(), Genetic(), Tpe(), RandomSearch())  # of `acic tune --strategy`
STRATEGIES = (*WALKS, *TUNERS)
WALK = "-walk"
NAMES = tuple(strategy.name for strategy in STRATEGIES)


def strategy(name: str) -> Search:
    """Return the strategy of that name, with its defaults: no ranks, and nothing learned before.

    Raises:
        InvalidInput: there is none.
    """
    for one in STRATEGIES:
        if one.name == name:
            return one
    raise InvalidInput(f"there is no strategy {name!r}", hint=f"the strategies are {', '.join(NAMES)}")
