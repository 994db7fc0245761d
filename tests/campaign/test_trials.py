"""One run, and all that can go wrong with it: recorded for what it is, and nothing left."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from acic.benchmarks import Benchmark, find_benchmark
from acic.campaign.answering import PATIENCE, answered
from acic.campaign.jobs import Clash, Jobs, NeverTaken, NotTaken, Run, TakenBack, Trial
from acic.campaign.outputs import Outputs
from acic.campaign.patience import NAPS
from acic.campaign.places import check_place
from acic.campaign.points import Point
from acic.campaign.system import Standing
from acic.campaign.trial import Trials
from acic.cluster import Ending, Job, LocalRunner, Refused, State, StillRunning, Withdrawn
from acic.cluster.others import ProcessorTime
from acic.errors import AcicError, InvalidInput, TransientError
from acic.filesystems.hints import ROMIO_DEFAULTS
from acic.platforms import Platform, load_platform
from acic.space import Configuration, Parameter, Space
from acic.store.measurement import Outcome
from acic.workloads import Access, Characteristics, Interface, Operation
from tests.campaign.laboratory import Laboratory, orphans
from tests.cluster.services import until

WRITE = Characteristics(
    processes=2,
    io_processes=2,
    interface=Interface.MPIIO,
    iterations=1,
    data_size=2**16,
    request_size=2**12,
    operation=Operation.WRITE,
    collective=False,
    shared=True,
    access=Access.CONSECUTIVE,
)
READ = replace(WRITE, operation=Operation.READ)
LIMIT = 60.0  # s; far above what a run takes on a busy machine

Misbehave = Callable[..., None]


@pytest.fixture
def platform(lab: Laboratory) -> Platform:
    return load_platform(str(lab.platform_file))


def point(platform: Platform, workload: Characteristics = WRITE, **changed: Any) -> Point:
    return Point(workload, Configuration(platform.baseline, **changed))


def made(lab: Laboratory, platform: Platform, benchmark: Benchmark | None = None, **more: Any) -> Trials:
    raw = lab.folder / "raw"
    raw.mkdir(exist_ok=True)
    benchmark = benchmark or find_benchmark(str(lab.benchmark))
    system = Standing(platform, lab.data, more.pop("devices", None), patience=more.get("patience", PATIENCE))
    return Trials(platform, LocalRunner(mpiexec=benchmark.mpiexec), benchmark, system, raw, **more)


@pytest.fixture
def trials(lab: Laboratory, platform: Platform) -> Trials:
    return made(lab, platform)


def trial(lab: Laboratory, at: Point, *, number: int = 0, limit: float = LIMIT, verify: bool = False) -> Trial:
    return Trial(name=f"{lab.name}-{number}", number=number, point=at, time_limit=limit, verify=verify)


@pytest.fixture(autouse=True)
def nothing_left(lab: Laboratory) -> Iterator[None]:
    yield
    assert orphans(lab.name) == []
    assert [p for p in lab.data.iterdir() if p.name.startswith("acic-")] == []
    raw = lab.folder / "raw"
    assert not raw.exists() or all(p.suffix == ".json" for p in raw.iterdir())


@pytest.mark.parametrize("workload", [WRITE, READ], ids=["write", "read"])
@pytest.mark.parametrize("verify", [False, True])
def test_a_good_run(
    lab: Laboratory, platform: Platform, trials: Trials, workload: Characteristics, verify: bool
) -> None:
    attempt = trials.run(trial(lab, point(platform, workload), verify=verify))
    assert (attempt.outcome, attempt.note, attempt.verified) == (Outcome.OK, "", verify)
    assert attempt.repetition
    assert attempt.repetition.bandwidth
    told = json.loads((lab.folder / "raw" / f"{lab.name}-0.json").read_text())["tests"][0]["Results"][0]
    assert told["access"] == workload.operation
    assert attempt.repetition.bandwidth == told["bwMiB"] * 2**20
    assert attempt.dollars == pytest.approx(attempt.elapsed * 2 * 3.6 / 3600)  # two nodes of one core each


def test_a_folder_in_the_way_is_no_outcome_and_stays(lab: Laboratory, platform: Platform) -> None:
    """It counted as a failed run of the configuration; after two of them that was left alone."""
    told: list[str] = []
    trials, folder = made(lab, platform, announce=told.append), lab.data / f"acic-{lab.name}-0"
    folder.mkdir()
    (folder / "mine").touch()
    with pytest.raises(Clash, match="is there already"):
        trials.run(trial(lab, point(platform)))
    assert (folder / "mine").exists()
    assert told == [
        f"note: {folder} is there already, from elsewhere or a run that was killed; the next run number is taken"
    ]
    shutil.rmtree(folder)
    (lab.folder / "raw" / f"{lab.name}-0").mkdir()  # of a run of which a damaged journal tells nothing
    with pytest.raises(Clash, match="is there already"):
        trials.run(trial(lab, point(platform)))
    assert trials.run(trial(lab, point(platform), number=1)).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("workload", "nodes", "shifted"),
    [
        (WRITE, 2, False),
        (READ, 1, False),
        (READ, 2, True),
        (replace(READ, access=Access.RANDOM), 2, False),  # IOR has no such order in a shared file
        (replace(READ, access=Access.RANDOM, shared=False), 2, True),
    ],
)
def test_what_is_read_on_several_nodes_another_one_wrote(
    lab: Laboratory, platform: Platform, workload: Characteristics, nodes: int, shifted: bool
) -> None:
    """Clients had what they were to read, as nothing empties the caches of compute nodes."""
    asked: list[Job] = []

    class Refusing(LocalRunner):
        def submit(self, job: Job) -> None:
            asked.append(job)
            raise InvalidInput("it takes nothing")

    benchmark = find_benchmark(str(lab.benchmark))
    jobs = Jobs(Refusing(), benchmark, nodes=nodes, clock=time.monotonic, announce=lambda _: None, sleep=lambda _: None)
    (lab.folder / "raw").mkdir()
    run = Run(trial(lab, point(platform, workload)), Outputs(lab.folder / "raw", lab.name))
    for step, replica in zip(("prepare", "measure")[-len(jobs.replicas(run)) :], jobs.replicas(run), strict=True):
        with pytest.raises(InvalidInput, match="it takes nothing"):
            jobs.step(run, step, replica)
    assert ["-C" in job.command for job in asked] == [False] * (len(asked) - 1) + [shifted]
    with pytest.raises(
        InvalidInput, match="it takes nothing"
    ):  # by the nodes that wrote it, it would be of their caches
        jobs.step(run, "check", jobs.replicas(run)[-1].checking())
    random = workload.access is Access.RANDOM and workload.shared
    assert ("-C" in asked[-1].command) == (nodes > 1 and not random)


@pytest.mark.parametrize("forgets", [False, True])
def test_a_system_that_forgets_everything_has_its_reads_where_they_are(
    lab: Laboratory, platform: Platform, *, forgets: bool
) -> None:
    """The lab empties all caches, and what was measured there before is of processes that read their own data."""
    asked: list[Job] = []

    class Forgetting(Standing):
        @property
        def forgets(self) -> bool:
            return forgets

    class Noting(LocalRunner):
        def submit(self, job: Job) -> None:
            asked.append(job)
            super().submit(replace(job, nodes=1))  # there is one

    benchmark = find_benchmark(str(lab.benchmark))
    (lab.folder / "raw").mkdir()
    runner, system = Noting(mpiexec=benchmark.mpiexec), Forgetting(platform, lab.data)
    Trials(platform, runner, benchmark, system, lab.folder / "raw", nodes=2).run(trial(lab, point(platform, READ)))
    assert len(asked) > 1
    assert [job for job in asked if "-C" in job.command] == ([] if forgets else asked[-1:])


def test_reads_of_what_the_own_node_wrote_are_doubted(lab: Laboratory, platform: Platform) -> None:
    """A scheduler may place all processes on one of two nodes, and IOR may take each for a node of its own."""

    class OnOne(LocalRunner):
        def submit(self, job: Job) -> None:
            super().submit(replace(job, nodes=1))

    benchmark = find_benchmark(str(lab.benchmark))
    (lab.folder / "raw").mkdir()
    system = Standing(platform, lab.data)
    several = Trials(platform, OnOne(), benchmark, system, lab.folder / "raw", nodes=2)
    doubt = "processes read what their own node wrote: the benchmark saw 1 nodes, not 2"
    read = several.run(trial(lab, point(platform, READ)))
    assert (read.outcome, read.note) == (Outcome.SUSPECT, doubt)
    written = several.run(trial(lab, point(platform), number=1, verify=True))  # the check is in doubt, not the figure
    assert (written.outcome, written.verified, written.note) == (Outcome.OK, False, f"check: {doubt}")
    told = json.loads((lab.folder / "raw" / f"{lab.name}-1.json").read_text())["tests"][0]["Results"][0]
    assert told["access"] == "write"


FAULTS = {
    "segv": (Outcome.FAILED, "killed by signal 11|exit status 139"),
    "error": (Outcome.FAILED, "ERROR: open64"),
    "quiet": (Outcome.FAILED, "exit status 255"),
    "loader": (Outcome.FAILED, "error while loading shared libraries: libmpi.so.12"),
    "status": (Outcome.FAILED, "exit status 3"),
    "garbage": (Outcome.UNKNOWN, "no output of IOR"),
    "deep": (Outcome.UNKNOWN, "cannot be understood|no output of IOR"),
    "empty": (Outcome.UNKNOWN, "empty"),
    "nothing": (Outcome.UNKNOWN, "empty"),
    "half": (Outcome.UNKNOWN, "ends early"),
    "zero": (Outcome.UNKNOWN, "bandwidth of 0"),
    "negative": (Outcome.FAILED, "no bandwidth"),
    "nan": (Outcome.FAILED, "no bandwidth"),
    "inf": (Outcome.FAILED, "no bandwidth"),
    "huge": (Outcome.UNKNOWN, "cannot be understood"),
    "transfer": (Outcome.UNKNOWN, "another test: its request_size"),
    "block": (Outcome.UNKNOWN, "data_size"),
    "api": (Outcome.UNKNOWN, "another test: its interface"),
    "shared": (Outcome.UNKNOWN, "another test: its shared"),
    "tasks": (Outcome.UNKNOWN, "another test: its processes, io_processes"),
    "read instead": (Outcome.UNKNOWN, "another test: its operation"),
    "wrong": (Outcome.CORRUPT, "data other than"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_benchmark_that_misbehaves(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave, fault: str
) -> None:
    """With figures in its output or without: it is no success, the reason is noted, and the output is kept."""
    misbehave([["-w"] if fault != "wrong" else ["-R"], fault])
    attempt = trials.run(trial(lab, point(platform), verify=fault == "wrong"))
    outcome, note = FAULTS[fault]
    assert attempt.outcome is outcome, attempt
    assert [w for w in note.split("|") if w in attempt.note], attempt.note
    assert attempt.repetition is None
    assert not attempt.verified
    kept = [p.read_bytes() for p in (lab.folder / "raw").iterdir()]
    assert [hashlib.sha256(raw).hexdigest() for raw in kept] == ([attempt.raw_sha256] if attempt.raw_sha256 else [])
    assert bool(kept) == (fault not in ("segv", "error", "quiet", "loader", "empty", "nothing"))


def test_a_run_that_hangs_is_ended_with_all_its_processes(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave
) -> None:
    misbehave([["-w"], "hang"])
    attempt = trials.run(trial(lab, point(platform), limit=1.0))
    assert attempt.outcome is Outcome.TIMEOUT
    assert "time limit of 1 s" in attempt.note
    assert 1 <= attempt.elapsed < LIMIT


def test_what_a_benchmark_leaves_running_is_ended(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave
) -> None:
    misbehave([["-w"], "background"])
    assert trials.run(trial(lab, point(platform))).outcome is Outcome.OK


def test_a_file_that_cannot_be_made_for_reading_is_told_so(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave
) -> None:
    misbehave([["-w"], "error"])
    attempt = trials.run(trial(lab, point(platform, READ)))
    assert attempt.outcome is Outcome.FAILED
    assert attempt.note.startswith("prepare: ERROR: open64")


class Clock:
    """A time of day that jumps once, between the first and the second look at it."""

    def __init__(self, jump: timedelta) -> None:
        self._jump = jump
        self._looks = 0

    def __call__(self) -> datetime:
        self._looks += 1
        return datetime.now(UTC) + (self._jump if self._looks > 1 else timedelta())


@pytest.mark.parametrize("hours", [-2, 3])
def test_a_clock_that_jumps_is_noted_and_changes_no_duration(lab: Laboratory, platform: Platform, hours: int) -> None:
    clock = Clock(timedelta(hours=hours))
    attempt = made(lab, platform, now=clock).run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.OK
    assert f"the clock jumped by {hours * 3600:+d} s" in attempt.note
    assert 0 < attempt.elapsed < LIMIT
    assert 0 <= attempt.overhead < attempt.elapsed
    assert abs(datetime.fromisoformat(attempt.time) - datetime.now(UTC)) < timedelta(seconds=LIMIT)


@pytest.mark.parametrize(("nodes", "listed"), [(1, "*:4"), (2, "*:2"), (4, "")])
def test_aggregators_are_spread_over_the_machines_of_a_run(
    lab: Laboratory, platform: Platform, nodes: int, listed: str
) -> None:
    asked: list[str] = []

    class Refusing(LocalRunner):
        def submit(self, job: Job) -> None:
            asked.append((job.folder / "hints").read_text())
            raise InvalidInput("it takes nothing")

    (lab.folder / "raw").mkdir()
    system, benchmark = Standing(platform, lab.data), find_benchmark(str(lab.benchmark))
    trials = Trials(platform, Refusing(), benchmark, system, lab.folder / "raw", nodes=nodes)
    assert trials.run(trial(lab, point(platform, cb_nodes=4))).note == "it takes nothing"
    (text,) = asked
    assert "cb_nodes=4" in text
    assert ("cb_config_list" in text) == bool(listed)
    assert listed in text


def test_the_folder_of_a_baseline_run_has_the_stripes_of_the_baseline(
    lab: Laboratory, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took over those of the directory above, which an answer had set, and was stored as the baseline's."""
    striped = on_lustre(lab, platform, monkeypatch, tells="")
    attempt = made(lab, striped).run(trial(lab, point(striped)))
    assert attempt.outcome is Outcome.OK, attempt.note
    assert attempt.note == "its stripes were not read back: `lfs getstripe` does not tell them"
    assert (lab.folder / "typed").read_text().split()[:4] == ["setstripe", "-c", "1", f"{lab.data}/acic-{lab.name}-0"]


