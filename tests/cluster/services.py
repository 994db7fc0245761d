"""Services that the tests start for themselves on 127.0.0.1, and stop."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from acic.cluster.launcher import find_launcher
from acic.errors import InvalidInput
from tests.needs import skip_or_fail

SBIN = "/usr/sbin:/sbin:/usr/local/sbin"


def need(programs: Sequence[str], packages: str) -> None:
    """A machine without the programs skips their tests, one that promised them (CI) fails."""
    path = f"{os.environ['PATH']}:{SBIN}"
    absent = [program for program in programs if shutil.which(program, path=path) is None]
    if not absent and os.geteuid() == 0:
        return
    skip_or_fail(f"no {', '.join(absent)} here: apt-get install {packages}" if absent else "these services need root")


def need_mpi() -> None:
    """As `need`, for an mpiexec."""
    try:
        find_launcher()
    except InvalidInput as error:
        skip_or_fail(f"{error}; {error.hint}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], object], what: str, *, seconds: float = 20) -> None:
    """Wait for something that is to come; fail if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain until {what}"
        time.sleep(0.02)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Daemon:
    """A server in the foreground, stopped by its process id."""

    def __init__(self, command: Sequence[str], log: Path, environment: dict[str, str] | None = None) -> None:
        self._command, self._log = list(command), log
        self._environment = os.environ | {"PATH": f"{os.environ['PATH']}:{SBIN}"} | (environment or {})
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self._command, *more], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment
            )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
