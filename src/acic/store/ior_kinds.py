"""What tells IOR's three formats from one another, and from what is no output of IOR."""

from __future__ import annotations

import re

RUN_IN_TEXT = re.compile(r"^(?:IOR|acic-bench)-\S+: MPI Coordinated", re.MULTILINE)  # which it begins with
RUN_IN_JSON = re.compile(r'^\s*\{\s*"Version"\s*:', re.MULTILINE)


def seems_json(text: str) -> bool:
    """Return whether a text is JSON, also behind messages."""
    return text.lstrip()[:1] == "{" or '"Command line": "' in text


def seems_csv(text: str) -> bool:
    """Return whether a text is CSV."""
    return text.lstrip().startswith("access,")


def has_results(text: str) -> bool:
    """Return whether a text is in one of the formats, also behind messages of others but for CSV."""
    return seems_json(text) or seems_csv(text) or RUN_IN_TEXT.search(text) is not None
