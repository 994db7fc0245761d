"""A campaign whose runs fail: retried, left alone, stopped, gone on with; and the store that fails."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acic.benchmarks import find_benchmark
from acic.campaign.budget import Budget
from acic.campaign.controller import ASKED, GIVE_UP, USED_UP, Controller
from acic.campaign.jobs import NeverTaken, NotTaken, TakenBack, Trial
from acic.campaign.journal import Journal
from acic.campaign.planning import Planner
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.request import Request, Where
from acic.campaign.session import Session
from acic.campaign.state import QUARANTINE, TRIES, Stage, State, replay
from acic.campaign.summary import summary
from acic.errors import AcicError, InvalidInput, StoreError, TransientError, UnreadableInput
from acic.report.contents import contents_of, figures
from acic.space import Configuration
from acic.store import Measurement
from acic.store.content import fingerprint
from acic.store.database import AddResult, Store
from acic.store.measurement import Outcome
from acic.workloads import Interface
from tests.campaign.fakes import FakeStore, FakeTrials, controller, lab_platform
from tests.campaign.laboratory import Laboratory, check_nothing_left, check_store_is_the_journal
from tests.campaign.test_trials import READ, WRITE

Misbehave = Callable[..., None]


def request(lab: Laboratory, points: int = 6, **more: Any) -> Request:
    return Request(
        platform=str(lab.platform_file),
        budget=Budget(seconds=36000, points=points),
        where=Where(directory=str(lab.data), benchmark=str(lab.benchmark)),
        **{"repeats": Repeats(1, 1), "screen": False, "verify": 0.0, "like": (WRITE,), **more},
    )


def begin(lab: Laboratory, points: int = 6, **more: Any) -> Session:
    return Session.begin(request(lab, points, **more), name=lab.name, now=datetime.now(UTC))


def run(lab: Laboratory, session: Session) -> Controller:
    """Run until it stops; what it knows by then is what its journal tells."""
    with Store.open(str(lab.store_file)) as store:
        controller = session.controller(store)
        controller.run()
    told = replay(session.journal.events(), session.field)
    for one in dataclasses.fields(told):
        if one.name not in ("progress", "begun"):
            assert getattr(told, one.name) == getattr(controller.state, one.name), one.name
    for mine, its in zip(told.progress, controller.state.progress, strict=True):
        assert (mine.attempts, mine.closed, mine.stored) == (its.attempts, its.closed, its.stored)
    return controller


def test_a_run_that_fails_is_tried_once_more(lab: Laboratory, misbehave: Misbehave) -> None:
    misbehave([["-w", f"first:{lab.folder}/mark"], "error"])
    state = run(lab, begin(lab, points=2)).state
    first, second = state.progress
    assert [a.outcome for a in first.attempts] == [Outcome.FAILED, Outcome.OK]
    assert [a.outcome for a in second.attempts] == [Outcome.OK]
    stored = lab.stored()
    assert sorted(m.outcome for m in stored) == [Outcome.FAILED, Outcome.OK, Outcome.OK]
    assert next(m.note for m in stored if m.outcome is Outcome.FAILED).startswith("ERROR: open64() failed")
    check_store_is_the_journal(lab)
    check_nothing_left(lab)


@pytest.mark.parametrize("kind", ["train", "walk"])
def test_a_campaign_of_an_earlier_version_goes_on_as_that_planned(lab: Laboratory, kind: str) -> None:
    """Its journal does not tell how: what was held gave way to rules, and what was fixed was screened."""
    rule = '[[constraint]]\nwhen = { romio_ds_write = "enable" }\nthen = { romio_no_indep_rw = "enable" }\n'
    lab.platform_file.write_text(lab.platform_file.read_text().replace("[[instance]]", f"{rule}[[instance]]", 1))
    usual = {"romio_no_indep_rw": "automatic"}
    begin(lab, points=3, kind=kind, only=usual, screen=True, planning=1)
    file = lab.campaign / "journal.jsonl"
    first, *rest = file.read_text().splitlines(keepends=True)
    told = json.loads(first)
    assert told.pop("planning") == 1
    file.write_text("".join([json.dumps(told) + "\n", *rest]))
    session = Session.open(lab.name)
    assert len(run(lab, session).state.progress) == 3
    had = {session.field.point(row).configuration["romio_no_indep_rw"] for row in session.field.space.enumerate()}
    assert ("enable" in had) is (kind == "walk")
    assert ("romio_no_indep_rw" in session.field.screened) is (kind == "train")
    new = request(lab, kind=kind, only=usual).field(session.platform)
    assert "enable" not in {new.point(row).configuration["romio_no_indep_rw"] for row in new.space.enumerate()}
    assert "romio_no_indep_rw" not in new.screened


LIKE = (WRITE, *(dataclasses.replace(WRITE, iterations=n) for n in (2, 3, 4)))


def is_bad(configuration: Configuration) -> bool:
    return (configuration["romio_ds_write"], configuration["romio_no_indep_rw"]) == ("disable", "enable")


class Killed(BaseException):
    """As if by kill -9: nothing is written down any more."""


@pytest.mark.parametrize(
    ("end", "away", "spent"),
    [(Killed, 3.0, 7.0 + 3.0), (Killed, 1e6, 60.0), (KeyboardInterrupt, 1e6, 7.0)],
)
def test_a_run_whose_end_nobody_saw_is_paid_for(
    tmp_path: Path, end: type[BaseException], away: float, spent: float
) -> None:
    """Until the campaign was gone on with, at most its time limit; where it was interrupted, until then."""
    trials = FakeTrials(lab_platform())

    def seconds(trial: Trial) -> float:
        if trial.number == 1:
            trials.now += 7.0
            raise end
        return 1.0

    trials.seconds = seconds
    with pytest.raises(end):
        controller(tmp_path / "one", trials, budget=Budget(points=3), like=(WRITE,), screen=False).run()
    trials.now += away
    made = controller(tmp_path / "one", trials, budget=Budget(points=3), like=(WRITE,), screen=False)
    made.run()
    assert len(made.state.attempts) == 3
    assert made.state.seconds == 3.0 + spent
    lost = trials.dollars(trials.made[1].point, spent)
    assert made.state.dollars == pytest.approx(sum(a.dollars for _, a in made.state.attempts) + lost)
    assert lost > 0
    told = replay(Journal.open(tmp_path / "one").events(), Field(trials.platform, (WRITE,)))
    assert (told.seconds, told.dollars) == (made.state.seconds, made.state.dollars)


@pytest.mark.parametrize("kind", [NeverTaken, NotTaken])
def test_a_job_that_the_scheduler_refuses_pauses_the_campaign_and_is_no_run(
    tmp_path: Path, kind: type[NotTaken]
) -> None:
    """It was a failure of the configuration: charged, stored, and after two points the configuration was left alone."""
    trials = FakeTrials(lab_platform())
    refuses = True

    def outcome(trial: Trial) -> Outcome:
        if trial.number == 2 and refuses:
            raise kind("slurm does not take the job: no such partition", hint="see its queues")
        return Outcome.OK

    trials.outcome = outcome
    asked: dict[str, Any] = {"budget": Budget(points=5), "like": (WRITE,), "screen": False}
    for _ in range(2 * QUARANTINE * TRIES):  # however often it is gone on with
        made = controller(tmp_path / "c", trials, **asked)
        with pytest.raises(TransientError, match="no such partition") as caught:
            made.run()
        assert "--resume" in caught.value.hint
        told = replay(Journal.open(tmp_path / "c").events(), Field(trials.platform, (WRITE,)))
        for state in (made.state, told):
            assert state.paused == "slurm does not take the job: no such partition"
            assert (state.runs, len(state.attempts), state.seconds, state.in_a_row) == (2, 2, 2.0, 0)
            assert state.open_run is None
            assert not state.avoided
    refuses = False
    made = controller(tmp_path / "c", trials, **asked)
    made.run()
    assert trials.reclaimed == []
    assert [a.number for _, a in made.state.attempts] == list(range(made.state.runs))
    assert [len(p.repetitions) for p in made.state.progress] == [len(p.attempts) for p in made.state.progress]


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        (NotTaken, "see that ssh works; then --resume --name c goes on"),
        (
            NeverTaken,
            "see its queues and limits; once it takes such jobs, --resume --name c goes on; "
            "another queue or --time-limit needs a new campaign",
        ),
    ],
)
def test_what_a_run_cost_before_its_job_was_not_taken_is_paid(tmp_path: Path, kind: type[NotTaken], hint: str) -> None:
    """Of a job that was refused it was in no budget, however often it was gone on with."""
    trials = FakeTrials(lab_platform())

    def outcome(trial: Trial) -> Outcome:
        if trial.number == 1:
            away = kind("no host answers", hint="see that ssh works")
            away.elapsed, away.dollars = 5.0, 2.0
            raise away
        return Outcome.OK

    trials.outcome = outcome
    made = controller(tmp_path / "c", trials, budget=Budget(points=5), like=(WRITE,), screen=False)
    with pytest.raises(TransientError, match="no host answers") as caught:
        made.run()
    assert caught.value.hint == hint
    told = replay(Journal.open(tmp_path / "c").events(), Field(trials.platform, (WRITE,)))
    (_, attempt), *_ = told.attempts
    assert (told.seconds, told.dollars) == (attempt.elapsed + 5.0, attempt.dollars + 2.0)


@pytest.mark.parametrize("asked", [True, False])
def test_a_pause_and_the_end_of_a_budget_do_not_wait_for_a_queue(tmp_path: Path, asked: bool) -> None:
    """Both waited until the job had run, which in a partition that is down is never."""
    trials, seen = FakeTrials(lab_platform()), list[str]()

    def outcome(trial: Trial) -> Outcome:
        if trial.number == 2:
            seen.append(made.enough())
            trials.now += 1.0 if asked else 100.0
            if asked:
                Journal.open(tmp_path / "c").ask_pause()
            seen.append(made.enough())
            back = TakenBack(f"{seen[-1]}, while the job was in slurm's queue")
            back.elapsed = trials.now - 2.0
            raise back
        return Outcome.OK

    trials.outcome = outcome
    made = controller(tmp_path / "c", trials, budget=Budget(seconds=60.0), like=(WRITE,), screen=False)
    made.run()
    assert seen == ["", ASKED if asked else USED_UP]
    told = replay(Journal.open(tmp_path / "c").events(), Field(trials.platform, (WRITE,)))
    for state in (made.state, told):
        assert (state.runs, len(state.attempts), state.open_run) == (2, 2, None)
        assert (state.ended, bool(state.paused)) == (("", True) if asked else (USED_UP, False))
        assert state.paused == (f"{ASKED}, while the job was in slurm's queue" if asked else "")
        assert state.seconds == 2.0 + (1.0 if asked else 100.0)


def test_a_configuration_that_keeps_failing_is_left_alone(tmp_path: Path) -> None:
    def bad(trial: Trial) -> Outcome:
        return Outcome.FAILED if is_bad(trial.point.configuration) else Outcome.OK

    made = controller(tmp_path / "c", FakeTrials(lab_platform(), bad), budget=Budget(points=100))
    made.run()
    assert made.state.ended
    failing = [p for p in made.state.progress if is_bad(p.point.configuration)]
    for configuration in {p.point.configuration for p in failing}:
        tried = [p for p in failing if p.point.configuration == configuration]
        assert [len(p.attempts) for p in tried[:QUARANTINE]] == [TRIES] * len(tried[:QUARANTINE])
        assert {(len(p.attempts), p.why_skipped) for p in tried[QUARANTINE:]} <= {
            (0, "its configuration keeps failing")
        }
    assert any(p.why_skipped for p in failing)
    assert all(p.repetitions for p in made.state.progress if p not in failing)  # the planner goes on


def test_what_most_runs_failed_of_is_told(tmp_path: Path) -> None:
    """Only how many had failed was, and why stood in the journal: they had asked for nodes that there were not."""
    trials = FakeTrials(lab_platform(), lambda trial: Outcome.OK if trial.number % 4 == 3 else Outcome.FAILED)
    trials.note = lambda trial: f"{trial.number} s too late" if trial.number % 4 else "no such node"
    made = controller(tmp_path / "c", trials, budget=Budget(points=6), like=(WRITE,), screen=False)
    made.run()
    told = summary("c", Field(trials.platform, (WRITE,)), made.state)
    assert told.why == "1 s too late"  # the second ones' differ in their numbers alone
    assert "\nmost often because of: 1 s too late\n" in told.text()
    trials = FakeTrials(lab_platform())
    made = controller(tmp_path / "good", trials, budget=Budget(points=6), like=(WRITE,), screen=False)
    made.run()
    assert "most often" not in summary("good", Field(trials.platform, (WRITE,)), made.state).text()


def test_when_everything_fails_it_stops_and_goes_on_when_asked(lab: Laboratory, misbehave: Misbehave) -> None:
    misbehave([["-a"], "error"])
    session = begin(lab, points=14, like=LIKE)
    state = run(lab, session).state
    assert len(state.attempts) == GIVE_UP
    assert state.paused.startswith(f"{GIVE_UP} runs in a row failed; the last: ERROR: open64() failed")
    misbehave()
    state = run(lab, Session.open(lab.name)).state
    assert state.ended
    assert sum(bool(p.repetitions) for p in state.progress) >= 4
    check_store_is_the_journal(lab)


@pytest.mark.parametrize("active", [False, True], ids=["sampling", "active"])
def test_a_configuration_with_wrong_bytes_is_never_measured_again(
    lab: Laboratory, misbehave: Misbehave, active: bool
) -> None:
    misbehave([["-R", "romio_ds_write=enable"], "wrong"])
    state = run(lab, begin(lab, points=11, like=LIKE[:2], verify=1.0, active=active)).state
    assert state.unsafe
    assert {c["romio_ds_write"] for c in state.unsafe} == {"enable"}
    for configuration in state.unsafe:
        tried = [p for p in state.progress if p.point.configuration == configuration and p.attempts]
        assert [a.outcome for p in tried for a in p.attempts] == [Outcome.CORRUPT]
    corrupt = [m for m in lab.stored() if m.outcome is Outcome.CORRUPT]
    assert {m.configuration for m in corrupt} == state.unsafe
    assert not any(m.bandwidths for m in corrupt)
    check_store_is_the_journal(lab)


def test_the_rest_of_a_budget_goes_to_no_configuration_with_wrong_bytes(tmp_path: Path) -> None:
    def wrong(trial: Trial) -> Outcome:
        return Outcome.CORRUPT if trial.point.configuration["romio_ds_write"] == "enable" else Outcome.OK

    trials = FakeTrials(lab_platform(), wrong)
    like = tuple(dataclasses.replace(WRITE, iterations=n) for n in (1, 100_000, 2))
    made = controller(tmp_path / "c", trials, budget=Budget(seconds=30), like=like)
    asked = [(0, "enable"), (1, "disable"), (2, "enable")]  # the second one takes too long for what is left
    default, row = made._field.default, made._field.row
    with made.at_work():
        made.measure(np.array([row(default | {"workload": n, "romio_ds_write": value}) for n, value in asked]))
    assert made.state.ended == USED_UP
    assert len(trials.made) == 1


def test_the_first_shared_write_of_a_configuration_is_read_back_whatever_ran_before(tmp_path: Path) -> None:
    """Another run of the configuration, or one that failed, checks nothing of it."""
    trials = FakeTrials(lab_platform(), lambda trial: Outcome.FAILED if trial.number == 4 else Outcome.OK)
    posix = dataclasses.replace(WRITE, interface=Interface.POSIX)
    like = (posix, WRITE, dataclasses.replace(WRITE, iterations=2))
    made = controller(tmp_path / "c", trials, like=like, verify=0.001)
    asked = [(0, "automatic"), (0, "enable"), (1, "enable"), (2, "enable"), (1, "disable"), (2, "disable")]
    default, row = made._field.default, made._field.row
    with made.at_work():
        made.measure(np.array([row(default | {"workload": n, "romio_ds_write": value}) for n, value in asked]))
    assert [(trial.number, trial.verify) for trial in trials.made] == [
        (0, True),  # the first of the share
        (1, False),
        (2, True),
        (3, False),
        (4, True),
        (5, True),
        (6, False),
    ]


def test_a_pause_that_is_asked_for_while_the_journal_is_read_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = controller(tmp_path / "c", FakeTrials(lab_platform()))

    def slowly(events: Iterator[dict[str, Any]], field: Field) -> State:
        made._journal.ask_pause()
        return replay(events, field)

    monkeypatch.setattr("acic.campaign.course.replay", slowly)
    assert made.run() == "somebody asked for it"


@pytest.mark.parametrize("active", [False, True], ids=["sampling", "active"])
def test_an_unsafe_baseline_does_not_end_the_campaign(tmp_path: Path, active: bool) -> None:
    """The first samples vary workloads alone, on the baseline: all of them are unsafe, and others must follow."""
    platform = lab_platform()

    def baseline(trial: Trial) -> Outcome:
        return Outcome.CORRUPT if trial.point.configuration == platform.baseline else Outcome.OK

    made = controller(
        tmp_path / "c", FakeTrials(platform, baseline), budget=Budget(points=100), screen=False, active=active
    )
    made.run()
    assert made.state.unsafe == {platform.baseline}
    assert sum(bool(p.attempts) and not p.repetitions for p in made.state.progress) == 1
    assert sum(bool(p.repetitions) for p in made.state.progress) >= 50


def test_what_took_far_too_long_is_not_tried_again(tmp_path: Path) -> None:
    def slow(trial: Trial) -> Outcome:
        return Outcome.TIMEOUT if trial.number in (3, 7) else Outcome.OK

    made = controller(tmp_path / "c", FakeTrials(lab_platform(), slow), budget=Budget(points=30), screen=False)
    made.run()
    given_up = [p.attempts for p in made.state.progress if p.failures]
    assert [len(attempts) for attempts in given_up] == [1, 1]


def test_one_failure_of_a_configuration_does_not_end_active_planning(tmp_path: Path) -> None:
    made = controller(
        tmp_path / "c",
        FakeTrials(lab_platform(), lambda t: Outcome.FAILED if t.number < 2 else Outcome.OK),
        budget=Budget(points=60),
        like=(dataclasses.replace(WRITE, interface=Interface.POSIX),),
        screen=False,
        active=True,
    )
    made.run()
    assert len(made.state.progress) == 2  # files are the only parameter that makes a difference
    assert [bool(p.repetitions) for p in made.state.progress] == [False, True]


class Broken(Store):
    """A store that cannot be written the first few times that there is something new to write."""

    failures = 0

    def add(self, measurements: Iterable[Measurement], *, progress: Callable[[int], None] | None = None) -> AddResult:
        them = list(measurements)
        if self.failures and not {fingerprint(one) for one in them} <= set(self.fingerprints()):
            self.failures -= 1
            raise StoreError("the store is locked", hint="wait")
        return super().add(them, progress=progress)


def test_what_the_store_does_not_take_is_added_later(lab: Laboratory) -> None:
    session = begin(lab, points=3)
    for life in range(3):
        with Broken.open(str(lab.store_file)) as store:
            store.failures = 1
            with pytest.raises(StoreError, match="locked"):
                session.controller(store).run()
        assert len(lab.stored()) == life
        assert len(lab.state.attempts) == life + 1
        session = Session.open(lab.name)
        with Broken.open(str(lab.store_file)) as store:
            controller = session.controller(store)
            controller._journal.ask_pause(True)
            with controller.at_work():
                controller._step()
        assert len(lab.stored()) == life + 1
    assert run(lab, Session.open(lab.name)).state.ended
    check_store_is_the_journal(lab)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system takes root")
def test_a_store_on_a_full_disk(lab: Laboratory) -> None:
    place = lab.folder / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system")
    try:
        session = begin(lab, points=2)
        with Store.open(str(place / "store.sqlite")) as store:
            filled(place / "others")
            with pytest.raises(StoreError, match=r"no space left|failed"):
                session.controller(store).run()
            (place / "others").unlink()
            assert Session.open(lab.name).controller(store).run() == "the limit of 2 points is reached"
            assert [m.outcome for m in store.measurements()] == [Outcome.OK] * 2
    finally:
        subprocess.run(["umount", "-l", place], check=True)
    assert [len(p.attempts) for p in lab.state.progress] == [1, 1]


def until_it_is_full(journal: Journal) -> int:
    for written in range(1000):
        try:
            journal.append("note", text="x" * 1000)
        except OSError:
            return written
    raise AssertionError("the disk is never full")


def filled(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


def test_what_the_store_is_given_stands_in_the_journal_whatever_happens_to_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure left measurements whose runs the journal had not: they were made again, and counted twice."""
    kept: dict[int, int] = {}  # B that last, by the file's number

    def fsync(handle: int) -> None:
        its = os.fstat(handle)
        kept[its.st_ino] = its.st_size

    class Watching(FakeStore):
        def add(self, measurements: list[Measurement]) -> AddResult:
            its = (tmp_path / "c" / "journal.jsonl").stat()
            assert kept[its.st_ino] == its.st_size
            return super().add(measurements)

    monkeypatch.setattr(os, "fsync", fsync)
    store = Watching()
    controller(tmp_path / "c", FakeTrials(lab_platform()), budget=Budget(points=5), store=store).run()
    assert len(store.added) == 5
    assert tmp_path.stat().st_ino in kept  # and the campaign's folder itself


