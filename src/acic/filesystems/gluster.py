"""GlusterFS as steps: bricks and clients from volume files of our own, without its management daemon.

What a volume file holds follows what glusterd writes for a distributed volume of release 10, less what serves
replication, quota and the daemon itself. Sources: glusterfs(8); docs.gluster.org, Translators, Sharding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from acic.errors import InvalidInput
from acic.filesystems.deployment import Client, Deployment, Knob, Layout, Server
from acic.filesystems.hints import NO_SIEVING
from acic.space import Value
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount
from acic.units import MIB

PORT = 24009  # of every brick, each on a node of its own; the usual 49152 may be lent to another connection
WHOLE = 1 << 40  # a stripe size that no file reaches: files are kept whole
SHARDS = (4 * MIB, 1 << 42)  # B, least and most that the translator takes; docs.gluster.org, Sharding
PING = 42  # s without an answer after which a brick is given up; the default of gluster-volume(8)
BRICK, CLIENT = "gluster-brick", "gluster-client"  # names of the two programs


@dataclass(frozen=True, slots=True, kw_only=True)
class Translator:
    """One `volume` of a volume file: a translator, its options and those it works on."""

    name: str
    kind: str
    options: Mapping[str, str] = field(default_factory=dict)
    below: tuple[str, ...] = ()

    def text(self) -> str:
        """Return it as a volume file has it."""
        lines = [f"volume {self.name}", f"    type {self.kind}"]
        lines += [f"    option {name} {value}" for name, value in self.options.items()]
        lines += [f"    subvolumes {' '.join(self.below)}"] if self.below else []
        return "\n".join([*lines, "end-volume", ""])


@dataclass(frozen=True, slots=True)
class Gluster:
    """GlusterFS 10: `stripe_size` is that of its shards; files are whole with one server or at 1 TiB."""

    name: str = "GlusterFS"
    programs: tuple[str, ...] = ("glusterfsd", "glusterfs", "getfattr", "ss")
    packages: tuple[str, ...] = ("glusterfs-server", "glusterfs-client", "attr", "iproute2")

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        """Return how bricks are served and mounted.

        Raises:
            InvalidInput: no server, no client, or a shard that the translator does not take.
        """
        if not layout.servers or not layout.clients:
            raise InvalidInput("GlusterFS without a server or a client", hint="give at least one of each")
        shard = _shard(configuration, len(layout.servers))
        return Deployment(
            steps=(*_served(layout), *_mounted(layout, shard)),
            knobs=tuple(_knobs(layout, shard)),
            teardown=tuple(_taken_down(layout)),
            directory=layout.clients[0].mount,
            hints=NO_SIEVING,
            environment={},
        )


def brick(server: Server) -> str:
    """Return the directory that a server's files are in."""
    return str(PurePosixPath(server.store) / "brick")


def server_volume(server: Server) -> str:
    """Return the volume file of one brick."""
    posix = {"directory": brick(server), "health-check-interval": "0"}  # the check writes to the disk that is measured
    serving = {
        "transport-type": "tcp",
        "transport.address-family": "inet",
        "transport.socket.bind-address": server.address,
        "transport.socket.listen-port": str(PORT),
        "auth.addr.brick.allow": "*",
    }
    return _text(
        (
            Translator(name="posix", kind="storage/posix", options=posix),
            Translator(name="locks", kind="features/locks", below=("posix",)),
            Translator(name="threads", kind="performance/io-threads", options={"thread-count": "16"}, below=("locks",)),
            Translator(name="brick", kind="debug/io-stats", below=("threads",)),
            Translator(name="server", kind="protocol/server", options=serving, below=("brick",)),
        )
    )


def client_volume(servers: Iterable[Server], shard: int) -> str:
    """Return the volume file of a client.

    Args:
        servers: of the bricks, in order.
        shard: B; 0 for whole files.
    """
    bricks = tuple(
        Translator(
            name=f"brick-{number:02}",
            kind="protocol/client",
            options={
                "transport-type": "tcp",
                "transport.address-family": "inet",
                "remote-host": server.address,
                "remote-port": str(PORT),
                "remote-subvolume": "brick",
                "ping-timeout": str(PING),
            },
        )
        for number, server in enumerate(servers)
    )
    names = tuple(each.name for each in bricks)
    return _text((*bricks, *_stacked(names, shard)))


def _stacked(bricks: tuple[str, ...], shard: int) -> Iterator[Translator]:
    yield Translator(name="distribute", kind="cluster/distribute", below=bricks)
    top = "distribute"
    if shard:
        yield Translator(name="shard", kind="features/shard", options={"shard-block-size": str(shard)}, below=(top,))
        top = "shard"
    for name, kind, options in (
        # A file that was closed is whole for the next one who opens it, wherever. So no flush behind the back of close;
        # no md-cache and no quick-read, which answer for a second with what a file was before another node wrote it.
        ("write-behind", "performance/write-behind", {"flush-behind": "off"}),
        ("read-ahead", "performance/read-ahead", {}),
        ("open-behind", "performance/open-behind", {}),
        # No io-threads: on few cores, four clients read from four servers a third slower with them (212, 131 MiB/s).
        ("acic", "debug/io-stats", {}),
    ):
        yield Translator(name=name, kind=kind, options=options, below=(top,))
        top = name


