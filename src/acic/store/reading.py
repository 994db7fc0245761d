"""Rows of a store, selected and decoded; one that is damaged is told by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from acic.errors import InvalidInput, MissingData, StoreError
from acic.store.connections import Connections
from acic.store.content import beginning
from acic.store.measurement import Basis, Outcome
from acic.workloads import Operation

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Row, Select, Table

T = TypeVar("T")
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, InvalidInput)  # of rows


class Reader:
    """Reads the table of measurements.

    Args:
        connections: to the store.
        shown: where it is, without a password.
    """

    def __init__(self, connections: Connections, shown: str) -> None:
        self._connections = connections
        self._shown = shown

    @property
    def table(self) -> Table:
        """The table, whose columns conditions are made of."""
        from acic.store.schema import measurement

        return measurement

    def where(
        self, platform: str | None, outcome: Outcome | None, basis: Basis | None, operation: Operation | None
    ) -> list[ColumnElement[bool]]:
        """Return the conditions that rows are of these; None is any."""
        wanted = {"platform": platform, "outcome": outcome, "basis": basis, "operation": operation}
        return [self.table.c[name] == str(value) for name, value in wanted.items() if value is not None]

    def select(
        self, columns: Sequence[str], where: Sequence[ColumnElement[bool]], limit: int | None = None
    ) -> Sequence[Row[Any]]:
        """Return these columns of the rows that meet all conditions, in the order they were added, `limit` at most."""
        from sqlalchemy import select

        table = self.table
        query: Select[Any] = (
            select(*(table.c[name] for name in columns)).where(*where).order_by(table.c.id).limit(limit)
        )
        with self._connections.connected() as connection:
            return connection.execute(query).all()

    def begins(self, prefix: str, columns: Sequence[str]) -> Row[Any]:
        """Return these columns of the one row whose fingerprint begins with `prefix`.

        Raises:
            InvalidInput: `prefix` is not hexadecimal, or several begin with it.
            MissingData: none does.
        """
        wanted = beginning(prefix)
        found = self.select(columns, [self.table.c.fingerprint.startswith(wanted)], 2)
        if not found:
            raise MissingData(f"no measurement is called {prefix}", hint="list the measurements to see their names")
        if len(found) > 1:
            raise InvalidInput(f"several measurements begin with {prefix}", hint="give more digits")
        return found[0]

    def decoded(self, rows: Iterable[Row[Any]], decode: Callable[[Row[Any]], T]) -> list[T]:
        """Return what `decode` makes of rows, whose first column is the fingerprint.

        Raises:
            StoreError: one of them is damaged.
        """
        found = []
        for row in rows:
            try:
                found.append(decode(row))
            except _DAMAGE as error:
                raise self.damaged(str(row[0]), str(error)) from error
        return found

    def damaged(self, mark: str, why: str) -> StoreError:
        """Return the error that the measurement of the fingerprint `mark` cannot be read."""
        return StoreError(
            f"the store {self._shown} is damaged: measurement {mark[:12]} cannot be read ({why})",
            hint=f"restore a copy of the file, or go on without it: `acic data remove {mark[:12]}`",
        )
