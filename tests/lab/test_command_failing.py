"""An application's own command in a lab that is none: what one run costs, and what it leaves of those before it."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.campaign.answering import answered
from acic.campaign.budget import Budget
from acic.campaign.lab_command import LabCommand, hung_after
from acic.campaign.turns import DAY, Turns
from acic.cli.lab_command import by_lab
from acic.cluster import Ending, State
from acic.cluster.others import ProcessorTime
from acic.platforms import load_platform
from acic.space import Configuration
from tests.lab.test_trial import Jammed

PLATFORM = load_platform("lab")
LOST = Configuration({**PLATFORM.baseline, "placement": "part-time", "device": "ephemeral"})


class Deployed(Jammed):
    """It has deployed what is wanted, and audits it for so many seconds."""

    def __init__(self, folder: Path, *, auditing: float = 0.0) -> None:
        super().__init__(folder / "files", status=0)
        (folder / "files").mkdir()
        (folder / "images").mkdir()
        self.nodes = {"c0": SimpleNamespace(within=Path, root=Path("/"))}
        self.site.configuration = LOST
        self.site.deployment.environment = {}
        self.site.layout = SimpleNamespace(clients=[SimpleNamespace(node="c0")], servers=[])
        self.room.names = SimpleNamespace(images=folder / "images")
        self._auditing = auditing

    def audit(self, *, knobs: bool) -> list[str]:  # noqa: ARG002  # as a lab's
        time.sleep(self._auditing)
        return []

    def close(self) -> None:
        """Let others work on it: there are none."""


def idle() -> ProcessorTime:
    return ProcessorTime(0, 0)


def measured(
    lab: Any, script: str, *, budget: str = "1h", rounds: int = 1, results: int = 0, prepare: str = "", **more: Any
) -> list[tuple[float | None, str]]:
    """Return what rounds on one configuration gave."""
    how: dict[str, Any] = {"price": None, "processes": 1, "held": 1, "time_limit": None, "announce": print}
    turns = Turns(PLATFORM, [LOST], Budget.parse(budget), **how)
    words = ["sh", "-c", script]
    asked: dict[str, Any] = {"processes": 1, "prepare": prepare, "results": results, "look": idle} | more
    runs = LabCommand(words, PLATFORM, [LOST], lab, turns, **asked)
    (found,) = runs.measured("time", rounds, seed=1, watch=lambda _: None)
    return found


def test_an_error_of_the_system_costs_a_run_and_not_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours of runs were gone with "the system refused: Argument list too long"."""
    tries: list[int] = []

    def stage_out(_: object, names: list[str]) -> float:
        tries.append(len(names))
        if len(tries) == 2:
            raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))
        return 0.0

    monkeypatch.setattr("acic.campaign.lab_command.stage_out", stage_out)
    found = measured(Deployed(tmp_path), "echo >{directory}/x; echo >{directory}/y", rounds=3, results=2)
    assert tries == [2, 2, 2]
    assert [note for _, note in found] == ["", "[Errno 7] Argument list too long", ""]
    assert [seconds is None for seconds, _ in found] == [False, True, False]


def test_a_file_system_that_does_not_answer_costs_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can end who waits for one of FUSE: acic hung for ever when its results were looked for."""
    over = threading.Event()
    monkeypatch.setattr("acic.campaign.lab_command._newest", lambda *_: over.wait(60))
    monkeypatch.setattr("acic.campaign.lab_command.answered", partial(answered, patience=0.2))
    try:
        found = measured(Deployed(tmp_path), "echo >{directory}/x", results=2)
        assert found == [(None, "the file system has not answered for 0.2 s")]
    finally:
        over.set()


def test_all_that_a_run_does_is_paid_of_the_budget(tmp_path: Path) -> None:
    """Each part of it took what the budget had left before the first one."""
    begun = time.monotonic()
    lab = Deployed(tmp_path, auditing=1.0)
    assert measured(lab, "sleep 100; : {directory}", budget="4s", prepare="sleep 2") == []
    assert 4.0 <= time.monotonic() - begun < 6.5
    begun = time.monotonic()
    assert measured(lab, "touch {directory}/../began", budget="500ms") == []
    assert not (tmp_path / "files" / "began").exists()


@pytest.mark.parametrize(("stolen", "note"), [(1, ""), (20, "others got 20% of the processor time")])
def test_that_others_had_the_machine_is_told(tmp_path: Path, stolen: int, note: str) -> None:
    """One round beside a build made a configuration slower in 9 of 10 cases, without a word."""
    ticks = iter([ProcessorTime(50, 50), ProcessorTime(150 - stolen, 50 + stolen)])
    ((seconds, told),) = measured(Deployed(tmp_path), ": {directory}", look=lambda: next(ticks))
    assert seconds is not None
    assert told == note


@pytest.mark.parametrize(
    ("run_seconds", "given", "limit"),
    [
        (5.0, {}, 600.0),
        (3600.0, {}, 72_000.0),
        (None, {}, DAY),
        (5.0, {"time_limit": 7200.0}, 7200.0),
        (5.0, {"budget": "2h"}, 7200.0),
    ],
)
def test_a_run_that_hangs_ends_in_a_while(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_seconds: float | None,
    given: dict[str, Any],
    limit: float,
) -> None:
    """It took a day, of a program that had worked for seconds and did not end in MPI_Finalize."""
    limits: list[float] = []

    def run(
        *_: object, seconds: float, begun: Callable[[Any], None], ended: Callable[[Any], None], **__: object
    ) -> Any:
        limits.append(seconds)
        begun(None)
        ended(None)
        return None, Ending(state=State.DONE, seconds=1.0)

    lab = Deployed(tmp_path)
    monkeypatch.setattr("acic.lab.Lab.open", lambda **_: lab)
    monkeypatch.setattr("acic.campaign.lab_command.run", run)
    monkeypatch.setattr("acic.campaign.lab_command.processor_time_beside", lambda _: idle())
    lab.processes = set  # type: ignore[attr-defined]  # pretended
    asked = {"budget": None, "time_limit": None, "prepare": None, "seed": 1} | given
    search = {"goal": "time", "rounds": 1, "price": None, "results": 0, "run_seconds": run_seconds}
    by_lab(["true", "{directory}"], PLATFORM, [LOST], asked, search=search, processes=1)
    assert limits == [limit]


def test_what_a_log_tells_bounds_a_run() -> None:
    assert [hung_after(one) for one in (None, 1.0, 30.0, 31.0)] == [DAY, 600.0, 600.0, 620.0]
