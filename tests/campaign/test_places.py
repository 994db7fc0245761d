"""Directories are refused before the first run where its files could not go, or not as configurations say."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from acic.campaign.places import check_directories, same_places
from acic.errors import InvalidInput
from acic.platforms import Platform, parse_platform
from acic.platforms.here import HERE
from acic.platforms.mounts import Storage
from acic.space import Value

SITE = """
name = "site"
title = "A scratch file system and others"
revision = "1"
source = "made up for tests"
date = "2026-11-28"
default_instance = "node"
apply = ["storage", "lustre"]
[baseline]
source = "made up for tests"
date = "2026-11-28"
[baseline.values]
place = "{scratch}"
stripe_count = 1
stripe_size = 1_048_576
[roles]
storage = "place"
[[parameter]]
name = "place"
values = ["{scratch}", "{home}", "{work}/"]
[[parameter]]
name = "stripe_count"
values = [1, 4]
[[parameter]]
name = "stripe_size"
values = [1_048_576, 4_194_304]
[[instance]]
name = "node"
cores = 1
source = "made up for tests"
date = "2026-11-28"
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Return three directories, of which the first is on Lustre."""
    made = {name: tmp_path / name for name in ("scratch", "home", "work")}
    for directory in made.values():
        directory.mkdir()
    table = f"none / ext4 rw 0 0\nnone {made['scratch']} lustre rw 0 0\n"
    monkeypatch.setattr("acic.campaign.places.mount_table", lambda: table)
    return made


def site(places: Mapping[str, Path], more: str = "") -> Platform:
    """Return the platform of these directories, with more in its file."""
    text = SITE
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", str(place))
    return parse_platform(tomllib.loads(text + more))


def rules(hint: str) -> str:
    """Return what a hint says is to be written into the platform's file."""
    return hint[hint.index("\n") :]


def test_stripes_on_one_of_several_storages_that_has_none_are_refused_with_what_to_write(
    places: dict[str, Path],
) -> None:
    """One Lustre file system among them was enough: half of the runs failed, and the budget was gone."""
    with pytest.raises(InvalidInput) as refused:
        check_directories(site(places), Path())
    assert f"{places['home']} and {places['work']}/ are not on lustre" in refused.value.problem
    made = site(places, rules(refused.value.hint))
    check_directories(made, Path())
    assert len(made.space.enumerate()) == 4 + 2


@pytest.mark.parametrize(
    ("rule", "good"),
    [
        ("then = {{ stripe_count = 1, stripe_size = 1_048_576 }}", True),  # as they are: nothing is set
        ("then = {{ stripe_count = 1 }}", False),
        ("then = {{ stripe_count = 4, stripe_size = 1_048_576 }}", False),
    ],
)
def test_only_stripes_unlike_the_baselines_are_set(places: dict[str, Path], rule: str, good: bool) -> None:
    text = "".join(
        f'\n[[constraint]]\nwhen = {{ place = "{one}" }}\n{rule}' for one in (places["home"], f"{places['work']}/")
    )
    made = site(places, text.replace("{{", "{").replace("}}", "}"))
    if good:
        check_directories(made, Path())
    else:
        with pytest.raises(InvalidInput, match="no run there can set stripe_count and stripe_size"):
            check_directories(made, Path())


def test_what_all_runs_have_may_leave_out_a_storage_without_stripes(places: dict[str, Path]) -> None:
    usual: dict[str, Value] = {"stripe_count": 1, "stripe_size": 1_048_576}
    for only in ({"place": str(places["scratch"])}, usual):
        check_directories(site(places), Path(), only)
    with pytest.raises(InvalidInput, match="is not on lustre"):
        check_directories(site(places), Path(), {"place": str(places["home"])})


def test_a_baseline_with_stripes_where_there_are_none_is_named(places: dict[str, Path]) -> None:
    platform = site({**places, "scratch": places["home"], "home": places["scratch"]})
    with pytest.raises(InvalidInput) as refused:
        check_directories(platform, Path())
    assert refused.value.hint.startswith("say so in the platform's file, and leave both out of [baseline.values]:\n")


@pytest.mark.parametrize("here", [True, False])
def test_no_remedy_is_an_option_that_does_nothing(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    """It was `--directory`, which the next command refused, since the configurations choose the storage."""
    monkeypatch.setattr("acic.campaign.places.mount_table", lambda: "none / ext4 rw 0 0\n")
    platform = replace(site(places), given=HERE if here else "site.toml")
    with pytest.raises(InvalidInput, match="is on ext4: what site chooses among are settings of lustre") as refused:
        check_directories(platform, Path())
    remedy = "acic platform detect --storage" if here else "take it out of, or correct, the values of place in the"
    assert remedy in refused.value.hint
    assert "--directory" not in refused.value.hint


def test_what_is_mounted_on_demand_is_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign on an automounted directory could not go on once it was idle: the table had the trigger alone."""
    opened: list[Path] = []
    open_it = os.open

    def mounting(path: Path, flags: int) -> int:
        opened.append(Path(path))
        return open_it(path, flags)

    monkeypatch.setattr("acic.campaign.places.os.open", mounting)

    def described(directory: Path, _: object) -> Storage:
        return Storage(str(directory), "nfs4" if opened else "autofs", str(directory))

    monkeypatch.setattr("acic.campaign.places.describe", described)
    assert same_places({str(tmp_path): ["nfs4", str(tmp_path)]}) == {str(tmp_path): tmp_path.stat().st_dev}
    with pytest.raises(InvalidInput, match="no longer is"):
        same_places({str(tmp_path): ["lustre", str(tmp_path)]})
    assert same_places({"/no/such": ["nfs4", "/no/such"]}) == {}  # who needs it is told elsewhere
