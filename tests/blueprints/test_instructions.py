"""Blueprints: what is printed is what a person types, and nothing for what the baseline does anyway."""

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.blueprints import instructions
from acic.cli.lab import run as lab_run
from acic.errors import InvalidInput, with_sudo
from acic.filesystems import WHOLE
from acic.lab.choice import choose
from acic.platforms import load_platform, platform_names
from acic.space import Configuration, Value
from acic.units import GIB, KIB, MIB, parse_bytes

TIANHE = load_platform("tianhe-lustre")


def test_a_lustre_configuration_is_a_layout_and_a_hints_file() -> None:
    changed: dict[str, Value] = {
        **TIANHE.baseline,
        "stripe_count": 4,
        "stripe_size": 64 * MIB,
        "romio_cb_write": "enable",
        "romio_ds_write": "disable",
    }
    layout, hints = instructions(TIANHE.apply, changed, TIANHE.baseline)
    assert layout.commands == ("mkdir -p OUTPUT_DIR", "lfs setstripe -c 4 -S 64M OUTPUT_DIR")
    assert layout.check.startswith("lfs getstripe OUTPUT_DIR/FILE")
    assert hints.file_text == "romio_cb_write enable\nromio_ds_write disable\n"
    first, second = hints.commands
    assert first == 'export ROMIO_HINTS="$PWD/acic.hints"'
    assert second.startswith("export OMPI_MCA_io='^ompio'  # for Open MPI: ")


@pytest.mark.parametrize(
    ("size", "written"), [(64 * KIB, "64K"), (MIB, "1M"), (GIB, "1G"), (1536 * KIB, "1536K"), (65_537, "65537")]
)
def test_lfs_reads_the_stripe_size_as_it_was_meant(size: int, written: str) -> None:
    changed = {**TIANHE.baseline, "stripe_count": 2, "stripe_size": size}
    assert f"-S {written} " in instructions(["lustre"], changed, TIANHE.baseline)[0].commands[-1]


@pytest.mark.parametrize("name", platform_names())
def test_the_baseline_of_a_shared_system_needs_nothing(name: str) -> None:
    platform = load_platform(name)
    made = instructions([kind for kind in platform.apply if kind not in WHOLE], platform.baseline, platform.baseline)
    assert made == []


@given(st.data())
def test_every_hint_that_differs_is_written_and_no_other(data: st.DataObject) -> None:
    labels = [p for p in TIANHE.space.parameters if not p.is_numeric]
    chosen = {p.name: data.draw(st.sampled_from(p.values)) for p in labels}
    made = instructions(["romio"], {**TIANHE.baseline, **chosen}, TIANHE.baseline)
    written = dict(line.split() for i in made for line in i.file_text.splitlines())
    assert written == {k: v for k, v in chosen.items() if v != TIANHE.baseline[k]}


def test_a_deployment_is_told_in_words() -> None:
    ec2 = load_platform("ec2-2013")
    striped = Configuration(ec2.baseline, file_system="PVFS2", servers=4, stripe_size=64 * KIB)
    (made,) = instructions(ec2.apply, striped, ec2.baseline)
    assert "file system PVFS2" in made.title
    assert "stripe size 64 KiB" in made.title


@given(st.sampled_from(list(load_platform("lab").space.configurations())))
def test_what_is_typed_for_the_lab_deploys_that_very_configuration(configuration: Configuration) -> None:
    lab = load_platform("lab")
    (made,) = instructions(lab.apply, configuration, lab.baseline)
    (command,) = made.commands
    words = shlex.split(command)
    assert words[:4] == [*shlex.split(with_sudo()), "lab", "run"]
    parsed = lab_run.make_context("run", words[4:]).params
    names = {parameter: parsed[parameter] for parameter in lab.space.names if parsed.get(parameter) is not None}
    if "stripe_size" in names:
        names["stripe_size"] = parse_bytes(names["stripe_size"])
    assert choose(lab.space, lab.baseline, names) == configuration
    assert parsed["command"] == ("./application", "{directory}")


def test_a_storage_is_told_whatever_its_parameter_is_called() -> None:
    baseline: dict[str, Value] = {"place": "/home/me", "stripe_count": 1}
    changed: dict[str, Value] = {"place": "/scratch/me", "stripe_count": 4}
    where, layout = instructions(["storage", "lustre"], changed, baseline, storage="place")
    assert where.title == "Let the job write below /scratch/me, not /home/me"
    made = "/scratch/me/OUTPUT_DIR"  # the storage itself would stripe all files of all other jobs
    assert layout.commands == (f"mkdir -p {made}", f"lfs setstripe -c 4 {made}")


