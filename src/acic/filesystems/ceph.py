"""CephFS as steps: a monitor, a metadata server and one object store per server, without manager and keys.

Source: docs.ceph.com, Manual deployment, File layouts, and LazyIO, release 16.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acic.errors import InvalidInput
from acic.filesystems.ceph_config import ASK, OBJECT, commands, configuration
from acic.filesystems.deployment import Client, Deployment, Knob, Layout, Server
from acic.filesystems.hints import NO_SIEVING
from acic.space import Value
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount
from acic.units import KIB

MON, OSD, MDS, CLIENT = "ceph-mon", "ceph-osd", "ceph-mds", "ceph-fuse"  # names of the programs
_SENDING = 60.0  # s for a client to send what it holds: up to 32 MiB, to disks that may be slow
_ACTIVE = '"state": "active"'  # of an object store: the monitor's map has it


@dataclass(frozen=True, slots=True)
class Ceph:
    """CephFS 16: `stripe_size` is its stripe unit, over all servers; relaxed `consistency` is lazy I/O for every file.

    The monitor and the one active metadata server are on the first server.
    """

    name: str = "CephFS"
    programs: tuple[str, ...] = (
        *("ceph", "ceph-mon", "ceph-osd", "ceph-mds", "ceph-fuse", "osdmaptool"),
        *("getfattr", "setfattr", "python3"),
    )
    packages: tuple[str, ...] = ("ceph-mon", "ceph-osd", "ceph-mds", "ceph-fuse", "ceph-common", "attr")

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        """Return how daemons are started and mounted.

        Raises:
            InvalidInput: no server, no client, a stripe unit that Ceph does not take, an unknown consistency.
        """
        if not layout.servers or not layout.clients:
            raise InvalidInput("CephFS without a server or a client", hint="give at least one of each")
        unit, lazy = _unit(configuration, len(layout.servers)), _lazy(configuration)
        return Deployment(
            steps=(
                *_prepared(layout, lazy=lazy),
                *_served(layout),
                *(step for client in layout.clients for step in _mounted(client)),
                *_laid_out(layout, unit),
            ),
            knobs=tuple(_knobs(layout, unit, lazy=lazy)),
            teardown=tuple(_taken_down(layout)),
            fresh=tuple(_fresh(layout)),
            directory=layout.clients[0].mount,
            hints=NO_SIEVING,
            environment={},
            holds_back=True,
        )


def _unit(configuration: Mapping[str, Value], servers: int) -> int:
    unit = configuration.get("stripe_size", OBJECT) if servers > 1 else OBJECT
    if not isinstance(unit, int) or unit < 64 * KIB or OBJECT % unit:
        hint = "give 64 KiB, or a power of two up to 4 MiB"
        raise InvalidInput(f"a stripe unit of {unit!r} does not divide CephFS's objects", hint=hint)
    return unit


def _lazy(configuration: Mapping[str, Value]) -> bool:
    consistency = configuration.get("consistency", "strict")
    if consistency not in ("relaxed", "strict"):
        raise InvalidInput(f"CephFS knows no consistency {consistency!r}", hint="give relaxed or strict")
    return consistency == "relaxed"


def _prepared(layout: Layout, *, lazy: bool) -> Iterator[Step]:
    states = {one.node: one.state for one in layout.clients} | {one.node: one.state for one in layout.servers}
    for node, state in states.items():
        yield Directory(node=node, path=state)
        yield File(node=node, path=_conf(state), text=configuration(layout, state, lazy=lazy))
        yield File(node=node, path=f"{state}/ask.py", text=ASK)
    for number, server in enumerate(layout.servers):
        yield Directory(node=server.node, path=_store(server))
        # Where the disk is a btrfs, blocks are to be written in place, as on a bare disk; elsewhere they are anyway.
        in_place = f"chattr +C {shlex.quote(_store(server))} 2>/dev/null || true"
        yield Execute(node=server.node, command=("sh", "-c", in_place))
        # Stores are made at the same time on all servers, each by what serves it then.
        daemon = shlex.join(_daemon("ceph-osd", str(number), server, "--osd-data", _store(server)))
        # -f: else the one that makes it would be of a session of its own, and outlive who is asked to end
        make = f"{daemon} -f --mkfs --no-mon-config & wait $! && exec {daemon} -f"
        yield Serve(node=server.node, name=OSD, command=("sh", "-c", f"trap 'kill $!; exit 1' TERM INT; {make}"))


def _served(layout: Layout) -> Iterator[Step]:
    first = layout.servers[0]
    node, state = first.node, first.state
    teller = layout.clients[-1]  # where nothing else is to be started now
    told, osds = f"{teller.state}/commands", f"{state}/osdmap"
    yield Execute(node=node, command=("rm", "-rf", f"{state}/mon", f"{state}/mds"))
    yield Directory(node=node, path=f"{state}/mon")
    yield Directory(node=node, path=f"{state}/mds")
    create = ("osdmaptool", "-c", _conf(state), "--clobber", "--createsimple", str(len(layout.servers)), osds)
    yield Execute(node=node, command=create)
    yield Execute(node=node, command=(*_daemon("ceph-mon", "a", first), "--mkfs", "--osdmap", osds))
    yield Serve(node=node, name=MON, command=(*_daemon("ceph-mon", "a", first), "-f"))
    # Before there are pools: a placement group that moves to a server which came later waits until what the former one
    # promised has run out (48 s), and now and then for ever.
    for number, server in enumerate(layout.servers):
        status = _ask(server.state, f"osd.{number}", "status")
        yield Await(node=server.node, command=status, matches=_ACTIVE, seconds=60)
    yield File(node=teller.node, path=told, text=commands(len(layout.servers)))
    ceph = shlex.join(("ceph", "-c", _conf(teller.state), "--connect-timeout", "20"))
    tell = f"{ceph} <{shlex.quote(told)} 2>&1 | tee /dev/stderr | grep -q '^new fs'"
    yield Execute(node=teller.node, command=("sh", "-c", tell))
    yield Serve(node=node, name=MDS, command=(*_daemon("ceph-mds", "a", first), "-f"))
    yield Await(node=node, command=_ask(state, "mds.a", "status"), matches='"state": "up:active"', seconds=60)


def _mounted(client: Client) -> Iterator[Step]:
    command = ("ceph-fuse", "-f", "-c", _conf(client.state), "-n", f"client.{client.node}", client.mount)
    yield Directory(node=client.node, path=client.mount)
    yield Mount(node=client.node, name=CLIENT, path=client.mount, kind="fuse.ceph-fuse", command=command)


def _laid_out(layout: Layout, unit: int) -> Iterator[Step]:
    first = layout.clients[0]
    words = f"stripe_unit={unit} stripe_count={len(layout.servers)} object_size={OBJECT}"
    command = ("setfattr", "-n", "ceph.dir.layout", "-v", words, first.mount)
    yield Execute(node=first.node, command=command, seconds=60)


def _knobs(layout: Layout, unit: int, *, lazy: bool) -> Iterator[Knob]:
    for client in layout.clients:
        name = f"client.{client.node}"
        asked = _ask(client.state, name, "config", "get", "client_force_lazyio")
        yield Knob(name="consistency", node=client.node, command=asked, matches=f'"{str(lazy).lower()}"')
        probe = f"{client.mount}/.knob-{client.node}-$$"  # whoever asks at the same time has another one
        told = f"touch {probe} && getfattr --absolute-names --only-values -n ceph.file.layout {probe}; rm -f {probe}"
        ask, count = ("sh", "-c", told), len(layout.servers)
        size = rf"stripe_unit={unit} .*object_size={OBJECT}\b"
        yield Knob(name="stripe_size", node=client.node, command=ask, matches=size)
        yield Knob(name="servers", node=client.node, command=ask, matches=rf"stripe_count={count}\b")
    for number, server in enumerate(layout.servers):
        serving = rf'"whoami": {number},(.*\n)*.*{_ACTIVE}'
        asked = _ask(server.state, f"osd.{number}", "status")
        yield Knob(name="servers", node=server.node, command=asked, matches=serving)
    first = layout.servers[0]
    status = _ask(first.state, "mds.a", "status")
    yield Knob(name="metadata", node=first.node, command=status, matches='"state": "up:active"')


def _fresh(layout: Layout) -> Iterator[Step]:
    """Forget what clients and servers keep: a client forgets when it is mounted anew."""
    for client in layout.clients:
        yield Unmount(node=client.node, path=client.mount)
        yield Stop(node=client.node, name=CLIENT, seconds=_SENDING)
    for number, server in enumerate(layout.servers):
        yield Execute(node=server.node, command=_ask(server.state, f"osd.{number}", "cache", "drop"))
    for client in layout.clients:
        yield from _mounted(client)


def _taken_down(layout: Layout) -> Iterator[Step]:
    for client in reversed(layout.clients):
        yield Unmount(node=client.node, path=client.mount)
        yield Stop(node=client.node, name=CLIENT)
    for server in reversed(layout.servers):  # while the monitor is there, which they tell
        yield Stop(node=server.node, name=OSD)
    first = layout.servers[0]
    yield Stop(node=first.node, name=MON)
    yield Stop(node=first.node, name=MDS, seconds=0.1)  # it would wait 5 s; all it has is in the stores


def _daemon(program: str, name: str, server: Server, *more: str) -> tuple[str, ...]:
    return (program, "-i", name, "-c", _conf(server.state), "--public-addr", server.address, *more)


def _ask(state: str, daemon: str, *words: str) -> tuple[str, ...]:
    return ("python3", "-IS", f"{state}/ask.py", f"{state}/{daemon}.asok", *words)


def _conf(state: str) -> str:
    return f"{state}/ceph.conf"


def _store(server: Server) -> str:
    return f"{server.store}/osd"
