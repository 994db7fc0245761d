"""A configuration: one value for each system parameter that applies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

Value = str | int | float | bool


class Configuration(Mapping[str, Value]):
    """An immutable, hashable mapping from parameter to value.

    A parameter that does not apply (the stripe size of NFS) is absent, not empty.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value] | None = None, **more: Value) -> None:
        self._values: dict[str, Value] = {**(values or {}), **more}

    def only(self, names: Collection[str]) -> Configuration:
        """Return the configuration of these parameters alone, as far as they apply."""
        return Configuration({name: value for name, value in self.items() if name in names})

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:  # a Mapping's own builds two dictionaries
        if isinstance(other, Configuration):
            return self._values == other._values
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"Configuration({self._values!r})"
