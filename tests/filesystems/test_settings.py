"""Settings: nothing for what the baseline does anyway, and the commands of each kind, as their manuals have them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.blueprints.instructions import instructions
from acic.campaign.settable import check_settable
from acic.errors import InvalidInput
from acic.filesystems import KINDS, Settings, by_hand, kinds_that_set, settings
from acic.filesystems.hints import ROMIO_DEFAULTS, hint_text
from acic.filesystems.settings import PER_PROCESS, Kind, lfs_size
from acic.platforms import APPLY, Platform, load_platform, parse_platform, platform_names
from acic.units import GIB, KIB, MIB

BASELINE: Mapping[str, Any] = {
    "storage": "/scratch",
    "files": "as the application does",
    "stripe_count": 1,
    "stripe_size": MIB,
    "cb_nodes": 1,
    "cb_buffer_size": 16 * MIB,
    "romio_cb_write": "automatic",
    "romio_ds_write": "automatic",
}
CHANGES: Mapping[str, list[Any]] = {
    "storage": ["/home/me"],
    "files": [PER_PROCESS],
    "stripe_count": [2, 16],
    "stripe_size": [64 * KIB, 4 * MIB],
    "cb_nodes": [2, 8],
    "cb_buffer_size": [MIB],
    "romio_cb_write": ["enable", "disable"],
    "romio_ds_write": ["enable"],
}
changes = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHANGES.items()})


def made(kinds: list[str], **changed: Any) -> Settings:
    return settings(kinds, {**BASELINE, **changed}, BASELINE, directory="/scratch/here")


@given(kinds=st.lists(st.sampled_from(sorted(set(KINDS) - {"storage"})), unique=True))
def test_the_baseline_is_left_as_it_is(kinds: list[str]) -> None:
    assert made(kinds) == Settings(directory="/scratch/here")


@given(kinds=st.lists(st.sampled_from(sorted(KINDS)), unique=True), changed=changes)
def test_only_what_is_changed_is_set(kinds: list[str], changed: dict[str, Any]) -> None:
    found = made(kinds, **changed)
    hints = {n: str(v) for n, v in changed.items() if n.startswith(("cb_", "romio_"))} if "romio" in kinds else {}
    assert hints.items() <= found.hints.items()
    assert set(found.hints) - set(hints) <= {"cb_config_list"}
    assert ("cb_config_list" in found.hints) == ("cb_nodes" in hints)
    assert found.file_per_process == ("files" in kinds and "files" in changed)
    stripes = bool({"storage", "stripe_count", "stripe_size"} & set(changed))
    assert bool(found.layout) == (stripes and bool({"lustre", "ceph", "orangefs"} & set(kinds)))


@given(changed=changes)
def test_what_follows_the_storage_works_on_its_directory(changed: dict[str, Any]) -> None:
    found = made(["storage", "lustre"], **changed)
    assert found.directory == changed.get("storage", "/scratch")
    assert all(command[-1] == found.directory for command in found.layout)


@pytest.mark.parametrize("kind", ["lustre", "ceph", "orangefs"])
def test_how_to_see_the_layout_can_be_typed_for_any_directory(kind: str) -> None:
    found = settings([kind], {"stripe_count": 4}, {}, directory="/scratch/it's mine; $HOME")
    assert shlex.split(found.check)[-1] == f"{found.directory}/FILE"


def test_lustre() -> None:
    found = made(["lustre"], stripe_count=4)
    assert found.layout == (("lfs", "setstripe", "-c", "4", "-S", "1M", "/scratch/here"),)
    assert found.check == "lfs getstripe /scratch/here/FILE"
    assert made(["lustre"], stripe_size=64 * KIB).layout[0][3:6] == ("1", "-S", "64K")


@pytest.mark.parametrize(
    ("size", "whole"),
    [(64 * KIB, 4 * MIB), (4 * MIB, 4 * MIB), (16 * MIB, 16 * MIB), (3 * MIB, 3 * MIB), (1536 * KIB, 3 * MIB)],
)
def test_a_ceph_object_holds_whole_stripe_units(size: int, whole: int) -> None:
    (command,) = made(["ceph"], stripe_size=size, stripe_count=2).layout
    assert command[:4] == ("setfattr", "-n", "ceph.dir.layout", "-v")
    assert command[4] == f"object_size={whole} stripe_unit={size} stripe_count=2"
    assert whole % size == 0


@pytest.mark.parametrize(
    ("kind", "name", "value", "words"),
    [
        ("lustre", "stripe_count", 4, ("lfs", "setstripe", "-c", "4", "/d")),
        ("lustre", "stripe_size", 4 * MIB, ("lfs", "setstripe", "-S", "4M", "/d")),
        ("ceph", "stripe_count", 2, ("setfattr", "-n", "ceph.dir.layout", "-v", "stripe_count=2", "/d")),
        (
            "ceph",
            "stripe_size",
            64 * KIB,
            ("setfattr", "-n", "ceph.dir.layout", "-v", f"object_size={4 * MIB} stripe_unit={64 * KIB}", "/d"),
        ),
        ("orangefs", "stripe_count", 2, ("setfattr", "-n", "user.pvfs2.num_dfiles", "-v", "2", "/d")),
    ],
)
def test_what_is_no_parameter_of_the_platform_stays_as_it_is(
    kind: str, name: str, value: int, words: tuple[str, ...]
) -> None:
    assert settings([kind], {name: value}, {name: 1}, directory="/d").layout == (words,)


def mine(apply: list[str], names: dict[str, list[Any]], **more: Any) -> Platform:
    """Return a platform with these parameters."""
    fact = {"source": "made up for this test", "date": "2026-11"}
    return parse_platform(
        {
            "name": "mine",
            "title": "Mine",
            "revision": "1",
            "default_instance": "node",
            "apply": apply,
            "parameter": [{"name": name, "values": values} for name, values in names.items()],
            "baseline": {"values": {name: values[0] for name, values in names.items()}, **fact},
            "instance": [{"name": "node", "cores": 2, **fact}],
            **fact,
            **more,
        }
    )


PARAMETERS: dict[str, list[Any]] = {
    "place": ["/a", "/b"],
    "files": ["as the application does", PER_PROCESS],
    "stripe_count": [1, 4],
    "romio_cb_write": ["automatic", "enable"],
    "nb_proc": [1, 4],
    "client_cache": ["on", "off"],
}


@pytest.mark.parametrize(
    ("apply", "left"),
    [
        ([], {"files", "stripe_count", "romio_cb_write", "nb_proc", "client_cache"}),
        (["files", "romio"], {"stripe_count", "client_cache"}),
        (["lustre", "romio"], {"files", "client_cache"}),
        (["orangefs"], {"files", "romio_cb_write", "nb_proc", "client_cache"}),
        (["lab"], {"romio_cb_write", "nb_proc"}),
        (["deployment"], set()),
    ],
)
def test_what_nothing_sets_is_known(apply: list[str], left: set[str]) -> None:
    assert set(by_hand(mine(apply, PARAMETERS, roles={"storage": "place"}))) == left


@pytest.mark.parametrize("name", platform_names())
def test_all_is_set_on_the_platforms_that_come_with_acic(name: str) -> None:
    assert by_hand(load_platform(name)) == ()


def test_a_storage_that_is_called_so_needs_no_role() -> None:
    found = mine(["storage"], {"storage": ["/a", "/b"]})
    assert (found.roles.storage, by_hand(found)) == ("storage", ())
    assert by_hand(mine([], {"storage": ["/a", "/b"]})) == ("storage",)


@given(changed=changes)
def test_each_parameter_is_set_by_its_kind_and_by_no_other(changed: dict[str, Any]) -> None:
    """`by_hand` and the commands of `settings` agree on who sets what."""
    for name in set(changed) - {"storage"}:
        for kind in set(KINDS) - {"storage"}:
            assert (made([kind], **{name: changed[name]}) != made([])) == (kind in kinds_that_set(name))


def test_a_new_kind_of_system_is_a_line_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third list of what each kind sets was needed: without it campaigns said that nothing sets the parameter."""

    def beegfs(made: Settings, configuration: Mapping[str, Any], changed: Mapping[str, Any]) -> Settings:
        command = ("beegfs-ctl", "--setpattern", f"--numtargets={configuration['stripe_count']}", made.directory)
        return replace(made, layout=(command,)) if "stripe_count" in changed else made

    monkeypatch.setitem(cast("dict[str, Kind]", KINDS), "beegfs", Kind(beegfs, ("stripe_count",)))
    monkeypatch.setattr("acic.platforms.platform.APPLY", (*APPLY, "beegfs"))
    platform = mine(["beegfs"], {"stripe_count": [1, 4]})
    assert by_hand(platform) == ()
    check_settable(platform, {})
    (told,) = instructions(platform.apply, {"stripe_count": 4}, platform.baseline)
    assert "beegfs-ctl --setpattern --numtargets=4 OUTPUT_DIR" in told.commands


