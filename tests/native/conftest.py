"""acic-bench, with the MPI that is there, and acic-nfsmount are compiled once: in a cache folder, and only what changed
since last time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.native import nfs
from tests.native.bench import Bench, Mpi, build, find_mpi
from tests.needs import skip_or_fail


@pytest.fixture(scope="session")
def mpi() -> Mpi:
    found = find_mpi()
    if found is None or not shutil.which("make") or not shutil.which("cc"):
        skip_or_fail("no MPI (pip install mpich), or no make or C compiler")
    return found


@pytest.fixture(scope="session")
def built(mpi: Mpi, pytestconfig: pytest.Config) -> Callable[[str], Path]:
    """Make a target with warnings as errors, and return the folder of all that was made; one worker makes at a time."""
    name = hashlib.sha256(f"{mpi.mpicc.resolve()} {mpi.mpicc.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    folder = pytestconfig.rootpath / ".pytest_cache" / "d" / "acic-bench" / name
    folder.mkdir(parents=True, exist_ok=True)

    def make(target: str) -> Path:
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            build(mpi, folder, target)
        return folder

    return make


@pytest.fixture(scope="session")
def bench(mpi: Mpi, built: Callable[[str], Path]) -> Bench:
    return Bench(built("all") / "acic-bench", mpi)


@pytest.fixture(scope="session")
def ior(mpi: Mpi) -> Bench:
    """IOR itself, where it is; it must be of the same MPI."""
    found = shutil.which("ior")
    if found is None:
        pytest.skip("no ior on PATH to compare with")
    return Bench(Path(found), mpi)


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB, soon full."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=1m tmpfs {folder} 2>/dev/null") != 0:  # noqa: S605 (the folder is ours)
        pytest.skip("only root can mount a small file system")
    yield folder
    os.system(f"umount -l {folder}")  # noqa: S605 (the folder is ours)


@pytest.fixture(scope="session")
def folder(pytestconfig: pytest.Config) -> Path:
    """Where it is built: only what changed since last time; one worker builds at a time."""
    nfs.needed()
    made = pytestconfig.rootpath / ".pytest_cache" / "d" / "acic-nfsmount"
    made.mkdir(parents=True, exist_ok=True)
    with (made / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        nfs.build(made, "sanitized")
    return made


@pytest.fixture
def place(folder: Path, tmp_path: Path) -> Iterator[nfs.Place]:
    with nfs.place(folder / "sanitized" / "acic-nfsmount", tmp_path) as made:
        yield made
        for mounted in made.mounts:
            said = made.log(mounted)
            assert "Sanitizer" not in said, said
            assert "runtime error" not in said, said


@pytest.fixture
def no_shared_memory_left() -> Iterator[None]:
    """MPICH leaves its segments behind when a rank is killed or aborts: take away those that came during the test."""
    folder = Path("/dev/shm")
    before = set(folder.glob("mpich_shm_*"))
    yield
    for segment in set(folder.glob("mpich_shm_*")) - before:
        with suppress(FileNotFoundError):  # another job's, which has just ended
            if segment.stat().st_uid == os.geteuid() and not _in_use(segment):
                segment.unlink()


def _in_use(path: Path) -> bool:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(path) in maps.read_text():
                return True
        except OSError:
            continue
    return False