@pytest.mark.parametrize(("objects", "doubt"), [(8, ""), (3, "not in force: stripe_count 8, but 3")])
def test_stripes_that_are_not_in_force_make_a_figure_suspect(
    lab: Laboratory, platform: Platform, monkeypatch: pytest.MonkeyPatch, objects: int, doubt: str
) -> None:
    """Lustre makes fewer objects where there are fewer OSTs: what ran on 3 was stored, and learned, as 8."""
    tells = f"lmm_stripe_count:  {objects}\nlmm_stripe_size:   1"
    striped = on_lustre(lab, platform, monkeypatch, tells=tells)
    for workload in (WRITE, READ):
        attempt = made(lab, striped).run(trial(lab, point(striped, workload, stripe_count=8)))
        assert (attempt.outcome, attempt.note) == (Outcome.SUSPECT if doubt else Outcome.OK, doubt)
    asked = [line for line in (lab.folder / "typed").read_text().splitlines() if line.startswith("getstripe")]
    assert asked == [f"getstripe {lab.data}/acic-{lab.name}-0/data.0"] * 2


def test_stripes_of_a_file_that_is_gone_meanwhile_take_nothing_from_a_figure(
    lab: Laboratory, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    striped = on_lustre(lab, platform, monkeypatch, tells="stripe_count: 1\nstripe_size: 1")
    with (lab.folder / "bin" / "lfs").open("a") as lfs:
        lfs.write('[ "$1" = setstripe ] || rm "$2"\n')
    attempt = made(lab, striped).run(trial(lab, point(striped)))
    assert attempt.outcome is Outcome.OK, attempt.note
    assert "its stripes were not read back: [Errno 2] No such file" in attempt.note


def on_lustre(lab: Laboratory, platform: Platform, monkeypatch: pytest.MonkeyPatch, *, tells: str) -> Platform:
    """Return the platform with stripes, and have an `lfs` that notes what it is asked, and prints what it `tells`."""
    stripes = (Parameter(name="stripe_count", values=(1, 8)),)
    space = Space((*platform.space.parameters, *stripes), platform.space.constraints)
    baseline = Configuration(platform.baseline, stripe_count=1)
    (lab.folder / "bin").mkdir()
    (lab.folder / "bin" / "lfs").write_text(f"#!/bin/sh\necho \"$@\" >>{lab.folder}/typed\necho '{tells}'\n")
    (lab.folder / "bin" / "lfs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{lab.folder}/bin:{os.environ['PATH']}")
    return replace(platform, space=space, baseline=baseline, apply=("lustre", *platform.apply))


def test_a_value_that_cannot_be_set_is_a_failed_run(lab: Laboratory, platform: Platform) -> None:
    """Not an error that ends the campaign, again and again at the same point."""
    odd = replace(platform)
    object.__setattr__(odd, "apply", ("files", "no such kind"))  # as of another version, which knows more kinds
    attempt = made(lab, odd).run(trial(lab, point(platform)))
    assert (attempt.outcome, attempt.note) == (Outcome.FAILED, "nothing is known of setting 'no such kind'")
    made(lab, odd).reclaim(f"{lab.name}-0", point(platform))


def test_an_interrupt_right_behind_the_making_of_the_folder_leaves_nothing(
    lab: Laboratory, platform: Platform, trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = Path.mkdir

    def interrupted(self: Path, *args: Any, **kwargs: Any) -> None:
        mkdir(self, *args, **kwargs)
        if self.parent == lab.data:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trials.run(trial(lab, point(platform)))
    assert list(lab.data.iterdir()) == []


def test_a_directory_that_is_gone(lab: Laboratory, platform: Platform, trials: Trials) -> None:
    lab.data.rmdir()
    attempt = trials.run(trial(lab, point(platform)))
    lab.data.mkdir()
    assert attempt.outcome is Outcome.FAILED
    assert "No such file or directory" in attempt.note


def test_a_directory_that_disappears_during_the_run(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = lab.folder / "away"
    monkeypatch.setenv("PRETEND_AWAY", str(away))
    misbehave([["-w"], "vanish"])
    attempt = trials.run(trial(lab, point(platform), verify=True))
    shutil.rmtree(away)
    lab.data.mkdir()
    assert attempt.outcome is Outcome.FAILED
    assert "No such file or directory" in attempt.note


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system takes root")


@pytest.fixture
def small_disk(lab: Laboratory) -> Iterator[Path]:
    """A real file system of 1 MiB, mounted where runs write."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", lab.data], check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system")
    yield lab.data
    subprocess.run(["umount", "-l", lab.data], check=False, capture_output=True)


@pytest.fixture(scope="module")
def acic_bench() -> Benchmark:
    """The real one, built."""
    return find_benchmark("acic-bench")


@as_root
def test_a_disk_that_has_no_room_is_found_full_before(
    lab: Laboratory, platform: Platform, trials: Trials, small_disk: Path
) -> None:
    (small_disk / "others").write_bytes(bytes(950 * 2**10))
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.FAILED
    assert "left, and the run needs" in attempt.note


@as_root
@pytest.mark.usefixtures("small_disk")
def test_a_disk_that_fills_up_meanwhile(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real acic-bench meets a real ENOSPC, because the check before was told that there is room."""
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    large = replace(WRITE, data_size=2**20, request_size=2**16, interface=Interface.POSIX)
    attempt = made(lab, platform, acic_bench).run(trial(lab, point(platform, large)))
    assert attempt.outcome is Outcome.FAILED
    assert "No space left" in attempt.note
    assert attempt.repetition is None


@as_root
def test_a_mount_that_is_gone_is_not_written_through(lab: Laboratory, platform: Platform, small_disk: Path) -> None:
    devices = {str(small_disk): small_disk.stat().st_dev}
    here = made(lab, platform, devices=devices)
    assert here.run(trial(lab, point(platform))).outcome is Outcome.OK
    subprocess.run(["umount", small_disk], check=True)
    attempt = here.run(trial(lab, point(platform), number=1))
    assert attempt.outcome is Outcome.FAILED
    assert "is it mounted?" in attempt.note


@as_root
def test_a_read_only_disk(lab: Laboratory, platform: Platform, trials: Trials, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.FAILED
    assert "Read-only file system" in attempt.note


@pytest.fixture
def freezer(lab: Laboratory) -> Iterator[Path]:
    """A real file system, mounted where runs write, that `fsfreeze` lets answer nobody who writes."""
    image = lab.folder / "image"
    image.write_bytes(bytes(8 * 2**20))
    mounting = [["mkfs.ext4", "-q", "-F", str(image)], ["mount", "-o", "loop", str(image), str(lab.data)]]
    if any(subprocess.run(command, check=False, capture_output=True).returncode for command in mounting):
        pytest.skip("this machine lets nobody mount a loop device")
    yield lab.data
    subprocess.run(["fsfreeze", "--unfreeze", lab.data], check=False, capture_output=True)
    subprocess.run(["umount", "-l", lab.data], check=False, capture_output=True)


@as_root
def test_a_file_system_that_does_not_answer_fails_a_run_and_stops_no_campaign(
    lab: Laboratory, platform: Platform, freezer: Path
) -> None:
    """What waits for one cannot be killed: a campaign hung until it was mended."""
    here = made(lab, platform, patience=1.0)
    subprocess.run(["fsfreeze", "--freeze", freezer], check=True)
    attempt = here.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.FAILED
    assert "has not answered for 1 s" in attempt.note
    subprocess.run(["fsfreeze", "--unfreeze", freezer], check=True)
    until(lambda: not list(freezer.glob("acic-*")), "the folder that came late is gone")
    assert here.run(trial(lab, point(platform), number=1)).outcome is Outcome.OK


@as_root
def test_files_that_a_file_system_does_not_remove_in_time_are_told_so(
    lab: Laboratory, platform: Platform, freezer: Path
) -> None:
    folder = freezer / "acic-stuck"
    folder.mkdir()
    standing = Standing(platform, lab.data, patience=1.0)
    subprocess.run(["fsfreeze", "--freeze", freezer], check=True)
    assert not standing.remove(folder)
    subprocess.run(["fsfreeze", "--unfreeze", freezer], check=True)
    assert standing.remove(folder)


def test_a_run_whose_files_cannot_be_removed_was_measured_all_the_same(
    lab: Laboratory, platform: Platform, trials: Trials
) -> None:
    """A lab whose file system cannot be taken down either ended the campaign, and the run was lost."""

    class Stuck(Standing):
        def remove(self, folder: Path) -> bool:
            super().remove(folder)
            raise TransientError("the mount stays")

    trials._system = Stuck(platform, lab.data)
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.OK
    assert attempt.repetition
    assert attempt.raw_sha256
    assert attempt.note.endswith("could not be removed: the mount stays")
    with pytest.raises(TransientError, match="the mount stays"):
        trials.reclaim("killed", point(platform))


def test_an_answer_in_time_is_given_and_an_error_raised() -> None:
    assert answered(lambda: 7, patience=5.0) == 7
    assert answered(lambda: None, patience=5.0) is None
    with pytest.raises(ZeroDivisionError):
        answered(lambda: 1 // 0, patience=5.0)
    never = threading.Event()
    with pytest.raises(TransientError, match=r"has not answered for 0\.01 s"):
        answered(never.wait, patience=0.01)
    never.set()


def test_what_was_done_after_nobody_waited_is_taken_back() -> None:
    answers, undone = threading.Event(), threading.Event()
    with pytest.raises(TransientError):
        answered(lambda: answers.wait(5.0), patience=0.01, undo=undone.set)
    assert not undone.is_set()
    answers.set()
    assert undone.wait(5.0)
    assert answered(lambda: 7, patience=5.0, undo=undone.clear) == 7
    assert undone.is_set()


class Flipping(LocalRunner):
    """A runner under which storage changes a byte between writing and reading back."""

    def submit(self, job: Job) -> None:
        if job.name.endswith("-check"):
            for path in (job.folder.parents[1] / "data").glob("acic-*/data*"):
                with path.open("r+b") as file:
                    file.seek(4097)
                    byte = file.read(1)
                    file.seek(4097)
                    file.write(bytes([byte[0] ^ 1]))
        super().submit(job)


class Queueing(LocalRunner):
    """A runner whose jobs wait for their machines, by a clock that only they move; the job itself takes 2 s.

    Args:
        told: whether it is known how long a job took.
    """

    def __init__(self, *, told: bool, **options: Any) -> None:
        super().__init__(**options)
        self.told = told
        self.now = 0.0

    def wait(self, job: Job) -> Ending:
        ending = super().wait(job)
        self.now += 1000.0
        return replace(ending, seconds=2.0 if self.told else None)


@pytest.mark.parametrize(("queued", "told", "paid"), [(True, True, 2.0), (True, False, LIMIT), (False, True, 1000.0)])
def test_money_is_for_the_machines_of_a_job_and_not_for_its_wait_in_the_queue(
    lab: Laboratory, platform: Platform, queued: bool, told: bool, paid: float
) -> None:
    """Of 41 s that were charged, 40 were in the queue. Where nobody knows how long a job ran, it is its time limit."""
    benchmark = find_benchmark(str(lab.benchmark))
    runner = Queueing(told=told, mpiexec=benchmark.mpiexec)
    (lab.folder / "raw").mkdir()
    trials = Trials(
        platform,
        runner,
        benchmark,
        Standing(platform, lab.data, None),
        lab.folder / "raw",
        clock=lambda: runner.now,
        queued=queued,
    )
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.OK
    assert attempt.elapsed == 1000.0
    assert attempt.dollars == pytest.approx(trials.dollars(point(platform), paid))


class Away(LocalRunner):
    """A runner whose scheduler does not answer, the first so many times that it is asked for a job."""

    def __init__(self, times: float, **options: Any) -> None:
        super().__init__(**options)
        self.times = times

    def submit(self, job: Job) -> None:
        self.times -= 1
        if self.times >= 0:
            raise TransientError("slurm does not answer", hint="see whether it runs")
        super().submit(job)


@pytest.mark.parametrize("times", [3, math.inf])
def test_a_job_that_is_not_taken_now_is_asked_for_again_and_is_no_run(
    lab: Laboratory, platform: Platform, times: float
) -> None:
    """While the scheduler restarted points failed, and their configurations were left alone for good."""
    said, slept = list[str](), list[float]()
    trials = made(lab, platform, announce=said.append, sleep=slept.append)
    trials._jobs.runner = Away(times, mpiexec=find_benchmark(str(lab.benchmark)).mpiexec)
    if math.isinf(times):
        with pytest.raises(NotTaken, match="slurm does not answer"):
            trials.run(trial(lab, point(platform)))
        assert slept == list(NAPS)
    else:
        assert trials.run(trial(lab, point(platform))).outcome is Outcome.OK
        assert slept == list(NAPS[:3])
    assert said == ["note: slurm does not answer; it is tried again for 5 min"]


class Gone(LocalRunner):
    """A runner that takes no job of one step, or where it `waits` has it in a queue first."""

    def __init__(self, step: str, error: AcicError | None = None, *, waits: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.step, self.waits = step, waits
        self.error = error or TransientError("slurm does not answer", hint="see whether it runs")

    def submit(self, job: Job) -> None:
        if not job.name.endswith(self.step):
            super().submit(job)
        elif not self.waits:
            raise self.error

    def wait(self, job: Job) -> Ending:
        if job.name.endswith(self.step):
            raise self.error
        return super().wait(job)


def test_what_was_measured_counts_though_nobody_could_compare_its_bytes(lab: Laboratory, platform: Platform) -> None:
    slept = list[float]()
    trials = made(
        lab,
        platform,
        sleep=slept.append,
        clock=lambda: time.monotonic() + sum(slept),
        now=lambda: datetime.now(UTC) + timedelta(seconds=sum(slept)),
    )
    trials._jobs.runner = Gone("-check", mpiexec=find_benchmark(str(lab.benchmark)).mpiexec)
    attempt = trials.run(trial(lab, point(platform), verify=True))
    assert (attempt.outcome, attempt.verified) == (Outcome.OK, False)
    assert sum(slept) == sum(NAPS) > attempt.elapsed, "what nobody ran in is not how long runs take"
    assert attempt.note == "its bytes were not compared: slurm does not answer"
    assert attempt.raw_sha256


def test_what_was_measured_counts_though_somebody_cancelled_its_check(lab: Laboratory, platform: Platform) -> None:
    """A node that died in the check made a failure of a good run."""

    class Cancelled(LocalRunner):
        def wait(self, job: Job) -> Ending:
            ending = super().wait(job)
            cancelled = Ending(state=State.CANCELLED, reason="cancelled")
            return cancelled if job.name.endswith("-check") else ending

    trials = made(lab, platform)
    trials._jobs.runner = Cancelled(mpiexec=find_benchmark(str(lab.benchmark)).mpiexec)
    attempt = trials.run(trial(lab, point(platform), verify=True))
    assert (attempt.outcome, attempt.verified, attempt.note) == (Outcome.OK, False, "check: cancelled")


def test_machines_that_a_job_held_are_no_overhead_though_nobody_knows_how_long_it_ran(
    lab: Laboratory, platform: Platform
) -> None:
    """A job that Slurm ended at its limit was told as the campaign's own time."""

    class Mute(LocalRunner):
        def wait(self, job: Job) -> Ending:
            super().wait(job)
            time.sleep(0.5)
            return Ending(state=State.TIMEOUT, reason="time limit of Slurm")

    trials = made(lab, platform)
    trials._jobs.runner = Mute(mpiexec=find_benchmark(str(lab.benchmark)).mpiexec)
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.elapsed - attempt.overhead >= 0.5


@pytest.mark.parametrize(
    ("error", "waits", "kind"),
    [
        (TransientError("slurm does not answer"), False, NotTaken),
        (Refused("slurm does not take the job: Invalid account"), False, NeverTaken),
        (Refused("the job never runs"), True, NeverTaken),
        (Withdrawn("somebody asked for it"), True, TakenBack),
    ],
)
def test_a_file_that_was_made_is_paid_for_though_nothing_was_measured(
    lab: Laboratory, platform: Platform, error: AcicError, waits: bool, kind: type[NotTaken]
) -> None:
    trials = made(lab, platform, sleep=lambda _: None)
    mpiexec = find_benchmark(str(lab.benchmark)).mpiexec
    trials._jobs.runner = Gone("-measure", error, waits=waits, mpiexec=mpiexec)
    with pytest.raises(kind, match=error.problem) as caught:
        trials.run(trial(lab, point(platform, READ)))
    assert caught.value.elapsed > 0
    assert caught.value.dollars == pytest.approx(trials.dollars(point(platform), caught.value.elapsed))


def test_a_run_whose_job_could_not_be_ended_is_left_for_who_reclaims_it(
    lab: Laboratory, platform: Platform, trials: Trials
) -> None:
    class Deaf(LocalRunner):
        def wait(self, job: Job) -> Ending:
            super().wait(job)
            raise StillRunning

    deaf = Deaf(mpiexec=find_benchmark(str(lab.benchmark)).mpiexec)
    trials._jobs.runner, whole = deaf, trials._jobs.runner
    its = trial(lab, point(platform))
    with pytest.raises(StillRunning):
        trials.run(its)
    assert (lab.folder / "raw" / its.name).is_dir()
    assert [path.name for path in lab.data.iterdir() if path.name.startswith("acic-")] == [f"acic-{its.name}"]
    trials._jobs.runner = whole
    trials.reclaim(its.name, its.point)  # the fixture looks whether anything is left


def test_money_is_for_all_machines_that_a_job_holds(lab: Laboratory, platform: Platform) -> None:
    """A budget of 50 USD paid for runs on 64 machines as if each held the one that its processes fill."""
    assert made(lab, platform, nodes=64).dollars(point(platform), 60.0) == pytest.approx(64 * 3.60 / 60)


@pytest.mark.parametrize(
    "workload", [WRITE, READ, replace(WRITE, access=Access.RANDOM)], ids=["write", "read", "random"]
)
@pytest.mark.parametrize("flips", [True, False])
def test_acic_bench_finds_a_byte_that_storage_changed(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark, workload: Characteristics, flips: bool
) -> None:
    trials = made(lab, platform, acic_bench)
    trials._jobs.runner = (Flipping if flips else LocalRunner)(mpiexec=acic_bench.mpiexec)
    attempt = trials.run(trial(lab, point(platform, workload), verify=True))
    assert attempt.outcome is (Outcome.CORRUPT if flips else Outcome.OK), attempt.note
    assert (attempt.repetition is None) == flips
    assert attempt.verified != flips


@pytest.mark.parametrize("operation", list(Operation))
def test_whole_words_in_place_of_the_jobs_odd_bytes_are_no_wrong_data(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark, operation: Operation
) -> None:
    """Three requests of 333 B are three of 336 B here: the files are larger than the job's."""
    odd = replace(WRITE, operation=operation, data_size=1000, request_size=333)
    attempt = made(lab, platform, acic_bench).run(trial(lab, point(platform, odd), verify=True))
    assert (attempt.outcome, attempt.verified) == (Outcome.OK, True), attempt.note


@pytest.mark.parametrize(("taken", "outcome"), [(3, Outcome.OK), (4, Outcome.SUSPECT), (60, Outcome.SUSPECT)])
def test_a_figure_is_doubted_if_others_got_the_processors(
    lab: Laboratory, platform: Platform, taken: int, outcome: Outcome
) -> None:
    """A hypervisor that takes 60 % makes a run four times as long, and nothing else looks different."""
    ticks = iter([ProcessorTime(70, 30), ProcessorTime(170 - taken, 30 + taken)])
    attempt = made(lab, platform, look=lambda: next(ticks)).run(trial(lab, point(platform)))
    assert attempt.outcome is outcome
    assert (f"others got {taken}% of the processor time wanted" in attempt.note) == (outcome is Outcome.SUSPECT)
    assert attempt.repetition is not None


@pytest.mark.parametrize(
    ("hints", "outcome", "note"),
    [
        ({"cb_nodes": 2}, Outcome.OK, "not in force: cb_nodes, but 1"),  # there is one process
        ({"romio_ds_write": "enable"}, Outcome.OK, ""),
        ({"romio_no_such_hint": "7"}, Outcome.SUSPECT, "not in force: romio_no_such_hint"),
        ({"cb_nodes": 2, "romio_no_such_hint": "7"}, Outcome.SUSPECT, "romio_no_such_hint"),
    ],
)
def test_hints_that_mpi_io_does_not_take_are_noticed(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark, hints: dict[str, Any], outcome: Outcome, note: str
) -> None:
    """Else a figure would be learned from as that of a configuration which never was."""
    alone = replace(WRITE, processes=1, io_processes=1)
    attempt = made(lab, platform, acic_bench).run(trial(lab, point(platform, alone, **hints)))
    assert attempt.outcome is outcome
    assert note in attempt.note


def test_romio_does_by_itself_what_is_believed_of_it(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark
) -> None:
    made(lab, platform, acic_bench).run(trial(lab, point(platform, romio_no_such_hint="7")))
    (output,) = (lab.folder / "raw").glob("*.json")
    (test,) = json.loads(output.read_text())["tests"]
    told = {name: value for name, value in test["Hints"]["in force"].items() if name in ROMIO_DEFAULTS}
    assert {"cb_buffer_size", "romio_cb_write", "ind_wr_buffer_size"} <= set(told)
    assert told.items() <= ROMIO_DEFAULTS.items()


def test_what_each_step_of_a_run_remarks_is_noted_once(
    lab: Laboratory, platform: Platform, acic_bench: Benchmark
) -> None:
    """A report counted "not in force: cb_nodes, but 1" once, twice and three times as three remarks."""
    alone = replace(READ, processes=1, io_processes=1)
    attempt = made(lab, platform, acic_bench).run(trial(lab, point(platform, alone, cb_nodes=2)))
    assert attempt.note == "not in force: cb_nodes, but 1"


@pytest.mark.parametrize("hints", [{"romio_ds_write": "enable"}, {"cb_nodes": 2}])
def test_hints_that_another_mpi_io_drops_are_told_with_the_cause(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave, hints: dict[str, Any]
) -> None:
    """OMPIO has not lowered `cb_nodes` either; with Open MPI 4 nothing counts as in force, whoever does the I/O."""
    misbehave([["-w"], "ompio"])
    attempt = trials.run(trial(lab, point(platform, **hints)))
    assert attempt.outcome is Outcome.SUSPECT
    assert f"{next(iter(hints))}; this MPI-IO tells none of ROMIO's, like Open MPI 4" in attempt.note
    assert "measure with MPICH or Open MPI 5, named in ACIC_MPIEXEC" in attempt.note


@pytest.fixture
def open_mpi(lab: Laboratory) -> Path:
    """A launcher that says it is Open MPI's, and starts one process, which takes itself for all that were asked for."""
    program = lab.folder / "mpiexec"
    says = '[ "$1" != --version ] || { echo "mpiexec (Open MPI) 5.0.11"; exit; }'
    starts = 'while [ "$1" != -n ]; do shift; done\nexport PMI_SIZE=$2\nshift 2\nexec "$@"'
    program.write_text(f"#!/bin/sh\n{says}\n{starts}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("exported", "outcome"), [("", Outcome.OK), ("^ompio", Outcome.OK), ("ompio", Outcome.SUSPECT)]
)
def test_open_mpi_is_given_hints_as_users_are_told_to(
    lab: Laboratory,
    platform: Platform,
    misbehave: Misbehave,
    monkeypatch: pytest.MonkeyPatch,
    open_mpi: Path,
    exported: str,
    outcome: Outcome,
) -> None:
    """Its ROMIO drops a program's own, and with them those of the same names in the file."""
    monkeypatch.delenv("OMPI_MCA_io", raising=False)
    if exported:
        monkeypatch.setenv("OMPI_MCA_io", exported)
    misbehave([["-w"], "romio of Open MPI"])
    trials = made(lab, platform, replace(find_benchmark(str(lab.benchmark)), mpiexec=open_mpi))
    attempt = trials.run(trial(lab, point(platform, romio_ds_write="enable")))
    assert attempt.outcome is outcome, attempt.note
    assert ("this MPI-IO tells none of ROMIO's" in attempt.note) == (outcome is Outcome.SUSPECT)


@pytest.mark.parametrize("exported", ["^ompio", "ompio", ""])
def test_a_baseline_has_the_mpi_io_that_open_mpi_has_by_itself(
    lab: Laboratory,
    platform: Platform,
    misbehave: Misbehave,
    monkeypatch: pytest.MonkeyPatch,
    open_mpi: Path,
    exported: str,
) -> None:
    """What acic tells to export is not for runs without hints; what else the user chose holds."""
    monkeypatch.setenv("ROMIO_HINTS", "/no/such/file")
    monkeypatch.setenv("OMPI_MCA_io", exported)
    misbehave([["-w"], "romio of Open MPI"])
    trials = made(lab, platform, replace(find_benchmark(str(lab.benchmark)), mpiexec=open_mpi))
    attempt = trials.run(trial(lab, point(platform)))
    assert (attempt.outcome, attempt.note) == (Outcome.OK, "")
    (output,) = (lab.folder / "raw").glob("*.json")
    (test,) = json.loads(output.read_text())["tests"]
    assert test["Hints"]["in force"] == {}


@pytest.mark.parametrize("fault", ["alone", "alone, and failed"])
def test_processes_that_do_not_find_one_another_are_told_with_the_cause(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave, fault: str
) -> None:
    """Each is a world of its own under another MPI's mpiexec: files too short were the file system's fault."""
    misbehave([["-w"], fault])
    attempt = trials.run(trial(lab, point(platform)))
    assert attempt.outcome is Outcome.UNKNOWN
    assert (
        "mpiexec is of another MPI than the benchmark; name in ACIC_MPIEXEC that of the MPI whose mpicc built it"
        in attempt.note
    )


def test_one_process_of_one_is_no_fault(
    lab: Laboratory, platform: Platform, trials: Trials, misbehave: Misbehave
) -> None:
    misbehave([["-w"], "alone"])
    attempt = trials.run(trial(lab, point(platform, replace(WRITE, io_processes=1))))
    assert (attempt.outcome, attempt.note) == (Outcome.OK, "")


def test_runs_without_mpi_io_are_given_no_hints(lab: Laboratory, platform: Platform, acic_bench: Benchmark) -> None:
    """POSIX reads none: all of them would seem to be missing."""
    plain = replace(WRITE, interface=Interface.POSIX)
    attempt = made(lab, platform, acic_bench).run(trial(lab, point(platform, plain, romio_ds_write="enable")))
    assert (attempt.outcome, attempt.note) == (Outcome.OK, "")


@pytest.mark.parametrize("configured", [{"romio_ds_write": "enable"}, {}])
def test_hints_that_the_benchmark_does_not_tell_of_are_noted(
    lab: Laboratory, platform: Platform, trials: Trials, configured: dict[str, str]
) -> None:
    """IOR tells none: whether runs had theirs was not known, and nothing said so."""
    attempt = trials.run(trial(lab, point(platform, WRITE, **configured)))
    assert attempt.outcome is Outcome.OK
    assert ("whether its hints were in force is not told" in attempt.note) == bool(configured)


def test_room_that_a_file_system_cannot_tell_is_taken_as_known(tmp_path: Path) -> None:
    """CephFS without a manager says that it is full."""
    huge = 10**18
    with pytest.raises(InvalidInput, match="left, and the run needs"):
        check_place(tmp_path, huge, None)
    check_place(tmp_path, huge, None, room=2 * huge)
    with pytest.raises(InvalidInput, match="left, and the run needs"):
        check_place(tmp_path, 1, None, room=0)
