"""A controller to be killed: it makes a lab, deploys, and takes all down."""

from __future__ import annotations

import sys
from pathlib import Path

from acic.lab import Lab
from tests.cluster.lab.fake import CONFIGURATION, FILE_SYSTEMS
from tests.laboratory import NIC, facts


def main() -> None:
    state, name, network = sys.argv[1:]
    while True:
        _say("up")
        lab = Lab.up(facts(), nic=NIC, state=Path(state), name=name, network=network, file_systems=FILE_SYSTEMS)
        _say("deploy")
        lab.deploy(CONFIGURATION)
        _say("down")
        lab.down()


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
