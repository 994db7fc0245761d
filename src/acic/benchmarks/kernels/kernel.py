"""Kernels: applications' I/O, used to evaluate advice and never to train what gives it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from acic.benchmarks.kernels.phases import workload_of
from acic.benchmarks.kernels.played import played
from acic.benchmarks.kernels.script import Script
from acic.errors import InvalidInput, UnreadableInput
from acic.workloads import Workload

Step = Literal["prepare", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How a kernel's workload is told, where its script leaves that open: as it was when the kernel was measured.

    Args:
        name: of the workload; "" for the kernel's.
        example: the file by which a phase is told that has it; "" for the one of each that is made first.
        before: whether a pause is told of what is done in one iteration, too: what is computed before it.

    Source: docs/decisions/0023-told-by-scripts.md.
    """

    name: str = ""
    example: str = ""
    before: bool = False


@dataclass(frozen=True, kw_only=True)  # no slots: what its script tells is read when it is asked for, once
class Kernel:
    """The I/O of an application, with the computing between, as scripts for `acic-bench play`.

    Args:
        name: of the application.
        scale: "small" or "large", "only" where one makes sense.
        title: what it does, in a few words.
        source: the paper or log that it follows.
        changed: what is not as there, in sentences.
        run: what is timed.
        prepares: makes what is read, untimed, before; None where nothing is read that was there before.
        results: files that must outlive the run, as they are staged out; all others it removes itself.
        told: what the run's script leaves open of the workload.
    """

    name: str
    scale: str
    title: str
    source: str
    changed: str
    run: Script
    prepares: Script | None = None
    results: tuple[str, ...] = ()
    told: Told = Told()

    @property
    def processes(self) -> int:
        """Ranks; they stand in blocks on the nodes."""
        return self.run.ranks

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Files that `prepares` makes."""
        return self.prepares.made if self.prepares else ()

    @property
    def workload(self) -> Workload:
        """What it does to storage, as `acic characterize` would tell it of a log that forgets nothing."""
        return self._derived[0]

    @property
    def compute(self) -> float:
        """Processor time of each rank, s."""
        return self._derived[1]

    @property
    def bytes_moved(self) -> int:
        """Written and read by all ranks, B."""
        return sum(phase.bytes for phase in self.workload.phases)

    @cached_property
    def _derived(self) -> tuple[Workload, float]:
        found = played(self.run, self.inputs)
        first = (self.told.example, *self.inputs) if self.told.example else self.inputs
        inputs = played(self.prepares) if self.prepares else None
        name = self.told.name or self.name
        workload = workload_of(name, found, inputs=inputs, first=first, before=self.told.before)
        spent = (sum(times * seconds for seconds, times in own.items()) for own in found.computed)  # sums would drift
        return workload, max(spent)

    @property
    def key(self) -> str:
        """Its name and scale, as in file names: "btio-small"."""
        return self.name if self.scale == "only" else f"{self.name}-{self.scale}"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What to run, in order, each as a job of its own."""
        return ("run",) if self.prepares is None else ("prepare", "run")

    def write(self, folder: Path) -> None:
        """Write the scripts to a folder that all nodes see.

        Raises:
            InvalidInput: a file cannot be written.
        """
        for step in self.steps:
            path = folder / self._file(step)
            try:
                path.write_text(self._script(step).text, encoding="ascii")
            except OSError as error:
                raise InvalidInput(
                    f"cannot write {path}: {error.strerror or error}", hint="choose a folder that you can write to"
                ) from error

    def command(
        self,
        step: Step,
        directory: Path,
        *,
        scripts: Path = Path(),
        summary: Path | None = None,
        settle: bool = False,
        check: bool = False,
    ) -> tuple[str, ...]:
        """Return the arguments of acic-bench for a step, to be started with `processes` ranks.

        Args:
            step: "prepare" or "run".
            directory: where the kernel's files are; it is there, and its own.
            scripts: the folder that the scripts were written to.
            summary: the file for the JSON; None for standard output.
            settle: sync at the end, in the time, what was written and is still there.
            check: compare all data, those that are read in the run and, afterwards, those that were written.

        Raises:
            InvalidInput: the kernel prepares nothing.
        """
        self._script(step)
        options = ["-O", "summaryFormat=JSON"]
        if summary is not None:
            options += ["-O", f"summaryFile={summary}"]
        if settle:
            options.append("--settle")
        if check:
            options.append("-W")
        elif step == "prepare":
            options.append("--fill")
        return ("play", str(scripts / self._file(step)), "--dir", str(directory), *options)

    def _file(self, step: Step) -> str:
        return f"{self.key}-{step}.script"

    def _script(self, step: Step) -> Script:
        script = self.run if step == "run" else self.prepares
        if script is None:
            raise InvalidInput(f"{self.key} prepares nothing", hint="run it alone; see Kernel.steps")
        return script


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a step of a kernel took; times are NaN unless it went well.

    Args:
        status: "ok", "failed" or "wrong data".
        error: why not ok, on one line.
        seconds: from the first rank's begin, after MPI's own start, to the last one's end.
        io_seconds: of the rank that spent most in I/O: transfers, opens, closes, syncs and calls on names.
        compute_seconds: of the rank that spent most in computing.
        bytes: written and read by all ranks, B.
        files: made by all ranks.
        hints: MPI-IO hints in force on the first file opened through it.
    """

    status: str
    error: str
    seconds: float
    io_seconds: float
    compute_seconds: float
    bytes: int
    files: int
    hints: Mapping[str, str]

    @property
    def good(self) -> bool:
        """Whether the step did all that it should."""
        return self.status == "ok"


def result_of(text: str) -> Outcome:
    """Return the outcome that acic-bench tells as JSON.

    Raises:
        UnreadableInput: it is no such JSON, as when the job was killed.
    """
    try:
        told: dict[str, Any] = json.loads(text)
        play, good = told["Play"], told["Status"] == "ok"
        times = {
            name: float(play[key]) if good else math.nan
            for name, key in (
                ("seconds", "totalTime"),
                ("io_seconds", "ioTime"),
                ("compute_seconds", "computeTime"),
            )
        }
        return Outcome(
            status=str(told["Status"]),
            error=str(told.get("Error", "")),
            **times,
            bytes=int(play["bytesWritten"]) + int(play["bytesRead"]) if good else 0,
            files=int(play["filesMade"]),
            hints={str(name): str(value) for name, value in told["Hints"]["in force"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableInput(
            "this is no summary of acic-bench play",
            hint="the job was killed before its end, or the program is another one",
        ) from error
