"""What holds for every file system in every configuration, told without a machine."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.filesystems import gluster, nfs, orangefs_config
from acic.filesystems.deployment import Deployment, Knob, Layout
from acic.filesystems.registry import FILE_SYSTEMS
from acic.platforms import load_platform
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount
from acic.units import MIB
from tests.filesystems.shell import script
from tests.filesystems.subjects import (
    MOUNT,
    SETTINGS,
    Configured,
    client,
    configurations,
    deployed,
    label,
    layout,
    server,
    started,
    stopped,
    told,
)

GOLDEN = Path(__file__).parents[1] / "data" / "filesystems"
PATH = re.compile(r"(?<![\w.:/*-])/[\w./-]+")  # an absolute one; what follows a ":" is another machine's
EVERYBODY = ("/dev/null", "/dev/zero", "/dev/stderr")

each = pytest.mark.parametrize("configuration", configurations(), ids=label)


@each
def test_steps_are_for_nodes_that_are_there_and_keep_to_their_own_folders(configuration: Configured) -> None:
    keeps_to_itself(deployed(configuration), layout(configuration))


@each
def test_what_is_started_is_stopped_and_what_is_mounted_is_unmounted(configuration: Configured) -> None:
    comes_and_goes(deployed(configuration), layout(configuration))


@each
def test_emptying_caches_leaves_what_was_there(configuration: Configured) -> None:
    deployment = deployed(configuration)
    assert Counter(started(deployment.fresh)) == Counter(stopped(deployment.fresh))
    mounts = [step for step in deployment.fresh if isinstance(step, Mount)]
    assert all(step in deployment.steps for step in mounts)
    unmounted = Counter((step.node, step.path) for step in deployment.fresh if isinstance(step, Unmount))
    assert Counter((step.node, step.path) for step in mounts) == unmounted


@each
def test_every_parameter_is_read_back(configuration: Configured) -> None:
    deployment, there = deployed(configuration), nodes(layout(configuration))
    asked = {knob.name for knob in deployment.knobs}
    assert {name for name in SETTINGS if name in configuration} <= asked
    for knob in deployment.knobs:
        assert knob.node in there
        assert not re.compile(knob.matches, re.MULTILINE).search("")  # no answer is no yes
    assert any(knob.node == layout(configuration).clients[0].node for knob in deployment.knobs)


@each
def test_what_is_made_to_ask_has_a_name_of_its_own_and_goes(configuration: Configured) -> None:
    """Two who asked at once, as an audit beside a campaign, removed one another's file."""
    for knob in deployed(configuration).knobs:
        script = knob.command[-1] if knob.command[:2] == ("sh", "-c") else ""
        for path in re.findall(r"(?:touch |of=)(\S+)", script):
            assert path.endswith("-$$")
            assert f"rm -f {path}" in script


def test_clients_of_ceph_may_send_what_they_hold_before_they_are_mounted_anew() -> None:
    """They were killed after 5 s, with up to 32 MiB that slow disks had not taken."""
    fresh = next(deployed(one).fresh for one in configurations() if one["file_system"] == "CephFS")
    stops = [step for step in fresh if isinstance(step, Stop)]
    assert stops
    assert all(step.seconds == 60 for step in stops)


@each
def test_the_same_is_told_twice(configuration: Configured) -> None:
    backwards = {name: configuration[name] for name in sorted(configuration, reverse=True)}
    assert told(deployed(configuration)) == told(deployed(backwards))


@each
def test_shells_accept_the_steps_as_a_script(configuration: Configured) -> None:
    deployment = deployed(configuration)
    for node in nodes(layout(configuration)):
        for steps in (deployment.steps, deployment.teardown, deployment.fresh):
            checked = subprocess.run(["sh", "-n"], input=script(steps, node), text=True, capture_output=True)
            assert checked.returncode == 0, checked.stderr


@each
def test_what_is_waited_for_means_the_same_to_python_and_to_grep(configuration: Configured) -> None:
    waited = [step.matches for step in deployed(configuration).steps if isinstance(step, Await)]
    assert waited
    assert not [matches for matches in waited if re.search(r"\(\?|\\[A-Za-z]", matches)]


