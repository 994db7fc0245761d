"""The command line: one verb, one call deep; the library does the work, the command speaks."""

from __future__ import annotations

import errno
import importlib
import io
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import TextIO

import click

from acic.cli.output import Answer, say
from acic.cli.repeated import refuse_repeated
from acic.errors import AcicError, Interrupted, InvalidInput, Mistake, on_one_line
from acic.interrupts import interruptible

# Command: where it is, and its one line of help. Modules are imported only when their command runs,
# so that `acic --help` stays fast; a test holds these lines equal to the commands' own.
COMMANDS = {
    "characterize": (
        "acic.cli.characterize:characterize",
        "Show what an application does to storage, from its Darshan log.",
    ),
    "recommend": ("acic.cli.recommend:recommend", "Recommend I/O configurations for an application on a platform."),
    "explain": (
        "acic.cli.explain:explain",
        "Explain a recommendation: what drove it, what would change it, what errors cost.",
    ),
    "train": ("acic.cli.train:train", "Measure a platform with benchmark runs, to learn what is fast there."),
    "campaign": (
        "acic.cli.campaign:campaign",
        "Look at measuring campaigns (`acic train`), pause and resume them, and report.",
    ),
    "walk": ("acic.cli.walk:walk", "Search by real runs, one parameter at a time from the baseline."),
    "tune": ("acic.cli.tune:tune", "Search by real runs, guided by a model that learns at small scale."),
    "verify": ("acic.cli.verify:verify", "Run the baseline and what is recommended, and compare."),
    "replicate": ("acic.cli.replicate:replicate", "Print the IOR command lines that replay an application's I/O."),
    "platform": ("acic.cli.platform:platform", "List and show the platforms that acic knows."),
    "data": ("acic.cli.data:data", "Import, export, remove and look at the measurements that advice is learned from."),
    "design": ("acic.cli.design:design", "Plan screening runs, and rank parameters by their effects."),
    "survey": (
        "acic.cli.survey:survey",
        "Measure applications on configurations of the lab: what advice is judged by, or learns from.",
    ),
    "evaluate": (
        "acic.cli.evaluate:evaluate",
        "Judge acic's advice, and other ways of choosing, by measured runs of applications.",
    ),
    "lab": (
        "acic.cli.lab:lab",
        "Make a virtual cluster on this machine, and run jobs on real file systems in it.",
    ),
    "model": ("acic.cli.model:model", "List the models, and cross-validate them on a platform's measurements."),
}

