"""The logs that the tests read: our own, and those of others beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data" / "darshan"
PUBLIC = Path(__file__).parents[4] / "shared" / "data" / "darshan" / "public"

BUNDLED = sorted(DATA.rglob("*.darshan"))
OTHERS = sorted(PUBLIC.glob("*.darshan"))


def public(name: str) -> Path:
    """Return one of the logs of others, or skip the test."""
    path = PUBLIC / f"{name}.darshan"
    if not path.exists():
        pytest.skip(f"shared/data/darshan/public/{name}.darshan is not beside the project")
    return path


EACH_BUNDLED = pytest.mark.parametrize("path", BUNDLED, ids=lambda path: f"{path.parent.name}-{path.stem}")
