"""A lab leaves nothing behind, whenever its controller dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acic.cluster.lab.nodes import children
from acic.errors import InvalidInput, MissingData, TransientError
from acic.lab import Lab, clean_up
from tests import laboratory
from tests.cluster.lab.fake import CONFIGURATION, FILE_SYSTEMS
from tests.cluster.lab.traces import left, settings, traces
from tests.cluster.services import until
from tests.laboratory import NIC, alone, facts, need_lab, remove_leftovers

ROOT = Path(__file__).parents[3]
PHASES = ("up", "deploy", "down")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    need_lab()
    folder = tmp_path / "state"
    with alone():
        remove_leftovers(folder)
        try:
            yield folder
        finally:
            clean_up(folder, name=laboratory.NAME)


def made(state: Path) -> Lab:
    return Lab.up(
        facts(),
        nic=NIC,
        state=state,
        name=laboratory.NAME,
        network=laboratory.NETWORK,
        file_systems=FILE_SYSTEMS,
    )


def test_up_and_down_leave_the_machine_as_it_was(state: Path) -> None:
    setting = settings()
    assert left(laboratory.NAME) == {}
    lab = made(state)
    site = lab.deploy(CONFIGURATION)
    there = traces(laboratory.NAME)
    assert all(there[key] for key in ("processes", "links", "loops", "groups", "images"))  # or nothing could be missed
    lab.close()

    again = Lab.open(state, file_systems=FILE_SYSTEMS)
    assert again.site == site
    assert again.audit() == []
    again.down()
    assert left(laboratory.NAME) == {}
    assert not list(state.parent.iterdir())
    assert not setting or settings() in (setting, "")
    with pytest.raises(MissingData, match="no lab is up"):
        Lab.open(state)


def test_a_lab_is_worked_on_by_one_at_a_time_and_looked_at_by_all(state: Path) -> None:
    lab = made(state)
    try:
        with pytest.raises(TransientError, match="another process works on this lab"):
            Lab.open(state)
        looking = Lab.open(state, control=False)
        assert looking.run("c0", ["hostname"]).stdout == "c0\n"
        with pytest.raises(InvalidInput, match="look only"):
            looking.undeploy()
        lab.close()
        with pytest.raises(InvalidInput, match="is up already"):
            made(state)
    finally:
        clean_up(state, name=laboratory.NAME)


def test_what_a_lost_record_knew_is_found_by_name(state: Path) -> None:
    lab = made(state)
    lab.deploy(CONFIGURATION)
    lab.close()
    (state / "record.json").unlink()
    clean_up(state, name=laboratory.NAME)
    assert left(laboratory.NAME) == {}
    clean_up(state, name=laboratory.NAME)  # and again, with nothing there


def test_a_lab_of_another_name_is_not_removed(state: Path) -> None:
    """Whoever mistyped a name had the lab removed that was there."""
    lab = made(state)
    lab.close()
    with pytest.raises(InvalidInput, match=f"is called {laboratory.NAME}, not two"):
        clean_up(state, name="two")
    Lab.open(state, file_systems=FILE_SYSTEMS).down()


def test_a_lab_with_other_facts_than_the_platforms_is_not_measured(state: Path) -> None:
    made(state).close()
    Lab.open(state, facts=facts(), file_systems=FILE_SYSTEMS).close()
    with pytest.raises(InvalidInput, match="is another one than the platform's file tells of"):
        Lab.open(state, facts=replace(facts(), compute_nodes=facts().compute_nodes + 1))
    Lab.open(state, file_systems=FILE_SYSTEMS).down()


def test_a_lab_of_the_same_name_with_another_record_is_left_alone(state: Path, tmp_path: Path) -> None:
    lab = made(state)
    for attempt in (made, lambda other: clean_up(other, name=laboratory.NAME)):
        with pytest.raises(InvalidInput, match=f"with its record in {state}"):
            attempt(tmp_path / "other")
    assert lab.audit() == []
    assert not list(tmp_path.glob("other*"))
    lab.down()


def test_a_bridge_of_somebody_else_survives_a_lab_of_its_name(state: Path) -> None:
    """It was deleted by name, before anything was looked at."""
    bridge = f"{laboratory.NAME}-br"
    subprocess.run(["ip", "link", "add", bridge, "type", "bridge"], check=True)
    try:
        attempts: list[Callable[[Path], None]] = [
            lambda there: made(there).close(),
            lambda there: clean_up(there, name=laboratory.NAME),
        ]
        for attempt in attempts:
            with pytest.raises(InvalidInput, match=f"interface {bridge} already, and it is not the lab's") as caught:
                attempt(state)
            assert f"ip link delete {bridge}" in caught.value.hint
            assert Path(f"/sys/class/net/{bridge}").exists()
        assert not list(state.parent.iterdir())
    finally:
        subprocess.run(["ip", "link", "delete", bridge], check=False)


def test_a_lab_of_an_acic_that_marked_no_links_goes_down(state: Path) -> None:
    lab = made(state)
    for link in traces(laboratory.NAME)["links"]:  # type: ignore[attr-defined]  # a list
        assert Path(f"/sys/class/net/{link}/ifalias").read_text() == f"acic-lab-{laboratory.NAME}\n"
        subprocess.run(["ip", "link", "set", link, "alias", ""], check=True)
    lab.down()
    assert left(laboratory.NAME) == {}


def test_a_lab_is_the_same_however_the_way_to_its_record_is_written(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`acic lab down --state ../state` said that the lab was another one."""
    made(state).close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    clean_up(Path("../state"), name=laboratory.NAME)
    assert left(laboratory.NAME) == {}


