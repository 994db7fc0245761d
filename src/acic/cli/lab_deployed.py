"""What a run in the lab is made on: the configuration that is asked for, deployed unless it is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acic.cli.lab_shown import told
from acic.cli.output import say
from acic.errors import with_sudo
from acic.units import format_bytes, parse_bytes

if TYPE_CHECKING:
    from acic.lab import Lab, Site
    from acic.space import Value

PLATFORM = "platform"  # the note that says by which facts the lab was made


def wanted_of(opened: Lab, asked: dict[str, Any]) -> dict[str, Value]:
    """Return the configuration that is asked for; where nothing is, what is deployed, or was when it failed."""
    from acic.lab.choice import choose
    from acic.platforms import load_platform

    if not asked and opened.last is not None:
        return dict(opened.last)
    platform = load_platform(opened.room.recall(PLATFORM) or "lab")
    if isinstance(asked.get("stripe_size"), str):
        asked["stripe_size"] = parse_bytes(asked["stripe_size"])
    return choose(platform.space, {**platform.baseline, "instance_type": opened.nic}, asked)


def deployed(opened: Lab, wanted: dict[str, Value]) -> Site:
    """Return what is deployed if that is what is wanted, and as it should be; else deploy it."""
    present = opened.site
    broken: list[str] = []
    if present is not None and wanted == dict(present.configuration):
        broken = opened.audit(knobs=False)
        if not broken:
            return present
        say(f"what is deployed is not what it should be: {'; '.join(broken)}")
    say(f"deploying {told(wanted)}")
    made = opened.deploy(wanted)
    _tell_of_space(opened, made)
    if broken and (left := opened.room.audit()):
        say(f"the lab is not what it should be, so that figures mean little: {'; '.join(left)}")
        say(f"a new one is: {with_sudo('lab', 'down')}, then {with_sudo('lab', 'up')}")
    return made


def _tell_of_space(opened: Lab, site: Site) -> None:
    """Say if the disks of servers can hold more than this machine has for the files behind them."""
    from acic.cluster.lab.disks import free

    folder = opened.room.names.images
    most, there = sum(devices.capacity for devices in site.devices.values()), free(folder)
    if most > there:
        say(f"write less than {format_bytes(there)}: no more is free in {folder} for disks of {format_bytes(most)}")