def test_hints_of_the_standard_are_hints() -> None:
    assert made(["romio"], striping_factor=4).hints == {"striping_factor": "4"}


def test_orangefs() -> None:
    found = made(["orangefs"], stripe_count=2, stripe_size=64 * KIB).layout
    assert ("setfattr", "-n", "user.pvfs2.num_dfiles", "-v", "2", "/scratch/here") in found
    assert ("setfattr", "-n", "user.pvfs2.dist_params", "-v", "strip_size:65536", "/scratch/here") in found
    assert len(made(["orangefs"], stripe_count=2).layout) == 1
    assert made(["orangefs"], stripe_count=2).check == "pvfs2-viewdist -f /scratch/here/FILE"
    assert made(["orangefs"]).check == ""


def test_aggregators_may_be_on_one_machine() -> None:
    """Without a configuration list ROMIO takes one for each machine, whatever cb_nodes says."""
    assert made(["romio"], cb_nodes=4).hints == {"cb_nodes": "4", "cb_config_list": "*:4"}
    assert made(["romio"], cb_nodes=4, cb_config_list="*:2").hints["cb_config_list"] == "*:2"


@given(nodes=st.integers(2, 512), machines=st.integers(1, 600))
def test_aggregators_are_spread_over_all_machines(nodes: int, machines: int) -> None:
    """By "*:*" ROMIO took the first ranks, all on one machine: measured so, and advised so."""
    found = settings(["romio"], {"cb_nodes": nodes}, {"cb_nodes": 1}, directory="/d", machines=machines).hints
    each = int(found.get("cb_config_list", "*:1").removeprefix("*:"))
    assert each * machines >= nodes > (each - 1) * machines
    assert ("cb_config_list" in found) == (each > 1)


