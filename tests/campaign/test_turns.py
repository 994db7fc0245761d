"""Runs of a command in rounds: what is kept of them, and what is told, where they end early."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from acic.campaign.budget import Budget
from acic.campaign.turns import Took, Turns
from acic.cluster import Refused
from acic.space import Configuration
from tests.campaign.fakes import lab_platform

PLATFORM = lab_platform()
WANTED = [PLATFORM.baseline, Configuration(PLATFORM.baseline, romio_ds_write="enable")]


def measured(
    run: Callable[[int], Took], *, rounds: int, said: Callable[[str], None], budget: str = "1h"
) -> list[list[tuple[float | None, str]]]:
    """Return what rounds gave of runs that are told their number, from 1."""
    made: list[int] = []

    def counted(turn: int, position: int, limit: float) -> Took:  # noqa: ARG001  # runs are alike
        made.append(1)
        return run(len(made))

    how = {"price": None, "processes": 1, "held": 1, "time_limit": None}
    turns = Turns(PLATFORM, WANTED, Budget.parse(budget), **how, announce=said)  # type: ignore[arg-type]  # of any type
    return turns.measured(counted, "time", rounds, seed=0, watch=lambda _: None)


def test_what_was_measured_before_a_run_was_refused_is_kept() -> None:
    """Three rounds were thrown away, as an allocation was used up in the fourth."""
    said: list[str] = []

    def run(number: int) -> Took:
        if number == 5:
            raise Refused("slurm does not take the job: Invalid account", hint="see its queues and limits")
        return Took(float(number), "")

    found = measured(run, rounds=3, said=said.append)
    assert sorted(figure for rows in found for figure, _ in rows if figure) == [1.0, 2.0, 3.0, 4.0]
    assert said == ["note: run 5 of 6 and what follows are left out: slurm does not take the job: Invalid account"]


def test_what_was_measured_before_an_interrupt_is_told() -> None:
    """Ten runs of an hour each were gone when an allocation ended, or somebody had seen enough."""
    said: list[str] = []

    def run(number: int) -> Took:
        if number == 4:
            raise KeyboardInterrupt
        return Took(float(number), "")

    with pytest.raises(KeyboardInterrupt):
        measured(run, rounds=3, said=said.append)
    told = {name: figures for name, _, figures in (one.removeprefix("note: ").split(": ") for one in said)}
    assert sorted(", ".join(told.values()).split(", ")) == ["1 s", "2 s", "3 s"]
    assert set(told) == {"baseline", "1"}


@pytest.mark.parametrize("before", [0, 1])
def test_where_nothing_was_measured_that_a_run_is_refused_is_the_error(before: int) -> None:
    def run(number: int) -> Took:
        if number > before:
            raise Refused("slurm does not take the job: no such partition", hint="see its queues and limits")
        return Took(None, "slurm does not answer")

    with pytest.raises(Refused, match="no such partition"):
        measured(run, rounds=1, said=print)


@pytest.mark.parametrize("failed", [False, True])
def test_a_budget_that_was_used_up_is_told_where_a_run_is_lacking(failed: bool) -> None:
    """That all had been made was told as the end of the budget, "in run 2 of 2"."""
    said: list[str] = []

    def run(number: int) -> Took:
        time.sleep(0.6 if number == 2 else 0.0)
        return Took(None, "time limit") if failed and number == 2 else Took(1.0, "")

    found = measured(run, rounds=1, said=said.append, budget="500ms")
    assert sorted(len(rows) for rows in found) == ([0, 1] if failed else [1, 1])
    assert said == (["note: the budget was used up in run 2 of 2"] if failed else [])
