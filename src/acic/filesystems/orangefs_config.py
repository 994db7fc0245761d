"""The configuration file of OrangeFS servers as text, as `pvfs2-genconfig` would write it, and what can be tuned.

The EC2 test-bed paper's plugin for PVFS2 has two modes. *Regular*: I/O and metadata servers are chosen, the rest is at
its default; here these are `servers`, `placement`, `metadata` and `stripe_size` of a platform. *Expert*: every setting
of the file; here `OPTIONS`, each with its default, and a platform may make any of them a parameter.

Sources: OrangeFS 2.10.0, src/common/misc/server-config.c and src/apps/admin/pvfs2-genconfig; the paper's section 4.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acic.errors import InvalidInput
from acic.filesystems.deployment import Server
from acic.space import Value
from acic.units import KIB, MIB

PORT = 3334  # of PVFS2 since ever
NAME = "orangefs"
STRIP = 64 * KIB  # default of simple_stripe

_COLLECTION = 1_162_037_587  # any number that is not 0
_ROOT = 1_048_576  # pvfs2-genconfig's; within the first server's handles
_FIRST, _LAST = 3, 2**63 - 2  # handles, as pvfs2-genconfig deals them: nearly all that a signed word has
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An expert option.

    Args:
        name: as a system parameter.
        keyword: in the configuration file.
        section: of the file, where it stands.
        default: what a site has that leaves it alone.
        choices: all values; () for a whole number.
        unit: "B", "s"; "" for a label or a count.
        about: what it does.
    """

    name: str
    keyword: str
    section: str
    default: str | int
    choices: tuple[str, ...] = ()
    unit: str = ""
    about: str

    def text(self, value: Value) -> str:
        """Return `value` as the file has it.

        Raises:
            InvalidInput: the option cannot be that.
        """
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if value in self.choices if self.choices else whole:
            return str(value)
        allowed = ", ".join(self.choices) or "a whole number"
        raise InvalidInput(f"{self.name} of OrangeFS cannot be {value!r}", hint=f"give {allowed}")


_HINTS = "StorageHints"
OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option(
            name="trove_sync_data",
            keyword="TroveSyncData",
            section=_HINTS,
            default="no",
            choices=_YES_NO,
            about="data is synced before each write is answered, and not only when a client asks",
        ),
        Option(
            name="trove_method",
            keyword="TroveMethod",
            section=_HINTS,
            default="alt-aio",
            choices=("alt-aio", "directio"),
            about="I/O of servers through the page cache by threads, or past it",
        ),
        Option(
            name="coalescing_high_watermark",
            keyword="CoalescingHighWatermark",
            section=_HINTS,
            default=8,
            about="metadata operations that wait for one sync at most",
        ),
        Option(
            name="coalescing_low_watermark",
            keyword="CoalescingLowWatermark",
            section=_HINTS,
            default=1,
            about="metadata operations under way below which each is synced at once",
        ),
        Option(
            name="flow_buffer_size",
            keyword="FlowBufferSizeBytes",
            section="FileSystem",
            default=256 * KIB,
            unit="B",
            about="data that a server moves between network and disk at once",
        ),
        Option(
            name="flow_buffers",
            keyword="FlowBuffersPerFlow",
            section="FileSystem",
            default=8,
            about="such buffers under way for each request",
        ),
        Option(
            name="small_file_size",
            keyword="SmallFileSize",
            section="FileSystem",
            default=0,
            unit="B",
            about="data that travels within a request instead of by a flow of its own; 0: what one message holds",
        ),
        Option(
            name="trove_max_concurrent_io",
            keyword="TroveMaxConcurrentIO",
            section="Defaults",
            default=16,
            about="I/O operations that a server has under way at the disk",
        ),
        Option(
            name="unexpected_requests",
            keyword="UnexpectedRequests",
            section="Defaults",
            default=50,
            about="requests that a server takes in at once",
        ),
        Option(
            name="tcp_buffer",
            keyword="TCPBufferSend",
            section="Defaults",
            default=0,
            unit="B",
            about="of sockets, to send and to receive; 0: as the kernel tunes it",
        ),
    )
}


def server_config(
    servers: Sequence[Server], *, strip: int, metadata: Sequence[Server], options: Mapping[str, Value]
) -> str:
    """Return the configuration file, one for all servers and clients.

    Args:
        servers: all of them; each holds data.
        strip: B of a file on each server before the next one's turn.
        metadata: the servers that hold metadata too; the first holds the root.
        options: values of `OPTIONS`; those not given have their defaults.

    Raises:
        InvalidInput: an option that cannot be so.
    """
    lines = [
        "<Defaults>",
        *_common(servers[0], options),
        "</Defaults>",
        "<Aliases>",
        *(f"\tAlias {server.node} {url(server)}" for server in servers),
        "</Aliases>",
        "<FileSystem>",
        *_file_system(servers, strip, metadata, options),
        "</FileSystem>",
    ]
    return "\n".join([*lines, ""])


