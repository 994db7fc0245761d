"""A private Slurm on this machine, of one node, or of several that are all this machine."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from tests.cluster.services import SBIN, Daemon, free_port, listens, until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
PACKAGES = "slurmctld slurmd slurm-client munge"
CONFIGURATION = """
ClusterName=acic
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldPort={controller}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
ReturnToService=2
KillWait=1
SlurmdTimeout=4
SlurmctldTimeout=4
MessageTimeout=5
UnkillableStepTimeout=600
PartitionName=work Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes=ALL Default=NO MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=8 State=UNKNOWN\n"


class Slurm:
    """munged, slurmctld and slurmd, in a folder of their own, on free ports."""

    def __init__(self, folder: Path, nodes: int = 1) -> None:
        self._folder = folder
        self._port = free_port()
        self.host = socket.gethostname().partition(".")[0]
        self.names = [self.host, *(f"{self.host}-{number}" for number in range(1, nodes))]
        self.configuration = folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.configuration)}
        self._munged = self._munge()
        self.controller = Daemon(["slurmctld", "-D"], folder / "slurmctld.log", self.environment)
        self.node, *self._others = [
            Daemon(["slurmd", "-D", "-N", name], folder / f"slurmd.{name}.log", self.environment) for name in self.names
        ]

    def _munge(self) -> Daemon:
        key = self._folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        files = {"--key-file": key, "--socket": self._folder / "munge.socket", "--pid-file": self._folder / "munge.pid"}
        files |= {"--log-file": self._folder / "munge.log", "--seed-file": self._folder / "munge.seed"}
        return Daemon(
            ["munged", "--foreground", "--force", *(f"{option}={path}" for option, path in files.items())],
            self._folder / "munged.out",
        )

    def start(self) -> None:
        nodes = "".join(NODE.format(name=name, host=self.host, port=free_port()) for name in self.names)
        self.configuration.write_text(
            CONFIGURATION.format(host=self.host, folder=self._folder, controller=self._port) + nodes
        )
        for folder in ("state", *(f"spool.{name}" for name in self.names)):
            (self._folder / folder).mkdir()
        self._munged.start()
        until((self._folder / "munge.socket").exists, "munged answers")
        self.start_controller("-c")
        for other in self._others:
            other.start()
        self.start_node()

    def start_controller(self, *options: str) -> None:
        self.controller.start(*options)
        until(lambda: listens(self._port), "slurmctld listens")

    def start_node(self) -> None:
        self.node.start()
        self.wait_until_idle()

    def forget_all_jobs(self) -> None:
        """Start slurmctld anew without its state: what has been purged is gone in the same way."""
        self.controller.stop(signal.SIGKILL)
        self.start_controller("-c")
        self.wait_until_idle()

    def recover(self) -> None:
        """Put the node back to work, where Slurm took it out of it in an earlier test."""
        if "drain" in self.command("sinfo", "-h", "-o", "%T"):
            self.command("scontrol", "update", f"nodename={self.host}", "state=resume")

    def wait_until_idle(self) -> None:
        until(lambda: self.command("sinfo", "-h", "-o", "%T") == "idle", "the node is idle", seconds=30)

    def command(self, *words: str) -> str:
        program = shutil.which(words[0], path=f"{os.environ['PATH']}:{SBIN}")
        done = subprocess.run(
            [program or words[0], *words[1:]],
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        return done.stdout.strip()

    def stop(self) -> None:
        for node in (self.node, *self._others):
            node.stop()
        self.controller.stop()
        self._munged.stop()
