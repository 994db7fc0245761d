"""docs/json.md tells the fields of real outputs, all of them.

Each output of the other tests is held to it too (`conftest.calling`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from acic.platforms import platform_names
from tests.cli.commands import EVERY
from tests.cli.conftest import LOGS, Result
from tests.cli.documented import check_fields, sections

LOG = LOGS / "apps/s3d_io_blocking.darshan"
THERE = ("--platform", "tianhe-lustre", "--price", "1")


def test_every_command_has_its_section_and_no_other_is_there() -> None:
    commands = {" ".join(path) for path, _ in EVERY}
    assert set(sections()) - {"Errors"} == commands
    for command in commands:
        assert f"`acic {command}`" in sections()[command], command


@pytest.mark.parametrize(
    ("command", "words"),
    [("recommend", ("--goal", "cost", *THERE)), ("characterize", ()), ("explain", THERE)],
)
def test_the_fields_are_those_of_the_page(acic: Callable[..., Result], command: str, words: tuple[str, ...]) -> None:
    check_fields(command, acic(command, LOG, *words, "--json").json)


def test_a_price_has_a_unit(acic: Callable[..., Result]) -> None:
    told = acic("platform", "show", "lab", "--json").json
    check_fields("platform show", told)
    assert all(one["price"] > 0 for one in told["platform"]["instances"].values())
    assert told["units"] == {"price": "USD/h", "memory": "B"}


def test_platforms_are_listed_with_what_the_table_shows(acic: Callable[..., Result]) -> None:
    printed = acic("platform", "list", "--json").json
    check_fields("platform list", printed)
    listed = printed["platforms"]
    shown = acic("platform", "list").out
    assert {one["name"] for one in listed} >= set(platform_names())
    for one in listed:
        assert set(one) == {"name", "title", "revision", "file", "configurations"}
        assert re.search(rf"{one['name']} .* {one['file'] or 'acic'} +{one['configurations']}$", shown, re.MULTILINE)
