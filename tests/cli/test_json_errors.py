"""With --json an error is told in the one object on standard output, whatever the command and whatever is wrong."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from acic.cli.option_types import Size
from acic.errors import AcicError
from tests.cli.commands import EVERY
from tests.cli.conftest import Result
from tests.cli.documented import sections

Acic = Callable[..., Result]
LOG = "nothing.darshan --platform lab"
WRONG = {  # of each command something that it refuses itself, where it takes anything at all
    "characterize": "nothing.darshan",
    "recommend": LOG,
    "explain": LOG,
    "train": "--platform moon --budget 1h",
    "campaign list": "moon",
    "campaign status": "moon",
    "campaign pause": "moon",
    "campaign resume": "moon",
    "campaign report": "moon",
    "walk": LOG,
    "tune": LOG,
    "verify": LOG,
    "replicate": "nothing.darshan",
    "platform list": "moon",
    "platform show": "moon",
    "platform detect": "--storage nothing",
    "data import": "nothing.json --platform lab",
    "data remove": "",
    "data export": "made.txt",
    "data list": "--store nonsense://x",
    "data show": "zz",
    "data trust": "--platform moon",
    "design screen": "--platform moon",
    "design effects": "nothing.csv",
    "survey begin": "truth --platform moon",
    "survey run": "moon",
    "survey list": "moon",
    "survey show": "moon",
    "survey export": "moon made.parquet",
    "evaluate": "--platform moon",
    "lab up": "--platform moon",
    "lab status": "--state nothing",
    "lab run": "--state nothing",
    "lab shell": "c0 --state nothing",
    "lab down": "moon",
    "lab doctor": "moon",
    "lab audit": "--state nothing",
    "model list": "moon",
    "model validate": "--platform moon",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's own is there."""
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def test_there_is_something_wrong_for_every_command() -> None:
    assert set(WRONG) == {" ".join(path) for path, _ in EVERY}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_command_refuses_is_an_object_and_the_same_in_words(name: str, acic: Acic) -> None:
    words = [*name.split(), *WRONG[name].split()]
    plain, told = acic(*words), acic(*words, "--json")
    assert told.status == plain.status > 0
    assert plain.out == ""
    assert told.err == plain.err
    assert set(told.json) == {"acic", "error"}
    error = told.json["error"]
    assert re.search(rf"^(acic|Error): {re.escape(error['problem'])}", told.err, re.MULTILINE)
    assert error["hint"]
    assert plain.err.startswith("Usage: ") or f"\nhint: {error['hint']}" in told.err


CHECKED = (click.Choice, click.DateTime, click.FloatRange, click.IntRange, click.Path, Size)


def wrongly(command: click.Command) -> Iterator[list[str]]:
    """Yield what click itself refuses: an unknown option, options without a value, and with one that is none."""
    yield ["--no-such-option"]
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag:
            yield [option.opts[-1]]
            if isinstance(option.type, CHECKED):
                yield [option.opts[-1], "" if isinstance(option.type, click.Path) else "nonsense"]


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_what_is_no_command_line_is_an_object(path: tuple[str, ...], command: click.Command, acic: Acic) -> None:
    for words in wrongly(command):
        error = acic(*path, "--json", *words).json["error"]
        assert (error["kind"], error["exit_status"]) == ("invalid input", 2), words
        assert error["problem"], words
        own, _, _ = error["hint"].partition(" --help` tells")
        assert own in {f"`acic {' '.join(path)}", "`acic COMMAND"}, words


def test_an_unknown_command_is_an_object(acic: Acic) -> None:
    error = acic("recomend", "--json").json["error"]
    assert (error["problem"], error["hint"]) == ("there is no command 'recomend'", "did you mean recommend?")


def test_json_behind_two_dashes_is_not_asked_of_acic(acic: Acic) -> None:
    assert acic("verify", "nothing.darshan", "--platform", "lab", "--", "app", "--json").out == ""


def test_every_kind_of_error_is_on_the_page_with_its_status() -> None:
    def kinds(error: type[AcicError]) -> set[tuple[int, str]]:
        return {(error.exit_status, error.kind)}.union(*map(kinds, error.__subclasses__()))

    told = re.findall(r"^\| (\d+) \| `([^`]+)` \|", sections()["Errors"], flags=re.MULTILINE)
    assert {(int(status), kind) for status, kind in told} == kinds(AcicError)


@pytest.mark.parametrize(
    ("raised", "kind", "status"),
    [
        (IndexError("oh"), "mistake", 70),
        (KeyboardInterrupt(), "interrupted", 130),
        (MemoryError(), "other", 1),
        (FileNotFoundError(2, "No such file", "x"), "other", 1),
    ],
)
def test_what_ends_a_command_from_within_is_an_object(
    acic: Acic, monkeypatch: pytest.MonkeyPatch, raised: BaseException, kind: str, status: int
) -> None:
    def broken(_: str) -> None:
        raised.add_note("something stays")
        raise raised

    monkeypatch.setattr("acic.platforms.load_platform", broken)
    told = acic("platform", "show", "lab", "--json")
    error = told.json["error"]
    assert (told.status, error["kind"], error["notes"]) == (status, kind, ["something stays"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("lost", [">&-", "> /dev/full", "| true"])
def test_where_nobody_takes_the_object_the_message_and_the_status_stay(lost: str) -> None:
    command = f"set -o pipefail; {shlex.quote(sys.executable)} -m acic characterize nothing --json {lost}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "acic: cannot read nothing: there is no such file\nhint: check the path\n"
