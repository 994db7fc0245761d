"""Platform files of a site: names for all its users, and nothing that others can change."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from acic.errors import AcicError, InvalidInput
from acic.platforms import bundled_platform, load_platform, platform_files, platform_names
from acic.platforms.own_file import kept_file, kept_name
from acic.platforms.site import site_folder
from tests.cli.conftest import Result, calling


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a site that has none yet, of a user who has described nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("ACIC_PLATFORMS", str(tmp_path / "site"))
    return tmp_path / "site"


@pytest.fixture
def acic(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    return calling(capsys)


def text(name: str, of: str = "ec2-2013") -> str:
    """A platform file with facts of one that comes with acic."""
    whole = resources.files("acic.platforms").joinpath("data", f"{of}.toml").read_text()
    return whole.replace(f'name = "{of}"', f'name = "{name}"', 1)


def put(folder: Path, name: str, content: str) -> Path:
    folder.mkdir(mode=0o755, exist_ok=True)
    file = folder / f"{name}.toml"
    file.write_text(content)
    file.chmod(0o644)
    folder.chmod(0o755)  # whatever the umask
    return file


def test_a_platform_of_the_site_has_a_name_as_those_that_come_with_acic(
    site: Path, acic: Callable[..., Result]
) -> None:
    file = put(site, "mycluster", text("mycluster"))
    put(site, ".unfinished", "name =")
    found = load_platform("mycluster")
    assert (found.name, found.argument) == ("mycluster", "mycluster")
    assert platform_files() == {"mycluster": file, **dict.fromkeys(platform_names())}
    told = acic("platform", "list", "--json").json
    assert {one["name"]: one["file"] for one in told["platforms"]} == {
        "mycluster": str(file),
        **dict.fromkeys(platform_names()),
    }
    assert told["skipped"] == []
    with pytest.raises(InvalidInput, match="no platform 'moon'") as caught:
        load_platform("moon")
    assert "lab, mycluster, tianhe-lustre" in caught.value.hint


def test_the_folder_is_that_of_the_systems_settings_unless_one_is_named(
    site: Path, monkeypatch: pytest.MonkeyPatch, acic: Callable[..., Result]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_DIRS", f"{site.parent}:/nowhere")
    assert site_folder() == site
    assert f"there is no folder {site} to look into, which ACIC_PLATFORMS names" in acic("platform", "list").err
    monkeypatch.delenv("ACIC_PLATFORMS")
    assert site_folder() == site.parent / "acic" / "platforms"
    assert acic("platform", "list").err == ""


@pytest.mark.parametrize("before", ["/nowhere", "", "relative", "/nowhere:/dev/null"])
def test_of_several_folders_of_settings_the_first_that_has_platforms_counts(
    site: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """Desktops put theirs before /etc/xdg: in a remote one a site's platforms were gone, and copies were acic's own."""
    monkeypatch.delenv("ACIC_PLATFORMS")
    monkeypatch.setenv("XDG_CONFIG_DIRS", f"{before}:{site.parent}")
    assert site_folder() == (Path("/nowhere") if "nowhere" in before else site.parent) / "acic" / "platforms"
    (site.parent / "acic").mkdir()
    file = put(site.parent / "acic" / "platforms", "mycluster", text("mycluster"))
    assert site_folder() == file.parent
    assert platform_files()["mycluster"] == file


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("name = ", "is not TOML"),
        (text("another"), "is called 'another'"),
        (text("broken").replace("default_instance", "default_instanze"), "has no 'default_instanze'"),
    ],
)
def test_a_broken_file_is_told_by_its_path_and_stops_no_other(
    site: Path, acic: Callable[..., Result], content: str, why: str
) -> None:
    put(site, "mycluster", text("mycluster"))
    file = put(site, "broken", content)
    with pytest.raises(AcicError, match=why) as caught:
        load_platform("broken")
    assert str(file) in caught.value.problem
    assert caught.value.hint
    assert load_platform("mycluster").name == "mycluster"
    listed = acic("platform", "list", "--json")
    assert listed.status == 0
    assert {one["name"] for one in listed.json["platforms"]} == {"mycluster", *platform_names()}
    assert [(one["name"], one["file"]) for one in listed.json["skipped"]] == [("broken", str(file))]
    assert why in listed.err


@pytest.mark.parametrize("what", ["folder", "file", "link", "owner"])
def test_what_others_can_change_is_read_by_its_path_alone(site: Path, tmp_path: Path, what: str) -> None:
    """Commands that users type, and that campaigns run, are made of it."""
    file = put(site, "mycluster", text("mycluster"))
    if what == "link":
        theirs = put(tmp_path / "theirs", "mycluster", text("mycluster"))
        file.unlink()
        file.symlink_to(theirs)
        assert load_platform("mycluster").name == "mycluster"  # as long as it leads to what is trusted
        theirs.chmod(0o666)
    elif what == "owner":
        if os.getuid() != 0:
            pytest.skip("only root can give a file to somebody else")
        os.chown(file, 65534, 65534)
    else:
        (site if what == "folder" else file).chmod(0o775)
    with pytest.raises(InvalidInput, match=f"{file} is not read") as caught:
        load_platform("mycluster")
    assert f"--platform {file}" in caught.value.hint
    assert load_platform(str(file)).name == "mycluster"


def test_a_sites_copy_goes_before_what_comes_with_acic_if_it_says_so(site: Path, acic: Callable[..., Result]) -> None:
    changed = text("lab", "lab").replace("\nrevision = ", "\nrevision = 'mine'  # ", 1)
    file = put(site, "lab", changed)
    with pytest.raises(InvalidInput, match=f"the platform of {file} is called 'lab', as a platform") as caught:
        load_platform("lab")
    assert 'copy_of = "lab"' in caught.value.hint
    assert acic("data", "list", "--bundled").status == 0
    put(site, "lab", f'copy_of = "lab"\n{changed}')
    assert load_platform("lab").revision == "mine"
    assert bundled_platform("lab").revision != "mine"
    assert platform_files()["lab"] == file


def test_the_users_own_goes_before_the_sites(site: Path) -> None:
    kept_file().parent.mkdir(parents=True)
    kept_file().write_text(text("mycluster"))
    assert kept_name() == "mycluster"
    put(site, "mycluster", text("mycluster", "tianhe-lustre"))
    assert "servers" in load_platform("mycluster").space.names
    kept_file().write_text(text("mycluster").replace("default_instance", "default_instanze"))
    for name in ("mycluster", "here"):
        with pytest.raises(InvalidInput, match="default_instanze") as caught:  # which was told of the site's file
            load_platform(name)
        assert caught.value.problem.startswith(f"{kept_file()}: ")
