"""Parsing platforms: from the table of a platform file to a platform, every key and type checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from typing import Any, Protocol, TypeVar

from acic.errors import InvalidInput
from acic.platforms.platform import Disk, Fact, Instance, Platform, Roles
from acic.space import (
    AtMost,
    Configuration,
    Constraint,
    Parameter,
    Rule,
    Scale,
    Space,
    Value,
    never_valid,
    valid_together,
)
from acic.toml import check_lines, count, each, flag, known, label, number, string, strings, table, tables
from acic.units import is_price, parse_bytes

_MOST = 2**62  # arrays of whole numbers hold little more
_FACT = ("source", "date")
_NEEDED = ("name", "title", "revision", *_FACT, "default_instance", "baseline", "parameter", "instance")
_LISTS = ("constraint", "disk", "training_constraint")
_TOLD = ("about", "copy_of", "missing", "apply", "directory", "compute_nodes")
_OTHERS = (*_TOLD, "roles", "deployment", "training", "lab", *_LISTS)
_ALONE = ("revision", "default_instance", "copy_of", "apply", "directory", "compute_nodes", "deployment")  # in no table
_PROSE = ("about", "missing", "why", "reason")  # for people, in several lines
_KINDS = ("cores", "memory", "price", "persistent")  # of a machine or a disk
_RULE = ("when", "then", "absent", "never", "why")
_LAB = ("compute_nodes", "server_nodes", "network")
_LAB_TABLES = {"node": ("cpu", "memory"), "raid": ("syncs",), "archive": ("rate",)}
_LAB_KINDS = {"nic": ("rate",), "disk": ("read", "write", "read_iops", "write_iops", "dirty", "size")}


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


def parse_platform(content: Mapping[str, Any]) -> Platform:
    """Return the platform that a TOML table describes.

    Raises:
        InvalidInput: something is missing, is not valid, or has a name that nothing has.
    """
    _known(content, (*_NEEDED, *_OTHERS), "a platform", needed=_NEEDED)
    check_lines(content, prose=_PROSE)  # once for all: strangers write such files, and commands are made of them
    name = label("name", content["name"])
    copy_of = string("copy_of", content.get("copy_of", ""))
    if copy_of not in ("", name):
        raise InvalidInput(f"copy_of is {copy_of!r}, and name {name!r}", hint="both are the same, or leave copy_of out")
    baseline = table("baseline", content["baseline"])
    _known(baseline, ("values", *_FACT), "the baseline", needed=("values", *_FACT))
    space = Space(
        tuple(each("parameter", tables("parameter", content["parameter"]), _parameter)),
        _constraints("constraint", content),
    )
    apply = strings("apply", content.get("apply", []))
    roles = _roles(table("roles", content.get("roles", {})))
    if not roles.storage and "storage" in apply and "storage" in space.names:
        roles = replace(roles, storage="storage")  # called as the role is, it needs no [roles]
    made = Platform(
        name=name,
        copy_of=copy_of,
        title=string("title", content["title"]),
        revision=string("revision", content["revision"]),
        about=string("about", content.get("about", "")).strip(),
        space=space,
        baseline=Configuration(_settings("values", baseline["values"])),
        baseline_fact=_fact(baseline),
        instances=_by_name("instance", each("instance", tables("instance", content["instance"]), _instance)),
        default_instance=string("default_instance", content["default_instance"]),
        disks=_by_name("disk", each("disk", tables("disk", content.get("disk", [])), _disk)),
        directory=string("directory", content.get("directory", "")),
        compute_nodes=count("compute_nodes", content["compute_nodes"]) if "compute_nodes" in content else None,
        roles=roles,
        apply=apply,
        missing=string("missing", content.get("missing", "")).strip(),
        deployment=strings("deployment", content.get("deployment", [])),
        training=_training(table("training", content.get("training", {}))),
        lab=table("lab", content.get("lab", {})),
        training_constraints=_constraints("training_constraint", content),
        fact=_fact(content),
    )
    _check_reachable(made)
    _check_lab(made)
    _check_servers(made)
    return made


def _known(content: Mapping[str, Any], names: Sequence[str], what: str, *, needed: Iterable[str] = ()) -> None:
    """Check a table's keys as `known` does; one of the whole file is in it by where it stands alone."""
    for name in content:
        if name in _ALONE and name not in names:
            hint = f"{name} is a key of the whole file, and what follows a [table] is in it: move it above the first"
            raise InvalidInput(f"{what} has no {name!r}", hint=hint)
    known(content, names, what, needed=needed)


