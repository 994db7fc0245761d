"""Whether what is deployed is what was asked for: every knob as the running system tells it, and every mount."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from acic.cluster.lab import MOUNT, Node, Room
from acic.errors import TransientError
from acic.filesystems.deployment import Knob
from acic.lab.site import Site

_SECONDS = 20.0  # for an answer


def troubles(room: Room, site: Site, *, knobs: bool = True) -> list[str]:
    """Return what is not as it should be of a file system that is deployed; empty if nothing is.

    Args:
        room: where it is deployed.
        site: what is deployed.
        knobs: ask for each of its settings too, and not only look at the mounts.
    """
    # one after the other: some knobs make a file, the same one on all nodes
    settings = (asked(room, knob) for knob in (site.deployment.knobs if knobs else ()))
    mounts = (_mounted(room, site, node) for node in site.mounts)
    return [trouble for trouble in (*settings, *mounts) if trouble]


def asked(room: Room, knob: Knob) -> str:
    """Return what is wrong with a knob; "" if the running system says what it should."""
    try:
        done = _run(room, knob.node, knob.command)
    except TransientError as error:
        return f"{knob.name} on {knob.node}: {error.problem}"
    if done.returncode != 0:
        told = done.stderr.strip() or done.stdout.strip()
        return f"{knob.name} on {knob.node}: exit status {done.returncode}: {told}"
    if not re.search(knob.matches, done.stdout, re.MULTILINE):
        return f"{knob.name} on {knob.node} is {done.stdout.strip()!r}, not {knob.matches!r}"
    return ""


def mount_of(node: Node) -> tuple[str, str]:
    """Return type and source of what the node has mounted for applications; empty if there is nothing."""
    found = [(kind, source) for path, kind, source in node.mounts() if path == MOUNT]
    return found[-1] if found else ("", "")


def _mounted(room: Room, site: Site, name: str) -> str:
    """Tell if what a node writes would not get to the file system: the mount is dead, another one, or elsewhere."""
    expected, found = site.mounts[name], mount_of(room.nodes[name])
    if not expected[0]:
        return f"{name} has nothing mounted"
    if found != expected:
        return f"{name} has {found} mounted, not {expected}"
    directory = site.deployment.directory
    try:
        done = _run(room, name, ["stat", "-c", "%m", directory])
    except TransientError as error:
        return f"{directory} on {name}: {error.problem}"
    if done.returncode != 0:
        return f"{directory} on {name}: {done.stderr.strip()}"
    above = done.stdout.strip()
    return "" if above == MOUNT else f"{directory} on {name} is below {above}, not {MOUNT}"


def _run(room: Room, node: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return room.run(node, command, seconds=_SECONDS)
