"""A benchmark program, and how it is told what to do: IOR's options, which acic-bench takes as well."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acic.errors import InvalidInput, UnreadableInput
from acic.paths import expanded

IOR, ACIC_BENCH = "ior", "acic-bench"

_MARKS = {ACIC_BENCH: re.compile(rb"acic-bench-(\d[\w.+~-]*)"), IOR: re.compile(rb"IOR-(\d[\w.+~-]*)")}
_SEPARATORS = ",;#"  # IOR ends a directive's value there, and knows no quoting


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A program that takes IOR's options and writes IOR's JSON.

    Args:
        name: "ior" or "acic-bench".
        program: its path.
        version: as the program tells it, "4.1.0+dev"; "" where the file does not tell, as a wrapper script.
        mpiexec: the launcher of the MPI that it was built with; None where that is not known.
    """

    name: str
    program: Path
    version: str
    mpiexec: Path | None = None

    @property
    def verifies_places(self) -> bool:
        """Whether `-W` and `-R` find data that changed places: acic-bench's carry rank and offset in each word."""
        return self.name == ACIC_BENCH

    def command(self, arguments: Sequence[str], summary: Path) -> tuple[str, ...]:
        """Return the program and its arguments, without a launcher, such that it writes its JSON into `summary`.

        IOR writes the file bit by bit, and acic-bench at the end: until it is complete JSON, no run has succeeded.

        Args:
            arguments: IOR's options.
            summary: the file.

        Raises:
            InvalidInput: the file's name has one of `,;#`, which end a directive.
        """
        if any(character in str(summary) for character in _SEPARATORS):
            raise InvalidInput(
                f"a summary cannot be written to {summary}: IOR ends a file's name at any of {_SEPARATORS}",
                hint="choose a folder without these characters in its name",
            )
        return (str(self.program), *arguments, "-O", "summaryFormat=JSON", "-O", f"summaryFile={summary}")

    def hints_arguments(self, file: Path) -> tuple[str, ...]:
        """Return the options that make the program read MPI-IO hints from `file`; see `hints_text`."""
        return (f"--mpiio.hintsFileName={file}",)


def hints_text(hints: Mapping[str, str]) -> str:
    """Return what a file of MPI-IO hints holds, for either program.

    Raises:
        InvalidInput: a name or value that cannot stand in a line of it.
    """
    for name, value in hints.items():
        if not re.fullmatch(r"\w+", name) or not re.fullmatch(r"[^\s#][^\n#]*", value):
            raise InvalidInput(
                f"the hint {name!r} = {value!r} cannot be written to a hints file",
                hint="a name has letters, digits and _; a value is one line, not empty, without #",
            )
    return "".join(f"IOR_HINT__MPI__{name}={value}\n" for name, value in hints.items())


def identify(program: Path, mpiexec: Path | None = None) -> Benchmark:
    """Return the benchmark that a file is, by what is written in it: starting it may need a launcher and nodes.

    A file that does not tell, as a script that starts IOR, goes by its name.

    Raises:
        UnreadableInput: there is no such program.
        InvalidInput: its path begins with the home of nobody.
    """
    path = expanded(program)
    try:
        if not os.access(path, os.X_OK):
            if path.exists() and os.statvfs(path).f_flag & os.ST_NOEXEC:
                raise UnreadableInput(
                    f"cannot use the benchmark {path}: its file system is mounted noexec",
                    hint="name a folder where programs may run in ACIC_CACHE, or a program in one in ACIC_BENCH",
                )
            raise PermissionError("it cannot be executed" if path.exists() else "there is no such file")
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"cannot use the benchmark {program}: {error.strerror or error}",
            hint="give the path of ior or acic-bench, or leave it out to have one found or built",
        ) from error
    for name, mark in _MARKS.items():
        if found := mark.search(content):
            return Benchmark(name=name, program=path, version=found[1].decode("ascii", "replace"), mpiexec=mpiexec)
    name = ACIC_BENCH if path.name.startswith(ACIC_BENCH) else IOR
    return Benchmark(name=name, program=path, version="", mpiexec=mpiexec)
