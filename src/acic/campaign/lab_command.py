"""An application's own command line, run in the lab on one configuration after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from acic.campaign.system import Deployed
from acic.campaign.turns import Took, Turns
from acic.cluster import State
from acic.errors import AcicError, InvalidInput
from acic.filesystems import WHOLE, settings
from acic.lab import Lab
from acic.lab.directories import reclaim
from acic.lab.results import PLACE
from acic.lab.staging import stage_out
from acic.lab.trial import run
from acic.platforms import Platform
from acic.space import Configuration
from acic.units import format_bytes

_LAUNCHERS = {"mpiexec", "mpirun", "mpiexec.hydra", "orterun", "prterun", "srun"}
_ALIKE = 0.1  # of what must last: whole files are copied, and sizes that people tell are rounded


class LabCommand:
    """Runs an application's own command on what is deployed for one configuration after the other, in rounds.

    acic starts its processes on the compute nodes, where this program did. Each run has a directory of its own, which
    takes the place of `{directory}` in the command, and begins with empty caches. Results that would be lost with
    their disks are copied to the archive, which is part of a run's time.

    Args:
        words: of the command, as each process runs it; `check_command` has seen them.
        platform: the lab's.
        wanted: the configurations.
        lab: one that is up.
        turns: has the runs made, and counts them.
        processes: of the application.
        prepare: a shell's command line that makes what a run reads, in its directory, and is not timed; empty for none.
        results: B that must outlive a run.

    Raises:
        AcicError: what an earlier run left cannot be removed.
    """

    def __init__(
        self,
        words: Sequence[str],
        platform: Platform,
        wanted: Sequence[Configuration],
        lab: Lab,
        turns: Turns,
        *,
        processes: int,
        prepare: str,
        results: int,
    ) -> None:
        self._words, self._platform, self._wanted, self._lab, self._turns = words, platform, wanted, lab, turns
        self._processes = processes if processes > 1 else 0  # one alone needs no launcher
        self._prepare, self._results = prepare, results
        reclaim(lab)  # of a run that was killed: it would go on beside what is measured
        self._system = Deployed(lab)

    def measured(
        self, goal: str, rounds: int, *, seed: int, watch: Callable[[int], None]
    ) -> list[list[tuple[float | None, str]]]:
        """Return, for each configuration, what each round gave: s or USD (None if it failed), and a note.

        Args:
            goal: "time" or "cost".
            rounds: how often each is run.
            seed: of the order in each round.
            watch: is told how many runs were made.
        """
        return self._turns.measured(self._run, goal, rounds, seed=seed, watch=watch)

    def _run(self, turn: int, position: int, limit: float) -> Took:  # noqa: ARG002  # rounds are alike
        """Return what one run gave; one that cannot be made costs a run, and not all before it."""
        configuration = self._wanted[position]
        copied: list[_Copied] = []
        done = (lambda directory: copied.append(self._copied(directory))) if self._lost(configuration) else _nothing
        with tempfile.TemporaryDirectory(dir=self._lab.room.names.images) as outputs:
            try:
                self._system.ready(configuration)
                job, ending = run(
                    self._lab,
                    self._words,
                    processes=self._processes,
                    folder=Path(outputs),
                    seconds=limit,
                    prepare=self._prepare,
                    hints=self._hints(configuration),
                    done=done,
                )
            except AcicError as error:
                return Took(None, error.problem)
            if ending.state is not State.DONE or ending.seconds is None:
                return Took(None, "; ".join(filter(None, [ending.reason or str(ending.state), *job.last_said()])))
        staged = sum(one.seconds for one in copied)
        return Took(ending.seconds + staged, "".join(one.told(self._results) for one in copied))

    def _hints(self, configuration: Configuration) -> Mapping[str, str]:
        """Return what it sets for MPI-IO; all else of it is deployed."""
        kinds = [kind for kind in self._platform.apply if kind not in WHOLE]
        machines = self._platform.machines(configuration, max(1, self._processes))
        return settings(kinds, configuration, self._platform.baseline, directory=PLACE, machines=machines).hints

    def _lost(self, configuration: Configuration) -> bool:
        """Return whether what must last has to be copied."""
        return self._results > 0 and self._platform.stages_out(configuration)

    def _copied(self, directory: str) -> _Copied:
        """Copy what must last of what a run left in a node's directory, the newest files first.

        Raises:
            TransientError: that fails.
        """
        site = self._lab.site
        assert site is not None  # noqa: S101  # a run has just ended there
        seen = self._lab.nodes[site.mounted[0]].root / directory.removeprefix("/")
        files = [one for one in seen.rglob("*") if one.is_file() and not one.is_symlink()]
        names, size = [], 0
        for file in sorted(files, key=lambda one: (-one.stat().st_mtime, str(one))):
            if size < self._results:
                names.append(f"{PurePath(directory).name}/{file.relative_to(seen)}")
                size += file.stat().st_size
        return _Copied(stage_out(self._lab, names) if names else 0.0, size)


@dataclass(frozen=True, slots=True)
class _Copied:
    """What was copied of a run's results: the s that it took, and its B."""

    seconds: float
    size: int

    def told(self, wanted: int) -> str:
        """Return that it is another size than `wanted` B, which are predicted with; nothing where it is not."""
        if abs(self.size - wanted) <= _ALIKE * wanted:
            return ""
        return f"{format_bytes(self.size)} of what it left were copied, where {format_bytes(wanted)} must last"


def check_command(words: Sequence[str]) -> None:
    """Refuse a command that cannot be run in the lab as it stands.

    Raises:
        InvalidInput: it does not say where its files go, or starts its processes by itself.
    """
    if not any(PLACE in word for word in words):
        raise InvalidInput(
            "the command does not say where its files go, and only that is on the lab's file system",
            hint=f"write {PLACE} where it names its output directory",
        )
    if (program := PurePath(words[0]).name) in _LAUNCHERS:
        raise InvalidInput(
            f"{program} would start processes on no node of the lab",
            hint="leave it and its options out: as many as the job has (--processes) are started on all compute nodes",
        )


def _nothing(directory: str) -> None:
    pass
