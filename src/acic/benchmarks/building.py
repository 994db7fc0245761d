"""acic-bench from the C sources that acic carries: built once for each version and MPI, in the user's cache folder."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import acic
from acic.benchmarks.benchmark import ACIC_BENCH
from acic.errors import InvalidInput, MissingData, with_extra
from acic.kept import cache_folders, is_kept, kept_at, kept_program, source_digest

_FACTS = "built.json"
_SECONDS = 600  # for the compiler
_NO_MPI = f"{with_extra('mpi')}, load your system's MPI, or name its mpicc in ACIC_MPICC"
_NO_MPICC = "name the mpicc of that MPI in ACIC_MPICC, or a program that was built with it in ACIC_BENCH"
_TOLD = 15  # lines of the compiler's output


@dataclass(frozen=True, slots=True)
class Built:
    """A program that was built, and the launcher of the MPI that it was built with."""

    program: Path
    mpiexec: Path | None


def sources() -> Path:
    """Return the folder of acic-bench's sources: carried by the package, or beside it in a checkout."""
    carried = Path(__file__).parent / "native"
    return carried if carried.is_dir() else Path(__file__).parents[3] / "native" / "bench"


def find_mpicc() -> Path | None:
    """Return the MPI compiler named by ACIC_MPICC, else that beside ACIC_MPIEXEC.

    Without these variables it is the one beside this Python, or on PATH.

    Raises:
        InvalidInput: a variable names what is no program.
    """
    if named := os.environ.get("ACIC_MPICC"):
        return _program("ACIC_MPICC", named)
    if named := os.environ.get("ACIC_MPIEXEC"):
        found = shutil.which("mpicc", path=str(_program("ACIC_MPIEXEC", named).parent))
    else:
        found = shutil.which("mpicc", path=str(Path(sys.executable).parent)) or shutil.which("mpicc")
    return Path(found).absolute() if found else None  # make runs elsewhere


def _program(variable: str, named: str) -> Path:
    found = shutil.which(named)
    if found is None:
        raise InvalidInput(f"{variable} names {named}, which is no program", hint=_NO_MPI)
    return Path(found).absolute()


def built(announce: Callable[[str], None] = lambda _: None) -> Built:
    """Return acic-bench for the MPI that is there, built if it was not yet.

    Where there is no compiler, as on compute nodes, one that was built before for this version will do: where
    ACIC_MPIEXEC is set, with the MPI that it names. `announce` is told before one is built.

    Raises:
        MissingData: there is no MPI or no compiler, or it cannot build the program.
        InvalidInput: ACIC_MPICC or ACIC_MPIEXEC names what is no program, or another user may have put one there.
    """
    mpicc, here = find_mpicc(), sources()
    stem = f"bench-{acic.__version__}-{source_digest(here)}"
    if mpicc is None:
        return _built_before(path for folder in cache_folders() for path in folder.glob(f"{stem}-*/{ACIC_BENCH}"))
    home = kept_at(f"{stem}-{_identity(mpicc)}")
    _make(mpicc, here, home, announce)
    made = _facts(home)
    return replace(made, mpiexec=None) if os.environ.get("ACIC_MPIEXEC") else made  # the user's goes first


def _built_before(programs: Iterable[Path]) -> Built:
    """Return the newest; where ACIC_MPIEXEC is set, of those that it starts: processes find one another by one MPI."""
    made = [_facts(program.parent) for program in sorted(programs, key=lambda path: path.stat().st_mtime)]
    beside, hint = "", _NO_MPI
    if named := os.environ.get("ACIC_MPIEXEC"):
        mpiexec = _program("ACIC_MPIEXEC", named).resolve()
        made = [one for one in made if one.mpiexec and one.mpiexec.resolve() == mpiexec]
        beside, hint = f": ACIC_MPIEXEC is {named}, without an mpicc beside it", _NO_MPICC
    if not (made and is_kept(made[-1].program.parent, ACIC_BENCH)):
        raise MissingData(f"there is no ior, and no MPI to build acic-bench with{beside}", hint=hint)
    return made[-1]


