"""acic-bench is compiled once, with the MPI that is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.native.bench import Bench, Mpi, build, find_mpi, skip_or_fail


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark these as slow: they compile, start MPI jobs by the dozen, and need an MPI that the lock does not bring."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def mpi() -> Mpi:
    found = find_mpi()
    if found is None or not shutil.which("make") or not shutil.which("cc"):
        skip_or_fail("no MPI (pip install mpich), or no make or C compiler")
        raise AssertionError
    return found


@pytest.fixture(scope="session")
def bench(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("acic-bench")
    build(mpi, folder, "all")
    return Bench(folder / "acic-bench", mpi)


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
    if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=1m tmpfs {folder} 2>/dev/null") != 0:  # noqa: S605
        pytest.skip("only root can mount a small file system")
    yield folder
    os.system(f"umount -l {folder}")  # noqa: S605


@pytest.fixture
def no_shared_memory_left() -> Iterator[None]:
    """MPICH leaves its segments behind when a rank is killed or aborts: take away those that came during the test."""
    folder = Path("/dev/shm")  # noqa: S108
    before = set(folder.glob("mpich_shm_*"))
    yield
    for segment in set(folder.glob("mpich_shm_*")) - before:
        if segment.stat().st_uid == os.geteuid() and not _in_use(segment):
            segment.unlink(missing_ok=True)


def _in_use(path: Path) -> bool:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(path) in maps.read_text():
                return True
        except OSError:
            continue
    return False
