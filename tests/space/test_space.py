"""Spaces: the paper's Table 1, constraints, enumeration and encoding."""

import itertools
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.space import ABSENT, ABSENT_CODE, AtMost, Configuration, Encoder, Parameter, Rule, Scale, Space, Value
from acic.units import KIB, MIB

SYSTEM = (
    Parameter(name="device", values=("EBS", "ephemeral")),
    Parameter(name="file_system", values=("NFS", "PVFS2")),
    Parameter(name="instance_type", values=("cc1.4xlarge", "cc2.8xlarge")),
    Parameter(name="servers", values=(1, 2, 4), scale=Scale.LOG),
    Parameter(name="placement", values=("part-time", "dedicated")),
    Parameter(name="stripe_size", values=(64 * KIB, 4 * MIB), scale=Scale.LOG, unit="B"),
)
WORKLOAD = (
    Parameter(name="processes", values=(32, 64, 128, 256), scale=Scale.LOG),
    Parameter(name="io_processes", values=(32, 64, 128, 256), scale=Scale.LOG),
    Parameter(name="interface", values=("POSIX", "MPIIO")),
    Parameter(name="iterations", values=(1, 10, 100), scale=Scale.LOG),
    Parameter(
        name="data_size", values=(MIB, 4 * MIB, 16 * MIB, 32 * MIB, 128 * MIB, 512 * MIB), scale=Scale.LOG, unit="B"
    ),
    Parameter(name="request_size", values=(256 * KIB, 4 * MIB, 16 * MIB, 128 * MIB), scale=Scale.LOG, unit="B"),
    Parameter(name="operation", values=("read", "write")),
    Parameter(name="collective", values=(False, True)),
    Parameter(name="shared", values=(False, True)),
)
CONSTRAINTS = (
    Rule(when={"file_system": "NFS"}, then={"servers": 1}, absent=("stripe_size",)),
    AtMost(smaller="request_size", larger="data_size"),
    AtMost(smaller="io_processes", larger="processes"),
)
TABLE_1 = Space(SYSTEM + WORKLOAD, CONSTRAINTS)


def test_table_1_has_15_parameters_and_the_footnotes_raw_points() -> None:
    """The footnote prints 17 factors, two of them a typo: the 15 of the table do give its product."""
    assert len(TABLE_1.parameters) == 15
    assert TABLE_1.raw_size == 1_769_472


def test_table_1_has_the_valid_points_that_counting_by_hand_gives() -> None:
    file_systems = 1 + 3 * 2  # NFS: one server, no stripe size; PVFS2: servers x stripe sizes
    system = 2 * 2 * 2 * file_systems  # device, instance type, placement
    processes = 4 + 3 + 2 + 1
    sizes = 1 + 2 + 3 + 3 + 4 + 4  # request sizes that fit into each of the six data sizes
    assert len(TABLE_1.enumerate()) == system * processes * sizes * 2 * 3 * 2 * 2 * 2


def test_every_configuration_of_table_1_is_valid_and_different() -> None:
    system = TABLE_1.only([p.name for p in SYSTEM])
    configurations = list(system.configurations())
    assert len(set(configurations)) == len(configurations) == 56
    for configuration in configurations:
        assert system.problem(configuration) == ""
        assert ("stripe_size" in configuration) == (configuration["file_system"] == "PVFS2")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"servers": 2, "file_system": "NFS"}, "stripe_size does not apply"),
        ({"servers": 8}, "outside 1 to 4"),
        ({"device": "SSD"}, "device is not 'SSD'"),
        ({"colour": "red"}, "there is no parameter 'colour'"),
    ],
)
def test_what_is_wrong_with_a_configuration_is_said(change: dict[str, Value], complaint: str) -> None:
    system = TABLE_1.only([p.name for p in SYSTEM])
    good: dict[str, Value] = {
        "device": "EBS",
        "file_system": "PVFS2",
        "instance_type": "cc2.8xlarge",
        "servers": 4,
        "placement": "dedicated",
        "stripe_size": 64 * KIB,
    }
    assert system.problem(good) == ""
    assert complaint in system.problem(good | change)


