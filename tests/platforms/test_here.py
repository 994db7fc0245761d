"""The platform `here`: any machine's mounts give a platform file that parses, and a baseline that is valid."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.campaign.journal import free_folder
from acic.campaign.points import Field
from acic.cli.applying import to_apply
from acic.errors import CONTROL, InvalidInput
from acic.filesystems import KINDS
from acic.platforms import Platform, load_platform, parse_platform
from acic.platforms.here import Machine, doubts, find_machine, platform_text
from acic.platforms.layouts import Layout
from acic.platforms.mounts import Storage, describe, find_storage, given_storage, mounted
from acic.platforms.own_file import keep, kept_file
from acic.space import Configuration
from acic.units import GIB, MIB
from tests.advisor.conftest import WRITE, application

TODAY = date(2026, 11, 21)
FILE_SYSTEMS = ("ext4", "xfs", "lustre", "ceph", "fuse.ceph", "pvfs2", "fuse.pvfs2fuse", "nfs4", "tmpfs", "überfs")
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/"), min_size=1, max_size=12).filter(
    lambda name: not CONTROL.search(name)  # which `find_storage` leaves out
)
storages = st.lists(
    st.builds(
        lambda name, kind: Storage(f"/{name}", kind, "/"),
        names.filter(lambda n: n != "."),
        st.sampled_from(FILE_SYSTEMS),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda s: s.directory,
)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    return Machine(
        host=draw(st.from_regex(r"[a-zA-Z0-9][a-zA-Z0-9.-]{0,20}", fullmatch=True)),
        kernel=draw(names),
        cores=draw(st.integers(1, 512)),
        memory=draw(st.integers(2**20, 2**42)),
        storage=draw(storages),
    )


def platform_of(machine: Machine) -> Platform:
    return parse_platform(tomllib.loads(platform_text(machine, today=TODAY)))


def test_a_host_of_any_name_makes_a_platform_that_a_campaign_can_be_named_after() -> None:
    machine = Machine(
        host="Bob's laptop_" + "x" * 64, kernel="6.1", cores=1, memory=1, storage=(Storage("/", "xfs", "/"),)
    )
    name = platform_of(machine).name
    assert name.startswith("here-Bob-s-laptop_xxx")
    assert free_folder(f"verify-{name}", datetime(2026, 11, 21, 2, 51, 5)).name.endswith("-20261121-025105")


@settings(deadline=None)
@given(machine=machines())
def test_the_platform_of_any_machine_is_valid(machine: Machine) -> None:
    """That the baseline is valid, `Platform` checks itself; that it is told without a loss, this does."""
    made = platform_of(machine)
    first = machine.storage[0]
    assert made.name == f"here-{machine.host}"
    assert made.revision == machine.kernel
    assert made.instances["node"].cores == machine.cores
    assert set(made.apply) <= set(KINDS)
    if len(machine.storage) > 1:
        assert made.space["storage"].values == tuple(s.directory for s in machine.storage)
        assert made.baseline["storage"] == first.directory
        assert (made.roles.storage, made.deployment) == ("storage", ("storage",))
    striped = [s for s in machine.storage if s.striping]
    assert ("stripe_count" in made.space.names) == bool(striped)
    for storage in machine.storage:
        kind = {"storage": storage.directory} if len(machine.storage) > 1 else {}
        stripes = {"stripe_count": 1, "stripe_size": 2**20}
        plain = {k: v for k, v in made.baseline.items() if k not in stripes} | kind
        can = bool(striped) and storage.striping == striped[0].striping
        assert made.space.problem(plain | (stripes if can else {})) == ""
        if striped:
            assert made.space.problem(plain | ({} if can else stripes)) != ""


@settings(deadline=None, max_examples=20)
@given(machine=machines())
def test_a_campaign_can_be_planned_on_any_machine(machine: Machine) -> None:
    field = Field(platform_of(machine))
    assert field.sampling_space.problem(field.default) == ""
    assert field.point(field.row(field.default)).configuration == field.platform.baseline


def test_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = find_machine(given_storage([tmp_path], Path("/proc/self/mounts").read_text()), environment={})
    assert found.storage[0].directory == str(tmp_path)
    assert found.cores == len(os.sched_getaffinity(0))
    assert platform_of(found).baseline["cb_nodes"] == 1


def test_a_job_of_any_size_is_on_this_one_machine(tmp_path: Path) -> None:
    """A job of twice its cores was advised as for two machines: without cb_config_list, and two were paid."""
    machine = Machine(host="x", kernel="1", cores=2, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    text = platform_text(machine, today=TODAY)
    job = application(replace(WRITE, processes=4, io_processes=4))
    older = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("compute_nodes"))
    assert older != text
    file = tmp_path / "here-x.toml"
    for written in (text, older):
        file.write_text(written)
        platform = load_platform(str(file))
        wanted = Configuration({**platform.baseline, "cb_nodes": 2})
        assert platform.cost(wanted, 4, 3600.0, price=1.0) == 1.0
        (given,) = (one for one in to_apply(wanted, platform, job) if one.file_text)
        assert given.file_text == "cb_nodes 2\ncb_config_list *:2\n"
    file.write_text(text.replace("compute_nodes = 1 ", "compute_nodes = 3 "))
    assert load_platform(str(file)).compute_nodes == 3
    file.write_text(older.replace('"here-x"', '"site"'))
    assert load_platform(str(file)).compute_nodes is None


def test_what_was_measured_on_so_many_machines_is_applied_on_as_many(tmp_path: Path) -> None:
    """A walk on four nodes told hints for the one that would have room: all aggregators on the first."""
    machine = Machine(host="x", kernel="1", cores=128, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    file = tmp_path / "site.toml"
    file.write_text(platform_text(machine, today=TODAY))
    platform, job = load_platform(str(file)), application(replace(WRITE, processes=64, io_processes=64))
    wanted = Configuration({**platform.baseline, "cb_nodes": 8})
    (given,) = (one for one in to_apply(wanted, platform, job, machines=4) if one.file_text)
    assert given.file_text == "cb_nodes 8\ncb_config_list *:2\n"


def test_a_file_that_is_made_a_clusters_as_it_says_is_of_many_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said to leave a line out, which changed nothing: all aggregators were set on the first node."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    machine = Machine(host="login1", kernel="1", cores=64, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    line = "compute_nodes = 1  # this machine alone: for a cluster leave it out, change the name above, and "
    line += "cb_nodes in [baseline.values] to the machines of a job\n"
    text = platform_text(machine, today=TODAY)
    assert line in text
    kept_file().parent.mkdir(parents=True)
    kept_file().write_text(text.replace(line, "").replace('name = "here-login1"', 'name = "mycluster"'))
    for name in (str(kept_file()), "here", "mycluster"):
        platform = load_platform(name)
        assert platform.machines(platform.baseline, 1024) == 16


def test_one_place_that_is_named_is_where_runs_write(tmp_path: Path) -> None:
    """It stood in the title alone, and runs wrote wherever their user stood: the space must stay as it is."""
    there = given_storage([tmp_path], Path("/proc/self/mounts").read_text())
    named, found = find_machine(there), replace(find_machine(there), directory="")
    assert platform_of(named).directory == str(tmp_path.resolve())
    assert platform_of(named).space == platform_of(found).space
    assert platform_of(found).directory == ""
    two = find_machine(given_storage([tmp_path, tmp_path.parent], Path("/proc/self/mounts").read_text()))
    assert platform_of(two).directory == ""
    with pytest.raises(InvalidInput, match=r"directory of here-.* does nothing: configurations choose storage"):
        platform_of(replace(two, directory="/x"))


def test_a_file_that_is_made_anew_leaves_a_copy_of_one_that_differed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    machine = Machine(host="edited", kernel="1", cores=3, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    text = platform_text(machine, today=TODAY)
    assert keep(text) is None
    assert keep(platform_text(machine, today=date(2027, 1, 1))) is None, "another date is no difference"
    for number in (1, 2):
        edited = f"{text}# my own note {number}\n"
        kept_file().write_text(edited)
        copy = keep(text)
        assert copy == kept_file().with_name(f"{kept_file().name}.{number}")
        assert copy.read_text() == edited
        assert kept_file().read_text() == text


def test_the_kept_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    machine = Machine(host="edited", kernel="1", cores=3, memory=GIB, storage=(Storage("/x", "ext4", "/"),))
    kept_file().parent.mkdir(parents=True)
    kept_file().write_text(platform_text(machine, today=TODAY))
    assert load_platform("here").name == "here-edited"
    kept_file().unlink()
    assert load_platform("here").name != "here-edited"
    with pytest.raises(InvalidInput, match="no platform 'here-edited'"):
        load_platform("here-edited")


@settings(deadline=None, max_examples=20)
@given(machine=machines())
def test_the_name_that_measurements_of_this_machine_bear_is_one_that_commands_take(
    tmp_path_factory: pytest.TempPathFactory, machine: Machine
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        kept_file().parent.mkdir(parents=True)
        kept_file().write_text(platform_text(machine, today=TODAY))
        kept = load_platform("here")
        assert load_platform(kept.name) == kept
        kept_file().write_text("name = ")
        with pytest.raises(InvalidInput, match="no platform"):
            load_platform("")


def escaped(text: str) -> str:
    """As the kernel writes mount points: blanks, tabs, newlines and backslashes in octal."""
    return "".join(f"\\{ord(c):03o}" if c in " \t\n\\" else c for c in text)


paths = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))


@given(table=st.dictionaries(paths.map(lambda p: f"/{p}"), st.sampled_from(["ext4", "nfs4"]), max_size=6))
def test_mount_points_are_read_back_whatever_is_in_their_names(table: dict[str, str]) -> None:
    text = "".join(f"device {escaped(point)} {kind} rw,relatime 0 0\n" for point, kind in table.items())
    assert mounted(text) == table


def test_the_last_mounted_counts_and_odd_lines_do_not() -> None:
    assert mounted("a /x ext4 rw 0 0\nb /x xfs rw 0 0\nodd\n\n") == {"/x": "xfs"}


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\r"])
def test_only_a_newline_ends_a_line_of_the_table(odd: str) -> None:
    assert mounted(f"a /x{odd}y ext4 rw 0 0\n") == {f"/x{odd}y": "ext4"}


def test_the_nearest_mount_above_is_a_directorys(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    table = f"d / ext4 rw 0 0\ne {tmp_path} xfs rw 0 0\nf {tmp_path}/a lustre rw 0 0\ng {tmp_path}/a/bc ceph rw 0 0\n"
    assert describe(inner, table) == Storage(str(inner), "lustre", f"{tmp_path}/a")
    assert describe(inner, table).striping == "lustre"
    assert describe(tmp_path, table).file_system == "xfs"
    assert describe(Path("/"), "") == Storage("/", "unknown", "/")


def test_memory_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    table = f"d / ext4 rw 0 0\ne {tmp_path} tmpfs rw 0 0\n"
    assert find_storage(table, {}, tmp_path)[:1] != [Storage(str(tmp_path), "tmpfs", str(tmp_path))]
    assert given_storage([tmp_path], table) == [Storage(str(tmp_path), "tmpfs", str(tmp_path))]


def test_the_current_directory_comes_first_and_each_file_system_once(tmp_path: Path) -> None:
    table = "d / ext4 rw 0 0\n"
    found = find_storage(table, {"HOME": str(tmp_path), "SCRATCH": "/nowhere"}, tmp_path)
    assert found[0].directory == str(tmp_path)
    devices = [os.stat(s.directory).st_dev for s in found]
    assert len(devices) == len(set(devices))


@pytest.mark.parametrize("name", [b"\xff", b"a\nb", b"a\x1b[2J", "a\u202eb".encode()])
def test_a_directory_whose_name_is_no_text_is_left_out(tmp_path: Path, name: bytes) -> None:
    """A platform file is text, and so are measurements; what is made of it is printed, and typed in."""
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    odd.mkdir()
    found = find_storage("d / ext4 rw 0 0\n", {"HOME": str(tmp_path)}, odd)
    assert str(odd) not in [s.directory for s in found]
    assert str(tmp_path) in [s.directory for s in found]
    with pytest.raises(InvalidInput, match="name"):
        given_storage([odd], "")


@pytest.mark.parametrize(
    ("kind", "sets"),
    [
        ("lustre", "lustre"),
        ("ceph", "ceph"),
        ("fuse.ceph-fuse", "ceph"),
        ("pvfs2", "orangefs"),
        ("fuse.pvfs2fuse", "orangefs"),
        ("ext4", ""),
    ],
)
def test_what_stripes_files_is_known_by_what_the_kernel_calls_it(kind: str, sets: str) -> None:
    assert describe(Path("/"), f"d / {kind} rw 0 0\n").striping == sets


def test_a_file_system_that_its_user_names_tells_a_terminal_nothing() -> None:
    assert describe(Path("/"), "d / fuse.\x1b]0;mine\x07 rw 0 0\n").file_system == "fuse.]0;mine"


def test_a_directory_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    """No platform file may list a value twice: the one that was there would be replaced by one that nobody can read."""
    (tmp_path / "link").symlink_to(tmp_path)
    for again in (tmp_path, tmp_path / "link"):
        with pytest.raises(InvalidInput, match=f"{tmp_path} is named twice") as caught:
            given_storage([tmp_path, again], "")
        assert caught.value.hint


def test_the_file_that_is_kept_stays_where_a_link_leads_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of those who keep their settings in one folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    kept_file().parent.mkdir(parents=True)
    (tmp_path / "mine.toml").write_text("before")
    kept_file().symlink_to(tmp_path / "mine.toml")
    keep("after")
    assert (tmp_path / "mine.toml").read_text() == kept_file().read_text() == "after"
    assert sorted(os.listdir(kept_file().parent)) == [kept_file().name, f"{kept_file().name}.1"]


PLAIN = "{0}\nstripe_count:  {1} stripe_size:   {2} pattern:       0 stripe_offset: -1\n"
PFL = "{0}\n  lcm_layout_gen: 0\n  lcm_entry_count: 2\n    lcme_id: N/A\n      stripe_count: 1 stripe_size: 1048576\n"


@pytest.fixture
def lfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    """Return this machine as found, with a directory on a Lustre whose `lfs` prints what it is given."""

    def found(layout: str, targets: int, *, before: str = "") -> Machine:
        osts = "".join(f"{n}: lustre-OST{n:04x}_UUID ACTIVE\n" for n in range(targets))
        (tmp_path / "layout").write_text(layout)
        (tmp_path / "osts").write_text(f"OBDS:\n{osts}")
        asked = f'case "$1" in getstripe) cat {tmp_path}/layout;; osts) cat {tmp_path}/osts;; esac'
        (tmp_path / "lfs").write_text(f"#!/bin/sh\n{before}\n{asked}\n")
        (tmp_path / "lfs").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return find_machine([Storage("/scratch/me", "lustre", "/scratch"), Storage("/plain", "lustre", "/scratch")])

    return found


@pytest.mark.parametrize(
    ("layout", "targets", "baseline", "counts"),
    [
        (PLAIN.format("/scratch/me", 4, 4 * MIB), 6, (4, 4 * MIB), (1, 2, 4)),
        (PLAIN.format("/scratch/me", -1, 2 * MIB), 6, (6, 2 * MIB), (1, 2, 4, 6)),
        (PLAIN.format("/scratch/me", 1, MIB), 0, (1, MIB), (1, 2, 4, 8, 16)),
        (PLAIN.format("/scratch/me", 1, MIB), 1, (None, MIB), ()),
        ("", 6, (1, MIB), (1, 2, 4, 8, 16)),
    ],
)
def test_the_baseline_has_the_stripes_that_lustre_tells(
    lfs: Callable[..., Machine], layout: str, targets: int, baseline: tuple[int | None, int], counts: tuple[int, ...]
) -> None:
    """It was 1 x 1 MiB of every Lustre, which nobody had looked at, and of more objects than there are."""
    machine = lfs(layout, targets)
    made = platform_of(machine)
    assert (made.baseline.get("stripe_count"), made.baseline["stripe_size"]) == baseline
    assert ("stripe_count" in made.space.names and made.space["stripe_count"].values) == (counts or False)
    assert bool(doubts(machine)) == (not layout)
    assert ("`lfs getstripe` tells" in made.baseline_fact.source) == bool(layout)


def test_files_keep_a_layout_that_no_stripes_tell(lfs: Callable[..., Machine]) -> None:
    machine = lfs(PFL.format("/scratch/me"), 4)
    made = platform_of(machine)
    assert not {"stripe_count", "stripe_size"} & set(made.space.names)
    assert len(doubts(machine)) == 2
    plain = replace(machine, layouts={**machine.layouts, "/plain": Layout(count=2, size=MIB, targets=4)})
    (told,) = doubts(plain)
    assert 'files in "/scratch/me" have a layout that no stripe count and size tell' in told
    both = platform_of(plain)
    assert "stripe_count" not in both.baseline
    moved = {**both.baseline, "storage": "/plain", "stripe_count": 4, "stripe_size": MIB}
    assert both.space.problem(moved) == ""
    assert both.space.problem({**moved, "storage": "/scratch/me"}) != ""


def test_a_lustre_that_does_not_answer_is_not_waited_for(
    lfs: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acic.platforms.layouts._PATIENCE", 0.1)
    assert lfs(PLAIN.format("/scratch/me", 4, MIB), 4, before="exec sleep 60").layouts == {}
    assert lfs(PLAIN.format("/scratch/me", 4, MIB), 4, before="exit 1").layouts == {}


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no directory that you can write to"):
        given_storage([tmp_path / "nowhere"], "")
