"""Runs of applications in a real lab: timed, staged out where they must be, and cleared away."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from acic.benchmarks import find_benchmark
from acic.benchmarks.kernels import Outcome as Took
from acic.benchmarks.kernels import kernel
from acic.campaign.system import Deployed
from acic.cluster.others import ProcessorTime
from acic.errors import TransientError
from acic.evaluation.running import Runs, WrongBytes
from acic.evaluation.truth import OutOfTime
from acic.lab import Lab
from acic.platforms import load_platform
from acic.space import Configuration
from acic.store.measurement import Outcome
from tests.laboratory import lab as lab

LAB = load_platform("lab")
GLUSTER = Configuration(
    instance_type="lab.400m",
    device="ephemeral",
    raid_devices=1,
    file_system="GlusterFS",
    servers=2,
    placement="dedicated",
    stripe_size=2**40,
)


@pytest.fixture
def runs(lab: Lab, tmp_path: Path) -> Runs:
    return made_of(lab, tmp_path)


def made_of(
    lab: Lab,
    tmp_path: Path,
    *,
    stolen: tuple[int, ...] = (),
    told: Callable[[str], None] = lambda _: None,
    doubted: Callable[[Configuration], bool] = lambda _: False,
    over: Callable[[], bool] = lambda: False,
) -> Runs:
    """Return what makes runs, during each of which others get so many of 100 ticks; none after those."""
    (tmp_path / "out").mkdir()
    ticks = ticking(stolen)
    outputs, benchmark = tmp_path / "out", find_benchmark("acic-bench")
    return Runs(
        LAB,
        lab,
        benchmark,
        outputs,
        told=told,
        doubted=doubted,
        look=lambda: next(ticks),
        sleep=lambda _: None,
        over=over,
    )


def ticking(stolen: Iterable[int]) -> Iterator[ProcessorTime]:
    """Yield what a run looks at: before it, when its file system is there, and after it."""
    for taken in chain(stolen, repeat(0)):
        yield ProcessorTime(0, 0)
        yield ProcessorTime(50, 50)  # deploying is not timed
        yield ProcessorTime(150 - taken, 50 + taken)


def files(lab: Lab) -> list[Path]:
    site = lab.site
    assert site is not None
    return list((lab.nodes["c0"].root / site.deployment.directory.removeprefix("/")).iterdir())


def test_runs_are_timed_staged_out_and_cleared_away(runs: Runs, lab: Lab, tmp_path: Path) -> None:
    wrote = runs.run(kernel("vpicio", "small"), GLUSTER, 2)
    assert (wrote.outcome, wrote.note) == (Outcome.OK, "")
    assert (wrote.kernel, wrote.scale, wrote.repetition, wrote.configuration) == ("vpicio", "small", 2, GLUSTER)
    assert wrote.seconds is not None
    assert wrote.io is not None
    assert 0 < wrote.io <= wrote.seconds
    assert wrote.compute is not None
    assert wrote.compute >= 0.2  # s of processor time that each process burns
    assert wrote.staged_bytes == 4 * 8 * 960_000
    assert 0 < wrote.staged < 60
    assert wrote.total == wrote.seconds + wrote.staged
    read = runs.run(kernel("random-reads"), GLUSTER, 0)
    assert (read.outcome, read.staged, read.staged_bytes) == (Outcome.OK, 0.0, 0)  # it keeps nothing
    assert files(lab) == []
    assert list((tmp_path / "out").iterdir()) == []


def test_results_that_are_larger_than_what_was_written_are_corrupt(runs: Runs) -> None:
    """GlusterFS counts the size of shards wrongly where several nodes extend a file at once."""
    sharded = [runs.run(kernel("vpicio", "small"), Configuration(GLUSTER, stripe_size=2**22), n) for n in range(3)]
    assert {one.outcome for one in sharded} <= {Outcome.OK, Outcome.CORRUPT}
    for one in sharded:
        if one.outcome is Outcome.CORRUPT:
            assert "and it wrote 30720000 B" in one.note
            assert one.total is None
    assert any(one.outcome is Outcome.CORRUPT for one in sharded)


def test_where_bytes_were_wrong_before_all_are_compared(lab: Lab, tmp_path: Path) -> None:
    """GlusterFS's shards are made for files with one writer each."""
    sharded, asked = Configuration(GLUSTER, stripe_size=2**22), list[Configuration]()

    def doubted(configuration: Configuration) -> bool:
        asked.append(configuration)
        return True

    runs = made_of(lab, tmp_path, doubted=doubted)
    assert runs.run(kernel("one-writer"), sharded, 0).outcome is Outcome.OK
    assert asked == [sharded]
    assert files(lab) == []
    assert list((tmp_path / "out").iterdir()) == []


