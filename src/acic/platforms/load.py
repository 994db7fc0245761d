"""Reading platforms from TOML: facts stay data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms.here import HERE, find_machine, kept_file, platform_text
from acic.platforms.platform import Disk, Fact, Instance, Platform, Roles
from acic.space import AtMost, Configuration, Constraint, Parameter, Rule, Scale, Space
from acic.units import parse_bytes


def platform_names() -> list[str]:
    """Return the names of the platforms that come with acic."""
    folder = resources.files("acic.platforms").joinpath("data")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load_platform(name: str) -> Platform:
    """Return the platform called `name`, the one in the TOML file at that path, or this machine for "here".

    This machine is as the user's own platform file of it says, or where there is none, as it is found now.

    Raises:
        InvalidInput: no such platform, or a file that lacks something.
        UnreadableInput: the file is missing or no TOML.
    """
    return read_platform(platform_source(name), name)


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
        return _read(Path(name))
    raise InvalidInput(
        f"there is no platform {name!r}",
        hint=f"use one of {', '.join(platform_names())}, {HERE}, or give the path of a platform file (.toml)",
    )


def read_platform(text: str, name: str) -> Platform:
    """Return the platform that a platform file's text describes; `name` is for the error.

    Raises:
        InvalidInput: it lacks something.
        UnreadableInput: it is no TOML.
    """
    try:
        return parse_platform(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableInput(f"cannot read {name}: {error}", hint="correct the TOML") from error


def parse_platform(table: Mapping[str, Any]) -> Platform:
    """Return the platform that a TOML table describes.

    Raises:
        InvalidInput: something is missing or not valid.
    """
    try:
        return Platform(
            name=table["name"],
            title=table["title"],
            revision=table["revision"],
            about=table.get("about", "").strip(),
            space=Space(
                tuple(_parameter(t) for t in table["parameter"]),
                tuple(_constraint(t) for t in table.get("constraint", ())),
            ),
            baseline=Configuration(table["baseline"]["values"]),
            baseline_fact=_fact(table["baseline"]),
            instances={t["name"]: _instance(t) for t in table["instance"]},
            default_instance=table["default_instance"],
            disks={t["name"]: _disk(t) for t in table.get("disk", ())},
            compute_nodes=table.get("compute_nodes"),
            roles=Roles(**table.get("roles", {})),
            apply=tuple(table.get("apply", ())),
            missing=table.get("missing", "").strip(),
            deployment=tuple(table.get("deployment", ())),
            training={name: tuple(values) for name, values in table.get("training", {}).items()},
            lab=table.get("lab", {}),
            training_constraints=tuple(_constraint(t) for t in table.get("training_constraint", ())),
            fact=_fact(table),
        )
    except KeyError as error:
        raise InvalidInput(
            f"the platform file lacks {error.args[0]!r}", hint="docs/platforms.md shows a complete file"
        ) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UnreadableInput(f"cannot read {path}: {reason}", hint="check the path") from error


def _here() -> str:
    kept = kept_file()
    return _read(kept) if kept.exists() else platform_text(find_machine(), today=date.today())


def _fact(table: Mapping[str, Any]) -> Fact:
    return Fact(source=table["source"], date=str(table["date"]))


def _instance(table: Mapping[str, Any]) -> Instance:
    return Instance(
        name=table["name"],
        cores=table["cores"],
        memory=parse_bytes(table["memory"]) if "memory" in table else None,
        price=table.get("price"),
        fact=_fact(table),
    )


def _disk(table: Mapping[str, Any]) -> Disk:
    return Disk(name=table["name"], price=table.get("price"), persistent=table["persistent"], fact=_fact(table))


def _parameter(table: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=table["name"],
        values=tuple(table["values"]),
        scale=Scale(table.get("scale", "categorical")),
        unit=table.get("unit", ""),
        about=table.get("about", ""),
    )


def _constraint(table: Mapping[str, Any]) -> Constraint:
    if "at_most" in table:
        smaller, larger = table["at_most"]
        return AtMost(smaller=smaller, larger=larger, why=table.get("why", ""))
    return Rule(
        when=table["when"],
        then=table.get("then", {}),
        absent=tuple(table.get("absent", ())),
        never={name: tuple(values) for name, values in table.get("never", {}).items()},
        why=table.get("why", ""),
    )
