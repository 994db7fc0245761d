"""Campaigns within the test's own process, with the real runner, mpiexec and store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.campaign.laboratory import Laboratory

Rule = tuple[tuple[str, ...], str]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    """A laboratory whose environment is that of the test."""
    made = Laboratory(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def misbehave(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give the pretend benchmark its rules: it does `fault` where all of the words are among its options."""

    def rule(*rules: Rule) -> None:
        monkeypatch.setenv("PRETEND_RULES", json.dumps(rules))

    return rule
