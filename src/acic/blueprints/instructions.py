"""From a configuration to commands and files, per kind of system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from acic.errors import InvalidInput
from acic.space import Value
from acic.units import GIB, KIB, MIB, format_bytes

HINTS_FILE = "acic.hints"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One thing to do: what for, the lines to type, a file to write, and how to see that it took effect."""

    title: str
    commands: tuple[str, ...] = ()
    file_name: str = ""
    file_text: str = ""
    check: str = ""


def instructions(
    kinds: Sequence[str],
    configuration: Mapping[str, Value],
    baseline: Mapping[str, Value],
    *,
    directory: str = "OUTPUT_DIR",
) -> list[Instruction]:
    """Return what to type so that a job runs with `configuration`; nothing for what the baseline does anyway.

    Args:
        kinds: the platform's `apply`: names of the blueprints below.
        configuration: the system parameters to apply.
        baseline: what the system does untouched.
        directory: where the application writes.

    Raises:
        InvalidInput: an unknown kind.
    """
    made: list[Instruction] = []
    for kind in kinds:
        if kind not in _KINDS:
            raise InvalidInput(f"there is no blueprint {kind!r}", hint=f"use {', '.join(sorted(_KINDS))}")
        made += _KINDS[kind](configuration, baseline, directory)
    return made


def _lustre(configuration: Mapping[str, Value], baseline: Mapping[str, Value], directory: str) -> list[Instruction]:
    layout = ("stripe_count", "stripe_size")
    if all(configuration[name] == baseline[name] for name in layout):
        return []
    size = configuration["stripe_size"]
    if not isinstance(size, int):
        raise InvalidInput(f"a stripe size of {size!r}", hint="give whole bytes")
    return [
        Instruction(
            title="Stripe the output directory before the job makes its files",
            commands=(f"lfs setstripe -c {configuration['stripe_count']} -S {_lfs_size(size)} {directory}",),
            check=f"lfs getstripe {directory}/FILE  # after the run: files keep the layout they were made with",
        )
    ]


def _lfs_size(size: int) -> str:
    for letter, factor in (("G", GIB), ("M", MIB), ("K", KIB)):
        if size % factor == 0:
            return f"{size // factor}{letter}"
    return str(size)


def _romio(configuration: Mapping[str, Value], baseline: Mapping[str, Value], directory: str) -> list[Instruction]:  # noqa: ARG001 (one signature for all kinds)
    hints = {
        name: value
        for name, value in configuration.items()
        if name.startswith(("romio_", "cb_")) and value != baseline.get(name)
    }
    if not hints:
        return []
    return [
        Instruction(
            title="Give MPI-IO these hints, without touching the application",
            commands=(f'export ROMIO_HINTS="$PWD/{HINTS_FILE}"',),
            file_name=HINTS_FILE,
            file_text="".join(f"{name} {value}\n" for name, value in hints.items()),
            check="export ROMIO_PRINT_HINTS=1  # rank 0 prints the hints in force when a file is opened",
        )
    ]


def _deployment(configuration: Mapping[str, Value], baseline: Mapping[str, Value], directory: str) -> list[Instruction]:  # noqa: ARG001
    parts = (f"{name.replace('_', ' ')} {_text(name, value)}" for name, value in configuration.items())
    return [Instruction(title="Deploy the I/O system as " + ", ".join(parts))]


def _text(name: str, value: Value) -> str:
    return format_bytes(value) if name.endswith("_size") and isinstance(value, int) else str(value)


_KINDS: Mapping[str, Callable[[Mapping[str, Value], Mapping[str, Value], str], list[Instruction]]] = {
    "lustre": _lustre,
    "romio": _romio,
    "deployment": _deployment,
}
