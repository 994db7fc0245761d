"""A controller to be killed: submits one job and waits for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from acic.cluster import Job
from tests.cluster.places import Place


def main() -> None:
    task = json.loads(sys.argv[1])
    runner = Place(task["kind"], task["options"]).runner()
    job = Job(
        name=task["name"],
        command=tuple(task["command"]),
        processes=task["processes"],
        folder=Path(task["folder"]),
        time_limit=task["time_limit"],
    )
    _say("submitting")
    runner.submit(job)
    _say("submitted")
    _say(runner.wait(job).state)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
