"""What the contract of file systems is held against: every valid way to deploy one on the lab."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from acic.filesystems.deployment import Client, Deployment, Layout, Server
from acic.filesystems.registry import FILE_SYSTEMS
from acic.platforms import load_platform
from acic.space import Value
from acic.steps import Mount, Serve, Step, Stop
from acic.units import GIB, format_bytes

Configured = Mapping[str, Value]

SETTINGS = ("servers", "stripe_size", "consistency", "metadata")  # parameters that a file system is given
SYSTEM = ("file_system", "placement", *SETTINGS)
MOUNT = "/mnt/shared"


@cache
def configurations() -> tuple[Configured, ...]:
    """Every valid configuration of the lab's space, as far as file systems are concerned."""
    found = {}
    for each in load_platform("lab").space.configurations():
        configuration = {name: each[name] for name in SYSTEM if name in each}
        found[label(configuration)] = configuration
    return tuple(found.values())


def label(configuration: Configured) -> str:
    words = [str(configuration[name]) for name in ("file_system", "servers", "placement", "consistency", "metadata")
             if name in configuration]  # fmt: skip
    size = configuration.get("stripe_size")
    return "-".join([*words, format_bytes(size).replace(" ", "")] if isinstance(size, int) else words)


def layout(configuration: Configured, *, clients: int = 4) -> Layout:
    """Folders that are other ones on each node: a path of another node's is a mistake that shows."""
    count = configuration["servers"]
    assert isinstance(count, int)
    letter = "c" if configuration["placement"] == "part-time" else "s"
    return Layout(
        servers=tuple(server(f"{letter}{number}", number) for number in range(count)),
        clients=tuple(client(f"c{number}", number) for number in range(clients)),
    )


def server(node: str, number: int) -> Server:
    subnet = 1 if node.startswith("c") else 2
    return Server(
        node=node,
        address=f"10.9.{subnet}.{number + 1}",
        store=f"/disks/{node}",
        state=f"/run/state-{node}",
        capacity=4 * GIB,
    )


def client(node: str, number: int) -> Client:
    return Client(node=node, address=f"10.9.1.{number + 1}", mount=MOUNT, state=f"/run/state-{node}")


def deployed(configuration: Configured, made: Layout | None = None) -> Deployment:
    name = str(configuration["file_system"])
    return FILE_SYSTEMS[name].deployment(made or layout(configuration), configuration)


def started(steps: tuple[Step, ...]) -> list[tuple[str, str]]:
    return [(step.node, step.name) for step in steps if isinstance(step, Serve | Mount)]


def stopped(steps: tuple[Step, ...]) -> list[tuple[str, str]]:
    return [(step.node, step.name) for step in steps if isinstance(step, Stop)]


def told(deployment: Deployment) -> str:
    """All of it as text, so that two can be compared."""
    parts = (deployment.steps, deployment.knobs, deployment.teardown, deployment.fresh, deployment.directory)
    settings = json.dumps([dict(deployment.hints), dict(deployment.environment)], sort_keys=True)
    return "\n".join([*map(repr, parts), settings])