def test_a_stopped_process_that_has_entered_a_node_does_not_keep_it(state: Path) -> None:
    """A shell in a node that was stopped by Ctrl-Z kept the lab from going down: it took no note of its child's end."""
    lab = made(state)
    node = f"/proc/{lab.nodes['c0'].pid}/ns"
    shells = [
        subprocess.Popen(command, start_new_session=True)
        for command in (
            lab.nodes["c0"].enter(["sleep", "100"]),
            ["nsenter", f"--pid={node}/pid", "sleep", "100"],  # by hand, in none of its groups
        )
    ]
    try:
        until(lambda: all(children(shell.pid) for shell in shells), "they are in the node")
        for shell in shells:
            shell.send_signal(signal.SIGSTOP)
        lab.down()
        assert [shell.wait(5) for shell in shells] == [-signal.SIGKILL] * 2
        assert left(laboratory.NAME) == {}
    finally:
        for shell in shells:
            shell.kill()
            shell.wait()


def test_a_process_with_the_number_of_a_node_is_not_killed(state: Path) -> None:
    lab = made(state)
    lab.down()
    bystander = subprocess.Popen(["sleep", "100"])
    try:
        lab.room._record.content["nodes"] = {"c0": {"address": "", "around": [bystander.pid, 1], "first": None}}
        lab.room._record.save()
        clean_up(state, name=laboratory.NAME)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def killed(state: Path, phase: str, delay: float) -> None:
    """Kill a controller some time after it began with something."""
    controller = subprocess.Popen(
        [sys.executable, "-m", "tests.cluster.lab.controller", str(state), laboratory.NAME, laboratory.NETWORK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
    )
    assert controller.stdout is not None
    assert controller.stderr is not None
    try:
        for line in controller.stdout:
            if line.strip() == phase:
                time.sleep(delay)  # this is the moment under test; whichever step it hits, the same must hold
                break
        else:
            pytest.fail(f"it ended before: {controller.stderr.read()}")
    finally:
        controller.kill()
        controller.wait()
        controller.stdout.close()
        controller.stderr.close()


@pytest.mark.parametrize(("phase", "delays"), [("up", (0.03, 0.2)), ("deploy", (0.1,)), ("down", (0.03,))])
def test_a_controller_killed_at_any_moment_leaves_nothing_after_down(
    state: Path, phase: str, delays: tuple[float, ...]
) -> None:
    setting = settings()
    for delay in delays:
        killed(state, phase, delay)
        clean_up(state, name=laboratory.NAME)
        assert left(laboratory.NAME) == {}
        assert not list(state.parent.iterdir())
        assert not setting or settings() in (setting, "")


def test_a_controller_killed_is_followed_by_one_that_goes_up(state: Path) -> None:
    killed(state, "deploy", 0.1)
    lab = Lab.open(state, file_systems=FILE_SYSTEMS)  # the nodes have outlived it
    assert lab.site is None
    lab.deploy(CONFIGURATION)
    assert lab.audit() == []
    lab.close()
    clean_up(state, name=laboratory.NAME)
    killed(state, "up", 0.2)
    lab = made(state)
    assert lab.audit() == []
    lab.down()
    assert left(laboratory.NAME) == {}


@pytest.mark.slow
def test_twenty_controllers_killed_at_random_moments_leave_nothing(state: Path) -> None:
    rng = np.random.default_rng(20)
    setting = settings()
    for phase in rng.choice(PHASES, size=20):
        killed(state, str(phase), float(rng.uniform(0, 0.8)))
        clean_up(state, name=laboratory.NAME)
        assert left(laboratory.NAME) == {}
        assert not setting or settings() in (setting, "")
