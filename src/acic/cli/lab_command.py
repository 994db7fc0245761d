"""An application's own command line, where `acic verify` is to run it in the lab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from acic.cli.measuring import budget_of
from acic.cli.output import progress, say
from acic.cli.own_command import note_input

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.space import Configuration


def by_lab(
    words: Sequence[str],
    platform: Platform,
    wanted: Sequence[Configuration],
    given: dict[str, Any],
    *,
    search: Mapping[str, Any],
    processes: int,
) -> list[list[tuple[float | None, str]]]:
    """Return, for each configuration, what each round of the command gave: s or USD (None if it failed), and a note.

    `search` has the goal, the rounds, the results in B, a price, or None for the platform's, and the s of the log's
    run, or None where none tells.

    Raises:
        AcicError: as of `Turns` and `LabCommand`, or no such lab is up, or another process works on it.
    """
    from acic.campaign.beside import beside
    from acic.campaign.lab_command import LabCommand, hung_after
    from acic.campaign.turns import Turns
    from acic.cluster.lab import LabFacts
    from acic.filesystems import LAB
    from acic.lab import Lab

    turns = Turns(
        platform,
        wanted,
        budget_of(given["budget"]),
        price=search["price"],
        processes=processes,
        held=1,
        time_limit=given["time_limit"],
        announce=say,
        longest=hung_after(search["run_seconds"]),
    )
    with closing(Lab.open(facts=LabFacts.of(platform.lab))) as lab:
        asked = {"processes": processes, "prepare": given["prepare"] or "", "results": search["results"]}
        runs = LabCommand(words, platform, wanted, lab, turns, **asked)
        if told := beside(LAB):
            say(f"note: {told}")
        note_input()
        with progress("running", total=search["rounds"] * len(wanted)) as seen:
            return runs.measured(search["goal"], search["rounds"], seed=given["seed"], watch=seen)
