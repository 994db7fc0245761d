"""What a machine lacks, and the one command that brings it."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.cluster.lab import doctor, tools
from tests.laboratory import need_lab


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose only programs are in the folder returned."""
    monkeypatch.setattr(tools, "PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, *programs: str) -> None:
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def lacking(found: list[doctor.Finding]) -> set[str]:
    return {finding.what for finding in found if not finding.well}


def test_a_machine_that_has_all_needs_no_command() -> None:
    need_lab()
    found = doctor.findings()
    assert lacking(found) == set()
    assert doctor.command(found) == ""


def test_every_program_that_is_missing_is_named_with_one_command_for_all(bare: Path) -> None:
    present = sorted(set(doctor.PROGRAMS) - {"mkfs.xfs", "tc", "unshare"})
    install(bare, *present)
    found = [doctor._program(name, package) for name, package in doctor.PROGRAMS.items()]
    assert lacking(found) == {"mkfs.xfs", "tc", "unshare"}
    assert doctor.command(found) == "apt-get install --no-install-recommends iproute2 util-linux xfsprogs"
    assert all(finding.problem == f"there is no program {finding.what}" for finding in found if not finding.well)


@pytest.mark.usefixtures("bare")
def test_without_any_program_the_doctor_still_answers() -> None:
    found = doctor.findings()
    assert set(doctor.PROGRAMS) <= lacking(found)


def test_what_only_a_file_system_needs_is_optional(bare: Path) -> None:
    install(bare, "glusterfsd")
    found = doctor.findings(
        {
            "GlusterFS": [("glusterfsd", "glusterfs-server"), ("glusterfs", "glusterfs-client more")],
            "OrangeFS": [("pvfs2-server", "")],
        }
    )
    extra = [finding for finding in found if finding.optional]
    assert [(finding.what, finding.well) for finding in extra] == [
        ("glusterfsd (GlusterFS)", True),
        ("glusterfs (GlusterFS)", False),
        ("pvfs2-server (OrangeFS)", False),
    ]
    assert doctor.command(extra) == "apt-get install --no-install-recommends glusterfs-client more"
    assert "no Debian package" in extra[-1].hint


def test_the_kernel_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "KERNEL_FILE_SYSTEMS", ("tmpfs", "no-such-fs"))
    assert "no-such-fs in the kernel" in lacking(doctor.findings())
    assert "tmpfs in the kernel" not in lacking(doctor.findings())


def test_programs_are_found_where_only_root_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    need_lab()
    monkeypatch.setenv("PATH", "/nowhere")
    assert lacking(doctor.findings()) == set()
    assert tools.tool("tc", "qdisc", "show", "dev", "lo") is not None


def test_who_is_not_root_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "root" in lacking(doctor.findings())


def test_a_kernel_that_cannot_limit_what_waits_for_disks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Disks could be made on none before 6.2, and not be taken away again."""
    (tmp_path / "7:0").mkdir()
    (tmp_path / "7:0/max_ratio").write_text("100")
    monkeypatch.setattr(doctor, "_WRITING_BACK", tmp_path)
    assert "limits of writing back" in lacking(doctor.findings())
    (tmp_path / "7:0/max_bytes").write_text("0")
    assert "limits of writing back" not in lacking(doctor.findings())


def test_what_may_trouble_a_lab_does_not_keep_it_from_coming_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A firewall that forwards nothing kept nodes apart, and full disks filled the machine's."""
    monkeypatch.setattr(doctor, "_FIREWALL", tmp_path / "asked")
    monkeypatch.setattr(doctor, "_MOST_SPACE", 0)
    assert lacking(doctor.cautions()) == set()
    (tmp_path / "asked").write_text("1\n")
    monkeypatch.setattr(doctor, "_MOST_SPACE", 1 << 62)
    found = doctor.cautions()
    assert lacking(found) == {"links past the firewall", "space for full disks"}
    assert all(finding.optional and finding.hint for finding in found)
    assert not lacking(found) & {finding.what for finding in doctor.findings()}
