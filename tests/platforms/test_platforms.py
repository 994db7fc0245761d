"""Platforms: every fact has a date and a source, costs follow the paper's equation (1)."""

import contextlib
import copy
import functools
import itertools
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.cli.main import run
from acic.errors import CONTROL, AcicError, InvalidInput, MissingData, UnreadableInput
from acic.filesystems import KINDS, WHOLE
from acic.platforms import APPLY, Platform, is_hint, load_platform, parse_platform, platform_names, read_platform
from acic.prior import prior_of
from acic.space import Configuration
from acic.workloads.parameters import WORKLOAD_PARAMETERS

DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")


@functools.cache
def written(name: str) -> str:
    """Return a platform's file, read once: where it is edited meanwhile, Hypothesis takes what is drawn for flaky."""
    return resources.files("acic.platforms").joinpath("data", f"{name}.toml").read_text()


def table(name: str) -> dict[str, Any]:
    return tomllib.loads(written(name))


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


def test_a_dedicated_server_is_paid_for_where_nothing_counts_them() -> None:
    """It was free: who chooses only where the one server runs was told that a machine of its own costs nothing."""
    ec2 = load_platform("ec2-2013")
    fixed = replace(ec2, roles=replace(ec2.roles, servers=""))
    assert fixed.nodes(ec2.baseline, 64) == 5
    assert fixed.nodes(Configuration(ec2.baseline, placement="part-time"), 64) == 4


@pytest.mark.parametrize(
    ("name", "hint"),
    [("ind_rd_buffer_size", True), ("ind_wr_buffer_size", True), ("start_iodevice", True), ("index", False)],
)
def test_hints_of_romio_go_by_their_names(name: str, hint: bool) -> None:
    assert is_hint(name) == hint


@pytest.mark.parametrize(("held", "compute"), [(1, 4), (4, 4), (6, 6)])
def test_machines_that_are_asked_for_are_paid_for_beside_dedicated_servers(held: int, compute: int) -> None:
    """Those that processes fill were, whatever was asked of a scheduler; a platform's own are where they are more."""
    ec2 = load_platform("ec2-2013")
    assert ec2.cost(ec2.baseline, 64, 3600, held=held) == pytest.approx((compute + 1) * 2.40)
    own = replace(ec2, compute_nodes=4)
    assert own.cost(ec2.baseline, 1, 3600, held=held) == pytest.approx((compute + 1) * 2.40)


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


def test_what_hints_call_a_platform_is_what_commands_take(tmp_path: Path) -> None:
    path = tmp_path / "my file's.toml"
    path.write_text(resources.files("acic.platforms").joinpath("data", "lab.toml").read_text())
    for name in (*platform_names(), "here", str(path)):
        found = load_platform(name)
        assert shlex.split(found.argument) == [name]
    assert load_platform(str(path)) == load_platform("lab")  # however it was named
    assert repr(load_platform(str(path))) == repr(load_platform("lab"))
    assert parse_platform(table("lab")).argument == "lab"


def test_wrong_platforms_are_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no platform 'moon'"):
        load_platform("moon")
    with pytest.raises(UnreadableInput, match="No such file"):
        load_platform(str(tmp_path / "missing.toml"))
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(UnreadableInput):
        load_platform(str(broken))


def test_a_file_of_ones_own_takes_no_name_that_is_taken_unless_it_is_a_copy_and_says_so(tmp_path: Path) -> None:
    """Its measurements would be taken for those of another machine."""
    path = tmp_path / "mine.toml"
    for name in platform_names():
        text = resources.files("acic.platforms").joinpath("data", f"{name}.toml").read_text()
        path.write_text(text)
        assert load_platform(str(path)).name == name  # whose facts are the same
        changed = re.sub("^revision = .*", 'revision = "mine"', text, count=1, flags=re.MULTILINE)
        path.write_text(changed)
        with pytest.raises(InvalidInput, match=f"is called {name!r}, as a platform that comes with acic") as caught:
            load_platform(str(path))
        assert f'copy_of = "{name}"' in caught.value.hint
        path.write_text(f'copy_of = "{name}"\n{changed}')
        assert load_platform(str(path)).revision == "mine"
        assert read_platform(changed, str(path)).name == name  # of a journal: to look at it is no harm
    path.write_text(EXAMPLE.replace('"mycluster"', '"here"', 1))
    with pytest.raises(InvalidInput, match="is called 'here'"):
        load_platform(str(path))
    with pytest.raises(InvalidInput, match="copy_of is 'lab'"):
        read_platform(f'copy_of = "lab"\n{EXAMPLE}', "mine.toml")


