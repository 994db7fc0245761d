"""What tests of the prior share."""

from __future__ import annotations

import pytest

from acic.platforms import load_platform
from acic.prior import Prior, prior_of


@pytest.fixture(scope="session")
def prior() -> Prior:
    """The lab's."""
    found = prior_of(load_platform("lab"))
    assert found is not None
    return found