def test_a_configuration_that_breaks_a_rule_is_said() -> None:
    system = TABLE_1.only([p.name for p in SYSTEM])
    values: dict[str, Value] = {
        "device": "EBS",
        "file_system": "NFS",
        "instance_type": "cc2.8xlarge",
        "servers": 2,
        "placement": "dedicated",
    }
    assert system.problem(values) == "with file_system NFS, servers must be 1"


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    counts = draw(st.lists(st.integers(2, 4), min_size=2, max_size=5))
    parameters = tuple(
        Parameter(name=f"p{i}", values=tuple(range(1, n + 1)), scale=Scale.LINEAR) for i, n in enumerate(counts)
    )
    names = [p.name for p in parameters]
    constraints: list[Rule | AtMost] = []
    for _ in range(draw(st.integers(0, 3))):
        a, b = draw(st.permutations(names))[:2]
        kind = draw(st.sampled_from(["at most", "then", "absent"]))
        if kind == "at most":
            constraints.append(AtMost(smaller=a, larger=b))
        elif kind == "then":
            constraints.append(Rule(when={a: 1}, then={b: 2}))
        elif not any(isinstance(c, Rule) and (c.absent or b in c.when) for c in constraints):
            constraints.append(Rule(when={a: 1}, absent=(b,)))
    return Space(parameters, tuple(constraints))


@given(space=spaces())
def test_enumeration_yields_each_valid_combination_once(space: Space) -> None:
    points = space.enumerate()
    configurations = [space.configuration(point) for point in points]
    assert len(set(configurations)) == len(configurations)
    choices = [[None, *p.values] for p in space.parameters]
    by_brute_force = set()
    for combination in itertools.product(*choices):
        values = {n: v for n, v in zip(space.names, combination, strict=True) if v is not None}
        if space.problem(values) == "":
            by_brute_force.add(Configuration(values))
    assert set(configurations) == by_brute_force


def test_what_is_listed_is_never_held_many_times_over() -> None:
    """A rule on eleven parameters pruned nothing before the last of them: 4,096 combinations took 10 MB."""
    names = tuple(f"p{i}" for i in range(11))
    parameters = (Parameter(name="kind", values=("a", "b")), *(Parameter(name=n, values=("x", "y")) for n in names))
    space = Space(parameters, (Rule(when={"kind": "a"}, absent=names),))
    tracemalloc.start()
    try:
        points = space.enumerate()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(points) == 1 + 2**11
    assert most < 20 * points.nbytes


@given(space=spaces())
def test_a_point_and_its_configuration_are_the_same(space: Space) -> None:
    for point in space.enumerate():
        np.testing.assert_array_equal(space.point(space.configuration(point)), point)


@given(space=spaces())
def test_encoding_points_and_encoding_values_agree(space: Space) -> None:
    encoder = Encoder(space.parameters)
    points = space.enumerate()
    rows = [space.configuration(point) for point in points]
    np.testing.assert_array_equal(encoder.encode_points(space, points), encoder.encode(rows))


def test_each_scale_becomes_its_numbers() -> None:
    encoder = Encoder(
        (
            Parameter(name="size", values=(MIB, 4 * MIB), scale=Scale.LOG, unit="B"),
            Parameter(name="level", values=("low", "middle", "high"), scale=Scale.ORDERED),
            Parameter(name="colour", values=("red", "green", "blue")),
            Parameter(name="sync", values=(False, True)),
            Parameter(name="load", values=(0, 10), scale=Scale.LINEAR),
        )
    )
    assert encoder.columns == ("size", "level", "colour=red", "colour=green", "colour=blue", "sync", "load")
    row: dict[str, Value] = {"size": 2 * MIB, "level": "high", "colour": "green", "sync": True, "load": 2.5}
    assert encoder.encode([row]).tolist() == [[21, 2, 0, 1, 0, 1, 2.5]]
    assert encoder.encode([{}]).tolist() == [[ABSENT_CODE, ABSENT_CODE, 0, 0, 0, ABSENT_CODE, ABSENT_CODE]]


@pytest.mark.parametrize("row", [{"file_system": "ext4"}, {"servers": 0}, {"servers": "many"}])
def test_values_that_have_no_number_are_refused(row: dict[str, Value]) -> None:
    with pytest.raises(InvalidInput):
        Encoder(SYSTEM).encode([row])


