"""Laws of every command: help with an example, JSON, errors with a remedy and a status, no traceback."""

import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest

from acic.campaign.comparison import Improvement
from acic.cli.main import COMMANDS, cli, main, run
from acic.cli.measuring_shown import progress
from acic.cli.output import late_progress, plain
from acic.errors import AcicError
from tests.cli.commands import EVERY
from tests.cli.conftest import Result

DOCS = Path(__file__).parents[2] / "docs"
PYTHON = shlex.quote(sys.executable)  # for a shell: the project may lie in a folder whose name has a space


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_every_command_has_help_with_an_example_and_options_explained(
    path: tuple[str, ...], command: click.Command
) -> None:
    assert command.help
    assert command.epilog is not None
    assert f"acic {' '.join(path)}" in command.epilog
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_no_seed_is_negative(path: tuple[str, ...], command: click.Command) -> None:
    """Nothing can be drawn with one: what had begun with it could not go on."""
    for option in command.params:
        if "seed" in (option.name or ""):
            assert isinstance(option.type, click.IntRange), path
            assert option.type.min is not None, path
            assert option.type.min >= 0, path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_group_has_help_with_an_example_of_one_of_its_commands(name: str) -> None:
    group = cli.get_command(click.Context(cli), name)
    if isinstance(group, click.Group):
        found = re.search(rf"^Example: .*\bacic {name} ([a-z]+)", group.epilog or "")
        assert found is not None
        assert found[1] in group.commands


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_every_command_speaks_json(path: tuple[str, ...], command: click.Command) -> None:
    assert any("--json" in option.opts for option in command.params), path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.help or "").partition("\n")[0] == COMMANDS[name][1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text().startswith(f"# acic {name}")


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_every_option_is_told_of_on_its_commands_page_or_on_one_that_it_links_to(
    path: tuple[str, ...], command: click.Command
) -> None:
    page = (DOCS / f"{path[0]}.md").read_text()
    beside = {DOCS / f"{link}.md" for link in re.findall(r"\]\(([a-z-]+)\.md", page)}
    text = page + "".join(one.read_text() for one in beside if one.exists())
    for option in command.params:
        spelt = {*option.opts, *option.secondary_opts}
        if isinstance(option, click.Option) and not {"--json", "--store"} & spelt:
            assert any(one.startswith("--") and one in text for one in spelt), spelt


def test_every_command_that_hints_and_pages_name_is_one() -> None:
    paths = {path for path, _ in EVERY}
    groups = {path[0] for path in paths if len(path) > 1}
    for file in [*(DOCS.parent / "src").rglob("*.py"), *DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        before = "(?:`|: )" if file.suffix == ".py" else "`"
        for name, verb in re.findall(before + r"acic ([a-z]+)(?: ([a-z]+))?", file.read_text()):
            assert ((name, verb) in paths or not verb) if name in groups else (name,) in paths, f"{file}: {name} {verb}"


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(p) for p, _ in EVERY])
def test_no_name_of_a_file_may_be_empty(path: tuple[str, ...], command: click.Command) -> None:
    for option in command.params:
        if isinstance(option.type, click.Path):
            with pytest.raises(click.BadParameter, match="is a variable not set"):
                option.type.convert("", option, click.Context(command, info_name=path[-1]))


@pytest.mark.parametrize("name", ["characterize", "recommend", "explain", "walk", "tune", "replicate"])
def test_a_second_log_is_refused_with_how_to_ask_of_several(name: str, acic: Callable[..., Result]) -> None:
    result = acic(name, "a.darshan", "b.darshan", *([] if name == "characterize" else ["--partial"]))
    assert result.status == 2
    assert "b.darshan is given beside a.darshan" in result.err
    assert "hint: Darshan writes a log for each program" in result.err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("recommend a.darshan --platform lab --platform tianhe-lustre", "--platform"),
        ("explain a.darshan --platform lab --goal time --goal=cost", "--goal"),
        ("recommend --platform lab --collective --independent", "--collective"),
        ("data list --limit 3 --limit 4", "--limit"),
        ("characterize --json --only /a --json --only /b a.darshan", "--only"),
    ],
)
def test_an_option_of_one_value_is_given_once(words: str, option: str, acic: Callable[..., Result]) -> None:
    """Two platforms were answered for the second one, and nothing said so."""
    result = acic(*words.split())
    assert (result.status, bool(result.out)) == (2, "--json" in words)
    assert result.err.startswith(f"acic: {option} is given twice\nhint: ")