@pytest.mark.parametrize("missing", ["name", "revision", "baseline", "parameter", "instance", "source", "date"])
def test_what_a_file_lacks_is_named(missing: str) -> None:
    broken = table("ec2-2013")
    del broken[missing]
    with pytest.raises(InvalidInput, match=f"lacks '{missing}'"):
        parse_platform(broken)


DOCUMENT = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text(encoding="utf-8")
EXAMPLE, *PIECES = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
CONSTRAINTS = PIECES[0]


def test_the_document_s_example_is_a_platform() -> None:
    assert read_platform(EXAMPLE, "mine.toml").name == "mycluster"
    assert len(read_platform(merged(CONSTRAINTS), "mine.toml").space.constraints) == 3


def merged(piece: str) -> str:
    """Return the document's example with a piece of the document, put where it tells to put it."""
    above, *tables = re.split(r"^(?=\[)", piece, flags=re.MULTILINE)
    made = str(EXAMPLE)
    for key in re.findall(r"^\w+(?= =)", above, re.MULTILINE):
        made = re.sub(rf"^{key} = .*\n", "", made, flags=re.MULTILINE)
    for one in tables:
        if one.startswith("[baseline.values]\n"):
            made = made.replace("[baseline.values]\n", one.rstrip() + "\n")
        else:
            made += one
    return f"{above}{made}"


@pytest.mark.parametrize("piece", PIECES, ids=[piece.strip().split("\n")[0] for piece in PIECES])
def test_what_the_document_adds_to_its_example_is_a_platform_with_it(piece: str, tmp_path: Path) -> None:
    """Of five pieces four were refused where who reads the page puts them; and none is a repetition."""
    path = tmp_path / "mine.toml"
    path.write_text(merged(piece))
    assert run(["platform", "show", str(path)]) == 0
    assert load_platform(str(path)) != read_platform(EXAMPLE, "mine.toml")


@pytest.mark.parametrize("key", ["apply = []", "compute_nodes = 4", 'directory = "/scratch"', "deployment = []"])
@pytest.mark.parametrize("above", ["", "[roles]\n", CONSTRAINTS, "[lab.archive]\nrate = 1\n", "[training]\n"])
def test_a_key_of_the_whole_file_below_a_table_is_told_where_to_go(key: str, above: str) -> None:
    """It was "an instance has no 'apply'", and what an instance has."""
    with pytest.raises(InvalidInput, match=f"has no '{key.split()[0]}'") as caught:
        read_platform(EXAMPLE + above.replace("[baseline.values]\ncb_nodes = 1\n", "") + key, "mine.toml")
    assert "above" in caught.value.hint


