"""What the programs of a job said last, without what launchers say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from acic.cluster import commands

_END = 65_536  # B of an output that are looked at for its last lines
_BANNER = "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"  # of MPICH's mpiexec, on standard output
# Open MPI's are as 4.1.4 and 5.0.11 write them: messages between rulers, and lines of each process.
_RULER = "-" * 74
_WITHOUT_RULER = re.compile(r"\S+ has detected an attempt to run as root\.")  # so Open MPI 5
_ENDED = re.compile(  # messages that tell no more than the exit status does
    r"Primary job  terminated normally|\S+ (detected that one or more processes|noticed that process rank"
    r"|has exited due to process rank)"
)
_OF_LAUNCHER = re.compile(
    r"[-=*]*|=+ backtrace .*|.*\[0x[0-9a-f]+\]|\d+ total process(es)? failed to start"
    r"|(\[ ?\d+\] )?\[[^]]*:\d+\] (\d+ more process(es)? ha(s|ve) sent help message|Set MCA parameter|Signal"
    r"|Failing at|\[ ?\d+\]|\*\*\* +(Process received|End of error|MPI_ERRORS_ARE_FATAL|and (potentially|MPI will))).*"
)


def last_words(errors: Path, output: Path) -> list[str]:
    """Return the last lines of a file of errors, or where nothing is in it of one of output; [] where nothing is said.

    Where launchers alone said anything, that is the first sentence of each of their messages.
    """
    said, messages = _parted(_end_of(errors))
    said = said or [line for line in _end_of(output) if not _OF_LAUNCHER.fullmatch(line)]
    return said or [_first_sentence(message) for message in messages if not _ENDED.match(message[0])]


def _end_of(file: Path) -> Iterator[str]:
    """Return the last lines of a file, up to MPICH's banner; none where there is nothing."""
    if not file.exists():
        return
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _END))
        text = opened.read().decode(errors="replace")
    for line in text.partition(_BANNER)[0].replace("\0", "").splitlines():  # Open MPI 5 ends its messages with a NUL
        yield line.strip().removeprefix(commands.UNABLE)


def _parted(lines: Iterator[str]) -> tuple[list[str], list[list[str]]]:
    """Return the lines that programs said, and the messages of Open MPI."""
    said: list[str] = []
    messages: list[list[str]] = []
    inside = False
    for line in lines:
        if line == _RULER:
            inside = not inside
            messages += [[]] if inside else []
        elif inside:
            messages[-1].append(line)
        elif _WITHOUT_RULER.match(line):
            inside = True
            messages.append([line])
        elif not _OF_LAUNCHER.fullmatch(line):
            said.append(line)
    return said, [message for message in messages if any(message)]


def _first_sentence(message: list[str]) -> str:
    """Return the first sentence of a message on one line; one that ends in a colon with the line that it is about."""
    paragraph, _, rest = "\n".join(message).strip().partition("\n\n")
    sentence = re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]
    about = rest.strip().partition("\n")[0] if sentence.endswith(":") else ""
    return " ".join([*sentence.split(), *about.split()])
