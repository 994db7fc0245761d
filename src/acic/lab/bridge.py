"""acic-nfsmount, by which clients of the lab mount NFS, from the C sources that acic carries: built once a version."""

from __future__ import annotations

from pathlib import Path

import acic
from acic.cluster.lab.tools import asked, which
from acic.errors import AcicError
from acic.kept import kept_at, kept_program, source_digest

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
        AcicError: there is no compiler or a library is missing, so that it cannot be built, or another user may have.
    """
    if found := which(NAME):
        return Path(found)
    here = sources()
    home = kept_at(f"nfsmount-{acic.__version__}-{source_digest(here)}")
    try:
        return kept_program(home, NAME, lambda whole: _build(here, whole))
    except OSError as error:
        raise AcicError(f"cannot build {NAME} in {home.parent}: {error.strerror or error}", hint=_HINT) from error


def lacking() -> str:
    """Return which libraries it cannot be built without are missing; "" if none is, or it is there already."""
    if which(NAME) or not which("pkg-config"):  # a program that is missing is told elsewhere
        return ""
    missing = [name for name in _LIBRARIES if asked(["pkg-config", "--exists", name]).returncode != 0]
    return f"the headers of {' and '.join(missing)} are missing, for NFS" if missing else ""


def _build(here: Path, whole: Path) -> None:
    done = asked(["make", "-s", "-C", str(here), f"BUILD={whole}", "WERROR=", "all"], seconds=_SECONDS)
    if done.returncode != 0:
        told = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_TOLD:])
        raise AcicError(f"cannot build {NAME}: {told}", hint=_HINT)
