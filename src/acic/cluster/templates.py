"""Shell scripts with gaps to fill in."""

from __future__ import annotations

import re
from collections.abc import Mapping

_GAP = re.compile(r"@([A-Z]+)@")


def fill(text: str, facts: Mapping[str, str]) -> str:
    """Return `text` with each @NAME@ replaced; what is filled in is not looked at again."""
    return _GAP.sub(lambda gap: facts[gap[1]], text)
