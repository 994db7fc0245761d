"""An application's own command line, where `acic verify` is given one."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from acic.cli.measuring import budget_of, note_open_mpi, note_own_hints, where_of
from acic.cli.output import progress, say
from acic.cli.unused_options import refuse_typed

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.space import Configuration

_USELESS = {"shrink", "verify", "name", "contributor", "resume", "benchmark"}  # of a campaign, or of the replica


def check_options() -> None:
    """Raise InvalidInput where an option was typed that does nothing for an application's own command."""
    refuse_typed("beside a command of one's own", _USELESS)


def by_command(
    words: Sequence[str],
    platform: Platform,
    wanted: Sequence[Configuration],
    given: dict[str, Any],
    *,
    search: Mapping[str, Any],
    processes: int,
) -> list[list[tuple[float | None, str]]]:
    """Return, for each configuration, what each round of the command gave: s or USD (None if it failed), and a note.

    `search` has the goal, the rounds and a price, or None for the platform's.

    Raises:
        InvalidInput: as `OwnCommand` does.
    """
    from acic.campaign.beside import beside
    from acic.campaign.own_command import OwnCommand
    from acic.campaign.request import LOCAL

    where, budget = where_of(given, platform), budget_of(given["budget"])
    how = {"price": search["price"], "processes": processes, "time_limit": given["time_limit"]}
    runs = OwnCommand(words, platform, wanted, where, budget, **how, announce=say)
    if told := beside(where.runner):
        say(f"note: {told}")
    note_own_hints()
    note_input()
    if platform.hints:
        note_open_mpi()
        if where.runner == LOCAL:  # what a scheduler's jobs take over acic itself hands on
            _note_srun()
    _note_tasks(where.runner, where.nodes, processes)
    with progress("running", total=search["rounds"] * len(wanted)) as seen:
        return runs.measured(search["goal"], search["rounds"], seed=given["seed"], watch=seen)


def _note_srun() -> None:
    """Say that `srun` passes no hints on in a batch job that was to take over no environment.

    Source: sbatch(1), --export; srun(1), SLURM_EXPORT_ENV.
    """
    from acic.filesystems.hints import HINTS_VARIABLE

    passed = os.environ.get("SLURM_EXPORT_ENV", "ALL")
    if not {"ALL", HINTS_VARIABLE} & set(passed.upper().split(",")):
        say(
            f"note: SLURM_EXPORT_ENV={passed} keeps srun from passing {HINTS_VARIABLE} on, "
            "so that no run that it starts takes its hints: unset SLURM_EXPORT_ENV"
        )


def _note_tasks(runner: str, nodes: int, processes: int) -> None:
    """Say where a scheduler is asked for more processes than there are: only Slurm is told how many it are in all."""
    from acic.campaign.request import LOCAL, SSH

    if runner not in (LOCAL, SSH, "slurm") and processes % nodes:
        each = -(-processes // nodes)
        say(
            f"note: {runner} is asked for {each} processes on each of {nodes} nodes: a launcher that is told no number "
            f"starts {each * nodes}; tell it: -- mpiexec -n {processes} ..."
        )


def note_input() -> None:
    """Say that no run reads what this program is given on standard input, where that is a file or a pipe."""
    with suppress(OSError):  # there is none
        mode = os.fstat(0).st_mode
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
            say(
                "note: no run gets anything on standard input; where the command reads it, "
                "give it a file in each run: -- sh -c './app < input'"
            )
