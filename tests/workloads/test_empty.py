"""Files of which nothing is moved: locks that come and go, and what is opened and not read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from acic.benchmarks.kernels import kernel
from acic.evaluation.logs import bundled_logs
from acic.workloads import Phase, Workload, characterize, dump_workload, load_workload
from acic.workloads.darshan import Log
from tests.workloads.simulator import darshan_log, loop

NAMES = ("empty_files", "asked_files", "removed_files", "names_by")


def emptied(*, opens: int = 3, mode: int = 0o664, seconds: float = 0.2, processes: int = 4) -> Log:
    """The log of a file of each process, written, and of another one of the first two, opened and closed."""
    written = loop(processes=processes, size=1000, shared=False)
    locks = loop(processes=2, size=1, shared=False, file="/scratch/lock", begin=1.0)
    log = darshan_log([*written, *locks], processes=processes, trace=False, heatmap=False)
    records = log.modules["POSIX"].records
    rows = records["POSIX_BYTES_WRITTEN"] == 1
    assert np.count_nonzero(rows) == 2
    for name in ("POSIX_BYTES_WRITTEN", "POSIX_WRITES", "POSIX_MAX_BYTE_WRITTEN", "POSIX_F_WRITE_TIME"):
        records[name][rows] = 0
    records["POSIX_OPENS"][rows] = [opens, 1]
    records["POSIX_MODE"][rows] = mode
    records["POSIX_F_META_TIME"][rows] = [seconds, seconds / 2]
    return log


def named(phase: Phase) -> dict[str, str | int | float]:
    return {name: phase.details[name] for name in NAMES if name in phase.details}


def test_an_empty_file_that_is_made_is_taken_for_a_lock() -> None:
    (phase,) = characterize(emptied()).phases
    assert named(phase) == {"empty_files": 4, "removed_files": 4, "names_by": pytest.approx(4 / 3)}


def test_what_is_opened_without_leave_to_make_it_was_there_before() -> None:
    (phase,) = characterize(emptied(mode=0)).phases
    assert named(phase) == {"asked_files": 4, "names_by": pytest.approx(4 / 3)}


def test_its_seconds_are_those_of_the_phase_that_tells_of_it() -> None:
    (without,) = characterize(emptied(seconds=0.0)).phases
    (phase,) = characterize(emptied(seconds=0.2)).phases
    assert phase.seconds is not None
    assert without.seconds is not None
    assert phase.seconds - without.seconds == pytest.approx(0.2)  # the slowest process's


def test_a_file_that_others_write_is_not_empty() -> None:
    """Who makes a file that others fill opened it, and moved nothing."""
    log = emptied()
    records = log.modules["POSIX"].records
    rows = records["POSIX_BYTES_WRITTEN"] == 0
    records["id"][rows] = records["id"][~rows][0]
    assert not any(named(phase) for phase in characterize(log).phases)


def test_a_file_of_all_processes_is_opened_by_as_many() -> None:
    log = emptied(opens=8)
    records = log.modules["POSIX"].records
    records["rank"][records["POSIX_BYTES_WRITTEN"] == 0] = -1
    (phase,) = characterize(log).phases
    assert named(phase) == {"empty_files": 9, "removed_files": 9, "names_by": pytest.approx(4.0)}


def test_no_more_processes_open_empty_files_than_there_are(tmp_path: Path) -> None:
    """34 / (34 / 31) is more than 31, so that what was written could not be read again."""
    log = emptied(opens=34, processes=31)
    records = log.modules["POSIX"].records
    empty = records["POSIX_BYTES_WRITTEN"] == 0
    records["rank"][empty] = -1
    records["POSIX_OPENS"][empty] = [34, 0]
    found = characterize(log)
    assert named(found.phases[0])["names_by"] == 31
    (tmp_path / "job.toml").write_text(dump_workload(found))
    assert load_workload(tmp_path / "job.toml").phases == found.phases


@pytest.mark.parametrize(("name", "folders"), [("optuna", 0), ("fmriprep", 64)])
def test_a_log_tells_of_the_locks_that_a_script_makes(name: str, folders: int) -> None:
    """No log tells of folders, nor of files with bytes that were removed."""
    one = kernel(name, "only")
    log = bundled_logs("lab", [(name, "only")])[name, "only"]

    def made(workload: Workload) -> int:
        return sum(int(phase.details.get("empty_files", 0)) for phase in workload.phases)

    assert made(log) == made(one.workload) - folders > 0
    (told,) = [phase for phase in log.phases if "empty_files" in phase.details]
    assert told.details["removed_files"] == told.details["empty_files"]
    assert told.details["names_by"] == pytest.approx(one.processes)
