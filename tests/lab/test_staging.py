"""Staging out: every byte of every result leaves over the clients' networks, by all of them alike."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput, TransientError
from acic.lab import Lab
from acic.lab.staging import ARCHIVE, shares, stage_out
from acic.space import Value
from acic.units import MIB
from tests.laboratory import lab as lab

SIZES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 100 * MIB), max_size=6)
GLUSTER: dict[str, Value] = {
    "instance_type": "lab.400m",
    "device": "ephemeral",
    "raid_devices": 1,
    "file_system": "GlusterFS",
    "servers": 2,
    "placement": "dedicated",
    "stripe_size": 2**22,
}


@given(sizes=SIZES, clients=st.integers(1, 8))
def test_shares_are_all_of_every_file_once_and_alike(sizes: dict[str, int], clients: int) -> None:
    made = shares(sizes, clients)
    assert len(made) == clients
    pieces = sorted((p.file, p.offset, p.length) for share in made for p in share)
    covered = dict.fromkeys(sizes, 0)
    for file, offset, length in pieces:
        assert offset == covered[file]
        assert offset % MIB == 0
        assert length > 0
        covered[file] += length
    assert covered == sizes
    chunks = [sum(-(-p.length // (4 * MIB)) for p in share) for share in made]
    assert max(chunks) - min(chunks) <= len(sizes) + 1


class Copying:
    """As much of a lab as stages out: its node is this machine, and its socat a script."""

    def __init__(self, folder: Path, socat: str) -> None:
        program = folder / "bin" / "socat"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{socat}\n")
        program.chmod(0o755)
        self.environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
        self.nodes = {"c0": SimpleNamespace(root=Path("/")), ARCHIVE: SimpleNamespace(address="127.0.0.1")}
        self.site = SimpleNamespace(
            layout=SimpleNamespace(clients=[SimpleNamespace(node="c0")]),
            deployment=SimpleNamespace(directory=str(folder)),
        )

    def run(
        self, node: str, command: Sequence[str], *, seconds: float = 30.0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        if node == ARCHIVE:  # it is asked whether it listens
            return subprocess.CompletedProcess(command, 0, "", "")
        how: dict[str, Any] = {"input": stdin, "timeout": seconds, "env": self.environment}
        return subprocess.run(command, capture_output=True, text=True, check=False, **how)


def test_every_byte_of_what_is_staged_out_is_sent(tmp_path: Path) -> None:
    lab: Any = Copying(tmp_path, f"cat >{tmp_path}/arrived")
    content = os.urandom(5 * MIB + 17)
    (tmp_path / "one").write_bytes(content)
    (tmp_path / "a 'b'").write_bytes(b"more")
    assert stage_out(lab, ["one", "a 'b'"]) > 0
    assert (tmp_path / "arrived").read_bytes() == content + b"more"


def test_thousands_of_files_are_staged_out(tmp_path: Path) -> None:
    """Linux takes a word of 128 KiB at most: all that had been measured was lost with "Argument list too long"."""
    lab: Any = Copying(tmp_path, f"cat >{tmp_path}/arrived")
    names = [f"{number:04}-{'x' * 100}" for number in range(1000)]
    for name in names:
        (tmp_path / name).write_text(name)
    stage_out(lab, names)
    assert (tmp_path / "arrived").read_text() == "".join(names)


def test_what_is_not_staged_out_as_a_whole_has_failed(tmp_path: Path) -> None:
    """Else a part of it would be measured."""
    lab: Any = Copying(tmp_path, "cat >/dev/null; echo no route >&2; exit 1")
    (tmp_path / "one").write_bytes(b"x")
    with pytest.raises(TransientError, match="staging out of c0 failed: no route"):
        stage_out(lab, ["one"])
    (tmp_path / "bin" / "socat").write_text("#!/bin/sh\ncat >/dev/null\n")
    (tmp_path / "folder").mkdir()  # which cannot be read as a file is
    with pytest.raises(TransientError, match="cannot be read"):
        stage_out(lab, ["folder", "one"])
    with pytest.raises(InvalidInput, match="no result two"):
        stage_out(lab, ["two"])


def received(lab: Lab) -> int:
    lines = lab.run(ARCHIVE, ("cat", "/proc/net/dev")).stdout.splitlines()[2:]
    counts = {name.strip(): int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return sum(count for name, count in counts.items() if name != "lo")


def test_results_leave_over_the_network(lab: Lab) -> None:
    with pytest.raises(InvalidInput, match="nothing is deployed"):
        stage_out(lab, ["x"])
    site = lab.deploy(GLUSTER)
    directory = site.deployment.directory
    size = 24 * MIB + 12_345
    lab.run(
        "c1", ("sh", "-c", f"head -c {size} /dev/urandom >{directory}/one; head -c 100 /dev/urandom >{directory}/two")
    )
    before = received(lab)
    seconds = stage_out(lab, ["one", "two"])
    arrived = received(lab) - before
    assert size + 100 <= arrived <= 1.1 * size
    assert size * 8 / 4 / 400e6 * 0.9 < seconds < 30  # four networks of 400 Mbit/s
    assert stage_out(lab, ["two"]) > 0  # by one client only; the archive is still there
    with pytest.raises(InvalidInput, match="no result three"):
        stage_out(lab, ["three"])
