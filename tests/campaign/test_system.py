"""How often what is deployed is audited."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.benchmarks import Benchmark
from acic.campaign import runners
from acic.campaign.budget import Budget
from acic.campaign.repeats import Repeats
from acic.campaign.request import Request, Where
from acic.campaign.session import _can_run
from acic.campaign.system import Deployed
from acic.errors import InvalidInput, TransientError
from acic.evaluation.running import Runs
from acic.lab import Lab
from acic.platforms import load_platform
from acic.space import Configuration


@dataclass
class PretendLab:
    """Deploys nothing, and notes what it is asked."""

    site: Any = None
    asked: list[bool] = field(default_factory=list)
    deployed: int = 0
    problems: list[str] = field(default_factory=list)

    def deploy(self, configuration: Configuration) -> Any:
        self.deployed += 1
        deployment = SimpleNamespace(directory="/acic/mnt", hints={}, environment={}, holds_back=True)
        layout = SimpleNamespace(clients=[SimpleNamespace(node="c0")], servers=[])
        self.site = SimpleNamespace(configuration=configuration, deployment=deployment, layout=layout)
        return self.site

    def undeploy(self) -> None:
        self.site = None

    def undeploy_after(self, error: BaseException) -> None:
        Lab.undeploy_after(self, error)  # type: ignore[arg-type]  # pretended

    def audit(self, *, knobs: bool = True) -> list[str]:
        self.asked.append(knobs)
        return self.problems

    @property
    def nodes(self) -> Any:
        return {"c0": SimpleNamespace(root=Path("/"))}


@pytest.fixture
def lab() -> PretendLab:
    return PretendLab()


def test_every_run_is_audited_and_settings_are_asked_for_every_minute(lab: PretendLab) -> None:
    times = iter([0, 30, 59, 61, 90, 121, 200])
    now = {"s": 0.0}
    system = Deployed(lab, clock=lambda: now["s"])  # type: ignore[arg-type]  # pretended
    for now["s"] in times:
        system.ready(Configuration({"servers": 2 if now["s"] == 200 else 1}))  # deploying asks by itself
    assert lab.asked == [False, False, False, True, False, True, False]
    assert lab.deployed == 2


def test_what_somebody_else_deployed_is_asked_for_its_settings_at_once(lab: PretendLab) -> None:
    configuration = Configuration({"servers": 1})
    lab.deploy(configuration)
    place = Deployed(lab).ready(configuration)  # type: ignore[arg-type]  # pretended
    assert (lab.deployed, lab.asked) == (1, [True])
    assert place.holds_back  # as the deployment says


def test_no_run_is_made_where_an_audit_finds_something(lab: PretendLab) -> None:
    lab.problems = ["the disk is not throttled"]
    with pytest.raises(TransientError, match="not throttled"):
        Deployed(lab).ready(Configuration({"servers": 1}))  # type: ignore[arg-type]  # pretended
    assert lab.site is None


def test_a_folder_that_can_be_removed_leaves_the_file_system_alone(lab: PretendLab, tmp_path: Path) -> None:
    system = Deployed(lab)  # type: ignore[arg-type]  # pretended
    system.ready(Configuration({"servers": 1}))
    folder = tmp_path / "-rf odd"
    folder.mkdir()
    (folder / "data").touch()
    assert system.remove(folder)
    assert not folder.exists()
    assert system.remove(folder)  # which is gone already
    assert lab.site is not None


def test_a_campaign_in_the_lab_asks_first_for_what_cannot_be_deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a screening failed where OrangeFS was not there, and the campaign paused, or nothing was ranked."""

    def need(name: str) -> None:
        if name == "OrangeFS":
            raise InvalidInput("OrangeFS cannot be deployed", hint="build it")

    closed: list[bool] = []
    lab: Any = SimpleNamespace(need=need, close=lambda: closed.append(True))
    monkeypatch.setattr("acic.lab.Lab.open", lambda **_: lab)
    monkeypatch.setattr("acic.campaign.session.find_benchmark", lambda *_, **__: "benchmark")
    request = Request(platform="lab", budget=Budget(), where=Where(runner="lab"), repeats=Repeats(1, 1, 0.1))
    with pytest.raises(InvalidInput, match="OrangeFS cannot be deployed") as caught:
        _can_run(load_platform("lab"), request, print)
    assert caught.value.hint == "build it; or measure one alone: --only file_system=NAME (of NFS, GlusterFS, CephFS)"
    of_nfs = replace(request, only={"file_system": "NFS"})
    assert str(_can_run(load_platform("lab"), of_nfs, print)) == "benchmark"
    assert closed == [True, True]


def test_jobs_in_the_lab_are_launched_by_the_mpi_that_the_benchmark_was_built_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another one each process may be a program of its own."""
    given: list[Path | None] = []
    room = SimpleNamespace(recall=lambda _: None)
    lab: Any = SimpleNamespace(site=None, room=room, runner=lambda *, mpiexec=None: given.append(mpiexec))
    built = Benchmark(name="acic-bench", program=Path("/b"), version="", mpiexec=Path("/its/mpiexec"))
    monkeypatch.setattr("acic.lab.Lab.open", lambda **_: lab)
    monkeypatch.setattr(runners, "find_benchmark", lambda *_, **__: built)
    runners.open_trials(load_platform("lab"), Where(runner="lab"), tmp_path)
    Runs(load_platform("lab"), lab, built, tmp_path)
    assert given == 2 * [Path("/its/mpiexec")]


def test_a_campaign_in_the_lab_ends_what_a_killed_run_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on beside what was measured, until the next `acic lab run`."""
    notes: dict[str, Any] = {
        "running": {"directory": "/acic/mnt/run-1", "job": "left", "folder": str(tmp_path / "out")}
    }
    ended: list[str] = []
    runner = SimpleNamespace(reclaim=lambda job: ended.append(job.name))
    lab: Any = SimpleNamespace(
        site=None,
        room=SimpleNamespace(recall=notes.get, remember=notes.__setitem__),
        runner=lambda **_: runner,
    )
    monkeypatch.setattr("acic.lab.Lab.open", lambda **_: lab)
    found = Benchmark(name="b", program=Path("/b"), version="")
    monkeypatch.setattr(runners, "find_benchmark", lambda *_, **__: found)
    runners.open_trials(load_platform("lab"), Where(runner="lab"), tmp_path)
    assert (ended, notes["running"]) == (["left"], None)
