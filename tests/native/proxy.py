"""What stands between mounts and the server: it sees each request, may do something before the server gets it or change
it, and can cut connections off."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from acic.filesystems.nfs import PORT
from tests.native.nfs import ADDRESS, Place

LISTENING = 3049
CREATE, RENAME, LINK = 8, 14, 15  # procedures of NFSv3

Alter = Callable[[int, bytes], bytes]


class Proxy:
    """Its connections to mounts are in the order in which they came; `alter` returns each request as to be sent.

    A request is what RFC 5531 calls a record: with the call's header, without the mark of its length.
    """

    def __init__(self, place: Place, alter: Alter) -> None:
        self._alter = alter
        self.connections: list[socket.socket] = []
        opened = threading.Thread(target=self._listen, args=(place.init,))
        opened.start()
        opened.join()
        self._threads = [threading.Thread(target=self._accept, args=(place.init,))]
        self._threads[0].start()

    def _listen(self, init: int) -> None:
        _enter(init)
        self.listener = socket.create_server((ADDRESS, LISTENING))

    def _accept(self, init: int) -> None:
        _enter(init)
        while True:
            try:
                mount, _ = self.listener.accept()
            except OSError:  # closed
                return
            self.connections.append(mount)
            server = socket.create_connection((ADDRESS, PORT))
            self._threads.append(threading.Thread(target=self._carry, args=(mount, server)))
            self._threads[-1].start()

    def _carry(self, mount: socket.socket, server: socket.socket) -> None:
        with mount, server:
            back = threading.Thread(target=_replies, args=(server, mount))
            back.start()
            self._requests(mount, server)
            cut(server)
            back.join()

    def _requests(self, mount: socket.socket, server: socket.socket) -> None:
        with suppress(OSError), mount.makefile("rb") as stream:
            while len(mark := stream.read(4)) == 4:
                size: int = struct.unpack(">I", mark)[0] & 0x7FFFFFFF
                record = stream.read(size)
                if len(record) < size:
                    break
                (procedure,) = struct.unpack_from(">I", record, 20)
                record = self._alter(procedure, record)
                server.sendall(struct.pack(">I", len(record) | 0x80000000) + record)

    def refuse(self) -> None:
        """Take no new connections."""
        cut(self.listener)
        self.listener.close()

    def end(self) -> None:
        """Cut all off."""
        self.refuse()
        self._threads[0].join()  # now there are no more
        for connection in self.connections:
            cut(connection)
        for thread in self._threads:
            thread.join()


def _replies(server: socket.socket, mount: socket.socket) -> None:
    with suppress(OSError):
        while data := server.recv(1 << 16):
            mount.sendall(data)
    cut(mount)


def cut(connection: socket.socket) -> None:
    """End a connection, for those too who wait for it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def with_another_handle(record: bytes) -> bytes:
    """The request with a file handle, its first argument, that the server does not know."""
    at = 24
    for _ in range(2):  # credentials, verifier
        at += 8 + struct.unpack_from(">I", record, at + 4)[0]
    size: int = struct.unpack_from(">I", record, at)[0]
    return record[: at + 4] + b"\xff" * size + record[at + 4 + size :]


def with_a_long_name(record: bytes) -> bytes:
    """The request with a last name that is too long; it had one of at most four bytes."""
    return record[:-8] + struct.pack(">I", 300) + b"x" * 300


def _enter(init: int) -> None:
    """Have this thread's sockets in the network namespace of a process."""
    namespace = os.open(f"/proc/{init}/ns/net", os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(namespace, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(namespace)


@contextmanager
def between(place: Place, alter: Alter = lambda _, record: record) -> Iterator[Proxy]:
    """A proxy at LISTENING, which is a mount's `port`."""
    proxy = Proxy(place, alter)
    try:
        yield proxy
    finally:
        proxy.end()
