"""`acic train` and `acic campaign`: ended, paused and gone on with from outside; bad options told in one message."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.campaign.controller import USED_UP, Controller
from acic.campaign.journal import Journal
from acic.campaign.points import Field
from acic.campaign.screening import screening_rows
from acic.campaign.session import Session
from acic.campaign.state import State, replay
from acic.cli.main import run
from acic.cli.measuring import note_no_baseline
from acic.cli.searching import ranks_of
from acic.platforms import load_platform
from acic.platforms.own_file import kept_file
from acic.space import Configuration
from acic.store.database import Store
from acic.store.location import default_url
from acic.workloads import Phase, Workload
from tests.campaign.fakes import lab_platform
from tests.campaign.laboratory import (
    TIMEOUT,
    Laboratory,
    check_nothing_left,
    check_store_is_the_journal,
    table,
)
from tests.campaign.test_trials import WRITE
from tests.cli.conftest import Result, calling
from tests.cli.documented import check_fields

LOG = Path(__file__).parents[1] / "data" / "darshan" / "known" / "ior_mpiio_coll_strided.darshan"
QUICK = ("--points", 3, "--no-screen", "--repeats", "1", "--verify", "0")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    made = Laboratory(tmp_path / "lab")
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def acic(lab: Laboratory, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:  # noqa: ARG001  (sets up)
    return calling(capsys)


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def at_work(lab: Laboratory, words: list[str]) -> subprocess.Popen[str]:
    """Start a controller, and wait until one of its runs is under way."""
    process = lab.start(words)
    file = lab.campaign / "journal.jsonl"
    wait_for(lambda: process.poll() is not None or (file.exists() and bool(list(lab.data.glob("acic-*")))))
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_pauses_a_campaign_and_resume_ends_it_as_if_there_had_been_none(
    lab: Laboratory, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("PRETEND_SECONDS", "0.5")
    process = at_work(lab, lab.train(*QUICK))
    process.send_signal(number)
    out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, out + err
    assert "the campaign is paused" in err
    assert "--resume" in err
    assert "Traceback" not in err
    assert lab.state.paused == "interrupted"
    check_nothing_left(lab)
    monkeypatch.setenv("PRETEND_SECONDS", "0")
    assert run(lab.resume()) == 0
    assert [len(p.attempts) for p in lab.state.progress] == [1, 1, 1]
    check_nothing_left(lab)
    check_store_is_the_journal(lab)


def test_nohup_is_respected(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRETEND_SECONDS", "0.2")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = at_work(lab, lab.train("--points", 1, *QUICK[2:]))
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    assert process.wait(TIMEOUT) == 0
    process.communicate()


def test_a_campaign_is_paused_and_gone_on_with_from_another_process(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRETEND_SECONDS", "0.5")
    process = at_work(lab, lab.train(*QUICK))
    assert acic("campaign", "status", lab.name, "--json").json["campaign"]["status"] == "running"
    second = acic(*lab.resume())  # another controller is kept away
    assert (second.status, second.out) == (2, "")
    assert "is running already" in second.err
    check_fields("campaign pause", acic("campaign", "pause", lab.name, "--json").json)
    out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 1, out + err
    assert lab.state.paused == "somebody asked for it"
    assert acic("campaign", "pause", lab.name).status == 1  # it is not running
    monkeypatch.setenv("PRETEND_SECONDS", "0")
    went_on = acic("campaign", "resume", lab.name, "--json")
    assert (went_on.status, went_on.json["campaign"]["measured"]) == (0, 3), went_on.err
    check_nothing_left(lab)
    check_store_is_the_journal(lab)


def test_the_status_tells_what_a_job_of_the_controller_at_work_waits_for(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the running command told it: asked from elsewhere, a campaign that waited for days was just running."""

    def told() -> tuple[Any, bool]:
        waiting = acic("campaign", "status", lab.name, "--json").json["campaign"]["waiting"]
        return waiting, waits in acic("campaign", "status", lab.name).out.splitlines()

    waits = f"job {lab.name}-0-measure waits in slurm's queue: PartitionDown"
    monkeypatch.setenv("PRETEND_SECONDS", "2")
    process = at_work(lab, lab.train(*QUICK))
    assert told() == (None, False)
    lab.journal.note_waiting(waits)
    assert told() == (waits, True)
    process.kill()
    process.communicate(timeout=TIMEOUT)
    assert told() == (None, False)  # it waits for nothing any more
    assert lab.journal.waiting == waits
    monkeypatch.setenv("PRETEND_SECONDS", "0")
    assert acic("campaign", "resume", lab.name).status == 0
    assert lab.journal.waiting == ""


def test_a_campaign_that_has_ended_ends_again(lab: Laboratory, acic: Callable[..., Result]) -> None:
    assert acic(*lab.train(*QUICK)).status == 0
    before = table(lab.state)
    assert acic(*lab.resume()).status == 0
    assert table(lab.state) == before
    check_store_is_the_journal(lab)


