"""NFS as steps: nfs-ganesha serves one directory over NFSv3 and TCP, acic's own bridge (native/nfsmount) mounts it.

Neither needs the kernel's client or server, so both run in containers and namespaces. Sources: ganesha-core-config(8),
ganesha-export-config(8), ganesha-vfs-config(8) of release 4; RFC 1813.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acic.errors import InvalidInput
from acic.filesystems.deployment import Client, Deployment, Knob, Layout, Server
from acic.filesystems.hints import NO_SIEVING
from acic.space import Value
from acic.steps import Await, Directory, File, Mount, Serve, Step, Stop, Unmount
from acic.units import MIB

PORT, MOUNT_PORT = 2049, 20048  # of NFS and MOUNT; the second as the kernel's server has it
MODES: Mapping[str, str] = {"relaxed": "async", "strict": "sync"}  # consistency: option of the mount
BUILDERS = ("cc", "make", "pkg-config")  # of the bridge; needed until it is there
RPCBIND, SERVER, CLIENT = "nfs-rpcbind", "nfs-server", "nfs-client"  # names of the programs

_CONFIGURATION = """\
NFS_CORE_PARAM {{
    # What the bridge speaks, and no more: one protocol over TCP; no locks between nodes, no quotas, no UDP.
    Protocols = 3;
    Enable_UDP = false;
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Bind_addr = {address};
    # Known ports: clients ask no port mapper.
    NFS_Port = {port};
    MNT_Port = {mount_port};
    # The cache of replies protects from requests that are sent again over another connection. The bridge does that
    # whenever a TCP connection breaks: on one network that is when the server is gone, and then the cache is gone too.
    # It costs a checksum over every request.
    DRC_Disabled = true;
    # A client that computes for an hour between two phases finds its connections still there.
    RPC_Idle_Timeout_S = 3600;
    # One server on its own.
    Clustered = false;
}}

NFSV4 {{
    # Not served; but without these the server would write to the machine's /var/lib, and wait for clients of its past.
    RecoveryRoot = {state}/recovery;
    Graceless = true;
}}

EXPORT {{
    Export_Id = 1;
    Path = {store};
    Pseudo = {store};
    Protocols = 3;
    Transports = TCP;
    Access_Type = RW;
    # Clients are the same machine room: root is root, and the bridge checks permissions.
    Squash = none;
    SecType = sys;
    # The largest calls that libnfs takes: the fewest for a stream.
    MaxRead = {size};
    MaxWrite = {size};
    PrefRead = {size};
    PrefWrite = {size};
    # Nobody sets any; without, a file's attributes take one system call less.
    Disable_ACL = true;
    FSAL {{
        Name = VFS;
    }}
}}