def _text(translators: Iterable[Translator]) -> str:
    return "\n".join(each.text() for each in translators)


def _shard(configuration: Mapping[str, Value], servers: int) -> int:
    size = configuration.get("stripe_size")
    if servers == 1 or size is None or size == WHOLE:
        return 0
    if not isinstance(size, int) or not SHARDS[0] <= size <= SHARDS[1] or size % 512:
        raise InvalidInput(f"GlusterFS cannot shard files by {size!r}", hint="give 4 MiB or more, or 1 TiB for none")
    return size


def _served(layout: Layout) -> Iterator[Step]:
    for server in layout.servers:
        volume = f"{server.state}/brick.vol"
        yield Directory(node=server.node, path=brick(server))
        yield Directory(node=server.node, path=server.state)
        yield File(node=server.node, path=volume, text=server_volume(server))
        command = ("glusterfsd", "--no-daemon", "--log-file=-", "--log-level=WARNING", f"--volfile={volume}")
        yield Serve(node=server.node, name=BRICK, command=command)
    for server in layout.servers:
        listening = ("ss", "-Hltn", f"sport = :{PORT}")
        yield Await(node=server.node, command=listening, matches=f"{_exactly(server.address)}:{PORT}")


def _mounted(layout: Layout, shard: int) -> Iterator[Step]:
    volume = client_volume(layout.servers, shard)
    for number, client in enumerate(layout.clients):
        path = f"{client.state}/client.vol"
        yield Directory(node=client.node, path=client.state)
        yield Directory(node=client.node, path=client.mount)
        yield File(node=client.node, path=path, text=volume)
        # Attributes that the kernel does not keep: what another node wrote and closed is seen by the next open.
        options = ("--no-daemon", "--log-file=-", "--log-level=WARNING", "--attribute-timeout=0")
        command = ("glusterfs", *options, f"--volfile={path}", client.mount)
        yield Mount(node=client.node, name=CLIENT, path=client.mount, kind="fuse.glusterfs", command=command)
        if number == 0:
            yield from _settled(client, shard)


def _settled(client: Client, shard: int) -> Iterator[Step]:
    """Let the first client lay out the directories that all use, before the others do so at the same time."""
    probe = f"{client.mount}/.settled"
    yield Await(node=client.node, command=("stat", "--file-system", client.mount))
    yield Execute(node=client.node, command=("mkdir", "-p", probe))
    if shard:
        yield Execute(node=client.node, command=("truncate", f"--size={shard + 1}", f"{probe}/sharded"))
        write = ("dd", "if=/dev/zero", f"of={probe}/sharded", "bs=1", f"seek={shard}", "count=1", "conv=notrunc")
        yield Execute(node=client.node, command=write)
    yield Execute(node=client.node, command=("rm", "-rf", probe))


def _knobs(layout: Layout, shard: int) -> Iterator[Knob]:
    hosts = "".join(rf"\n{_exactly(server.address)}" for server in layout.servers)
    for client in layout.clients:
        graph = f"{client.mount}/.meta/graphs/active"
        node = client.node
        if shard:
            block = ("cat", f"{graph}/shard/options/shard-block-size")
            yield Knob(name="stripe_size", node=node, command=block, matches=rf"\A{shard}\s*\Z")
        else:
            absent = r"\A(?!(.*\n)*shard\n)(.*\n)*write-behind\n"
            yield Knob(name="stripe_size", node=node, command=("ls", graph), matches=absent)
        remote = (
            "sh",
            "-c",
            f"echo; cat {graph}/brick-*/options/remote-host; grep -h ^connected {graph}/brick-*/private",
        )
        connected = r"\nconnected = 1" * len(layout.servers)
        yield Knob(name="servers", node=node, command=remote, matches=rf"\A{hosts}\n*{connected}\s*\Z")
    first = layout.clients[0]
    where = ("getfattr", "--absolute-names", "--only-values", "--name=trusted.glusterfs.pathinfo", first.mount)
    found = "".join(rf"[^\n]*<POSIX\({_exactly(brick(server))}\)" for server in layout.servers)
    yield Knob(name="servers", node=first.node, command=where, matches=rf"\A{found}(?!.*POSIX)")


def _taken_down(layout: Layout) -> Iterator[Step]:
    for client in reversed(layout.clients):
        yield Unmount(node=client.node, path=client.mount)
        yield Stop(node=client.node, name=CLIENT)
    for server in reversed(layout.servers):
        yield Stop(node=server.node, name=BRICK)


def _exactly(text: str) -> str:
    return text.replace(".", r"\.")