def test_the_document_s_example_of_hardware_is_enough_for_the_prior() -> None:
    (hardware,) = (piece for piece in PIECES if "[lab]" in piece)
    assert prior_of(read_platform(merged(hardware), "mine.toml"))
    assert prior_of(read_platform(EXAMPLE, "mine.toml")) is None


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('scale = "log"', 'scale = "logarithmic"', "parameter 1: scale is 'logarithmic'"),
        ('scale = "log"', "scale = 1", "scale is 1"),
        ('scale = "log"', 'scales = "log"', "a parameter has no 'scales'"),
        ('unit = "B"', 'unit = "MiB"', "parameter 2: unit is 'MiB'"),
        ("values = [1, 4, 16]", "values = [1, 16, 4]", "stripe_count has the values [1, 16, 4]"),
        ("values = [1, 4, 16]", "values = 4", "values is 4"),
        ("values = [1, 4, 16]", "values = [1, [4], 16]", "values has [4]"),
        ("values = [1, 4, 16]", "values = [1, nan, 16]", "values has nan"),
        ("values = [1, 4, 16]", f"values = {list(range(1, 200))}", "stripe_count has 199 values"),
        ('memory = "256GiB"', "memory = 256", "instance 1: memory is 256"),
        ('memory = "256GiB"', 'memory = "much"', "memory: 'much' is not a size"),
        ("price = 0.90", 'price = "0.90"', "price is '0.90'"),
        ("price = 0.90", "pric = 0.90", "an instance has no 'pric'"),
        ("price = 0.90", "price = -1", "price is -1"),
        ("price = 0.90", "price = 1e300", "price is 1e+300"),
        ("price = 0.90", "price = 1e-320", "price is 9.99989e-321"),
        ("cores = 64", "cores = 0", "cores is 0"),
        ("cores = 64", 'cores = "64"', "cores is '64'"),
        ("cores = 64", "", "an instance lacks 'cores'"),
        ("[[instance]]", "[instance]", "instance is not a list of tables"),
        ("[[instance]]", '[roles]\ninstances = "x"\n[[instance]]', "has no 'instances'"),
        ("[[instance]]", "[roles]\ninstance = 1\n[[instance]]", "instance is 1"),
        (
            "[[instance]]",
            '[roles]\ninstance = "romio_cb_write"\n[[instance]]',
            "'automatic' of mycluster is no instance",
        ),
        ("[[instance]]", '[roles]\nservers = "romio_cb_write"\n[[instance]]', "counts nothing"),
        ("[[instance]]", '[roles]\ndedicated = "dedicated"\n[[instance]]', "dedicated is 'dedicated'"),
        ("[[instance]]", '[roles]\nplacement = "stripe_count"\n[[instance]]', "has placement, and no dedicated"),
        ("[[instance]]", '[roles]\nstorage = "romio_cb_write"\n[[instance]]', "has 'automatic'"),
        ('default_instance = "node"', 'directory = "~/x"\ndefault_instance = "node"', "directory is '~/x'"),
        ('"enable", "disable"]', '"enabled", "disable"]', "has 'enabled', which ROMIO would ignore"),
        ("[[instance]]", "[lab]\nnod = 1\n[[instance]]", "[lab] has no 'nod'"),
        ("[[instance]]", "[training]\nio_processes = 4\n[[instance]]", "io_processes is 4"),
        ("[[instance]]", "[training]\nprice = 2\n[[instance]]", "[training] has no 'price'"),
        ("[[instance]]", '[training]\ndeployment = ["x"]\n[[instance]]', "[training] has no 'deployment'"),
        ("[[instance]]", '[[constraint]]\nat_most = ["stripe_count"]\n[[instance]]', "constraint 1: at_most names 1"),
        ("[[instance]]", "[[constraint]]\nthen = { stripe_count = 1 }\n[[instance]]", "lacks 'when'"),
        ("[[instance]]", "[[constraint]]\nwhen = 1\n[[instance]]", "when is not a table"),
        ('default_instance = "node"', 'default_instance = "nod"', "'nod' of mycluster is no instance"),
        ('apply = ["lustre", "romio"]', 'aply = ["lustre", "romio"]', "a platform has no 'aply'"),
        ('apply = ["lustre", "romio"]', 'apply = ["gpfs"]', "apply has 'gpfs'"),
        ('apply = ["lustre", "romio"]', 'apply = "lustre"', "apply is not a list"),
        ('revision = "2026-10"', "revision = 2026", "revision is 2026"),
        ('name = "mycluster"', 'name = "My Cluster (A)"', "name is 'My Cluster (A)'"),
        ('name = "mycluster"', 'name = "a/b"', "name is 'a/b'"),
        ('name = "mycluster"', 'name = ""', "name is ''"),
        ('name = "mycluster"', 'name = ".hidden"', "name is '.hidden'"),
        ('name = "mycluster"', f'name = "{"x" * 61}"', "name is 'xxx"),
        ("[baseline.values]", "[baseline.value]", "the baseline has no 'value'"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_key_and_a_remedy(right: str, wrong: str, told: str) -> None:
    assert right in EXAMPLE
    with pytest.raises(InvalidInput, match=re.escape(told)) as caught:
        read_platform(EXAMPLE.replace(right, wrong, 1), "mine.toml")
    assert caught.value.problem.startswith("mine.toml: ")
    assert caught.value.hint


STRANGE = ("\n", "\r", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u202e")  # end a line, or tell a terminal what to do


@pytest.mark.parametrize("strange", STRANGE)
def test_no_text_of_a_file_has_more_than_a_line_or_control_characters(strange: str) -> None:
    """A stranger's storage "/fast\\nrm x" was printed as a command, and a hint of two lines set another one, too."""
    content = tomllib.loads(merged(CONSTRAINTS) + "[lab]\nnode.cpu = 1\n")
    told = [(*where, key) for where, holder in holders(content) for key in holder]
    assert len(told) > 40
    for *where, key in told:
        changed = copy.deepcopy(content)
        holder = functools.reduce(lambda held, one: held[one], where, changed)
        if isinstance(holder[key], str):
            holder[key] += f"{strange}x"
        elif isinstance(key, str):
            holder[f"{key}{strange}"] = holder[key]
        else:
            continue
        with pytest.raises(InvalidInput) as caught:
            parse_platform(changed)
        assert not CONTROL.search(caught.value.problem)
        assert repr(strange)[1:-1] in caught.value.problem
        assert caught.value.hint


def holders(content: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """Yield the place of every table and list in `content`, with its keys."""
    keys = list(content) if isinstance(content, dict) else list(range(len(content)))
    yield where, keys
    for key in keys:
        if isinstance(content[key], dict | list):
            yield from holders(content[key], (*where, key))


def test_a_text_that_is_refused_is_told_with_its_key() -> None:
    for right, wrong, told in (
        ('"enable", "disable"]', '"enable\\nx"]', r"parameter 3: values has 'enable\nx'"),
        (
            'romio_cb_write = "automatic"',
            'romio_cb_write = "a\\u001b"',
            r"baseline: values: romio_cb_write has 'a\x1b'",
        ),
        ('name = "node"', 'name = "node\\n"', r"instance 1: name has 'node\n'"),
        ('revision = "2026-10"', 'revision = "2026\\r"', r"mine.toml: revision has '2026\r'"),
    ):
        with pytest.raises(InvalidInput, match=re.escape(told)):
            read_platform(EXAMPLE.replace(right, wrong, 1), "mine.toml")


def test_what_is_for_people_alone_may_have_lines_and_no_control_characters() -> None:
    for key in ("about", "missing"):
        text = f'{key} = "one\\n\\ttwo"\n{EXAMPLE}'
        assert getattr(read_platform(text, "mine.toml"), key) == "one\n\ttwo"
        with pytest.raises(InvalidInput, match=f"{key} has"):
            read_platform(text.replace("two", "\\u001b[2J"), "mine.toml")


@pytest.mark.parametrize(("layout", "hint"), [("stripe_count", "striping_factor"), ("stripe_size", "striping_unit")])
def test_stripes_that_a_hint_sets_too_are_refused(layout: str, hint: str) -> None:
    """Both were accepted: a file got one of the two values, and half of what was measured was labelled untruly."""
    both = EXAMPLE.replace("[baseline.values]", f"[baseline.values]\n{hint} = 1")
    both += f'[[parameter]]\nname = "{hint}"\nvalues = [1, 4]\n'
    with pytest.raises(InvalidInput, match=f"{layout} and {hint} of mycluster set the same thing twice") as caught:
        read_platform(both, "mine.toml")
    assert f"leave {hint} out" in (caught.value.hint or "")
    for apply in ('["lustre"]', '["romio"]'):
        assert hint in read_platform(both.replace('["lustre", "romio"]', apply), "mine.toml").space.names
    other = both.replace(f'"{layout}"', '"free"').replace(f"{layout} =", "free =")
    assert hint in read_platform(other, "mine.toml").space.names


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("price = 0.90", "prise = 0.90"),
        ('apply = ["lustre", "romio"]', 'aply = ["lustre", "romio"]'),
        ("[[instance]]", "[[training_constrain]]\n[[instance]]"),
        ("[[instance]]", '[roles]\nstoarge = "x"\n[[instance]]'),
        ('scale = "log"', 'scael = "log"'),
    ],
)
def test_a_misspelt_key_is_told_with_the_one_that_is_meant(right: str, wrong: str) -> None:
    assert right in EXAMPLE
    with pytest.raises(InvalidInput) as caught:
        read_platform(EXAMPLE.replace(right, wrong, 1), "mine.toml")
    names = {"prise": "price", "aply": "apply", "training_constrain": "training_constraint"}
    names |= {"stoarge": "storage", "scael": "scale"}
    misspelt = next(name for name in names if repr(name) in caught.value.problem)
    assert caught.value.hint.startswith(f"did you mean {names[misspelt]!r}? it has ")


@pytest.mark.parametrize(
    ("place", "key", "other", "told"),
    [
        ((), "raid", "riad", "[lab] has no 'riad'"),
        ((), "node", "nodes", "[lab] has no 'nodes'"),
        (("raid",), "syncs", "sync", "[lab.raid] has no 'sync'"),
        (("archive",), "rate", "rat", "[lab.archive] has no 'rat'"),
        (("disk", "EBS"), "dirty", "dirt", "[lab.disk.EBS] has no 'dirt'"),
        (("disk",), "EBS", "ebs", "[lab.disk] lacks 'EBS'"),
        (("nic",), "lab.1g", "lab.1gb", "[lab.nic] lacks 'lab.1g'"),
    ],
)
def test_hardware_that_is_misspelt_is_refused(place: tuple[str, ...], key: str, other: str, told: str) -> None:
    """It was left out of what is reckoned without a word, or ended a recommendation with a traceback."""
    content = table("lab")
    holder = content["lab"]
    for name in place:
        holder = holder[name]
    holder[other] = holder.pop(key)
    with pytest.raises(InvalidInput, match=re.escape(told)) as caught:
        parse_platform(content)
    assert caught.value.hint


@pytest.mark.parametrize(("kind", "placement"), [("server_nodes", "dedicated"), ("compute_nodes", "part-time")])
def test_servers_that_the_lab_has_no_nodes_for_are_refused(kind: str, placement: str) -> None:
    """They were planned, and advised with a price; each deployment of them failed."""
    content = table("lab")
    content["lab"][kind] = 2
    told = f"servers 4 with placement {placement} is more than the 2 {kind} of [lab]"
    with pytest.raises(InvalidInput, match=re.escape(told)):
        parse_platform(content)
    ruled_out = {"when": {"placement": placement}, "never": {"servers": [4]}, "why": "two nodes"}
    parse_platform(content | {"constraint": [*content["constraint"], ruled_out]})
    del content["lab"][kind]  # which the prior does without
    parse_platform(content)


def test_a_file_that_an_editor_began_with_a_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    assert load_platform(str(path)).name == "mycluster"


def test_a_price_that_is_typed_is_that_of_every_machine() -> None:
    ec2 = load_platform("ec2-2013")
    assert ec2.at_price(None) is ec2
    for configuration in ec2.space.configurations():
        cost = ec2.at_price(9.0).cost(configuration, 64, 60.0)
        assert cost == pytest.approx(ec2.cost(configuration, 64, 60.0, price=9.0))


def test_a_name_that_is_given_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="instance 'node' is given twice"):
        read_platform(EXAMPLE + EXAMPLE[EXAMPLE.index("[[instance]]") :], "mine.toml")


