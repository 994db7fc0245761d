"""Logs that were not made with the baseline: their seconds are taken for its, so it is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acic.advisor.advice import Verdict
from acic.advisor.knowledge import Knowledge
from acic.advisor.recommend import recommend
from acic.advisor.recorded import unlike_baseline
from acic.platforms import Platform, load_platform
from acic.platforms.platform import Roles
from acic.space import Configuration, Parameter, Space
from acic.units import MIB
from tests.advisor.conftest import WRITE, application

PHASE = application(WRITE).phases[0]
STRIPES = 4
STORED = Parameter(name="storage", values=("/home/me", "/scratch/me", "/scratch/me/fast"))


def told(platform: Platform, example: str = "", **details: str | int) -> str:
    return " ".join(unlike_baseline([replace(PHASE, example=example, details=details)], platform))


def test_stripes_that_the_baseline_does_not_have_are_told() -> None:
    """A run of 117 s over 24 stripes was the baseline's with one, so that 16 saved 68 s of it."""
    tianhe = load_platform("tianhe-lustre")
    assert told(tianhe, stripe_count=24, stripe_size=MIB).startswith(
        "The log's files had stripe_count 24 (the baseline: 1): its seconds are not those of the baseline of tianhe-"
    )
    both = told(tianhe, stripe_count=24, stripe_size=4 * MIB)
    assert "stripe_count 24 (the baseline: 1) and stripe_size 4 MiB (the baseline: 1 MiB): its" in both
    assert told(tianhe, stripe_count=1, stripe_size=MIB) == told(tianhe) == ""
    wider = replace(tianhe, baseline=Configuration({**tianhe.baseline, "stripe_count": STRIPES}))
    assert told(wider, stripe_count=STRIPES, stripe_size=MIB) == ""
    assert f"(the baseline: {STRIPES})" in told(wider, stripe_count=1, stripe_size=MIB)


@pytest.mark.parametrize(
    ("kernels", "differs"),
    [("lustre", True), ("gpfs", True), ("fuse.glusterfs", True), ("nfs", False), ("nfs4", False), ("ext4", False)],
)
def test_another_file_system_is_told_where_its_name_is_known(cluster: Platform, kernels: str, differs: bool) -> None:
    assert cluster.baseline["file_system"] == "NFS"
    assert ("file_system" in told(cluster, file_system=kernels)) is differs


@pytest.mark.parametrize(
    ("label", "kernels", "differs"),
    [
        ("Storage Scale", "gpfs", False),
        ("EFS", "lustre", False),
        ("scratch", "nfs4", False),
        ("GPFS on NVMe", "gpfs", False),
        ("Lustre (scratch)", "gpfs", True),
    ],
)
def test_a_baseline_by_a_name_that_kernels_do_not_have_may_be_any_of_theirs(
    cluster: Platform, label: str, kernels: str, differs: bool
) -> None:
    """Of a site whose platform says Storage Scale, all logs were told to be of another file system."""
    site = replace(
        cluster,
        space=Space(parameters=(Parameter(name="file_system", values=(label, "other")),)),
        baseline=Configuration(file_system=label),
        roles=Roles(),
        deployment=(),
    )
    assert ("file_system" in told(site, file_system=kernels)) is differs


def test_where_only_some_files_are_elsewhere_the_others_can_be_asked_about(cluster: Platform) -> None:
    home = replace(PHASE, details={"file_system": "nfs", "mount": "/home"})
    scratch = replace(PHASE, details={"file_system": "lustre", "mount": "/scratch"})
    (note,) = unlike_baseline([scratch, home], cluster)
    assert note.startswith("Some of the log's files had file_system Lustre (the baseline: NFS): ")
    assert note.endswith("Say --only /home, where files are as the baseline has them, and the rest stays where it is.")
    for other in ("/", "/scratch"):  # below which those that differ are, too
        (note,) = unlike_baseline([scratch, replace(home, details={**home.details, "mount": other})], cluster)
        assert note.startswith("The log's files had ")
        assert "Say --elsewhere" in note


@pytest.mark.parametrize(
    ("example", "there"),
    [
        ("/scratch/me/run/out", "/scratch/me"),
        ("/scratch/me/fast/out", "/scratch/me/fast"),
        ("/home/me/out", ""),
        ("/scratch/menu/out", ""),
        ("/elsewhere/out", ""),
    ],
)
def test_files_in_another_directory_than_the_baselines_are_told(example: str, there: str, cluster: Platform) -> None:
    stored = replace(
        cluster,
        space=Space(parameters=(STORED,)),
        baseline=Configuration(storage="/home/me"),
        roles=Roles(storage="storage"),
        deployment=(),
    )
    found = told(stored, example)
    assert (f"had storage {there} (the baseline: /home/me)" in found) if there else not found


def test_what_is_saved_over_another_baseline_is_tried_first(cluster: Platform, knowledge: Knowledge) -> None:
    asked = application(WRITE)
    made = replace(asked, phases=(replace(asked.phases[0], details={"file_system": "lustre"}),))
    assert recommend(asked, cluster, knowledge).verdict is Verdict.CHANGE
    advice = recommend(made, cluster, knowledge)
    assert advice.verdict is Verdict.VERIFY
    assert "over a baseline that the log was not made with" in advice.reason
    assert recommend(made, cluster, knowledge, elsewhere=True).verdict is Verdict.CHANGE


def test_it_is_told_once_and_only_where_the_logs_seconds_are_taken(cluster: Platform, knowledge: Knowledge) -> None:
    asked = application(WRITE, replace(WRITE, data_size=16 * MIB), io=(20.0, 20.0))
    asked = replace(asked, phases=tuple(replace(one, details={"file_system": "lustre"}) for one in asked.phases))

    def notes(*, elsewhere: bool = False) -> list[str]:
        advice = recommend(asked, cluster, knowledge, elsewhere=elsewhere)
        return [note for note in advice.notes if "log's files had" in note]

    assert len(notes()) == 1
    assert notes(elsewhere=True) == []