_COMPLETING = "_ACIC_COMPLETE"  # set by shells that ask what a word may become (docs/index.md)
_REMEDY = "check space and permissions"
_REMEDIES = {  # of what the system refuses
    errno.ENOENT: "make the folder first, or name another",
    errno.ENOSPC: "free some space, or write somewhere else",
    errno.EISDIR: "name a file, not a folder",
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the command names in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        """Import and return the command, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names; where there is none, name those spelled much like it."""
        from difflib import get_close_matches

        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS)
            hint = f"did you mean {' or '.join(near)}?" if near else "`acic --help` lists the commands"
            raise InvalidInput(f"there is no command {args[0]!r}", hint=hint)
        name, command, rest = super().resolve_command(ctx, args)
        if not ctx.resilient_parsing:
            refuse_repeated(command, rest, ctx)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _tell_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: ARG001 (click's signature)
    if not wanted or ctx.resilient_parsing:
        return
    from acic.cli.version import version

    click.echo(f"acic, version {version()}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: acic recommend run.darshan --platform tianhe-lustre",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_tell_version,
    help="Show the version, with its commit where that is known, and exit.",
)
def cli() -> None:
    """Find the I/O-system configuration that runs an HPC application fastest or cheapest.

    Start with `acic characterize LOG` on a Darshan log of your job. `acic train --platform here --budget 10min
    --like LOG` measures what it does to storage on this machine, and `acic recommend LOG --platform here` answers.
    """


def main() -> None:
    """Run the command line and exit with its status.

    0 done; 1 other errors; 2 wrong input; 3 unreadable file; 4 no measurements to answer from;
    5 training database; 6 passing failure; 70 a mistake in acic; 130 interrupted; 141 nobody reads the result.
    """
    _open_streams()
    status = run(sys.argv[1:])
    try:
        sys.stderr.flush()
    except OSError:  # a message that a full disk cuts off leaves the status as it is
        _quieten(sys.stderr)
    sys.exit(status)


def _open_streams() -> None:
    """Take the place of a stream that the caller closed (`>&-`), or a file opened next would be written to instead.

    Messages go to nobody then; a result that nobody can get is an error, so standard output cannot be written to.
    Where Python does not buffer it (PYTHONUNBUFFERED), what a full disk cuts off would be lost without an error.
    The name of a file may be no text, or none that this locale can write: then it is told by codes.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nobody = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            if nobody != descriptor:
                os.dup2(nobody, descriptor)
                os.close(nobody)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w"))
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout.buffer, io.RawIOBase):
        sys.stdout = os.fdopen(1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status; no exception leaves a traceback.

    With --json, standard output gets one object when all has ended: the result, and the error where there is one.
    """
    answer = Answer(asked="--json" in takewhile("--".__ne__, arguments))  # as typed: a wrong option ends all parsing
    try:
        with interruptible():
            status = cli.main(arguments, prog_name="acic", standalone_mode=False, obj=answer)
        answer.tell()
        sys.stdout.flush()  # a full disk shows here, not after the last line of this program
        return int(status or 0)  # of a command that ended by itself: click returns what `Exit` holds
    except AcicError as error:
        return _fail(error, answer)
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return _tell(_refused(error), answer)
    except (click.Abort, KeyboardInterrupt) as ended:
        interrupted = Interrupted("interrupted", hint="nothing half-done was kept; run the same command again")
        return _fail(interrupted, answer, ended.__cause__ or ended)
    except (BrokenPipeError, SystemExit) as ended:  # click's own ending, where its reader is gone
        if isinstance(ended, SystemExit) and os.environ.get(_COMPLETING):  # and where it has completed words
            return int(ended.code or 0)
        with suppress(OSError):  # those of messages may be gone alone
            answer.tell()
        _quieten(sys.stdout)
        return 141
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        remedy = _REMEDIES.get(error.errno or 0, _REMEDY)
        status = _fail(AcicError(f"the system refused{where}: {error.strerror or error}", hint=remedy), answer, error)
        _quieten(sys.stdout)
        return status
    except MemoryError as error:
        greedy = AcicError("there is not enough memory", hint="ask for less, or run it on a machine that has more")
        return _fail(greedy, answer, error)
    except Exception as error:  # whatever it is, nobody foresaw it
        problem = f"a mistake in acic itself: {type(error).__name__}: {on_one_line(error)}"
        return _fail(Mistake(problem, hint=_kept(error)), answer, error)


def _refused(error: click.ClickException) -> InvalidInput:
    """Return what click says of a command line that it does not take."""
    context = getattr(error, "ctx", None)  # click has none for an option without its value
    hint = f"`{context.command_path if context else 'acic COMMAND'} --help` tells what it takes"
    refused = InvalidInput(error.format_message().removesuffix("."), hint=hint)
    refused.exit_status = error.exit_code
    return refused


def _kept(error: Exception) -> str:
    """Keep where an error came from that nobody foresaw; return what to do with it."""
    import traceback

    from acic.cli.version import version
    from acic.paths import new_file, user_folder
    from acic.store.location import without_password

    command = f"acic {version()}: {shlex.join(sys.argv)}\n"
    story = without_password(command + "".join(traceback.format_exception(error)))
    try:
        file = user_folder("state") / "error.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with new_file(file) as opened:
            opened.write(story.encode("utf-8", "backslashreplace"))
    except (OSError, AcicError):
        return f"report it to whom you have acic from, with these lines:\n{story}"
    return f"report it to whom you have acic from, with {file}, which tells the command and where it happened"


def _quieten(stream: TextIO) -> None:
    """Let what is left in a stream go nowhere, or the interpreter's last flush complains of it once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail(told: AcicError, answer: Answer, error: BaseException | None = None) -> int:
    """Tell an error, and behind it what else went wrong on the way out: the notes of `error`, where that is another."""
    notes = getattr(error or told, "__notes__", ())
    with suppress(OSError):  # nobody can be told, but the exit status still tells
        say(f"acic: {told.problem}")
        if told.hint:
            say(f"hint: {told.hint}")
        for note in notes:
            say(f"note: {note}")
    return _tell(told, answer, notes)


def _tell(told: AcicError, answer: Answer, notes: Sequence[str] = ()) -> int:
    """Print the error where --json asks for it, and return its exit status, which tells where nobody takes that."""
    error = {"kind": told.kind, "exit_status": told.exit_status, "problem": told.problem, "hint": told.hint}
    try:
        answer.tell({**error, "notes": notes})
    except OSError:
        _quieten(sys.stdout)
    return told.exit_status