def url(server: Server) -> str:
    """Return how a server is reached."""
    return f"tcp://{server.address}:{PORT}"


def storage(server: Server) -> tuple[str, str]:
    """Return the directories of a server's data and metadata."""
    return f"{server.store}/data", f"{server.store}/metadata"


def handle_ranges(count: int) -> list[tuple[int, int]]:
    """Return `count` ranges of handles of one length, first and last of each, in order, without a gap."""
    length = (_LAST - _FIRST + 1) // count
    return [(_FIRST + length * i, _FIRST + length * (i + 1) - 1) for i in range(count)]


def _common(server: Server, options: Mapping[str, Value]) -> Iterator[str]:
    data, metadata = storage(server)
    yield "\tBMIModules bmi_tcp"
    yield "\tFlowModules flowproto_multiqueue"
    yield "\tEventLogging none"
    yield "\tLogType file"
    yield "\tLogFile /dev/stderr"
    yield "\tLogStamp datetime"
    # pvfs2-genconfig's, but that a server which is gone is given up after minutes in place of half an hour
    yield "\tServerJobBMITimeoutSecs 30"
    yield "\tServerJobFlowTimeoutSecs 30"
    yield "\tClientJobBMITimeoutSecs 60"
    yield "\tClientJobFlowTimeoutSecs 60"
    # servers that start find one another at once, and not only at the second try, 2 s later
    yield "\tClientRetryLimit 25"
    yield "\tClientRetryDelayMilliSecs 200"
    # of data files few are made ahead, since to make a thousand for each of four servers takes longer than a run
    yield "\tPrecreateBatchSize 0,64,64,64,32,64,0"
    yield "\tPrecreateLowThreshold 0,32,32,32,16,32,0"
    yield f"\tDataStorageSpace {data}"
    yield f"\tMetadataStorageSpace {metadata}"
    yield from _set("Defaults", options)
    if (tcp := _value("tcp_buffer", options)) != "0":
        yield f"\tTCPBufferReceive {tcp}"
    yield "\t<Security>"
    yield "\t\tTurnOffTimeouts yes"
    yield "\t</Security>"


def _file_system(
    servers: Sequence[Server], strip: int, metadata: Sequence[Server], options: Mapping[str, Value]
) -> Iterator[str]:
    ranges = handle_ranges(len(metadata) + len(servers))
    # a small file is kept whole beside its metadata where every server has both (pvfs2-genconfig's rule)
    stuffing = "yes" if len(metadata) == len(servers) else "no"
    yield f"\tName {NAME}"
    yield f"\tID {_COLLECTION}"
    yield f"\tRootHandle {_ROOT}"
    yield f"\tDefaultNumDFiles {len(servers)}"
    yield f"\tFileStuffing {stuffing}"
    # a directory is on one metadata server, and the next one on another; to spread each halves the rate of creation
    yield "\tDistrDirServersInitial 1"
    yield "\tDistrDirServersMax 1"
    yield "\tDistrDirSplitSize 100"
    yield from _set("FileSystem", options)
    yield "\t<MetaHandleRanges>"
    yield from _ranges(metadata, ranges[: len(metadata)])
    yield "\t</MetaHandleRanges>"
    yield "\t<DataHandleRanges>"
    yield from _ranges(servers, ranges[len(metadata) :])
    yield "\t</DataHandleRanges>"
    yield "\t<StorageHints>"
    # the servers refuse to do without; Berkeley DB waits for the disk then, LMDB does not
    yield "\t\tTroveSyncMeta yes"
    for line in _set(_HINTS, options):
        yield f"\t{line}"
    yield f"\t\tDBMaxSize {256 * MIB}"
    yield "\t</StorageHints>"
    yield "\t<Distribution>"
    yield "\t\tName simple_stripe"
    yield "\t\tParam strip_size"
    yield f"\t\tValue {strip}"
    yield "\t</Distribution>"


def _ranges(servers: Sequence[Server], ranges: Sequence[tuple[int, int]]) -> Iterator[str]:
    for server, (first, last) in zip(servers, ranges, strict=True):
        yield f"\t\tRange {server.node} {first}-{last}"


def _set(section: str, options: Mapping[str, Value]) -> Iterator[str]:
    for option in OPTIONS.values():
        value = _value(option.name, options)
        silent = value == "0" and option.default == 0  # as the server finds best
        if option.section == section and not silent:
            yield f"\t{option.keyword} {value}"


def _value(name: str, options: Mapping[str, Value]) -> str:
    option = OPTIONS[name]
    return option.text(options.get(name, option.default))
