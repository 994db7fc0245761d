"""`acic design`: a plan that a person can run, and effects from its results."""

import csv
import itertools
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from acic.campaign.points import Field
from acic.platforms import load_platform
from tests.cli.conftest import Result
from tests.cli.documented import check_fields

Acic = Callable[..., Result]


def test_the_plan_lists_a_run_per_row(acic: Acic) -> None:
    result = acic("design", "screen", "--platform", "ec2-2013", "--json")
    assert result.status == 0
    assert len(result.json["parameters"]) == 14  # the paper's 15, but for the number of processes
    assert len(result.json["runs"]) == 32
    check_fields("design screen", result.json)


def test_a_plan_has_one_form(acic: Acic) -> None:
    """JSON was printed, and --csv passed over."""
    result = acic("design", "screen", "--platform", "ec2-2013", "--csv", "--json")
    assert result.status == 2
    assert result.json["error"]["problem"] == "both --json and --csv are given"


def test_workloads_of_a_plan_are_such_as_a_campaign_runs(acic: Acic) -> None:
    for platform in ("ec2-2013", "lab"):
        field = Field(load_platform(platform))
        for run in acic("design", "screen", "--platform", platform, "--json").json["runs"]:
            row = {name: value for name, value in run["values"].items() if name in field.workload_names}
            assert set(row) == set(field.workload_names)
            assert all(value in field.space[name].values for name, value in row.items())
            assert row["request_size"] <= row["data_size"]


def test_effects_of_a_filled_in_plan(acic: Acic, tmp_path: Path) -> None:
    plan = acic("design", "screen", "--platform", "ec2-2013", "--no-workload", "--csv").out
    rows = list(csv.DictReader(plan.splitlines()))
    for row in rows:
        row["result"] = str(100 + 5 * int(row["level:servers"]) - 2 * int(row["level:device"]))
    path = tmp_path / "plan.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    printed = acic("design", "effects", path, "--json").json
    check_fields("design effects", printed)
    found = printed["effects"]
    assert [(e["parameter"], e["rank"]) for e in found[:2]] == [("servers", 1), ("device", 2)]
    assert found[0]["effect"] == 5 * len(rows)


def test_a_spreadsheet_runs_nothing_of_a_plan(acic: Acic, tmp_path: Path) -> None:
    """A stranger's platform may have "=cmd|calc" for a value, which one that opens the plan would run."""
    file = tmp_path / "site.toml"
    text = resources.files("acic.platforms").joinpath("data", "ec2-2013.toml").read_text()
    file.write_text(text.replace('"ec2-2013"', '"mine"', 1).replace('"EBS"', '"=cmd|calc"'))
    plan = acic("design", "screen", "--platform", file, "--no-workload", "--csv")
    assert plan.status == 0, plan.err
    rows = list(csv.reader(plan.out.splitlines()))
    assert "'=cmd|calc" in {cell for row in rows for cell in row}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


@pytest.mark.parametrize(
    ("text", "status", "problem"),
    [
        ("", 2, "is no screening plan"),
        ("a,b\n1,2\n", 2, "is no screening plan"),
        ("level:x,result\n300,1\n-1,2\n", 2, "a level other than -1 and 1 in row 1"),
        ("level:x,result\n0,1\n0,2\n", 2, "a level other than -1 and 1 in row 1"),
        ("level:x,result\n1,\n", 2, "no level or no result in row 1"),
        ("level:x,result\n1,nan\n", 2, "not finite"),
        ("level:x,result\n1,12\n-1,-1\n", 2, "-1 in row 2, which is neither a time nor a cost"),
        ("level:x,result\n1,0\n-1,1\n", 2, "0 in row 1"),
        ("level:x,result\n1,12,5\n-1,3,1\n", 2, "too many columns"),  # a decimal comma
        ("level:x,result\n1,12\n1,3\n-1,4\n", 2, "lacks runs of its plan"),
        ("level:x,result\n\0\xff", 2, "no level or no result"),
        ("level:x,result\n1," + 200_000 * "1" + "\n", 3, "it is no CSV"),
        ('level:x,result\n1,"1' + 200_000 * "\n1", 3, "it is no CSV"),  # a quote that nobody closed
        ("run;level:x;result\n1;1;1.234,5\n2;-1;3\n", 2, "no level or no result in row 1"),
        ("run;level:x;result\n1;1\n2;-1;3\n", 2, "no level or no result in row 1"),
        ("level:x,level:y,result\n1,1,1e308\n-1,1,1\n1,-1,1e308\n-1,-1,1\n", 2, "too large to add"),
        (None, 3, "cannot read"),
    ],
)
def test_wrong_plans_are_refused(acic: Acic, tmp_path: Path, text: str | None, status: int, problem: str) -> None:
    path = tmp_path / "plan.csv"
    if text is not None:
        path.write_text(text)
    result = acic("design", "effects", path)
    assert result.status == status
    assert problem in result.err
    assert "hint:" in result.err


def test_a_plan_with_semicolons_and_decimal_commas_is_read(acic: Acic, tmp_path: Path) -> None:
    """A spreadsheet of a German or French user saved so, and was told that it was no plan."""
    path = tmp_path / "plan.csv"
    told = []
    for text in ("run,level:x,result\n1,1,12.5\n2,-1,3\n", "\ufeffrun;level:x;result\n1;1;12,5\n2;-1;3\n"):
        path.write_text(text, encoding="utf-8")
        found = acic("design", "effects", path, "--json")
        assert found.status == 0, found.err
        told.append(found.json["effects"])
    assert told[0] == told[1] == [{"parameter": "x", "effect": 9.5, "rank": 1}]


def test_results_that_are_all_alike_are_told(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("level:x,level:y,result\n1,1,3\n-1,1,3\n1,-1,3\n-1,-1,3\n")
    found = acic("design", "effects", path)
    assert found.status == 0
    assert "note: all results are alike: no parameter is told to matter" in found.err


@pytest.mark.parametrize("fold", ["--fold", "--no-fold"])
def test_a_plan_that_lacks_runs_is_refused_whichever_they_are(acic: Acic, tmp_path: Path, fold: str) -> None:
    """Without a run and its mirror image, the columns of a folded plan are balanced still."""
    plan = acic("design", "screen", "--platform", "ec2-2013", "--no-workload", fold, "--csv").out.splitlines()
    header, *rows = [f"{line}{number or ''}" for number, line in enumerate(plan)]
    path = tmp_path / "plan.csv"
    path.write_text("\n".join([header, *rows]))
    assert acic("design", "effects", path).status == 0
    for left_out in itertools.combinations(rows, 2):
        path.write_text("\n".join([header, *(row for row in rows if row not in left_out)]))
        found = acic("design", "effects", path)
        assert (found.status, found.out) == (2, "")
        assert "lacks runs of its plan" in found.err