@pytest.mark.parametrize("name", [parameter.name for parameter in WORKLOAD_PARAMETERS])
def test_a_parameter_that_is_called_as_a_workload_s_is_refused(name: str) -> None:
    """Its column among a model's was never filled, and predictions came from whatever was in memory."""
    text = EXAMPLE.replace("stripe_count", name)
    with pytest.raises(InvalidInput, match=f"mine.toml: a parameter of mycluster is called '{name}'") as caught:
        read_platform(text, "mine.toml")
    assert caught.value.hint.startswith(f"give it another name, as system_{name}")
    assert read_platform(text.replace(name, f"system_{name}"), "mine.toml").name == "mycluster"


def test_a_kind_of_disk_that_there_is_none_of_is_refused() -> None:
    broken = table("lab")
    broken["disk"][0]["name"] = "ephemral"
    with pytest.raises(InvalidInput, match="'ephemeral' of lab is no disk"):
        parse_platform(broken)


VALUES = st.sampled_from(
    ["", "node", "log", 0, 1, -1, 64, 0.5, float("nan"), 10**400, True, [], ["a"], [1, 2], [[1]], [{}], {}, {"a": 1}]
)


@settings(max_examples=500, deadline=None)
@given(name=st.sampled_from(platform_names()), data=st.data())
def test_any_change_of_a_file_makes_a_platform_or_an_error_of_ours(name: str, data: st.DataObject) -> None:
    content = table(name)
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(content, data)
    with contextlib.suppress(AcicError):  # any other error fails
        platform = parse_platform(content)
        for configuration in itertools.islice(platform.space.configurations(), 20):
            platform.nodes(configuration, 4)
            platform.cost(configuration, 4, 60.0, price=1.0)
        assert platform.instance_for(platform.baseline) in platform.instances.values()


