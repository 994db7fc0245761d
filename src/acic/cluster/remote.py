"""Other machines, reached by ssh: asked whether they are there, and rid of a job's processes."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from acic.cluster import commands
from acic.cluster.job import TAG
from acic.cluster.launcher import COUNT_CORES
from acic.cluster.segments import PATTERNS
from acic.cluster.templates import fill
from acic.errors import InvalidInput, TransientError

T = TypeVar("T")

SSH_FAILED = 255  # its exit status when there is no connection, or when the program's was that
_NO_FOLDER, _LEFT = 81, 82  # exit statuses of the scripts below
_SHELL = "exec /bin/sh -s"  # whatever the user's login shell is
_KILL_SECONDS = 10
_ANSWER_SECONDS = 20  # for what takes no time, once there is a connection

# The environment is looked at again right before a process is signalled: no other one gets its number meanwhile.
_END = r"""
tag=@TAG@
end() {
  for entry in $found; do
    pid=${entry#/proc/}
    pid=${pid%/environ}
    grep -qszxF "$tag" "$entry" && kill -s "$1" "$pid" 2>/dev/null
  done
}
any=0 none=0 tick=0
while :; do
  found=$(grep -lszxF "$tag" /proc/[0-9]*/environ)
  if [ -z "$found" ]; then
    none=$((none + 1))
    [ $none -eq 2 ] && break
  else
    any=1 none=0
    [ $tick -eq 0 ] && end TERM
    [ $tick -gt @GRACE@ ] && end KILL
    [ $tick -gt @LIMIT@ ] && { echo $found; exit @LEFT@; }
  fi
  tick=$((tick + 1))
  [ $none -eq 1 ] && sleep 0.02 || sleep 0.1
done
if [ $any -eq 1 ]; then
  for segment in @SEGMENTS@; do
    [ -O "$segment" ] || continue
    ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF "$segment" && continue
    grep -qsF "$segment" /proc/[0-9]*/maps || rm -f "$segment"
  done
fi
echo $any
"""

# Launchers call this in place of ssh, as `agent [options] host command...`: the command gets the job's tag. MPICH's
# would wait for a host that is lost until the time limit, so it is ended here.
_AGENT = r"""#!/bin/sh
options=
while :; do
  case $1 in
    -[bcDEeFIiJLlmOopQRSWw]) options="$options $1 $2"; shift 2 ;;
    -*) options="$options $1"; shift ;;
    *) break ;;
  esac
done
host=$1
shift
quoted=$(printf %s "$*" | sed "s/'/'\\\\''/g")
@SSH@ $options "$host" "exec env @UNSET@ @TAG@ /bin/sh -c '$quoted'"
status=$?
if [ $status -eq 255 ]; then
  echo "$host" >>@LOST@
  grep -qszxF @TAG@ /proc/$PPID/environ && kill -s TERM $PPID
