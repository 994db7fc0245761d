"""From a configuration to commands and files that a person can use."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acic.errors import InvalidInput, with_sudo
from acic.filesystems import DEPLOYMENT, KINDS, LAB, WHOLE, Settings, settings
from acic.filesystems.hints import BY_ROMIO, romio_hints
from acic.space import Value
from acic.units import format_setting

HINTS_FILE = "acic.hints"
_DIRECTORY = "OUTPUT_DIR"  # stands for the one that the application writes to
_SETSTRIPE = ("lfs", "setstripe")  # `lfs migrate` takes the same options
_BY_ROMIO = tuple(
    f"export {name}={shlex.quote(value)}  # for Open MPI: its ROMIO reads that file, its own OMPIO does not"
    for name, value in BY_ROMIO.items()
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One thing to do: what for, the lines to type, a file to write, and how to see that it took effect."""

    title: str
    commands: tuple[str, ...] = ()
    file_name: str = ""
    file_text: str = ""
    check: str = ""

    @property
    def lines(self) -> list[str]:
        """What to type, line by line, with comments."""
        told = [f"# {self.title}"]
        if self.file_name:
            printed = shlex.join(["printf", r"%s\n", *self.file_text.splitlines()])
            told.append(f"{printed} > {self.file_name}")  # no here-document, whose end must not be indented
        told += self.commands
        return [*told, "# did it take effect?", self.check] if self.check else told


def instructions(
    kinds: Sequence[str],
    configuration: Mapping[str, Value],
    baseline: Mapping[str, Value],
    *,
    storage: str = "",
    by_hand: Sequence[str] = (),
    machines: int = 1,
    finds_input: bool = False,
) -> list[Instruction]:
    """Return what to type so that a job runs with `configuration`; nothing for what the baseline does anyway.

    Args:
        kinds: the platform's `apply`.
        configuration: the system parameters to apply.
        baseline: what the system does untouched.
        storage: the parameter that chooses another directory, by the platform's [roles]; "" if there is none.
        by_hand: parameters that none of the kinds sets (`filesystems.by_hand`).
        machines: that the job runs on.
        finds_input: the job reads files that it did not write: they keep their place and their stripes.

    Raises:
        InvalidInput: an unknown kind.
    """
    if unknown := sorted(set(kinds) - {*KINDS, *WHOLE}):
        raise InvalidInput(f"there is no blueprint {unknown[0]!r}", hint=f"use {', '.join([*KINDS, *WHOLE])}")
    made = [_deployment(configuration, lab=LAB in kinds)] if {DEPLOYMENT, LAB} & set(kinds) else []
    rest = [kind for kind in kinds if kind not in (*WHOLE, *(["storage"] if storage else []))]
    there, today = (chosen.get(storage, "") for chosen in (configuration, baseline))
    place = f"{there}/{_DIRECTORY}" if there else _DIRECTORY  # never the storage itself, where all other jobs write
    wanted = settings(rest, configuration, baseline, directory=place, storage=storage, machines=machines)
    untouched = settings(rest, baseline, baseline, directory=place, storage=storage, machines=machines)
    if there and there != today:
        brought = ", and bring its input there" if finds_input else ""
        made.append(Instruction(title=f"Let the job write below {there}, not {today}{brought}"))
    if wanted.file_per_process:
        made.append(Instruction(title="If the application has an option for it, let each process write its own file"))
    changed = {name: value for name, value in configuration.items() if value != baseline.get(name)}
    hands = {name: changed[name] for name in by_hand if name in changed}
    hints = _hints(wanted, machines) if wanted.hints != untouched.hints else []
    return [*made, *_layout(wanted), *(_input(wanted) if finds_input else []), *hints, *_by_hand(hands)]


def _by_hand(changed: Mapping[str, Value]) -> list[Instruction]:
    if not changed:
        return []
    told = ", ".join(f"{name} to {format_setting(name, value)}" for name, value in changed.items())
    return [Instruction(title=f"Set by hand, as nothing in the platform's `apply` does: {told}")]


def _layout(wanted: Settings) -> list[Instruction]:
    if not wanted.layout:
        return []
    made = ("mkdir", "-p", wanted.directory)  # where there is none, `lfs setstripe` makes a file of that name
    check = f"{wanted.check}  # after the run: files keep the layout they were made with" if wanted.check else ""
    return [
        Instruction(
            title="Stripe the output directory before the job makes its files",
            commands=tuple(shlex.join(command) for command in (made, *wanted.layout)),
            check=check,
        )
    ]


def _input(wanted: Settings) -> list[Instruction]:
    """Return how input gets stripes: files keep those that they were made with. Source: lfs-migrate(1)."""
    if not wanted.layout:
        return []
    copy = f"copy it into {wanted.directory} once that is striped"
    moved = [("lfs", "migrate", *words[2:-1], "INPUT_FILE") for words in wanted.layout if words[:2] == _SETSTRIPE]
    return [
        Instruction(
            title=f"Input that is there keeps its stripes: {'move its bytes, or ' if moved else ''}{copy}",
            commands=tuple(map(shlex.join, moved)),
        )
    ]


def _hints(wanted: Settings, machines: int) -> list[Instruction]:
    if not wanted.hints:
        return []
    spread = (
        f"# this is for {machines} machine{'' if machines == 1 else 's'}: on N of them cb_config_list is *:K, "
        "where K is cb_nodes / N, rounded up"
    )
    return [
        Instruction(
            title="Give MPI-IO these hints, without touching the application",
            commands=(
                *([spread] if "cb_nodes" in wanted.hints else []),
                f'export ROMIO_HINTS="$PWD/{HINTS_FILE}"',
                *_BY_ROMIO,
            ),
            file_name=HINTS_FILE,
            file_text=romio_hints(wanted.hints),
            check="export ROMIO_PRINT_HINTS=1  # rank 0 prints the hints in force when a file is opened: "
            "what the application sets itself stays as it is",
        )
    ]


def _deployment(configuration: Mapping[str, Value], *, lab: bool) -> Instruction:
    parts = (f"{name.replace('_', ' ')} {format_setting(name, value)}" for name, value in configuration.items())
    title = "Deploy the I/O system as " + ", ".join(parts)
    if not lab:
        return Instruction(title=title)
    options = [
        word
        for name, value in configuration.items()
        for word in ("--fs" if name == "file_system" else f"--{name.replace('_', '-')}", str(value))
    ]
    command = with_sudo("lab", "run", *options) + " -- ./application {directory}"
    return Instruction(title=title, commands=(command,), check=with_sudo("lab", "audit"))
