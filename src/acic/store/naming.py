"""The naming rule: configurations read from the names of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.space import Configuration, Parameter, Rule, Value
from acic.units import parse_bytes

IGNORED = "_"  # the placeholder of a piece that tells nothing
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class NamingRule:
    """How a file's name tells the configuration that it was measured with.

    Args:
        template: the name, with `{parameter}` where a value stands and `{_}` for a piece to ignore;
            with slashes, it is matched against as many of the path's last parts. What gzip packed may end in ".gz" too.
        maps: for a parameter (or a pattern such as "romio_*"), what the name's texts stand for.

    Raises:
        InvalidInput: the template is empty, has a stray brace, or names a parameter twice.

    Example:
        `NamingRule("{stripe_count}_{romio_cb_write}.json", {"romio_*": {"0": "automatic", "1": "enable"}})`
    """

    template: str
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.template or "{" in _HOLE.sub("", self.template) or "}" in _HOLE.sub("", self.template):
            raise InvalidInput(
                f"{self.template!r} is no naming rule", hint="write it as {stripe_count}_{stripe_size}_{_}.json"
            )
        names = self.parameters
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise InvalidInput(f"the rule names {twice} twice", hint="use {_} for a piece to ignore")

    @classmethod
    def parse(cls, template: str, maps: Iterable[str] = ()) -> Self:
        """Return the rule of a template and maps as one types them: "romio_*:0=automatic,1=enable".

        Raises:
            InvalidInput: a map cannot be read.
        """
        read: dict[str, dict[str, str]] = {}
        for text in maps:
            name, colon, pairs = text.partition(":")
            table = dict(pair.split("=", 1) for pair in pairs.split(",") if "=" in pair)
            if not name or not colon or len(table) != len(pairs.split(",")):
                raise InvalidInput(f"{text!r} is no map", hint="write it as 'romio_*:0=automatic,1=enable'")
            read.setdefault(name, {}).update(table)
        return cls(template, read)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Return the rule that a TOML table gives: `template`, and `map` as a table of tables.

        Raises:
            InvalidInput: `template` is missing.
        """
        if "template" not in table:
            raise InvalidInput("the naming rule lacks 'template'", hint="add it: template = '{stripe_count}.json'")
        maps = {name: {str(k): str(v) for k, v in pairs.items()} for name, pairs in table.get("map", {}).items()}
        return cls(table["template"], maps)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the name tells."""
        return tuple(name for name in _HOLE.findall(self.template) if name != IGNORED)

    def matches(self, path: Path) -> bool:
        """Return whether `path` is named by this rule."""
        return self._match(path) is not None

    def told(self, path: Path, platform: Platform) -> dict[str, Value]:
        """Return the values that the name of `path` tells.

        Raises:
            InvalidInput: the name does not fit the rule, or tells what no parameter can be.
        """
        match = self._match(path)
        if match is None:
            raise InvalidInput(f"{path.name} does not fit the rule {self.template}", hint="correct the rule")
        texts = zip(self.parameters, match.groups(), strict=True)
        return {name: self._value(platform.space[name], text) for name, text in texts}

    def check(self, platform: Platform) -> None:
        """Raise InvalidInput if the rule or a map names a parameter that `platform` does not have."""
        for name in self.parameters:
            platform.space[name]
        for pattern in self.maps:
            if not any(fnmatchcase(name, pattern) for name in platform.space.names):
                raise InvalidInput(
                    f"the map {pattern!r} fits no parameter",
                    hint=f"the parameters are {', '.join(platform.space.names)}",
                )

    def _match(self, path: Path) -> re.Match[str] | None:
        pieces = _HOLE.split(self.template)  # text, name, text, name, ..., text
        # groups have no names, as those of parameters need not be such as Python takes
        holes = ("[^/]+?" if name == IGNORED else "([^/]+?)" for name in pieces[1::2])
        texts = map(re.escape, pieces[::2])
        pattern = next(texts) + "".join(f"{hole}{text}" for hole, text in zip(holes, texts, strict=True))
        parts = path.parts[-1 - self.template.count("/") :]
        return re.fullmatch(rf"{pattern}(?:\.gz)?", "/".join(parts))

    def _value(self, parameter: Parameter, text: str) -> Value:
        for pattern, table in self.maps.items():
            if fnmatchcase(parameter.name, pattern) and text in table:
                text = table[text]
                break
        return parameter_value(parameter, text, remedy=f"; add a map: --map {parameter.name}:{text}=...")


def parameter_value(parameter: Parameter, text: str, *, remedy: str = "") -> Value:
    """Return the value of `parameter` that `text` names: a size where it is counted in bytes, a listed label.

    A label may be written in another case where that leaves no doubt, a directory may not. What can be done beside
    giving another text is the `remedy`, for the error.

    Raises:
        InvalidInput: it names none.
    """
    if parameter.is_numeric:
        try:
            if parameter.unit == "B":
                return parse_bytes(text)
            number = float(text)
        except ValueError as error:
            raise InvalidInput(
                f"{parameter.name} is {text!r}, not a number",
                hint=f"give a number, as {parameter.text(parameter.low)}{remedy}",
            ) from error
        return int(number) if number.is_integer() else number
    for value in parameter.values:
        if str(value) == text:
            return value
    alike = [value for value in parameter.values if str(value).lower() == text.lower() and not text.startswith("/")]
    if parameter.unit == "B":
        with suppress(InvalidInput):  # labels of sizes are told as sizes
            size = parse_bytes(text)
            alike = [value for value in parameter.values if value == size]
    if len(alike) == 1:
        return alike[0]
    raise InvalidInput(f"{parameter.name} is not {text!r}", hint=f"it is one of {parameter.listed}{remedy}")


def overlay(platform: Platform, values: Mapping[str, Value]) -> Configuration:
    """Return the platform's baseline with `values` in place of its own.

    What does not apply with these values (the stripe size of NFS) is left out.

    Raises:
        InvalidInput: that is no valid configuration.
    """
    configuration = {**platform.baseline, **values}
    for constraint in platform.space.constraints:
        if isinstance(constraint, Rule) and all(configuration.get(k) == v for k, v in constraint.when.items()):
            for name in set(constraint.absent) - set(values):
                configuration.pop(name, None)
    if problem := platform.space.problem(configuration):
        raise InvalidInput(
            f"this is no configuration of {platform.name}: {problem}", hint="correct the values or the rule"
        )
    return Configuration(configuration)
