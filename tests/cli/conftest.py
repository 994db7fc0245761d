"""Running commands as a user does, but in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acic.cli.main import run
from tests.cli.documented import check_answer

DATA = Path(__file__).parents[1] / "data"
LOGS = DATA / "darshan"


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def calling(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """What runs `acic` with the words given, in the environment as it is, and holds its JSON to docs/json.md."""

    def call(*words: object) -> Result:
        capsys.readouterr()
        status = run([str(word) for word in words])
        captured = capsys.readouterr()
        check_answer(map(str, words), status, captured.out)
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def acic(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `acic` with the words given, with a store and a cache of its own."""
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    return calling(capsys)
