"""An application's own command line, run in the lab on one configuration after the other."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from acic.campaign.answering import answered
from acic.campaign.own_command import check_quotes, programs
from acic.campaign.system import Deployed
from acic.campaign.turns import DAY, Took, Turns
from acic.cluster import State
from acic.cluster.others import TAKEN, ProcessorTime, processor_time_beside
from acic.errors import AcicError, InvalidInput, on_one_line
from acic.filesystems import WHOLE, settings
from acic.lab import Lab
from acic.lab.directories import reclaim
from acic.lab.results import PLACE
from acic.lab.staging import stage_out
from acic.lab.trial import run
from acic.platforms import Platform
from acic.space import Configuration
from acic.units import format_bytes

_LAUNCHER = re.compile(
    r"(mpiexec|mpirun)(\.(hydra|gforker|mpich|openmpi))?|mpirun_rsh|orterun|prterun|srun|aprun|jsrun|ibrun"
)
_TIMES, _LEAST = 20.0, 600.0  # what a run takes at most, of what it took elsewhere, and the least of that, s
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
        look: tells what became of the machine's processors; None: from what the kernel and its processes tell.

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
        look: Callable[[], ProcessorTime] | None = None,
    ) -> None:
        self._words, self._platform, self._wanted, self._lab, self._turns = words, platform, wanted, lab, turns
        self._processes = processes if processes > 1 else 0  # one alone needs no launcher
        self._prepare, self._results = prepare, results
        self._look = look or (lambda: processor_time_beside(lab.processes()))
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
        until = time.monotonic() + self._turns.left(position)
        configuration = self._wanted[position]
        copied: list[_Copied] = []
        looks: list[ProcessorTime] = []
        done = (lambda directory: copied.append(self._copied(directory))) if self._lost(configuration) else _nothing
        try:
            with tempfile.TemporaryDirectory(dir=self._lab.room.names.images) as outputs:
                self._system.ready(configuration)
                job, ending = run(
                    self._lab,
                    self._words,
                    processes=self._processes,
                    folder=Path(outputs),
                    seconds=limit,
                    until=until,
                    prepare=self._prepare,
                    hints=self._hints(configuration),
                    begun=lambda _: looks.append(self._look()),
                    ended=lambda _: looks.append(self._look()),
                    done=done,
                )
                if ending.state is not State.DONE or ending.seconds is None:
                    return Took(None, "; ".join(filter(None, [ending.reason or str(ending.state), *job.last_said()])))
        except (AcicError, OSError) as error:
            return Took(None, on_one_line(error))
        before, after = looks
        notes = [_beside(after.taken_since(before)), *(one.told(self._results) for one in copied)]
        return Took(ending.seconds + sum(one.seconds for one in copied), "; ".join(filter(None, notes)))

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
            TransientError: that fails, or the file system does not answer.
            OSError: or it gives an error.
        """
        site = self._lab.site
        assert site is not None  # noqa: S101  # a run has just ended there
        seen = self._lab.nodes[site.mounted[0]].root / directory.removeprefix("/")
        names, size = answered(partial(_newest, seen, self._results))
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


def check_command(words: Sequence[str], *, prepared: bool) -> None:
    """Refuse a command that cannot be run in the lab as it stands.

    Args:
        words: of the command.
        prepared: whether something runs before, which may make the program.

    Raises:
        InvalidInput: it does not say where its files go, starts its processes by itself, is quoted as one word, or is
            no program.
    """
    check_quotes(words)
    if not any(PLACE in word for word in words):
        raise InvalidInput(
            "the command does not say where its files go, and only that is on the lab's file system",
            hint=f"write {PLACE} where it names its output directory",
        )
    if program := next((name for name in programs(words) if _LAUNCHER.fullmatch(name)), None):
        raise InvalidInput(
            f"{program} would start processes on no node of the lab",
            hint="leave it and its options out: as many as the job has (--processes) are started on all compute nodes",
        )
    if not prepared and PLACE not in words[0] and shutil.which(words[0]) is None:
        raise InvalidInput(
            f"there is no program {words[0]}",
            hint="give the path of one that can be run, from where you stand; --prepare may make it",
        )


def hung_after(run_seconds: float | None) -> float:
    """Return the s after which a run hangs, by those that its log tells; a day where none does."""
    return DAY if run_seconds is None else max(_LEAST, _TIMES * run_seconds)


def _newest(seen: Path, wanted: int) -> tuple[list[str], int]:
    """Return files below a directory, the newest first, until they have so many B, as its parent names them; their B.

    Raises:
        OSError: the file system gives an error.
    """
    files = [(one, one.stat()) for one in seen.rglob("*") if one.is_file() and not one.is_symlink()]
    names, size = [], 0
    for file, told in sorted(files, key=lambda one: (-one[1].st_mtime, str(one[0]))):
        if size < wanted:
            names.append(str(file.relative_to(seen.parent)))
            size += told.st_size
    return names, size


def _beside(taken: float) -> str:
    """Return that others got so much of the processor time, where that is more than nothing."""
    return f"others got {taken:.0%} of the processor time" if taken > TAKEN else ""


def _nothing(directory: str) -> None:
    pass
