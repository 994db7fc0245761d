"""What this machine cannot give of a lab's facts."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from acic.cluster.lab import Disk, LabFacts, check_machine, doubts
from acic.errors import InvalidInput
from acic.platforms import load_platform
from acic.units import GIB, TIB

FACTS = LabFacts.of(load_platform("lab").lab)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A machine of 4 GiB, which lets 1 GiB wait to be written."""
    (tmp_path / "meminfo").write_text("MemTotal:        4194304 kB\nMemFree:         1000 kB\n")
    pages = GIB // os.sysconf("SC_PAGE_SIZE")
    (tmp_path / "vmstat").write_text(f"nr_dirty 5\nnr_dirty_threshold {pages}\nnr_dirty_background_threshold 7\n")
    return tmp_path


def with_disk(**changes: int) -> LabFacts:
    disk: Disk = FACTS.disks["EBS"]
    return replace(FACTS, disks={**FACTS.disks, "EBS": replace(disk, **changes)})


def test_more_than_the_kernel_lets_wait_is_refused_by_name(tmp_path: Path, proc: Path) -> None:
    """The lab came up, and each deployment failed of a number in /sys, to be tried again."""
    check_machine(with_disk(dirty=GIB // 2), 2, tmp_path, proc=proc)
    with pytest.raises(InvalidInput, match=r'disk."EBS".dirty of the \[lab\] table is 1 GiB, for each of 2') as caught:
        check_machine(with_disk(dirty=GIB), 2, tmp_path, proc=proc)
    assert "give 512 MiB at most" in caught.value.hint


def test_a_disk_that_no_file_can_be_is_refused_by_name(tmp_path: Path, proc: Path) -> None:
    """Of "File too large" nobody knew which file."""
    with pytest.raises(InvalidInput, match=r'disk."EBS".size of the \[lab\] table is .* can have no such file'):
        check_machine(with_disk(size=2**63 - 1), 2, tmp_path, proc=proc)
    assert not list(tmp_path.glob("tmp*"))


def test_what_nodes_cannot_have_and_the_lab_does_not_do_is_told(proc: Path) -> None:
    """A node of 64 cores on two was shown as that, and the archive's rate as if something held to it."""
    suiting = replace(FACTS, cpu=0.1, archive_rate=max(FACTS.nics.values()))
    assert doubts(suiting, proc=proc) == []
    assert doubts(replace(suiting, archive_rate=0), proc=proc) == []
    (cores,) = doubts(replace(suiting, cpu=10**6), proc=proc)
    assert f"node.cpu is 1e+06, and this machine has {os.cpu_count()} cores" in cores
    (memory,) = doubts(replace(suiting, memory=10 * TIB), proc=proc)
    assert memory == "node.memory is 10 TiB, and this machine has 4 GiB: no node gets more"
    (rate,) = doubts(replace(suiting, archive_rate=40_000_000), proc=proc)
    assert rate.startswith("archive.rate is 40 Mbit/s, and nothing in the lab slows staging out to that")


def test_this_machine_can_have_the_lab_that_comes_with_acic() -> None:
    check_machine(FACTS, 2, Path("/var/tmp"))