fi
exit $status
"""


class Remote:
    """Hosts that ssh reaches without being asked anything.

    Args:
        command: ssh, with options that the user wants; those of the user's own ssh configuration hold too.
        connect_timeout: s to wait for a connection.
    """

    def __init__(self, command: Sequence[str], connect_timeout: float) -> None:
        seconds = max(1, round(connect_timeout))
        options = ("BatchMode=yes", f"ConnectTimeout={seconds}", "ServerAliveInterval=10", "ServerAliveCountMax=3")
        self._command = [*command, *(word for option in options for word in ("-o", option))]
        # a connection that others share must not be a process of one job, to be ended with it
        self._launching = [*self._command, "-o", "ControlMaster=no"]
        self._patience = connect_timeout + _ANSWER_SECONDS

    def shell(self, host: str) -> list[str]:
        """Return the command line that has `host` run the shell script on standard input."""
        return [*self._launching, host, _SHELL]

    def agent(self, name: str, lost: Path, *, without: Sequence[str] = ()) -> str:
        """Return a program for launchers to call in place of ssh: what it starts is tagged with the job's name.

        Variables that it is to be `without` are not taken over from the host.
        When a connection is lost, it writes the host's name to the file `lost` and ends the launcher.
        """
        facts = {
            "SSH": shlex.join(self._launching),
            "TAG": shlex.quote(f"{TAG}={name}"),
            "LOST": shlex.quote(str(lost)),
            "UNSET": shlex.join(unset(without)),
        }
        return fill(_AGENT, facts)

    def cores(self, hosts: Sequence[str], folder: Path) -> dict[str, int]:
        """Return how many cores each host has.

        Raises:
            TransientError: some do not answer.
            InvalidInput: one does not see `folder`, or runs no script.
        """
        script = f"cd {shlex.quote(str(folder))} || exit {_NO_FOLDER}; {COUNT_CORES} || echo 1"
        answers = self._ask(hosts, lambda host: self._run(host, script, self._patience))
        return {host: _cores_of(host, folder, answer) for host, answer in answers.items()}

    def end(self, hosts: Sequence[str], name: str, *, grace: float) -> bool:
        """End the processes of the job `name` on `hosts`; return whether there were any.

        Raises:
            TransientError: a host does not answer, or a process does not end.
        """
        facts = {
            "TAG": shlex.quote(f"{TAG}={name}"),
            "GRACE": str(round(10 * grace)),
            "LIMIT": str(round(10 * (grace + _KILL_SECONDS))),
            "LEFT": str(_LEFT),
            "SEGMENTS": " ".join(f"/dev/shm/{pattern}" for pattern in PATTERNS),  # noqa: S108  # where they are
        }
        script = fill(_END, facts)
        patience = self._patience + 2 * (grace + _KILL_SECONDS)
        answers = self._ask(hosts, lambda host: self._run(host, script, patience))
        for host, answer in answers.items():
            if answer.returncode != 0:
                raise TransientError(
                    f"processes of the job {name} do not end on {host}: {(answer.stdout + answer.stderr).strip()}",
                    hint="they wait for a file system; see to that first",
                )
        return any(_last_word(answer.stdout) == "1" for answer in answers.values())

    def _run(self, host: str, script: str, patience: float) -> subprocess.CompletedProcess[str]:
        try:
            done = commands.run([*self._command, host, _SHELL], patience=patience, stdin=script)
        except subprocess.TimeoutExpired as error:
            raise HostsSilent({host: f"nothing for {patience:g} s"}) from error
        except FileNotFoundError as error:
            raise InvalidInput(
                f"there is no program {self._command[0]}", hint="install openssh-client, or name your ssh"
            ) from error
        if done.returncode == SSH_FAILED:
            raise HostsSilent({host: done.stderr.strip().rpartition("\n")[2]})
        return done

    def _ask(self, hosts: Sequence[str], question: Callable[[str], T]) -> Mapping[str, T]:
        """Ask all hosts at once; return their answers.

        Raises:
            HostsSilent: some did not answer.
        """
        answers: dict[str, T] = {}
        silent: dict[str, str] = {}
        with ThreadPoolExecutor(max_workers=min(32, len(hosts))) as pool:
            for host, pending in {host: pool.submit(question, host) for host in hosts}.items():
                try:
                    answers[host] = pending.result()
                except HostsSilent as error:
                    silent |= error.why
        if silent:
            raise HostsSilent(silent)
        return answers


def unset(names: Sequence[str]) -> list[str]:
    """Return the options that make `env` leave variables of those names out."""
    return [word for name in names for word in ("-u", name)]


def _cores_of(host: str, folder: Path, answer: subprocess.CompletedProcess[str]) -> int:
    if answer.returncode == _NO_FOLDER:
        raise InvalidInput(f"{host} does not see the folder {folder}", hint="use one that all hosts share")
    said = _last_word(answer.stdout)
    if answer.returncode != 0 or not said.isdecimal():
        told = (answer.stdout + answer.stderr).strip().rpartition("\n")[2]
        raise InvalidInput(
            f"{host} runs no script of ours: {told or f'exit status {answer.returncode}'}",
            hint=f"see that `ssh {host} exec /bin/sh -c nproc` prints how many cores it has",
        )
    return int(said)


def _last_word(text: str) -> str:
    """Return the last word of an answer: start-up files of the user's shell may have said something before it."""
    return next(reversed(text.split()), "")


class HostsSilent(TransientError):
    """Hosts that do not answer.

    Args:
        why: what ssh said, for each of them.
    """

    def __init__(self, why: Mapping[str, str]) -> None:
        told = "; ".join(f"{host} ({reason})" for host, reason in why.items())
        super().__init__(
            f"no answer by ssh from {told}", hint="see that `ssh -o BatchMode=yes HOST true` works for each host"
        )
        self.why = dict(why)