def test_two_controllers_do_not_work_on_one_campaign(lab: Laboratory) -> None:
    session = begin(lab, points=1)
    with (
        Store.open(str(lab.store_file)) as store,
        session.journal.locked(),
        pytest.raises(InvalidInput, match="is running already"),
    ):
        session.controller(store).run()
    assert run(lab, session).state.ended


def test_somebody_who_looks_whether_it_runs_keeps_nobody_from_running_it(lab: Laboratory) -> None:
    journal = begin(lab).journal
    with journal.locked():
        assert journal.running
    import fcntl
    import threading

    with (journal.folder / "lock").open("r") as look:
        fcntl.flock(look, fcntl.LOCK_SH)
        threading.Timer(0.1, lambda: fcntl.flock(look, fcntl.LOCK_UN)).start()
        with journal.locked():
            pass
    assert not journal.running


def test_without_a_screening_it_begins_with_the_baselines(lab: Laboratory) -> None:
    state = run(lab, begin(lab, points=9, like=(WRITE, READ))).state
    assert [p.stage for p in state.progress[:3]] == [Stage.BASELINE, Stage.BASELINE, Stage.SAMPLING]
    assert len({p.row.tobytes() for p in state.progress}) == len(state.progress)


def test_no_point_is_planned_twice() -> None:
    """Constraints make some rows of a screening design the same."""
    plain = tuple(dataclasses.replace(w, interface=Interface.POSIX) for w in (WRITE, READ))
    for like in ((), LIKE, plain):
        found = Planner(Field(lab_platform(), like), 0).next(State(begun={}))
        assert found
        assert len({row.tobytes() for row in found[1]}) == len(found[1]) > 0


