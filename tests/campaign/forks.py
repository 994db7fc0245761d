"""Runs `acic` in forked copies of itself, which are at work at once, and has them die at chosen moments.

Each line of standard input is a JSON object: `words` of the command, its `environment` and `folder`, the file for its
`output`, and `die`: [kind, how], at the first event of that kind written to a journal: "before" it, "torn" within its
line, or "after" it. Answers with a line: the wait status.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from acic.campaign import active, session, summary  # noqa: F401  (imported once, for all copies)
from acic.campaign.journal import Journal
from acic.cli import measuring, train  # noqa: F401  (the same)
from acic.cli.main import run
from acic.store import database, engine, migrate, schema  # noqa: F401  (the same)


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            _work(asked)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


def _work(asked: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    output = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if asked["die"]:
        _doom(*asked["die"])
    status = 70
    try:
        status = run(asked["words"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _doom(kind: str, how: str) -> None:
    append = Journal.append

    def doomed(self: Journal, event: str, **fields: Any) -> None:
        if event == kind and how == "torn":
            line = json.dumps({"event": event, **fields}, default=str)
            with (self.folder / "journal.jsonl").open("ab") as file:
                file.write(line[: len(line) // 2].encode())
        elif event != kind or how == "after":
            append(self, event, **fields)
        if event == kind:
            os.kill(os.getpid(), signal.SIGKILL)

    Journal.append = doomed  # type: ignore[method-assign]  # as a crash would


if __name__ == "__main__":
    main()