def test_what_ends_while_its_status_is_asked_was_not_interrupted(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert acic(*lab.train(*QUICK)).status == 0
    file = lab.campaign / "journal.jsonl"
    *whole, ended = file.read_bytes().splitlines(keepends=True)
    assert b'"ended"' in ended
    file.write_bytes(b"".join(whole))
    with ExitStack() as at_work:
        at_work.enter_context(lab.journal.locked())

        def slowly(events: Iterable[dict[str, Any]], field: Field) -> State:
            found = replay(events, field)
            at_work.close()
            return found

        monkeypatch.setattr("acic.campaign.state.replay", slowly)
        assert acic("campaign", "status", "--json").json["campaign"]["status"] == "running"
        assert acic("campaign", "status", "--json").json["campaign"]["status"] == "interrupted"


BAD: dict[str, tuple[str, ...]] = {
    "a budget that is none": ("--budget", "much"),
    "a negative budget": ("--budget", "-5min"),
    "a budget of nothing": ("--budget", "0s"),
    "a budget that covers no point": ("--budget", "1ms"),
    "no platform": ("--platform", "moon"),
    "a platform file that is not there": ("--platform", "nowhere.toml"),
    "a name that is none": ("--name", "../x"),
    "a benchmark that is not there": ("--benchmark", "./nothing"),
    "a benchmark that is none": ("--benchmark", "iorr"),
    "a directory that is not there": ("--directory", "/nowhere/at/all"),
    "a benchmark in the home of nobody": ("--benchmark", "~nosuchuser/ior"),
    "repeats that are none": ("--repeats", "some"),
    "repeats the wrong way round": ("--repeats", "5:1"),
    "no repeats": ("--repeats", "0:0"),
    "a precision": ("--precision", "7"),
    "a precision that is no number": ("--precision", "nan"),
    "a part": ("--verify", "1.5"),
    "no points": ("--points", "0"),
    "a time limit that is none": ("--time-limit", "soon"),
    "a time limit of nothing": ("--time-limit", "0s"),
    "a time limit of a variable that is not set": ("--time-limit", ""),
    "an unknown runner": ("--runner", "moon"),
    "machines for this one": ("--nodes", "2"),
    "hosts for no ssh": ("--host", "a"),
    "ssh without hosts": ("--runner", "ssh"),
    "an attribute that is none": ("--runner", "slurm", "--attribute", "x"),
    "a queue for this machine": ("--queue", "short"),
    "an account for this machine": ("--account", "me"),
    "an attribute for ssh": ("--runner", "ssh", "--host", "a", "--attribute", "x=y"),
    "a paid hour without the residual": ("--paid-since", "2026-11-21T09:12:00"),
    "a residual of nothing": ("--residual",),
    "a residual of the future": ("--residual", "--paid-since", "2999-01-01T00:00:00"),
    "a log that is not there": ("--like", "nowhere.darshan"),
    "a store that is none": ("--store", "oracle://x/y"),
    "a store in the home of nobody": ("--store", "~nosuchuser/x.sqlite"),
    "a negative seed": ("--seed", "-1"),
    "a contributor in another encoding": ("--contributor", os.fsdecode("André".encode("latin-1"))),
    "an unknown option": ("--quickly",),
}


@pytest.mark.parametrize("which", BAD)
def test_a_bad_option_is_one_message_and_nothing_is_begun(
    lab: Laboratory, acic: Callable[..., Result], which: str
) -> None:
    found = acic(*lab.train(*QUICK, *BAD[which]))
    unreadable = which in (
        "a platform file that is not there",
        "a log that is not there",
        "a benchmark that is not there",
    )
    assert found.status == (3 if unreadable else 2), found
    assert found.out == ""
    assert "Traceback" not in found.err
    if not found.err.startswith("Usage:"):
        problem, hint = found.err.strip().split("\n")
        assert problem.startswith("acic: ")
        assert hint.startswith("hint: ")
        assert len(hint) > 10
    assert not lab.campaign.parent.exists() or list(lab.campaign.parent.iterdir()) == []
    assert list(lab.data.iterdir()) == []


def test_a_name_that_is_taken_and_one_that_is_not_there(lab: Laboratory, acic: Callable[..., Result]) -> None:
    for words in (["train", "--resume"], lab.resume(), ["campaign", "status"], ["campaign", "resume", "nothing"]):
        found = acic(*words)
        assert (found.status, found.err.count("\n")) == (2, 2), found
        assert "there is no campaign" in found.err
    assert acic(*lab.train(*QUICK)).status == 0
    lines = (lab.campaign / "journal.jsonl").read_bytes()
    found = acic(*lab.train(*QUICK))
    assert found.status == 2
    assert f"there is a campaign {lab.name} already" in found.err
    assert (lab.campaign / "journal.jsonl").read_bytes() == lines
    listed = acic("campaign", "list", "--json").json
    check_fields("campaign list", listed)
    assert listed["campaigns"][0]["name"] == lab.name


def test_where_there_are_no_campaigns_it_says_how_to_begin_one(lab: Laboratory, acic: Callable[..., Result]) -> None:
    assert not lab.campaign.exists()
    found = acic("campaign", "list")
    assert (found.status, found.out) == (0, "")
    assert "acic train" in found.err


def test_a_damaged_journal_is_one_message(lab: Laboratory, acic: Callable[..., Result]) -> None:
    assert acic(*lab.train(*QUICK)).status == 0
    file = lab.campaign / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:3], b"{{{\n", *lines[3:]]))
    for words in (lab.resume(), ["campaign", "status"], ["campaign", "resume"]):
        found = acic(*words)
        assert found.status == 3
        assert "line 4 of" in found.err
        assert "hint: " in found.err


