"""What else of the user's measures on this machine now: each of two at a time takes the other's figures for its own."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from acic.campaign.journal import journals
from acic.campaign.killed import commands_folder
from acic.campaign.locking import held
from acic.campaign.request import LOCAL
from acic.errors import AcicError
from acic.filesystems import LAB

_HERE = (LOCAL, LAB)  # runners of this machine


def beside(runner: str, name: str = "") -> str:
    """Return in a sentence what measures on this machine beside runs by `runner`, of the campaign of that name.

    "" where nothing does, or those runs are elsewhere.
    """
    if runner not in _HERE:
        return ""
    at_work = [one for one in journals() if one.name != name and one.running]
    told = []
    for journal in at_work:
        with suppress(AcicError):  # damaged
            told += [f"the campaign {journal.name}"] if _is_here(journal.begun) else []
    for file in sorted(commands_folder().glob("*.jsonl")):
        with suppress(OSError, ValueError, IndexError):  # it has ended since, or is just beginning
            begun = json.loads(file.read_text(encoding="utf-8").splitlines()[0])  # first: it is written under the lock
            if _is_here(begun) and held(file):
                told.append("a command of `acic verify`")
    if not told:
        return ""
    return (
        f"{' and '.join(told)} {'is' if len(told) == 1 else 'are'} at work on this machine, too: each slows the other, "
        "and both take that for what they measure; better wait for it (`acic campaign list`), or pause one"
    )


def _is_here(begun: Mapping[str, Any]) -> bool:
    where = begun.get("where", {})
    return begun.get("machine") == socket.gethostname() and where.get("runner") in _HERE
