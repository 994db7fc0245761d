"""`walk`, `tune` and `verify` with real processes and a pretend benchmark, whose best configuration is planted."""

from __future__ import annotations

import errno
import functools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acic.advisor.knowledge import Knowledge
from acic.benchmarks import find_benchmark
from acic.campaign.comparison import Improvement, improvement
from acic.campaign.journal import Journal
from acic.campaign.killed import noted
from acic.campaign.request import Where
from acic.campaign.session import Session
from acic.campaign.state import replay
from acic.cli.found_shown import Doubt
from acic.cli.main import run as run_command
from acic.cli.own_command import by_command
from acic.cli.verify_shown import NOT_RUN, Verified, verdict
from acic.cluster import Ending, Job, LocalRunner, State
from acic.cluster.processes import tagged
from acic.errors import InvalidInput, TransientError
from acic.platforms import Platform, load_platform, parse_platform
from acic.search import Lessons, ModelDriven
from acic.search.teaching import Teacher
from acic.space import Configuration
from acic.store.database import Store
from acic.store.measurement import Outcome
from acic.units import format_seconds
from tests.campaign.fakes import FakeTrials
from tests.cli.documented import check_fields
from tests.cluster.services import until

TIMEOUT = 60  # s
PRETEND = Path(__file__).parents[1] / "campaign" / "pretend_ior.py"
WRITE = [
    "--processes",
    2,
    "--interface",
    "MPIIO",
    "--operation",
    "write",
    "--data-size",
    "1MiB",
    "--request-size",
    "256KiB",
]


@pytest.mark.parametrize("command", ["walk", "tune", "verify"])
def test_a_cost_without_prices_is_refused_before_anything_is_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run_command([command, *map(str, WRITE), "--platform", "tianhe-lustre", "--goal", "cost"]) == 2
    told = capsys.readouterr().err
    price = "give --price USD_PER_NODE_HOUR, " if command == "verify" else ""
    assert told.startswith(
        f"acic: platform tianhe-lustre has no prices\nhint: {price}use --goal time, or a platform file"
    )
    assert not list(tmp_path.rglob("journal*"))


@pytest.mark.parametrize("command", ["walk", "tune", "verify"])
@pytest.mark.parametrize(
    ("apply", "remedy"),
    [
        ("[]", "add romio to `apply` in the platform's file"),
        ('["romio"]', "add lustre or ceph or orangefs to `apply` in the platform's file, whichever the files are on; "),
    ],
)
def test_what_no_run_would_set_is_refused_before_anything_is_run(
    run: Callable[..., Any], lab: Path, command: str, apply: str, remedy: str
) -> None:
    text = PLATFORM.replace('apply = ["romio"]', f"apply = {apply}")
    name = "romio_ds_write, romio_no_indep_rw, romio_servers, romio_placement:"
    if "romio" in apply:
        name = "stripe_count:"
        text = text.replace("[[parameter]]", '[[parameter]]\nname = "stripe_count"\nvalues = [1, 4]\n[[parameter]]', 1)
        text = text.replace("[baseline.values]", "[baseline.values]\nstripe_count = 1")
    (lab / "pretend.toml").write_text(text)
    for own in ([], ["--", "touch", lab / "ran"]) if command == "verify" else ([],):
        found = run(command, *WRITE, *own)
        assert (found.status, found.out) == (2, ""), found.err
        assert f"acic: no run would set {name}" in found.err
        assert f"hint: {remedy}" in found.err
    assert not list(lab.rglob("journal*"))
    assert not (lab / "ran").exists()


@pytest.mark.parametrize(
    ("command", "options"),
    [("walk", []), ("walk", ["--order", "random"]), ("tune", []), ("tune", ["--strategy", "random"])],
)
def test_a_job_to_which_nothing_matters_is_refused_before_anything_is_run(
    run: Callable[..., Any], lab: Path, command: str, options: list[str]
) -> None:
    posix = ["POSIX" if word == "MPIIO" else word for word in WRITE]
    found = run(command, *posix, *options)
    assert (found.status, found.out) == (2, "")
    assert "acic: nothing that pretend chooses makes a difference to this job\nhint: " in found.err
    assert not list(lab.rglob("journal*"))


@pytest.mark.usefixtures("learned")
def test_a_job_to_which_nothing_matters_is_told_so_before_it_is_measured(acic: Callable[..., Any], lab: Path) -> None:
    """It was told that 1.000x is the best, with six lines on extrapolation and three notes on what that rests on."""
    posix = ["POSIX" if word == "MPIIO" else word for word in WRITE]
    found = acic("recommend", *posix, "--platform", lab / "pretend.toml", "--model", "ridge")
    assert found.status == 0, found.err  # change nothing is an answer
    assert "Verdict: nothing: nothing that pretend chooses makes a difference to this job.\n" in found.out
    notes = [line for line in found.err.splitlines() if line.startswith(("note: ", "extrapolation: "))]
    (told,) = (line for line in notes if "learning" not in line)
    assert told.startswith("note: Give a job that MPI-IO hints can matter to")
    assert "acic platform detect --storage DIR" in told
    assert "makes a difference" not in acic("recommend", *WRITE, "--platform", lab / "pretend.toml").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--platform", "tianhe-lustre", "--budget", "10USD"],
            "platform tianhe-lustre has no prices\nhint: give a time",
        ),
        (["--platform", "tianhe-lustre", "--budget", ""], "'' is no budget"),  # as of a variable that is not set
        (["--platform", "here", "--shrink", "0"], "0 is too little"),
        (["--platform", "here", "--verify-bytes", "nan"], "'nan' is no part of a whole"),
        (["--platform", "here", "--time-limit", "0s"], "0s is no time to end after"),
        (["--platform", "here", "--time-limit", ""], "'' is not a duration"),
    ],
)
@pytest.mark.parametrize("command", ["walk", "tune", "verify"])
def test_what_would_not_be_done_as_it_is_asked_for_is_refused(
    acic: Callable[..., Any], command: str, words: list[str], said: str
) -> None:
    found = acic(command, *WRITE, *words)
    assert found.status == 2
    assert said in found.err