def _check_reachable(platform: Platform) -> None:
    """Refuse values that no valid configuration has: others would be measured and advised in their place, unsaid."""
    for name, values in never_valid(platform.space).items():
        texts = ", ".join(map(platform.space[name].text, values))
        raise InvalidInput(
            f"no valid configuration of {platform.name} has {name} {texts}",
            hint=f"correct the constraints that rule it out (do two contradict one another?), or leave it out of the "
            f"values of {name}",
        )


def _fact(content: Mapping[str, Any]) -> Fact:
    held = content["date"]
    return Fact(
        source=string("source", content["source"]),
        date=held.isoformat() if isinstance(held, date) else string("date", held),
    )


def _price(told: object) -> float | None:
    price = number("price", told)
    if price and not is_price(price):
        raise InvalidInput(f"price is {price:g}", hint="it is USD an hour: 0, or 0.000001 to 1000000")
    return price


def _instance(content: Mapping[str, Any]) -> Instance:
    needed = ("name", "cores", *_FACT)
    _known(content, (*needed, "memory", "price"), "an instance", needed=needed)
    return Instance(
        name=string("name", content["name"]),
        cores=count("cores", content["cores"]),
        memory=_size("memory", content["memory"]) if "memory" in content else None,
        price=_price(content.get("price")),
        fact=_fact(content),
    )


def _disk(content: Mapping[str, Any]) -> Disk:
    needed = ("name", "persistent", *_FACT)
    _known(content, (*needed, "price"), "a disk", needed=needed)
    return Disk(
        name=string("name", content["name"]),
        price=_price(content.get("price")),
        persistent=flag("persistent", content["persistent"]),
        fact=_fact(content),
    )


def _by_name(what: str, found: Iterable[Named]) -> dict[str, Named]:
    named: dict[str, Named] = {}
    for one in found:
        if one.name in named:
            raise InvalidInput(f"{what} {one.name!r} is given twice", hint="rename one, or leave it out")
        named[one.name] = one
    return named


def _roles(content: Mapping[str, Any]) -> Roles:
    _known(content, tuple(field.name for field in fields(Roles)), "[roles]")
    names = {name: string(name, one) for name, one in content.items() if name != "dedicated"}
    return Roles(**names, dedicated=_value("dedicated", content.get("dedicated", "")))


def _training(content: Mapping[str, Any]) -> dict[str, tuple[Value, ...]]:
    """Return values by workload parameter; refuse what is of the file itself or another table, and stands below."""
    for name in content:
        if name in (*_NEEDED, *_OTHERS, *_KINDS):
            hint = f"what follows the line [training] belongs to it: move {name} above, to the table that it is of"
            raise InvalidInput(f"[training] has no {name!r}", hint=hint)
    return _lists("training", content)


def _check_lab(platform: Platform) -> None:
    """Refuse a [lab] with keys that nothing reads, or without the facts of a machine or disk that jobs may get."""
    told, space, roles = platform.lab, platform.space, platform.roles
    _known(told, (*_LAB, *_LAB_TABLES, *_LAB_KINDS), "[lab]")
    for name, keys in _LAB_TABLES.items():
        _known(table(f"lab.{name}", told.get(name, {})), (*keys, "reason"), f"[lab.{name}]")
    asked = {
        "nic": space[roles.instance].values if roles.instance else (platform.default_instance,),
        "disk": space[roles.device].values if roles.device else (),
    }
    for name, keys in _LAB_KINDS.items():
        kinds = table(f"lab.{name}", told.get(name, {}))
        for kind, facts in kinds.items():
            _known(table(f"lab.{name}.{kind}", facts), (*keys, "reason"), f"[lab.{name}.{kind}]")
        for kind in map(str, asked[name] if name in told else ()):
            if kind not in kinds:
                raise InvalidInput(f"[lab.{name}] lacks {kind!r}", hint=f"it has {', '.join(kinds) or 'none'}")


