"""What an IOR run was told to do: its parameters, its command line, and the workload they make."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from acic.errors import InvalidInput
from acic.workloads import Access, Characteristics, Interface, Operation

_INTERFACES = {
    "POSIX": Interface.POSIX,
    "MPIIO": Interface.MPIIO,
    "HDF5": Interface.HDF5,
    "NCMPI": Interface.PNETCDF,
}
_VALUED = frozenset("abdfijlostADGMNOQTUX")  # IOR's short options that take a value
_SIZE = re.compile(r"\s*(\d{1,99})\s*([kmgtp]?)", re.IGNORECASE)  # what follows the letter is nothing to IOR
_PROGRAM = re.compile(r"(^|/)(ior|acic-bench)[^/]*$", re.IGNORECASE)
_LAUNCHER = re.compile(r"(^|/)(mpiexec|mpirun|orterun|prterun|srun|aprun|jsrun|ibrun)[^/]*$")
_DIRECTIONS = {"w": "writeFile", "r": "readFile", "W": "checkWrite", "R": "checkRead"}
_SIZES = {  # IOR's short option and its directive
    "block_size": ("b", "blockSize"),
    "transfer_size": ("t", "transferSize"),
    "segments": ("s", "segmentCount"),
    "repetitions": ("i", "repetitions"),
    "deadline": ("D", "deadlineForStonewalling"),
}
_LAUNCHER_TASKS = ("-n", "-np", "--np", "--ntasks")  # of mpiexec, mpirun, srun and aprun


@dataclass(frozen=True, slots=True, kw_only=True)
class IorOptions:
    """One IOR test, with IOR's own defaults; sizes in B.

    Args:
        tasks: MPI processes; None where nothing tells.
        block_size: bytes that a process moves, one after another, in a segment.
        may_stop_early: a time limit (-T) may end it before all repetitions are done.
        may_move_less: a deadline (-D) may end it before all bytes are moved.
        scripted: a script (-f) may say otherwise, also which way data go.
        given: which of the sizes a command line tells itself.
    """

    api: str = "POSIX"
    tasks: int | None = None
    block_size: int = 2**20
    transfer_size: int = 2**18
    segments: int = 1
    repetitions: int = 1
    collective: bool = False
    file_per_process: bool = False
    random: bool = False
    write: bool = True
    read: bool = True
    may_stop_early: bool = False
    may_move_less: bool = False
    scripted: bool = False
    given: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What it was to do, in IOR's order."""
        wanted = ((Operation.WRITE, self.write), (Operation.READ, self.read))
        return tuple(operation for operation, asked in wanted if asked)

    def characteristics(self, operation: Operation) -> Characteristics:
        """Return the workload of one direction of the test.

        IOR's repetitions are not iterations: each repeats the whole test, and is kept as a repetition.
        Of a shared file with several segments, a process writes every tasks-th block: strided.

        Raises:
            InvalidInput: the interface is none of acic's, or the number of processes is not known.
        """
        interface = _INTERFACES.get(self.api.upper())
        if interface is None:
            raise InvalidInput(
                f"IOR's interface {self.api} is none that acic knows", hint=f"it knows {', '.join(_INTERFACES)}"
            )
        if self.tasks is None:
            raise InvalidInput("the output does not tell how many processes ran", hint="say how many")
        strided = self.segments > 1 and not self.file_per_process and self.tasks > 1
        return Characteristics(
            processes=self.tasks,
            io_processes=self.tasks,
            interface=interface,
            iterations=1,
            data_size=self.block_size * self.segments,
            request_size=self.transfer_size,
            operation=operation,
            collective=self.collective,
            shared=not self.file_per_process,
            access=Access.RANDOM if self.random else Access.STRIDED if strided else Access.CONSECUTIVE,
        )


