"""An application's own command, run in the lab on one configuration after the other."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from acic.campaign.budget import Budget
from acic.campaign.lab_command import LabCommand
from acic.campaign.turns import Turns
from acic.cluster.others import ProcessorTime
from acic.filesystems.ceph import Ceph
from acic.lab import Lab
from acic.lab.choice import choose
from acic.lab.trial import run
from acic.platforms import load_platform
from acic.space import Configuration
from acic.units import MIB
from tests.cli.conftest import Result
from tests.cli.conftest import acic as acic
from tests.laboratory import lab as lab
from tests.laboratory import need_lab

PLATFORM = load_platform("lab")
ON_EBS = Configuration({**PLATFORM.baseline, "placement": "part-time"})
LOST = Configuration({**ON_EBS, "device": "ephemeral"})  # its results go with its machines
OWN = ["sh", "-c", "cat {directory}/input && head -c 2097152 /dev/zero >{directory}/$(hostname)"]


def measured(
    lab: Lab,
    words: list[str],
    *,
    processes: int = 4,
    prepare: str = "echo >{directory}/input",
    results: int = 0,
    budget: str = "5min",
    rounds: int = 1,
    said: Callable[[str], None] = print,
) -> list[list[tuple[float | None, str]]]:
    """Return what rounds on both configurations gave."""
    wanted = [ON_EBS, LOST]
    turns = Turns(
        PLATFORM,
        wanted,
        Budget.parse(budget),
        price=None,
        processes=processes,
        held=1,
        time_limit=60,
        announce=said,
    )
    how: dict[str, Any] = {"processes": processes, "prepare": prepare, "results": results}
    runs = LabCommand(words, PLATFORM, wanted, lab, turns, **how, look=lambda: ProcessorTime(0, 0))
    seen: list[int] = []
    found = runs.measured("time", rounds, seed=1, watch=seen.append)
    assert seen == [*range(1, len(seen) + 1)]
    return found


def test_each_run_has_its_input_and_empty_caches_and_nothing_is_left(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    emptied: list[int] = []
    empty = lab.fresh

    def counted() -> None:
        emptied.append(1)
        empty()

    monkeypatch.setattr(lab, "fresh", counted)
    found = measured(lab, OWN, results=4 * MIB, rounds=2)
    assert len(emptied) >= 4
    assert [[note for _, note in rows] for rows in found] == [["", ""], ["", ""]]
    assert all(seconds is not None and 0 < seconds < 60 for rows in found for seconds, _ in rows)
    assert lab.run("c0", ["ls", "/acic/mnt"]).stdout == ""
    assert not [path for path in lab.room.names.images.iterdir() if path.is_dir()]


def test_results_that_would_be_lost_are_copied_in_the_time_of_a_run(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def stage_out(_: Lab, names: list[str]) -> float:
        asked.append(len(names))
        return 1000.0

    monkeypatch.setattr("acic.campaign.lab_command.stage_out", stage_out)
    kept, lost = measured(lab, OWN, results=3 * MIB)
    assert asked == [2]  # whole files: the newest, until they have as much
    assert all(seconds < 1000 for seconds, _ in kept if seconds is not None)
    assert all(seconds > 1000 for seconds, _ in lost if seconds is not None)
    assert {note for _, note in lost} == {"4 MiB of what it left were copied, where 3 MiB must last"}


@pytest.mark.parametrize(
    ("words", "prepare", "why"),
    [
        (["sh", "-c", "echo oh {directory} >&2; exit 3"], "", "exit status 3; oh /acic/mnt/run-"),
        (OWN, "echo no input >&2; exit 4", "what prepares the run failed: exit status 4: no input"),
    ],
)
def test_a_run_that_fails_says_why_and_the_others_are_made(lab: Lab, words: list[str], prepare: str, why: str) -> None:
    found = measured(lab, words, processes=1, prepare=prepare)
    assert [len(rows) for rows in found] == [1, 1]
    assert all(seconds is None and note.startswith(why) for rows in found for seconds, note in rows)


def test_runs_end_with_the_budget(lab: Lab) -> None:
    said: list[str] = []
    found = measured(lab, ["sh", "-c", "sleep 100; : {directory}"], processes=1, budget="8s", said=said.append)
    assert found == [[], []]
    assert said == ["note: the budget was used up in run 1 of 2"]


WORKLOAD = [
    *("--processes", "2", "--interface", "posix", "--operation", "write"),
    *("--data-size", "4MiB", "--request-size", "1MiB"),
]


@pytest.mark.parametrize(
    ("options", "command", "told"),
    [
        ("--platform lab", "./app", "the command does not say where its files go"),
        ("--platform lab", "/opt/mpi/bin/mpirun -n 4 ./app {directory}", "mpirun would start processes on no node"),
        *(
            ("--platform lab", command, "would start processes on no node")
            for command in (
                "mpirun.openmpi -n 4 ./app {directory}",
                "env X=1 mpiexec.mpich -n 4 ./app {directory}",
                "time mpirun -n 4 ./app {directory}",
                "sh -c 'cd /tmp;mpiexec -n 4 ./app < scf.in > {directory}/out'",
            )
        ),
        ("--platform lab", "'./app {directory}'", "leave out the quotes around the whole command"),
        ("--platform lab", "./app {directory}", "there is no program ./app"),
        ("--platform lab --nodes 2", "./app {directory}", "--nodes does nothing on lab"),
        ("--platform tianhe-lustre --prepare true", "./app {directory}", "--prepare does nothing except for"),
    ],
)
def test_what_cannot_be_run_there_is_refused_at_once(
    acic: Callable[..., Result], options: str, command: str, told: str
) -> None:
    result = acic("verify", *options.split(), *WORKLOAD, "--", *shlex.split(command))
    assert (result.status, result.out) == (2, "")
    assert told in result.err


def test_verify_runs_a_command_in_the_lab(
    acic: Callable[..., Result], lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acic.lab.Lab.open", lambda **_: lab)
    monkeypatch.setattr(lab, "close", lambda: None)
    kept = ("instance_type=lab.400m", "file_system=NFS", "device=EBS")
    keeping = [word for one in kept for word in ("--keep", one)]
    words = ["--model", "prior", "--prepare", "echo >{directory}/input", "--json", "--", *OWN]
    result = acic("verify", "--platform", "lab", *WORKLOAD, *keeping, "--top", 1, "--rounds", 1, *words)
    assert result.status == 0, result.err
    assert result.json["by"] == "its own command"
    baseline, other = result.json["verified"]
    assert baseline["configuration"] == dict(PLATFORM.baseline)
    assert other["measured"]["value"] > 0


def test_what_clients_of_cephfs_hold_is_sent_in_the_time_of_a_run_and_copied_whole(lab: Lab, tmp_path: Path) -> None:
    """A run was over before its bytes had left the nodes, and what came back of it were zeros."""
    need_lab(Ceph().programs, " ".join(Ceph().packages))
    lab.deploy(choose(PLATFORM.space, PLATFORM.baseline, {"file_system": "ceph", "consistency": "relaxed"}))
    lab.fresh()
    before, sent = sum(map(partial(out_of, lab), lab.facts.compute)), list[int]()
    script = "cd {directory}; head -c 8388608 /dev/urandom >$(hostname); sha256sum $(hostname)"
    job, ending = run(
        lab,
        ["sh", "-c", script],
        processes=4,
        folder=tmp_path,
        seconds=60,
        fresh=False,
        results=tmp_path / "results",
        ended=lambda _: sent.append(sum(map(partial(out_of, lab), lab.facts.compute)) - before),
    )
    assert ending.seconds is not None, ending
    assert sent[0] >= 4 * 8 * MIB
    told = {name: digest for digest, name in (line.split() for line in job.stdout.read_text().splitlines())}
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in (tmp_path / "results").iterdir()}
    assert found == told
    assert len(found) == 4


def out_of(lab: Lab, node: str) -> int:
    """B that a node has sent."""
    lines = lab.run(node, ("cat", "/proc/net/dev")).stdout.splitlines()[2:]
    counts = {name.strip(): int(rest.split()[8]) for name, _, rest in (line.partition(":") for line in lines)}
    return sum(count for name, count in counts.items() if name != "lo")
