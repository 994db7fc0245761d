"""A list of hosts, and how many processes go to which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from acic.errors import InvalidInput

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]*")  # none that ssh or a shell would take for something else


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that ssh reaches.

    Args:
        name: as ssh takes it.
        slots: processes that it is for; None if that was not said: one for each core.
    """

    name: str
    slots: int | None


def read_hosts(texts: Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts that `texts` name, each "name" or "name:slots".

    Raises:
        InvalidInput: there is none, one is there twice, or one is written in another way.
    """
    hosts = tuple(_read(text) for text in texts)
    if not hosts:
        raise InvalidInput("the list of hosts is empty", hint="give at least one, as NAME or NAME:SLOTS")
    names = [host.name for host in hosts]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InvalidInput(f"{min(twice)} is in the list of hosts twice", hint="say NAME:SLOTS for more processes")
    return hosts


def spread(processes: int, hosts: Sequence[Host]) -> dict[str, int]:
    """Return how many of `processes` go to each host, as evenly as can be; the first ones get more."""
    each, more = divmod(processes, len(hosts))
    return {host.name: each + (index < more) for index, host in enumerate(hosts)}


def _read(text: str) -> Host:
    name, colon, slots = text.partition(":")
    if not _NAME.fullmatch(name) or (colon and not (slots.isascii() and slots.isdigit() and int(slots) > 0)):
        raise InvalidInput(f"{text!r} is no host", hint="write NAME or NAME:SLOTS")
    return Host(name, int(slots) if colon else None)