@pytest.mark.parametrize(
    "words",
    [
        "data list --json --json",
        "recommend --platform lab --keep servers=1 --keep servers=1",
        "verify a.darshan --platform lab -- app --platform a --platform b",
        "data list --limit",
    ],
)
def test_what_may_stand_twice_is_not_said_to_be_given_twice(words: str, acic: Callable[..., Result]) -> None:
    assert "given twice" not in acic(*words.split()).err


@pytest.mark.parametrize(
    "words",
    ["recommend", "explain", "walk", "tune", "verify", "model validate", "design screen", "data trust"],
)
def test_who_names_no_platform_is_told_where_they_are_listed(words: str, acic: Callable[..., Result]) -> None:
    result = acic(*words.split())
    assert result.status == 2
    assert "`acic platform list`" in result.err


def test_the_list_of_exit_statuses_is_whole() -> None:
    told = {int(status) for status in re.findall(r"\d+", main.__doc__ or "")}
    assert told == {0, AcicError.exit_status, *(one.exit_status for one in AcicError.__subclasses__()), 70, 130, 141}


def test_what_nobody_foresaw_is_one_error_that_leads_to_its_traceback(
    acic: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("sys.argv", ["acic", "--store", "postgresql://me:secret@host/x"])
    monkeypatch.setattr("acic.platforms.load_platform", lambda _: [][0])
    file = tmp_path / "state" / "acic" / "error.txt"
    told = acic("platform", "show", "lab")
    assert (told.status, told.out) == (70, "")
    assert told.err.startswith("acic: a mistake in acic itself: IndexError: list index out of range\nhint: report it")
    assert str(file) in told.err
    assert "Traceback" not in told.err
    assert "load_platform(name)" in file.read_text()
    assert "secret" not in file.read_text()
    file.unlink()
    file.mkdir()
    told = acic("platform", "show", "lab")
    assert "load_platform(name)" in told.err, "where it cannot be kept, it is told"


def test_too_little_memory_is_no_mistake(acic: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(_: str) -> None:
        raise MemoryError

    monkeypatch.setattr("acic.platforms.load_platform", greedy)
    told = acic("platform", "show", "lab")
    assert (told.status, told.err.splitlines()[0]) == (1, "acic: there is not enough memory")


def test_an_error_is_a_problem_and_a_remedy(acic: Callable[..., Result]) -> None:
    result = acic("platform", "show", "moon")
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("acic: there is no platform 'moon'\nhint: use one of")


def test_an_unknown_command_is_said(acic: Callable[..., Result]) -> None:
    result = acic("recomend")
    assert result.status == 2
    assert result.err == "acic: there is no command 'recomend'\nhint: did you mean recommend?\n"
    assert "hint: `acic --help`" in acic("xyz").err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "status"), [("platform list", 0), ("--help", 0), ("characterize nothing", 3)])