def mutate(content: dict[str, Any], data: st.DataObject) -> None:
    """Drop, rename or retype one of all values, however deep."""
    places: list[tuple[Any, Any]] = []

    def collect(holder: Any) -> None:
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                collect(holder[key])

    collect(content)
    if not places:
        return
    holder, key = data.draw(st.sampled_from(places), label="place")
    what = data.draw(st.sampled_from(["drop", "rename", "retype"]), label="what")
    if what == "retype":
        value = data.draw(VALUES, label="value")
        holder[key] = copy.deepcopy(value)  # the next mutation may change it, or put it into itself
    elif what == "drop" or isinstance(holder, list):
        del holder[key]
    else:
        holder[str(key)[:-1]] = holder.pop(key)


@pytest.mark.parametrize("text", [f"name = {'1' * 5000}", "name = " + "[" * 5000, "name = "])
def test_what_is_no_toml_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"mine.toml is not TOML"):
        read_platform(text, "mine.toml")


def test_a_baseline_outside_the_space_is_refused() -> None:
    broken = table("ec2-2013")
    broken["baseline"]["values"]["servers"] = 2
    with pytest.raises(InvalidInput, match="baseline of ec2-2013 is not valid"):
        parse_platform(broken)


def test_a_value_that_no_valid_configuration_has_is_refused() -> None:
    """Two rules that contradict one another took a directory out of every plan, and nobody said so."""
    broken = table("ec2-2013")
    for servers in (2, 4):
        broken["constraint"].append({"when": {"placement": "part-time"}, "then": {"servers": servers}})
    with pytest.raises(InvalidInput, match="no valid configuration of ec2-2013 has placement part-time") as caught:
        parse_platform(broken)
    assert "contradict" in caught.value.hint
    broken["constraint"].pop()
    assert parse_platform(broken).name == "ec2-2013"


def test_a_role_that_is_no_parameter_is_refused() -> None:
    broken = table("ec2-2013")
    broken["roles"]["servers"] = "waiters"
    with pytest.raises(InvalidInput, match="waiters"):
        parse_platform(broken)


def test_what_can_be_set_is_known_to_who_sets_it() -> None:
    assert set(APPLY) == {*KINDS, *WHOLE}


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
