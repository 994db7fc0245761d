"""The runners under test, and what is the same in all tests of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acic.cluster import BatchRunner, Job, LocalRunner, Runner, SshRunner
from acic.cluster.lab import Room
from acic.cluster.processes import tagged

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Place:
    """A kind of runner with its options, which another process can make too."""

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def runner(self) -> Runner:
        makers: dict[str, Any] = {"local": LocalRunner, "ssh": SshRunner, "slurm": BatchRunner, "lab": _in_lab}
        made: Runner = makers[self.kind](**self.options)
        return made

    def controller(self, made: Job) -> subprocess.Popen[str]:
        """Another process that submits a job and waits for it; it says before and after what it does."""
        task = {
            "kind": self.kind,
            "options": self.options,
            "name": made.name,
            "command": made.command,
            "processes": made.processes,
            "folder": str(made.folder),
            "time_limit": made.time_limit,
        }
        return subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.controller", json.dumps(task)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        )


def _in_lab(state: str) -> Runner:
    return Room.open(Path(state), control=False).runner()


def job(folder: Path, *command: str, processes: int = 0, time_limit: float = 30, **more: Any) -> Job:
    return Job(
        name=f"t-{uuid.uuid4().hex[:12]}",
        command=command,
        processes=processes,
        folder=folder,
        time_limit=time_limit,
        **more,
    )


def shell(folder: Path, script: str, **more: Any) -> Job:
    return job(folder, "sh", "-c", script, **more)


def nothing_left(made: Job) -> bool:
    return not tagged(made.name)