def test_a_name_given_twice_is_refused() -> None:
    """The columns of the first were never filled: models learned from whatever was in memory."""
    once, again = Parameter(name="sync", values=(False, True)), Parameter(name="sync", values=("a", "b", "c"))
    with pytest.raises(InvalidInput, match="sync is given twice"):
        Encoder((once, again))


def test_absent_is_marked() -> None:
    system = TABLE_1.only([p.name for p in SYSTEM])
    points = system.enumerate()
    nfs = points[:, 1] == 0
    assert (points[nfs, 5] == ABSENT).all()
    assert (points[~nfs, 5] != ABSENT).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Parameter(name="x", values=(1,)),
        lambda: Parameter(name="x", values=(1, 1)),
        lambda: Parameter(name="x", values=(0, 1), scale=Scale.LOG),
        lambda: Parameter(name="x", values=("a", "b"), scale=Scale.LINEAR),
        lambda: Parameter(name="x", values=(0.5, 1.0), scale=Scale.LOG),  # as what does not apply is for models
        lambda: Parameter(name="x", values=(-1, 1, 4), scale=Scale.LINEAR),  # likewise: Lustre's "on all servers"
        lambda: Rule(when={"x": 1}),
        lambda: Space((SYSTEM[0], SYSTEM[0])),
        lambda: Space(SYSTEM, (Rule(when={"file_system": "ext4"}, then={"servers": 1}),)),
        lambda: Space(SYSTEM, (AtMost(smaller="servers", larger="nothing"),)),
        lambda: Space(SYSTEM, (AtMost(smaller="servers", larger="device"),)),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        make()


def test_a_configuration_is_a_value() -> None:
    a, b = Configuration({"x": 1}, y=2), Configuration({"y": 2, "x": 1})
    assert a == b
    assert len({a, b}) == 1
    assert dict(a) == {"x": 1, "y": 2}


def test_rules_that_hang_on_one_another_lose_no_configuration() -> None:
    space = Space(
        tuple(Parameter(name=name, values=(0, 1, 2)) for name in "abcd"),
        (Rule(when={"b": 0}, then={"c": 1}), Rule(when={"d": 0}, absent=("b",)), Rule(when={"b": 2}, absent=("a",))),
    )
    listed = {space.configuration(point) for point in space.enumerate()}
    every = itertools.product((None, 0, 1, 2), repeat=4)
    found = ({n: v for n, v in zip("abcd", values, strict=True) if v is not None} for values in every)
    assert listed == {Configuration(values) for values in found if not space.problem(values)}
    assert listed


def test_a_rule_says_which_values_are_never_had() -> None:
    """Values that are ruled out are gone, and a parameter that does not apply is left alone."""
    space = Space(
        (
            Parameter(name="file_system", values=("NFS", "Gluster", "Ceph")),
            Parameter(name="stripe_size", values=(64 * KIB, 4 * MIB, 64 * MIB), scale=Scale.LOG),
        ),
        (
            Rule(when={"file_system": "NFS"}, absent=("stripe_size",), never={"stripe_size": (4 * MIB,)}),
            Rule(when={"file_system": "Gluster"}, never={"stripe_size": (64 * KIB,)}),
            Rule(when={}, never={"file_system": ("Ceph",)}),
        ),
    )
    assert [dict(c) for c in space.configurations()] == [
        {"file_system": "NFS"},
        {"file_system": "Gluster", "stripe_size": 4 * MIB},
        {"file_system": "Gluster", "stripe_size": 64 * MIB},
    ]
    assert "never 65536" in space.problem({"file_system": "Gluster", "stripe_size": 64 * KIB})
    assert space.problem({"file_system": "Ceph", "stripe_size": 4 * MIB}) == "file_system is never Ceph"
    with pytest.raises(InvalidInput, match="never is 5"):
        Space(space.parameters, (Rule(when={"file_system": "Ceph"}, never={"stripe_size": (5,)}),))
    with pytest.raises(InvalidInput, match="rules nothing"):
        Rule(when={"file_system": "Ceph"})