def test_a_journal_that_cannot_be_read_hides_no_other(lab: Laboratory, acic: Callable[..., Result]) -> None:
    assert acic(*lab.train(*QUICK)).status == 0
    bad = lab.campaign.with_name("bad")
    shutil.copytree(lab.campaign, bad)
    file = bad / "journal.jsonl"
    first, rest = file.read_text().split("\n", 1)
    begun = json.loads(first)
    for changed in ({k: v for k, v in begun.items() if k != "budget"}, begun | {"where": 5}, begun | {"version": "1"}):
        file.write_text(f"{json.dumps(changed)}\n{rest}")
        found = acic("campaign", "list", "--json")
        assert [one["name"] for one in found.json["campaigns"]] == [lab.name]
        assert "note: bad: the first line of" in found.err
        for words in (["status", "bad"], ["report", "bad", "--json"], ["resume", "bad"]):
            found = acic("campaign", *words)
            assert (found.status, "the first line of" in found.err, "hint: " in found.err) == (3, True, True)


@pytest.mark.parametrize("name", ["", "../copy", "/copy", "a" * 250, "größer", "-x"])
def test_a_campaign_has_a_name_and_no_path(lab: Laboratory, acic: Callable[..., Result], name: str) -> None:
    assert acic(*lab.train(*QUICK)).status == 0
    shutil.copytree(lab.campaign, lab.campaign.parents[1] / "copy")
    for words in (["status"], ["pause"], ["resume"], ["report", "--json"]):
        found = acic("campaign", *words, "--", name)
        assert found.status == 2
        assert f"{name!r} is no name for a campaign" in found.err
        assert (
            "hint: use up to 60 letters (A-Z, a-z), digits" in found.err
        )  # what a name of 250 letters was told to use
    assert acic("train", "--resume", "--name", name).status == 2


