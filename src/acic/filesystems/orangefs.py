"""OrangeFS (PVFS2): every server holds data, one or all hold metadata; clients mount it by its own FUSE program.

In no distribution of today: used where `pvfs2-server` is found (docs/filesystems.md says how it is built).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acic.errors import InvalidInput
from acic.filesystems.deployment import Client, Deployment, Knob, Layout, Server
from acic.filesystems.hints import NO_SIEVING
from acic.filesystems.orangefs_config import NAME, OPTIONS, STRIP, server_config, storage, url
from acic.space import Value
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount
from acic.units import GIB

_SERVER, _CLIENT = "pvfs2-server", "pvfs2fuse"
_KIND = f"fuse.{_CLIENT}"

# As released (2.10.0), pvfs2fuse answers fsync without doing anything: only one that calls PVFS_sys_flush will do.
_FSYNC = (
    f'if grep -q PVFS_sys_flush "$(command -v {_CLIENT})"; then echo passed on; '
    f"else echo ignored by {_CLIENT}: see docs/filesystems.md, or set trove_sync_data; fi"
)


@dataclass(frozen=True, slots=True)
class OrangeFs:
    """OrangeFS 2.9 or 2.10.

    Args:
        options: values of `OPTIONS` that are not to be at their defaults; a configuration's own go before them.

    Raises:
        InvalidInput: an unknown option, or one that cannot be so.
    """

    options: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.options.items():
            if name not in OPTIONS:
                raise InvalidInput(f"OrangeFS has no option {name}", hint=f"use {', '.join(sorted(OPTIONS))}")
            OPTIONS[name].text(value)

    @property
    def name(self) -> str:
        """Its value of the parameter `file_system`."""
        return "OrangeFS"

    @property
    def programs(self) -> tuple[str, ...]:
        """Programs that must be on PATH."""
        return (_SERVER, _CLIENT, "pvfs2-ping", "pvfs2-viewdist")

    @property
    def packages(self) -> tuple[str, ...]:
        """None: it has to be built."""
        return ()

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        """Return how OrangeFS is brought up on `layout`.

        Args:
            layout: who serves and who mounts.
            configuration: `stripe_size` (64 KiB if absent), `metadata` ("all" if absent), and any of `OPTIONS`.

        Raises:
            InvalidInput: a value that it cannot be given, no servers or no clients.
        """
        if not layout.servers or not layout.clients:
            raise InvalidInput("OrangeFS needs a server and a client", hint="give at least one of each")
        strip = _strip(configuration)
        metadata = _metadata(layout, configuration)
        options = {**self.options, **{name: configuration[name] for name in OPTIONS if name in configuration}}
        config = server_config(layout.servers, strip=strip, metadata=metadata, options=options)
        return Deployment(
            steps=(*_served(layout, config), *_mounted(layout)),
            knobs=tuple(_knobs(layout, strip, metadata, options)),
            teardown=tuple(_torn_down(layout)),
            directory=_directory(layout.clients[0]),
            hints=NO_SIEVING,
            environment={"PVFS2TAB_FILE": _tab(layout.clients[0])},  # for pvfs2-* tools and ROMIO's driver `pvfs2:`
        )


def _strip(configuration: Mapping[str, Value]) -> int:
    strip = configuration.get("stripe_size", STRIP)
    if isinstance(strip, bool) or not isinstance(strip, int) or not 0 < strip < 2**31:
        raise InvalidInput(f"OrangeFS cannot have strips of {strip!r} B", hint="give more than 0 and less than 2 GiB")
    return strip


def _metadata(layout: Layout, configuration: Mapping[str, Value]) -> tuple[Server, ...]:
    held = {"one": layout.servers[:1], "all": layout.servers}
    where = configuration.get("metadata", "all")
    if not isinstance(where, str) or where not in held:
        raise InvalidInput(f"metadata cannot be on {where!r} of the servers", hint="say one or all")
    return held[where]


def _served(layout: Layout, config: str) -> Iterator[Step]:
    for server in layout.servers:
        path = _config(server)
        for directory in storage(server):
            yield Directory(node=server.node, path=directory)
        yield File(node=server.node, path=path, text=config)
        yield Execute(node=server.node, command=(_SERVER, "--mkfs", "--alias", server.node, path))
    for server in layout.servers:
        command = (_SERVER, "--foreground", "--alias", server.node, _config(server))
        yield Serve(node=server.node, name=_SERVER, command=command)


def _mounted(layout: Layout) -> Iterator[Step]:
    for client in layout.clients:
        line = f"{_source(layout)} {client.mount} pvfs2 defaults 0 0\n"
        yield File(node=client.node, path=_tab(client), text=line)
    first = layout.clients[0]
    yield Await(node=first.node, command=_ping(first), matches="appears to be correctly configured")
    for client in layout.clients:
        yield Mount(
            node=client.node,
            name=_CLIENT,
            path=client.mount,
            kind=_KIND,
            # The file system is named by the table, not by `-o fs_spec`: only then the program keeps no names and
            # attributes, else for a minute, in which it shows files that others removed, and sizes of before.
            command=(_CLIENT, "-f", "-o", f"subtype={_CLIENT}", client.mount),
            environment=(("PVFS2TAB_FILE", _tab(client)),),
        )
    # the root has a folder `lost+found` from the beginning
    yield Execute(node=first.node, command=("mkdir", "-p", _directory(first)))


def _knobs(layout: Layout, strip: int, metadata: Sequence[Server], options: Mapping[str, Value]) -> Iterator[Knob]:
    first = layout.clients[0]
    shown = _distribution(first, strip)
    data = len(layout.servers)
    yield Knob(name="stripe_size", node=first.node, command=shown, matches=rf"\bstrip_size:{strip}\s")
    yield Knob(name="servers", node=first.node, command=shown, matches=rf"datafiles/servers = {data}\s")
    yield Knob(name="metadata", node=first.node, command=_ping(first), matches=_listed("meta", metadata))
    yield Knob(name="data", node=first.node, command=_ping(first), matches=_listed("data", layout.servers))
    for client in layout.clients:
        table = ("findmnt", "--noheadings", "--output", "SOURCE,FSTYPE", "--mountpoint", client.mount)
        source = rf"^{_CLIENT}#{re.escape(_source(layout))}\s+{re.escape(_KIND)}\s*$"
        yield Knob(name="mount", node=client.node, command=table, matches=source)
        if options.get("trove_sync_data", "no") == "no":
            yield Knob(name="fsync", node=client.node, command=("sh", "-c", _FSYNC), matches="^passed on")


def _listed(kind: str, servers: Sequence[Server]) -> str:
    # these servers, in order, and then an empty line; in a second list each is followed by how it is
    return rf"{kind} servers:\n" + "".join(rf"[ \t]*{re.escape(url(server))}\n" for server in servers) + r"[ \t]*\n"


def _distribution(client: Client, strip: int) -> tuple[str, ...]:
    # a file of more than one strip of any size, since one that is kept whole beside its metadata has only one data file
    path = f"{shlex.quote(client.mount)}/.acic-knob-$$"  # whoever asks at the same time has another one
    made = f"printf x | dd of={path} bs=1 seek={max(strip, GIB)} status=none"
    asked = f"{shlex.join(_asked(client, 'pvfs2-viewdist', '-f'))} {path}"
    return ("sh", "-c", f"{made} && {asked}; status=$?; rm -f {path}; exit $status")


def _torn_down(layout: Layout) -> Iterator[Step]:
    # the program first, which unmounts: one that waits for a server that is gone would let nobody unmount
    for client in layout.clients:
        yield Stop(node=client.node, name=_CLIENT, seconds=2.0)
        yield Unmount(node=client.node, path=client.mount)
    for server in layout.servers:
        yield Stop(node=server.node, name=_SERVER)


def _directory(client: Client) -> str:
    return f"{client.mount}/files"


def _ping(client: Client) -> tuple[str, ...]:
    return _asked(client, "pvfs2-ping", "-m", client.mount)


def _source(layout: Layout) -> str:
    return f"{url(layout.servers[0])}/{NAME}"


def _asked(client: Client, *command: str) -> tuple[str, ...]:
    return ("env", f"PVFS2TAB_FILE={_tab(client)}", *command)


def _tab(client: Client) -> str:
    return f"{client.state}/pvfs2tab"


def _config(server: Server) -> str:
    return f"{server.state}/orangefs.conf"
