"""`acic model`: the list, and cross-validation on what comes with acic."""

from collections.abc import Callable

import pytest

from acic.advisor.informed import default_model
from acic.platforms import load_platform
from tests.cli.conftest import Result

Acic = Callable[..., Result]


@pytest.mark.parametrize("platform", ["lab", "tianhe-lustre"])
def test_the_list_has_every_default_and_its_help_names_it(acic: Acic, platform: str) -> None:
    names = [m["name"] for m in acic("model", "list", "--json").json["models"]]
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


def test_nothing_measured_is_said(acic: Acic) -> None:
    assert acic("model", "validate", "--platform", "ec2-2013").status == 4
