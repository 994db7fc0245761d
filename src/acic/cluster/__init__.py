"""Runners of parallel jobs: on this machine, on a list of hosts, through a batch scheduler."""

from acic.cluster.batch import BatchRunner
from acic.cluster.job import Ending, Job, Refused, Runner, State, StillRunning, Withdrawn
from acic.cluster.local import LocalRunner
from acic.cluster.ssh import SshRunner

__all__ = [
    "BatchRunner",
    "Ending",
    "Job",
    "LocalRunner",
    "Refused",
    "Runner",
    "SshRunner",
    "State",
    "StillRunning",
    "Withdrawn",
]
