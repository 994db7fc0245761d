"""A file system that is none: quick to deploy, for what is the lab's own affair."""

from __future__ import annotations

from collections.abc import Mapping

from acic.filesystems.deployment import Client, Deployment, FileSystem, Knob, Layout
from acic.space import Value
from acic.steps import Await, Directory, Execute, File, Serve, Step, Stop, Unmount

CONFIGURATION: Mapping[str, Value] = {
    "file_system": "Fake",
    "servers": 2,
    "placement": "dedicated",
    "device": "ephemeral",
    "raid_devices": 2,
}


class Fake:
    """Each client has a tmpfs; `consistency` "broken" is one that cannot be mounted, "lying" has a wrong knob."""

    name = "Fake"
    programs = ("sleep",)
    packages = ()

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        mode = str(configuration.get("consistency", ""))
        servers = [step for server in layout.servers for step in _served(server.node, server.store)]
        clients = [step for client in layout.clients for step in _mounted(client, mode)]
        first = layout.servers[0]
        return Deployment(
            steps=(*servers, *clients),
            knobs=(Knob(name="mode", node=first.node, command=("echo", "right"), matches=_expected(mode)),),
            teardown=(
                *(Unmount(node=client.node, path=client.mount) for client in layout.clients),
                *(Stop(node=server.node, name="served") for server in layout.servers),
            ),
            fresh=(Execute(node=first.node, command=("touch", "/acic/state/fresh")),),
            directory=layout.clients[0].mount,
            hints={},
            environment={"FROM_DEPLOYMENT": "yes"},
        )


def _expected(mode: str) -> str:
    return "^wrong$" if mode == "lying" else "^right$"


def _served(node: str, store: str) -> list[Step]:
    return [
        Directory(node=node, path=f"{store}/data"),
        File(node=node, path="/acic/state/served.conf", text="x = 1\n", mode=0o600),
        Serve(node=node, name="served", command=("sleep", "1000")),
        Await(node=node, command=("cat", "/acic/state/served.conf"), matches="^x = 1$"),
    ]


def _mounted(client: Client, mode: str) -> list[Step]:
    kind = "no-such-type" if mode == "broken" else "tmpfs"
    return [Execute(node=client.node, command=("mount", "-t", kind, "fake", client.mount))]


FILE_SYSTEMS: Mapping[str, FileSystem] = {"Fake": Fake()}
