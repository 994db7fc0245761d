"""A hundred deployments of all file systems, a fifth of their controllers killed: all work, and nothing is left."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from acic.errors import MissingData
from acic.filesystems.registry import FILE_SYSTEMS
from acic.lab import Lab, clean_up
from acic.platforms import load_platform
from acic.space import Configuration
from tests import laboratory
from tests.cluster.lab.traces import left
from tests.laboratory import alone, need_lab, remove_leftovers

ROOT = Path(__file__).parents[2]
CYCLES, KILLS = 100, 20
LONGEST = 4.0  # s after its start that a controller is killed at the latest; most are done by then

# Opens the lab, or makes it, deploys one configuration, looks whether the file system works, and takes it down.
CONTROLLER = """
import json, sys
from pathlib import Path
from acic.errors import AcicError
from acic.lab import Lab
from tests.laboratory import NIC, facts
state, name, network, configuration = sys.argv[1:]
try:
    lab = Lab.open(Path(state))
except AcicError:
    lab = Lab.up(facts(), nic=NIC, state=Path(state), name=name, network=network)
site = lab.deploy(json.loads(configuration))
directory = site.deployment.directory
lab.run("c0", ["sh", "-c", f"head -c 1000000 /dev/zero >{directory}/f; sync {directory}/f"]).check_returncode()
told = lab.run("c3", ["sh", "-c", f"wc -c <{directory}/f"]).stdout.strip()
assert told == "1000000", told
assert lab.audit() == [], lab.audit()
lab.undeploy()
"""


@pytest.fixture
def state(tmp_path: Path, bridge: Path) -> Iterator[Path]:
    assert bridge.exists()
    need_lab()
    folder = tmp_path / "state"
    with alone():
        remove_leftovers(folder)
        try:
            yield folder
        finally:
            clean_up(folder, name=laboratory.NAME)


def here() -> list[Configuration]:
    """Configurations of the lab with the file systems that this machine has."""
    known = {name for name, each in FILE_SYSTEMS.items() if each.packages or all(map(shutil.which, each.programs))}
    return [c for c in load_platform("lab").space.configurations() if c["file_system"] in known]


def controlled(state: Path, configuration: Configuration, *, kill_after: float | None = None) -> str:
    """Let a controller of its own process do a cycle; return what it complained of, "killed" if it was."""
    arguments = [str(state), laboratory.NAME, laboratory.NETWORK, json.dumps(dict(configuration))]
    command = [sys.executable, "-c", CONTROLLER, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = process.communicate(timeout=kill_after or 300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "killed"
    return said if process.returncode else ""


@pytest.mark.slow
def test_a_hundred_cycles_with_twenty_kills_leave_nothing(state: Path) -> None:
    assert left(laboratory.NAME) == {}
    rng = np.random.default_rng(0)
    configurations = here()
    killed_at = set(rng.choice(CYCLES, KILLS, replace=False).tolist())
    killed, failed, retried = 0, [], []
    for cycle in range(CYCLES):
        configuration = configurations[int(rng.integers(len(configurations)))]
        if cycle in killed_at:
            while (said := controlled(state, configuration, kill_after=rng.uniform(0.3, LONGEST))) != "killed":
                assert said == "", said  # it was faster
            killed += 1
        if complaint := controlled(state, configuration):
            retried.append((dict(configuration), complaint[-500:]))
            if complaint := controlled(state, configuration):
                failed.append((dict(configuration), complaint[-1500:]))
    told = f"{CYCLES} cycles, {killed} controllers killed, {len(retried)} tried again, {len(failed)} failed"
    sys.stdout.write(f"{told}\n")
    assert failed == [], failed
    assert len(retried) <= KILLS // 4, retried  # a machine may be slow, but what was killed is no reason to fail
    assert killed == KILLS
    Lab.open(state).down()
    time.sleep(0.2)
    assert left(laboratory.NAME) == {}
    with pytest.raises(MissingData):
        Lab.open(state)