def _check_servers(platform: Platform) -> None:
    """Refuse servers that the nodes of [lab] are too few for: they would be planned and advised, and never be had."""
    space, roles = platform.space, platform.roles
    if not (roles.servers and roles.placement):
        return
    kinds = dict.fromkeys(space[roles.placement].values, "compute_nodes") | {roles.dedicated: "server_nodes"}
    nodes = {one: platform.lab.get(kind) for one, kind in kinds.items()}
    for servers, placement in sorted(valid_together(space, (roles.servers, roles.placement)), key=repr):
        most = nodes[placement]
        if isinstance(servers, int) and isinstance(most, int) and servers > most:
            raise InvalidInput(
                f"{roles.servers} {servers} with {roles.placement} {placement} is more than the {most} "
                f"{kinds[placement]} of [lab]",
                hint=f"leave {servers} out of the values of {roles.servers}, rule it out, or give [lab] more nodes",
            )


def _parameter(content: Mapping[str, Any]) -> Parameter:
    _known(content, ("name", "values", "scale", "unit", "about"), "a parameter", needed=("name", "values"))
    scale = content.get("scale", Scale.CATEGORICAL)
    if scale not in tuple(Scale):
        raise InvalidInput(f"scale is {scale!r}", hint=f"it is one of {', '.join(Scale)}")
    return Parameter(
        name=string("name", content["name"]),
        values=_values("values", content["values"]),
        scale=Scale(scale),
        unit=_unit(content.get("unit", "")),
        about=string("about", content.get("about", "")),
    )


def _unit(told: object) -> str:
    """Return the unit of a parameter; a size has bytes, as what sets it takes its values for bytes whatever is said."""
    unit = string("unit", told)
    try:
        parse_bytes(f"1{unit}")
    except InvalidInput:
        return unit  # of no size
    if unit not in ("", "B"):
        raise InvalidInput(f"unit is {unit!r}", hint='sizes are in bytes: write unit = "B", and the values so')
    return unit


def _constraints(what: str, content: Mapping[str, Any]) -> tuple[Constraint, ...]:
    return tuple(each(what, tables(what, content.get(what, [])), _constraint))


def _constraint(content: Mapping[str, Any]) -> Constraint:
    why = string("why", content.get("why", ""))
    if "at_most" in content:
        _known(content, ("at_most", "why"), "a constraint with at_most")
        names = strings("at_most", content["at_most"])
        if len(names) != 2:
            raise InvalidInput(f"at_most names {len(names)}", hint='write at_most = ["smaller", "larger"]')
        return AtMost(smaller=names[0], larger=names[1], why=why)
    _known(content, _RULE, "a constraint", needed=("when",))
    return Rule(
        when=_settings("when", content["when"]),
        then=_settings("then", content.get("then", {})),
        absent=strings("absent", content.get("absent", [])),
        never=_lists("never", content.get("never", {})),
        why=why,
    )


def _settings(name: str, content: object) -> dict[str, Value]:
    return {key: _value(key, one) for key, one in table(name, content).items()}


def _lists(name: str, content: object) -> dict[str, tuple[Value, ...]]:
    return {key: _values(key, one) for key, one in table(name, content).items()}


def _values(name: str, content: object) -> tuple[Value, ...]:
    if not isinstance(content, list):
        raise InvalidInput(f"{name} is {content!r}", hint=f"write {name} = [...], a list of values")
    return tuple(_value(name, one) for one in content)


def _value(name: str, content: object) -> Value:
    if not isinstance(content, str | int | float):
        raise InvalidInput(f"{name} has {content!r}", hint="a value is a text, a number, true or false")
    if not isinstance(content, str) and not abs(content) <= _MOST:  # as nan is not
        raise InvalidInput(f"{name} has {content!r}", hint="no machine has so much of anything: check the number")
    return content


def _size(name: str, content: object) -> int:
    if not isinstance(content, str):
        raise InvalidInput(f"{name} is {content!r}", hint='it is a size with its unit, in quotes, as "256GiB"')
    try:
        return parse_bytes(content)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.problem}", hint=error.hint) from error