def test_who_measures_is_named_by_an_option_the_environment_or_the_login(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ["--platform", lab.platform_file, "--benchmark", lab.benchmark, "--directory", lab.data]
    job = ["--processes", 1, "--interface", "MPIIO", "--operation", "write", "--data-size", "16KiB"]
    walk = ["walk", *job, *place, "--order", "random", "--runs", 1]
    for number, (words, environment, name) in enumerate(
        ((["--contributor", "me@site"], "", "me@site"), ([], "our site", "our site"), ([], "", getpass.getuser()))
    ):
        monkeypatch.setenv("ACIC_CONTRIBUTOR", environment)
        monkeypatch.setenv("ACIC_STORE", str(lab.folder / f"{number}.sqlite"))
        train = [word if word != lab.name else f"{lab.name}-{number}" for word in lab.train(*QUICK)]
        for command in (train, [*walk, "--name", f"{lab.name}-walk-{number}"]):
            assert acic(*command, *words).status == 0
        listed = acic("data", "list", "--limit", 9, "--json").json["measurements"]
        assert {m["measurement"]["contributor"] for m in listed} == {name}


@pytest.mark.parametrize("command", ["train", "walk", "tune", "verify"])
def test_a_contributor_in_another_encoding_is_refused_from_the_environment_too(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ACIC_CONTRIBUTOR", os.fsdecode("André".encode("latin-1")))
    job = [] if command == "train" else ["--processes", 1, "--interface", "MPIIO", "--operation", "write"]
    found = acic(command, *job, "--platform", lab.platform_file, "--budget", "10min")
    assert found.status == 2
    assert "'--contributor'" in found.err
    assert "it is not valid text; write it in UTF-8" in found.err


HERE_ALONE = {
    "a directory that is not there",
    "a store that is none",
    "a store in the home of nobody",
}  # a plan may be for elsewhere, and stores nothing


@pytest.mark.parametrize("which", sorted(BAD.keys() - HERE_ALONE))
def test_no_plan_is_shown_of_what_is_refused(lab: Laboratory, acic: Callable[..., Result], which: str) -> None:
    found = acic(*lab.train(*QUICK, *BAD[which]))
    dry = acic(*lab.train("--dry-run", *QUICK, *BAD[which]))
    assert (dry.status, dry.out, dry.err) == (found.status, "", found.err)


def test_a_plan_for_a_scheduler_that_nobody_knows_is_not_shown(lab: Laboratory, acic: Callable[..., Result]) -> None:
    found = acic(*lab.train("--dry-run", "--runner", "moon"))
    assert found.status == 2
    assert found.out == ""
    assert "'moon' is no batch scheduler\nhint: PSI/J knows " in found.err
    listed = found.err.rstrip().partition("PSI/J knows ")[2]
    assert listed.endswith("; without one: local, ssh")
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
    assert all(f"`{name}`" in page for name in listed.replace("; without one: ", ", ").split(", "))


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_money_limits_nothing_where_nothing_has_a_price(acic: Callable[..., Result], dry: list[str]) -> None:
    found = acic("train", "--platform", "tianhe-lustre", "--budget", "10USD", *dry)
    assert found.status == 2
    assert found.err.startswith("acic: platform tianhe-lustre has no prices\nhint: give a time (10min, 2h)")


def test_a_budget_that_is_refused_leaves_this_machine_undescribed(acic: Callable[..., Result]) -> None:
    assert acic("train", "--platform", "here", "--budget", "10").status == 2
    assert not kept_file().exists()


@pytest.mark.parametrize(
    "budget",
    [("--points", 40), ("--points", 7), ("--budget", "5s"), ("--budget", "0.02USD"), ("--no-screen",), ("--like", LOG)],
)
def test_a_dry_run_shows_the_plan_and_makes_nothing(
    lab: Laboratory, acic: Callable[..., Result], budget: tuple[object, ...]
) -> None:
    plan = acic(*lab.train("--dry-run", "--json", *budget)).json["plan"]
    assert sum(part["points"] for part in plan["parts"]) == plan["covered"] > 0
    assert plan["covered"] <= plan["possible"]
    if "--points" in budget:
        assert plan["covered"] == budget[1]
    if "5s" in budget:
        assert sum(part["seconds"] for part in plan["parts"]) <= 5
    if "0.02USD" in budget:
        assert sum(part["dollars"] for part in plan["parts"]) <= 0.02
    assert not lab.campaign.exists()
    assert not lab.store_file.exists()
    assert list(lab.data.iterdir()) == []


def test_a_dry_run_shows_the_money_for_all_machines_of_its_runs(lab: Laboratory, acic: Callable[..., Result]) -> None:
    """Whatever --nodes said, the dollars were those of the machines that processes fill."""
    lab.platform_file.write_text(lab.platform_file.read_text().replace("cores = 1", "cores = 64"))
    place = ["--platform", lab.platform_file, "--runner", "ssh", "--host", "a", "--points", 7, "--dry-run", "--json"]
    one, four = (acic("train", *place, "--nodes", n, "--budget", "1h").json["plan"]["parts"] for n in (1, 4))
    assert [p["dollars"] for p in four] == pytest.approx([4 * p["dollars"] for p in one])
    assert [p["seconds"] for p in four] == [p["seconds"] for p in one]
    hosts = [word for name in "bcd" for word in ("--host", name)]  # all of them, where --nodes does not say
    assert acic("train", *place, *hosts, "--budget", "1h").json["plan"]["parts"] == four


def test_a_baseline_of_fewer_aggregators_than_machines_is_told_of(lab: Laboratory, acic: Callable[..., Result]) -> None:
    """It ran with ROMIO's own, one on each machine; now that it runs as its file says, gains over it may be none."""
    parameter = '[[parameter]]\nname = "cb_nodes"\nvalues = [1, 2]\nscale = "log"\n[[instance]]\n'
    text = lab.platform_file.read_text().replace("[baseline.values]\n", "[baseline.values]\ncb_nodes = 1\n")
    lab.platform_file.write_text(text.replace("[[instance]]\n", parameter, 1))
    place = ["--platform", lab.platform_file, "--runner", "ssh", "--host", "a", "--budget", "1h", "--dry-run"]
    for more, told in ((), False), (("--host", "b"), True):
        found = acic("train", *place, *more)
        assert found.status == 0
        assert ("put cb_nodes = 2 into [baseline.values]" in found.err) is told


def test_the_result_is_what_the_journal_tells(lab: Laboratory, acic: Callable[..., Result]) -> None:
    plan = acic(*lab.train(*QUICK, "--dry-run", "--json")).json
    found = acic(*lab.train(*QUICK, "--json"))
    check_fields("train", plan, found.json)
    check_fields("campaign status", acic("campaign", "status", lab.name, "--json").json)
    told = found.json["campaign"]
    state = lab.state
    assert (told["planned"], told["measured"], told["runs"]) == (3, 3, 3)
    assert told["outcomes"] == {"ok": 3}
    assert told["seconds"] == pytest.approx(sum(a.elapsed for _, a in state.attempts))
    assert told["dollars"] > 0
    assert told["dollars"] == pytest.approx(sum(a.dollars for _, a in state.attempts))
    assert json.loads((lab.campaign / "journal.jsonl").read_text().splitlines()[0])["seed"] == 0
    assert os.listdir(lab.journal.raw)


def test_only_a_whole_screening_ranks(lab: Laboratory, acic: Callable[..., Result]) -> None:
    platform = load_platform(str(lab.platform_file))
    job = Workload(name="job", processes=2, phases=(Phase(characteristics=WRITE),))
    often = ("--repeats", "1", "--verify", "0")
    whole = len({row.tobytes() for row in screening_rows(Field(platform))})
    assert "what matters most for time: " in acic(*lab.train("--points", whole, *often)).out
    ranks = ranks_of(platform, job, "time")
    assert set(ranks) == set(platform.space.names)
    cut = [word if word != lab.name else f"{lab.name}-cut" for word in lab.train("--points", 1, *often)]
    found = acic(*cut)
    assert f"what matters most is not known: the screening measured 1 of its {whole} points\n" in found.out
    assert "what matters most for" not in found.out
    file = lab.campaign.with_name(f"{lab.name}-cut") / "journal.jsonl"
    effects = dict.fromkeys(Field(platform).space.names, 0.0)  # as older versions told them
    older = {"event": "ranked", "ranks": {"time": list(effects)[::-1]}, "effects": {"time": effects}}
    file.write_text(f"{file.read_text()}{json.dumps(older)}\n")
    assert ranks_of(platform, job, "time") == ranks


def test_a_screening_that_held_a_parameter_does_not_rank_it(lab: Laboratory, acic: Callable[..., Result]) -> None:
    """Its column was of noise, so a walk came last to what matters most."""
    platform = load_platform(str(lab.platform_file))
    job = Workload(name="job", processes=2, phases=(Phase(characteristics=WRITE),))
    often = ("--repeats", "1", "--verify", "0")
    whole = len({row.tobytes() for row in screening_rows(Field(platform))})
    assert acic(*lab.train("--points", whole, *often)).status == 0
    ranks = ranks_of(platform, job, "time")
    assert set(ranks) == set(platform.space.names)
    for name in ranks:
        words = lab.train("--points", whole, "--only", f"{name}={platform.baseline[name]}", *often)
        held = [word if word != lab.name else f"{lab.name}-{name}" for word in words]
        (told,) = re.findall("^what matters most for time: (.*)$", acic(*held).out, re.MULTILINE)
        assert name not in told.split(", ")
        assert ranks_of(platform, job, "time") == ranks


def test_a_budget_of_no_point_is_told_what_one_costs(lab: Laboratory, acic: Callable[..., Result]) -> None:
    for budget in ("1ms", "0.000001USD"):
        found = acic(*lab.train(*QUICK, "--budget", budget))
        assert found.status == 2
        assert "covers no point: one is expected to take 773 ms and $0.00114\n" in found.err
        (larger,) = re.findall(r"--budget (\S+) --dry-run", found.err)
        assert larger.endswith("USD") == budget.endswith("USD")
        assert acic(*lab.train(*QUICK, "--budget", larger, "--dry-run")).status == 0


def test_the_budget_that_is_offered_covers_what_takes_long(lab: Laboratory, acic: Callable[..., Result]) -> None:
    """It was 10 min, whatever a point takes: also where just that had been refused, as one takes longer."""
    job = lab.folder.parent / "job.toml"
    job.write_text(
        'name = "large"\nprocesses = 1\n[[phases]]\ninterface = "MPIIO"\noperation = "write"\n'
        'iterations = 1\ndata_size = "100GiB"\nrequest_size = "1MiB"\ncollective = false\nshared = true\n'
    )
    found = acic(*lab.train("--like", job, "--budget", "10min"))
    assert "a budget of 10 min covers no point" in found.err
    (larger,) = re.findall(r"--budget (\S+) --dry-run", found.err)
    assert acic(*lab.train("--like", job, "--budget", larger, "--dry-run")).status == 0


def test_a_budget_too_small_for_the_screening_is_told_beside_the_plan(
    lab: Laboratory, acic: Callable[..., Result]
) -> None:
    """It was told when all was spent: by then there was neither a rank nor a baseline to show for it."""
    told = "note: the budget covers 7 of the "
    often = ("--repeats", "1", "--verify", "0")
    for more in (("--dry-run",), ()):
        assert told in acic(*lab.train("--points", 7, *often, *more)).err
    for enough in (("--no-screen", "--points", 7), ("--points", 400)):
        assert "note: the budget covers" not in acic(*lab.train(*often, *enough, "--dry-run")).err
    for points, based in ((1, False), (3, True)):  # the third is on the baseline
        words = ("--platform", "ec2-2013", "--budget", "20h", "--points", points, "--dry-run", "--json")
        lacks = acic("train", *words).json["plan"]["lacks"]
        assert f"covers {points} of the 32 points of the screening, so that what matters most stays unknown" in lacks
        assert ("and no baseline, without which `acic recommend` cannot answer" in lacks) == (not based)


@pytest.mark.parametrize("command", ["train", "walk", "tune", "verify"])
def test_a_directory_is_refused_where_configurations_choose_it(
    lab: Laboratory, acic: Callable[..., Result], command: str
) -> None:
    storage = f'[[parameter]]\nname = "storage"\nvalues = ["{lab.data}", "/tmp"]\n[roles]\nstorage = "storage"\n'
    text = lab.platform_file.read_text().replace("[[instance]]", storage + "[[instance]]")
    lab.platform_file.write_text(text.replace('files = "as', f'storage = "{lab.data}"\nfiles = "as'))
    place = ["--platform", lab.platform_file, "--benchmark", lab.benchmark, "--directory", lab.data]
    job = ["--processes", 1, "--interface", "MPIIO", "--operation", "write", "--data-size", "16KiB"]
    job += ["--budget", "3s"]
    for words in (["--budget", "3s"], ["--budget", "3s", "--dry-run"]) if command == "train" else (job,):
        found = acic(command, *place, *words)
        assert (found.status, found.out) == (2, ""), found.err
        assert "--directory does nothing on pretended: its configurations choose the storage" in found.err
        assert "acic platform detect --storage DIR" in found.err
    assert not lab.campaign.parent.exists()


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_what_no_run_would_set_is_refused(lab: Laboratory, acic: Callable[..., Result], dry: list[str]) -> None:
    """All points would measure the same, and be learned as if they were different configurations."""
    text = lab.platform_file.read_text()
    more = '[[parameter]]\nname = "client_cache"\nvalues = ["on", "off"]\n[[instance]]'
    for apply, left, said in (
        ("", text, "romio_ds_write, romio_no_indep_rw, files:"),
        ('"files"', text, "romio_ds_write, romio_no_indep_rw:"),
        ('"files", "romio"', text.replace("[[instance]]", more), "client_cache:"),
    ):
        platform = left.replace('apply = ["files", "romio"]', f"apply = [{apply}]")
        if "client" in said:
            platform = platform.replace("[baseline.values]", '[baseline.values]\nclient_cache = "on"')
        lab.platform_file.write_text(platform)
        found = acic(*lab.train(*QUICK, *dry))
        assert (found.status, found.out) == (2, ""), found.err
        assert f"acic: no run would set {said} nothing in `apply` of pretended does\nhint: " in found.err
        assert not lab.campaign.exists()
    assert "acic train --only client_cache=on\n" in found.err
    assert acic(*lab.train(*QUICK, *dry, "--only", "client_cache=off")).status == 2
    assert acic(*lab.train(*QUICK, *dry, "--only", "client_cache=on")).status == 0


def test_kinds_of_nodes_to_choose_among_are_told_how_to_measure_each(
    lab: Laboratory, acic: Callable[..., Result]
) -> None:
    """The remedy was `--only` with the baseline's kind alone, which is none for whoever wants to measure another."""
    text = lab.platform_file.read_text()
    kinds = '[roles]\ninstance = "node_type"\n[[parameter]]\nname = "node_type"\nvalues = ["node", "gpu"]\n'
    node = text[text.index("[[instance]]") : text.index("[training]")]
    text = text.replace("[[instance]]", kinds + node.replace('"node"', '"gpu"') + "[[instance]]")
    lab.platform_file.write_text(text.replace("[baseline.values]", '[baseline.values]\nnode_type = "node"'))
    for only in ([], ["--only", "node_type=gpu"]):
        found = acic(*lab.train(*QUICK, "--dry-run", *only))
        assert (found.status, found.out) == (2, ""), found.err
        assert (
            "hint: write a platform file for each kind of node, with a name of its own and without node_type"
            in found.err
        )
    assert acic(*lab.train(*QUICK, "--dry-run", "--only", "node_type=node")).status == 0


def test_a_job_to_which_nothing_matters_is_refused(lab: Laboratory, acic: Callable[..., Result]) -> None:
    text = lab.platform_file.read_text().replace('files = "as the application does"\n', "")
    kept, _, rest = text.partition('[[parameter]]\nname = "files"')
    lab.platform_file.write_text(kept + rest[rest.index("[[instance]]") :])
    for dry in ([], ["--dry-run"]):
        found = acic(*lab.train(*QUICK, "--like", LOG.with_name("ior_posix_fpp.darshan"), *dry))
        assert (found.status, found.out) == (2, "")
        assert "nothing that pretended chooses makes a difference to this job\nhint: " in found.err
    assert not lab.campaign.exists()


def test_runs_write_to_the_one_place_that_was_named(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wrote wherever their user stood, a home on NFS perhaps, and counted as those of the place in the title."""
    place, elsewhere = lab.folder / "place", lab.folder / "elsewhere"
    for folder in (place, elsewhere):
        folder.mkdir()
    assert acic("platform", "detect", "--storage", place).status == 0
    monkeypatch.chdir(elsewhere)
    words = ["train", "--platform", "here", "--budget", "10min", *QUICK, "--benchmark", lab.benchmark]
    for name, typed, used in ((lab.name, [], place), (f"{lab.name}-2", ["--directory", elsewhere], elsewhere)):
        found = acic(*words, "--name", name, *typed)
        assert found.status == 0, found.err
        begun = Journal(lab.campaign.with_name(name)).begun
        assert (list(begun["places"]), begun["where"]["directory"]) == ([str(used)], str(used))


@pytest.mark.parametrize("here", [True, False])
def test_a_storage_that_is_gone_is_no_matter_of_the_directory(
    lab: Laboratory, acic: Callable[..., Result], here: bool
) -> None:
    first, gone = lab.folder / "first", lab.folder / "gone"
    for place in (first, gone):
        place.mkdir()
    assert acic("platform", "detect", "--storage", first, "--storage", gone).status == 0
    gone.rmdir()
    if not here:
        text = kept_file().read_text().replace('name = "here-', 'name = "there-', 1)
        lab.platform_file.write_text(text)
    platform = "here" if here else lab.platform_file
    found = acic("train", "--platform", platform, "--budget", "10min", "--benchmark", lab.benchmark)
    assert found.status == 2
    assert f"acic: {gone} is no directory that you can write to\nhint: make it, or " in found.err
    assert "--directory" not in found.err
    assert ("acic platform detect" if here else "values of storage in the platform's file") in found.err


def test_a_parameter_is_held_at_one_value(acic: Callable[..., Result], lab: Laboratory) -> None:
    only = ["--only", "romio_ds_write=enable", "--only", "romio_ds_write=disable"]
    found = acic(*lab.train(*QUICK, *only))
    assert (found.status, found.out) == (2, "")
    assert found.err == "acic: --only gives romio_ds_write two values\nhint: write --only once for each parameter\n"


def test_a_value_to_keep_may_be_written_in_another_case(acic: Callable[..., Result], lab: Laboratory) -> None:
    """It was refused with a list of values that has it."""
    dry = lab.train(*QUICK, "--dry-run", "--json", "--only")
    assert acic(*dry, "romio_ds_write=ENABLE").json == acic(*dry, "romio_ds_write=enable").json


def test_a_budget_given_at_resume_is_kept(lab: Laboratory, acic: Callable[..., Result]) -> None:
    lab.start(lab.train("--points", 2, "--no-screen", "--repeats", "1", "--verify", "0")).communicate(timeout=TIMEOUT)
    for words in (["campaign", "resume", lab.name], lab.resume()):
        for budget, seconds in (("50min", 3000.0), ("2h", 7200.0)):
            assert acic(*words, "--budget", budget).status == 0
            assert lab.journal.begun["budget"] == {
                "seconds": seconds,
                "dollars": None,
                "points": 2,
                "deadline": None,
            }
            assert acic(*words).status == 0
            assert lab.journal.begun["budget"]["seconds"] == seconds


def test_who_has_used_up_a_budget_is_told_how_to_go_on(lab: Laboratory, acic: Callable[..., Result]) -> None:
    first = acic(*lab.train("--no-screen", "--repeats", "1", "--verify", "0", "--budget", "1500ms"))
    assert first.status == 0
    larger = ""
    for found in (first, acic(*lab.resume()), acic("campaign", "resume", lab.name)):
        assert "ended: the budget is used up" in found.out
        before, _, larger = found.err.removesuffix("\n").rpartition(" --budget ")
        assert before.endswith(f"note: a larger budget goes on with it: acic train --resume --name {lab.name}")
        assert float(larger.removesuffix("s")) >= 3.0  # more, where a busy machine let runs go on beyond their budget
    more = acic(*lab.resume(), "--budget", larger, "--json").json["campaign"]
    assert more["runs"] > int(first.out.split(" runs")[0].split()[-1])


def test_a_campaign_that_reached_no_baseline_says_that_nothing_can_be_answered_yet(
    lab: Laboratory, acic: Callable[..., Result]
) -> None:
    """All of the budget was spent, and `acic recommend` was the first to say that the baseline was lacking."""
    often = ("--repeats", "1", "--verify", "0", "--seed", "5")  # of which the third point is the first of the baseline
    note = "note: the baseline was measured with no workload, so that `acic recommend` cannot answer"
    found = acic(*lab.train("--points", 2, *often))
    assert note in found.err
    assert "a campaign with --no-screen begins with it\n" in found.err
    with_it = [
        word if word != lab.name else f"{lab.name}-b" for word in lab.train("--points", 1, "--no-screen", *often)
    ]
    assert note not in acic(*with_it).err


@pytest.mark.parametrize("reached", [False, True])
def test_where_money_or_time_was_short_the_baseline_comes_later(
    capsys: pytest.CaptureFixture[str], reached: bool
) -> None:
    platform = lab_platform()
    other = Configuration(platform.baseline, files="one per process")
    ran = [other, platform.baseline] if reached else [other]
    measured = [SimpleNamespace(bandwidths=[1.0], point=SimpleNamespace(configuration=one)) for one in ran]
    state: Any = SimpleNamespace(ended=USED_UP, progress=measured)
    session: Any = SimpleNamespace(platform=platform)
    note_no_baseline(session, state)
    assert ("it comes after the screening" in capsys.readouterr().err) is not reached


def _half_done(lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    """Begin a campaign of three points that stops after the second, as if somebody had asked for a pause then."""
    asked = vars(Journal)["pause_asked"].fget
    monkeypatch.setattr(Journal, "pause_asked", property(lambda self: asked(self) or len(lab.state.order) == 2))
    assert acic(*lab.train(*QUICK), *words).status == 1
    monkeypatch.setattr(Journal, "pause_asked", property(asked))


@pytest.mark.parametrize("words", [("train", "--resume", "--name"), ("campaign", "resume")])
def test_a_campaign_goes_on_with_the_store_that_it_began_with(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.delenv("ACIC_STORE")
    monkeypatch.chdir(lab.folder)
    _half_done(lab, acic, monkeypatch, "--store", "store.sqlite")
    assert len(lab.stored()) == 2
    monkeypatch.chdir(lab.home)
    found = acic(*words, lab.name)
    assert found.status == 0, found.err
    assert "the store" not in found.err
    assert len(lab.stored()) == 3
    assert not Path(default_url()).exists()


@pytest.mark.parametrize("words", [("train", "--resume", "--name"), ("campaign", "resume")])
def test_a_store_that_cannot_be_written_is_told_before_anything_is_run(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """It was found when the first point was to be stored: in a queue, after the night."""
    _half_done(lab, acic, monkeypatch)
    before = (lab.campaign / "journal.jsonl").read_bytes()
    read_only = f"sqlite:///{lab.store_file}?mode=ro"
    found = acic(*words, lab.name, "--store", read_only)
    assert (found.status, "may not be written" in found.err) == (5, True)
    assert (lab.campaign / "journal.jsonl").read_bytes() == before
    new = replace(lab, name=f"{lab.name}n")
    found = acic(*new.train(*QUICK), "--store", read_only)
    assert (found.status, "may not be written" in found.err) == (5, True)
    assert not new.campaign.exists()


@pytest.mark.parametrize("words", [("train", "--resume", "--name"), ("campaign", "resume")])
def test_another_store_gets_all_that_a_campaign_measured_and_keeps_it(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    _half_done(lab, acic, monkeypatch)
    other = lab.folder / "other.sqlite"
    found = acic(*words, lab.name, "--store", other)
    assert found.status == 0, found.err
    assert f"the campaign began with the store {lab.store_file}; it goes on with {other}" in found.err
    assert "2 measurements of this campaign were not in the store, and are now" in found.err
    assert len(lab.stored()) == 2
    with Store.open(str(other)) as store:
        assert store.count() == 3
    monkeypatch.delenv("ACIC_STORE")
    other.unlink()  # as if it were lost
    assert "3 measurements of this campaign were not in the store" in acic(*words, lab.name).err
    with Store.open(str(other)) as store:
        assert store.count() == 3
    assert "measurements of this campaign" not in acic(*words, lab.name).err


@pytest.mark.parametrize("words", [("train", "--resume", "--name"), ("campaign", "resume")])
def test_whoever_goes_on_with_a_campaign_gives_it_advice(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    assert acic(*lab.train(*QUICK, "--plan", "active")).status == 0
    given, controller = [], Session.controller

    def watched(session: Session, store: Store, **more: Any) -> Controller:
        given.append(more.get("advice"))
        return controller(session, store, **more)

    monkeypatch.setattr(Session, "controller", watched)
    assert acic(*words, lab.name).status == 0
    (advice,) = given
    assert callable(advice)


def test_a_search_is_not_gone_on_with_as_a_training(lab: Laboratory, acic: Callable[..., Result]) -> None:
    place = ["--platform", lab.platform_file, "--benchmark", lab.benchmark, "--directory", lab.data]
    job = ["--processes", 1, "--interface", "MPIIO", "--operation", "write", "--data-size", "16KiB"]
    assert acic("walk", *job, *place, "--order", "random", "--runs", 2, "--name", lab.name).status == 0
    for words in (["train", "--resume", "--name", lab.name], ["campaign", "resume", lab.name]):
        found = acic(*words)
        assert found.status == 2
        assert f"acic walk ... --resume --name {lab.name}" in found.err


def test_options_that_a_campaign_already_has_are_refused(lab: Laboratory, acic: Callable[..., Result]) -> None:
    found = acic("train", "--resume", "--name", lab.name, "--points", 7)
    assert found.status == 2
    assert "--points does nothing beside --resume" in found.err


def test_the_platform_of_a_campaign_may_be_told_where_it_goes_on_and_no_other(
    lab: Laboratory, acic: Callable[..., Result]
) -> None:
    """It was refused beside --resume, where searches ask for it."""
    assert acic(*lab.train(*QUICK)).status == 0
    assert acic(*lab.resume(), "--platform", lab.platform_file, "--budget", "11h").status == 0
    lines = (lab.campaign / "journal.jsonl").read_bytes()
    found = acic(*lab.resume(), "--platform", "tianhe-lustre", "--budget", "12h")
    assert found.status == 2
    assert f"the campaign {lab.name} is one of the platform pretended, not tianhe-lustre" in found.err
    assert f"by --platform {lab.platform_file}" in found.err
    assert (lab.campaign / "journal.jsonl").read_bytes() == lines


def test_a_paid_hour_ends_when_it_ends(lab: Laboratory, acic: Callable[..., Result]) -> None:
    since = datetime.now(UTC) - timedelta(hours=2, minutes=59, seconds=57)
    options = ["--residual", "--paid-since", f"{since:%Y-%m-%dT%H:%M:%S}", "--no-screen", "--repeats", "1"]
    place = ["--platform", lab.platform_file, "--benchmark", lab.benchmark, "--directory", lab.data]
    begun = time.monotonic()
    found = acic("train", *place, *options, "--name", lab.name)
    assert found.status == 0, found.err
    assert time.monotonic() - begun < TIMEOUT / 2
    assert "the budget is used up" in found.out
    again = acic("train", "--resume", "--name", lab.name)  # the hour is over: nothing more is run
    assert again.status == 0
    assert "the budget is used up" in again.out
    assert again.out.split(" runs")[0] == found.out.split(" runs")[0]


def test_a_budget_without_a_unit_is_refused(lab: Laboratory, acic: Callable[..., Result]) -> None:
    found = acic("train", "--platform", lab.platform_file, "--budget", "10", "--name", lab.name)
    assert found.status == 2
    assert "'10' is no budget" in found.err
    assert not lab.campaign.exists()


def test_a_campaign_of_which_nothing_was_measured_is_no_success(
    lab: Laboratory, acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`acic train ... && acic recommend ...` went on, and a larger budget was advised."""
    monkeypatch.setenv("PRETEND_RULES", json.dumps([[[], "error"]]))
    done = acic(*lab.train(*QUICK))
    assert done.status == 1, done.err
    assert "nothing was measured in 4 runs; the last: ERROR: open64() failed" in done.err
    assert "a larger budget" not in done.err


@pytest.mark.parametrize(
    "typed", [("--nodes", 8), ("--runner", "slurm"), ("--directory", "/scratch"), ("--queue", "q")]
)
def test_where_runs_are_made_in_the_lab_nobody_chooses(acic: Callable[..., Result], typed: tuple[object, ...]) -> None:
    done = acic("train", "--platform", "lab", "--budget", "10min", "--dry-run", *typed)
    assert (done.status, done.out) == (2, "")
    assert f"{typed[0]} does nothing on lab" in done.err
