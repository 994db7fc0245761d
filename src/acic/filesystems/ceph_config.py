"""What CephFS is told in files: its configuration, and a few lines of Python that ask one of its daemons something.

Source: docs.ceph.com, configuration references of release 16 (mon, osd, bluestore, mds, client).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acic.filesystems.deployment import Layout
from acic.units import MIB

FSID = "acc00000-16f5-4000-8000-000000000016"  # any: deployments never meet, and the same one is told the same twice
OBJECT = 4 * MIB  # B; Ceph's own object size

# B of a store that are not written to. A server tells at its next heartbeat that it is full; one whose store has no
# room at all before that aborts, and its clients wait for ever in place of being told ENOSPC.
_RESERVE = 256 * MIB
_FULLEST, _EMPTIEST = 0.95, 0.7  # shares of a store that count as full: Ceph's own, and for the smallest disks

ASK = '''\
"""Ask a Ceph daemon: ask.py SOCKET WORD... prints its answer. `ceph daemon` does the same and takes 0.3 s to start."""
import json, socket, struct, sys

words = sys.argv[2:]
command = {"prefix": " ".join(words)} if words[:2] != ["config", "get"] else {"prefix": "config get", "var": words[2]}
with socket.socket(socket.AF_UNIX) as daemon:
    daemon.settimeout(20)
    daemon.connect(sys.argv[1])
    daemon.sendall(json.dumps(command).encode() + b"\\0")
    with daemon.makefile("rb") as answer:
        length = struct.unpack(">I", answer.read(4))[0]
        print(answer.read(length).decode())
'''


def commands(servers: int) -> str:
    """Return what the monitor is told once: pools, with placement groups enough to use `servers` evenly."""
    data = 16 if servers == 1 else 32 * servers
    lines = (
        "osd pool create metadata 8 8",
        f"osd pool create data {data} {data}",
        "fs new acic metadata data",
    )
    return "\n".join([*lines, ""])


def configuration(layout: Layout, state: str, *, lazy: bool) -> str:
    """Return ceph.conf, the same for servers and clients.

    Args:
        layout: who serves and who mounts.
        state: the folder for what does not have to last, on the node that reads it.
        lazy: whether clients work without asking the metadata server who else has a file open.
    """
    smallest = min(server.capacity for server in layout.servers)
    store = smallest * 7 // 8 // MIB * MIB  # the rest is for the file system that it is on
    sections = {
        "global": _everybody(layout, state),
        "mon": _mon(state, store),
        "osd": _osd(store),
        "mds": _mds(state),
        "client": _client(lazy=lazy),
    }
    return "\n".join(_section(name, values) for name, values in sections.items())


def _section(name: str, values: Mapping[str, str]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {value}" for key, value in values.items()), ""])


def _everybody(layout: Layout, state: str) -> dict[str, str]:
    address = layout.servers[0].address
    return {
        "fsid": FSID,
        "mon_host": f"[v2:{address}:3300,v1:{address}:6789]",
        **{f"auth_{whom}_required": "none" for whom in ("cluster", "service", "client")},
        "admin_socket": f"{state}/$name.asok",
        "run_dir": state,
        "crash_dir": f"{state}/crash",
        "pid_file": "",
        "log_file": "",
        "log_to_file": "false",
        "log_to_stderr": "true",
        "err_to_stderr": "true",
        "mon_cluster_log_to_file": "false",
        **_quiet(("mon", "osd", "bluestore", "bluefs", "bdev", "rocksdb", "mds", "paxos", "monc", "ms", "asok")),
        "ms_bind_ipv6": "false",
        "ms_async_op_threads": "2",
        "osd_pool_default_size": "1",
        "osd_pool_default_min_size": "1",
        "osd_pool_default_pg_autoscale_mode": "off",
        "osd_crush_chooseleaf_type": "0",
    }


def _quiet(parts: Sequence[str]) -> dict[str, str]:
    return {f"debug_{part}": "0/0" for part in parts}


def _mon(state: str, store: int) -> dict[str, str]:
    full = max(_EMPTIEST, min(_FULLEST, 1 - _RESERVE / store))
    return {
        "mon_data": f"{state}/mon",
        "mon_allow_pool_size_one": "true",
        "mon_osd_nearfull_ratio": f"{full - 0.02:.3f}",  # in this order, or the monitor complains
        "mon_osd_backfillfull_ratio": f"{full - 0.01:.3f}",
        "mon_osd_full_ratio": f"{full:.3f}",
        "mon_tick_interval": "1",  # a metadata server that came is used at the next tick
        "paxos_propose_interval": "0.05",
        "paxos_min_wait": "0.01",
        "mds_beacon_grace": "60",  # an answer may wait for a busy processor
    }


def _mds(state: str) -> dict[str, str]:
    return {
        "mds_data": f"{state}/mds",
        "mds_cache_memory_limit": str(64 * MIB),
        "mds_beacon_interval": "0.5",
        # A file that one client made and another asks for is locked until the journal is flushed. Release 16 flushes
        # when others ask for something, as on a system in use they do, or else at its tick, by default after 5 s;
        # later releases flush at once (github.com/ceph/ceph/pull/41849). Four clients alone would wait for 20 ticks.
        "mds_tick_interval": "0.1",
    }


def _osd(store: int) -> dict[str, str]:
    return {
        "osd_objectstore": "bluestore",
        "bluestore_block_size": str(store),
        "osd_heartbeat_interval": "1",  # s, about: see _RESERVE
        "bluestore_fsck_on_mkfs": "false",
        # Memory for metadata, and little for data: what is to be read comes from the disk, as on a server whose data is
        # larger than its memory. The automatic size starts at 896 MiB, more than such a node has.
        "bluestore_cache_autotune": "false",
        "bluestore_cache_size": str(64 * MIB),
        "bdev_aio_poll_ms": "10",  # that it takes to stop; 250 by default, several times in a row when a store is made
        "osd_crush_update_on_start": "false",
        "osd_class_update_on_start": "false",
        "osd_heartbeat_grace": "60",
        "osd_mon_shutdown_timeout": "1",  # that a server which stops waits for a monitor that is gone
    }


def _client(*, lazy: bool) -> dict[str, str]:
    return {
        "client_force_lazyio": str(lazy).lower(),
        "client_oc_size": str(64 * MIB),
        "client_oc_max_dirty": str(32 * MIB),
        "client_mount_timeout": "20",
    }