def test_a_directory_that_is_not_there_is_made_and_not_a_file_of_its_name(tmp_path: Path) -> None:
    """As lfs-setstripe(1) has it, which makes a new file with that layout."""
    (tmp_path / "lfs").write_text('#!/bin/sh\nfor last; do :; done\n[ -d "$last" ] || : >"$last"\n')
    (tmp_path / "lfs").chmod(0o755)
    (layout,) = instructions(["lustre"], {**TIANHE.baseline, "stripe_count": 4}, TIANHE.baseline)
    typed = "\n".join(["PATH=$PWD:$PATH", *layout.commands])
    subprocess.run(["sh", "-e"], input=typed, cwd=tmp_path, text=True, check=True)
    assert (tmp_path / "OUTPUT_DIR").is_dir()


@pytest.mark.parametrize(
    ("kind", "commands"),
    [("lustre", ("lfs migrate -c 4 -S 1M INPUT_FILE",)), ("ceph", ()), ("orangefs", ())],
)
def test_input_keeps_its_stripes_and_its_place_until_somebody_moves_it(kind: str, commands: tuple[str, ...]) -> None:
    baseline: dict[str, Value] = {"storage": "/home", "stripe_count": 1, "stripe_size": MIB}
    wanted = {**baseline, "storage": "/scratch", "stripe_count": 4}
    where, layout, moved = instructions(["storage", kind], wanted, baseline, storage="storage", finds_input=True)
    assert where.title == "Let the job write below /scratch, not /home, and bring its input there"
    assert layout.title.startswith("Stripe")
    assert moved.commands == commands
    assert "copy it into /scratch/OUTPUT_DIR" in moved.title
    assert instructions(["storage", kind], baseline, baseline, storage="storage", finds_input=True) == []


def test_hints_of_the_baseline_are_told_beside_others_and_not_alone() -> None:
    """The file takes the place of the user's own, where they are; they need no new one while nothing else changes."""
    baseline: dict[str, Value] = {"romio_cb_write": "enable", "romio_ds_write": "automatic", "stripe_count": 1}
    (hints,) = instructions(["lustre", "romio"], {**baseline, "romio_ds_write": "disable"}, baseline)
    assert hints.file_text == "romio_cb_write enable\nromio_ds_write disable\n"
    (layout,) = instructions(["lustre", "romio"], {**baseline, "stripe_count": 4}, baseline)
    assert layout.title.startswith("Stripe")
    assert instructions(["lustre", "romio"], baseline, baseline) == []


@pytest.mark.parametrize(("machines", "listed"), [(1, "cb_config_list *:8\n"), (4, "cb_config_list *:2\n"), (8, "")])
def test_aggregators_are_for_so_many_machines_which_is_told(machines: int, listed: str) -> None:
    (hints,) = instructions(["romio"], {"cb_nodes": 8}, {"cb_nodes": 1}, machines=machines)
    assert hints.file_text == f"cb_nodes 8\n{listed}"
    assert hints.commands[0].startswith(f"# this is for {machines} machine")
    assert "stays as it is" in hints.check  # what the application sets itself


def test_what_nothing_sets_is_to_be_set_by_hand() -> None:
    baseline: dict[str, Value] = {"romio_cb_write": "automatic", "buffer_size": MIB, "cache": "on", "quota": 1}
    changed: dict[str, Value] = {"romio_cb_write": "enable", "buffer_size": 4 * MIB, "cache": "on"}
    (made,) = instructions([], changed, baseline, by_hand=("romio_cb_write", "buffer_size", "cache", "quota"))
    told = "Set by hand, as nothing in the platform's `apply` does: romio_cb_write to enable, buffer_size to 4 MiB"
    assert (made.title, made.commands, made.file_text) == (told, (), "")
    hints, hand = instructions(["romio"], changed, baseline, by_hand=("buffer_size",))
    assert hints.file_text == "romio_cb_write enable\n"
    assert hand.title.endswith(": buffer_size to 4 MiB")


def test_an_unknown_blueprint_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no blueprint 'magic'"):
        instructions(["magic"], TIANHE.baseline, TIANHE.baseline)