@pytest.mark.parametrize("name", FILE_SYSTEMS)
def test_each_value_of_each_parameter_shows_in_what_is_read_back(name: str) -> None:
    """A knob that two values of its parameter share would find the one where the other was asked for."""
    of_it = [one for one in configurations() if one["file_system"] == name]
    pairs = 0
    for one, other in combinations(of_it, 2):
        differing = [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
        if len(differing) == 1 and differing[0] in SETTINGS and layout(one) == layout(other):
            knobs = [
                {(knob.node, knob.command, knob.matches) for knob in deployed(each).knobs if knob.name == differing[0]}
                for each in (one, other)
            ]
            assert knobs[0].isdisjoint(knobs[1]), (label(one), label(other))
            pairs += 1
    assert pairs


@pytest.mark.parametrize("name", FILE_SYSTEMS)
def test_golden_scripts(name: str) -> None:
    """A change of what is deployed shows as a change of a file."""
    configuration = next(
        one
        for one in configurations()
        if (one["file_system"], one["placement"]) == (name, "dedicated")
        and one["servers"] == (1 if name == "NFS" else 2)
    )
    deployment, made = deployed(configuration), layout(configuration, clients=1)
    deployment = deployed(configuration, made)
    parts = {"up": deployment.steps, "fresh": deployment.fresh, "down": deployment.teardown}
    text = f"# {label(configuration)}\n" + "\n".join(
        f"## {part} {node}\n{script(steps, node)}" for part, steps in parts.items() for node in nodes(made)
    )
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("ACIC_WRITE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), "make golden writes it"
    assert text == path.read_text()


@st.composite
def odd(draw: st.DrawFn) -> tuple[Configured, Layout]:
    """A configuration on any servers and clients, some of which are the same nodes."""
    configuration = draw(st.sampled_from(configurations()))
    one = configuration["file_system"] == "NFS"
    fewest = 1 if configuration["servers"] == 1 else 2
    numbers = draw(
        st.lists(st.integers(0, 200), min_size=fewest, max_size=1 if fewest == 1 or one else 12, unique=True)
    )
    letter = draw(st.sampled_from("cs"))
    mounting = draw(st.lists(st.integers(0, 200), min_size=1, max_size=12, unique=True))
    made = Layout(
        servers=tuple(server(f"{letter}{number}", number) for number in numbers),
        clients=tuple(client(f"c{number}", number) for number in mounting),
    )
    return {**configuration, "servers": len(numbers)}, made


@given(subject=odd())
def test_any_layout_will_do(subject: tuple[Configured, Layout]) -> None:
    configuration, made = subject
    deployment = deployed(configuration, made)
    keeps_to_itself(deployment, made)
    comes_and_goes(deployment, made)
    assert told(deployment) == told(deployed(configuration, made))


@pytest.mark.parametrize("name", FILE_SYSTEMS)
@pytest.mark.parametrize("missing", ["servers", "clients"])
def test_nobody_there_is_refused(name: str, missing: str) -> None:
    configuration = next(one for one in configurations() if one["file_system"] == name)
    made = layout(configuration)
    without = Layout(
        servers=() if missing == "servers" else made.servers, clients=() if missing == "clients" else made.clients
    )
    with pytest.raises(InvalidInput) as refused:
        FILE_SYSTEMS[name].deployment(without, configuration)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("NFS", {"consistency": "eventual"}),
        ("GlusterFS", {"stripe_size": 65_536}),  # less than its shards can have
        ("GlusterFS", {"stripe_size": "4M"}),
        ("GlusterFS", {"stripe_size": 4 * MIB + 1}),
        ("CephFS", {"consistency": "eventual"}),
        ("CephFS", {"stripe_size": 3 * MIB}),  # does not divide an object
        ("CephFS", {"stripe_size": 0}),
        ("CephFS", {"stripe_size": 64 * MIB}),
        ("OrangeFS", {"stripe_size": 0}),
        ("OrangeFS", {"metadata": "two"}),
    ],
)
def test_values_that_cannot_be_are_refused(name: str, values: dict[str, Any]) -> None:
    servers = 1 if name == "NFS" else 2
    configuration = {"file_system": name, "servers": servers, "placement": "dedicated", **values}
    with pytest.raises(InvalidInput) as refused:
        deployed(configuration)
    assert refused.value.hint


