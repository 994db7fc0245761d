"""How file systems work, in the few numbers that a roofline needs; and what a step of software costs.

They follow from the design of the software, or are the usual order of magnitude of such a step on servers of today,
rounded to 1, 2 or 5. Prices of a call and a byte were corrected four times, by a step or two of that scale, from
training runs on one lab: GlusterFS's, CephFS's and OrangeFS's of a server and of a client, what reading costs CephFS
and NFS, what a write costs CephFS's client and a byte on its own node, then what OrangeFS is asked before data move.
What CephFS asks of disks was counted there (docs/prior.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from acic.units import KIB, MIB

ROUND_TRIP = 1e-4  # s: two small messages over Ethernet and TCP, and the daemons at both ends that wake up
CROSSING = 2e-5  # s of processor: one call through FUSE, two switches and a copy (Vangoor et al., FAST 2017)
DISK_REQUEST = 512 * KIB  # B: what reading ahead and a disk's queue make of neighbouring pieces of a stream
OVERREAD = 512 * KIB  # B: what is under way for a process, read ahead, when its part of a shared file ends
SAVED = 0.1  # s of a disk's rate that a pause saves up: a slice of Linux's blk-throttle (docs/prior.md)
PAGE = 4 * KIB  # B: the least that a file system has of a file in one place
RAID_CHUNK = 64 * KIB  # B on one disk before the next one's turn: btrfs's, and that of many RAID-0
AGGREGATION = 16 * MIB  # B: cb_buffer_size of ROMIO, what one aggregator writes or reads at once
BUFFERED = 4 * KIB  # B: what the C library reads and writes at a time, where a file system says so (st_blksize)
EXCHANGED = 5e-9  # s of processor, of both ends together, for one B that two-phase I/O exchanges: four copies
ON_NODE = 0.5  # of a byte's price, where it stays on its node: no packets are made of it
BESIDE = 5e-3  # s: what each other process of a node that computes holds up one that comes back to I/O
COLLECTIVE_STEPS = 4  # of two-phase I/O: exchange of offsets, of counts, of data, and an agreement at the end
OPENING_STEPS = 50  # of opening a file together by MPI-IO and closing it: timed (studies/files.py --acts joined)
WHOLE = 1 << 40  # B: files are cut to no pieces as large
FUSE_REQUEST = 128 * KIB  # B: FUSE's largest, where no client's cache joins them


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One file system.

    Args:
        call: the most that one message to a server moves, B.
        trips: round trips of a read or write that somebody waits for; all but the last are to the file's first server.
        opening: round trips to open a file that is there, and to close it.
        making: round trips to make a file, and to close it.
        reopening: round trips to open a file that another process of the node has opened before, and to close it.
        removing: round trips to remove a file.
        renaming: round trips to give a file another name.
        handing: s until one node has open what another one synced and then renamed.
        shares: how far a client asks once for what several of its processes read at the same time, 0 to 1.
        telling: round trips to tell on what file system a file is (statfs).
        looks: as many more to open one for each server with metadata beyond the first, as folders are spread over all.
        hunts: how much more a server works for a round trip about a name, for each doubling of the servers, as all of
            them are asked for a name that is not where its hash says.
        read_server, write_server: s of a server's processor for one call.
        read_byte, write_byte: s of a server's processor for one B: copies between network, page cache and disk; and
            checksums.
        client: s of a client's processor for one B.
        read_ask, write_ask: s of a server's processor for what a call asks of its file before it moves data.
        writing: s of a client's processor for one write, beside the crossing: locks, and keeping track of pieces.
        behind: B of writes that each process may be ahead of the servers; 0: it waits for each.
        keeps: B of writes that each client has before it begins to send any.
        ahead: B that are read ahead for each process; 0: nothing is.
        windows: whether that is the kernel's page cache, which reads ahead in windows that double.
        remembers: whether clients keep what they wrote, and read it again from there.
        leases: whether they keep it when the file was closed and nobody else opens it, because servers would tell them.
        reuses: whether the kernel keeps pages of a file that is opened again, as long as no other node changed it.
        cached: whether servers answer a write out of the page cache, and meet the disk when it is synced.
        unit: B of a file on one server where the configuration does not say; inf: whole files.
        piece: B that are placed together at least, where stripes lie within larger objects.
        hashed: whether a hash of names places files and pieces, rather than one server after the other.
        closes: whether closing a file waits for the disk.
        scatters: whether one message takes all that a client has of a piece of a file, neighbours or not.
        serial: whether a client has one call under way at a time, whichever of its processes waits for it.
        page: B that are read at least, wherever a read begins.
        threads: of a server's daemon, that are ready to run at once.
        extent, written: B of a stream that one I/O of a disk reads, or writes, at most.
        durable: disk I/Os that make a small write last: data, journal, and the journal's commit record.
        alone: as many where no other write commits with it, one after the other.
        commits: whether a server makes one write last after the other, which several disks in RAID-0 do not speed up.
    """

    call: int
    trips: int
    opening: int
    making: int
    reopening: int
    removing: int
    renaming: int
    read_server: float
    write_server: float
    read_byte: float
    write_byte: float
    client: float
    behind: int
    ahead: int
    telling: int = 1
    looks: int = 0
    hunts: float = 0.0
    handing: float = 0.0
    shares: float = 0.0
    read_ask: float = 0.0
    write_ask: float = 0.0
    writing: float = 0.0
    keeps: int = 0
    windows: bool = False
    remembers: bool = True
    leases: bool = False
    reuses: bool = False
    cached: bool = True
    unit: float = math.inf
    piece: int = 1
    hashed: bool = False
    closes: bool = False
    scatters: bool = False
    serial: bool = False
    page: int = 1
    threads: int = 2  # counted: 1.6 to 2.7 of each file system, studies/processors.py --threads
    extent: int = DISK_REQUEST
    written: int = DISK_REQUEST
    durable: int = 3
    alone: int = 3
    commits: bool = False


