"""What long work tells where nobody looks at a terminal."""

from __future__ import annotations

import numpy as np
import pytest

from acic.campaign.budget import Budget
from acic.campaign.points import Point
from acic.campaign.state import Progress, Stage, State
from acic.campaign.view import view_of
from acic.cli.measuring_shown import Lines, progress
from acic.space import Configuration
from tests.campaign.test_trials import WRITE


def test_a_file_is_told_each_tenth_and_each_few_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = Lines(clock=lambda: now)
    for now, part in (
        (0.0, 0.0),
        (10.0, 0.05),
        (20.0, 0.11),
        (30.0, 0.12),
        (319.0, 0.13),
        (321.0, 0.14),
        (330.0, 0.15),
    ):
        lines.show(part, f"at {now:.0f} s")
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(": ")[1] for line in told.err.splitlines()] == ["at 20 s", "at 321 s"]


def test_a_part_is_told_of_what_it_is_a_part_of(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(clock=lambda: 0.0).show(0.3, "so far")
    with progress("measuring", of="the runs") as show:
        show(0.3, "so far")
    assert capsys.readouterr().err == "30% of the budget: so far\n30% of the runs: so far\n"


def test_where_there_is_no_budget_none_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = Lines(clock=lambda: now)
    for now in (10.0, 301.0, 400.0, 602.0):
        lines.show(None, f"at {now:.0f} s")
    assert capsys.readouterr().err == "at 301 s\nat 602 s\n"
    state = State(begun={})
    row = np.zeros(1, dtype=np.int8)
    progress = Progress(0, row, Point(WRITE, Configuration({})), Stage.SEARCH)
    for budget, used in ((Budget(), None), (Budget(seconds=4.0), 0.25), (Budget(dollars=1.0), 0.0)):
        assert view_of(state, progress, done=0, spent=1.0, budget=budget).used == used
