"""acic-bench, built and run under a real MPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "native" / "bench"
OK, BAD_COMMAND, WRONG_DATA, FAILED = 0, 1, 2, 255
TIMEOUT = 120  # s; a run that hangs is a failure


@dataclass(frozen=True, slots=True)
class Mpi:
    """An MPI's compiler and launcher."""

    mpicc: Path
    mpiexec: Path

    @property
    def environment(self) -> dict[str, str]:
        """What makes either MPI run as root, with more ranks than cores, on one machine."""
        return os.environ | {
            "PATH": f"{self.mpiexec.parent}:{os.environ['PATH']}",
            "MPIR_CVAR_NOLOCAL": "1",  # MPICH's shared memory spins where ranks outnumber cores
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }


def find_mpi() -> Mpi | None:
    """The MPI named by ACIC_MPICC and ACIC_MPIEXEC, else the one beside this Python (the wheel's), else on PATH."""
    beside = Path(sys.executable).parent
    named = os.environ.get("ACIC_MPICC"), os.environ.get("ACIC_MPIEXEC")
    places = [named, (str(beside / "mpicc"), str(beside / "mpiexec")), ("mpicc", "mpiexec")]
    for compiler, launcher in places:
        found = [shutil.which(program) for program in (compiler, launcher) if program]
        if len(found) == 2 and all(found):
            return Mpi(Path(str(found[0])), Path(str(found[1])))
    return None


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark program (acic-bench, or IOR itself) and the MPI that it was built with."""

    program: Path
    mpi: Mpi

    def command(self, options: str | Iterable[str], ranks: int) -> list[str]:
        words = options.split() if isinstance(options, str) else list(options)
        return [str(self.mpi.mpiexec), "-n", str(ranks), str(self.program), *words]

    def run(
        self, options: str | Iterable[str], *, ranks: int = 2, cwd: Path, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(options, ranks),
            cwd=cwd,
            env=self.mpi.environment | (env or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )

    def do(self, options: str | Iterable[str], *, ranks: int = 2, cwd: Path) -> str:
        """Run, and succeed."""
        done = self.run(options, ranks=ranks, cwd=cwd)
        assert done.returncode == OK, f"{done.args}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def measure(self, options: str, *, ranks: int = 2, cwd: Path, status: int = OK) -> Summary:
        """Run with a JSON summary, and end with `status`."""
        path = cwd / "summary.json"
        words = [*options.split(), "-O", "summaryFormat=JSON", "-O", f"summaryFile={path}"]
        done = self.run(words, ranks=ranks, cwd=cwd)
        assert done.returncode == status, f"{done.args}\n{done.stdout}\n{done.stderr}"
        return Summary(json.loads(path.read_text()), done.stderr)


@dataclass(frozen=True, slots=True)
class Summary:
    """A JSON summary, and what was said on standard error."""

    data: dict[str, Any] = field(repr=False)
    stderr: str

    @property
    def test(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data["tests"][0]
        return found

    @property
    def results(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (self.data if "Replay" in self.data else self.test)["Results"]
        return found

    @property
    def play(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data["Play"]
        return found

    def of(self, access: str) -> list[dict[str, Any]]:
        return [result for result in self.results if result["access"] == access]


def build(mpi: Mpi, folder: Path, target: str) -> None:
    """Make a target; warnings are errors there."""
    command = ["make", "-C", str(SOURCE), "-j2", f"BUILD={folder}", f"MPICC={mpi.mpicc}", target]
    done = subprocess.run(command, env=mpi.environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
