"""What is told of a job that waits in a scheduler's queue."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.campaign.view import View
from acic.campaign.waiting import HOPELESS, PATIENCE, Waiting
from acic.cluster import Ending, Job, Refused, State, Withdrawn

DOWN = Ending(state=State.QUEUED, reason="PartitionDown")
FULL = Ending(state=State.QUEUED, reason="Resources")
RUNNING = Ending(state=State.RUNNING)
VIEW = View(0, 16, 0, 0.0, 0.0, 0.0, "screening: POSIX write")


class Follower:
    """Follows jobs by a clock that only it moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.enough = ""
        self.said: list[str] = []
        self.shown: list[str] = []
        self.noted: list[str] = []
        self.waiting = Waiting(
            "slurm",
            announce=self.said.append,
            watch=lambda view: self.shown.append(view.doing),
            note=self.noted.append,
            enough=lambda: self.enough,
            clock=lambda: self.now,
        )

    def see(self, name: str, *endings: Ending, after: float = PATIENCE) -> None:
        job = Job(name=name, command=("true",), processes=1, folder=Path(), time_limit=1.0)
        for ending in endings:
            self.waiting.follow(job, ending)
            self.now += after


@pytest.fixture
def follower() -> Follower:
    made = Follower()
    made.waiting.show(VIEW)
    return made


def test_a_job_that_waits_is_told_with_the_schedulers_reason(follower: Follower) -> None:
    """A campaign whose partition was down said nothing for as long as it waited, and looked like a dead one."""
    follower.see("n5-0-measure", DOWN, DOWN, DOWN)
    assert follower.said == ["job n5-0-measure waits in slurm's queue: PartitionDown"]
    follower.see("n5-0-measure", FULL, DOWN, FULL)
    assert follower.said[1:] == ["job n5-0-measure waits in slurm's queue: Resources"]
    follower.see("n5-0-check", FULL, FULL)
    assert len(follower.said) == 2  # where every job waits for a minute, no line for each


def test_what_waits_shortly_or_runs_is_not_told(follower: Follower) -> None:
    follower.see("n5-0-measure", FULL, FULL, RUNNING, after=0.4 * PATIENCE)
    follower.see("n5-0-measure", RUNNING, RUNNING)
    follower.see("n5-1-measure", FULL, RUNNING)  # the patience with each begins anew
    assert follower.said == []
    assert follower.shown == [VIEW.doing]


def test_the_progress_shows_a_job_that_waits_for_as_long_as_it_does(follower: Follower) -> None:
    """The bar stood still, with nothing that told a run from a wait."""
    waits = "waits in slurm's queue: PartitionDown"
    follower.see("n5-0-measure", DOWN, DOWN, DOWN, RUNNING, RUNNING)
    assert follower.shown == [VIEW.doing, waits, waits, VIEW.doing]
    follower.see("n5-1-measure", DOWN, DOWN)
    follower.waiting.show(VIEW)  # the next run, where nobody saw that one run
    follower.see("n5-2-measure", RUNNING)
    assert follower.shown[4:] == [waits, VIEW.doing]


def test_a_scheduler_that_gives_no_reason(follower: Follower) -> None:
    follower.see("n5-0-measure", *[Ending(state=State.QUEUED)] * 2)
    assert follower.said == ["job n5-0-measure waits in slurm's queue"]


def test_what_a_job_waits_for_is_noted_whenever_it_changes_and_taken_back(follower: Follower) -> None:
    """`acic campaign status` told nothing of it: it was said where the controller ran, once, and nowhere else."""
    follower.see("n5-0-measure", DOWN, DOWN, DOWN, FULL, RUNNING, RUNNING)
    assert follower.noted == [
        "job n5-0-measure waits in slurm's queue: PartitionDown",
        "job n5-0-measure waits in slurm's queue: Resources",
        "",
    ]
    follower.see("n5-1-measure", DOWN, DOWN)
    follower.waiting.show(VIEW)  # the next run, where nobody saw that one run
    assert follower.noted[3:] == ["job n5-1-measure waits in slurm's queue: PartitionDown", ""]


@pytest.mark.parametrize("reason", ["PartitionTimeLimit", "PartitionNodeLimit", "QOSMaxWallDurationPerJobLimit"])
def test_what_no_waiting_cures_is_told_with_what_was_asked_for(follower: Follower, reason: str) -> None:
    """It waited for ever, and one word of Slurm's was all that was said."""
    never = Ending(state=State.QUEUED, reason=reason)
    follower.see("n5-0-measure", never, never)
    (told,) = follower.said
    assert f"{reason} (it asks for 60 s on 1 of its machines: see --time-limit or --budget, --nodes" in told


NEVER = "Can Never Run: Insufficient amount of resource: ncpus (R: 4 A: 2 T: 2)"


@pytest.mark.parametrize(
    "reason",
    [NEVER, "PartitionTimeLimit", "QOSMaxWallDurationPerJobLimit", "AssocMaxNodePerJobLimit", "BadConstraints"],
)
def test_a_job_that_never_runs_does_not_wait_for_the_budget_to_end(follower: Follower, reason: str) -> None:
    never = Ending(state=State.QUEUED, reason=reason)
    follower.see("n5-0-measure", *[never] * 4, after=HOPELESS / 4)
    with pytest.raises(Refused) as caught:
        follower.see("n5-0-measure", never)
    asked = "(it asks for 60 s on 1 of its machines: see --time-limit or --budget, --nodes, and --queue)"
    assert caught.value.problem == f"the job n5-0-measure never runs, as slurm says: {reason} {asked}"


def test_what_a_scheduler_says_of_a_moment_is_waited_for(follower: Follower) -> None:
    """A comment stays until the next cycle, nodes come back, and a job that runs is not to be taken back."""
    never, half = Ending(state=State.QUEUED, reason=NEVER), HOPELESS / 2
    follower.see("n5-0-measure", never, never, FULL, never, FULL, never, after=half)
    follower.see("n5-1-measure", never, never, after=half)
    down = Ending(state=State.QUEUED, reason="PartitionNodeLimit")
    follower.see("n5-2-measure", *[down] * 9, never, RUNNING, RUNNING, RUNNING, after=half)
    follower.see("n5-3-measure", *[Ending(state=State.QUEUED, reason="QOSGrpNodeLimit")] * 9)


def test_a_job_in_a_queue_is_taken_back_when_that_is_enough_and_one_that_runs_is_not(follower: Follower) -> None:
    """A pause, and the end of a budget, waited for a partition that was down."""
    follower.see("n5-0-measure", DOWN)
    follower.enough = "somebody asked for it"
    follower.see("n5-0-measure", RUNNING)
    with pytest.raises(Withdrawn, match="somebody asked for it, while the job n5-0-measure"):
        follower.see("n5-0-measure", DOWN)
