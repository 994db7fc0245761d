"""Finding platforms: this machine, files of users, those of their site, and those that come with acic."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from importlib import resources
from pathlib import Path

from acic.errors import InvalidInput
from acic.platforms.here import HERE, find_machine, platform_text
from acic.platforms.own_file import is_described, kept_file, kept_name, remedy_of
from acic.platforms.parsing import parse_platform
from acic.platforms.platform import Platform
from acic.platforms.site import site_file, site_names, site_text
from acic.toml import parsed
from acic.whole import text_of


def platform_names() -> list[str]:
    """Return the names of the platforms that come with acic."""
    folder = resources.files("acic.platforms").joinpath("data")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def platform_files() -> dict[str, Path | None]:
    """Return what has a name here, each with the file that it is read from; None for what comes with acic."""
    own = {HERE: kept_file()} if is_described() else {}
    site = {name: site_file(name) for name in site_names()}
    return {**own, **site, **{name: None for name in platform_names() if name not in site}}


def load_platform(name: str) -> Platform:
    """Return the platform called `name`, the one in the TOML file at that path, or this machine for "here".

    This machine is as the user's own platform file of it says, or where there is none, as it is found now. The name in
    that file is one of its names too. What the site has by a name goes before what comes with acic.

    Raises:
        InvalidInput: no such platform, or a file that lacks something, or has something that cannot be right.
        UnreadableInput: the file is missing or no TOML.
    """
    made = read_platform(platform_source(name), name)
    if name not in platform_names() or name in site_names():
        _check_name(made)
    return made


def bundled_platform(name: str) -> Platform:
    """Return the platform of that name that comes with acic, whatever the site has by it."""
    return read_platform(_bundled_text(name), name)


def _check_name(platform: Platform) -> None:
    """Refuse a file with a name that is taken, or not the file's: what is measured on either would count for both."""
    name, file = platform.name, _told(platform.given)
    if platform.given in site_names() and name != platform.given:
        raise InvalidInput(f"the platform of {file} is called {name!r}", hint=f"its file has to be {name}.toml")
    if name == HERE and is_platform_file(platform.given):
        raise InvalidInput(
            f"the platform of {file} is called {name!r}, as this machine is", hint="give it another name"
        )
    if name in platform_names() and not platform.copy_of and platform != bundled_platform(name):
        raise InvalidInput(
            f"the platform of {file} is called {name!r}, as a platform that comes with acic",
            hint=f'give it another name, or if its measurements are those of {name} too, add copy_of = "{name}"',
        )


def is_platform_file(name: str) -> bool:
    """Return whether what stands for a platform is the path of a file, rather than a name."""
    return name.lower().endswith(".toml")


def platform_source(name: str) -> str:
    """Return the platform file (TOML) of a name, as `load_platform` takes it.

    Raises:
        InvalidInput: no such platform.
        UnreadableInput: the file is missing.
    """
    if is_platform_file(name):
        return text_of(Path(name))
    if _is_own(name):
        return text_of(kept_file()) if is_described() else platform_text(find_machine(), today=date.today())
    if name in (site := site_names()):
        return site_text(name)
    if name in (known := platform_names()):
        return _bundled_text(name)
    names = ", ".join(sorted({*known, *site}))
    raise InvalidInput(
        f"there is no platform {name!r}",
        hint=remedy_of(name) or f"use one of {names}, {HERE}, or give the path of a platform file (.toml)",
    )


def read_platform(text: str, name: str) -> Platform:
    """Return the platform that a platform file's text describes; `name` is for errors and hints.

    Raises:
        InvalidInput: it lacks something, or has something that cannot be right.
        UnreadableInput: it is no TOML.
    """
    told = _told(name)
    content = parsed(text, told, hint="correct the TOML; docs/platforms.md shows a complete file")
    try:
        made = replace(parse_platform(content), given=name)
    except InvalidInput as error:
        raise InvalidInput(f"{told}: {error.problem}", hint=error.hint) from error
    if made.compute_nodes is None and (made.name == HERE or made.name.startswith(f"{HERE}-")):
        return replace(made, compute_nodes=1)  # which files of one machine did not always tell
    return made


def _told(name: str) -> str:
    """Return what errors call the platform file of a name: the one that is read has to be found by who keeps it."""
    if _is_own(name):
        return str(kept_file()) if is_described() else name
    return str(site_file(name)) if name in site_names() else name


def _is_own(name: str) -> bool:
    """Return whether a name is this machine's: `here`, or that in the user's own file, which measurements bear."""
    return name == HERE or (name not in platform_names() and name == kept_name())


def _bundled_text(name: str) -> str:
    return resources.files("acic.platforms").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