def from_command(command: str) -> IorOptions:
    """Return what a command line asks of IOR: "ior -a MPIIO -c -b 4m -t 256k", with or without `mpiexec -n 4`.

    Raises:
        InvalidInput: a value that cannot be read, or a launcher of what is not called IOR or acic-bench.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"cannot read the command line {command!r}: {error}", hint="close its quotes") from error
    start = next((i for i, word in enumerate(words) if _PROGRAM.search(word)), -1)
    if start < 0 and words and _LAUNCHER.search(words[0]):  # whose options would be taken for IOR's
        raise InvalidInput(
            f"no program in {command!r} is called ior", hint="give the line that it starts: ior -b 4m ..."
        )
    tasks = next((int(w) for o, w in _pairs(words[: max(start, 0)]) if o in _LAUNCHER_TASKS and w.isdigit()), None)
    given = list(_short_options(words[start + 1 :]))
    options = dict(given)
    directives = dict(_directives(",".join(value for name, value in given if name == "O")))
    return replace(_from_options(options, directives), tasks=_number(options.get("N")) or tasks)


def from_parameters(parameters: Mapping[str, object], options: Mapping[str, object]) -> IorOptions:
    """Return what the objects `Parameters` and `Options` of IOR's JSON tell; values may be missing."""
    nodes, per_node = _whole(parameters, "nodes", 0), _whole(parameters, "tasksPerNode", 0)
    default = IorOptions()
    return IorOptions(
        api=str(parameters.get("api", default.api)),
        tasks=_whole(options, "tasks", nodes * per_node) or None,
        block_size=_whole(parameters, "blockSize", default.block_size),
        transfer_size=_whole(parameters, "transferSize", default.transfer_size),
        segments=_whole(parameters, "segmentCount", default.segments),
        repetitions=_whole(parameters, "repetitions", default.repetitions),
        collective=bool(_whole(parameters, "collective", 0)),
        file_per_process=bool(_whole(parameters, "filePerProc", 0)),
        random=bool(_whole(parameters, "randomOffset", 0)),
        write=bool(_whole(parameters, "writeFile", 1)),
        read=bool(_whole(parameters, "readFile", 1) or _whole(parameters, "checkRead", 0)),
        may_stop_early=_whole(parameters, "maxTimeDuration", 0) > 0,
    )


def _from_options(options: Mapping[str, str], directives: Mapping[str, str]) -> IorOptions:
    default = IorOptions()

    texts = {name: options.get(short, directives.get(long, "")) for name, (short, long) in _SIZES.items()}
    sizes = {name: _size(text) for name, text in texts.items() if text}

    def flag(short: str, long: str) -> bool:
        return options.get(short, directives.get(long, "0")) not in ("0", "")

    asked = {short for short, long in _DIRECTIONS.items() if flag(short, long)}
    return IorOptions(
        api=options.get("a", directives.get("api", default.api)),
        block_size=sizes.get("block_size", default.block_size),
        transfer_size=sizes.get("transfer_size", default.transfer_size),
        segments=sizes.get("segments", default.segments),
        repetitions=sizes.get("repetitions", default.repetitions),
        collective=flag("c", "collective"),
        file_per_process=flag("F", "filePerProc"),
        random=flag("z", "randomOffset"),
        write=not asked or bool(asked & {"w", "W"}),
        read=not asked or bool(asked & {"r", "R"}),
        may_stop_early="T" in options,
        may_move_less=sizes.get("deadline", 0) > 0,
        given=frozenset(sizes),
        scripted="f" in options,
    )


def _short_options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield IOR's short options: "-b 4m", "-b=4m", "-b4m", and flags, grouped or not ("-wr", "-vv")."""
    rest = iter(words)
    for word in rest:
        if word == "--collective":
            yield "c", "1"
        if not word.startswith("-") or word.startswith("--") or word == "-":
            continue
        name, value = word[1], word[2:].removeprefix("=")
        if name in _VALUED:
            yield name, value or next(rest, "")
        else:
            flags, _, value = word[1:].partition("=")
            yield from ((letter, value or "1") for letter in flags)


def _directives(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"[,;]", text):
        name, _, value = part.partition("=")
        yield name.strip(), value.strip()


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    for word, following in pairwise(words):
        yield word, following
        name, equals, value = word.partition("=")
        if equals:
            yield name, value


def _size(text: str) -> int:
    """Return the bytes, or the count, as IOR reads them: its letters are powers of 1024, and 4MB is 4 MiB.

    Source: `string_to_bytes` of IOR 4 (src/option.c).
    """
    if not (match := _SIZE.match(text)):
        raise InvalidInput(f"{text!r} is not a size of IOR's", hint="check the command line: IOR takes 4096, 256k, 4m")
    number, letter = match.groups()
    return int(number) << 10 * " kmgtp".index(letter.lower() or " ")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def _whole(values: Mapping[str, object], name: str, otherwise: int) -> int:
    value = values.get(name)
    return value if isinstance(value, int) else otherwise
