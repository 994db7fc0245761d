"""The kinds of step. Each names the node it is for; whoever runs them decides what a node is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """Make a directory, and those above it, unless it is there."""

    node: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """Write a file anew, as a whole."""

    node: str
    path: str
    text: str
    mode: int = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Run a command to its end; its exit status must be 0.

    Args:
        node: where.
        command: the program and its arguments.
        seconds: after which it has failed.
    """

    node: str
    command: tuple[str, ...]
    seconds: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Serve:
    """Start a program that stays: in the foreground, as a child of whoever runs the steps on that node.

    Args:
        node: where.
        name: to stop it by; unique on the node. Its output goes to a log of that name.
        command: the program and its arguments, without anything that would put it into the background.
        environment: set for it.
    """

    node: str
    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Await:
    """Run a command again and again until its exit status is 0 and its output matches.

    Args:
        node: where.
        command: the program and its arguments.
        matches: regular expression, the same for Python and `grep -E`, that is looked for in the lines of its standard
            output; "" for any.
        seconds: after which it is given up.
    """

    node: str
    command: tuple[str, ...]
    matches: str = ""
    seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """Mount a file system by a program that stays (FUSE), and wait until it is the one at the path.

    Args:
        node: where.
        name: to stop it by, as in `Serve`.
        path: the mount point, a directory that exists.
        kind: the type in the node's mount table, as "fuse.glusterfs"; any other one is a failure.
        command: as in `Serve`.
        environment: set for it.
        seconds: after which it is given up.
    """

    node: str
    name: str
    path: str
    kind: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmount:
    """Unmount a path; nothing if it is none."""

    node: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """End what `Serve` or `Mount` started: asked to first, then killed; nothing if it is not there.

    Args:
        node: where.
        name: of the program.
        seconds: that it has to end by itself.
    """

    node: str
    name: str
    seconds: float = 5.0


Step: TypeAlias = Directory | File | Execute | Serve | Await | Mount | Unmount | Stop
