"""The page docs/acic-bench.md: its commands do what they should, and it leaves out no option."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.native.bench import SOURCE, TIMEOUT, Bench

PAGE = (SOURCE.parents[1] / "docs" / "acic-bench.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page_succeed(bench: Bench, tmp_path: Path) -> None:
    assert len(BLOCKS) >= 6
    environment = bench.mpi.environment
    environment["PATH"] = f"{bench.program.parent}:{environment['PATH']}"
    for block in BLOCKS:
        done = subprocess.run(
            ["bash", "-euc", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("table", ["options.def", "replay.def", "play.def"])
def test_the_page_has_every_option(table: str) -> None:
    text = (SOURCE / table).read_text()
    found = re.findall(r"^OPTION\((?:'(.)'|0), \"([^\"]*)\", \"([^\"]*)\"", text, re.MULTILINE)
    assert len(found) == text.count("\nOPTION(") > 6
    for letter, name, directive in found:
        if letter and letter != "O":
            assert re.search(rf"`-{letter}[ `]", PAGE), letter
        if directive:
            assert f"`{directive}`" in PAGE or f"-O {directive}=" in PAGE, directive
        if name and not letter:
            assert f"`--{name}" in PAGE, name
