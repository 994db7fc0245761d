"""What a test needs of the machine."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """A machine without what a test needs skips it, one that promised it (CI) fails."""
    if os.environ.get("ACIC_REQUIRE_SERVICES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