def _identity(mpicc: Path) -> str:
    """Return what names an MPI, and the parallel HDF5 that is built in: asking them would start a process."""
    h5pcc = shutil.which("h5pcc")  # by which the Makefile finds it
    return hashlib.sha256(" ".join(map(_described, [mpicc, Path(h5pcc)] if h5pcc else [mpicc])).encode()).hexdigest()[
        :12
    ]


def _described(program: Path) -> str:
    real = program.resolve()
    found = real.stat()
    return f"{program} {real} {found.st_size} {found.st_mtime_ns}"


def _facts(home: Path) -> Built:
    try:
        mpiexec = json.loads((home / _FACTS).read_text())["mpiexec"]
    except (OSError, ValueError, KeyError, TypeError):  # somebody's hand was in the cache
        mpiexec = None
    return Built(home / ACIC_BENCH, Path(mpiexec) if mpiexec else None)


def _make(mpicc: Path, here: Path, home: Path, announce: Callable[[str], None]) -> None:
    def build(whole: Path) -> None:
        announce(f"building acic-bench with {mpicc}; it is kept in {home.parent}")
        _compile(mpicc, here, whole)

    try:
        kept_program(home, ACIC_BENCH, build)
    except OSError as error:
        first = _first(error)
        folder = "name a folder that can be written to"
        if first.errno in (errno.ENOSPC, errno.EDQUOT):
            folder = "free some space there, or name another folder"
        raise MissingData(
            f"cannot build acic-bench in {home.parent}: {first.strerror or first}",
            hint=f"{folder} in ACIC_CACHE, or a program that is built already in ACIC_BENCH",
        ) from error


def _first(error: OSError) -> OSError:
    """Return what kept the first of many files from being copied, where that is why: `shutil.Error` lists them all."""
    listed = error.args[0] if isinstance(error, shutil.Error) and error.args else []
    if not isinstance(listed, list) or not listed or not (told := re.match(r"\[Errno (\d+)\]", str(listed[0][-1]))):
        return error
    number = int(told.group(1))
    return OSError(number, os.strerror(number))


def _compile(mpicc: Path, here: Path, whole: Path) -> None:
    if shutil.which("make") is None:
        raise MissingData("acic-bench cannot be built: there is no make", hint="install make, or put ior on PATH")
    # a copy, since the package's folder may be read-only, and make can do nothing with blanks in a path
    source = whole.parent / "source"
    shutil.copytree(here, source, ignore=shutil.ignore_patterns("build", "test_*"))
    command = ["make", "-C", str(source), f"-j{os.cpu_count() or 1}", f"MPICC={shlex.quote(str(mpicc))}"]
    # a newer compiler may warn of more than the one we build with
    command += ["WERROR=", "BUILD=build"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    status, said = _run(command, environment)
    if status is None:
        raise MissingData(
            f"acic-bench was not built with {mpicc} within {_SECONDS} s",
            hint="try again when the machine is less busy, or put ior on PATH",
        )
    if status != 0:
        said = "\n".join(said.strip().splitlines()[-_TOLD:])
        compiler = "" if any(map(shutil.which, ("cc", "gcc", "clang"))) else "install a C compiler such as gcc, or "
        raise MissingData(
            f"acic-bench cannot be built with {mpicc}:\n{said}",
            hint=f"{compiler}name another MPI's compiler in ACIC_MPICC, or put ior on PATH",
        )
    whole.mkdir()
    shutil.move(source / "build" / ACIC_BENCH, whole / ACIC_BENCH)
    mpiexec = shutil.which("mpiexec", path=str(mpicc.parent))
    (whole / _FACTS).write_text(json.dumps({"mpicc": str(mpicc), "mpiexec": mpiexec}) + "\n")


def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int | None, str]:
    """Return a command's exit status, None if it took too long, and what it said; none of its processes outlives it."""
    import signal
    import subprocess

    with subprocess.Popen(  # noqa: S603  # no shell
        command,
        env=environment,  # that of a make around us would pass its own options on
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said = "".join(process.communicate(timeout=_SECONDS))
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said
