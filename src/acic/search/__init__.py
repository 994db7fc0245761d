"""Search: strategies that measure in the loop; given a `measure` function, they know nothing of where it runs."""

from acic.search.genetic import Genetic
from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.model import ModelDriven
from acic.search.protocol import Found, Measure, Observation, Search
from acic.search.registry import NAMES, STRATEGIES, strategy
from acic.search.teaching import Lessons, Row, lessons_across
from acic.search.tpe import Tpe
from acic.search.uniform import RandomSearch
from acic.search.walk import PbWalk, RandomWalk

__all__ = [
    "NAMES",
    "STRATEGIES",
    "Found",
    "Genetic",
    "Ledger",
    "Lessons",
    "Measure",
    "ModelDriven",
    "Observation",
    "PbWalk",
    "Proposals",
    "RandomSearch",
    "RandomWalk",
    "Row",
    "Search",
    "Tpe",
    "conduct",
    "lessons_across",
    "strategy",
]