def test_bytes_that_differ_are_corrupt(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application's input is overwritten between making and reading it, when its data are compared."""
    runs = made_of(lab, tmp_path, doubted=lambda _: True)
    forget, count = Deployed.forget, iter(range(9))

    def spoiling(system: Deployed, seen: Path) -> None:
        if next(count) == 3:  # prepare, run, prepare again, and then
            for path in (found for found in seen.rglob("*") if found.is_file() and "compared" in str(found)):
                path.write_bytes(b"\xff" * path.stat().st_size)
        forget(system, seen)

    monkeypatch.setattr(Deployed, "forget", spoiling)
    spoilt = runs.run(kernel("random-reads"), GLUSTER, 0)
    assert (spoilt.outcome, spoilt.total) == (Outcome.CORRUPT, None)
    assert spoilt.note.startswith("run: ")
    assert files(lab) == []


@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_what_cannot_be_removed_takes_nothing_from_what_was_measured(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: bool
) -> None:
    """A file system that could not be taken down either ended the survey, and the run was lost, or its wrong bytes."""
    runs = made_of(lab, tmp_path, doubted=lambda _: True)
    remove, job = Deployed.remove, runs._job

    def stuck(system: Deployed, folder: Path) -> bool:
        remove(system, folder)
        raise TransientError("the mount stays")

    def compared(*given: Any, check: bool = False) -> Took:
        if check and wrong:
            raise WrongBytes("bytes differ")
        return job(*given, check=check)

    monkeypatch.setattr(Deployed, "remove", stuck)
    monkeypatch.setattr(runs, "_job", compared)
    made = runs.run(kernel("one-writer"), GLUSTER, 0)
    assert made.outcome is (Outcome.CORRUPT if wrong else Outcome.OK)
    assert (made.seconds is None) is wrong
    assert made.note.endswith("its files could not be removed: the mount stays")


def test_a_run_is_made_again_while_others_get_the_processors(lab: Lab, tmp_path: Path) -> None:
    """A hypervisor took 60 % once: a run of 4 s took 18, and nothing else looked different."""
    told: list[str] = []
    runs = made_of(lab, tmp_path, stolen=(61, 4, 3), told=told.append)
    assert runs.run(kernel("one-writer"), GLUSTER, 0).outcome is Outcome.OK
    assert runs.thrown_away == 2
    assert [text.split(" of ")[0] for text in told] == ["others got 61%", "others got 4%"]
    assert files(lab) == []


def test_a_machine_that_does_not_get_its_processors_measures_nothing(lab: Lab, tmp_path: Path) -> None:
    told: list[str] = []
    runs = made_of(lab, tmp_path, stolen=(30,) * 12, told=told.append)
    with pytest.raises(TransientError, match=r"others got 30% of the processor time .*: 12 runs in a row"):
        runs.run(kernel("one-writer"), GLUSTER, 0)
    assert len(told) == 11  # nothing comes after the last


def test_a_run_is_not_made_again_where_the_time_is_up(lab: Lab, tmp_path: Path) -> None:
    """A survey with a budget of five seconds went on for two and a half minutes."""
    late = iter([False, False, True, True])  # asked after each run, before and after the pause
    runs = made_of(lab, tmp_path, stolen=(30,) * 12, over=lambda: next(late))
    with pytest.raises(OutOfTime):
        runs.run(kernel("one-writer"), GLUSTER, 0)
    assert runs.thrown_away == 2


def test_a_run_that_fails_is_not_made_again_for_what_others_got(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that hung for minutes was made twelve times, as a hypervisor took a little each time."""
    monkeypatch.setattr("acic.evaluation.running.LIMIT", 0.2)
    runs = made_of(lab, tmp_path, stolen=(30,) * 12)
    assert runs.run(kernel("bursts"), GLUSTER, 0).outcome is Outcome.FAILED
    assert runs.thrown_away == 0


def test_what_lasts_is_not_staged_out(runs: Runs) -> None:
    lasting = runs.run(kernel("vpicio", "small"), Configuration(GLUSTER, device="EBS"), 0)
    assert (lasting.outcome, lasting.staged, lasting.staged_bytes) == (Outcome.OK, 0.0, 0)


def test_a_run_whose_lab_is_not_what_it_should_be_is_not_made(runs: Runs, lab: Lab) -> None:
    assert runs.run(kernel("one-writer"), GLUSTER, 0).outcome is Outcome.OK
    lab.run("c0", ("tc", "qdisc", "del", "dev", "eth0", "root"))
    failed = runs.run(kernel("one-writer"), GLUSTER, 0)
    assert failed.outcome is Outcome.FAILED
    assert "not what it should be" in failed.note
    lab.set_nic(lab.nic)


def test_an_application_that_fails_is_recorded_as_failed(runs: Runs, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acic.evaluation.running.LIMIT", 0.2)
    failed = runs.run(kernel("bursts"), GLUSTER, 0)
    assert (failed.outcome, failed.seconds, failed.total) == (Outcome.FAILED, None, None)
    assert "time limit" in failed.note
    assert files(lab) == []


def test_a_file_system_that_no_longer_answers_is_made_anew(lab: Lab) -> None:
    """What waits for one cannot be killed, whoever it is: a survey hung for ever."""
    system = Deployed(lab, removing=2.0)
    folder = system.ready(GLUSTER).seen / "stuck"
    folder.mkdir()
    mounting = [pid for pid in processes_of(lab, "c0") if "glusterfs" in Path(f"/proc/{pid}/cmdline").read_text()]
    assert mounting
    for pid in mounting:
        os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    assert not system.remove(folder)
    assert time.monotonic() - begun < 60
    assert lab.site is None
    assert system.ready(GLUSTER).seen.is_dir()
    assert files(lab) == []


def processes_of(lab: Lab, node: str) -> list[int]:
    return [int(pid) for pid in (lab.nodes[node].groups[0] / "cgroup.procs").read_text().split()]