def test_a_list_of_aggregators_that_is_a_parameter_is_left_as_it_is() -> None:
    """It was overruled where its value is the baseline's: two labels were measured for one thing."""
    baseline: dict[str, Any] = {"cb_nodes": 4, "cb_config_list": "*:1"}
    found = settings(["romio"], {**baseline, "cb_nodes": 2}, baseline, directory="/d").hints
    assert found == {"cb_nodes": "2"}  # "*:1" is what ROMIO does


HINTS: Mapping[str, list[Any]] = {
    "romio_cb_write": ["automatic", "enable", "disable"],
    "romio_ds_read": ["automatic", "DISABLE"],
    "cb_buffer_size": [MIB, 16 * MIB],
    "ind_wr_buffer_size": [512 * KIB, 4 * MIB],
    "romio_no_indep_rw": [False, True],
    "cb_config_list": ["*:1", "*:2"],
}
hinted = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in HINTS.items()})


@given(configuration=hinted, baseline=hinted)
def test_what_is_in_force_is_what_the_configuration_says(
    configuration: dict[str, Any], baseline: dict[str, Any]
) -> None:
    """A baseline with hints of its own ran without them: ROMIO reads one file of hints, and no other beside it."""
    found = settings(["romio"], configuration, baseline, directory="/d").hints
    assert {**ROMIO_DEFAULTS, **found}.items() >= {n: hint_text(v) for n, v in configuration.items()}.items()
    assert all(value != ROMIO_DEFAULTS[name] for name, value in found.items() if configuration[name] == baseline[name])


def test_a_baseline_has_its_hints_set_beside_what_is_changed() -> None:
    baseline: dict[str, Any] = {
        "romio_cb_write": "enable",
        "cb_buffer_size": 16 * MIB,
        "cb_nodes": 8,
        "striping_factor": 4,
    }
    untouched = settings(["romio"], baseline, baseline, directory="/d", machines=4).hints
    assert untouched == {"romio_cb_write": "enable", "cb_nodes": "8", "cb_config_list": "*:2"}
    changed = settings(["romio"], {**baseline, "cb_buffer_size": MIB}, baseline, directory="/d", machines=4).hints
    assert changed == {**untouched, "cb_buffer_size": str(MIB)}
    assert settings(["romio"], baseline, baseline, directory="/d", machines=8).hints == {"romio_cb_write": "enable"}


