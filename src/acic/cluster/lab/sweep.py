"""Removing a lab, or what there is of one: by its record, and by its parts' names where that lacks them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from acic.cluster.lab import disks, network
from acic.cluster.lab.facts import check_name
from acic.cluster.lab.fuse import cut_off
from acic.cluster.lab.groups import groups
from acic.cluster.lab.nodes import MOUNT, STATE, STORE, Node, kill, marked, parent
from acic.cluster.lab.record import NAME, Lock, Names, Record
from acic.cluster.lab.record import STATE as RECORD
from acic.cluster.processes import Process, started
from acic.errors import InvalidInput, TransientError

_PATIENCE = 10.0  # s for killed processes to be gone
_TRIES = 20


def clean_up(state: Path = RECORD, *, name: str = "") -> None:
    """Remove whatever a killed controller left of a lab; safe any time, also when there is nothing.

    Args:
        state: the folder for its record.
        name: of the lab, needed only where the record is lost and the name was not the default one.

    Raises:
        InvalidInput: no lab can have that name, or the lab of that name is another one, with its record elsewhere, or
            the one with its record in `state` has another name.
        TransientError: another process works on it, or something stays.
    """
    lock = Lock(state)
    try:
        record = Record.read(state)
        if name and record is not None and record.name != name:
            raise InvalidInput(
                f"the lab with its record in {state} is called {record.name}, not {name}",
                hint="leave --name out to remove that one, or give --state a folder without a record",
            )
        sweep(state, name or (record.name if record is not None else NAME))
    finally:
        lock.release()


def sweep(state: Path, name: str) -> None:
    """Remove everything of the lab whose record is in `state`, and of the lab `name`. The caller holds its lock.

    Safe at any time: what is not there is not missed.

    Raises:
        InvalidInput: no lab can have that name, or the lab of that name is another one, with its record elsewhere; or
            something else has the name of one of its parts. Nothing was removed.
        TransientError: something is in use and stays; the record stays too.
    """
    check_name(name)
    names = Names(name)
    names.check_claim(state)
    record = Record.read(state)
    unknown = record is None or record.name != name
    names.check_images()
    if unknown:
        network.check_marked(names)
    if record is not None:
        known = Names(record.name)
        known.check_images()
        _sweep(known, [Process(*pair) for pair in _recorded(record)], unmarked=True)
        network.restore(record.content["settings"])
        disks.forget(record.content["loops"])
    if unknown:
        _sweep(names, [], unmarked=False)
    for path in (state / "record.json", *state.glob(".record.json.*")):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not there, or with files of somebody else
        state.rmdir()


def _recorded(record: Record) -> Iterable[list[int]]:
    for entry in record.content["nodes"].values():
        yield from (pair for pair in (entry["around"], entry["first"]) if pair)


def _sweep(names: Names, processes: Iterable[Process], *, unmarked: bool) -> None:
    own = groups(names.group)
    disks.unthrottle(names.images, own)  # else what is left to be written is written slowly
    processes = list(processes)
    for process in processes:
        if process.alive:
            cut_off(process.pid)
    kill([*processes, *_entered(processes)])
    own.remove()
    kill([Process(pid, started(pid)) for pid in marked(names.name)])
    network.remove(names, unmarked=unmarked)
    disks.remove(names.images, own)
    shutil.rmtree(names.images, ignore_errors=True)


def _entered(nodes: Iterable[Process]) -> list[Process]:
    """Return the processes of this machine whose children are in one of `nodes`: an `nsenter`, say.

    A node's first process is gone when its children are, and those when these have taken note: one that is stopped
    would keep the node for ever.
    """
    own = _namespace("self", "pid")  # in which a process may be that is just about to become a node
    spaces = {_namespace(node.pid, "pid_for_children") for node in nodes if node.alive} - {own, ""}
    pids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()] if spaces else []
    return [Process(pid, started(pid)) for pid in pids if _namespace(pid, "pid_for_children") in spaces]


def _namespace(pid: int | str, kind: str) -> str:
    """Return a namespace of a process; "" if it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")
    except OSError:
        return ""


def clear(node: Node, processes: Iterable[int]) -> None:
    """End what runs in a node, except what makes it a node, and unmount what was mounted in it.

    Args:
        node: which.
        processes: in its groups.

    Raises:
        TransientError: something does not end, or stays mounted.
    """
    kept = {node.pid, parent(node.pid), os.getpid()}  # what serves is a child of the first process, too, and ends
    others = {pid for pid in processes if pid not in kept}
    for pid in others:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    if not _ended(others):
        cut_off(node.pid)  # they may wait for a file system that does not answer
        if not _ended(others):
            raise TransientError(f"processes on {node.name} do not end: {others}", hint="they wait for a device")
    for path in (MOUNT, STORE):
        tries = 0
        while node.mounted(path):
            lazily = ["-l"] if tries > _TRIES and path == MOUNT else []
            node.run(["umount", *lazily, path], seconds=60)
            tries += 1
            if tries > 2 * _TRIES:
                raise TransientError(f"{path} of {node.name} stays mounted", hint="acic lab down removes all")
            if node.mounted(path):
                time.sleep(0.02)


def _ended(processes: Iterable[int]) -> bool:
    limit = time.monotonic() + _PATIENCE
    while alive := any(started(pid) for pid in processes):
        if time.monotonic() > limit:
            break
        time.sleep(0.005)
    return not alive


def empty(node: Node) -> None:
    """Remove what is in the directories for a store, for state and for a mount."""
    for folder in (STORE, STATE, MOUNT):
        for path in node.within(folder).iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
