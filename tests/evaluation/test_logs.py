"""Real Darshan logs of applications whose truth is known: what they tell, and that advice can be asked by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acic.benchmarks.kernels import Part, kernel, kernels
from acic.cli.main import run
from acic.errors import MissingData
from acic.evaluation.field import Application
from acic.evaluation.logs import SUFFIX, bundled_logs, logs_in
from acic.workloads import Operation, Phase, Workload

PARTS: tuple[Part, ...] = ("development", "test")
APPLICATIONS: tuple[Application, ...] = tuple((one.name, one.scale) for part in PARTS for one in kernels(part))
LARGE = 0.05  # of a run's bytes


@pytest.fixture(scope="module")
def logs() -> dict[Application, Workload]:
    return bundled_logs("lab", APPLICATIONS)


def pairs(logs: dict[Application, Workload]) -> Iterator[tuple[Phase, Phase]]:
    """Yield each phase that matters with what the log has of its files in its direction."""
    for application, found in logs.items():
        told = kernel(*application).workload.phases
        whole = sum(one.bytes for one in told)
        for one in told:
            operation = one.characteristics.operation
            alike = [p for p in told if p.characteristics.operation is operation]
            same = [p for p in found.phases if p.characteristics.operation is operation and _alike(one, p)]
            if one.bytes >= LARGE * whole and len(same) == 1 and len([p for p in alike if _alike(p, same[0])]) == 1:
                yield one, same[0]


def _alike(one: Phase, other: Phase) -> bool:
    a, b = one.characteristics, other.characteristics
    return abs(one.bytes - other.bytes) <= 0.05 * one.bytes and a.interface is b.interface


def test_there_is_a_log_of_every_application(logs: dict[Application, Workload]) -> None:
    assert set(logs) == set(APPLICATIONS)
    for application, found in logs.items():
        assert found.processes == kernel(*application).processes
        assert found.run_seconds is not None
        assert found.io_share is not None
        assert 0 < found.io_share <= 1
        assert found.complete


def test_every_byte_is_told_of(logs: dict[Application, Workload]) -> None:
    for application, found in logs.items():
        for operation in Operation:
            true, seen = (
                sum(p.bytes for p in one.phases if p.characteristics.operation is operation)
                for one in (kernel(*application).workload, found)
            )
            assert true <= seen <= true * 1.05 + 3e6, (
                application
            )  # acic-bench reads its script, and writes what it tells


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("interface", 1.0),
        ("operation", 1.0),
        ("collective", 1.0),
        ("shared", 0.98),
        ("access", 0.96),
        ("io_processes", 0.98),
        ("request_size", 0.96),
        ("iterations", 0.8),
    ],
)
def test_what_logs_tell_is_true(logs: dict[Application, Workload], name: str, least: float) -> None:
    right = [getattr(a.characteristics, name) == getattr(b.characteristics, name) for a, b in pairs(logs)]
    assert len(right) > 320
    assert sum(right) >= least * len(right), f"{sum(right)} of {len(right)}"


def test_a_folder_of_logs_is_read_and_what_is_missing_left_out(
    tmp_path: Path,
) -> None:
    with pytest.raises(MissingData, match="has no log of any application"):
        logs_in(tmp_path, APPLICATIONS)
    example = Path(__file__).parents[1] / "data" / "darshan" / "apps" / "flash_io.darshan"
    (tmp_path / f"flashio-small{SUFFIX}").write_bytes(example.read_bytes())
    assert list(logs_in(tmp_path, APPLICATIONS)) == [("flashio", "small")]


def test_advice_is_judged_by_logs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    words = ["evaluate", "--goal", "time", "--method", "model:prior", "--figure", "regret", "--json"]
    found = {}
    for more in ([], ["--logs", "bundled"]):
        assert run([*words, *more]) == 0
        found[bool(more)] = json.loads(capsys.readouterr().out)
    assert found[True] != found[False]
    monkeypatch.setattr("acic.cli.evaluate.knowing", lambda *_: pytest.fail("learns before it looks for logs"))
    for folder, status, said in (
        (str(tmp_path), 4, "has no log of any application"),
        (str(tmp_path / "none"), 3, "there is no such folder"),
        ("", 2, ""),
    ):
        assert run([*words, "--logs", folder]) == status
        assert said in capsys.readouterr().err
