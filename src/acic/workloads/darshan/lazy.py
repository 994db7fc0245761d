"""Arrays that are made when they are first asked for: a small log is read sooner than all its arrays are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Mapping[str, T], Generic[T]):
    """A mapping that makes each value once, on first use; what it is made of has been checked before.

    Args:
        makers: for each key, what makes its value; must not fail.
    """

    __slots__ = ("_made", "_makers")

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._makers)})"
