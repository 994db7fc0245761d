"""`acic model`: the list, and cross-validation on what comes with acic."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from acic.advisor.informed import default_model
from acic.advisor.validation import Validation
from acic.platforms import load_platform
from acic.store import Measurement, Repetition
from acic.store.exchange import export
from tests.cli.conftest import Result
from tests.cli.documented import check_fields
from tests.store.samples import measurement, workload

Acic = Callable[..., Result]


@pytest.mark.parametrize("platform", ["lab", "tianhe-lustre"])
def test_the_list_has_every_default_and_its_help_names_it(acic: Acic, platform: str) -> None:
    listed = acic("model", "list", "--json").json
    check_fields("model list", listed)
    names = [m["name"] for m in listed["models"]]
    assert len(set(names)) == len(names) >= 6
    default = default_model(load_platform(platform))
    assert default in names
    assert default in "".join(acic("model", "list", "--help").out.split())


def test_validation_is_seeded_and_tells_the_workload(acic: Acic) -> None:
    words = (
        "model",
        "validate",
        "--platform",
        "tianhe-lustre",
        "--model",
        "ridge",
        "--seeds",
        "2",
        "--folds",
        "5",
        "--json",
    )
    result = acic(*words)
    assert result.json["workload"]["data_size"] == 100 * 2**20
    (model,) = result.json["models"]
    assert [s["rows"] for s in model["scores"]] == [258, 258]
    assert acic(*words).out == result.out


def test_a_workload_with_little_to_choose_validates_nothing(acic: Acic, tmp_path: Path) -> None:
    """As after a campaign, which measures each workload on few configurations: all figures were nonsense."""
    platform = load_platform("ec2-2013")
    others = (c for c in map(platform.space.configuration, platform.space.enumerate()) if c != platform.baseline)
    made: list[Measurement] = []
    for i, one in enumerate(islice(others, 12)):
        its = workload(data_size=2 ** (20 + i), request_size=2**20)
        for configuration in (one, platform.baseline):
            made.append(measurement(len(made), platform="ec2-2013", configuration=configuration, workload=its))
    export(made, tmp_path / "made.jsonl")
    acic("data", "import", tmp_path / "made.jsonl")
    found = acic("model", "validate", "--platform", "ec2-2013", "--model", "ridge")
    assert found.status == 4
    assert "measured most was on 2 configurations" in found.err
    assert "--leave workload" in found.err


@pytest.mark.parametrize("option", ["--seeds", "--folds"])
def test_options_of_splits_are_refused_where_workloads_are_left_out(acic: Acic, option: str) -> None:
    """They did nothing, and a mean over so many splits that never were was quoted."""
    found = acic("model", "validate", "--platform", "ec2-2013", "--leave", "workload", option, 3)
    assert found.status == 2
    assert f"{option} does nothing with --leave workload" in found.err


def test_json_has_the_regret_of_the_table_where_workloads_are_left_out(acic: Acic, tmp_path: Path) -> None:
    platform = load_platform("ec2-2013")
    others = (c for c in map(platform.space.configuration, platform.space.enumerate()) if c != platform.baseline)
    some = [platform.baseline, *islice(others, 9)]
    made: list[Measurement] = []
    for i in range(6):
        its = workload(data_size=2 ** (20 + i), request_size=2**20)
        for number, configuration in enumerate(some):
            runs = (Repetition(bandwidth=1e8 * (1 + (i * number) % 5), seconds=6.4, iops=None),)
            one = measurement(len(made), platform="ec2-2013", configuration=configuration, workload=its)
            made.append(replace(one, repetitions=runs))
    export(made, tmp_path / "made.jsonl")
    acic("data", "import", tmp_path / "made.jsonl")
    words = ("model", "validate", "--platform", "ec2-2013", "--model", "ridge", "--leave", "workload")
    told, shown = acic(*words, "--json").json, acic(*words).out
    check_fields("model validate", told, acic(*words[:-2], "--folds", 2, "--seeds", 1, "--json").json)
    (one,) = told["models"]
    assert shown.startswith(f"{told['of']} workloads, each left out")
    figures = (one[f"{name}_regret"] for name in ("median", "p90", "mean"))
    assert re.search(rf"^ ridge +{' +'.join(f'{figure:.1%}' for figure in figures)} ", shown, re.MULTILINE)
    assert one["mean_regret"] > 0


def test_a_figure_that_nothing_tells_is_a_dash(acic: Acic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Validation, "spread", lambda *_: (math.nan, math.nan, math.nan))
    words = ("--platform", "tianhe-lustre", "--model", "ridge", "--seeds", 1, "--folds", 2)
    out = acic("model", "validate", *words).out
    assert "nan" not in out
    assert re.search(r"ridge +- +- +- +- +-", out)


def test_no_more_folds_are_told_than_there_are_configurations(acic: Acic) -> None:
    words = ("--platform", "tianhe-lustre", "--model", "ridge", "--seeds", 1, "--folds", 1000)
    assert acic("model", "validate", *words, "--json").json["folds"] == 258


def test_a_model_that_rests_on_hardware_that_is_not_known_is_one_error(acic: Acic) -> None:
    """It was a table without rows, and success."""
    found = acic("model", "validate", "--platform", "tianhe-lustre", "--model", "prior")
    assert (found.status, found.out) == (4, "")
    assert "the hardware of tianhe-lustre is not known, on which prior rests" in found.err


def test_nothing_measured_is_said(acic: Acic) -> None:
    assert acic("model", "validate", "--platform", "ec2-2013").status == 4
