"""A controller that is killed, at any moment: nothing lost, nothing twice, nothing left, and the same end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acic.store.database import Store
from tests.campaign.laboratory import TIMEOUT, Laboratory, check_nothing_left, check_store_is_the_journal, table

# some runs fail, some give back wrong bytes, so that retries, skips and unsafe configurations are killed as well
RULES = ((("-c", "8k"), "error"), (("romio_ds_write=enable", "-R"), "wrong"))
OPTIONS = ("--repeats", "1:3", "--precision", "0.08", "--verify", "0.3", "--seed", "5")
ENDED = 0


@dataclass
class Forks:
    """`acic` in copies of a process that has imported it already."""

    process: subprocess.Popen[str]

    def call(self, lab: Laboratory, words: list[str], die: tuple[str, str] | None = None) -> int:
        """Return the exit status, or the negative number of a signal."""
        asked = {
            "words": words,
            "environment": lab.environment,
            "folder": str(lab.data),
            "output": str(lab.folder / "output"),
            "die": die,
        }
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return os.waitstatus_to_exitcode(int(self.process.stdout.readline()))


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("forks.py")], stdin=-1, stdout=-1, text=True, start_new_session=True
    )
    with process:
        yield Forks(process)
        assert process.stdin
        process.stdin.close()


def undisturbed(forks: Forks, folder: Path, *options: object) -> list[tuple[Any, ...]]:
    lab = Laboratory(folder / "undisturbed", rules=RULES)
    assert forks.call(lab, lab.train(*options)) == ENDED, (lab.folder / "output").read_text()
    check_nothing_left(lab)
    check_store_is_the_journal(lab)
    return table(lab.state)


def killed_at_random(forks: Forks, folder: Path, kills: int, points: int) -> Counter[str]:
    """Kill the controllers of one campaign after another; return what the killed were doing."""
    options = ("--points", points, *OPTIONS)
    wanted = undisturbed(forks, folder, *options)
    rng = random.Random(kills)
    doing: Counter[str] = Counter()
    for number in range(kills):  # campaigns; the first few will do
        lab = Laboratory(folder / f"killed{number}", rules=RULES)
        while doing.total() < kills and kill_one(lab, options, rng):
            doing[last_event(lab)] += 1
        assert forks.call(lab, lab.resume()) == ENDED, (lab.folder / "output").read_text()
        assert table(lab.state) == wanted
        check_nothing_left(lab)
        check_store_is_the_journal(lab)
        if doing.total() >= kills:
            break
    return doing


def kill_one(lab: Laboratory, options: tuple[object, ...], rng: random.Random) -> bool:
    """Start a controller, let it work for a moment, kill it; return whether it was alive until then."""
    file = lab.campaign / "journal.jsonl"
    before = file.stat().st_size if file.exists() else 0
    process = lab.start(lab.resume() if before else lab.train(*options))
    deadline = time.monotonic() + TIMEOUT
    while process.poll() is None and not (file.exists() and file.stat().st_size > before):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(rng.uniform(0, 0.8))
    alive = process.poll() is None
    process.kill()
    out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode in (ENDED, -signal.SIGKILL), out + err
    return alive


def last_event(lab: Laboratory) -> str:
    return str(json.loads(lab.journal._file.read_bytes().rsplit(b"\n", 2)[-2])["event"])


def test_ten_kills_at_random_change_nothing(forks: Forks, tmp_path: Path) -> None:
    assert killed_at_random(forks, tmp_path, kills=10, points=12).total() == 10


@pytest.mark.slow
def test_fifty_kills_at_random_change_nothing(forks: Forks, tmp_path: Path) -> None:
    assert killed_at_random(forks, tmp_path, kills=50, points=30).total() == 50


HOW = ("before", "torn", "after")
STEPS = ("started", "lost", "finished", "lost", "closed", "stored")


def test_a_kill_at_each_kind_of_event_changes_nothing(forks: Forks, tmp_path: Path) -> None:
    """Whatever is written to the journal, the controller dies before, within and after it, as in a power failure."""
    options = ("--points", 27, *OPTIONS)
    wanted = undisturbed(forks, tmp_path, *options)
    lab = Laboratory(tmp_path / "killed", rules=RULES)

    def die(kind: str, how: str) -> None:
        words = lab.resume() if lab.campaign.exists() else lab.train(*options)
        assert forks.call(lab, words, (kind, how)) == -signal.SIGKILL, (kind, how, (lab.folder / "output").read_text())

    for how in HOW[:2]:
        die("begun", how)
        assert not lab.campaign.exists()
    for how in HOW:
        die("planned", how)
    for kind in STEPS:
        for how in HOW:
            if kind != "lost" or lab.state.open_run:
                die(kind, how)
    for kind in ("ranked", "ended"):
        for how in HOW:
            die(kind, how)
    assert forks.call(lab, lab.resume()) == ENDED
    assert table(lab.state) == wanted
    assert {e["event"] for e in lab.journal.events()} >= {"lost", *STEPS}
    check_nothing_left(lab)
    check_store_is_the_journal(lab)


@pytest.mark.parametrize("opened", ["store.sqlite", "link.sqlite", "folder/store.sqlite", "chain.sqlite"])
def test_a_store_whose_writer_was_killed_within_a_commit_is_opened_again(tmp_path: Path, opened: str) -> None:
    """SQLite then leaves a journal that only a connection which may write can roll back."""
    path = tmp_path / "store.sqlite"
    for link, to in (("link.sqlite", path), ("folder", tmp_path), ("chain.sqlite", tmp_path / "link.sqlite")):
        (tmp_path / link).symlink_to(to)
    with Store.open(str(path)):
        pass
    script = (
        "import os, signal, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA cache_size = 1'); c.execute('BEGIN IMMEDIATE'); c.execute('CREATE TABLE x (a)');"
        "c.executemany('INSERT INTO x VALUES (?)', [('y' * 3000,)] * 200); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script, path], check=False).returncode == -signal.SIGKILL
    assert path.with_name("store.sqlite-journal").stat().st_size > 0
    with Store.open(str(tmp_path / opened)) as store:
        assert store.measurements() == []
