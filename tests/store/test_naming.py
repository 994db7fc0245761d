"""The naming rule: what names tell, and what they cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.platforms import Platform, load_platform
from acic.space import Configuration, Parameter, Space, Value
from acic.store.naming import NamingRule, overlay, parameter_value
from tests.store.samples import MIB, lustre

FIG_19 = "{stripe_count}_{stripe_size}_{romio_cb_read}_{romio_cb_write},_{romio_ds_read}_{romio_ds_write}.json"
LABELS = ["automatic", "disable", "enable"]
ROMIO = "romio_*:0=automatic,1=disable,2=enable"


@given(
    count=st.integers(1, 32),
    size=st.integers(MIB, 512 * MIB),
    hints=st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_a_name_gives_back_what_it_was_made_of(tianhe: Platform, count: int, size: int, hints: list[int]) -> None:
    a, b, c, d = hints
    told = NamingRule.parse(FIG_19, [ROMIO]).told(Path(f"x/{count}_{size}_{a}_{b},_{c}_{d}.json"), tianhe)
    assert told == {
        "stripe_count": count,
        "stripe_size": size,
        "romio_cb_read": LABELS[a],
        "romio_cb_write": LABELS[b],
        "romio_ds_read": LABELS[c],
        "romio_ds_write": LABELS[d],
    }


def test_what_a_name_does_not_tell_is_the_baseline(tianhe: Platform) -> None:
    told = NamingRule("{_}_{_}_{_}_{stripe_count}").told(Path("8_128_16_4"), tianhe)
    assert told == {"stripe_count": 4}
    assert overlay(tianhe, told) == lustre(stripe_count=4)
    assert NamingRule("default.json").told(Path("any/default.json"), tianhe) == {}


def test_sizes_are_read_with_units(tianhe: Platform) -> None:
    assert NamingRule("s{stripe_size}").told(Path("s4MiB"), tianhe) == {"stripe_size": 4 * MIB}


def test_folders_can_be_part_of_a_rule(tianhe: Platform) -> None:
    rule = NamingRule("ost{stripe_count}/{_}.json")
    assert rule.told(Path("/data/march/ost8/run1.json"), tianhe) == {"stripe_count": 8}
    assert rule.told(Path("/data/march/ost8/run1.json.gz"), tianhe) == {"stripe_count": 8}
    assert NamingRule("{stripe_count}").told(Path("8.gz"), tianhe) == {"stripe_count": 8}
    assert not rule.matches(Path("/data/ost8/march/run1.json"))


@pytest.mark.parametrize("name", ["1_2.json", "1_2_0_0_0_0.json", "1_2_0_0,_0_0.csv", "x1_2_0_0,_0_0.json.rc"])
def test_other_names_do_not_match(name: str) -> None:
    assert not NamingRule.parse(FIG_19, [ROMIO]).matches(Path(name))


@pytest.mark.parametrize("name", ["2nd", "class", "_2", "größe"])
def test_a_parameter_may_be_called_as_nothing_in_python_is(tianhe: Platform, name: str) -> None:
    """A name that begins with a digit ended an import with a traceback."""
    parameter = Parameter(name=name, values=("a", "b"))
    space = Space((*tianhe.space.parameters, parameter))
    platform = replace(tianhe, space=space, baseline=Configuration({**tianhe.baseline, name: "a"}))
    rule = NamingRule(f"{{stripe_count}}_{{_}}_{{{name}}}.json")
    rule.check(platform)
    assert rule.told(Path("8_x_b.json"), platform) == {"stripe_count": 8, name: "b"}


@pytest.mark.parametrize("template", ["", "{stripe_count", "stripe_count}", "{}.json", "{a b}", "{a}_{a}"])
def test_a_template_that_is_none_is_refused(template: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        NamingRule(template)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["romio_*", "romio_*:", ":0=a", "romio_*:0", "romio_*:0=a,1"])
def test_a_map_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no map"):
        NamingRule.parse("{romio_cb_read}", [text])


def test_unknown_parameters_are_named(tianhe: Platform) -> None:
    with pytest.raises(InvalidInput, match="stripes"):
        NamingRule("{stripes}.json").check(tianhe)
    with pytest.raises(InvalidInput, match="hdf5"):
        NamingRule.parse("{stripe_count}.json", ["hdf5_*:0=a"]).check(tianhe)


@pytest.mark.parametrize(
    ("template", "name"),
    [("{stripe_count}", "many"), ("{stripe_size}", "1xB"), ("{romio_cb_read}", "7"), ("{stripe_count}_a", "b")],
)
def test_values_that_cannot_be_are_refused(tianhe: Platform, template: str, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        NamingRule(template).told(Path(name), tianhe)
    assert caught.value.hint


def test_a_rule_can_stand_in_toml(tianhe: Platform) -> None:
    rule = NamingRule.from_table({"template": "{romio_cb_read}", "map": {"romio_*": {"0": "enable"}}})
    assert rule.told(Path("0"), tianhe) == {"romio_cb_read": "enable"}
    with pytest.raises(InvalidInput, match="template"):
        NamingRule.from_table({"map": {}})


def test_a_configuration_is_checked_against_the_platform(tianhe: Platform) -> None:
    with pytest.raises(InvalidInput, match="outside 1 to 32"):
        overlay(tianhe, {"stripe_count": 64})
    with pytest.raises(InvalidInput, match="no parameter"):
        overlay(tianhe, {"colour": "red"})


def test_what_does_not_apply_is_left_out() -> None:
    ec2 = load_platform("ec2-2013")
    parallel = {**ec2.baseline, "file_system": "PVFS2", "servers": 4, "stripe_size": 65_536}
    assert overlay(ec2, {"file_system": "PVFS2", "servers": 4, "stripe_size": 65_536}) == Configuration(parallel)
    assert "stripe_size" not in overlay(ec2, {"device": "ephemeral"})
    with pytest.raises(InvalidInput, match="does not apply"):
        overlay(ec2, {"stripe_size": 65_536})
    assert parameter_value(ec2.space["servers"], "2") == 2
    assert parameter_value(ec2.space["placement"], "part-time") == "part-time"


@pytest.mark.parametrize("platform", ["lab", "ec2-2013", "tianhe-lustre"])
def test_a_label_may_be_written_in_another_case(platform: str) -> None:
    """`--only file_system=nfs` was refused with a list that has NFS."""
    for parameter in load_platform(platform).space.parameters:
        for value in parameter.values:
            for text in (str(value), str(value).lower(), str(value).upper()):
                assert parameter_value(parameter, text) == value


@pytest.mark.parametrize(
    ("values", "text", "taken"),
    [
        (("Fast", "FAST"), "FAST", "FAST"),
        (("Fast", "FAST"), "fast", None),
        (("/Data", "/scratch"), "/data", None),  # which may be there, and is another
        ((False, True), "true", True),
    ],
    ids=str,
)
def test_another_case_is_taken_where_it_leaves_no_doubt(
    values: tuple[Value, ...], text: str, taken: Value | None
) -> None:
    parameter = Parameter(name="x", values=values)
    if taken is not None:
        assert parameter_value(parameter, text) == taken
        return
    with pytest.raises(InvalidInput, match=f"x is not '{text}'"):
        parameter_value(parameter, text)


@pytest.mark.parametrize("text", ["4MiB", "4 MiB", "4m", "4194304"])
def test_labels_of_sizes_are_written_as_they_are_listed(text: str) -> None:
    """The hint was to give "4 MiB", which was refused."""
    parameter = Parameter(name="stripe_size", values=(65536, 4 << 20), unit="B")
    assert parameter_value(parameter, text) == 4 << 20
    with pytest.raises(InvalidInput, match="stripe_size is not '5MiB'"):
        parameter_value(parameter, "5MiB")


def test_a_map_is_only_spoken_of_where_there_can_be_one(tianhe: Platform) -> None:
    parameter = tianhe.space["romio_cb_read"]
    with pytest.raises(InvalidInput) as typed:
        parameter_value(parameter, "yes")
    with pytest.raises(InvalidInput) as in_a_name:
        NamingRule("{romio_cb_read}").told(Path("yes"), tianhe)
    assert "enable" in typed.value.hint
    assert "--map" not in typed.value.hint
    assert "--map" in in_a_name.value.hint
