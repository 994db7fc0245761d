"""Steps as a shell script: what golden files have of them, and what shells are asked about."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from acic.steps.step import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount


def script(steps: Iterable[Step], node: str) -> str:
    """Return the steps of one node as a POSIX shell script; what other nodes do in between is not in it."""
    lines = [line for step in steps if step.node == node for line in _lines(step)]
    return "\n".join(["#!/bin/sh", "set -eu", *lines, ""])


def _lines(step: Step) -> Iterator[str]:
    match step:
        case Directory():
            yield f"mkdir -p {shlex.quote(step.path)}"
        case File():
            path = shlex.quote(step.path)
            yield f"cat >{path} <<'ACIC_END'"
            yield step.text.removesuffix("\n")
            yield "ACIC_END"
            yield f"chmod {step.mode:o} {path}"
        case Execute():
            yield f"timeout {step.seconds:g} {shlex.join(step.command)}"
        case Serve():
            yield _started(step)
        case Await():
            yield from _awaited(shlex.join(step.command), step.matches, step.seconds)
        case Mount():
            yield _started(step)
            table = f"findmnt --noheadings --output FSTYPE --mountpoint {shlex.quote(step.path)}"
            yield from _awaited(table, f"^{step.kind}$", step.seconds)
        case Unmount():
            path = shlex.quote(step.path)
            yield f"if mountpoint -q {path}; then umount {path}; fi"
        case Stop():
            pid = shlex.quote(f"/run/{step.name}.pid")
            yield f'if [ -e {pid} ]; then kill "$(cat {pid})" || true; rm {pid}; fi'


def _started(step: Serve | Mount) -> str:
    variables = "".join(f"{name}={shlex.quote(value)} " for name, value in step.environment)
    log, pid = shlex.quote(f"/var/log/{step.name}.log"), shlex.quote(f"/run/{step.name}.pid")
    return f"{variables}{shlex.join(step.command)} >{log} 2>&1 & echo $! >{pid}"


def _awaited(command: str, matches: str, seconds: float) -> Iterator[str]:
    found = f"{command} | grep -Eq {shlex.quote(matches)}" if matches else f"{command} >/dev/null"
    yield "waited=0"
    yield f"until {found}; do"
    yield f'  waited=$((waited + 1)); [ "$waited" -lt {max(1, round(seconds))} ] || exit 1; sleep 1'
    yield "done"
