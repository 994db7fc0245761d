"""Steps, done on the nodes of a lab."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from acic.cluster.lab.nodes import STATE, Node
from acic.cluster.lab.tools import asked, read
from acic.cluster.processes import Process, started
from acic.errors import AcicError, InvalidInput, TransientError
from acic.steps import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount

Services = dict[str, dict[str, Process]]  # by node and name; numbers as the node counts

_OWN = ("/acic/", "/run/")  # what a node shares with nobody; the rest is the machine's
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NAP = 0.02  # s between two looks
_ASKING = 10.0  # s for one answer
_KILLED = 5.0  # s for a killed process to be gone
_LINES, _WIDTH = 5, 160  # of a log, told with a failure
# The number is told before the program runs; the program is of a session of its own, so that what it starts is found.
_SERVE = r'exec 3>&1 >"$1" 2>&1 </dev/null; shift; setsid "$@" 3>&- & echo $! >&3'


class Performer:
    """Does steps.

    Args:
        nodes: by name.
        services: what runs already; kept up to date.
        save: writes `services` down.
    """

    def __init__(self, nodes: Mapping[str, Node], services: Services, save: Callable[[], None]) -> None:
        self._nodes = nodes
        self._services = services
        self._save = save
        self._lock = threading.Lock()

    def perform(self, steps: Iterable[Step]) -> None:
        """Do `steps`, one after the other.

        Raises:
            InvalidInput: a step that cannot be done in any lab.
            TransientError: one that failed.
        """
        for group in _batches(steps):
            if len(group) == 1:
                self._tried(group[0])
                continue
            with ThreadPoolExecutor(max_workers=len(group)) as pool:
                for done in [pool.submit(self._tried, step) for step in group]:
                    done.result()

    def _tried(self, step: Step) -> None:
        if step.node not in self._nodes:
            raise InvalidInput(f"the lab has no node {step.node}", hint=f"it has {', '.join(self._nodes)}")
        try:
            self._do(step, self._nodes[step.node])
        except OSError as error:
            raise self._failed(step, str(error)) from error
        except TransientError as error:
            raise self._failed(step, error.problem) from error

    def _do(self, step: Step, node: Node) -> None:
        match step:
            case Directory():
                _outside(node, step.path).mkdir(parents=True, exist_ok=True)
            case File():
                _write(_outside(node, step.path), step.text, step.mode)
            case Execute():
                done = node.run(step.command, seconds=step.seconds)
                if done.returncode != 0:
                    raise TransientError(f"exit status {done.returncode}: {_tail(done.stdout + done.stderr)}")
            case Serve():
                self._serve(step, node)
            case Await():
                self._await(step, node)
            case Mount():
                self._mount(step, node)
            case Unmount():
                _unmount(step, node)
            case Stop():
                self._stop(step, node)

    def _serve(self, step: Serve | Mount, node: Node) -> None:
        if not _NAME.fullmatch(step.name):
            raise InvalidInput(f"{step.name!r} is no name for a service", hint="use letters, digits, '.', '_' and '-'")
        with self._lock:  # who writes them down goes through all of them
            known = self._services.setdefault(node.name, {}).get(step.name)
        if known is not None and _alive(node, known):
            raise TransientError(f"{step.name} runs already")
        command = ["/usr/bin/env", *(f"{name}={value}" for name, value in step.environment), *step.command]
        done = asked(node.enter(["/bin/sh", "-c", _SERVE, "sh", f"{STATE}/{step.name}.log", *command]))
        if not done.stdout.strip().isdigit():
            raise TransientError(f"it was not started: {_tail(done.stderr)}")
        pid = int(done.stdout)
        with self._lock:
            self._services[node.name][step.name] = Process(pid, started(pid, node.root))
            self._save()

    def _await(self, step: Await, node: Node) -> None:
        limit = time.monotonic() + step.seconds
        while told := _lacking(step, node):
            if time.monotonic() > limit:
                raise TransientError(f"not so after {step.seconds:g} s: {told}")
            time.sleep(_NAP)

    def _mount(self, step: Mount, node: Node) -> None:
        if node.mounted(step.path):
            raise TransientError(f"something is mounted at {step.path} already: {node.mounted(step.path)}")
        self._serve(step, node)
        limit = time.monotonic() + step.seconds
        while (kind := node.mounted(step.path)) != step.kind:
            if kind:
                raise TransientError(f"{step.path} is a {kind}")
            if not _alive(node, self._services[node.name][step.name]):
                raise TransientError("the program ended without having mounted")
            if time.monotonic() > limit:
                raise TransientError(f"not mounted after {step.seconds:g} s")
            time.sleep(_NAP / 4)

    def _stop(self, step: Stop, node: Node) -> None:
        known = self._services.get(node.name, {}).get(step.name)
        if known is None:
            return
        end(node, known, seconds=step.seconds)
        with self._lock:
            del self._services[node.name][step.name]
            self._save()

    def _failed(self, step: Step, why: str) -> AcicError:
        what = type(step).__name__
        told = getattr(step, "name", "") or shlex.join(getattr(step, "command", ())) or getattr(step, "path", "")
        log = self._log(step)
        return TransientError(
            f"{what} {told} on {step.node} failed: {why}{log}", hint="try again; `acic lab shell` looks into it"
        )

    def _log(self, step: Step) -> str:
        """Return the last lines of the log that tells most about the failure of `step`."""
        folder = self._nodes[step.node].within(STATE)
        name = getattr(step, "name", "")
        with contextlib.suppress(OSError):
            logs = (
                [folder / f"{name}.log"]
                if name
                else sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
            )
            if logs:
                text = logs[-1].read_text(errors="replace")
                return f"\n{logs[-1].name}: {_tail(text)}" if text.strip() else ""
        return ""


def _lacking(step: Await, node: Node) -> str:
    """Return what is answered in place of what is waited for; "" if that is."""
    try:
        done = node.run(step.command, seconds=min(_ASKING, max(0.1, step.seconds)))
    except TransientError as error:  # no answer is not yet the right one
        return error.problem
    if done.returncode == 0 and re.search(step.matches, done.stdout, re.MULTILINE):
        return ""
    return f"exit status {done.returncode}: {_tail(done.stdout + done.stderr)}"


def _batches(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """Yield steps that can be done at once: clients that mount, or unmount, do not wait for one another."""
    batch: list[Step] = []
    for step in steps:
        together = batch and type(step) is type(batch[0]) and isinstance(step, Mount | Unmount)
        if not together or step.node in {other.node for other in batch}:
            if batch:
                yield batch
            batch = []
        batch.append(step)
    if batch:
        yield batch


def end(node: Node, known: Process, *, seconds: float) -> None:
    """End a program that `Serve` started, with all that it started: asked first, after `seconds` killed.

    Raises:
        TransientError: it does not end.
    """
    begin = time.monotonic()
    asked_to = False
    while session := _session(node, known):
        waited = time.monotonic() - begin
        if waited > seconds + _KILLED:
            raise TransientError(f"processes do not end: {session}", hint="they wait for a device")
        if waited > seconds or not asked_to:
            for pid in session:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL if waited > seconds else signal.SIGTERM)
            asked_to = True
        time.sleep(0.005)


def _alive(node: Node, known: Process) -> bool:
    return known.started != 0 and started(known.pid, node.root) == known.started


def _session(node: Node, known: Process) -> list[int]:
    """Return the processes of the session that `known` led, as this machine counts: it may have ended, they not."""
    if not _alive(node, known) and started(known.pid, node.root):
        return []  # another process has its number, so that no session of that number can be left
    found = []
    for pid in _within(node):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
            if fields["NSsid"].split()[-1] == str(known.pid) and fields["State"].split()[0] not in "ZX":
                found.append(pid)
    return found


def _within(node: Node) -> Sequence[int]:
    return [int(word) for word in read(node.groups[0] / "cgroup.procs").split() if word != "0"]


def _outside(node: Node, path: str) -> Path:
    if not path.startswith(_OWN) or ".." in path.split("/"):
        raise InvalidInput(f"{path} is not a node's own", hint="use a path below /acic or /run")
    return node.within(path)


def _write(path: Path, text: str, mode: int) -> None:
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text)
    draft.chmod(mode)
    draft.replace(path)


def _unmount(step: Unmount, node: Node) -> None:
    tries = 0
    while node.mounted(step.path):
        tries += 1
        # what is busy or hangs is taken out of sight, and goes when the last that uses it has ended
        lazily = ["-l"] if tries > 5 else []
        node.run(["umount", *lazily, step.path], seconds=5)
        if tries > 10:
            raise TransientError("it stays mounted")
        if node.mounted(step.path):
            time.sleep(_NAP)


def _tail(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return " | ".join(line[-_WIDTH:] for line in lines[-_LINES:])
