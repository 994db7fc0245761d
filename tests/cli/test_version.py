"""`acic --version` tells the commit where files tell it, as git itself does, and never fails for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import acic as package
from acic.cli.version import commit_of
from tests.cli.conftest import Result

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    made = tmp_path / "check out"
    (made / "src" / "acic").mkdir(parents=True)
    git(made, "init")
    git(made, "commit", "--allow-empty", "-m", "first")
    return made


def commit(folder: Path) -> str:
    return commit_of(folder / "src" / "acic")


def test_it_is_what_git_says(checkout: Path) -> None:
    first = git(checkout, "rev-parse", "HEAD")
    assert commit(checkout) == first
    git(checkout, "commit", "--allow-empty", "-m", "second")
    assert commit(checkout) == git(checkout, "rev-parse", "HEAD") != first
    git(checkout, "pack-refs", "--all")
    assert commit(checkout) == git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", first)
    assert commit(checkout) == first


def test_a_worktree_has_its_own(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(checkout, "worktree", "add", "-b", "branch/of-its-own", str(other))
    git(other, "commit", "--allow-empty", "-m", "of the worktree")
    assert commit(other) == git(other, "rev-parse", "HEAD") != commit(checkout)
    git(checkout, "pack-refs", "--all")
    assert commit(other) == git(other, "rev-parse", "HEAD")


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none", "ref:", "0" * 39, "\x80", "ref: ../../secret"])
def test_what_tells_nothing_is_no_error(checkout: Path, head: str) -> None:
    (checkout / ".git" / "HEAD").write_text(head, encoding="latin-1")
    assert commit(checkout) == ""


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (json.dumps({"url": "https://x/acic", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}), COMMIT),
        (json.dumps({"url": "https://x/acic.whl", "archive_info": {}}), ""),
        ("[]", ""),
        ("{", ""),
        (None, ""),
    ],
)
def test_an_install_from_git_tells_it(tmp_path: Path, told: str | None, found: str) -> None:
    """Also below a repository of somebody else's: a virtual environment is one's own, its files are not."""
    (tmp_path / "acic").mkdir()
    info = tmp_path / "acic-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acic\nVersion: 0.1.0\n")
    if told is not None:
        (info / "direct_url.json").write_text(told)
    assert commit_of(tmp_path / "acic") == found


def test_it_is_told_and_not_looked_for_before_it_is_asked(acic: Callable[..., Result]) -> None:
    told = acic("--version")
    known = commit_of(Path(package.__file__).parent)
    assert (told.status, told.err) == (0, "")
    assert told.out == f"acic, version {package.__version__}{f' (commit {known})' if known else ''}\n"
    loaded = "import sys; from acic.cli.main import cli; print('acic.cli.version' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
