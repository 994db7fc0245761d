"""The lab of the tests, with what file systems need that no package brings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laboratory import lab as lab
from tests.needs import skip_or_fail

NFSMOUNT = Path(__file__).parents[2] / "native" / "nfsmount"


@pytest.fixture(scope="session")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The NFS bridge, built from these sources and found on PATH."""
    folder = tmp_path_factory.mktemp("nfsmount")
    built = subprocess.run(["make", "-C", NFSMOUNT, f"BUILD={folder}"], capture_output=True, text=True)
    if built.returncode != 0:
        skip_or_fail(f"the NFS bridge cannot be built here: {built.stderr[-300:]}")
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{folder}:{before}"
    try:
        yield folder / "acic-nfsmount"
    finally:
        os.environ["PATH"] = before
