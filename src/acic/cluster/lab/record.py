"""What is written down of a lab, always before it is made, so that whoever comes later can remove it."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from acic.cluster.records import read_json, write_json
from acic.errors import InvalidInput, TransientError
from acic.paths import is_own

NAME = "acic"  # of a lab, unless another one is given
STATE = Path("/run/acic-lab")  # where a lab's record is, unless another place is named
_PARTS = {"name": str, "phase": str, "nodes": dict}  # what tells a record from other files
_PATIENCE = 1.0  # s: what a killed process had just forked holds its lock until it is another program, or gone
_IMAGES = Path("/var/tmp")  # noqa: S108  # disk images need a real disk that survives nothing in particular


class Record:
    """The record of one lab: a dictionary in a file that is replaced as a whole.

    Args:
        state: the lab's folder.
        content: what it says.
    """

    def __init__(self, state: Path, content: dict[str, Any]) -> None:
        self.state = state
        self.content = content

    @classmethod
    def read(cls, state: Path) -> Record | None:
        """Return the record in `state`; None if there is none.

        Raises:
            InvalidInput: the file there is something else.
        """
        content = read_json(_file(state))
        if content is None and not _file(state).exists():
            return None
        if content is None or not all(isinstance(content.get(key), kind) for key, kind in _PARTS.items()):
            raise InvalidInput(
                f"{_file(state)} is not a lab's record", hint="name another folder by --state, or remove that file"
            )
        return cls(state, content)

    def save(self) -> None:
        """Write it down as it is now."""
        self.state.mkdir(parents=True, exist_ok=True)
        write_json(_file(self.state), self.content)

    @property
    def name(self) -> str:
        """The lab's name."""
        return str(self.content["name"])


class Names:
    """What the parts of a lab are called: all found again by the lab's name alone.

    Args:
        name: of the lab.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.bridge = f"{name}-br"
        self.group = self.alias = f"acic-lab-{name}"  # the control group; what network interfaces are marked with
        self.images = _IMAGES.resolve() / f"acic-lab-{name}"  # as the kernel tells the files behind disks

    def claim(self, state: Path) -> None:
        """Note where the lab's record is.

        Raises:
            InvalidInput: somebody else has made what is to be the folder of the images, where anybody may make some.
        """
        with suppress(FileExistsError):
            self.images.mkdir(mode=0o700)
        self.check_images()
        self._owner.write_text(str(state.absolute()))

    def check_images(self) -> None:
        """Check that the folder of the images, if it is there, is one that whoever runs this may empty.

        Raises:
            InvalidInput: somebody else has made it, or it is a link.
        """
        with suppress(FileNotFoundError):
            if not _is_own_folder(self.images):
                raise InvalidInput(
                    f"{self.images} is not a folder of whoever runs this",
                    hint="remove it, or give the lab another --name",
                )

    def check_claim(self, state: Path) -> None:
        """Check that the lab of this name is that with its record in `state`, or that there is none.

        Raises:
            InvalidInput: it is another one.
        """
        owner = self.owner()
        if owner is not None and owner.resolve() != state.resolve() and _holds_record(owner):
            raise InvalidInput(
                f"there is a lab {self.name} with its record in {owner}",
                hint=f"use that (--state {owner}), or give this one another name",
            )

    def owner(self) -> Path | None:
        """Return where the record of the lab of this name is, or was; None if there is no lab."""
        try:
            return Path(self._owner.read_text()) if _is_own_folder(self.images) else None
        except OSError:
            return None

    @property
    def _owner(self) -> Path:
        return self.images / "state"

    def link(self, node: str) -> str:
        """Return the bridge's end of a node's link."""
        return f"{self.name}-{node}"


class Lock:
    """The right to change a lab, held by one process at a time; given back by its end at the latest.

    Args:
        state: the lab's folder; the lock lies beside it, since the folder comes and goes.

    Raises:
        TransientError: another process has it.
        InvalidInput: it cannot be taken there.
    """

    def __init__(self, state: Path) -> None:
        self._path = state.with_name(f"{state.name}.lock")
        self._file = -1
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            while self._file < 0:
                self._file = self._taken()
        except OSError as error:
            raise InvalidInput(
                f"cannot lock the lab: {error}", hint="run it by sudo, or name another state folder"
            ) from error

    def _taken(self) -> int:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _locked(file):
            os.close(file)
            raise TransientError(
                "another process works on this lab",
                hint=f"wait until it has ended, or end it; see `fuser` on the lock: {self._path}",
            )
        try:
            if os.fstat(file).st_ino == os.stat(self._path).st_ino:
                return file
        except FileNotFoundError:
            pass  # whoever had it removed it meanwhile
        os.close(file)
        return -1

    def release(self) -> None:
        """Give it back; safe twice."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1


def _locked(file: int) -> bool:
    """Return whether `file` is locked now: waits a moment for others."""
    limit = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > limit:
                return False
            time.sleep(0.01)
        else:
            return True


def _is_own_folder(path: Path) -> bool:
    """Return whether a path is a folder of whoever runs this, and no link to one."""
    return is_own(path) and path.is_dir()


def _holds_record(state: Path) -> bool:
    """Return whether there is a lab's record in a folder, which may hold anything."""
    try:
        return Record.read(state) is not None
    except InvalidInput:
        return False


def _file(state: Path) -> Path:
    return state / "record.json"