LOG {{
    Default_Log_Level = WARN;
}}
"""
_LARGEST = MIB  # B in one call: NFS_MAX_XFER_SIZE of libnfs 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Nfs:
    """NFSv3 with one server: `consistency` relaxed mounts async, strict mounts sync.

    Args:
        program: the bridge, by name on PATH or by path.
        read_size: B that one call reads at most.
        write_size: B that one call writes at most.
        connections: of each client, that carry data; one more carries the rest.
    """

    program: str = "acic-nfsmount"
    read_size: int = _LARGEST
    write_size: int = _LARGEST
    connections: int = 4

    @property
    def name(self) -> str:
        """Its value of the parameter `file_system`."""
        return "NFS"

    @property
    def programs(self) -> tuple[str, ...]:
        """Programs that must be on PATH; the bridge is built from sources that acic carries."""
        return ("ganesha.nfsd", "rpcbind", "rpcinfo", *BUILDERS)

    @property
    def packages(self) -> tuple[str, ...]:
        """Debian packages that bring the programs, and what the bridge is built with."""
        return ("nfs-ganesha", "nfs-ganesha-vfs", "rpcbind", "gcc", "make", "pkg-config", "libnfs-dev", "libfuse3-dev")

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        """Return how the server's store is exported and mounted.

        Raises:
            InvalidInput: not one server, no client, an unknown consistency, or sizes that libnfs cannot move.
        """
        if len(layout.servers) != 1 or not layout.clients:
            raise InvalidInput(f"NFS with {len(layout.servers)} servers", hint="give one, and at least one client")
        for size in (self.read_size, self.write_size):
            if not 4096 <= size <= _LARGEST:
                raise InvalidInput(f"NFS calls of {size} B", hint="give 4 KiB to 1 MiB")
        consistency = configuration.get("consistency", "relaxed")
        if consistency not in MODES:
            raise InvalidInput(f"NFS has no consistency {consistency!r}", hint=f"use {' or '.join(MODES)}")
        (server,) = layout.servers
        mode = MODES[str(consistency)]
        return Deployment(
            steps=(*self._served(server), *self._mounted(layout, server, mode)),
            knobs=tuple(self._knobs(layout, server, mode)),
            teardown=tuple(_taken_down(layout, server)),
            directory=layout.clients[0].mount,
            hints=NO_SIEVING,
            environment={},
        )

    def _served(self, server: Server) -> Iterator[Step]:
        node, configuration = server.node, f"{server.state}/ganesha.conf"
        yield Directory(node=node, path=server.state)
        yield Directory(node=node, path=f"{server.state}/recovery")
        yield File(node=node, path=configuration, text=server_configuration(server))
        # nfs-ganesha does not start where there is no port mapper to tell its ports to
        yield Serve(node=node, name=RPCBIND, command=("rpcbind", "-f"))
        yield Await(node=node, command=("rpcinfo", "-p", "127.0.0.1"), matches="portmapper")
        pid = f"{server.state}/ganesha.pid"
        command = ("ganesha.nfsd", "-F", "-f", configuration, "-p", pid, "-L", "STDOUT", "-N", "WARN")
        yield Serve(node=node, name=SERVER, command=command)
        yield Await(node=node, command=self._exports(server), matches=_line(server.store))

    def _exports(self, server: Server) -> tuple[str, ...]:
        return (self.program, "--exports", server.address, "-o", f"mountport={MOUNT_PORT}")

    def _mounted(self, layout: Layout, server: Server, mode: str) -> Iterator[Step]:
        ports = f"port={PORT},mountport={MOUNT_PORT}"
        options = f"{mode},rsize={self.read_size},wsize={self.write_size},nconnect={self.connections},{ports}"
        for client in layout.clients:
            yield Directory(node=client.node, path=client.state)
            yield Directory(node=client.node, path=client.mount)
            command = (self.program, f"{server.address}:{server.store}", client.mount, "-o", options)
            yield Mount(node=client.node, name=CLIENT, path=client.mount, kind="fuse.acic-nfsmount", command=command)

    def _knobs(self, layout: Layout, server: Server, mode: str) -> Iterator[Knob]:
        for client in layout.clients:
            yield from self._told(client, server, mode)
        first = layout.clients[0].node  # over the network: what every client would be told
        exported = rf"\A{re.escape(server.store)}\n\Z"
        yield Knob(name="servers", node=first, command=self._exports(server), matches=exported)

    def _told(self, client: Client, server: Server, mode: str) -> Iterator[Knob]:
        connected = self.connections + (self.connections > 1)
        source = f"{_line(f'server={server.address}')}\n{_line(f'export={server.store}')}"
        sizes = f"rsize={self.read_size}\nwsize={self.write_size}\nconnections={self.connections}\nup={connected}"
        for name, matches in (("servers", source), ("consistency", _line(mode)), ("sizes", _line(sizes))):
            yield Knob(name=name, node=client.node, command=(self.program, "--tell", client.mount), matches=matches)


def server_configuration(server: Server) -> str:
    """Return nfs-ganesha's configuration file, each setting with its reason."""
    return _CONFIGURATION.format(
        address=server.address,
        port=PORT,
        mount_port=MOUNT_PORT,
        state=server.state,
        store=server.store,
        size=_LARGEST,
    )


def _taken_down(layout: Layout, server: Server) -> Iterator[Step]:
    for client in reversed(layout.clients):
        yield Unmount(node=client.node, path=client.mount)
        yield Stop(node=client.node, name=CLIENT)
    yield Stop(node=server.node, name=SERVER)
    yield Stop(node=server.node, name=RPCBIND)


def _line(text: str) -> str:
    return rf"^{re.escape(text)}$"
