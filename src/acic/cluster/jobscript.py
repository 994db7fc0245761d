"""What a scheduler starts for a job: a shell script that runs it, keeps its time limit and records how it ended."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from acic.cluster import records
from acic.cluster.job import TAG, Ending, Job, State
from acic.cluster.launcher import COUNT_CORES
from acic.cluster.statuses import ending_of, failed_before
from acic.cluster.templates import fill

_TRIES = 80  # to end all processes, about 0.025 s each: so much time they have from TERM to KILL

_TEXT = r"""#!/bin/sh
# Written by acic for the job @NAME@.
cd @FOLDER@ || exit 126
id=${SLURM_JOB_ID:-${PBS_JOBID:-${LSB_JOBID:-$COBALT_JOBID}}}
# Written before the ticket is read, as whoever withdraws the ticket does that before he reads this: one sees the other.
(set -C; echo "$id" >@STARTED@) 2>/dev/null || exit 125  # a second start after a node failed: half of it is done
grep -qF @GO@ @TICKET@ || exit 125
exec >@STDOUT@ 2>@STDERR@ </dev/null
@ENVIRONMENT@

now() {
  read -r up rest </proc/uptime
  echo "$up"
}
end_all() (
  unset @TAGNAME@  # else what looks for it would be found
  none=0 tries=0
  while [ $none -lt 2 ] && [ $tries -lt @TRIES@ ]; do  # two looks, because a process within exec shows no environment
    none=$((none + 1)) tries=$((tries + 1))
    for entry in $(grep -lszxF @TAG@ /proc/[0-9]*/environ); do
      none=0
      pid=${entry#/proc/}
      kill -s "$1" "${pid%/environ}" 2>/dev/null
    done
    sleep 0.02
  done
)
finish() {
  kill "$watch" 2>/dev/null
  end_all KILL
  [ -e @LATE@ ] && set -- late "$2" "$3" "$4"
  printf '{"kind": "%s", "status": %s, "begin": %s, "end": %s}\n' "$1" "$2" "$3" "$4" >@DRAFT@ && mv @DRAFT@ @END@
  exit "$2"
}
(
  trap 'kill $nap 2>/dev/null; exit' TERM
  sleep @LIMIT@ &
  nap=$!
  wait $nap || exit
  : >@LATE@
  end_all TERM
  end_all KILL
) &
watch=$!
cd @START@ || finish program 126 "$(now)" "$(now)"
@BEFORE@
@HOLD@
begin=$(now)
@COMMAND@
finish program $? "$begin" "$(now)"
"""

# A launcher's input stays open, and empty, until it has ended (see `direct.Start`): a FIFO that the script itself could
# write to. Where a file system has none it is at its end, as for other programs.
_HOLD = "mkfifo @HELD@ 2>/dev/null && exec <>@HELD@; rm -f @HELD@"


@dataclass(frozen=True, slots=True)
class Files:
    """Where the files of one attempt to submit a job are; its token keeps them apart from those of another."""

    folder: Path
    token: str

    @classmethod
    def of(cls, job: Job, token: str) -> Files:
        """Return the files of `job`."""
        return cls(folder_of(job), token)

    @property
    def script(self) -> Path:
        """What the first node runs."""
        return self.folder / f"{self.token}.sh"

    @property
    def batch(self) -> Path:
        """What is submitted."""
        return self.folder / f"{self.token}.batch"

    @property
    def started(self) -> Path:
        """Holds the scheduler's id of the job, once it runs."""
        return self.folder / f"{self.token}.started"

    @property
    def late(self) -> Path:
        """Is there if the time limit was over."""
        return self.folder / f"{self.token}.late"

    @property
    def held(self) -> Path:
        """What a launcher reads, while it is being opened."""
        return self.folder / f"{self.token}.held"

    @property
    def end(self) -> Path:
        """Holds how the program ended; the script's last act."""
        return self.folder / f"{self.token}.end"


def folder_of(job: Job) -> Path:
    """Where all that is written of a job goes, besides its output."""
    return job.folder.absolute() / f"{job.name}.batch"


def ticket_of(job: Job) -> Path:
    """Where it stands under which id a job was submitted, and whether it may start."""
    return folder_of(job) / "ticket.json"


def go(token: str) -> str:
    """Return what the ticket has in it while the attempt with this token may start."""
    return f'"go": "{token}"'


def write(job: Job, files: Files, command: Sequence[str], crowded: Mapping[str, str]) -> None:
    """Write the script of `job`.

    Args:
        job: what to run.
        files: where its files go.
        command: the command line that is timed, with its launcher.
        crowded: variables that ranks need where they outnumber the cores of a node.
    """
    each = -(-job.processes // job.nodes)
    needed = [f': "${{{name}={value}}}"; export {name}' for name, value in crowded.items()]
    variables = dict(job.environment) | {TAG: job.name}
    environment = [f"unset {name}" for name in job.without]
    environment += [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    if needed:
        environment += [f'if [ {each} -gt "$({COUNT_CORES})" ]; then', *needed, "fi"]
    before = [
        f'{shlex.join(words)} || finish before-{number} $? "$(now)" "$(now)"' for number, words in enumerate(job.before)
    ]
    paths = {
        "FOLDER": job.folder.absolute(),
        "START": job.start.absolute(),
        "STARTED": files.started,
        "TICKET": ticket_of(job),
        "STDOUT": job.stdout.absolute(),
        "STDERR": job.stderr.absolute(),
        "LATE": files.late,
        "DRAFT": files.end.with_suffix(".draft"),
        "END": files.end,
    }
    facts = {name: shlex.quote(str(path)) for name, path in paths.items()}
    facts |= {
        "NAME": job.name,
        "GO": shlex.quote(go(files.token)),
        "TAGNAME": TAG,
        "TAG": shlex.quote(f"{TAG}={job.name}"),
        "LIMIT": f"{job.time_limit:f}",
        "TRIES": str(_TRIES),
        "ENVIRONMENT": "\n".join(environment),
        "BEFORE": "\n".join(before),
        "HOLD": fill(_HOLD, {"HELD": shlex.quote(str(files.held))}) if job.processes else "",
        "COMMAND": shlex.join(command),
    }
    records.write_program(files.script, fill(_TEXT, facts))


def look_anew(files: Files) -> None:
    """Have this machine forget which files it did not find in a job's folder.

    An NFS client believes for up to a minute that a file is not there (nfs(5), lookupcache), unless it changes the
    folder itself.
    """
    with suppress(OSError):
        handle, path = tempfile.mkstemp(dir=files.end.parent)
        os.close(handle)
        os.unlink(path)


def read_end(job: Job, files: Files) -> Ending | None:
    """Return how the program ended, as the script recorded it; None if it has not."""
    content = records.read_json(files.end)
    if content is None:
        return None
    try:
        kind, status = str(content["kind"]), int(content["status"])
        seconds = round(float(content["end"]) - float(content["begin"]), 2)
        number = int(kind.removeprefix("before-")) if kind.startswith("before-") else None
    except (KeyError, TypeError, ValueError):
        return None
    if kind == "late":
        return Ending(state=State.TIMEOUT, seconds=seconds, reason=f"time limit of {job.time_limit:g} s")
    if number is not None:  # a later controller knows the job by its name, and not what was to run before it
        return failed_before(job.before[number] if number < len(job.before) else (), status)
    return ending_of(status, seconds)