@pytest.mark.parametrize("own", [[], ["--", "true"]])
def test_a_directory_without_what_is_to_be_set_is_refused_and_nothing_is_kept(
    acic: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: list[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "here"
    folder.mkdir()
    log = tmp_path / "job.toml"
    log.write_text(JOB)
    found = acic("verify", log, "--platform", "tianhe-lustre", "--directory", folder, *own)
    assert found.status == 2
    assert "what tianhe-lustre chooses among are settings of lustre" in found.err
    assert found.err.endswith("or measure what is here: --platform here\n")
    assert not list(folder.iterdir())
    assert not list(tmp_path.rglob("journal*"))
    assert acic("data", "list", "--json").json["counts"] == []


PLATFORM = """
name = "pretend"
title = "A pretend platform"
revision = "1"
source = "made up for the tests"
date = "2026-11"
default_instance = "node"
apply = ["romio"]
[baseline]
source = "made up for the tests"
date = "2026-11"
[baseline.values]
romio_ds_write = "automatic"
romio_no_indep_rw = "automatic"
romio_servers = 4
romio_placement = "dedicated"
[roles]
servers = "romio_servers"
placement = "romio_placement"
dedicated = "dedicated"
[[parameter]]
name = "romio_ds_write"
values = ["automatic", "enable", "disable"]
[[parameter]]
name = "romio_no_indep_rw"
values = ["automatic", "enable", "disable"]
[[parameter]]
name = "romio_servers"
values = [1, 2, 4]
scale = "log"
[[parameter]]
name = "romio_placement"
values = ["dedicated", "part-time"]
[[instance]]
name = "node"
cores = 16
price = 1.0
source = "made up for the tests"
date = "2026-11"
[training]
io_processes = [1, 2]
interface = ["MPIIO"]
iterations = [1]
data_size = [262144, 1048576]
request_size = [65536, 262144]
operation = ["write"]
collective = [false]
shared = [true]
"""


JOB = """
name = "job"
processes = 1
[[phases]]
interface = "MPIIO"
operation = "write"
data_size = "1MiB"
request_size = "256KiB"
iterations = 1
collective = false
shared = true
"""


def furnish(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with a platform and a benchmark, and nothing of the user's own."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(folder / name.lower()))
    monkeypatch.setenv("PRETEND_SECONDS", "0")
    (folder / "pretend.toml").write_text(PLATFORM)
    # started by this Python itself: what `env python3` finds may be a slow script
    benchmark = folder / "pretend_ior"
    benchmark.write_text(f"#!{sys.executable} -IS\n" + PRETEND.read_text())
    benchmark.chmod(0o755)
    (folder / "job.toml").write_text(JOB)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    furnish(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a campaign, for the tests that only need one."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as monkeypatch:
        furnish(folder, monkeypatch)
        options = ["--platform", folder / "pretend.toml", "--benchmark", folder / "pretend_ior", "--directory", folder]
        limits = ["--budget", "10min", "--points", 60, "--repeats", "1:1", "--verify", 0]
        words = ["train", *options, *limits, "--store", folder / "store.sqlite"]
        assert run_command([str(word) for word in words]) == 0
    return folder / "store.sqlite"


@pytest.fixture
def learned(lab: Path, trained: Path) -> Path:
    """A store of one's own with what the campaign measured."""
    return Path(shutil.copy(trained, lab / "store.sqlite"))


@pytest.fixture
def run(lab: Path, acic: Callable[..., Any]) -> Callable[..., Any]:
    """Run a measuring command on the pretend platform; how runs are made, a campaign to go on with knows."""

    def call(command: str, *words: object) -> Any:
        place = [] if "--resume" in words else ["--directory", lab]
        benchmark = ["--benchmark", lab / "pretend_ior"] if place and "--" not in words else []
        platform = [] if "--platform" in words else ["--platform", lab / "pretend.toml"]
        return acic(command, *platform, *place, *benchmark, *words)

    return call


def objectives(found: Any) -> list[float]:
    return [o["objective"] for o in found.json["observations"] if o["objective"] is not None]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("walk", ["--order", "random"]),
        ("walk", ["--order", "pb"]),
        ("tune", ["--strategy", "model", "--model", "forest", "--train", 24, "--top", 3]),
        ("tune", ["--strategy", "genetic", "--runs", 15]),
    ],
)
def test_the_fastest_configuration_is_found_and_not_the_slowest(
    run: Callable[..., Any], command: str, options: list[object]
) -> None:
    found = run(command, *WRITE, *options, "--json")
    assert found.status == 0, found.err
    assert found.json["best"]["configuration"]["romio_ds_write"] == "disable"
    assert found.json["best"]["objective"] == min(objectives(found))
    assert found.json["improvement"] == pytest.approx(found.json["baseline"] / min(objectives(found)))
    assert found.json["improvement"] > 1.4
    assert found.json["basis"] == "measured"


def test_what_nobody_is_billed_for_has_no_dollars(run: Callable[..., Any], acic: Callable[..., Any], lab: Path) -> None:
    (lab / "pretend.toml").write_text(PLATFORM.replace("price = 1.0\n", ""))
    found = run("walk", *WRITE, "--order", "random", "--runs", 2, "--json")
    assert (found.status, found.json["spent_dollars"]) == (0, None), found.err
    assert found.json["computing_seconds"] is None  # nor does anybody tell how long it computes
    assert acic("campaign", "status", "--json").json["campaign"]["dollars"] is None
    assert acic("campaign", "list", "--json").json["campaigns"][0]["dollars"] is None
    report = acic("campaign", "report", "--json").json["report"]
    assert report["headline"]["summary"]["dollars"] is None
    assert {one["dollars"] for one in report["course"]} == {None}


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize(("command", "words"), [("walk", ["--runs", 2]), ("verify", ["--top", 1, "--rounds", 2])])
def test_the_fields_of_the_json_are_those_of_its_page(
    run: Callable[..., Any], command: str, words: list[object]
) -> None:
    found = run(command, *WRITE, *words, "--json")
    assert found.status == 0, found.err
    check_fields(command, found.json)


def test_the_cheapest_configuration_is_found_and_not_the_dearest(run: Callable[..., Any]) -> None:
    found = run("walk", *WRITE, "--order", "random", "--goal", "cost", "--json")
    best = found.json["best"]["configuration"]
    assert (best["romio_ds_write"], best["romio_placement"]) == ("disable", "part-time")  # nobody pays for servers then
    assert found.json["best"]["objective"] == min(objectives(found))


def test_a_search_tells_how_to_apply_the_best_if_that_is_no_doubtful_gain(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found had to be typed by hand, and `acic recommend` may answer another."""
    begun = run("walk", *WRITE, "--order", "random", "--name", "mine")
    assert begun.status == 0, begun.err
    for within in (False, True):
        monkeypatch.setattr(Doubt, "within", within)
        found = run("walk", *WRITE, "--name", "mine", "--resume")
        hints = run("walk", *WRITE, "--name", "mine", "--resume", "--json").json["instructions"]
        assert ["romio_ds_write disable" in one["file_text"] for one in hints] == ([] if within else [True])
        assert ("\nTo apply the best:\n  # Give MPI-IO these hints" in found.out) is not within


def test_a_search_is_told_to_people_too(run: Callable[..., Any]) -> None:
    found = run("walk", *WRITE, "--order", "random")
    assert found.status == 0
    assert "Best:" in found.out
    assert "It took" in found.out
    assert "romio_ds_write" in found.out


def test_every_point_that_a_search_measured_is_in_the_store(run: Callable[..., Any], lab: Path) -> None:
    found = run("walk", *WRITE, "--order", "random", "--json")
    with Store.open(str(lab / "store.sqlite")) as store:
        kept = store.measurements("pretend", outcome=Outcome.OK)
    assert len(kept) == len(objectives(found))
    assert {m.tool for m in kept} == {"ior"}


def test_a_search_that_is_resumed_runs_nothing_again(run: Callable[..., Any], lab: Path) -> None:
    first = run("walk", *WRITE, "--order", "random", "--name", "mine", "--json")
    again = run("walk", *WRITE, "--order", "random", "--name", "mine", "--resume", "--json")
    assert again.status == 0, again.err
    assert again.json["observations"] == first.json["observations"]
    assert again.json["runs"] == first.json["runs"]
    with Store.open(str(lab / "store.sqlite")) as store:
        assert store.count("pretend") == len(objectives(first))


def test_a_search_goes_on_as_it_began(run: Callable[..., Any]) -> None:
    begun = [*WRITE, "--order", "random", "--goal", "cost", "--runs", 2, "--name", "mine", "--json"]
    first = run("walk", *begun).json
    assert len(first["observations"]) == 2
    again = run("walk", *WRITE, "--name", "mine", "--resume", "--json").json
    assert (again["goal"], again["observations"], again["runs"]) == ("cost", first["observations"], first["runs"])
    more = run("walk", *WRITE, "--name", "mine", "--resume", "--runs", 3, "--json").json
    assert (more["goal"], len(more["observations"])) == ("cost", 3)
    kept = run("walk", *WRITE, "--name", "mine", "--resume", "--json").json
    assert kept["observations"] == more["observations"]


@pytest.mark.parametrize(
    "words", [["walk", "--order", "random"], ["tune", "--model", "forest", "--train", 8, "--top", 2, "--runs", 3]]
)
def test_fewer_runs_than_were_made_already_hide_none(run: Callable[..., Any], words: list[object]) -> None:
    """--resume --runs 9 of 26 answered with the best of the first 9, and so did every --resume from then on."""
    whole = run(*words, *WRITE, "--name", "mine", "--json").json
    before = len(whole["observations"])
    for more in (["--runs", 1], []):
        again = run(words[0], *WRITE, "--name", "mine", "--resume", *more, "--json")
        assert f"note: {before} configurations were run before, more than --runs 1; all of them count" in again.err
        assert (again.json["observations"], again.json["best"]) == (whole["observations"], whole["best"])


def test_a_folder_in_the_way_is_no_failed_run(run: Callable[..., Any], acic: Callable[..., Any], lab: Path) -> None:
    """Those of a campaign of that name in another home were two failed runs of the baseline, in the database too."""
    for number in (0, 1):
        (lab / f"acic-mine-{number}").mkdir()
        (lab / f"acic-mine-{number}" / "data").touch()
    found = run("walk", *WRITE, "--order", "random", "--runs", 2, "--name", "mine", "--json")
    assert found.status == 0, found.err
    assert f"note: {lab / 'acic-mine-1'} is there already" in found.err
    assert found.json["observations"][0]["seconds"]
    assert found.json["lost"] == 0  # none of the two began
    assert len(list(lab.glob("acic-mine-*/data"))) == 2
    brief = acic("campaign", "status", "--json").json["campaign"]
    assert (brief["runs"], brief["lost"]) == (found.json["runs"], 0)  # they were 56 here and 54 there
    assert brief["outcomes"] == {"ok": brief["runs"]}
    again = run("walk", *WRITE, "--name", "mine", "--resume").out
    assert f"It took {brief['runs']} runs of 2 configurations, " in again
    assert "lost" not in again


def test_the_last_campaign_stays_it_whatever_another_writes_meanwhile(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        assert run("walk", *WRITE, "--order", "random", "--runs", 2, "--name", name).status == 0
    (other,) = lab.rglob("one/journal.jsonl")
    monkeypatch.setattr("acic.cli.walk.check_goal", lambda *_, **__: os.utime(other))  # behind the first look
    assert "going on with the campaign two\n" in run("walk", *WRITE, "--resume").err


def test_a_command_goes_on_with_the_last_campaign_of_its_own(run: Callable[..., Any], acic: Callable[..., Any]) -> None:
    """It took the last of any command, and refused that: the next day nobody knew the name of the one meant."""
    found = run("tune", *WRITE, "--resume")
    assert (found.status, found.out) == (2, "")
    assert "acic: there is no campaign of `acic tune` yet\n" in found.err
    assert run("train", "--budget", "10min", "--points", 2, "--name", "first").status == 0
    assert run("walk", *WRITE, "--order", "random", "--runs", 1, "--name", "second").status == 0
    assert run("tune", *WRITE, "--strategy", "random", "--runs", 1, "--name", "third").status == 0
    assert "going on with the campaign second\n" in run("walk", *WRITE, "--resume").err
    assert "going on with the campaign first\n" in acic("train", "--resume").err
    assert acic("campaign", "resume", "--json").json["campaign"]["name"] == "first"
    assert "the campaign third is no `acic walk`" in run("walk", *WRITE, "--resume", "--name", "third").err


@pytest.mark.parametrize("words", [["walk", "--order", "random"], ["tune", "--strategy", "random", "--runs", 2]])
def test_without_a_store_no_search_is_begun(run: Callable[..., Any], lab: Path, words: list[object]) -> None:
    (lab / "store.sqlite").write_text("this is no database\n" * 1000)
    found = run(*words, *WRITE, "--name", "mine")
    assert (found.status, found.out) == (5, ""), found.err
    assert not list(lab.rglob("journal*"))
    (lab / "store.sqlite").unlink()
    again = run(*words, *WRITE, "--name", "mine")
    assert again.status == 0, again.err  # the name is free


def test_a_search_goes_on_with_the_ranks_that_it_began_with(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = ["romio_placement", "romio_servers", "romio_no_indep_rw", "romio_ds_write"]
    monkeypatch.setattr("acic.cli.walk.ranks_of", lambda *_: ranks)
    first = run("walk", *WRITE, "--order", "pb", "--runs", 4, "--name", "mine", "--json").json
    monkeypatch.setattr("acic.cli.walk.ranks_of", lambda *_: ranks[::-1])  # what was trained since
    again = run("walk", *WRITE, "--name", "mine", "--resume", "--runs", 5, "--json")
    assert again.status == 0, again.err
    assert again.json["observations"][:4] == first["observations"]


def test_a_damaged_journal_of_another_campaign_stops_no_search(run: Callable[..., Any], lab: Path) -> None:
    assert run("walk", *WRITE, "--order", "random", "--runs", 2, "--name", "bad").status == 0
    (file,) = lab.rglob("bad/journal.jsonl")
    file.write_bytes(file.read_bytes() + b'{"event":"finished"}\n')  # every line is one, but it ends no run
    found = run("walk", *WRITE, "--order", "pb", "--runs", 2)
    assert found.status == 0, found.err


TWO = """
name = "two"
processes = 2
[[phases]]
interface = "MPIIO"
operation = "write"
data_size = "1MiB"
request_size = "256KiB"
iterations = 1
collective = false
shared = true
[[phases]]
interface = "MPIIO"
operation = "write"
data_size = "512KiB"
request_size = "64KiB"
iterations = 1
collective = false
shared = true
"""


@pytest.mark.parametrize("job", [[], ["two.toml"]])
def test_a_shrunken_search_goes_on_shrunken(run: Callable[..., Any], lab: Path, job: list[str]) -> None:
    (lab / "two.toml").write_text(TWO)
    words = [lab / name for name in job] or WRITE
    begun = [*words, "--order", "random", "--shrink", "512KiB", "--name", "mine", "--json"]
    first = run("walk", *begun, "--runs", 2).json
    found = run("walk", *words, "--name", "mine", "--resume", "--json")
    assert (found.status, found.json["observations"]) == (0, first["observations"]), found.err
    for more in (["--shrink", "512KiB"], ["--runs", 3]):
        again = run("walk", *words, "--name", "mine", "--resume", "--json", *more)
        assert again.json["observations"][:2] == first["observations"]


def test_options_of_a_search_that_are_none_are_one_message(run: Callable[..., Any], lab: Path) -> None:
    assert run("walk", *WRITE, "--order", "random", "--runs", 1, "--name", "mine").status == 0
    (file,) = lab.rglob("mine/journal.jsonl")
    first, *rest = file.read_text().splitlines(keepends=True)
    file.write_text(json.dumps(json.loads(first) | {"search": 5}) + "\n" + "".join(rest))
    found = run("walk", *WRITE, "--name", "mine", "--resume")
    assert (found.status, found.out) == (3, "")
    assert found.err.startswith("acic: the first line of ")


def journal(lab: Path) -> bytes:
    (file,) = lab.rglob("mine/journal.jsonl")
    return file.read_bytes()


ANOTHER: dict[str, tuple[list[object], str]] = {
    "a smaller replica": (["--shrink", "256KiB"], "the campaign mine measures another workload"),
    "another size": (["--iterations", 2], "the campaign mine measures another workload"),
    "another platform": (["--platform", "tianhe-lustre"], "the campaign mine is one of the platform pretend"),
    "another seed": (["--seed", 7], "--seed does nothing beside --resume"),
    "other checks": (["--verify-bytes", 1], "--verify-bytes does nothing beside --resume"),
    "another directory": (["--directory", "."], "--directory does nothing beside --resume"),
    "another goal": (["--goal", "cost"], "the campaign mine was another search: --goal was time and is cost"),
    "another runner": (["--runner", "slurm"], "--runner does nothing beside --resume"),
}


def test_a_search_that_would_be_another_is_not_gone_on_with_and_is_as_it_was(
    run: Callable[..., Any], lab: Path
) -> None:
    assert run("walk", *WRITE, "--order", "random", "--name", "mine").status == 0
    before = journal(lab)
    for which, (words, said) in ANOTHER.items():
        found = run("walk", *WRITE, *words, "--name", "mine", "--resume")
        assert (found.status, found.out) == (2, ""), (which, found.err)
        assert f"acic: {said}" in found.err, which
        assert journal(lab) == before, which


def test_an_option_that_makes_another_search_is_named(run: Callable[..., Any], lab: Path) -> None:
    """Who typed another --top was told that it was another search, and neither why nor what --top had been."""
    begun = ["tune", *WRITE, "--model", "ridge", "--train", 8, "--top", 3, "--name", "mine"]
    assert run(*begun).status == 0
    before = journal(lab)
    found = run("tune", *WRITE, "--name", "mine", "--resume", "--model", "forest", "--top", 1)
    assert (found.status, found.out) == (2, "")
    said = "the campaign mine was another search: --model was ridge and is forest, --top was 3 and is 1\n"
    assert said in found.err
    assert "hint: go on with it without --model and --top, or begin a new one, under another name\n" in found.err
    assert journal(lab) == before


def test_a_search_goes_on_with_another_budget_and_keeps_it(run: Callable[..., Any]) -> None:
    words = [*WRITE, "--order", "random", "--name", "mine"]
    first = run("walk", *words, "--budget", "500ms", "--json")
    assert first.json["why_ended"] == "The budget of the measurements is used up."
    assert run("walk", *WRITE, "--name", "mine", "--resume", "--budget", "10min").status == 0
    assert Session.open("mine").request.budget.seconds == 600.0
    more = run("walk", *WRITE, "--name", "mine", "--resume", "--json").json
    assert Session.open("mine").request.budget.seconds == 600.0
    assert len(more["observations"]) > len(first.json["observations"])


def test_a_search_within_a_budget_says_when_that_is_used_up(run: Callable[..., Any]) -> None:
    found = run("tune", *WRITE, "--strategy", "random", "--budget", "1500ms", "--json")
    assert found.status == 0
    assert len(objectives(found)) < 54
    assert found.json["spent_seconds"] < 4.0


def test_a_search_whose_baseline_fails_finds_nothing_and_says_why(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRETEND_RULES", '[[[], "error"]]')
    found = run("walk", *WRITE, "--order", "random", "--runs", 2)
    assert found.status == 1
    assert "nothing was found" in found.err
    assert "Input/output error" in found.err


@pytest.mark.parametrize(
    "words",
    [["walk"], ["walk", "--order", "random"], ["tune", "--strategy", "genetic"], ["tune", "--train", 8, "--top", 2]],
)
def test_a_search_leaves_what_is_kept_as_it_is_in_the_baseline(
    run: Callable[..., Any], lab: Path, words: list[object]
) -> None:
    """What a site may not change was varied, and what no run can set was refused, with no remedy but for `train`."""
    cache = '[[parameter]]\nname = "client_cache"\nvalues = ["on", "off"]\n'
    text = PLATFORM.replace("[[parameter]]", f"{cache}[[parameter]]", 1)
    (lab / "pretend.toml").write_text(text.replace("[baseline.values]", '[baseline.values]\nclient_cache = "on"'))
    keep = ["--keep", "romio_ds_write=Automatic", "--keep", "client_cache=on"]
    refused = run(*words, *WRITE, *keep[:2])
    assert (refused.status, refused.out) == (2, "")
    assert "leave it as it is: acic walk or tune --keep client_cache=on, " in refused.err
    found = run(*words, *WRITE, *keep, "--runs", 4, "--json")
    assert found.status == 0, found.err
    on = run(*words[:1], *WRITE, "--resume", "--runs", 8, "--json")
    assert on.status == 0, on.err
    first, then = ([one["configuration"] for one in seen.json["observations"]] for seen in (found, on))
    assert then[: len(first)] == first
    session = Session.open()
    run_with = [p.point.configuration for p in replay(session.journal.events(), session.field).progress]
    assert {(one["romio_ds_write"], one["client_cache"]) for one in run_with} == {("automatic", "on")}
    assert len({one["romio_no_indep_rw"] for one in run_with}) > 1


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        (["romio_ds_write=enable"], "a search begins at the baseline, which has romio_ds_write automatic"),
        (["romio_ds=automatic"], "there is no parameter 'romio_ds'"),
        (
            ["romio_ds_write=automatic", "romio_no_indep_rw=automatic", "romio_servers=4", "romio_placement=dedicated"],
            "what is kept as it is leaves nothing to choose for this job",
        ),
    ],
)
@pytest.mark.parametrize("command", ["walk", "tune"])
def test_what_cannot_be_kept_is_refused_before_anything_is_run(
    run: Callable[..., Any], lab: Path, command: str, keep: list[str], said: str
) -> None:
    found = run(command, *WRITE, *(word for one in keep for word in ("--keep", one)))
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert not list(lab.rglob("journal*"))


@pytest.mark.parametrize("words", [["walk", "--order", "random"], ["tune", "--strategy", "random"]])
def test_a_run_that_hangs_ends_by_the_time_limit_and_the_search_goes_on(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Only `acic train` had the option: a search stood still for a minute, or much longer, of each run that hung."""
    monkeypatch.setenv("PRETEND_RULES", json.dumps([[["romio_ds_write=enable"], "hang"]]))
    begun = time.monotonic()
    found = run(*words, *WRITE, "--runs", 6, "--time-limit", "2s", "--json")
    assert found.status == 0, found.err
    assert time.monotonic() - begun < 50
    hung = [one for one in found.json["observations"] if one["configuration"]["romio_ds_write"] == "enable"]
    assert hung
    assert all(one["objective"] is None for one in hung)
    assert len(objectives(found)) == 6 - len(hung)
    attempts = [event for event in Session.open().journal.events() if event["event"] == "finished"]
    assert [event["note"] for event in attempts if event["outcome"] == "timeout"] == ["time limit of 2 s"] * len(hung)


@pytest.mark.parametrize("words", [["tune", "--model", "nope"], ["tune", "--strategy", "genetic", "--model", "nope"]])
def test_a_model_that_is_none_is_told_before_anything_is_run(
    run: Callable[..., Any], lab: Path, words: list[str]
) -> None:
    found = run(*words, *WRITE)
    assert found.status == 2
    assert "there is no model 'nope'" in found.err
    assert not list(lab.rglob("journal*"))


def test_a_strategy_that_is_not_installed_is_told_before_anything_is_run(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A campaign was begun, which the next --resume went on with, and acic-bench was built."""
    monkeypatch.setitem(sys.modules, "optuna", None)
    found = run("tune", *WRITE, "--strategy", "optuna")
    assert (found.status, found.out) == (2, "")
    assert "acic: the strategy optuna needs Optuna, which is not installed\n" in found.err
    assert not list(lab.rglob("journal*"))


@pytest.mark.parametrize("strategy", ["model", "random"])
def test_a_space_that_is_too_large_is_told_before_anything_is_run(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    """Forty small runs and the baseline came first."""
    monkeypatch.setattr("acic.space.space.LARGEST", 3)
    found = run("tune", *WRITE, "--strategy", strategy)
    assert (found.status, found.out) == (2, "")
    assert "too many to go through all of them" in found.err
    assert "walk or genetic" in found.err
    assert not list(lab.rglob("journal*"))


def test_a_model_learns_what_the_search_is_for(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a cost it learned seconds at small scale: what is fast and dear was run first."""
    lessons: list[Lessons] = []

    def told(**more: Any) -> ModelDriven:
        lessons.append(more["lessons"])
        return ModelDriven(**more)

    monkeypatch.setattr("acic.search.ModelDriven", told)
    for goal in ("time", "cost"):
        found = run("tune", *WRITE, "--train", 8, "--runs", 1, "--goal", goal)
        assert found.status == 0, found.err
    platform = load_platform(str(lab / "pretend.toml"))
    seconds, dollars = ([(row.configuration, row.objective) for row in one.rows] for one in lessons)
    assert len(seconds) == 8 + 2
    assert [one for one, _ in dollars] == [one for one, _ in seconds]
    for (one, each), (_, cost) in zip(seconds, dollars, strict=True):
        assert each is not None
        assert cost == pytest.approx(platform.cost(one, 2, each))


TWO_PHASES = (
    JOB.replace("processes = 1\n", "processes = 2\n", 1)
    + """
[[phases]]
io_processes = 1
interface = "MPIIO"
operation = "write"
data_size = "4MiB"
request_size = "4MiB"
iterations = 1
collective = false
shared = false
"""
)


def test_each_scale_is_learned_by_its_own_baseline(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the largest phase is the same at all of them, both were compared with the baseline at a quarter."""
    found: list[Lessons] = []

    def told(**more: Any) -> ModelDriven:
        found.append(more["lessons"])
        return ModelDriven(**more)

    monkeypatch.setattr("acic.search.ModelDriven", told)
    (lab / "job.toml").write_text(TWO_PHASES)
    answer = run("tune", lab / "job.toml", "--train", 8, "--runs", 1)
    assert answer.status == 0, answer.err
    platform = load_platform(str(lab / "pretend.toml"))
    baseline = platform.baseline.only(platform.space.names)
    data = Teacher(platform.space, baseline, found[0]).training_set([])
    assert data is not None
    gains = [y for y, row in zip(data.y, found[0].rows, strict=True) if row.configuration == baseline]
    assert gains == pytest.approx([0.0, 0.0])
    assert len({row.objective for row in found[0].rows if row.configuration == baseline}) == 2


def test_a_job_that_cannot_be_made_smaller_is_searched_without_lessons(run: Callable[..., Any]) -> None:
    """It was run at "2 smaller scales" as it is; what was the fastest there was not shown."""
    alone = ["--processes", 1, "--interface", "MPIIO", "--operation", "write", "--data-size", "1MiB"]
    found = run("tune", *alone, "--request-size", "1MiB", "--runs", 9, "--json")
    assert found.status == 0, found.err
    assert "note: the job cannot be made smaller, so nothing is learned at smaller scales\n" in found.err
    assert len(found.json["observations"]) == 9
    session = Session.open()
    assert len({p.point for p in replay(session.journal.events(), session.field).progress}) == 9


def test_a_baseline_that_fails_at_a_smaller_scale_teaches_nothing_and_ends_nothing(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scale had nothing to compare with: tune ended with an error for programmers, and so did each --resume."""
    rules = [[["-w", f"first:{lab / mark}"], "error"] for mark in ("one", "another")]  # its first run and the second
    monkeypatch.setenv("PRETEND_RULES", json.dumps(rules))
    found = run("tune", *WRITE, "--model", "forest", "--train", 8, "--top", 3, "--json")
    assert found.status == 0, found.err
    assert "note: the baseline failed at 1/4 of the scale, so nothing is learned there: ERROR: open64()" in found.err
    assert found.json["best"]["configuration"]["romio_ds_write"] == "disable"


def test_a_budget_that_learning_uses_up_is_told_so(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It said that the budget was used up and nothing was found, and not that only smaller scales had been run."""
    monkeypatch.setenv("PRETEND_SECONDS", "0.2")
    found = run("tune", *WRITE, "--train", 20, "--budget", "1500ms", "--name", "mine")
    assert found.status == 1
    assert "nothing was found: The budget was used up while learning at smaller scales, in " in found.err
    said = r" runs: all of that takes about [\d.]+ s, and each run at full scale comes on top\.\n"
    assert re.search(said, found.err), found.err
    assert "hint: give more of --budget, or begin anew with a --train below 20\n" in found.err
    offered = re.search(r"acic tune \.\.\. --resume --name mine --budget ([\d.]+)s\n", found.err)
    told = re.search(r"takes about ([\d.]+) s", found.err)
    assert offered
    assert told
    assert float(offered[1]) > 1.9 * float(told[1])  # --budget 4s, where all of it takes 32.7 s


def test_learning_from_few_configurations_takes_as_long_as_these(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that there are it told the time of the twenty asked for, and that a --train below that takes less."""
    monkeypatch.setenv("PRETEND_SECONDS", "0.2")
    kept = ("romio_no_indep_rw=automatic", "romio_servers=4", "romio_placement=dedicated")
    words = ["tune", *WRITE, "--train", 20, *(word for one in kept for word in ("--keep", one))]
    short = run(*words, "--budget", "1s")
    assert "learning at 2 smaller scales, from 2 configurations\n" in short.err
    told = re.search(r"all of that takes about ([\d.]+) s", short.err)
    assert told, short.err
    assert "--train below" not in short.err
    whole = run(*words, "--runs", 1, "--json")
    assert float(told[1]) < 2.0 * whole.json["spent_seconds"]


@pytest.mark.parametrize("option", [["--top", 5], ["--train", 9], ["--model", "forest"]])
def test_what_is_the_models_alone_is_refused_beside_other_strategies(
    run: Callable[..., Any], lab: Path, option: list[object]
) -> None:
    found = run("tune", *WRITE, "--strategy", "random", *option)
    assert (found.status, found.out) == (2, "")
    assert f"acic: {option[0]} does nothing with --strategy random\n" in found.err
    assert not list(lab.rglob("journal*"))


def test_verify_measures_what_was_predicted_and_learns_it(run: Callable[..., Any], learned: Path) -> None:
    with Store.open(str(learned)) as store:
        before = store.count("pretend")
    found = run("verify", *WRITE, "--model", "ridge", "--top", 2, "--json")
    assert found.status == 0, found.err
    baseline, best, *_ = found.json["verified"]
    assert baseline["measured"]["value"] == 1.0
    assert best["configuration"]["romio_ds_write"] == "disable"
    assert best["measured"]["low"] <= best["measured"]["value"] <= best["measured"]["high"]
    assert best["measured"]["value"] == pytest.approx(1.65, rel=0.15)  # what the pretend benchmark has planted
    assert best["predicted"]["value"] == pytest.approx(best["measured"]["value"], rel=0.3)
    assert best["predicted"]["basis"] == "predicted"
    assert best["refitted"] is not None
    with Store.open(str(learned)) as store:
        assert store.count("pretend") == before + 3 * 3
    told = run("verify", *WRITE, "--model", "ridge", "--top", 1, "--rounds", 2)
    assert "Verdict: change: the I/O of 1 is measured to be 1." in told.out
    assert "x in 9 of 10 cases." in told.out
    assert "by its replica: improvement of the I/O alone, with 80 % intervals" in told.out


COMPUTING = JOB.replace("processes = 1\n", "processes = 2\nrun_seconds = 2.0\nio_share = 0.4\n", 1)


def recommended(found: Any) -> list[Any]:
    """Return the answers that are not the baseline."""
    advice = found.json["advice"]
    return [one for one in advice["recommendations"] if one["configuration"] != advice["baseline"]]


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("options", [[], ["--elsewhere"], ["--goal", "cost", "--price", 3], ["--half-life", 3]])
def test_verify_runs_what_is_recommended_and_predicts_its_io_alone(
    run: Callable[..., Any], acic: Callable[..., Any], lab: Path, options: list[object]
) -> None:
    (lab / "job.toml").write_text(COMPUTING)
    words = [lab / "job.toml", "--model", "ridge", "--top", 3, "--json", *options]
    said = acic("recommend", "--platform", lab / "pretend.toml", *words)
    assert said.status == 0, said.err
    found = run("verify", *words, "--rounds", 1)
    assert found.status == 0, found.err
    _, *ran = found.json["verified"]
    assert ran
    assert [one["configuration"] for one in ran] == [one["configuration"] for one in recommended(said)]
    for one, told in zip(ran, recommended(said), strict=True):
        gain = "improvement" if "cost" in options else "io_improvement"
        if told["io_improvement"]["value"] > 1.0:  # what loses, loses more in its I/O alone
            assert one["predicted"]["value"] >= told[gain]["value"] * 0.999
            assert one["predicted"]["value"] > told["improvement"]["value"]


@pytest.mark.usefixtures("learned")
def test_verify_runs_only_what_has_what_is_kept_and_goes_on_with_it(run: Callable[..., Any]) -> None:
    words = [*WRITE, "--model", "ridge", "--top", 2, "--name", "kept", "--json"]
    found = run("verify", *words, "--keep", "romio_servers=2", "--rounds", 1)
    assert found.status == 0, found.err
    for answer in (found, run("verify", *WRITE, "--name", "kept", "--resume", "--rounds", 2, "--json")):
        _, *ran = answer.json["verified"]
        assert {one["configuration"]["romio_servers"] for one in ran} == {2}
    refused = run("verify", *WRITE, "--name", "kept", "--resume", "--keep", "romio_servers=4")
    assert (refused.status, "--keep does nothing beside --resume" in refused.err) == (2, True)


@pytest.mark.usefixtures("learned")
def test_verify_tells_what_its_prediction_extrapolates(
    run: Callable[..., Any], acic: Callable[..., Any], lab: Path
) -> None:
    """A miss looked like one of a calibrated interval: `recommend` said that the job was none of those measured."""
    write = ["4MiB" if word == "1MiB" else word for word in WRITE]
    words = [*write, "--model", "ridge", "--top", 1]
    said = acic("recommend", *words, "--platform", lab / "pretend.toml", "--json").json["advice"]["extrapolated"]
    assert "data size of 4 MiB: measured was 256 KiB to 1 MiB" in said
    found = run("verify", *words, "--rounds", 1, "--name", "mine", "--json")
    assert found.json["extrapolated"] == said, found.err
    again = run("verify", *write, "--resume", "--name", "mine", "--rounds", 2)  # 4 MiB are known by now
    assert [line for line in again.err.splitlines() if line.startswith("extrapolation: ")] == [
        f"extrapolation: {line}" for line in said
    ]


@pytest.mark.usefixtures("learned")
def test_a_price_that_the_platform_lacks_is_typed(run: Callable[..., Any], lab: Path) -> None:
    (lab / "pretend.toml").write_text(PLATFORM.replace("price = 1.0\n", ""))
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--goal", "cost", "--json"]
    objectives = [run(*words, "--price", usd, *own_runs(lab, 0.5)).json["verified"][0]["objective"] for usd in (3, 600)]
    assert objectives[1] / objectives[0] == pytest.approx(200, rel=0.5)
    found = run(*words, "--price", 3)
    assert found.status == 0, found.err
    assert found.json["verified"][0]["objective"] > 0


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("priced", [True, False])
def test_a_price_that_is_typed_counts_for_a_budget_of_money(
    run: Callable[..., Any], acic: Callable[..., Any], lab: Path, priced: bool
) -> None:
    """The platform's own was counted: 1 USD where 600 were typed; where it has none, money was refused."""
    (lab / "pretend.toml").write_text(PLATFORM if priced else PLATFORM.replace("price = 1.0\n", ""))
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--price", 600, "--json"]
    found = run(*words, "--budget", "1000USD", "--name", "dear")
    assert found.status == 0, found.err
    spent = acic("campaign", "status", "dear", "--json").json["campaign"]
    assert spent["dollars"] / spent["seconds"] > 600 / 3600 * 0.99
    found = run(*words, "--budget", "0.1USD", *own_runs(lab, 2.0))
    assert "the budget was used up in run 1 of 2" in found.err, found.err


@pytest.mark.parametrize(("options", "computing"), [([], 1.2), (["--shrink", "1MiB"], 0.6)])
def test_what_is_measured_has_no_computing_in_it(
    run: Callable[..., Any], lab: Path, options: list[object], computing: float
) -> None:
    (lab / "job.toml").write_text(COMPUTING)
    words = ["walk", lab / "job.toml", "--order", "random", *options]
    for goal, rate in (("time", 1.0), ("cost", None)):
        found = run(*words, "--goal", goal, "--json").json
        assert found["computing_seconds"] == pytest.approx(computing)
        for one in found["observations"]:
            each = rate or one["measured"] / one["seconds"]  # USD/s
            assert one["measured"] == pytest.approx(one["seconds"] * each)
            assert one["with_computing"] == pytest.approx((one["seconds"] + computing) * each)
            assert one["objective"] == one["measured" if goal == "time" else "with_computing"]
        first, best = found["observations"][0], found["best"]
        assert found["improvement"] == pytest.approx(first["measured"] / best["measured"])
        assert found["with_computing"] == pytest.approx(first["with_computing"] / best["with_computing"])
        if goal == "time":
            assert found["improvement"] > 1.4 > 1.1 > found["with_computing"]


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["walk", "--order", "random", "--runs", 3], "observations"),
        (["tune", "--strategy", "random", "--runs", 3], "observations"),
        (["verify", "--model", "ridge", "--top", 2, "--rounds", 1], "verified"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_a_cost_is_for_all_machines_that_a_run_holds(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch, words: list[object], found: str
) -> None:
    """Whatever --nodes said, machines were those that processes fill: with many, servers were told to be dear."""
    platform, benchmark = load_platform(str(lab / "pretend.toml")), find_benchmark(str(lab / "pretend_ior"))
    trials = FakeTrials(platform)
    monkeypatch.setattr("acic.campaign.session.open_trials", lambda *_, **__: (trials, benchmark))
    place = ["--runner", "ssh", "--host", "a", "--host", "b", "--host", "c", "--nodes", 3]
    given = run(words[0], *WRITE, *words[1:], *place, "--goal", "cost", "--json")
    assert given.status == 0, given.err
    seconds = 2 * 2**20 / 1e8  # what any configuration takes
    costs = [platform.cost(Configuration(one["configuration"]), 2, seconds, held=3) for one in given.json[found]]
    assert [one["objective"] for one in given.json[found]] == pytest.approx(costs)
    assert len(costs) > 1


def test_a_search_says_what_is_measured_and_what_is_not(run: Callable[..., Any], lab: Path) -> None:
    (lab / "job.toml").write_text(COMPUTING)
    found = run("walk", lab / "job.toml", "--order", "random", "--runs", 4)
    assert "the I/O alone by its replica; and with 1.2 s of computing by the log" in " ".join(found.out.split())
    whole = run("walk", *WRITE, "--order", "random", "--runs", 4)
    assert "computing" not in whole.out


@pytest.mark.parametrize(("times", "said", "slower"), [(1.0, False, False), (60.0, True, False), (1 / 60, True, True)])
def test_a_replica_that_is_not_like_the_log_is_told_so(
    run: Callable[..., Any], lab: Path, times: float, said: bool, slower: bool
) -> None:
    """The log's I/O took 57.3 s and the replica's 0.73 s: 1.69x with computing, where the application gained 20x."""
    (lab / "job.toml").write_text(COMPUTING)
    words = ["walk", lab / "job.toml", "--order", "random", "--runs", 2]
    seconds = run(*words, "--json").json["observations"][0]["seconds"]
    run_seconds = f"run_seconds = {seconds * times / 0.4!r}\n"
    run_seconds += 'source = "darshan 3.41 log"\n' if slower else ""
    (lab / "job.toml").write_text(COMPUTING.replace("run_seconds = 2.0\n", run_seconds))
    found = run(*words)
    assert found.status == 0, found.err
    teller = "the log" if slower else "the workload file"
    told = [line for line in found.err.splitlines() if line.startswith(f"note: {teller} tells ")]
    assert bool(told) is said
    for line in told:
        assert line.startswith(
            f"note: {teller} tells {format_seconds(seconds * times)} of I/O, which took the replica "
        )
        assert "and figures with computing mix the two" in line
        assert "ACIC_MPIEXEC" in line
        assert line.endswith(f"acic verify JOB --platform {lab / 'pretend.toml'} -- COMMAND")
        assert ("it waits for the disk" in line) is slower


def test_a_search_that_has_used_up_its_budget_says_how_it_goes_on(run: Callable[..., Any]) -> None:
    found = run("walk", *WRITE, "--order", "random", "--budget", "700ms", "--name", "mine")
    hint = "note: a larger budget goes on with it: acic walk ... --resume --name mine --budget "
    larger = found.err.rpartition(hint)[2].partition("\n")[0]
    assert float(larger.removesuffix("s")) >= 1.4  # more, where a busy machine let a run go on beyond its budget


def test_a_budget_that_is_far_from_used_up_goes_into_repetitions(run: Callable[..., Any]) -> None:
    """It was spread over 150 points: none but the baseline was run twice."""
    found = run("walk", *WRITE, "--order", "random", "--budget", "10min", "--json").json
    short = run("walk", *WRITE, "--order", "random", "--budget", "10min", "--runs", 2, "--json").json
    for one in (found, short):
        assert one["runs"] > len(one["observations"]) + 1


@pytest.mark.parametrize(("differ", "said"), [(5.0, True), (0.001, False), (None, False)])
def test_a_gain_within_what_runs_differ_by_is_told_so(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, differ: float | None, said: bool
) -> None:
    monkeypatch.setattr("acic.campaign.meter._differ", lambda *_: differ)
    found = run("walk", *WRITE, "--order", "random")
    assert ("x the baseline. That is within what runs differ by: 500.0 %. Every" in found.out) is said
    assert ("within" in found.out) is said
    assert "within" not in run("walk", *WRITE, "--order", "random", "--runs", 1).out  # the baseline is the best


@pytest.mark.parametrize(("differ", "luck"), [(0.1, 0.0), (None, 0.1), (0.01, 0.1)])
@pytest.mark.parametrize(("gain", "said"), [(1.5, False), (1.05, True), (0.95, True), (0.5, False)])
def test_a_loss_is_doubted_as_a_gain_is(gain: float, said: bool, differ: float | None, luck: float) -> None:
    """What is cheapest with computing may do its I/O at half the speed, which no noise makes."""
    doubt = Doubt(gain=gain, differ=differ, luck=luck, among=9, runs=2)
    assert doubt.within is bool(doubt.text) is said


def test_all_configurations_that_were_run_are_counted(run: Callable[..., Any]) -> None:
    found = run("tune", *WRITE, "--train", 8, "--runs", 1)
    assert found.status == 0, found.err
    told = re.search(r"^It took (\d+) runs of (\d+) configurations, ", found.out, re.MULTILINE)
    assert told is not None, found.out
    assert int(told[1]) >= int(told[2]) == 8 + 1


def has_more_events(most: int, journal: Journal) -> bool:
    return len(list(journal.events())) > most


def test_a_search_that_is_paused_says_so_and_how_it_goes_on(
    run: Callable[..., Any], acic: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = vars(Journal)["pause_asked"].fget
    words = ["walk", *WRITE, "--order", "random", "--name", "mine"]
    stopped = "the search has stopped: somebody asked for it\nhint: it goes on by acic walk ... --resume --name mine"
    for most in (0, 12):
        after = functools.partial(has_more_events, most)
        monkeypatch.setattr(Journal, "pause_asked", property(after))
        found = run(*(["walk", *WRITE, "--name", "mine", "--resume"] if most else words))
        assert found.status == 1
        assert found.err.strip().endswith(stopped)
        assert "budget" not in found.out
        assert ("It was paused: somebody asked for it." in found.out, found.out == "") == (bool(most), not most)
    monkeypatch.setattr(Journal, "pause_asked", property(asked))
    with Session.open("mine").journal.locked():
        told = acic("campaign", "pause", "mine")
    assert told.err == "mine stops after its present run; acic walk ... --resume --name mine goes on\n"
    assert run("walk", *WRITE, "--name", "mine", "--resume").status == 0


FILES = """[[parameter]]
name = "files"
values = ["as the application does", "one per process"]
[[instance]]"""


def with_files(lab: Path) -> None:
    text = PLATFORM.replace("[[instance]]", FILES, 1).replace('apply = ["romio"]', 'apply = ["files", "romio"]')
    text = text.replace("servers = 4\n", 'servers = 4\nfiles = "as the application does"\n', 1)
    (lab / "pretend.toml").write_text(text.replace('name = "pretend"', 'name = "filed"'))


@pytest.mark.parametrize("command", [["walk", "--order", "random"], ["tune", "--strategy", "random", "--runs", 9]])
def test_no_search_tries_files_where_there_is_one_writer(
    run: Callable[..., Any], lab: Path, command: list[object]
) -> None:
    with_files(lab)
    for words, tried in (([lab / "job.toml"], set()), (WRITE, {"as the application does", "one per process"})):
        found = run(*command, *words, "--json")
        assert found.status == 0, found.err
        assert {one["configuration"].get("files") for one in found.json["observations"]} - {None} == tried


@pytest.mark.usefixtures("learned")
def test_a_command_is_not_judged_by_what_it_cannot_be_given(run: Callable[..., Any], lab: Path) -> None:
    with_files(lab)
    made = run("train", "--budget", "10min", "--points", 60, "--repeats", "1:1", "--verify", 0)
    assert made.status == 0, made.err
    found = run("verify", *WRITE, "--model", "ridge", "--top", 12, "--rounds", 1, "--json", "--", "sleep", "0.01")
    assert found.status == 0, found.err
    assert {one["configuration"]["files"] for one in found.json["verified"]} == {"as the application does"}
    assert found.err.count("only the application itself can write a file per process") == 1


def verified(measured: tuple[float, float, float] | None) -> Verified:
    """Return a configuration of that improvement; None where it failed."""
    return Verified(
        configuration=Configuration({}),
        predicted=None,
        measured=None if measured is None else Improvement(*measured, 3),
        objective=None if measured is None else 1.0,
        refitted=None,
    )


def judged(found: list[Verified]) -> str:
    """Return the verdict of runs as it is printed."""
    return "{}: {}.".format(*verdict(found, "time", of="run"))


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ((1.3, 1.1, 1.5), "change: the run of 1 is measured to be 1.30x faster, at least 1.10x in 9 of 10 cases."),
        ((1.03, 1.01, 1.05), "nothing: the run of 1 is measured at 1.03x (1.01x to 1.05x), and less than 5% is too"),
        ((0.8, 0.7, 0.9), "nothing: every recommendation is measured to be slower than the baseline."),
        ((1.3, 0.9, 1.5), "not sure: the run of 1 is measured at 1.30x (0.90x to 1.50x); more --rounds tell better."),
    ],
)
def test_a_change_is_worth_its_while(measured: tuple[float, float, float], said: str) -> None:
    assert judged([verified((1.0, 1.0, 1.0)), verified(measured)]).startswith(said)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ([(1.5, 0.3, 7.0), (1.4, 1.3, 1.5), (1.2, 1.1, 1.3)], "change: the run of 2 is measured to be 1.40x faster"),
        ([(0.9, 0.8, 0.95), (0.8, 0.4, 1.6)], "not sure: the run of 2 is measured at 0.80x (0.40x to 1.60x)"),
        ([(1.2, 0.9, 1.6), (1.03, 1.01, 1.05)], "not sure: the run of 1 is measured at 1.20x"),
        ([(0.8, 0.7, 0.9), None], "nothing: every recommendation that did not fail is measured to be slower"),
        ([None, None], "not sure: nothing could be compared with the baseline."),
        ([], "nothing: the baseline itself is recommended"),
    ],
)
def test_a_noisy_recommendation_hides_no_other(measured: list[tuple[float, float, float] | None], said: str) -> None:
    assert judged([verified((1.0, 1.0, 1.0)), *map(verified, measured)]).startswith(said)


def test_the_best_of_several_has_to_be_better_than_luck() -> None:
    """Of three that are all alike one was called better, "in 9 of 10 cases", in 22 of 100 verifications."""
    baseline, lucky, alike = (verified(m) for m in ((1.0, 1.0, 1.0), (1.2, 1.02, 1.41), (1.0, 0.9, 1.1)))
    assert judged([baseline, lucky]).startswith("change: the run of 1")
    several = judged([baseline, lucky, alike, alike])
    assert several.startswith("not sure: the run of 1 is measured at 1.20x (1.02x to 1.41x), which luck alone may give")


def test_few_that_are_no_better_are_called_so() -> None:
    draw, changed = np.random.default_rng(7), 0
    for _ in range(1000):
        rounds = np.exp(0.1 * draw.standard_normal((4, 3))).tolist()
        found = [replace(verified((1.0, 1.0, 1.0)), measured=improvement(rounds[0], one)) for one in rounds]
        changed += judged(found).startswith("change")
    assert changed <= 110


def test_a_baseline_that_always_failed_is_compared_with_nothing() -> None:
    """It was "recommended", beside status 1 and an improvement of 1.00x."""
    assert judged([verified(None)]) == "not sure: nothing could be compared with the baseline."


def test_what_was_not_run_has_not_failed() -> None:
    """A budget that ended in the first round left "failed" of what was never tried."""
    slow, unrun = verified((0.8, 0.7, 0.9)), replace(verified(None), note=NOT_RUN)
    told = "nothing: every recommendation that {} is measured to be slower than the baseline."
    assert judged([verified((1.0, 1.0, 1.0)), slow, unrun]) == told.format("was run")
    both = [verified((1.0, 1.0, 1.0)), slow, unrun, verified(None)]
    assert judged(both) == told.format("was run and did not fail")


@pytest.mark.usefixtures("learned")
def test_what_a_budget_leaves_out_is_told_as_not_run(run: Callable[..., Any], lab: Path) -> None:
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 2, "--rounds", 1]
    own = own_runs(lab, 0.5)
    found = run(*words, "--budget", "0.7s", "--json", *own)
    lacking = [one for one in found.json["verified"] if one["objective"] is None]
    assert lacking
    assert all("not run" in one["note"] for one in lacking)
    assert "failed" not in run(*words, "--budget", "0.7s", *own).out


@pytest.mark.usefixtures("learned")
def test_a_command_that_is_empty_is_none(run: Callable[..., Any], lab: Path) -> None:
    """A variable that was not set: the replica ran in its place, and what that measured was learned."""
    found = run("verify", lab / "job.toml", "--")
    assert (found.status, found.out) == (2, "")
    assert "no command stands behind --" in found.err


def test_a_command_is_paid_for_while_its_job_runs_and_not_in_the_queue(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = list[float]()

    class Queueing(LocalRunner):
        def submit(self, job: Job) -> None:
            limits.append(job.time_limit)
            super().submit(job)

        def wait(self, job: Job) -> Ending:
            time.sleep(0.5)
            return replace(super().wait(job), seconds=0.01)

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: Queueing())
    platform = parse_platform(tomllib.loads(PLATFORM))
    how = {"runner": "slurm", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "directory": lab, "budget": "60USD", "seed": 0, "time_limit": None}
    search = {"goal": "cost", "rounds": 2, "price": None}
    by_command(["true"], platform, [platform.baseline], given, search=search, processes=1)
    assert limits[0] - limits[1] == pytest.approx(0.01, abs=1e-6)


def test_a_command_is_not_waited_for_in_a_queue_longer_than_the_budget(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partition was down: its run was made minutes after the budget of 30 s, and thrown away."""

    class Down(LocalRunner):
        def __init__(self, watch: Callable[[Job, Ending], None]) -> None:
            super().__init__()
            self._watch = watch

        def submit(self, job: Job) -> None:
            pass

        def wait(self, job: Job) -> Ending:
            while True:
                self._watch(job, Ending(state=State.QUEUED, reason="PartitionDown"))
                time.sleep(0.05)

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, watch, **__: Down(watch))
    platform = parse_platform(tomllib.loads(PLATFORM))
    how = {"runner": "slurm", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "directory": lab, "budget": "1s", "seed": 0, "time_limit": None}
    search = {"goal": "time", "rounds": 2, "price": None}
    begun = time.monotonic()
    assert by_command(["true"], platform, [platform.baseline], given, search=search, processes=1) == [[]]
    assert 1.0 <= time.monotonic() - begun < 20.0
    assert not list(lab.glob("acic-verify-*-0-0"))


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("command", ["walk", "tune", "verify"])
@pytest.mark.parametrize("words", [["--goal", "cost"], ["--budget", "5USD"]])
def test_money_is_refused_where_machines_cost_nothing(
    run: Callable[..., Any], lab: Path, command: str, words: list[str]
) -> None:
    """A budget of money never ended, and all costs were $0.00, which was told as a baseline that failed."""
    file = lab / "pretend.toml"
    file.write_text(re.sub(r"^price = .*$", "price = 0.0", PLATFORM, flags=re.MULTILINE))
    found = run(command, lab / "job.toml", *words)
    assert (found.status, found.out) == (2, "")
    assert "cost nothing" in found.err


@pytest.mark.parametrize("command", ["walk", "tune"])
def test_a_cost_is_refused_where_another_machine_than_the_baselines_is_free(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """After its first run on the free one a search ended with "an objective is 0.0", and each time it was resumed."""
    kinds = '[[parameter]]\nname = "romio_kind"\nvalues = ["node", "own"]\n'
    text = PLATFORM.replace("[[parameter]]", f"{kinds}[[parameter]]", 1).replace(
        "[roles]", '[roles]\ninstance = "romio_kind"'
    )
    text = text.replace("[baseline.values]", '[baseline.values]\nromio_kind = "node"')
    own = text[text.index("[[instance]]") : text.index("[training]")].replace('"node"', '"own"').replace("1.0", "0.0")
    (lab / "pretend.toml").write_text(text + own)
    words = [command, *WRITE, "--goal", "cost", "--runs", 1]
    found = run(*words)
    assert (found.status, found.out) == (2, "")
    assert "machines of pretend cost nothing: own\n" in found.err
    assert not list(lab.rglob("journal*"))
    more = ["--order", "random"] if command == "walk" else ["--strategy", "random"]
    assert run(*words, *more, "--keep", "romio_kind=node").status == 0
    with monkeypatch.context() as earlier:  # what was begun before such platforms were refused goes on
        earlier.setattr(f"acic.cli.{command}.check_goal", lambda *_, **__: None)
        assert run(*words, *more).status == 0
    assert run(command, *WRITE, "--resume").status == 0


@pytest.mark.parametrize(
    ("baseline", "failed", "measured", "said"),
    [
        (
            0,
            2,
            (3.16, 3.12, 3.2),
            "not sure: the run of 1 is measured at 3.16x (3.12x to 3.20x); but it failed in 2 of 5",
        ),
        (1, 2, (3.16, 3.12, 3.2), "not sure: "),
        (0, 4, (3.86, 0.0, math.inf), "not sure: the run of 1 is measured at 3.86x (? to ?); but it failed in 4 of 5"),
        (
            2,
            2,
            (3.16, 3.12, 3.2),
            "change: the run of 1 is measured to be 3.16x faster, at least 3.12x in 9 of 10 cases; ",
        ),
        (
            2,
            0,
            (3.16, 3.12, 3.2),
            "change: the run of 1 is measured to be 3.16x faster, at least 3.12x in 9 of 10 cases.",
        ),
    ],
)
def test_what_fails_more_often_than_the_baseline_is_no_change(
    baseline: int, failed: int, measured: tuple[float, float, float], said: str
) -> None:
    """A job that died in 2 of 5 rounds was "change", "but it failed in another round"."""
    first, other = (replace(verified(m), rounds=5) for m in ((1.0, 1.0, 1.0), measured))
    found = [replace(first, failed=baseline), replace(other, failed=failed, note="exit status 9")]
    assert judged(found).startswith(said)
    assert (f"failed in {failed} of 5 rounds" in judged(found)) == (failed > 0)
    slower = replace(verified((1.2, 1.1, 1.3)), rounds=5)
    assert "2 is measured to be 1.20x" in judged([found[0], replace(other, failed=5), slower])


@pytest.mark.usefixtures("learned")
def test_verify_tells_in_how_many_rounds_a_command_failed(run: Callable[..., Any], lab: Path) -> None:
    """Hints, and so a hints file, are what the recommended one has: it fails in its second round."""
    script = lab / "sometimes.sh"
    script.write_text(
        '#!/bin/sh\ntest -n "$ROMIO_HINTS" || exit 0\necho x >> hinted\ntest $(wc -l < hinted) != 2 || exit 9\n'
    )
    script.chmod(0o755)
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 3]
    found = run(*words, "--json", "--", "sh", "-c", f"cd {lab} && ./sometimes.sh")
    assert found.status == 0, found.err
    assert [(one["rounds"], one["failed"]) for one in found.json["verified"]] == [(3, 0), (3, 1)]
    assert found.json["verified"][1]["measured"]["rounds"] == 2
    assert found.json["verdict"] != "change"
    assert found.json["campaign"] is None
    (lab / "hinted").unlink()
    told = run(*words, "--", "sh", "-c", f"cd {lab} && ./sometimes.sh")
    assert "note: 1: failed in 1 of 3 rounds: exit status 9" in told.err
    assert "1 of 3 rounds" in told.out


@pytest.mark.usefixtures("learned")
def test_verify_tells_in_how_many_rounds_the_replica_failed(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed was made again in silence, and its round was as good as any."""
    monkeypatch.setenv("PRETEND_RULES", json.dumps([[["romio_ds_write=disable", f"first:{lab}/mark"], "error"]]))
    words = ["verify", *WRITE, "--model", "ridge", "--top", 1, "--rounds", 3, "--verify-bytes", 0]
    found = run(*words, "--json")
    assert found.status == 0, found.err
    assert (lab / "mark").exists()
    assert [(one["rounds"], one["failed"]) for one in found.json["verified"]] == [(3, 0), (3, 1)]
    assert found.json["verdict"] != "change"


@pytest.mark.parametrize(
    "words",
    [["sbatch", "job.sh", "{directory}"], ["sh", "-c", "cd /tmp && qsub job.pbs"], ["/opt/slurm/bin/srun", "app"]],
)
@pytest.mark.usefixtures("learned")
def test_a_batch_systems_queue_is_not_timed(
    words: list[str], run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job's submission was timed, and its directory removed before it began."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    found = run("verify", lab / "job.toml", "--model", "ridge", "--", *words)
    assert (found.status, "would be timed in its queue" in found.err) == (2, True)


def predicted(found: Any) -> list[Any]:
    return [(one["configuration"], one["predicted"]) for one in found.json["verified"]]


@pytest.mark.usefixtures("learned")
def test_verify_goes_on_with_what_it_began_whatever_was_learned_since(run: Callable[..., Any]) -> None:
    words = ["verify", *WRITE, "--name", "mine", "--json"]
    first = run(*words, "--model", "ridge", "--goal", "cost", "--top", 2, "--rounds", 1)
    assert first.status == 0, first.err
    assert run("walk", *WRITE, "--order", "random").status == 0
    again = run(*words, "--resume", "--rounds", 3)
    assert again.status == 0, again.err
    assert (again.json["goal"], predicted(again)) == ("cost", predicted(first))
    assert [one["measured"]["rounds"] for one in again.json["verified"]] == [3] * len(predicted(first))


@pytest.mark.usefixtures("learned")
def test_verify_recommends_nothing_that_gave_wrong_bytes_in_any_round(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = ["-R", "romio_ds_write=disable"]
    rules = [[[*checked, f"first:{lab}/mark"], "none"], [[*checked, f"later:{lab}/mark"], "wrong"]]
    monkeypatch.setenv("PRETEND_RULES", json.dumps(rules))
    words = ["verify", *WRITE, "--model", "ridge", "--top", 1, "--verify-bytes", 1]
    found = run(*words, "--json")
    assert found.status == 1
    baseline, best = found.json["verified"]
    assert (lab / "mark").exists()
    assert best["configuration"]["romio_ds_write"] == "disable"
    assert (baseline["measured"]["rounds"], best["measured"], best["objective"]) == (3, None, None)
    assert best["note"].startswith("check: ")
    assert "acic: nothing could be compared with the baseline\nhint: see the notes above" in found.err


@pytest.mark.usefixtures("learned")
def test_a_verification_that_is_paused_says_so_and_how_it_goes_on(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = vars(Journal)["pause_asked"].fget
    monkeypatch.setattr(Journal, "pause_asked", property(functools.partial(has_more_events, 12)))
    found = run("verify", *WRITE, "--model", "ridge", "--top", 1, "--name", "mine", "--json")
    assert found.status == 1
    assert found.err.endswith(
        "acic: the verification has stopped: somebody asked for it\n"
        "hint: it goes on by acic verify ... --resume --name mine\n"
    )
    planned = Session.open("mine").journal.events()
    assert sum(event["event"] == "planned" for event in planned) < 6  # nothing that nobody runs
    monkeypatch.setattr(Journal, "pause_asked", property(asked))
    again = run("verify", *WRITE, "--name", "mine", "--resume", "--json")
    assert again.status == 0, again.err
    assert [one["measured"]["rounds"] for one in again.json["verified"]] == [3, 3]


def test_what_verify_runs_cannot_be_typed_anew(run: Callable[..., Any]) -> None:
    for option, value in (
        ("--top", 1),
        ("--model", "ridge"),
        ("--goal", "time"),
        ("--price", 3),
        ("--results", "1MiB"),
    ):
        found = run("verify", *WRITE, "--resume", option, value)
        assert found.status == 2
        assert f"{option} does nothing beside --resume" in found.err


@pytest.mark.usefixtures("learned")
def test_verify_compares_a_cost_with_the_cost_that_was_predicted(run: Callable[..., Any]) -> None:
    words = ["verify", *WRITE, "--model", "ridge", "--top", 1, "--rounds", 2, "--goal", "cost"]
    _, best = run(*words, "--json").json["verified"]
    assert best["configuration"]["romio_placement"] == "part-time"  # nobody pays for servers then
    assert best["measured"]["value"] > 4  # 1.65 in time
    for which in ("predicted", "refitted"):
        assert best[which]["value"] == pytest.approx(best["measured"]["value"], rel=0.3)
    told = run(*words).out
    assert "improvement in cost of the I/O alone" in told
    assert "x cheaper, at least " in told


@pytest.mark.usefixtures("learned")
def test_verify_tells_what_is_right_for_one_writer_alone(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Knowledge, "for_single", property(lambda self: np.ones(len(self.points), dtype=bool)))
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1]
    assert "\nCaution: Answer 1 is, or ties with, what is safe only while" in run(*words, "--", "true").out
    baseline, best = run(*words, "--json", "--", "true").json["verified"]
    assert (baseline["single_writer"], best["single_writer"]) == (False, True)


@pytest.mark.usefixtures("learned")
def test_verify_runs_the_applications_own_command(run: Callable[..., Any], lab: Path) -> None:
    script = lab / "application.py"
    script.write_text(
        "import os, sys, time, pathlib\n"
        "hints = os.environ.get('ROMIO_HINTS', '')\n"
        "text = pathlib.Path(hints).read_text() if hints else ''\n"
        "assert pathlib.Path(sys.argv[1]).is_dir()\n"
        "time.sleep(0.1 if 'romio_ds_write disable' in text else 0.4)\n"
    )
    with Store.open(str(lab / "store.sqlite")) as store:
        before = store.count("pretend")
    own = ["--", sys.executable, script, "{directory}"]
    found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 2, "--json", *own)
    assert found.status == 0, found.err
    _, best = found.json["verified"]
    assert best["measured"]["value"] > 1.8
    with Store.open(str(lab / "store.sqlite")) as store:
        assert store.count("pretend") == before  # it is no benchmark
    assert not list(lab.glob("acic-*"))


HINTED = "note: ROMIO_HINTS is set, and is not used for what is measured"
BY_ROMIO = "note: OMPI_MCA_io is set as acic tells to, and is not used for runs that have no hints"


@pytest.mark.usefixtures("learned")
def test_no_run_takes_over_the_hints_of_who_calls(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the ROMIO_HINTS that acic tells to export, baselines were measured with the hints of an answer."""
    monkeypatch.setenv("ROMIO_HINTS", "/home/me/acic.hints")
    monkeypatch.setenv("OMPI_MCA_io", "^ompio")
    benchmark, seen = lab / "pretend_ior", lab / "seen"
    exported = "[os.environ.get(name, 'none') + '\\n' for name in ('ROMIO_HINTS', 'OMPI_MCA_io')]"
    noting = f"def main() -> None:\n    open({str(seen)!r}, 'a').writelines({exported})\n"
    benchmark.write_text(benchmark.read_text().replace("def main() -> None:\n", noting))
    for words in (["train", "--budget", "10min", "--points", 3], ["walk", *WRITE, "--order", "random", "--runs", 2]):
        found = run(*words)
        assert found.status == 0, found.err
        assert found.err.count(HINTED) == found.err.count(BY_ROMIO) == 1
        assert set(seen.read_text().split()) == {"none"}
        seen.unlink()


@pytest.mark.usefixtures("learned")
def test_no_command_takes_over_the_hints_of_who_calls(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its baseline had the hints that acic tells to export, and the answer nothing to win."""
    monkeypatch.setenv("ROMIO_HINTS", str(lab / "acic.hints"))
    seen = lab / "seen"
    own = ["--", "sh", "-c", f'echo "${{ROMIO_HINTS-none}}" >>{seen}']
    found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, *own)
    assert found.status == 0, found.err
    assert found.err.count(HINTED) == 1
    told = seen.read_text().split()
    assert "none" in told
    assert len(set(told)) == 2
    assert str(lab / "acic.hints") not in told
    monkeypatch.delenv("ROMIO_HINTS")
    assert HINTED not in run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, *own).err


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize(
    ("exported", "baseline", "told"),
    [
        ("^ompio", "none", "OMPI_MCA_io is set as acic tells to, and is not used for runs that have no hints"),
        ("ompio", "ompio", "OMPI_MCA_io=ompio is set: if that has Open MPI use OMPIO, no run takes its hints"),
        ("^romio321", "^romio321", "OMPI_MCA_io=^romio321 is set: if that has Open MPI use OMPIO"),
        ("romio321", "romio321", ""),
    ],
)
def test_a_baseline_has_the_mpi_io_of_a_fresh_shell(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch, exported: str, baseline: str, told: str
) -> None:
    """What acic tells to export for Open MPI was in force for it, and it had another MPI-IO than jobs have today."""
    monkeypatch.delenv("ROMIO_HINTS", raising=False)
    monkeypatch.setenv("OMPI_MCA_io", exported)
    seen = lab / "seen"
    own = ["--", "sh", "-c", f'echo "${{ROMIO_HINTS:+hinted}},${{OMPI_MCA_io-none}}" >>{seen}']
    found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, *own)
    assert found.status == 0, found.err
    assert set(seen.read_text().split()) == {f",{baseline}", f"hinted,{exported}"}
    assert ("OMPI_MCA_io" in found.err) == bool(told)
    assert told in found.err


@pytest.mark.parametrize(("words", "striped"), [(["cp", "/etc/passwd", "{directory}/x"], 1), (["true"], 0)])
def test_a_commands_own_folder_has_the_stripes_of_the_baseline(
    lab: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], striped: int
) -> None:
    monkeypatch.setattr("acic.campaign.own_command.check_directories", lambda *_: None)
    (lab / "bin").mkdir()
    tells = "case $1 in getstripe) echo stripe_count: 3; echo stripe_size: 1; exit;; esac"
    (lab / "bin" / "lfs").write_text(f'#!/bin/sh\n{tells}\necho "$@" >>{lab}/typed\n')
    (lab / "bin" / "lfs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{lab}/bin:{os.environ['PATH']}")
    platform = replace(layouts(), apply=("lustre", "romio"))
    how = {"runner": "local", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "directory": lab, "budget": None, "seed": 0, "time_limit": None}
    search = {"goal": "time", "rounds": 1, "price": None}
    (row,) = by_command(words, platform, [platform.baseline], given, search=search, processes=1)
    assert [note for _, note in row] == ["not in force: stripe_count 1, but 3" if striped else ""]
    typed = (lab / "typed").read_text().splitlines() if striped else []
    assert [line.rpartition(" ")[0] for line in typed] == ["setstripe -c 1"] * striped
    assert (lab / "typed").exists() == bool(striped)


@pytest.mark.usefixtures("learned")
def test_hints_of_a_command_lie_beside_its_files(run: Callable[..., Any], lab: Path) -> None:
    """They were in the home of this machine: ranks that `srun` started elsewhere did without, and nobody said so."""
    seen = lab / "seen"
    own = ["--", "sh", "-c", f'echo "${{ROMIO_HINTS-none}} $0" >>{seen}', "{directory}"]
    found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, *own)
    assert found.status == 0, found.err
    told = dict(line.split() for line in seen.read_text().splitlines())
    assert len(told) == 2
    hints, directory = next((Path(one), Path(told[one])) for one in told if one != "none")
    assert hints.parent == directory.parent
    assert hints.parent.parent == lab
    assert not list(lab.glob("acic-*"))