def test_a_configuration_equals_any_mapping_of_the_same_values() -> None:
    one = Configuration(servers=4, file_system="NFS")
    assert one == Configuration({"file_system": "NFS", "servers": 4}) == {"file_system": "NFS", "servers": 4}
    assert hash(one) == hash(Configuration({"file_system": "NFS", "servers": 4}))
    assert one != Configuration(servers=4)
    assert one != {"servers": 4}
    assert one != "NFS"


@given(values=st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)), names=st.sets(st.sampled_from("abcde")))
def test_a_configuration_on_some_parameters_alone_has_no_others(values: dict[str, int], names: set[str]) -> None:
    kept = Configuration(values).only(names)
    assert set(kept) == set(values) & names
    assert all(values[name] == value for name, value in kept.items())


SITE = Space(
    (
        Parameter(name="storage", values=("/scratch", "/home")),
        Parameter(name="stripe_count", values=(1, 4, 16), scale=Scale.LOG),
        Parameter(name="cb_nodes", values=(1, 4), scale=Scale.LOG),
        Parameter(name="cb_write", values=("enable", "disable")),
    ),
    (
        Rule(when={"storage": "/home"}, absent=("stripe_count", "cb_nodes")),
        Rule(when={"cb_write": "disable", "storage": "/scratch"}, never={"stripe_count": (16,)}),
        AtMost(smaller="cb_nodes", larger="stripe_count"),
    ),
)
BASELINE: dict[str, Value] = {"storage": "/scratch", "stripe_count": 4, "cb_nodes": 4, "cb_write": "enable"}


def test_what_a_rule_says_of_parameters_that_are_kept_holds_on_beside_others() -> None:
    """A rule that spoke of one that was left out, too, was dropped: stripes were set where there are none."""
    some = SITE.beside(["storage", "stripe_count", "cb_write"], BASELINE)
    assert some.problem({"storage": "/home", "stripe_count": 4, "cb_write": "enable"})
    assert not some.problem({"storage": "/home", "cb_write": "enable"})
    assert some.problem({"storage": "/scratch", "stripe_count": 1, "cb_write": "enable"}), "below the four of cb_nodes"
    for values in some.configurations():
        whole = SITE.obeyed({"cb_nodes": BASELINE["cb_nodes"], **values}, {"cb_nodes"})
        assert not SITE.problem(whole)


def test_what_a_rule_never_wants_of_what_is_left_out_gives_way() -> None:
    values: dict[str, Value] = {"storage": "/scratch", "stripe_count": 16, "cb_write": "disable"}
    assert SITE.obeyed(values, {"stripe_count"}) == {**values, "stripe_count": 1}
    assert SITE.obeyed(values, ()) == values


def test_a_rule_that_leaves_what_is_left_out_no_value_is_told() -> None:
    """StopIteration, of which nobody knows what to do."""
    none = Rule(when={"cb_write": "disable", "storage": "/home"}, never={"stripe_count": (1, 4, 16)})
    site = Space(SITE.parameters, (none,))
    with pytest.raises(InvalidInput, match="with cb_write disable, storage /home, no value of stripe_count is left"):
        site.obeyed({"storage": "/home", "stripe_count": 4, "cb_write": "disable"}, {"stripe_count"})


def test_a_rule_of_a_value_that_what_is_left_out_has_not_says_nothing() -> None:
    without = SITE.beside(["storage", "stripe_count"], BASELINE)
    assert not without.problem({"storage": "/scratch", "stripe_count": 16})
    with_it = SITE.beside(["storage", "stripe_count"], {**BASELINE, "cb_write": "disable"})
    assert with_it.problem({"storage": "/scratch", "stripe_count": 16})


@given(space=spaces(), data=st.data())
def test_beside_what_is_firm_there_is_what_the_whole_space_has_with_it(space: Space, data: st.DataObject) -> None:
    """Rules on it gave way: a search that was to keep four servers ran NFS, on one."""
    usual = data.draw(st.sampled_from(list(space.configurations()) or [Configuration()]))
    firm = data.draw(st.sets(st.sampled_from(space.names))) & set(usual)
    names = [name for name in space.names if name not in firm]
    wanted = {c.only(names) for c in space.configurations() if c.only(firm) == usual.only(firm)}
    found = space.beside(names, usual, firm=firm) if usual else space
    assert set(found.configurations()) == wanted