Lines = list[bytes]
DAMAGES: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "a line that is no JSON": (lambda lines: [*lines[:2], b"{oops", *lines[3:]], "line 3"),
    "bytes that are no text": (lambda lines: [*lines[:2], b"\xff\xfe\x00", *lines[3:]], "line 3"),
    "JSON that is no event": (lambda lines: [*lines[:2], b"17", *lines[3:]], "line 3"),
    "an empty line": (lambda lines: [*lines[:2], b"", *lines[3:]], "line 3"),
    "an event of no known kind": (lambda lines: [*lines[:2], b'{"event":"dreamt"}', *lines[3:]], "line 3"),
    "an event without its fields": (lambda lines: [*lines[:2], b'{"event":"finished"}', *lines[3:]], "line 3"),
    "no first line": (lambda lines: lines[1:], "first line"),
    "the first line twice": (lambda lines: [lines[0], *lines], "line 2"),
    "a lost line": (lambda lines: [lines[0], *lines[2:]], "line 2|line 3"),
    "nothing": (lambda _: [], "first line"),
    "zeros": (lambda lines: [*lines[:3], bytes(100), *lines[3:]], "line 4"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_told_so(lab: Laboratory, damage: str) -> None:
    run(lab, begin(lab, points=1))
    file = lab.campaign / "journal.jsonl"
    change, where = DAMAGES[damage]
    file.write_bytes(b"".join(line + b"\n" for line in change(file.read_bytes().splitlines())))
    with pytest.raises(UnreadableInput) as told, Store.open(str(lab.store_file)) as store:
        Session.open(lab.name).controller(store).run()
    assert [w for w in where.split("|") if w in told.value.problem], told.value.problem
    assert told.value.hint


ODD: tuple[Any, ...] = (5, "x", None, True, [], ["x"], {}, {"x": 5}, float("nan"), -1e400, 10**400)


def test_any_value_that_makes_no_sense_is_told_by_an_error_of_ours(lab: Laboratory) -> None:
    """`acic campaign list` looks at all journals: a traceback of one hid the others."""
    run(lab, begin(lab, like=(WRITE,)))
    file = lab.campaign / "journal.jsonl"
    lines = file.read_bytes().splitlines()
    whole = [json.loads(line) for line in lines]
    assert {e["event"] for e in whole} == {"begun", "planned", "started", "finished", "closed", "stored", "ended"}
    whole.append({"event": "ranked", "ranks": {"time": ["files"]}, "effects": {"time": {"files": 0.5}}})
    kinds = {event["event"]: (number, event) for number, event in enumerate(whole)}
    for number, event in kinds.values():
        for changed in _changes(event):
            text = json.dumps(changed).encode()
            file.write_bytes(b"".join(line + b"\n" for line in (*lines[:number], text, *lines[number + 1 :])))
            try:
                session = Session.open(lab.name)
                state = replay(session.journal.events(), session.field)
                summary(lab.name, session.field, state).text()
                figures(contents_of(session, now=datetime.now(UTC)))
            except AcicError as error:
                assert error.hint  # noqa: PT017  (that none is raised is right too)
            except Exception as error:
                raise AssertionError(text) from error


def _changes(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield `value` with each of its parts left out, changed to what is odd, or with one more."""
    if depth and isinstance(value, dict):
        yield {**value, "odd": 5}
        for name in value:
            yield {k: v for k, v in value.items() if k != name}
            yield from ({**value, name: one} for one in (*ODD, *_changes(value[name], depth - 1)))
    if depth and isinstance(value, list) and value:
        yield from ([one, *value[1:]] for one in (*ODD, *_changes(value[0], depth - 1)))


def test_a_journal_on_a_full_disk_keeps_whole_lines(lab: Laboratory) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a file system takes root")
    place = lab.folder / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system")
    try:
        journal = Journal.create(place / "one", {"text": "x" * 3000})
        filled(place / "others")
        written = until_it_is_full(journal)
        (place / "others").unlink()
        journal.append("note", text="y")
        assert [e.get("text", "")[:1] for e in journal.events()] == ["x"] * (written + 1) + ["y"]
    finally:
        subprocess.run(["umount", "-l", place], check=True)


CHANGES = {
    "a parameter": ('values = ["automatic", "enable"]', 'values = ["automatic", "enable", "disable"]'),
    "the baseline": ('romio_ds_write = "automatic"', 'romio_ds_write = "disable"'),
    "a workload of one value": ("iterations = [1]", "iterations = [4]"),
    "the revision": ('revision = "1"', 'revision = "2"'),
    "how it is set": ('apply = ["files", "romio"]', 'apply = ["romio"]'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_platform_that_changed_meanwhile_is_refused(lab: Laboratory, change: str) -> None:
    """Otherwise rows would mean something else than when they were measured."""
    run(lab, begin(lab, points=1, like=()))
    text = lab.platform_file.read_text()
    assert CHANGES[change][0] in text
    lab.platform_file.write_text(text.replace(*CHANGES[change], 1))
    session = Session.open(lab.name)  # to look at it is no harm
    with Store.open(str(lab.store_file)) as store, pytest.raises(InvalidInput, match="no longer what it was"):
        session.controller(store)


def test_a_campaign_keeps_the_benchmark_that_it_began_with(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if another one appears on PATH before it is gone on with."""
    unmarked = lab.folder / "acic-bench"
    unmarked.write_text(lab.benchmark.read_text().replace("IOR-4.1.0+pretend", "itself"))
    unmarked.chmod(0o755)
    monkeypatch.setenv("ACIC_BENCH", str(unmarked))
    monkeypatch.setenv("PATH", str(lab.home))
    asked = request(lab)
    where = dataclasses.replace(asked.where, benchmark=None)
    Session.begin(dataclasses.replace(asked, where=where), name=lab.name, now=datetime.now(UTC))
    os.symlink(lab.benchmark, lab.home / "ior")
    assert Session.open(lab.name).request.where.benchmark == "acic-bench"


def test_two_campaigns_without_a_name_may_begin_in_the_same_second(lab: Laboratory) -> None:
    now = datetime(2026, 11, 23, 2, 51, 5, tzinfo=UTC)
    asked = dataclasses.replace(request(lab), kind="verify")
    names = [Session.begin(asked, name=None, now=now).journal.name for _ in range(3)]
    assert names == [f"verify-pretended-20261123-025105{number}" for number in ("", "-2", "-3")]
    assert Session.begin(request(lab), name=None, now=now).journal.name == "pretended-20261123-025105"


def test_a_name_that_is_taken_while_a_campaign_without_one_begins_is_not_its_own(
    lab: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, create, names = datetime(2026, 11, 23, 2, 51, 5, tzinfo=UTC), Journal.create, []

    def late(folder: Path, begun: dict[str, Any]) -> Journal:
        monkeypatch.setattr(Journal, "create", create)
        names.append(Session.begin(request(lab), name=None, now=now).journal.name)
        return create(folder, begun)

    monkeypatch.setattr(Journal, "create", late)
    names.append(Session.begin(request(lab), name=None, now=now).journal.name)
    assert names == ["pretended-20261123-025105", "pretended-20261123-025105-2"]
    with pytest.raises(InvalidInput, match="already"):
        Session.begin(request(lab), name=names[0], now=now)


def test_nothing_is_made_where_nothing_can_be_run(lab: Laboratory) -> None:
    bad = (
        {"where": Where(directory=str(lab.data), benchmark=str(lab.folder / "nothing"))},
        {"where": Where(directory=str(lab.folder / "nowhere"), benchmark=str(lab.benchmark))},
        {"where": Where(directory=str(lab.data), benchmark=str(lab.benchmark), runner="moon")},
        {"time_limit": 0.0},
        {"time_limit": float("inf")},
        {"contributor": "Andr\udce9"},
    )
    for changed in bad:
        with pytest.raises((InvalidInput, UnreadableInput)) as told:
            Session.begin(dataclasses.replace(request(lab), **changed), name=lab.name, now=datetime.now(UTC))
        assert told.value.hint
        assert not lab.campaign.exists()
    begin(lab)
    with pytest.raises(InvalidInput, match="there is a campaign"):
        begin(lab)
    assert [p.name for p in lab.campaign.parent.iterdir()] == [lab.name]


def test_the_journal_is_read_while_it_is_written(lab: Laboratory) -> None:
    run(lab, begin(lab, points=1))
    file = lab.campaign / "journal.jsonl"
    whole = [json.dumps(e) for e in lab.journal.events()]
    with file.open("ab") as half:
        half.write(b'{"event":"start')
    assert [json.dumps(e) for e in lab.journal.events()] == whole
    with lab.journal.locked():
        assert file.read_bytes().endswith(b"}\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system takes root")
def test_a_campaign_waits_for_its_mount_and_goes_on_after_a_restart_of_the_machine(lab: Laboratory) -> None:
    """Mounted anew it has another device number, as after a restart; another file system is refused at once."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(lab.data)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system")
    begin(lab, points=2)
    subprocess.run(["umount", lab.data], check=True)
    with Store.open(str(lab.store_file)) as store, pytest.raises(InvalidInput, match="and no longer is") as told:
        Session.open(lab.name).controller(store)
    assert "mount it again" in told.value.hint
    assert not lab.state.attempts
    subprocess.run(mount, check=True)
    try:
        state = run(lab, Session.open(lab.name)).state
        assert [p.attempts[0].outcome for p in state.progress] == [Outcome.OK] * 2
    finally:
        subprocess.run(["umount", "-l", lab.data], check=True)


@pytest.mark.parametrize(("nodes", "alike"), [(1, False), (2, True)])
def test_a_screening_ranks_costs_by_all_machines_that_its_runs_hold(
    lab: Laboratory, monkeypatch: pytest.MonkeyPatch, nodes: int, alike: bool
) -> None:
    """Whatever --nodes said, they were those that processes fill: few processes were told to be cheap."""
    trials, benchmark = FakeTrials(lab_platform()), find_benchmark(str(lab.benchmark))
    monkeypatch.setattr("acic.campaign.session.open_trials", lambda *_, **__: (trials, benchmark))
    where = Where(runner="ssh", hosts=("a", "b"), nodes=nodes)
    asked = dataclasses.replace(request(lab, 100, like=(), screen=True), where=where)
    session = Session.begin(asked, name=lab.name, now=datetime.now(UTC))
    with Store.open(str(lab.store_file)) as store:
        controller = session.controller(store)
        controller.run()
    effects = controller.state.effects
    assert (effects["cost"] == pytest.approx(effects["time"])) is alike


def test_a_file_system_without_locks_is_told_of(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lustre may be mounted so: `status` said that the campaign ran, for ever."""
    journal = begin(lab).journal

    def refused(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    with journal.locked():
        pass
    monkeypatch.setattr("fcntl.flock", refused)
    assert not journal.running
    with pytest.raises(InvalidInput, match="has no locks") as raised, journal.locked():
        pass
    assert "XDG_STATE_HOME" in raised.value.hint


def test_a_campaign_of_another_machine_is_not_gone_on_with(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of two machines were one campaign's, under the name of the first."""
    session = begin(lab, points=1)
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    with (
        Store.open(str(lab.store_file)) as store,
        pytest.raises(InvalidInput, match="and this machine is another one"),
    ):
        session.controller(store)
