"""What `acic --version` tells: the version, and the commit where it runs from a checkout or was installed from one."""

from __future__ import annotations

import json
import re
from importlib.metadata import distributions
from pathlib import Path

import acic


def version() -> str:
    """Return the version, with the commit where one is known: an unreleased one alone says little."""
    commit = commit_of(Path(acic.__file__).parent)
    return f"{acic.__version__} (commit {commit})" if commit else acic.__version__


def commit_of(package: Path) -> str:
    """Return the commit that a package's folder is of; "" where nothing tells.

    Files tell it, git is not run: it may not be there, and refuses a checkout that is another user's. What was changed
    since the commit is not known.
    """
    try:
        found = _of_checkout(package.parent.parent) if package.parent.name == "src" else _of_install(package.parent)
    except (OSError, ValueError, KeyError, TypeError):  # damaged, or of a form that is not known
        return ""
    return found if re.fullmatch(r"[0-9a-f]{40,64}", found) else ""


def _of_checkout(root: Path) -> str:
    """Return what HEAD of a repository stands for; "" where its branch has no commit.

    Source: gitrepository-layout(5); a worktree's `.git` is a file, and its branches are those of `commondir`.
    """
    git = root / ".git"
    if git.is_file():
        git = root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head
    name, common = head.removeprefix("ref:").strip(), git / "commondir"
    shared = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
    if (shared / name).is_file():
        return (shared / name).read_text(encoding="utf-8").strip()
    packed = (line.split() for line in (shared / "packed-refs").read_text(encoding="utf-8").splitlines())
    return next((words[0] for words in packed if words[1:] == [name]), "")


def _of_install(folder: Path) -> str:
    """Return the commit that pip, or uv, installed into a folder.

    Source: PEP 610, direct_url.json.
    """
    for one in distributions(name="acic", path=[str(folder)]):
        if told := one.read_text("direct_url.json"):
            return str(json.loads(told)["vcs_info"]["commit_id"])
    return ""
