"""The MPI launcher: where it is, whose it is, and what each needs to be told."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acic.errors import InvalidInput, with_extra

_HINT = f"{with_extra('mpi')}, or name yours in ACIC_MPIEXEC"
# A shell line that tells the cores; without these variables, by which users say how many threads of OpenMP they want.
COUNT_CORES = "unset OMP_NUM_THREADS OMP_THREAD_LIMIT; nproc"
# A shell around each rank: of a signal N, Hydra says exit status N; of a program that is not there, 255 (Open MPI 66).
# Standard input is at its end, which the launcher's own may not be (see `direct.Start`).
_HONEST = ("/bin/sh", "-c", '"$@" </dev/null; exit $?', "sh")

# What Open MPI is told to leave alone: else it would take the nodes of a batch job that the controller may be in, and
# fail. Names that a version does not know do no harm. Source: the components of ORTE (4.1) and PRTE (5).
_OWN_MACHINES = (
    "--mca",
    "ras",
    "^slurm,tm,pbs,lsf,gridengine,alps,flux",
    "--mca",
    "plm",
    "^slurm,tm,pbs,lsf,alps,pals",
)
_CROWDED = ("--map-by", "slot:OVERSUBSCRIBE")  # Open MPI refuses more ranks than cores without


class Kind(StrEnum):
    """Whose launcher it is."""

    MPICH = "MPICH"  # Hydra, also that of Intel MPI and MVAPICH
    OPEN_MPI = "Open MPI"


@dataclass(frozen=True, slots=True)
class Launcher:
    """An `mpiexec`.

    Args:
        program: its path.
        kind: whose it is.
    """

    program: Path
    kind: Kind

    def here(self, command: Sequence[str], processes: int) -> list[str]:
        """Return what starts `processes` of `command` on this machine."""
        if self.kind is Kind.MPICH:
            # else Hydra would take the nodes of a batch job that the controller may be in
            options = ["-launcher", "fork", "-rmk", "user", "-hosts", "localhost"]
        else:
            options = [*self.as_root(), *_OWN_MACHINES, "--host", f"localhost:{processes}", *_CROWDED]
        return [str(self.program), *options, "-n", str(processes), *_HONEST, *command]

    def there(self, command: Sequence[str], placed: Mapping[str, int], agent: Path) -> list[str]:
        """Return what starts `command` on other hosts, as many processes on each as `placed` says, through `agent`."""
        hosts = ",".join(f"{host}:{number}" for host, number in placed.items())
        if self.kind is Kind.MPICH:
            options = ["-launcher", "ssh", "-launcher-exec", str(agent), "-rmk", "user", "-hosts", hosts]
        else:
            # Open MPI 5 hangs at the end when its daemons leave the session
            options = [*self.as_root(), *_OWN_MACHINES, "--leave-session-attached", "--host", hosts, *_CROWDED]
        return [str(self.program), *options, "-n", str(sum(placed.values())), *_HONEST, *command]

    def in_allocation(self, command: Sequence[str], processes: int, nodes: int) -> list[str]:
        """Return what starts `processes` of `command` on the `nodes` that a scheduler gave, which it finds itself.

        Each node has room for as many as the fullest one is to have. Where they do not come out even, a launcher would
        fill one node after the other, and leave the last ones empty; so it goes round.
        """
        start = [str(self.program), *self.as_root()]
        if processes % nodes and self.kind is Kind.MPICH:
            # Intel's would else keep to the scheduler's own distribution
            start = ["env", "I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=0", *start, "-ppn", "1"]
        elif processes % nodes:
            start += ["--map-by", "node"]
        return [*start, "-n", str(processes), *_HONEST, *command]

    def by_hand(self, command: Sequence[str], processes: int) -> list[str]:
        """Return what a person types to start `processes` of `command`, also where these outnumber the cores."""
        options = [] if self.kind is Kind.MPICH else [*self.as_root(), *_CROWDED]
        return [str(self.program), *options, "-n", str(processes), *command]

    def over_ssh(self, agent: Path) -> dict[str, str]:
        """Return the variables by which the launcher is told to call `agent` in place of ssh."""
        if self.kind is Kind.MPICH:
            return {}
        ways = ("PRTE_MCA_plm_ssh", "OMPI_MCA_plm_rsh")  # Open MPI 5, 4
        return {f"{way}_agent": str(agent) for way in ways} | {f"{way}_no_tree_spawn": "1" for way in ways}

    def as_root(self) -> list[str]:
        """Return what it must be told when root runs it."""
        return ["--allow-run-as-root"] if self.kind is Kind.OPEN_MPI and os.geteuid() == 0 else []

    def environment(self, processes: int, cores: int) -> dict[str, str]:
        """Return what the ranks need where `processes` of them share `cores`; what the user set goes before it."""
        return {} if processes <= cores else self.crowded()

    def crowded(self) -> dict[str, str]:
        """Return what ranks need that outnumber the cores."""
        if self.kind is Kind.MPICH:
            return {"MPIR_CVAR_NOLOCAL": "1"}  # its shared memory spins: 1000 times slower when ranks outnumber cores
        return {"OMPI_MCA_mpi_yield_when_idle": "1"}


def find_launcher(given: Path | None = None) -> Launcher:
    """Return the launcher that is given, else that of ACIC_MPIEXEC, beside this Python (the wheel's), or on PATH.

    Raises:
        InvalidInput: there is none, or it is neither MPICH's nor Open MPI's.
    """
    if given is not None:
        return open_launcher(given)
    named = os.environ.get("ACIC_MPIEXEC")
    if named:
        found = shutil.which(named)
        if found is None:
            raise InvalidInput(f"ACIC_MPIEXEC names {named}, which is no program", hint=_HINT)
    else:
        found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
        if found is None:
            raise InvalidInput("there is no mpiexec on this machine", hint=_HINT)
    return open_launcher(Path(found).absolute())  # jobs start elsewhere


@functools.cache
def open_launcher(program: Path) -> Launcher:
    """Return the launcher `program`, asked whose it is.

    Raises:
        InvalidInput: it does not run, or is neither MPICH's nor Open MPI's.
    """
    try:
        done = subprocess.run(  # noqa: S603  # a path, no shell
            [program, "--version"], capture_output=True, text=True, errors="replace", check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"{program} does not run: {error}", hint=_HINT) from error
    text = done.stdout + done.stderr
    if any(word in text for word in ("HYDRA", "Hydra", "Intel(R) MPI")):
        return Launcher(program, Kind.MPICH)
    if any(word in text for word in ("Open MPI", "OpenRTE", "PRRTE", "prte")):
        return Launcher(program, Kind.OPEN_MPI)
    raise InvalidInput(f"{program} is neither MPICH's nor Open MPI's", hint="name one of these in ACIC_MPIEXEC")
