"""Platforms: every fact has a date and a source, costs follow the paper's equation (1)."""

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData, UnreadableInput
from acic.platforms import Platform, load_platform, parse_platform, platform_names
from acic.space import Configuration

DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")


def table(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("acic.platforms").joinpath("data", f"{name}.toml").read_text())


@pytest.fixture(params=platform_names())
def platform(request: pytest.FixtureRequest) -> Platform:
    return load_platform(request.param)


def test_the_two_first_platforms_are_there() -> None:
    assert {"ec2-2013", "tianhe-lustre"} <= set(platform_names())


def test_every_fact_has_a_date_and_a_source(platform: Platform) -> None:
    for fact in (platform.fact, platform.baseline_fact, *(i.fact for i in platform.instances.values())):
        assert DATE.fullmatch(fact.date)
        assert len(fact.source) > 10


def test_a_platform_names_its_file(platform: Platform) -> None:
    assert table(platform.name)["name"] == platform.name


def test_ec2_2013_is_the_papers() -> None:
    ec2 = load_platform("ec2-2013")
    assert len(ec2.space.parameters) == 6
    assert dict(ec2.baseline) == {
        "device": "EBS",
        "file_system": "NFS",
        "instance_type": "cc2.8xlarge",
        "servers": 1,
        "placement": "dedicated",
    }
    assert len(ec2.space.enumerate()) == 2 * 2 * 2 * (1 + 3 * 2)


def test_dedicated_servers_are_paid_for() -> None:
    ec2 = load_platform("ec2-2013")
    part_time = Configuration(ec2.baseline, placement="part-time")
    assert ec2.nodes(part_time, 64) == 4
    assert ec2.nodes(ec2.baseline, 64) == 5
    assert ec2.cost(ec2.baseline, 64, 3600) == pytest.approx(5 * 2.40)
    assert ec2.cost(part_time, 64, 1800) == pytest.approx(4 * 2.40 / 2)


@given(processes=st.integers(1, 10**6), seconds=st.floats(0, 1e6), more=st.floats(1, 100))
def test_cost_is_proportional_to_time_and_price(processes: int, seconds: float, more: float) -> None:
    ec2 = load_platform("ec2-2013")
    for configuration in ec2.space.configurations():
        one = ec2.cost(configuration, processes, seconds, price=1.0)
        assert ec2.cost(configuration, processes, seconds * more, price=1.0) == pytest.approx(one * more)
        assert ec2.cost(configuration, processes, seconds, price=more) == pytest.approx(one * more)


def test_a_platform_without_prices_says_so() -> None:
    tianhe = load_platform("tianhe-lustre")
    with pytest.raises(MissingData, match="no prices"):
        tianhe.cost(tianhe.baseline, 64, 60)
    assert tianhe.cost(tianhe.baseline, 64, 3600, price=0.5) == 2.0


@pytest.mark.parametrize("name", ["mine.toml", "MINE.TOML"])
def test_a_file_of_ones_own(tmp_path: Path, name: str) -> None:
    text = resources.files("acic.platforms").joinpath("data", "ec2-2013.toml").read_text()
    path = tmp_path / name
    path.write_text(text.replace('name = "ec2-2013"', 'name = "mine"', 1))
    assert load_platform(str(path)).name == "mine"


def test_wrong_platforms_are_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no platform 'moon'"):
        load_platform("moon")
    with pytest.raises(UnreadableInput, match="No such file"):
        load_platform(str(tmp_path / "missing.toml"))
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(UnreadableInput):
        load_platform(str(broken))


@pytest.mark.parametrize("missing", ["name", "revision", "baseline", "parameter", "instance", "source", "date"])
def test_what_a_file_lacks_is_named(missing: str) -> None:
    broken = table("ec2-2013")
    del broken[missing]
    with pytest.raises(InvalidInput, match=f"lacks '{missing}'"):
        parse_platform(broken)


def test_a_baseline_outside_the_space_is_refused() -> None:
    broken = table("ec2-2013")
    broken["baseline"]["values"]["servers"] = 2
    with pytest.raises(InvalidInput, match="baseline of ec2-2013 is not valid"):
        parse_platform(broken)


def test_a_role_that_is_no_parameter_is_refused() -> None:
    broken = table("ec2-2013")
    broken["roles"]["servers"] = "waiters"
    with pytest.raises(InvalidInput, match="waiters"):
        parse_platform(broken)


LAB = load_platform("lab")


def test_the_lab_has_the_valid_configurations_that_counting_by_hand_gives() -> None:
    each = 2 * 2 * 2  # device, devices of each server, placement
    nfs, gluster, ceph, orangefs = 2, 1 + 2 * 3, 2 * (1 + 2 * 2), 1 + 2 * 2 * 2
    per_network = each * (nfs + gluster + ceph + orangefs)
    assert len(list(LAB.space.configurations())) == 2 * per_network == 448


def test_disks_are_paid_for_by_the_hour_and_ephemeral_ones_are_free_but_lost() -> None:
    ephemeral = Configuration(LAB.baseline, device="ephemeral")
    hour = 3600.0
    assert LAB.cost(LAB.baseline, 8, hour) == pytest.approx(5 * 1.30 + 2 * 0.43)
    assert LAB.cost(ephemeral, 8, hour) == pytest.approx(5 * 1.30)
    assert LAB.cost(ephemeral, 16, hour) == LAB.cost(ephemeral, 1, hour)  # every job has all compute nodes
    assert LAB.stages_out(ephemeral)
    assert not LAB.stages_out(LAB.baseline)
    assert not load_platform("ec2-2013").stages_out({"device": "ephemeral"})  # which does not tell