def test_closed_streams_leave_no_traceback_and_a_result_that_is_lost_is_an_error(
    words: str, status: int, closed: str
) -> None:
    command = f"{PYTHON} -m acic {words} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    lost = status == 0 and ">&-" in closed.replace("2>&-", "")
    assert done.returncode == (1 if lost else status)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_words(shell: str) -> None:
    def asked(instruction: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "_ACIC_COMPLETE": instruction, **more}
        command = [sys.executable, "-m", "acic"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    script = asked(f"{shell}_source")
    assert (script.returncode, script.stderr) == (0, "")
    assert f"_ACIC_COMPLETE={shell}_complete" in script.stdout
    words = asked(f"{shell}_complete", COMP_WORDS="acic rec", COMP_CWORD="rec" if shell == "fish" else "1")
    assert (words.returncode, words.stderr) == (0, "")
    assert "recommend" in words.stdout
    assert asked("nonsense").returncode == 1


def test_a_reader_that_has_enough_ends_it_as_it_ends_others() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "acic", "platform", "list"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_result_that_is_cut_by_a_full_disk_is_an_error(unbuffered: str, tmp_path: Path) -> None:
    command = f"ulimit -f 1; {PYTHON} -m acic platform show lab --json > {tmp_path}/out"  # of 1 KiB at most
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (tmp_path / "out").stat().st_size == 1024
    assert (done.returncode, done.stderr.count("acic: the system refused")) == (1, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("words", "status"), [("nonsense", 2), ("platform list --nonsense", 2), ("data show z", 2)])
def test_messages_that_cannot_be_written_leave_the_status(words: str, status: int, unbuffered: str) -> None:
    command = f"{PYTHON} -m acic {words} 2>/dev/full"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    assert subprocess.run(["bash", "-c", command], env=environment, check=False).returncode == status


@pytest.mark.parametrize(
    "words",
    [
        ("characterize",),
        ("recommend", "--platform", "tianhe-lustre"),
        ("data", "import", "--platform", "tianhe-lustre"),
        ("design", "effects"),
    ],
    ids=str,
)
def test_a_file_that_may_not_be_read_is_unreadable(words: tuple[str, ...], tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("x")
    os.chmod(secret, 0)
    command = [sys.executable, "-m", "acic", *words, str(secret)]
    if os.geteuid() == 0:  # who may read everything
        if not shutil.which("setpriv"):
            pytest.skip("root without setpriv cannot give up its rights")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"acic: cannot read {secret}")
    assert "hint:" in done.stderr


def test_the_name_of_a_file_that_is_no_text_leaves_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.jsonl")  # as a machine names it that has Latin-1
    command = [sys.executable, "-m", "acic", "data", "export", "--bundled", "--platform", "tianhe-lustre", str(file)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}  # as in en_US.UTF-8
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("caf\\udce9.jsonl\n")
    assert file.is_file()


def test_a_reader_that_goes_away_leaves_no_traceback() -> None:
    command = f"{PYTHON} -m acic platform list --json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_said_without_a_traceback() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "acic", "platform", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_no_click_is_allowed_that_the_options_do_not_work_with() -> None:
    """Types of options are generic, which click's are from 8.4 on; older ones ended in tracebacks."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    (least,) = (re.findall("[0-9]+", one) for one in project["dependencies"] if one.startswith("click>="))
    assert (*map(int, least),) >= (8, 4)


def test_help_imports_no_numbers() -> None:
    """`acic --help` must stay fast: none of the heavy libraries is touched."""
    code = "import sys; from acic.cli.main import run; run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("numpy", "sqlalchemy", "sklearn", "rich", "pyarrow"):
        assert heavy not in done.stdout.split()


@pytest.mark.parametrize("ignored", [False, True])
def test_an_interrupt_while_modules_are_loaded_leaves_no_traceback(tmp_path: Path, ignored: bool) -> None:
    """A module that is loaded early interrupts its own process, as somebody does who types Ctrl-C at once."""
    stub = f"import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit({7 if ignored else 1})\n"
    (tmp_path / "click.py").write_text(stub)
    before = (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignored else None
    done = subprocess.run(
        [sys.executable, "-m", "acic", "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,  # as `nohup` and shells do for jobs in the background
    )
    assert done.stderr == ""
    assert done.returncode == (7 if ignored else -signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_asked_to_end_ends_as_by_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    monkeypatch.setattr(cli, "main", lambda *_, **__: signal.raise_signal(number))
    assert run(["model"]) == 130
    assert capsys.readouterr().err.startswith("acic: interrupted\nhint: ")
    assert signal.getsignal(number) is signal.SIG_DFL


def test_a_bar_shows_what_others_said_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs write names in brackets: `[/scratch/x]` would close what nobody opened, in markup."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("measuring") as show:
        show(0.5, "[node:7] dd: [/scratch/x] is full")
    assert "[node:7] dd: [/scratch/x] is full" in capsys.readouterr().err


def test_a_late_bar_is_there_for_what_takes_long_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with late_progress("learning", unit="fits"):
        pass
    assert capsys.readouterr().err == ""
    with late_progress("learning", unit="fits") as seen:
        seen(1, 4)
        seen(4, 4)
    assert "4/4" in capsys.readouterr().err


def test_json_takes_numbers_of_numpy_and_names_of_files_and_sets_in_one_order() -> None:
    """It failed at the end, after all of the work."""
    numbers = {"whole": np.int64(3), "part": np.float32(0.5), "flag": np.bool_(True), "none": np.float32("nan")}
    told = plain(numbers | {"file": Path("a") / "b", "some": {"c", "a", "b"}, "keys": {"z": 1, "y": 2}.keys()})
    assert json.loads(json.dumps(told)) == {
        "whole": 3,
        "part": 0.5,
        "flag": True,
        "none": None,
        "file": "a/b",
        "some": ["a", "b", "c"],
        "keys": ["z", "y"],
    }


def test_an_end_of_an_interval_that_nothing_tells_is_null() -> None:
    """A single round read as "at least 0.0 times as fast"."""
    told = {"value": 1.2, "low": None, "high": None, "rounds": 1}
    assert plain(Improvement(1.2, 0.0, math.inf, 1)) == told
    assert plain(Improvement(1.2, 1.1, 1.3, 2)) == {"value": 1.2, "low": 1.1, "high": 1.3, "rounds": 2}
