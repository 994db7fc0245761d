"""Commands that are asked something and must not hang us."""

from __future__ import annotations

import errno
import functools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

UNABLE = "setpriv: failed to execute "  # what `die_with_parent` says of a program that there is not, before its name
_KILLED = 1.0  # s for a killed process to be gone


def run(
    words: Sequence[str], *, patience: float, stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; return its exit status and all that it said until it ended.

    What it leaves running is not waited for: ssh before 8.5 leaves a shared connection that holds standard error open.

    Args:
        words: the program and its arguments.
        patience: s to wait; then the command and all that it started are killed.
        stdin: what it is given on standard input.
        environment: all of it; None for this process's own.

    Raises:
        FileNotFoundError: there is no such program.
        subprocess.TimeoutExpired: it did not end in time.
    """
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), words[0])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(  # noqa: S603  # a list, no shell
            [*die_with_parent(), *words],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            env=environment,
            start_new_session=True,
        )
        try:
            process.communicate(os.fsencode(stdin), timeout=patience)  # a path in it need not be UTF-8
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # who waits for a file system that does not answer cannot be killed, and is not waited for
            with suppress(subprocess.TimeoutExpired):
                process.wait(_KILLED)
            raise
        finally:
            with suppress(OSError):  # what was still to be written to it
                process.stdin.close()  # type: ignore[union-attr]  # it is there
        return subprocess.CompletedProcess(words, process.returncode, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


@functools.cache
def die_with_parent() -> tuple[str, ...]:
    """Return the command that has the kernel kill a program when its controller dies; () where there is none."""
    program = shutil.which("setpriv")
    if program is None:
        return ()
    told = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)  # noqa: S603  # a list, no shell
    return (program, "--pdeathsig", "KILL", "--") if "--pdeathsig" in told.stdout else ()
