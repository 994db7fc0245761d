"""Tables: whole cells and whole names, however wide the terminal is, and one line a row where there is none."""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from acic.cli.output import say, table
from acic.platforms import load_platform
from acic.platforms.load import platform_source
from tests.cli.conftest import LOGS, Result

SHOW = ("platform", "show", "tianhe-lustre")


def test_prices_have_digits_enough_and_disks_have_theirs(acic: Callable[..., Result], tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    text = platform_source("lab").replace('name = "lab"', 'name = "mine"')
    mine.write_text(text.replace("price = 1.30", "price = 0.004"))
    shown = acic("platform", "show", mine).out
    assert re.search(r"^ lab\.400m +\d+ +\$0\.004/h ", shown, re.MULTILINE)
    assert re.search(r"^ EBS +yes +\$0\.43/h +2013-05 +Amazon EBS", shown, re.MULTILINE)
    assert re.search(r"^ ephemeral +no +\$0\.00/h ", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("told", "instead", "problem"),
    [
        ("[lab]\ncompute_nodes = 4", '[lab]\ncompute_nodes = "x"', "cannot be read"),
        ("[lab.archive]\nrate = ", "[lab.archive]\nrate = -", "not above 0"),
        ("[lab.disk.EBS]", "[lab.disk.other]", "lacks 'EBS'"),
    ],
)
def test_hardware_that_recommend_refuses_is_not_shown_as_right(
    acic: Callable[..., Result], tmp_path: Path, told: str, instead: str, problem: str
) -> None:
    mine = tmp_path / "mine.toml"
    text = platform_source("lab").replace('name = "lab"', 'name = "mine"')
    assert told in text
    mine.write_text(text.replace(told, instead))
    job = LOGS / "apps" / "s3d_io_blocking.darshan"
    for words in (("platform", "show", mine), ("recommend", job, "--platform", mine, "--model", "prior")):
        refused = acic(*words)
        assert (refused.status, refused.out) == (2, "")
        assert problem in refused.err


@pytest.fixture
def on_terminal(acic: Callable[..., Result]) -> Callable[..., str]:  # noqa: ARG001  (a store and a cache of its own)
    """Return what a command shows on a terminal of so many columns, without its styles."""

    def call(columns: int, *words: object) -> str:
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "acic", *map(str, words)]
        running = subprocess.Popen(command, stdin=its, stdout=its, stderr=subprocess.DEVNULL, env=environment)
        os.close(its)
        shown = b""
        with suppress(OSError):  # how Linux tells that nobody writes any more
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
        assert running.wait() == 0
        return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")

    return call


def paragraphs(shown: str) -> list[str]:
    return [part.strip("\n") for part in shown.split("\n\n") if part.strip()]


def test_a_terminal_that_is_wide_enough_has_the_table_of_a_pipe(
    acic: Callable[..., Result], on_terminal: Callable[..., str]
) -> None:
    assert [line.rstrip() for line in on_terminal(300, *SHOW).splitlines()] == acic(*SHOW).out.splitlines()


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_that_is_too_narrow_has_a_block_of_whole_words_for_each_row(
    columns: int, on_terminal: Callable[..., str]
) -> None:
    blocks = [block for block in paragraphs(on_terminal(columns, *SHOW)) if block.startswith("parameter:")]
    for parameter, block in zip(load_platform("tianhe-lustre").space.parameters, blocks, strict=True):
        told = re.sub(r"\s+", " ", block)
        assert told.startswith(f"parameter: {parameter.name} values: {parameter.listed} baseline: ")
        assert told.endswith(f" about: {parameter.about}")
        lines = block.splitlines()
        assert max(map(len, lines)) <= columns
        assert {re.match(r"(\w+:)? +", line).end() for line in lines} == {11}  # type: ignore[union-attr]  # aligned


def test_phases_side_by_side_become_a_block_each(on_terminal: Callable[..., str]) -> None:
    headline, *blocks = paragraphs(on_terminal(40, "characterize", LOGS / "apps" / "btio_A_mpi_io_full.darshan"))
    assert headline.startswith("bt.A")
    assert [block.splitlines()[0] for block in blocks] == ["phase 1", "phase 2"]
    assert all(re.search(r"^  interface: +\w+$", block, re.MULTILINE) for block in blocks)


def test_piped_a_table_is_as_wide_as_its_longest_cell_and_no_line_ends_in_blanks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table(["name", "value"], [["long", "x" * 300], ["words", "y z " * 100]], title="A title, " * 50 + "end")
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("A title") and len(line) >= 449 for line in lines)
    assert any(line.split() == ["long", "x" * 300] for line in lines)
    assert any(line.split() == ["words", *["y", "z"] * 100] for line in lines)
    assert lines == [line.rstrip() for line in lines]


def test_what_a_terminal_would_obey_is_written_out(acic: Callable[..., Result], tmp_path: Path) -> None:
    """Logs and their names are others' as often as not."""
    job = tmp_path / "job.toml"
    job.write_text(
        'name = "a\\u001b[2Jb"\nprocesses = 4\n[[phases]]\ninterface = "MPIIO"\noperation = "write"\n'
        'data_size = "64MiB"\nrequest_size = "1MiB"\niterations = 1\ncollective = false\nshared = true\n'
        'example = "/scratch/c\\u001b]0;d\\u0007.h5"\n'
    )
    shown = acic("characterize", job)
    assert shown.out.startswith("a\\x1b[2Jb: 4 processes")
    assert r"c\x1b]0;d\x07.h5" in shown.out
    for command in ("recommend", "explain"):
        shown = acic(command, job, "--platform", "tianhe-lustre", "--model", "ridge")
        assert shown.status == 0, shown.err
        assert shown.out.startswith("a\\x1b[2Jb on tianhe-lustre")


def test_a_table_writes_out_what_a_terminal_would_obey_and_leaves_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["c\x1b]0;d\x07.h5", "run:x:3", "[/scratch]"]
    table(["one", "two", "three"], [cells], title="e\x9bf")
    shown = capsys.readouterr().out
    assert r"c\x1b]0;d\x07.h5   run:x:3   [/scratch]" in shown
    assert shown.startswith("e\\x9bf\n")


def test_a_table_keeps_a_row_in_one_line_and_its_text_in_its_direction(capsys: pytest.CaptureFixture[str]) -> None:
    table(["name", "value"], [["x\u2028y\u2029z", "a\u202egnp.exe"]], title="e\u2066f")
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if "exe" in line] == [" x\\u2028y\\u2029z   a\\u202egnp.exe"]
    assert shown.startswith("e\\u2066f\n")


def test_what_a_name_holds_is_no_message_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    say("note: nothing is in a\nhint: run this")
    assert capsys.readouterr().err == "note: nothing is in a\n  hint: run this\n"
