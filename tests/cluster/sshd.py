"""A private sshd on this machine that stands for several hosts."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cluster.services import Daemon, free_port, listens, until

PROGRAMS = ("sshd", "ssh", "ssh-keygen")
PACKAGES = "openssh-server openssh-client"
SERVER = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile {folder}/pid
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
"""
CLIENT = """
Host node1 node2
  HostName 127.0.0.1
  Port {port}
Host dead
  HostName 127.0.0.1
  Port {closed}
Host *
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
"""


class Sshd:
    """Hosts `node1` and `node2`, which answer, and `dead`, which does not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.client = ("ssh", "-F", str(folder / "client"))
        self._daemon = Daemon(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "server")], folder / "log")

    def start(self) -> None:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd wants to lock itself in before it lets anybody in
        for name in ("host", "user"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self._folder / name)], check=True, timeout=30
            )
        (self._folder / "server").write_text(SERVER.format(port=self._port, folder=self._folder))
        (self._folder / "client").write_text(CLIENT.format(port=self._port, folder=self._folder, closed=free_port()))
        self._daemon.start()
        until(lambda: listens(self._port), "sshd listens")

    def stop(self) -> None:
        self._daemon.stop()