DESIGNS: Mapping[str, Design] = {
    "NFS": Design(
        call=MIB,  # the bridge's rsize and wsize
        trips=1,
        opening=1,  # LOOKUP
        making=3,  # LOOKUP, CREATE, SETATTR; COMMIT at the close
        reopening=1,  # attributes: close-to-open
        removing=2,  # LOOKUP, REMOVE
        renaming=2,  # LOOKUP of the new name, RENAME
        shares=0.5,  # the page cache, but each open file is read ahead by itself
        read_server=1e-4,
        write_server=1e-4,
        read_byte=1e-9,  # what is in the page cache is copied once less
        write_byte=2e-9,  # some copies at 1 to 2 GB/s each
        client=1e-9,
        behind=16 * MIB,  # of the bridge
        ahead=4 * MIB,
        windows=True,
        closes=True,  # close-to-open
    ),
    "GlusterFS": Design(
        call=FUSE_REQUEST,
        trips=1,
        opening=2,  # LOOKUP; open-behind asks no more; FLUSH
        making=3,  # LOOKUP, CREATE, FLUSH
        reopening=1,  # FLUSH: open-behind asks no more for what a file is
        renaming=5,  # LOOKUP of both names, locks, and a pointer where the new one's hash says; timed
        removing=3,  # LOOKUP, again on other servers where there are several, UNLINK
        hunts=0.25,  # timed with one, two and four servers
        shares=0.5,  # as NFS's
        read_server=2e-4,
        write_server=2e-4,
        read_byte=2e-9,
        write_byte=2e-9,
        client=2e-9,
        behind=MIB,  # write-behind's window
        ahead=512 * KIB,  # four pages of 128 KiB
        reuses=True,  # counted: studies/ahead.py --own
        page=128 * KIB,  # of its read-ahead, which fetches whole ones even where nobody reads on
        hashed=True,
    ),
    "CephFS": Design(
        call=4 * MIB,  # an object
        trips=1,
        opening=1,  # OPEN at the metadata server, which answers with capabilities
        making=2,  # CREATE at the metadata server, its journal; capabilities come back with the answer
        reopening=0,  # the client has the capabilities
        renaming=2,  # RENAME at the metadata server, its journal
        handing=0.08,  # timed: studies/files.py --acts handed, whatever the servers and disks
        removing=2,  # UNLINK at the metadata server, its journal; capabilities are called back
        telling=0,  # a monitor's, or none
        shares=1.0,  # one cache of objects
        read_server=5e-4,  # messenger, placement group
        write_server=1e-3,  # and transaction, commit: the known price of a Ceph operation
        read_byte=2e-9,
        write_byte=5e-9,  # and a checksum at the messenger, and one at the store
        client=5e-9,
        writing=1e-4,  # capabilities and the one lock of ceph-fuse
        behind=32 * MIB,  # client_oc_max_dirty
        keeps=8 * MIB,  # client_oc_target_dirty; for five seconds
        ahead=8 * MIB,  # two objects
        leases=True,  # capabilities
        cached=False,  # BlueStore writes past the page cache
        scatters=True,  # its ObjectCacher: one transaction for an object
        unit=4 * MIB,
        piece=4 * MIB,
        hashed=True,
        extent=64 * KIB,  # bluestore_max_blob_size
        written=256 * KIB,  # counted: some blobs that are neighbours are joined
        durable=5,  # counted, eight writers: data, RocksDB's log and BlueFS's, and the metadata server's journal
        alone=20,  # counted, one writer
        commits=True,  # BlueStore's one kv_sync_thread
    ),
    "OrangeFS": Design(
        call=FUSE_REQUEST,
        trips=2,  # attributes, then data
        opening=3,  # lookup, attributes, its size
        making=6,  # lookup, make data files, make metafile, entry, attributes of it, its size
        reopening=1,  # attributes: the library remembers names
        renaming=9,  # lookup of both, attributes, the entry under its new name, the old one's end; timed
        removing=6,  # lookup, attributes, entry, metafile, data files
        looks=1,
        read_server=2e-4,
        write_server=1e-4,  # and what is asked before: by training points
        read_byte=2e-9,
        write_byte=2e-9,
        client=5e-9,
        behind=0,  # nothing is cached on clients
        ahead=0,
        read_ask=1e-4,
        write_ask=2e-4,
        remembers=False,
        threads=1,  # counted 1.6 to 2.0; by applications (docs/prior.md)
        unit=64 * KIB,
        serial=True,  # pvfs2fuse asks libfuse for one thread (-s): the library below it takes no more
    ),
}
SHARDED: Mapping[str, Design] = {
    "GlusterFS": replace(  # counted: an XATTROP of the file's size after each write, half a LOOKUP before each read
        DESIGNS["GlusterFS"], trips=2, removing=7, renaming=6, read_ask=1e-4, write_ask=2e-4, writing=5e-5
    ),
}
"""Those that do more where files are cut to pieces."""
ALIKE: Mapping[str, str] = {"PVFS2": "OrangeFS"}  # former names


def design(file_system: str, unit: float = math.inf) -> Design | None:
    """Return the design of a file system by its name in platforms; None where it is not known.

    Args:
        file_system: the name.
        unit: B of a file on one server before the next one's turn, where the configuration says so.
    """
    name = ALIKE.get(file_system, file_system)
    return SHARDED[name] if name in SHARDED and unit < WHOLE else DESIGNS.get(name)