def test_the_registry_has_what_the_lab_can_choose() -> None:
    assert tuple(FILE_SYSTEMS) == load_platform("lab").space["file_system"].values
    for name, file_system in FILE_SYSTEMS.items():
        assert file_system.name == name
        assert file_system.programs
        assert all(re.fullmatch(r"[a-z0-9.+-]+", package) for package in file_system.packages)


@pytest.mark.parametrize("name", FILE_SYSTEMS)
def test_programs_that_are_started_are_named(name: str) -> None:
    """Else nobody is told what to install before a deployment fails."""
    named = {*FILE_SYSTEMS[name].programs, *("sh", "cat", "ls", "rm", "mkdir", "stat", "dd", "truncate", "env")}
    named |= {"findmnt", "acic-nfsmount"}  # of util-linux, and of acic
    for configuration in configurations():
        if configuration["file_system"] == name:
            deployment = deployed(configuration)
            asked = {knob.command[0] for knob in deployment.knobs}
            done = {step.command[0] for step in (*deployment.steps, *deployment.fresh) if hasattr(step, "command")}
            assert asked | done <= named


def keeps_to_itself(deployment: Deployment, made: Layout) -> None:
    own: dict[str, set[str]] = {}
    for one in made.servers:
        own.setdefault(one.node, set()).update((one.store, one.state))
    for mounting in made.clients:
        own.setdefault(mounting.node, set()).update((mounting.mount, mounting.state))
    everything: list[Step | Knob] = [
        *(*deployment.steps, *deployment.teardown, *deployment.fresh),
        *deployment.knobs,
    ]
    for step in everything:
        assert step.node in own
        for path in (*written(step), *PATH.findall(" ".join(getattr(step, "command", ())))):
            assert path in EVERYBODY or any(
                path == folder or path.startswith(f"{folder}/") for folder in own[step.node]
            ), (path, step)
    assert deployment.directory == MOUNT or deployment.directory.startswith(f"{MOUNT}/")
    given = {(node, folder) for node, folders in own.items() for folder in folders}
    for step in deployment.steps:
        if isinstance(step, Directory):
            given.add((step.node, step.path))
        if isinstance(step, File):
            assert (step.node, str(Path(step.path).parent)) in given, f"{step.path} has no folder yet"


def written(step: object) -> Iterator[str]:
    if isinstance(step, Directory | File | Mount | Unmount):
        yield step.path


def comes_and_goes(deployment: Deployment, made: Layout) -> None:
    came, went = started(deployment.steps), stopped(deployment.teardown)
    assert len(set(came)) == len(came)
    assert Counter(came) == Counter(went)
    mounts = [step for step in deployment.steps if isinstance(step, Mount)]
    assert [(step.node, step.path) for step in mounts] == [(one.node, one.mount) for one in made.clients]
    gone = [(step.node, step.path) for step in deployment.teardown if isinstance(step, Unmount)]
    assert Counter(gone) == Counter((step.node, step.path) for step in mounts)
    assert {node for node, _ in came if node in {one.node for one in made.servers}} == {s.node for s in made.servers}
    # clients go while there is somebody to say goodbye to, and servers come before somebody asks for them
    serving = {(step.node, step.name) for step in deployment.steps if isinstance(step, Serve)}
    order = [is_server(step, serving) for step in deployment.teardown]
    assert order == sorted(order)
    order = [isinstance(step, Mount) for step in deployment.steps if isinstance(step, Serve | Mount)]
    assert order == sorted(order)
    assert not any(isinstance(step, File | Directory | Serve | Mount | Execute) for step in deployment.teardown)


def is_server(step: Step, serving: set[tuple[str, str]]) -> bool:
    return isinstance(step, Stop) and (step.node, step.name) in serving


def nodes(made: Layout) -> list[str]:
    return list(dict.fromkeys([*(one.node for one in made.servers), *(one.node for one in made.clients)]))


def test_no_server_listens_where_the_kernel_lends_ports_to_others() -> None:
    """Those that connect get ports from 32768 on (ip_local_port_range in ip(7)), where a server then cannot listen."""
    assert max(gluster.PORT, nfs.PORT, nfs.MOUNT_PORT, orangefs_config.PORT) < 32768
