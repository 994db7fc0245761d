"""Staging out: every byte of every result leaves over the clients' networks, by all of them alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
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
    with pytest.raises((InvalidInput, OSError)):
        stage_out(lab, ["three"])