@pytest.mark.parametrize(("nodes", "hints"), [(1, {"cb_nodes": "1"}), (16, {}), (32, {"cb_nodes": "32"})])
def test_a_baseline_has_the_aggregators_that_it_tells(nodes: int, hints: dict[str, str]) -> None:
    """Fewer than machines were taken for ROMIO's own, which is one on each: 16 were measured as 1, and 2 as 2."""
    baseline: dict[str, Any] = {"cb_nodes": nodes}
    found = settings(["romio"], baseline, baseline, directory="/d", machines=16).hints
    assert {name: value for name, value in found.items() if name != "cb_config_list"} == hints
    answered = settings(["romio"], {"cb_nodes": 16}, baseline, directory="/d", machines=16).hints
    assert answered == ({} if nodes == 16 else {"cb_nodes": "16"})


def test_true_and_false_are_written_as_romio_reads_them() -> None:
    assert made(["romio"], romio_no_indep_rw=True, collective_buffering=False).hints == {
        "romio_no_indep_rw": "true",
        "collective_buffering": "false",
    }


@pytest.mark.parametrize(
    ("kind", "words"),
    [("lustre", ["lfs", "setstripe", "-c", "1", "-S", "1M"]), ("ceph", ["setfattr"]), ("orangefs", [])],
)
def test_stripes_of_the_baseline_are_set_on_a_folder_of_the_runs_own(kind: str, words: list[str]) -> None:
    """It gets those of the directory above, which a user had striped as acic told him: that was the baseline then."""
    found = settings([kind], BASELINE, BASELINE, directory="/d", own_folder=True)
    assert [word for command in found.layout for word in command][: len(words)] == words
    assert bool(found.layout) == bool(words)


@given(size=st.integers(1, 10**12))
def test_lfs_reads_back_the_size(size: int) -> None:
    text = lfs_size(size)
    factor = {"K": KIB, "M": MIB, "G": GIB}.get(text[-1], 1)
    assert int(text.rstrip("KMG")) * factor == size


@pytest.mark.parametrize("kind", ["lustre", "ceph"])
@pytest.mark.parametrize("value", ["many", 1.5])
def test_a_stripe_count_that_is_no_number_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match="stripe count of"):
        made([kind], stripe_count=value)


@pytest.mark.parametrize("kind", ["lustre", "ceph", "orangefs"])
def test_a_storage_without_stripes_is_not_striped(kind: str) -> None:
    """Where striping does not apply the configuration has no such parameters, whatever the baseline has."""
    plain = {k: v for k, v in BASELINE.items() if not k.startswith("stripe")}
    assert settings([kind], plain, BASELINE, directory="/d").layout == ()


@pytest.mark.parametrize("name", ["storage", "place"])
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("lustre", [["lfs", "setstripe", "-c", "1", "-S", "1M"]]),
        ("ceph", [["setfattr", "-n", "ceph.dir.layout"]]),
        ("orangefs", [["setfattr", "-n", "user.pvfs2.num_dfiles"], ["setfattr", "-n", "user.pvfs2.dist_params"]]),
    ],
)
def test_stripes_of_the_baseline_are_set_on_another_storage(kind: str, words: list[list[str]], name: str) -> None:
    """They were taken for what it does anyway, and its own default was measured in their place."""
    here: dict[str, Any] = {name: "/scratch", "stripe_count": 1, "stripe_size": MIB}
    there = {**here, name: "/project"}
    found = settings([kind, "romio"], there, here, directory="/project/d", storage=name)
    assert [list(command[: len(w)]) for command, w in zip(found.layout, words, strict=True)] == words
    assert settings([kind], here, here, directory="/scratch/d", storage=name).layout == ()
    told = instructions([kind], there, here, storage=name)
    assert any("Stripe the output directory" in one.title for one in told)
    assert not any("Stripe" in one.title for one in instructions([kind], here, here, storage=name))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'gpfs'") as told:
        made(["gpfs"])
    assert "lustre" in told.value.hint