@pytest.mark.parametrize(
    ("passed", "told"), [("NONE", True), ("HOME", True), ("ALL", False), ("ALL,X=1", False), ("ROMIO_HINTS", False)]
)
def test_a_batch_job_whose_srun_passes_no_hints_on_is_told(
    lab: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], passed: str, told: bool
) -> None:
    """All configurations were equal in a job of `sbatch --export=NONE`, and nobody said so."""
    monkeypatch.setenv("SLURM_EXPORT_ENV", passed)
    by_own_command(lab, parse_platform(tomllib.loads(PLATFORM)), ["true"])
    assert (f"SLURM_EXPORT_ENV={passed} keeps srun from passing" in capsys.readouterr().err) == told


@pytest.mark.parametrize(
    ("runner", "processes", "told"), [("pbs", 100, True), ("lsf", 99, False), ("slurm", 100, False)]
)
def test_processes_that_do_not_come_out_even_are_told(
    lab: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    runner: str,
    processes: int,
    told: bool,
) -> None:
    """`mpirun ./app` started 102 of 100, and nobody said so."""

    class Here(LocalRunner):
        def submit(self, job: Job) -> None:
            super().submit(replace(job, nodes=1))

        def wait(self, job: Job) -> Ending:
            return super().wait(replace(job, nodes=1))

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: Here())
    platform = parse_platform(tomllib.loads(PLATFORM))
    how = {"runner": runner, "hosts": (), "nodes": 3, "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "directory": lab, "budget": None, "seed": 0, "time_limit": None}
    search = {"goal": "time", "rounds": 1, "price": None}
    by_command(["true"], platform, [platform.baseline], given, search=search, processes=processes)
    note = f"note: {runner} is asked for 34 processes on each of 3 nodes: a launcher that is told no number starts 102"
    assert (note in capsys.readouterr().err) == told


@pytest.mark.usefixtures("learned")
def test_verify_runs_a_command_where_its_user_stands(
    run: Callable[..., Any], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = lab / "project"
    project.mkdir()
    (project / "input").write_text("wanted\n")
    (project / "app").write_text(
        '#!/bin/sh\ngrep -q wanted input && test -d "$1" && test "${ROMIO_HINTS:+^ompio}" = "$OMPI_MCA_io"\n'
    )
    (project / "app").chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.delenv("OMPI_MCA_io", raising=False)
    words = ["--model", "ridge", "--top", 1, "--rounds", 1, "--json", "--", "./app", "{directory}"]
    found = run("verify", lab / "job.toml", *words)
    assert found.status == 0, found.err
    assert all(one["objective"] for one in found.json["verified"]), found.json
    assert sorted(path.name for path in project.iterdir()) == ["app", "input"]


def test_a_command_may_be_run_from_a_folder_that_cannot_be_written_to(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs print went there, though the configurations choose where files go: the first run was the end of it."""
    text = PLATFORM.replace('apply = ["romio"]', 'apply = ["storage", "romio"]')
    storage = f'[[parameter]]\nname = "storage"\nvalues = ["{lab}", "/tmp"]\n[[parameter]]'
    text = text.replace("[baseline.values]", f'[baseline.values]\nstorage = "{lab}"')
    text = text.replace("[[parameter]]", storage, 1)
    platform = parse_platform(tomllib.loads(text))
    how = {"runner": "local", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "directory": Path("/proc"), "budget": None, "seed": 0, "time_limit": None}
    search = {"goal": "time", "rounds": 1, "price": None}
    words = ["touch", "{directory}/x"]
    ((found,),) = by_command(words, platform, [platform.baseline], given, search=search, processes=1)
    assert found[0] is not None, found
    assert not list(lab.rglob("acic-*"))
    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: LocalRunner())
    given |= {**how, "runner": "ssh", "hosts": ("localhost",), "directory": Path("/proc")}
    with pytest.raises(InvalidInput, match=r"cannot make /proc/acic-verify-.*, where what runs print goes"):
        by_command(words, platform, [platform.baseline], given, search=search, processes=1)


@pytest.mark.usefixtures("learned")
def test_a_job_told_by_options_has_a_command_of_its_own(run: Callable[..., Any]) -> None:
    found = run("verify", *WRITE, "--model", "ridge", "--top", 1, "--rounds", 1, "--json", "--", "sh", "-c", "exit 0")
    assert found.status == 0, found.err
    assert found.json["by"] == "its own command"


def test_a_command_stands_behind_two_dashes(acic: Callable[..., Any], lab: Path) -> None:
    found = acic("verify", lab / "job.toml", "true", "--platform", lab / "pretend.toml")
    assert (found.status, found.out) == (2, "")
    assert "true is given beside" in found.err
    assert "a command to run stands behind --" in found.err
    assert "[LOG] [-- COMMAND...]\n" in acic("verify", "--help").out


@pytest.mark.usefixtures("learned")
def test_verify_of_a_command_that_fails_has_no_success(run: Callable[..., Any], lab: Path) -> None:
    found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--", "false")
    assert found.status == 1
    assert "exit status 1" in found.err
    assert "Traceback" not in found.err


@pytest.mark.usefixtures("learned")
def test_a_command_that_fails_is_told_by_what_it_said_itself(run: Callable[..., Any], lab: Path) -> None:
    """MPI codes in Fortran tell errors on standard output, which was gone; and the launcher's own words were quoted."""
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--"]
    found = run(*words, "sh", "-c", "echo begun; echo ' FATAL: namelist &run not found'; exit 2")
    assert "note: baseline: failed in 1 of 1 rounds: exit status 2; FATAL: namelist &run not found\n" in found.err
    assert "1.00x" not in found.out
    found = run(*words, "./notthere")
    assert "failed in 1 of 1 rounds: exit status 127: the program cannot be found; ./notthere: No such" in found.err


def test_a_command_that_is_quoted_as_one_word_is_refused(run: Callable[..., Any], lab: Path, learned: Path) -> None:
    found = run("verify", lab / "job.toml", "--model", "ridge", "--", "./slow.sh {directory}")
    assert (found.status, found.out) == (2, "")
    assert "acic: there is no program './slow.sh {directory}'\nhint: leave out the quotes around the whole" in found.err
    assert learned.exists()


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("given", [True, False])
def test_a_command_that_would_be_given_input_is_told_that_it_gets_none(
    run: Callable[..., Any], lab: Path, given: bool
) -> None:
    """`acic verify ... -- ./app <input` compared runs that had read nothing, without a word."""
    (lab / "input").write_text("hello\n")
    standing = os.dup(0)
    file = os.open(lab / "input" if given else os.devnull, os.O_RDONLY)
    try:
        os.dup2(file, 0)
        found = run("verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--", "true")
    finally:
        os.dup2(standing, 0)
        os.close(standing)
        os.close(file)
    assert found.status == 0, found.err
    assert ("note: no run gets anything on standard input" in found.err) is given


@pytest.mark.usefixtures("learned")
def test_who_measures_beside_another_is_told_so(run: Callable[..., Any], lab: Path) -> None:
    """Two searches at once measured each other: the baseline of the one took four times as long."""
    job = [*WRITE, "--order", "random", "--runs", 2]
    command = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--", "true"]
    assert run("walk", *job, "--name", "first").status == 0
    first = Session.open("first").journal
    with first.locked():
        beside = run("walk", *job, "--name", "second")
        own = run(*command)
    told = "note: the campaign first is at work on this machine, too: each slows the other"
    for found in (beside, own):
        assert found.status == 0, found.err
        assert found.err.count(told) == 1
    assert "at work on this machine" not in run("walk", *job, "--resume", "--name", "second").err
    with noted(Where(), lab / "acic-verify-1"):
        assert "note: a command of `acic verify` is at work on" in run("walk", *job, "--name", "third").err
    assert "at work on this machine" not in run(*command).err


def layouts() -> Platform:
    """Return the pretend platform with stripes, which a directory of the command's gets."""
    text = PLATFORM.replace('apply = ["romio"]', 'apply = ["orangefs", "romio"]')
    text = text.replace("[[parameter]]", '[[parameter]]\nname = "stripe_count"\nvalues = [1, 4]\n[[parameter]]', 1)
    return parse_platform(tomllib.loads(text.replace("[baseline.values]", "[baseline.values]\nstripe_count = 1")))


def by_own_command(lab: Path, platform: Platform, words: list[str], *, seed: int = 0) -> list[Any]:
    """Run it once on the baseline and once on four stripes."""
    how = {"runner": "local", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    wanted = [platform.baseline, Configuration({**platform.baseline, "stripe_count": 4})]
    given = {**how, "directory": lab, "budget": None, "seed": seed, "time_limit": None}
    search = {"goal": "time", "rounds": 1, "price": None}
    return by_command(words, platform, wanted, given, search=search, processes=1)


def test_a_command_that_cannot_be_given_a_place_is_refused_before_any_run(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The baseline has no layout: where it came first it was run, for hours perhaps, and then nothing else was."""
    monkeypatch.setattr("acic.campaign.own_command.check_directories", lambda *_: None)
    for seed in range(8):
        with pytest.raises(InvalidInput, match="does not say where its files go"):
            by_own_command(lab, layouts(), ["touch", str(lab / "ran")], seed=seed)
        assert not (lab / "ran").exists()
    with pytest.raises(InvalidInput, match="have to be deployed, which acic does in the lab alone"):
        by_own_command(lab, load_platform("ec2-2013"), ["touch", "{directory}/ran"])


def test_a_run_of_a_command_that_is_not_started_costs_no_other(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(LocalRunner):
        asked = 0

        def submit(self, job: Job) -> None:
            self.asked += 1
            if self.asked == 1:
                raise TransientError("the scheduler does not answer", hint="wait")
            super().submit(job)

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: Silent())
    platform = parse_platform(tomllib.loads(PLATFORM))
    found = by_own_command(lab, platform, ["true"])
    notes = sorted(note for rounds in found for _, note in rounds)
    assert notes == ["", "the scheduler does not answer"]
    assert not list(lab.glob("acic-*"))


def test_stripes_that_cannot_be_read_back_cost_no_run_of_a_command(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A good run whose file somebody removed meanwhile had failed."""
    monkeypatch.setattr("acic.campaign.own_command.check_directories", lambda *_: None)
    (lab / "bin").mkdir()
    tells = 'case $1 in getstripe) echo stripe_count: 1; echo stripe_size: 1; rm "$2";; esac'
    (lab / "bin" / "lfs").write_text(f"#!/bin/sh\n{tells}\n")
    (lab / "bin" / "lfs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{lab}/bin:{os.environ['PATH']}")
    platform = replace(layouts(), apply=("lustre", "romio"))
    found = by_own_command(lab, platform, ["cp", "/etc/passwd", "{directory}/x"])
    assert all(seconds is not None for ((seconds, _),) in found), found


def test_a_disk_that_is_full_costs_a_run_of_a_command_and_not_those_before(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that had been measured was lost with "the system refused: No space left on device"."""
    asked: list[int] = []

    def read_back(*_: object) -> tuple[str, str]:
        asked.append(1)
        if len(asked) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return "", ""

    monkeypatch.setattr("acic.campaign.own_command.read_back", read_back)
    found = by_own_command(lab, parse_platform(tomllib.loads(PLATFORM)), ["true"])
    assert sorted(note for rounds in found for _, note in rounds) == ["", "[Errno 28] No space left on device"]
    assert not list(lab.glob("acic-*"))


def test_a_command_is_paid_for_on_all_machines_that_it_holds(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its --nodes were not in the money: a budget limited a run on 64 machines as one on the machine that it fills."""
    limits = list[float]()

    class Watched(LocalRunner):
        def submit(self, job: Job) -> None:
            limits.append(job.time_limit)
            super().submit(replace(job, nodes=1))

        def wait(self, job: Job) -> Ending:
            return replace(super().wait(replace(job, nodes=1)), seconds=3600.0)

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: Watched())
    platform = parse_platform(tomllib.loads(PLATFORM))
    paid = platform.cost(platform.baseline, 1, 3600.0, held=6)
    how = {"runner": "ssh", "hosts": ("a",), "queue": "", "account": "", "attributes": (), "benchmark": None}
    given = {**how, "nodes": 6, "directory": lab, "budget": "60USD", "seed": 0, "time_limit": None}
    search = {"goal": "cost", "rounds": 1, "price": None}
    found = by_command(["true"], platform, [platform.baseline], given, search=search, processes=1)
    assert found[0][0][0] == pytest.approx(paid)
    assert limits == [pytest.approx(60 / paid * 3600)]


@pytest.mark.parametrize(
    ("given", "budget", "limit"),
    [
        (90.0, None, 90.0),
        (90.0, "30s", 30.0),
        (0.5, "30s", 0.5),
        (48 * 3600.0, None, 48 * 3600.0),
        (None, None, 24 * 3600.0),
        (None, "48h", 48 * 3600.0),
    ],
)
def test_a_queue_is_asked_for_the_time_limit_of_a_command_or_what_the_budget_leaves(
    lab: Path, monkeypatch: pytest.MonkeyPatch, given: float | None, budget: str | None, limit: float
) -> None:
    limits = list[float]()

    class Watched(LocalRunner):
        def submit(self, job: Job) -> None:
            limits.append(job.time_limit)
            super().submit(job)

    monkeypatch.setattr("acic.campaign.own_command.open_runner", lambda *_, **__: Watched())
    platform = parse_platform(tomllib.loads(PLATFORM))
    how = {"runner": "slurm", "hosts": (), "nodes": 1, "queue": "", "account": "", "attributes": (), "benchmark": None}
    asked = {**how, "directory": lab, "budget": budget, "seed": 0, "time_limit": given}
    search = {"goal": "time", "rounds": 1, "price": None}
    by_command(["true"], platform, [platform.baseline], asked, search=search, processes=1)
    assert limits == [limit]


@pytest.mark.usefixtures("learned")
def test_a_command_that_hangs_has_failed_by_the_time_limit_and_all_of_it_has_ended(
    run: Callable[..., Any], lab: Path
) -> None:
    """Without a budget it was waited for a day, and with one all rounds behind it were lost."""
    script = f"cd {lab}; mkdir hung 2>/dev/null || exit 0; sleep 600 & echo $! >hung/pid; echo stuck >&2; wait"
    words = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 3, "--time-limit", "2s"]
    found = run(*words, "--json", "--", "sh", "-c", script)
    assert found.status == 0, found.err
    verified = found.json["verified"]
    assert sorted((one["rounds"], one["failed"]) for one in verified) == [(3, 0), (3, 1)]
    (failed,) = (one for one in verified if one["failed"])
    assert failed["note"] == "time limit of 2 s; stuck"
    pid = (lab / "hung" / "pid").read_text().strip()
    until(lambda: not Path(f"/proc/{pid}").exists(), "what it had started has ended")
    assert not list(lab.glob("acic-*"))


def own_runs(lab: Path, seconds: float) -> list[object]:
    """Return a command of one's own that takes so long, and writes a line into `runs` each time that it ends."""
    script = lab / "application.py"
    script.write_text(f"import time; time.sleep({seconds}); open({str(lab / 'runs')!r}, 'a').write('x\\n')")
    return ["--", sys.executable, "-IS", script, "{directory}"]


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("budget", ["2s", "0.0035USD"])  # the baseline has five machines, at 1 USD an hour
def test_the_budget_is_that_of_all_runs_of_a_command(run: Callable[..., Any], lab: Path, budget: str) -> None:
    words = [lab / "job.toml", "--model", "ridge", "--top", 1]
    begun = time.monotonic()
    found = run("verify", *words, "--rounds", 500, "--budget", budget, "--json", *own_runs(lab, 0.2))
    assert found.status == 0, found.err
    assert time.monotonic() - begun < TIMEOUT
    made = (lab / "runs").read_text().count("x")
    assert 2 <= made <= 2.6 / 0.2 * (1 if budget.endswith("s") else 5)
    told = re.search(r"note: the budget was used up in run (\d+) of 1000\n", found.err)
    assert told is not None, found.err
    assert int(told[1]) in (made, made + 1)  # its command may have ended, and not what waits for it
    baseline, best = found.json["verified"]
    assert (baseline["note"], best["note"]) == ("", "")  # it ended no run that counts
    # a round counts where both have one, and of the last run the command may have ended, and not what waits for it
    assert made - 2 <= baseline["measured"]["rounds"] + best["measured"]["rounds"] <= made + 1


@pytest.mark.usefixtures("learned")
def test_a_budget_that_is_too_short_for_a_run_compares_nothing(run: Callable[..., Any], lab: Path) -> None:
    words = [lab / "job.toml", "--model", "ridge", "--top", 1, "--budget", "100ms"]
    found = run("verify", *words, *own_runs(lab, 60))
    assert found.status == 1
    assert "note: the budget was used up in run 1 of 6" in found.err
    assert found.err.endswith("acic: nothing could be compared with the baseline\nhint: see the notes above\n")
    assert not list(lab.glob("acic-*"))


@pytest.mark.parametrize(
    "option", [["--shrink", "1MiB"], ["--verify-bytes", 1], ["--name", "x"], ["--resume"], ["--benchmark", "ior"]]
)
def test_what_does_nothing_for_a_command_is_refused(acic: Callable[..., Any], lab: Path, option: list[object]) -> None:
    found = acic("verify", lab / "job.toml", "--platform", lab / "pretend.toml", *option, "--", "true")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"acic: {option[0]} does nothing beside a command of one's own\n")


@pytest.mark.usefixtures("learned")
def test_money_limits_no_command_where_nothing_has_a_price(run: Callable[..., Any], lab: Path) -> None:
    (lab / "pretend.toml").write_text(PLATFORM.replace("price = 1.0\n", ""))
    found = run("verify", lab / "job.toml", "--model", "ridge", "--budget", "10USD", *own_runs(lab, 0))
    assert found.status == 2
    assert "acic: platform pretend has no prices\nhint: give a time (10min, 2h), or a platform" in found.err
    assert not (lab / "runs").exists()


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_and_leaves_nothing(lab: Path, number: signal.Signals) -> None:
    words = ["verify", lab / "job.toml", "--platform", lab / "pretend.toml", "--directory", lab, "--model", "ridge"]
    process = subprocess.Popen(
        [sys.executable, "-m", "acic", *map(str, [*words, *own_runs(lab, 60)])],
        env=os.environ | {"ACIC_STORE": str(lab / "store.sqlite")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + TIMEOUT
        while not list(lab.glob("acic-verify-*")) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.02)
        time.sleep(0.2)  # the run is under way
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, ""), err
    assert "acic: interrupted\n" in err
    assert not list(lab.glob("acic-*"))


@pytest.mark.usefixtures("learned")
def test_what_a_killed_command_left_is_cleared_up_by_the_next_and_what_is_at_work_is_not(
    run: Callable[..., Any], lab: Path
) -> None:
    words = ["verify", lab / "job.toml", "--platform", lab / "pretend.toml", "--directory", lab, "--model", "ridge"]
    process = subprocess.Popen(
        [sys.executable, "-m", "acic", *map(str, words), "--", "sh", "-c", "touch {directory}/x; sleep 600 & wait"],
        env=os.environ | {"ACIC_STORE": str(lab / "store.sqlite")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + TIMEOUT
        while not list(lab.glob("acic-verify-*/files/x")) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.02)
        left = sorted(lab.glob("acic-verify-*"))
        (job,) = [path.name.removeprefix("acic-") for path in left if (path / "files" / "x").exists()]
        after = ["verify", lab / "job.toml", "--model", "ridge", "--top", 1, "--rounds", 1, "--", "true", "{directory}"]
        assert "killed" not in run(*after).err
        assert sorted(lab.glob("acic-verify-*")) == left
        assert tagged(job)
    finally:
        process.kill()
        process.wait(TIMEOUT)
    assert tagged(job)  # what the command had forked goes on
    found = run(*after)
    assert found.status == 0
    assert found.err.count("note: a command that was killed left runs in ") == 1
    assert not tagged(job)
    assert not list(lab.glob("acic-*"))
    assert not list(lab.rglob("commands/*"))
