"""The journal of a campaign: what was planned, begun and found out, one line of JSON each, never changed.

A line is written in one call, so a controller that is killed leaves whole lines only; a machine that loses power may
leave part of the last one, which is left out and cut off. Everything else follows from the lines (`state`).
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from acic.campaign.locking import held, lock_soon
from acic.errors import InvalidInput, UnreadableInput
from acic.paths import new_file, user_folder
from acic.toml import NAME, NAME_HINT

Event = dict[str, Any]
VERSION = 1
_FILE = "journal.jsonl"
_STEM = 40  # characters of what a campaign is of, beside which there is room for the time and a number
_PAUSE = "pause"
_WAITS = "waits"
_ALREADY = {
    "campaign": "resume it (--resume), or choose another --name",
    "survey": "go on with it (`acic survey run`), or choose another name",
}
_MISSING = {
    "campaign": "`acic campaign list` shows those there are",
    "survey": "`acic survey list` shows those there are",
}


def campaigns_folder() -> Path:
    """Return the folder of the user's campaigns."""
    return user_folder("state") / "campaigns"


def folder_of(name: str, within: Path, *, kind: str = "campaign") -> Path:
    """Return the folder of the campaign (or what else `kind` says) of that name, whether it is there or not.

    Raises:
        InvalidInput: the name would be no folder, or one elsewhere.
    """
    if not NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} is no name for a {kind}", hint=NAME_HINT)
    return within / name


def free_folder(of: str, now: datetime) -> Path:
    """Return a folder for a campaign that got no name: what it is of and the time, numbered where that is taken."""
    stem = f"{of[:_STEM]}-{now:%Y%m%d-%H%M%S}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for name in names if not os.path.lexists(folder := folder_of(name, campaigns_folder())))


