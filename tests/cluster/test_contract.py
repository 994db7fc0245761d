"""What every runner does, done by every runner."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from acic.cluster import Job, State
from acic.errors import InvalidInput
from tests.cluster.places import Place, job, nothing_left, shell
from tests.cluster.services import until

AWKWARD = "a 'b' \"c\" $HOME `id` \\ ; é\nand more"


def test_a_program_that_succeeds_is_done(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    assert runner.name == place.kind
    made = shell(tmp_path, "pwd; echo trouble >&2; sleep 0.3", processes=2)
    runner.submit(made)
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status, ending.reason) == (State.DONE, 0, "")
    assert ending.seconds is not None
    assert 0.25 < ending.seconds < 20
    assert made.stdout.read_text() == 2 * f"{tmp_path}\n"
    assert made.stderr.read_text().count("trouble") == 2
    assert runner.poll(made) == ending == runner.cancel(made)
    assert nothing_left(made)


@pytest.mark.parametrize("processes", [0, 2])
def test_a_program_starts_where_it_is_told_and_its_output_goes_to_its_folder(
    place: Place, tmp_path: Path, processes: int
) -> None:
    elsewhere = tmp_path / "with a blank"
    elsewhere.mkdir()
    made = shell(tmp_path, "pwd", processes=processes, directory=elsewhere, before=(("touch", "made"),))
    runner = place.runner()
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text() == max(1, processes) * f"{elsewhere}\n"
    assert [path.name for path in elsewhere.iterdir()] == ["made"]


@pytest.mark.parametrize("processes", [0, 2])
@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        ("exit 3", 3, "exit status 3"),
        ("exit 9", 9, "exit status 9"),
        ("kill -9 $$", 137, "killed by signal 9"),
        ("exec no-such-program", 127, "exit status 127: the program cannot be found"),
    ],
)
def test_a_program_that_fails_has_its_own_exit_status(
    place: Place, tmp_path: Path, processes: int, script: str, status: int, reason: str
) -> None:
    runner = place.runner()
    made = shell(tmp_path, script, processes=processes)
    runner.submit(made)
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status, ending.reason) == (State.FAILED, status, reason)


@pytest.mark.parametrize("processes", [0, 2])
def test_a_program_that_reads_finds_the_end_of_its_input(place: Place, tmp_path: Path, processes: int) -> None:
    runner = place.runner()
    made = shell(tmp_path, "cat; echo read", processes=processes, time_limit=20)
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text() == max(1, processes) * "read\n"


@pytest.mark.parametrize("processes", [0, 1])
def test_a_program_that_is_not_there_fails(place: Place, tmp_path: Path, processes: int) -> None:
    runner = place.runner()
    made = job(tmp_path, "/no/such/program", processes=processes)
    runner.submit(made)
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status) == (State.FAILED, 127)
    assert "cannot be found" in ending.reason
    assert "/no/such/program" in made.stderr.read_text()


@pytest.mark.parametrize("processes", [0, 2])
def test_the_time_limit_ends_all_processes_even_those_that_do_not_listen(
    place: Place, tmp_path: Path, processes: int
) -> None:
    runner = place.runner()
    made = shell(tmp_path, "trap '' TERM; sleep 61 & setsid sleep 62 & wait", processes=processes, time_limit=1)
    runner.submit(made)
    ending = runner.wait(made)
    assert (ending.state, ending.reason) == (State.TIMEOUT, "time limit of 1 s")
    assert ending.seconds is not None
    assert ending.seconds < 15
    assert nothing_left(made)


@pytest.mark.parametrize("processes", [0, 2])
def test_cancelling_ends_all_processes(place: Place, tmp_path: Path, processes: int) -> None:
    runner = place.runner()
    made = shell(tmp_path, "echo up >up; sleep 63 & setsid sleep 64 & wait", processes=processes)
    runner.submit(made)
    assert not runner.poll(made).state.over
    until((tmp_path / "up").exists, "the program runs")
    until(lambda: runner.poll(made).state is State.RUNNING, "the job is seen to run")
    assert not nothing_left(made)
    ending = runner.cancel(made)
    assert ending.state is State.CANCELLED
    assert nothing_left(made)
    assert runner.poll(made) == ending == runner.wait(made)


def test_what_a_program_leaves_running_ends_with_it(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    made = shell(tmp_path, "setsid sleep 65 >/dev/null 2>&1 & echo bye")
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert nothing_left(made)


def test_the_environment_is_passed_on_as_it_is(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_CONTROLLER", "controller's own")
    runner = place.runner()
    script = 'printf "%s|%s|%s" "$AWKWARD" "$FROM_CONTROLLER" "$ACIC_JOB"'
    for processes in (0, 1):
        made = shell(tmp_path, script, processes=processes, environment={"AWKWARD": AWKWARD})
        runner.submit(made)
        assert runner.wait(made).state is State.DONE
        assert made.stdout.read_text() == f"{AWKWARD}|controller's own|{made.name}"


@pytest.mark.parametrize("processes", [0, 1])
def test_a_variable_that_a_job_is_without_reaches_it_from_nowhere(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    """What was exported for something else was in force in every run."""
    for name in ("UNWANTED", "CHANGED", "KEPT"):
        monkeypatch.setenv(name, "controller's own")
    runner = place.runner()
    script = 'printf "%s|%s|%s" "${UNWANTED-unset}" "$CHANGED" "$KEPT"'
    made = shell(
        tmp_path, script, processes=processes, environment={"CHANGED": "mine"}, without=("UNWANTED", "CHANGED")
    )
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_text() == "unset|mine|controller's own"


@pytest.mark.parametrize("processes", [0, 1])
def test_what_is_not_utf8_is_passed_on_as_it_is(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    odd = os.fsdecode(b"caf\xe9")  # as in an environment of ISO 8859-1
    monkeypatch.setenv("FROM_CONTROLLER", odd)
    folder = tmp_path / odd
    folder.mkdir()
    script = 'printf "%s|%s|%s" "$GIVEN" "$FROM_CONTROLLER" "$0"'
    made = job(folder, "sh", "-c", script, odd, processes=processes, environment={"GIVEN": odd})
    runner = place.runner()
    runner.submit(made)
    assert runner.wait(made).state is State.DONE
    assert made.stdout.read_bytes() == b"caf\xe9|caf\xe9|caf\xe9"


def test_arguments_are_passed_on_as_they_are(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    for processes in (0, 1):
        made = job(tmp_path, "printf", "%s|", AWKWARD, "", "*", "-n", processes=processes)
        runner.submit(made)
        assert runner.wait(made).state is State.DONE
        assert made.stdout.read_text() == f"{AWKWARD}||*|-n|"


def test_the_commands_before_run_first_and_in_order(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    before = (("sh", "-c", "sleep 0.2; echo one >>order"), ("sh", "-c", "echo two >>order"))
    made = shell(tmp_path, "echo three >>order", before=before)
    runner.submit(made)
    ending = runner.wait(made)
    assert ending.state is State.DONE
    assert (tmp_path / "order").read_text() == "one\ntwo\nthree\n"
    assert ending.seconds is not None


def test_after_a_command_before_that_fails_nothing_runs(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    made = shell(tmp_path, "echo >ran", before=(("true",), ("sh", "-c", "exit 4"), ("touch", "ran")))
    runner.submit(made)
    ending = runner.wait(made)
    assert (ending.state, ending.exit_status) == (State.FAILED, None)
    assert ending.reason == "'sh', to be run before, failed: exit status 4"
    assert not (tmp_path / "ran").exists()


def test_the_time_limit_holds_for_the_commands_before(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    slow = ("sh", "-c", "(trap '' TERM; sleep 66; sleep 66) & exec sleep 66")  # one of its processes does not listen
    made = shell(tmp_path, "echo >ran", before=(slow,), time_limit=0.7)
    runner.submit(made)
    assert runner.wait(made).state is State.TIMEOUT
    assert not (tmp_path / "ran").exists()
    assert nothing_left(made)


def test_two_jobs_run_at_once(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    meet = "echo >$MINE; while ! [ -e $OTHER ]; do sleep 0.05; done"
    first = shell(tmp_path, meet, environment={"MINE": "a", "OTHER": "b"}, processes=1)
    second = shell(tmp_path, meet, environment={"MINE": "b", "OTHER": "a"}, processes=1)
    runner.submit(first)
    runner.submit(second)
    assert {runner.wait(first).state, runner.wait(second).state} == {State.DONE}


def test_cancelling_one_job_leaves_the_other_alone(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    first = shell(tmp_path, "echo >first; sleep 67", processes=1)
    second = shell(tmp_path, "echo >second; while ! [ -e go ]; do sleep 0.05; done", processes=1)
    for made, mark in ((first, "first"), (second, "second")):
        runner.submit(made)
        until((tmp_path / mark).exists, "the program runs")
    assert runner.cancel(first).state is State.CANCELLED
    assert nothing_left(first)
    (tmp_path / "go").touch()
    assert runner.wait(second).state is State.DONE


def test_a_folder_that_is_missing_is_told(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    made = job(tmp_path / "missing", "true")
    with pytest.raises(InvalidInput, match="there is no folder") as caught:
        runner.submit(made)
    assert caught.value.hint
    assert runner.reclaim(made) is None


def test_a_name_is_used_once(place: Place, tmp_path: Path) -> None:
    made = job(tmp_path, "true")
    runner = place.runner()
    runner.submit(made)
    with pytest.raises(InvalidInput, match="already"):
        runner.submit(made)
    assert runner.wait(made).state is State.DONE
    with pytest.raises(InvalidInput, match="already"):
        place.runner().submit(made)


def test_what_was_never_submitted_is_not_done(place: Place, tmp_path: Path) -> None:
    runner = place.runner()
    made = job(tmp_path, "true")
    assert runner.poll(made).state is State.UNKNOWN
    assert runner.reclaim(made) is None
    assert runner.cancel(made).state is State.UNKNOWN


def test_a_later_controller_knows_how_a_job_ended(place: Place, tmp_path: Path) -> None:
    made = shell(tmp_path, "exit 5")
    controller = place.controller(made)
    assert controller.stdout is not None
    assert controller.communicate(timeout=60)[0].split() == ["submitting", "submitted", "failed"]
    later = place.runner()
    ending = later.reclaim(made)
    assert ending is not None
    assert (ending.state, ending.exit_status) == (State.FAILED, 5)
    assert ending == later.reclaim(made) == later.poll(made) == later.cancel(made)


def _kill(controller: subprocess.Popen[str]) -> None:
    controller.kill()
    controller.wait()
    assert controller.stdout is not None
    controller.stdout.close()


def _submitting(place: Place, made: Job) -> subprocess.Popen[str]:
    controller = place.controller(made)
    assert controller.stdout is not None
    assert controller.stdout.readline() == "submitting\n"
    return controller


def _reclaimed(place: Place, made: Job) -> None:
    later = place.runner()
    ending = later.reclaim(made)
    assert nothing_left(made)
    assert ending is None or ending.state is State.CANCELLED
    assert later.reclaim(made) == ending
    assert place.runner().reclaim(made) == ending
    assert nothing_left(made)


@pytest.mark.parametrize("delay", [0, 0.004, 0.012, 0.03, 0.1, 0.4])
def test_a_controller_killed_while_it_submits_leaves_nothing(place: Place, tmp_path: Path, delay: float) -> None:
    made = shell(tmp_path, "setsid sleep 68 & sleep 69", processes=1)
    controller = _submitting(place, made)
    time.sleep(delay)  # this is the moment under test; whichever step it hits, the same must hold
    _kill(controller)
    _reclaimed(place, made)


@pytest.mark.parametrize("processes", [0, 2])
def test_a_controller_killed_by_its_own_job_leaves_nothing(place: Place, tmp_path: Path, processes: int) -> None:
    """The first thing that the job does is to kill its controller, which may not even know yet that it runs."""
    if place.kind == "lab":
        pytest.skip("a node of the lab does not see the machine's processes")
    script = "echo $$ >>own; kill -9 $(cat pid); setsid sleep 70 & echo $! >>own; sleep 71"
    made = shell(tmp_path, script, processes=processes)
    controller = place.controller(made)
    (tmp_path / "pid").write_text(str(controller.pid))
    assert controller.wait(30) == -signal.SIGKILL
    assert controller.stdout is not None
    controller.stdout.close()
    _reclaimed(place, made)
    numbers = (tmp_path / "own").read_text().split()
    assert numbers
    alive = [number for number in numbers if _is_sleeper(number)]
    assert alive == []


def _is_sleeper(number: str) -> bool:
    """Whether the process, found by its number and not by its tag, is still one of the job's."""
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().startswith((b"sh\0", b"sleep\0007", b"setsid\0"))
    except OSError:
        return False


def test_a_job_interrupted_from_the_keyboard_is_cancelled(place: Place, tmp_path: Path) -> None:
    made = shell(tmp_path, "echo >up; sleep 72", processes=1)
    controller = _submitting(place, made)
    until((tmp_path / "up").exists, "the program runs")
    assert controller.stdout is not None
    assert controller.stdout.readline() == "submitted\n"
    time.sleep(0.1)  # into the wait
    controller.send_signal(signal.SIGINT)
    assert controller.wait(30) != 0
    controller.stdout.close()
    assert nothing_left(made)
    ending = place.runner().reclaim(made)
    assert ending is not None
    assert ending.state is State.CANCELLED
