"""What long work tells where nobody looks at a terminal."""

from __future__ import annotations

import pytest

from acic.cli.measuring import Lines


def test_a_file_is_told_each_tenth_and_each_few_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = Lines(clock=lambda: now)
    for now, part in (
        (0.0, 0.0),
        (10.0, 0.05),
        (20.0, 0.11),
        (30.0, 0.12),
        (319.0, 0.13),
        (321.0, 0.14),
        (330.0, 0.15),
    ):
        lines.show(part, f"at {now:.0f} s")
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(": ")[1] for line in told.err.splitlines()] == ["at 20 s", "at 321 s"]