class Journal:
    """A campaign's folder: the journal, the raw outputs of its runs, whether it is to pause, what a job waits for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / _FILE

    @property
    def name(self) -> str:
        """What the campaign is called."""
        return self.folder.name

    @property
    def raw(self) -> Path:
        """Where the raw outputs of the runs are kept."""
        return self.folder / "raw"

    @classmethod
    def create(
        cls, folder: Path, begun: Mapping[str, Any], *, kind: str = "campaign", events: Iterable[Event] = ()
    ) -> Journal:
        """Return the journal of a new campaign (or what else `kind` says) in `folder`: `begun`, and then `events`.

        Raises:
            InvalidInput: there is one of this name already.
        """
        draft = cls(folder.with_name(f".{folder.name}.{secrets.token_hex(4)}"))
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft.folder.mkdir(mode=0o755)  # whoever could write there would choose what is run when it is resumed
        draft.raw.mkdir(mode=0o755)
        try:
            new_file(draft._file, 0o644).close()
            draft.append("begun", version=VERSION, **begun)
            for event in events:
                draft.append(**event)
            draft.folder.rename(folder)  # it appears whole, or not at all
            _keep_name(folder.parent)
        except BaseException as error:
            shutil.rmtree(draft.folder, ignore_errors=True)
            if not isinstance(error, OSError) or error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
            raise InvalidInput(f"there is a {kind} {folder.name} already", hint=_ALREADY[kind]) from None
        return cls(folder)

    @classmethod
    def open(cls, folder: Path, *, kind: str = "campaign") -> Journal:
        """Return the journal in `folder`, of a campaign or what else `kind` says.

        Raises:
            InvalidInput: there is none.
        """
        journal = cls(folder)
        if not journal._file.is_file():
            raise InvalidInput(f"there is no {kind} {folder.name}", hint=_MISSING[kind])
        return journal

    def append(self, event: str, **fields: Any) -> None:
        """Write one event; it is there when this returns, whatever happens to this process or machine afterwards."""
        line = json.dumps({"event": event, **fields}, separators=(",", ":"), default=str) + "\n"
        with self._file.open("ab", buffering=0) as file:
            whole = file.tell()
            try:
                if file.write(line.encode()) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._file))
                os.fsync(file.fileno())  # the store keeps what it is given: it must not know more than this does
            except OSError:
                file.truncate(whole)  # half a line in the middle would spoil the rest
                raise

    def events(self) -> Iterator[Event]:
        """Yield every event, in order.

        Raises:
            UnreadableInput: a line cannot be read, or a newer acic wrote it.
        """
        *lines, _ = self._file.read_bytes().split(b"\n")  # what has no end was not written whole
        for number, line in enumerate(lines, 1):
            try:
                event = json.loads(line)
                if not isinstance(event, dict) or (event["event"] == "begun") != (number == 1):
                    raise ValueError("it is no event")
                if not isinstance(event.get("options", {}), dict) or type(event.get("version", VERSION)) is not int:
                    raise ValueError("it is no event of ours")
            except (ValueError, LookupError, RecursionError) as error:
                raise self.damaged("the first line" if number == 1 else f"line {number}") from error
            if event.get("version", VERSION) > VERSION:
                raise UnreadableInput(f"a newer acic made the campaign {self.name}", hint="update acic")
            yield event
        if not lines:
            raise self.damaged("the first line")

    def damaged(self, where: str) -> UnreadableInput:
        """Return the error that says so."""
        return UnreadableInput(
            f"{where} of {self._file} cannot be read", hint="restore the file from a copy, or begin a new campaign"
        )

    @property
    def begun(self) -> Event:
        """What was asked for: the first event, and what was changed when the campaign was resumed.

        Raises:
            UnreadableInput: there is none, or it cannot be read.
        """
        events = self.events()
        first = next(events, None)
        if first is None:
            raise UnreadableInput(
                f"the journal {self._file} is empty", hint="begin the campaign again, under another name"
            )
        for event in events:
            first |= event.get("options", {})
        return first

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other controller away while the block runs.

        Raises:
            InvalidInput: one is at work already.
        """
        with (self.folder / "lock").open("w") as file:
            if not lock_soon(file):
                raise InvalidInput(f"the campaign {self.name} is running already", hint="wait for it, or pause it")
            self._mend()
            yield

    @property
    def running(self) -> bool:
        """Whether a controller is at work on it now."""
        return held(self.folder / "lock")

    @property
    def pause_asked(self) -> bool:
        """Whether somebody asked the controller to stop after the present run."""
        return (self.folder / _PAUSE).exists()

    def ask_pause(self, wanted: bool = True) -> None:
        """Ask the controller to stop after the present run, or take that back."""
        mark = self.folder / _PAUSE
        mark.touch() if wanted else mark.unlink(missing_ok=True)

    @property
    def waiting(self) -> str:
        """What a job of the controller at work waits for, in words; "" where none does, or nobody knows."""
        try:
            return (self.folder / _WAITS).read_text(encoding="utf-8")
        except OSError:
            return ""

    def note_waiting(self, text: str) -> None:
        """Tell who asks from elsewhere what a job waits for; "" where none does any more.

        It is no event: nothing follows from it, and a full disk may leave it untold.
        """
        file = self.folder / _WAITS
        with suppress(OSError):
            file.write_text(text, encoding="utf-8") if text else file.unlink(missing_ok=True)

    def _mend(self) -> None:
        """Cut off a last line that was not written whole."""
        if not self._file.exists():
            return
        with self._file.open("r+b") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            if whole != len(content):
                file.truncate(whole)
                os.fsync(file.fileno())


def _keep_name(folder: Path) -> None:
    """Make last which files a folder has, where its file system can."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)


def journals(within: Path | None = None) -> list[Journal]:
    """Return every journal in a folder, by default every campaign of the user, the newest last."""
    folder = within or campaigns_folder()
    found = [Journal(p.parent) for p in folder.glob(f"[!.]*/{_FILE}")] if folder.is_dir() else []
    return sorted(found, key=lambda j: (j.folder / _FILE).stat().st_mtime)
