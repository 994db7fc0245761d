"""What a run may have to wait for."""

from __future__ import annotations

from enum import IntEnum


class Resource(IntEnum):
    """A column of an estimate's parts."""

    CLIENT_NETWORK = 0
    SERVER_NETWORK = 1
    DISK_BANDWIDTH = 2
    DISK_IOPS = 3
    SERVER_PROCESSOR = 4
    CLIENT_PROCESSOR = 5
    LATENCY = 6
    METADATA = 7
    MESSAGES = 8

    @property
    def words(self) -> str:
        """Its name for people."""
        return _WORDS[self]


_WORDS = {
    Resource.CLIENT_NETWORK: "the network of the compute nodes",
    Resource.SERVER_NETWORK: "the network of the I/O servers",
    Resource.DISK_BANDWIDTH: "the bandwidth of the disks",
    Resource.DISK_IOPS: "the disks' I/Os per second",
    Resource.SERVER_PROCESSOR: "the processors of the I/O servers",
    Resource.CLIENT_PROCESSOR: "the processors of the compute nodes",
    Resource.LATENCY: "waiting for one request after the other",
    Resource.METADATA: "opening and making files",
    Resource.MESSAGES: "what collective calls agree on",
}
