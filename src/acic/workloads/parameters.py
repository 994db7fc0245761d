"""Workload parameters: the characteristics as columns of a space, for models and for the training database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum

from acic.errors import InvalidInput
from acic.space import AtMost, Parameter, Scale, Value
from acic.units import GIB, KIB, MIB
from acic.workloads.workload import MOST_PROCESSES, Access, Characteristics, Interface, Operation

_COUNTS = tuple(2**power for power in range(17))  # one process to 65,536

WORKLOAD_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(name="processes", values=_COUNTS, scale=Scale.LOG, about="processes of the application"),
    Parameter(name="io_processes", values=_COUNTS, scale=Scale.LOG, about="those of them that do I/O"),
    Parameter(
        name="interface",
        values=tuple(str(one) for one in Interface),
        about="the highest I/O interface that the application itself calls",
    ),
    Parameter(
        name="iterations",
        values=(1, 10, 100, 1000, 10_000, 100_000, 1_000_000),
        scale=Scale.LOG,
        about="how often the application comes back to do I/O",
    ),
    Parameter(
        name="data_size",
        values=(1, KIB, 16 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 16 * GIB, 256 * GIB),
        scale=Scale.LOG,
        unit="B",
        about="what one I/O process moves in one iteration",
    ),
    Parameter(
        name="request_size",
        values=(1, KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 16 * GIB),
        scale=Scale.LOG,
        unit="B",
        about="what one call moves",
    ),
    Parameter(name="operation", values=tuple(str(one) for one in Operation), about="read or write"),
    Parameter(name="collective", values=(False, True), about="whether the I/O processes call together"),
    Parameter(name="shared", values=(False, True), about="whether they use one file, rather than one each"),
    Parameter(
        name="access",
        values=tuple(str(one) for one in Access),
        about="how consecutive requests of one process lie in the file",
    ),
)
"""One parameter for each field of `Characteristics`; values between the listed numbers are as good as those."""

WORKLOAD_CONSTRAINTS: tuple[AtMost, ...] = (
    AtMost(smaller="io_processes", larger="processes", why="I/O processes are some of the processes"),
    AtMost(smaller="request_size", larger="data_size", why="an iteration's data are moved in one or more requests"),
)
"""What makes a combination of the parameters valid."""

_LABELS: dict[str, type[StrEnum]] = {"interface": Interface, "operation": Operation, "access": Access}
_FLAGS = ("collective", "shared")
_MOST = 2**62  # arrays of whole numbers hold little more
_PROCESSES = ("processes", "io_processes")
_NAMES = tuple(field.name for field in fields(Characteristics))


def values_of(characteristics: Characteristics) -> dict[str, Value]:
    """Return the characteristics as plain values, by parameter."""
    return {name: _plain(getattr(characteristics, name)) for name in _NAMES}


def characteristics_of(values: Mapping[str, Value]) -> Characteristics:
    """Return the characteristics with these values; other names in `values` are left aside.

    Raises:
        InvalidInput: a value is missing, or is not one that the characteristic can have.
    """
    missing = [name for name in _NAMES if name not in values and name != "access"]
    if missing:
        raise InvalidInput(
            f"the workload has no {', '.join(missing)}", hint="add that; docs/workloads.md tells what each means"
        )
    given = {name: checked(name, values[name]) for name in _NAMES if name in values}
    return Characteristics(**given)  # type: ignore[arg-type]  # checked


def checked(name: str, value: object) -> Value:
    """Return `value` as the characteristic `name` holds it: a label, a flag or a whole number.

    Raises:
        InvalidInput: it is none of these.
    """
    if name in _LABELS:
        try:
            return _LABELS[name](str(value))
        except ValueError:
            known = ", ".join(_LABELS[name])
            raise InvalidInput(f"{name} is not {value!r}", hint=f"it is one of {known}") from None
    if name in _FLAGS:
        # a database may have no type for truth
        if value not in (False, True) or isinstance(value, float):
            raise InvalidInput(f"{name} is not {value!r}", hint="it is true or false")
        return bool(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} is not {value!r}", hint="it is a whole number, at least 1")
    if value > (MOST_PROCESSES if name in _PROCESSES else _MOST):
        raise InvalidInput(f"{name} is not {value}", hint="no machine is so large: check the number, and a size's unit")
    return value


def _plain(value: Value) -> Value:
    return str(value) if isinstance(value, StrEnum) else value
