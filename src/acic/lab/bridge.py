"""acic-nfsmount, by which clients of the lab mount NFS, from the C sources that acic carries: built once a version."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import acic
from acic.benchmarks.building import cache_folder
from acic.cluster.lab.tools import asked, which
from acic.errors import AcicError

NAME = "acic-nfsmount"

_HINT = "acic lab doctor names the packages; or put a built acic-nfsmount on PATH"
_LIBRARIES = ("libnfs", "fuse3")  # as pkg-config has them
PACKAGES = "libnfs-dev libfuse3-dev"
_SECONDS = 300.0  # for the compiler
_TOLD = 15  # lines of its output


def sources() -> Path:
    """Return the folder of its sources: carried by the package, or beside it in a checkout."""
    carried = Path(__file__).parent / "native"
    return carried if carried.is_dir() else Path(__file__).parents[3] / "native" / "nfsmount"


def bridge() -> Path:
    """Return acic-nfsmount: that on PATH, or one built from the sources, if it was not yet.

    Raises:
        AcicError: there is no compiler or a library is missing, so that it cannot be built.
    """
    if found := which(NAME):
        return Path(found)
    here = sources()
    home = cache_folder() / f"nfsmount-{acic.__version__}-{_digest(here)}"
    program = home / NAME
    if not program.exists():
        try:
            home.parent.mkdir(parents=True, exist_ok=True)
            with _alone(home.parent / "nfsmount.lock"):
                if not program.exists():
                    _build(here, home)
        except OSError as error:
            raise AcicError(f"cannot build {NAME} in {home.parent}: {error.strerror or error}", hint=_HINT) from error
    return program


def lacking() -> str:
    """Return which libraries it cannot be built without are missing; "" if none is, or it is there already."""
    if which(NAME) or not which("pkg-config"):  # a program that is missing is told elsewhere
        return ""
    missing = [name for name in _LIBRARIES if asked(["pkg-config", "--exists", name]).returncode != 0]
    return f"the headers of {' and '.join(missing)} are missing, for NFS" if missing else ""


def _build(here: Path, home: Path) -> None:
    """Build into `home`, which appears when it is whole."""
    with tempfile.TemporaryDirectory(dir=home.parent, prefix="nfsmount-unfinished-") as unfinished:
        whole = Path(unfinished) / "whole"
        done = asked(["make", "-s", "-C", str(here), f"BUILD={whole}", "WERROR=", "all"], seconds=_SECONDS)
        if done.returncode != 0:
            told = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_TOLD:])
            raise AcicError(f"cannot build {NAME}: {told}", hint=_HINT)
        shutil.rmtree(home, ignore_errors=True)  # what somebody left of it
        os.rename(whole, home)


@cache
def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".c", ".h", ".def") or path.name == "Makefile":
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
