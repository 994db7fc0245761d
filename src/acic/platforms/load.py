"""Finding platforms: those that come with acic, files of users, and this machine."""

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
from acic.toml import parsed
from acic.whole import text_of


def platform_names() -> list[str]:
    """Return the names of the platforms that come with acic."""
    folder = resources.files("acic.platforms").joinpath("data")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load_platform(name: str) -> Platform:
    """Return the platform called `name`, the one in the TOML file at that path, or this machine for "here".

    This machine is as the user's own platform file of it says, or where there is none, as it is found now. The name in
    that file is one of its names too.

    Raises:
        InvalidInput: no such platform, or a file that lacks something, or has something that cannot be right.
        UnreadableInput: the file is missing or no TOML.
    """
    made = read_platform(platform_source(name), name)
    if name not in platform_names():
        _check_name(made)
    return made


def _check_name(platform: Platform) -> None:
    """Refuse a file of one's own with a name that is taken: what is measured on either would count for both."""
    name, file = platform.name, platform.given
    if name == HERE and is_platform_file(file):
        raise InvalidInput(
            f"the platform of {file} is called {name!r}, as this machine is", hint="give it another name"
        )
    if name in platform_names() and not platform.copy_of and platform != load_platform(name):
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
    if name in platform_names():
        return resources.files("acic.platforms").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    if name == HERE:
        return _here()
    if is_platform_file(name):
        return text_of(Path(name))
    if name == kept_name():  # measurements of this machine bear it, not "here"
        return _here()
    raise InvalidInput(
        f"there is no platform {name!r}",
        hint=remedy_of(name)
        or f"use one of {', '.join(platform_names())}, {HERE}, or give the path of a platform file (.toml)",
    )


def read_platform(text: str, name: str) -> Platform:
    """Return the platform that a platform file's text describes; `name` is for errors and hints.

    Raises:
        InvalidInput: it lacks something, or has something that cannot be right.
        UnreadableInput: it is no TOML.
    """
    content = parsed(text, name, hint="correct the TOML; docs/platforms.md shows a complete file")
    try:
        return replace(parse_platform(content), given=name)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.problem}", hint=error.hint) from error


def _here() -> str:
    return text_of(kept_file()) if is_described() else platform_text(find_machine(), today=date.today())
