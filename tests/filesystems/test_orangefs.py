"""OrangeFS: what its servers are told, by a reader of our own; and that the real ones understand it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.filesystems.deployment import Client, Deployment, Layout, Server
from acic.filesystems.orangefs import OrangeFs
from acic.filesystems.orangefs_config import OPTIONS, handle_ranges, server_config
from acic.steps import Execute, File, Mount, Serve, Stop, Unmount
from acic.units import KIB, MIB
from tests.filesystems.shell import script

GOLDEN = Path(__file__).parents[1] / "data" / "orangefs"
EXPERT: Mapping[str, Any] = {  # one value for each option that is not its default
    "trove_sync_data": "yes",
    "trove_method": "directio",
    "coalescing_high_watermark": 16,
    "coalescing_low_watermark": 2,
    "flow_buffer_size": MIB,
    "flow_buffers": 4,
    "small_file_size": 8192,
    "trove_max_concurrent_io": 32,
    "unexpected_requests": 100,
    "tcp_buffer": MIB,
}
counts = st.integers(1, 12)
strips = st.sampled_from([64 * KIB, 4 * MIB, 1, 2**31 - 1])
placements = st.sampled_from(["one", "all"])

Section = dict[str, Any]


def servers(count: int, *, store: str = "/acic/store", state: str = "/acic/state") -> tuple[Server, ...]:
    return tuple(
        Server(node=f"s{i}", address=f"10.0.0.{i + 1}", store=store, state=state, capacity=4 << 30)
        for i in range(count)
    )


def clients(count: int) -> tuple[Client, ...]:
    return tuple(
        Client(node=f"c{i}", address=f"10.0.1.{i + 1}", mount="/acic/mnt", state="/acic/state") for i in range(count)
    )


def deployed(count: int, configuration: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Deployment:
    return OrangeFs(options or {}).deployment(Layout(servers=servers(count), clients=clients(4)), configuration)


def parsed(text: str) -> Section:
    """Return the file as nested sections; of words that stand in one more than once, a list."""
    root: Section = {}
    open_ = [("", root)]
    for line in filter(None, map(str.strip, text.splitlines())):
        if closed := re.fullmatch(r"</(\w+)>", line):
            assert open_.pop()[0] == closed[1]
        elif opened := re.fullmatch(r"<(\w+)>", line):
            section: Section = {}
            assert opened[1] not in open_[-1][1]
            open_[-1][1][opened[1]] = section
            open_.append((opened[1], section))
        else:
            word, value = line.split(maxsplit=1)
            open_[-1][1].setdefault(word, []).append(value)
    assert len(open_) == 1
    return root


def config(deployment: Deployment) -> Section:
    texts = {step.text for step in deployment.steps if isinstance(step, File) and step.path.endswith(".conf")}
    assert len(texts) == 1  # the same file for all
    return parsed(texts.pop())


def ranges(section: Section) -> dict[str, tuple[int, int]]:
    found = {}
    for line in section["Range"]:
        alias, handles = line.split()
        first, last = map(int, handles.split("-"))
        assert alias not in found
        found[alias] = (first, last)
    return found


@given(count=counts, strip=strips, metadata=placements)
def test_every_server_has_data_and_the_chosen_ones_metadata(count: int, strip: int, metadata: str) -> None:
    found = config(deployed(count, {"stripe_size": strip, "metadata": metadata}))
    system, all_ = found["FileSystem"], [f"s{i}" for i in range(count)]
    assert found["Aliases"]["Alias"] == [f"s{i} tcp://10.0.0.{i + 1}:3334" for i in range(count)]
    assert list(ranges(system["DataHandleRanges"])) == all_
    assert list(ranges(system["MetaHandleRanges"])) == (all_ if metadata == "all" else all_[:1])
    assert system["Distribution"] == {"Name": ["simple_stripe"], "Param": ["strip_size"], "Value": [str(strip)]}
    assert system["DefaultNumDFiles"] == [str(count)]


@given(count=counts, metadata=placements)
def test_handles_are_disjoint_and_cover_their_range_and_the_first_metadata_server_has_the_root(
    count: int, metadata: str
) -> None:
    system = config(deployed(count, {"metadata": metadata}))["FileSystem"]
    meta, data = ranges(system["MetaHandleRanges"]), ranges(system["DataHandleRanges"])
    held = sorted([*meta.values(), *data.values()])
    assert held[0][0] > 0
    assert held[-1][1] < 2**63
    assert all(after[0] == before[1] + 1 for before, after in pairwise(held))
    assert len({last - first for first, last in held}) == 1
    assert meta["s0"][0] <= int(system["RootHandle"][0]) <= meta["s0"][1]


@given(count=counts)
def test_small_files_stay_beside_their_metadata_only_where_every_server_has_both(count: int) -> None:
    assert config(deployed(count, {}))["FileSystem"]["FileStuffing"] == ["yes"]
    one = config(deployed(count, {"metadata": "one"}))["FileSystem"]
    assert one["FileStuffing"] == ["yes" if count == 1 else "no"]


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_an_expert_option_is_said_in_its_section_by_a_site_or_by_a_configuration(name: str) -> None:
    option, value = OPTIONS[name], EXPERT[name]
    assert value != option.default
    by_site = config(deployed(4, {}, {name: value}))
    by_configuration = config(deployed(4, {name: value}))
    over = config(deployed(4, {name: value}, {name: option.default}))
    assert by_site == by_configuration == over != config(deployed(4, {}))
    holder = by_site["FileSystem"] if option.section == "FileSystem" else by_site
    holder = by_site["FileSystem"]["StorageHints"] if option.section == "StorageHints" else holder
    holder = by_site["Defaults"] if option.section == "Defaults" else holder
    assert holder[option.keyword] == [str(value)]


@pytest.mark.parametrize("name", sorted(name for name, option in OPTIONS.items() if not option.choices))
def test_an_option_of_0_is_said_unless_the_server_is_to_find_what_is_best(name: str) -> None:
    option, said = OPTIONS[name], server_config(servers(2), strip=1, metadata=servers(2), options={name: 0})
    assert (f"{option.keyword} 0\n" in said) == (option.default != 0)


def test_defaults_are_those_of_a_site_that_leaves_everything_alone() -> None:
    hints = config(deployed(4, {}))["FileSystem"]["StorageHints"]
    assert (hints["TroveSyncMeta"], hints["TroveSyncData"], hints["TroveMethod"]) == (["yes"], ["no"], ["alt-aio"])
    assert set(EXPERT) == set(OPTIONS)


@pytest.mark.parametrize(
    ("configuration", "problem"),
    [
        ({"stripe_size": 0}, "strips of 0 B"),
        ({"stripe_size": 2**40}, "strips of"),
        ({"stripe_size": "64K"}, "strips of '64K'"),
        ({"stripe_size": True}, "strips of True"),
        ({"metadata": "two"}, "metadata cannot be on 'two'"),
        ({"metadata": 1}, "metadata cannot be on 1"),
        ({"trove_method": "null-aio"}, "trove_method of OrangeFS cannot be 'null-aio'"),
        ({"flow_buffers": -1}, "flow_buffers of OrangeFS cannot be -1"),
        ({"flow_buffers": True}, "flow_buffers of OrangeFS cannot be True"),
    ],
)
def test_what_it_cannot_be_given_is_refused(configuration: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(problem)):
        deployed(4, configuration)


def test_an_option_that_it_has_not_and_an_empty_layout_are_refused() -> None:
    with pytest.raises(InvalidInput, match="has no option speed"):
        OrangeFs({"speed": "high"})
    for layout in (Layout(servers=(), clients=clients(1)), Layout(servers=servers(1), clients=())):
        with pytest.raises(InvalidInput, match="needs a server and a client"):
            OrangeFs().deployment(layout, {})


@given(count=counts, metadata=placements)
def test_all_that_is_started_is_stopped_clients_before_servers_and_what_is_mounted_is_unmounted(
    count: int, metadata: str
) -> None:
    deployment = deployed(count, {"metadata": metadata})
    started = {(step.node, step.name) for step in deployment.steps if isinstance(step, Serve | Mount)}
    mounted = {(step.node, step.path) for step in deployment.steps if isinstance(step, Mount)}
    down = deployment.teardown
    assert started == {(step.node, step.name) for step in down if isinstance(step, Stop)}
    assert mounted == {(step.node, step.path) for step in down if isinstance(step, Unmount)}
    order = [(step.node, type(step) is Unmount) for step in down if step.node.startswith("c")]
    assert order == [(f"c{i}", unmounts) for i in range(4) for unmounts in (False, True)]
    last_client = max(i for i, step in enumerate(down) if step.node.startswith("c"))
    assert all(i > last_client for i, step in enumerate(down) if step.node.startswith("s"))


def test_part_time_servers_share_a_node_with_a_client() -> None:
    node = Server(node="c0", address="10.0.1.1", store="/acic/store", state="/acic/state", capacity=4 << 30)
    steps = OrangeFs().deployment(Layout(servers=(node,), clients=clients(2)), {}).steps
    written = [(step.node, step.path) for step in steps if isinstance(step, File)]
    names = [(step.node, step.name) for step in steps if isinstance(step, Serve | Mount)]
    assert len(set(written)) == len(written)
    assert len(set(names)) == len(names)


def knob(name: str, configuration: Mapping[str, Any], count: int = 4) -> str:
    return next(knob.matches for knob in deployed(count, configuration).knobs if knob.name == name)


def told(meta: int, data: int) -> str:
    """Return what `pvfs2-ping` prints of the servers, twice."""
    text = "\n(4) Searching for /acic/mnt in pvfstab...\n"
    for state in ("", " Ok"):
        for kind, count in (("meta", meta), ("data", data)):
            listed = "".join(f"   tcp://10.0.0.{i + 1}:3334{state}\n" for i in range(count))
            text += f"\n   {kind} servers:\n{listed}"
        text += "\n(5) Verifying that all servers are responding...\n"
    return text


@given(meta=counts, data=counts, count=counts)
def test_metadata_and_data_servers_are_read_back_neither_more_nor_fewer(meta: int, data: int, count: int) -> None:
    text = told(meta, data)
    assert bool(re.search(knob("metadata", {"metadata": "all"}, count), text)) == (meta == count)
    assert bool(re.search(knob("metadata", {"metadata": "one"}, count), text)) == (meta == 1)
    assert bool(re.search(knob("data", {}, count), text)) == (data == count)


def test_strips_and_their_servers_are_read_back() -> None:
    text = (
        "dist_name = simple_stripe\ndist_params:\nstrip_size:65536\n\nNumber of datafiles/servers = 4\nDatafile 0 - x\n"
    )
    assert re.search(knob("stripe_size", {"stripe_size": 65536}), text)
    assert not re.search(knob("stripe_size", {"stripe_size": 6553}), text)
    assert not re.search(knob("stripe_size", {"stripe_size": 4 * MIB}), text)
    assert re.search(knob("servers", {}, 4), text)
    assert not re.search(knob("servers", {}, 2), text.replace("= 4", "= 24"))
    assert not re.search(knob("servers", {}, 4), text.replace("= 4", "= 1"))


def test_a_mount_of_another_kind_or_server_is_told_from_the_right_one() -> None:
    right = "pvfs2fuse#tcp://10.0.0.1:3334/orangefs fuse.pvfs2fuse\n"
    assert re.search(knob("mount", {}), right)
    for wrong in (right.replace("0.1:", "0.2:"), right.replace("fuse.pvfs2fuse", "fuse"), "/dev/loop0 xfs\n", ""):
        assert not re.search(knob("mount", {}), wrong)


def fsync_knobs(deployment: Deployment) -> list[str]:
    return [knob.node for knob in deployment.knobs if knob.name == "fsync"]


def test_fsync_must_be_passed_on_by_each_client_unless_each_write_is_synced() -> None:
    assert fsync_knobs(deployed(4, {})) == ["c0", "c1", "c2", "c3"]
    assert fsync_knobs(deployed(4, {"trove_sync_data": "yes"})) == []
    assert fsync_knobs(deployed(4, {}, {"trove_sync_data": "yes"})) == []


@pytest.mark.parametrize(
    ("content", "passes"), [(b"\x7fELF\0PVFS_sys_flush\0", True), (b"\x7fELF\0PVFS_sys_io\0", False)]
)
def test_a_client_that_ignores_fsync_is_found_out(content: bytes, passes: bool, tmp_path: Path) -> None:
    program = tmp_path / "pvfs2fuse"
    program.write_bytes(content)
    program.chmod(0o755)
    asked = next(knob for knob in deployed(4, {}).knobs if knob.name == "fsync")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(asked.command, capture_output=True, text=True, env={"PATH": path}, check=True)
    assert bool(re.search(asked.matches, done.stdout)) == passes


@pytest.mark.parametrize(("metadata", "strip"), [("one", 64 * KIB), ("all", 4 * MIB)])
def test_golden_script_of_a_server_and_of_a_client(metadata: str, strip: int) -> None:
    steps = deployed(4, {"stripe_size": strip, "metadata": metadata}).steps
    for node in ("s0", "c0"):
        path = GOLDEN / f"{metadata}-{node}.sh"
        if os.environ.get("ACIC_WRITE_GOLDEN") == "1":
            path.write_text(script(steps, node))
        assert script(steps, node) == path.read_text()


# What follows needs OrangeFS, which no distribution has: it is skipped where it was not built.


def needed(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not on PATH: OrangeFS has to be built (docs/filesystems.md)")
    return found


@pytest.mark.parametrize(("count", "metadata"), [(1, 1), (2, 1), (4, 1), (4, 4), (7, 7)])
def test_handles_are_dealt_as_by_pvfs2_genconfig(count: int, metadata: int, tmp_path: Path) -> None:
    program = needed("pvfs2-genconfig")
    names = [f"s{i}" for i in range(count)]
    options = {
        "--protocol": "tcp",
        "--tcpport": "3334",
        "--ioservers": ",".join(names),
        "--metaservers": ",".join(names[:metadata]),
        "--storage": "/acic/store/data",
        "--metadata": "/acic/store/metadata",
        "--logfile": "/dev/stderr",
    }
    path = tmp_path / "orangefs.conf"
    words = [word for pair in options.items() for word in pair]
    subprocess.run([program, "--quiet", *words, path], check=True, capture_output=True)
    theirs = parsed(path.read_text())["FileSystem"]
    ours = parsed(server_config(servers(count), strip=64 * KIB, metadata=servers(count)[:metadata], options={}))[
        "FileSystem"
    ]
    for section in ("MetaHandleRanges", "DataHandleRanges", "RootHandle", "FileStuffing"):
        assert ours[section] == theirs[section]
    assert len(handle_ranges(count + metadata)) == count + metadata


def formatted(tmp_path: Path, text: str) -> str:
    """Have a real server make its storage; nothing listens, and nothing is mounted. Return its complaints."""
    path = tmp_path / "orangefs.conf"
    path.write_text(text)
    command = [needed("pvfs2-server"), "--mkfs", "--alias", "s0", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    complaints = [line for line in done.stderr.splitlines() if "[S " not in line]  # all but that it starts
    return "\n".join(complaints) if done.returncode == 0 else f"exit status {done.returncode}: {complaints}"


@pytest.fixture
def local(tmp_path: Path) -> tuple[Server, ...]:
    return servers(2, store=str(tmp_path / "store"), state=str(tmp_path))


@pytest.mark.parametrize("options", [{}, EXPERT, *({name: value} for name, value in EXPERT.items())], ids=str)
def test_real_servers_understand_every_option(
    options: dict[str, Any], local: tuple[Server, ...], tmp_path: Path
) -> None:
    made = server_config(local, strip=4 * MIB, metadata=local[:1], options=options)
    assert formatted(tmp_path, made) == ""
    assert list((tmp_path / "store" / "data").iterdir())
    assert list((tmp_path / "store" / "metadata").iterdir())


@pytest.mark.parametrize(
    ("old", "new"),
    [("TroveSyncData", "TroveSinkData"), ("TroveSyncData no", "TroveSyncData maybe"), ("Alias s0", "Alias s9")],
)
def test_real_servers_refuse_what_they_do_not_understand(
    old: str, new: str, local: tuple[Server, ...], tmp_path: Path
) -> None:
    """The test before this one can fail."""
    made = server_config(local, strip=4 * MIB, metadata=local[:1], options={})
    assert formatted(tmp_path, made.replace(old, new)) != ""


def test_mkfs_is_run_before_any_server_starts() -> None:
    kinds = [type(step) for step in deployed(4, {}).steps if isinstance(step, Execute | Serve)]
    assert kinds == [Execute] * 4 + [Serve] * 4 + [Execute]  # the last one makes the directory for files
