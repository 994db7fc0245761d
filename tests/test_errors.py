"""What messages say that they cannot know before."""

from pathlib import Path

import pytest

from acic.errors import with_sudo


def test_sudo_is_told_where_acic_is_unless_it_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not look into environments of Python."""
    program = tmp_path / "acic"
    program.touch(mode=0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("acic.errors._SUDO_LOOKS", str(tmp_path / "elsewhere"))
    assert with_sudo("lab", "run", "--", "./app", "a b") == f"sudo {program} lab run -- ./app 'a b'"
    monkeypatch.setattr("acic.errors._SUDO_LOOKS", str(tmp_path))
    assert with_sudo("lab", "up") == "sudo acic lab up"
