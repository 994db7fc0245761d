"""The [lab] table of a platform file, and what is made of it."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.cluster.lab import Disk, LabFacts
from acic.cluster.lab.facts import addresses, check_name, check_network
from acic.errors import InvalidInput
from acic.platforms import load_platform
from acic.prior.facts import facts_of
from acic.units import GIB, MIB


def table() -> dict[str, Any]:
    return {
        "compute_nodes": 2,
        "server_nodes": 1,
        "network": "10.9.8.0/24",
        "node": {"cpu": 0.5, "memory": "768MiB", "reason": "said"},
        "nic": {"slow": {"rate": 400_000_000, "reason": "said"}},
        "disk": {
            "spinning": {
                "read": "90MB",
                "write": "80MB",
                "read_iops": 250,
                "write_iops": 200,
                "dirty": "128MiB",
                "size": "4GiB",
            }
        },
        "archive": {"rate": 480_000_000},
    }


def test_sizes_and_rates_are_read_in_base_units() -> None:
    facts = LabFacts.of(table())
    assert (facts.compute, facts.servers) == (("c0", "c1"), ("s0",))
    assert (facts.cpu, facts.memory, facts.archive_rate) == (0.5, 768 * MIB, 480_000_000)
    assert facts.disks == {
        "spinning": Disk(
            read=90_000_000, write=80_000_000, read_iops=250, write_iops=200, dirty=128 * MIB, size=4 * GIB
        )
    }


@pytest.mark.parametrize(
    ("key", "told", "value"),
    [
        *(("read", told, 90_000_000) for told in (90_000_000, 90e6, "90MB", "90000000")),
        *(("dirty", told, 2**27) for told in (2**27, float(2**27), "128MiB")),
        *(("write_iops", told, 200) for told in (200, 200.0, "200", "2e2")),
    ],
)
def test_the_prior_reads_numbers_and_texts_as_the_lab_does(key: str, told: object, value: int) -> None:
    """A number did for `acic lab up`, and ended every recommendation with an error."""
    hardware = table()
    hardware["disk"]["spinning"][key] = told
    facts = facts_of(replace(load_platform("lab"), lab=hardware))
    assert facts is not None
    assert getattr(facts.disks["spinning"], key) == value
    assert getattr(LabFacts.of(hardware).disks["spinning"], key) == value


@pytest.mark.parametrize(
    ("key", "told"),
    [
        *((key, told) for key in ("read", "write_iops") for told in ("much", None, 0, -5, float("nan"))),
        *(("read", told) for told in (True, 0.25, float("inf"))),
        ("write_iops", 10**400),
    ],
    ids=lambda told: str(told)[:9],
)
def test_what_is_no_figure_the_prior_and_the_lab_refuse(key: str, told: object) -> None:
    hardware = table()
    hardware["disk"]["spinning"][key] = told
    with pytest.raises(InvalidInput):
        LabFacts.of(hardware)
    with pytest.raises(InvalidInput):
        facts_of(replace(load_platform("lab"), lab=hardware))


@pytest.mark.parametrize("path", ["compute_nodes", "node cpu", "nic slow rate", "disk spinning read_iops"])
@pytest.mark.parametrize("told", [True, float("inf"), "4.7 or so", [4]])
def test_numbers_are_numbers_to_the_prior_and_to_the_lab(path: str, told: object) -> None:
    """`true` was one I/O a second, by which every answer was limited."""
    hardware = table()
    *way, last = path.split()
    place = hardware
    for key in way:
        place = place[key]
    place[last] = told
    with pytest.raises(InvalidInput):
        LabFacts.of(hardware)
    with pytest.raises(InvalidInput):
        facts_of(replace(load_platform("lab"), lab=hardware))


def test_nodes_are_whole() -> None:
    for read in (LabFacts.of, lambda told: facts_of(replace(load_platform("lab"), lab=told))):
        assert read({**table(), "compute_nodes": 4.0})
        with pytest.raises(InvalidInput):
            read({**table(), "compute_nodes": 4.7})


def test_facts_written_down_are_read_back_as_they_were() -> None:
    for facts in (LabFacts.of(table()), LabFacts.of(load_platform("lab").lab)):
        assert LabFacts.of(facts.table()) == facts


@pytest.mark.parametrize("path", ["compute_nodes", "network", "node cpu", "node memory", "nic", "disk spinning dirty"])
def test_what_is_missing_is_named(path: str) -> None:
    broken = table()
    *way, last = path.split()
    place = broken
    for key in way:
        place = place[key]
    del place[last]
    with pytest.raises(InvalidInput, match=last) as caught:
        LabFacts.of(broken)
    assert caught.value.hint


@pytest.mark.parametrize(
    "change",
    [
        {"compute_nodes": 0},
        {"server_nodes": 31},
        {"compute_nodes": "many"},
        {"network": "10.9.8.0/16"},
        {"network": "8.8.8.0/24"},
        {"network": "10.9.8.1/24"},
        {"network": "10.9.8.0/255.255.255.0"},
        {"node": {"cpu": 0, "memory": 1}},
        {"node": {"cpu": 1, "memory": "much"}},
        {"nic": {}},
        {"nic": {"slow": {"rate": 0}}},
        {"disk": {"spinning": {**table()["disk"]["spinning"], "write_iops": 0}}},
    ],
    ids=str,
)
def test_facts_that_cannot_be_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        LabFacts.of({**table(), **change})


@pytest.mark.parametrize(
    ("path", "little", "least"),
    [
        ("node cpu", 0.001, "0.05"),
        ("node memory", "8MiB", "128MiB"),
        ("nic slow rate", 1, "1000000"),
        ("disk spinning size", "1MiB", "1GiB"),
        ("disk spinning read", 1, "1MB"),
        ("disk spinning write_iops", 1, "20"),
        ("disk spinning dirty", 1, "4KiB"),
    ],
)
def test_what_is_too_little_is_named_with_the_least_that_does(path: str, little: object, least: str) -> None:
    """It ended in what `tc`, `mkfs.xfs` or a time-out said, when the lab came up or only when it was used."""
    broken = table()
    *way, last = path.split()
    place = broken
    for key in way:
        place = place[key]
    place[last] = little
    named = ".".join(f'"{word}"' if word in ("slow", "spinning") else word for word in path.split())
    with pytest.raises(InvalidInput, match=re.escape(named)) as caught:
        LabFacts.of(broken)
    assert least in caught.value.hint
    place[last] = float(least) if least[-1].isdigit() else least
    LabFacts.of(broken)


def test_a_platform_without_a_lab_says_so() -> None:
    with pytest.raises(InvalidInput, match="no \\[lab\\] table"):
        LabFacts.of({})


@given(compute=st.integers(1, 30), servers=st.integers(1, 30), third=st.integers(0, 255))
def test_every_node_has_an_address_of_its_own_in_the_network(compute: int, servers: int, third: int) -> None:
    facts = LabFacts.of({**table(), "compute_nodes": compute, "server_nodes": servers})
    made = addresses(facts, f"10.{third}.0.0/24")
    assert list(made) == [*facts.compute, *facts.servers, "archive"]
    assert len(set(made.values())) == len(made)
    assert all(address.startswith(f"10.{third}.0.") for address in made.values())
    assert f"10.{third}.0.1" not in made.values()  # the machine's own


@pytest.mark.parametrize("name", ["", "A", "1a", "abcdefg", "a-b", "a b", "é"])
def test_names_that_no_interface_could_have_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_name(name)


def test_names_and_networks_that_do_are_taken() -> None:
    check_name("acic")
    check_name("abcde6")
    check_network("10.47.0.0/24")
    check_network("192.168.7.0/24")
