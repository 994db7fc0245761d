"""The models that can be asked for by name; a new one is one file and one line here."""

from __future__ import annotations

from acic.errors import InvalidInput
from acic.models.boosting import Boosting
from acic.models.cart import Cart
from acic.models.extra_trees import ExtraTrees
from acic.models.forest import Forest
from acic.models.gaussian import Gaussian
from acic.models.nearest import Nearest
from acic.models.nonlinear import Nonlinear
from acic.models.protocol import Learner
from acic.models.ranking import Ranking
from acic.models.residual import PriorAlone, Residual, takes_prior
from acic.models.ridge import Ridge

LEARNERS: tuple[Learner, ...] = (
    Forest(),  # the default: docs/decisions/0003-models.md
    Cart(),
    ExtraTrees(),
    Boosting(),
    Ranking(),
    Nearest(),
    Gaussian(),
    Ridge(),
    Nonlinear(),
    Residual(ExtraTrees(min_leaf=2, max_leaves=252, columns=0.5)),  # default where hardware is known: decision 10
    Residual(Forest()),
    Residual(Ranking()),
    PriorAlone(),
)
NAMES = tuple(learner.name for learner in LEARNERS)
DEFAULT = NAMES[0]
BESIDE_PRIOR = "prior+extra-trees"
INFORMED = tuple(learner.name for learner in LEARNERS if takes_prior(learner))
"""Models that take what is known of the hardware beforehand."""


def learner(name: str = DEFAULT) -> Learner:
    """Return the learner of that name, with its defaults.

    Raises:
        InvalidInput: there is none.
    """
    for one in LEARNERS:
        if one.name == name:
            return one
    raise InvalidInput(f"there is no model {name!r}", hint=f"the models are {', '.join(NAMES)}")
