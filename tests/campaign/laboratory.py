"""A place to run campaigns in: a home, a store and a platform of their own, and the pretend benchmark."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acic.campaign.journal import Journal
from acic.campaign.points import Field
from acic.campaign.recording import measurements_of
from acic.campaign.request import Request
from acic.campaign.state import State, replay
from acic.cluster.job import TAG
from acic.platforms import load_platform
from acic.store import Measurement
from acic.store.content import fingerprint
from acic.store.database import Store

SOURCE = Path(__file__).with_name("pretend_ior.py")
TIMEOUT = 120  # s; a controller that hangs is a failure

PLATFORM = """
name = "pretended"
title = "A pretended laboratory"
revision = "1"
source = "made up for tests of campaigns"
date = "2026-11-21"
default_instance = "node"
apply = ["files", "romio"]
[baseline]
source = "made up for tests"
date = "2026-11-21"
[baseline.values]
romio_ds_write = "automatic"
romio_no_indep_rw = "automatic"
files = "as the application does"
[[parameter]]
name = "romio_ds_write"
values = ["automatic", "enable", "disable"]
[[parameter]]
name = "romio_no_indep_rw"
values = ["automatic", "enable"]
[[parameter]]
name = "files"
values = ["as the application does", "one per process"]
[[instance]]
name = "node"
cores = 1
price = 3.6
source = "made up for tests"
date = "2026-11-21"
[training]
io_processes = [1, 2]
interface = ["POSIX", "MPIIO"]
iterations = [1]
data_size = [16384, 65536]
request_size = [4096, 8192, 16384, 65536]
operation = ["write", "read"]
collective = [false, true]
shared = [false, true]
access = ["consecutive"]
"""


@dataclass(frozen=True)
class Laboratory:
    """Folders of one test, and the campaign in them.

    Args:
        folder: of all.
        name: of the campaign; no two tests share one, because jobs are found by it.
        rules: for the pretend benchmark: pairs of words and a fault.
    """

    folder: Path
    name: str = field(default_factory=lambda: f"t{secrets.token_hex(4)}")
    rules: Sequence[tuple[Sequence[str], str]] = ()

    def __post_init__(self) -> None:
        for path in (self.home, self.data):
            path.mkdir(parents=True, exist_ok=True)
        if not self.platform_file.exists():
            self.platform_file.write_text(PLATFORM)
            # started by this Python itself: what `env python3` finds may be a slow script
            self.benchmark.write_text(f"#!{sys.executable} -IS\n" + SOURCE.read_text())
            self.benchmark.chmod(0o755)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def platform_file(self) -> Path:
        return self.folder / "lab.toml"

    @property
    def benchmark(self) -> Path:
        return self.folder / "pretend_ior"

    @property
    def store_file(self) -> Path:
        return self.folder / "store.sqlite"

    @property
    def campaign(self) -> Path:
        return self.home / "state" / "acic" / "campaigns" / self.name

    @property
    def journal(self) -> Journal:
        return Journal(self.campaign)

    @property
    def environment(self) -> dict[str, str]:
        mine = {
            "HOME": str(self.home),
            "ACIC_STORE": str(self.store_file),
            "ACIC_CACHE": str(self.home / "cache"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "share"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "PRETEND_RULES": json.dumps(self.rules),
        }
        return {**os.environ, **mine}

    def train(self, *more: object, benchmark: object = None) -> list[str]:
        """Return the words of `acic` that begin the campaign: with `more`, and what that does not tell."""
        words = {"--name": self.name, "--platform": self.platform_file, "--budget": "10h", "--directory": self.data}
        words["--benchmark"] = benchmark or self.benchmark
        untold = [word for option, value in words.items() if option not in more for word in (option, value)]
        return [str(word) for word in ("train", *untold, *more)]

    def resume(self) -> list[str]:
        return ["train", "--resume", "--name", self.name]

    def start(self, words: Sequence[str]) -> subprocess.Popen[str]:
        """Start `acic` as a user does."""
        return subprocess.Popen(
            [sys.executable, "-m", "acic", *words],
            cwd=self.data,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def call(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run `acic` to its end."""
        process = self.start([str(w) for w in words])
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @property
    def state(self) -> State:
        """What the journal tells."""
        asked = Request.of(next(self.journal.events()))
        return replay(self.journal.events(), Field(load_platform(asked.platform), asked.like))

    def stored(self) -> list[Measurement]:
        with Store.open(str(self.store_file)) as store:
            return store.measurements()


def table(state: State) -> list[tuple[Any, ...]]:
    """Return what does not depend on the clock: each point, with all that became of it."""
    return [
        (
            p.row.tolist(),
            str(p.stage),
            p.stored,
            p.why_skipped,
            [(str(a.outcome), a.repetition and a.repetition.bandwidth, a.verified, a.note) for a in p.attempts],
        )
        for p in state.progress
    ]


def orphans(name: str) -> list[str]:
    """Return the processes of the campaign `name`, as PID and command line."""
    mark = f"{TAG}={name}-".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if any(v.startswith(mark) for v in (entry / "environ").read_bytes().split(b"\0")):
                    found.append(f"{entry.name} {(entry / 'cmdline').read_bytes()!r}")
            except OSError:
                continue
    return found


def check_nothing_left(lab: Laboratory) -> None:
    """Fail where a process or a folder of a run is left, or a raw output of a run that the journal does not know."""
    assert orphans(lab.name) == []
    assert [p.name for p in lab.data.iterdir()] == []
    finished = {f"{lab.name}-{a.number}.json" for p in lab.state.progress for a in p.attempts}
    assert {p.name for p in lab.journal.raw.iterdir()} <= finished


def check_store_is_the_journal(lab: Laboratory) -> None:
    """Fail unless the store holds each measurement that the journal tells, once, and nothing else."""
    state, stored = lab.state, lab.stored()
    platform = load_platform(str(lab.platform_file))
    shape: Mapping[str, str | int] = stored[0].host_shape if stored else {}
    told = [
        m
        for p in state.progress
        if p.stored
        for m in measurements_of(p, platform, tool="ior", contributor="", host_shape=shape)
    ]
    assert sorted(map(fingerprint, told)) == sorted(map(fingerprint, stored))
    numbers = [a.number for p in state.progress for a in p.attempts]
    assert len(numbers) == len(set(numbers))
