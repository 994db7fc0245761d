"""Stripes are read back as each file system tells them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.filesystems import settings, stripes
from acic.units import KIB, MIB

LUSTRE = (
    "/d/data\nlmm_stripe_count:  {count}\nlmm_stripe_size:   {size}\nlmm_pattern:       raid0\n"
    "lmm_layout_gen:    0\nlmm_stripe_offset: 1\n\tobdidx\t\t objid\t\t objid\t\t group\n"
    "\t     1\t       2058\t        0x80a\t             0\n"
)
CEPH = (
    '# file: d/data\nceph.file.layout="stripe_unit={size} stripe_count={count} object_size=4194304 pool=cephfs_data"\n'
)
ORANGEFS = (
    "dist_name = simple_stripe\ndist_params:\nstrip_size:{size}\n\nMetadataserver: tcp://localhost:3334\n"
    "Number of datafiles/servers = {count}\nDatafile 0 - tcp://localhost:3334, handle: 52 (487d.bstream)\n"
)
TOLD = {"lustre": LUSTRE, "ceph": CEPH, "orangefs": ORANGEFS}
COMPOSITE = "/d/data\n  lcm_entry_count:   2\n" + 2 * "      lmm_stripe_count:  1\n      lmm_stripe_size:   1048576\n"


@pytest.mark.parametrize("kind", TOLD)
@given(
    wanted=st.tuples(st.integers(1, 64), st.integers(1, 64)),
    found=st.tuples(st.integers(1, 64), st.integers(1, 64)),
    size=st.integers(0, 99 * MIB),
)
def test_stripes_are_in_force_where_the_file_has_them(
    kind: str, wanted: tuple[int, int], found: tuple[int, int], size: int
) -> None:
    """But for the objects of a file that is all in one."""
    asked = {"stripe_count": wanted[0], "stripe_size": wanted[1] * 64 * KIB}
    told = {"stripe_count": found[0], "stripe_size": found[1] * 64 * KIB}
    made = settings([kind], asked, {}, directory="/d")
    text = TOLD[kind].format(count=told["stripe_count"], size=told["stripe_size"])
    count = size > told["stripe_size"] and asked["stripe_count"] != told["stripe_count"]
    differ = [*["stripe_count"] * count, *["stripe_size"] * (asked["stripe_size"] != told["stripe_size"])]
    said = stripes.otherwise(made, text, size)
    assert said is not None
    assert [part.split()[0] for part in said.split(", ") if part.startswith("stripe")] == differ


def test_what_is_told_is_what_was_asked_for_and_what_there_is() -> None:
    made = settings(["lustre"], {"stripe_count": 32, "stripe_size": MIB}, {}, directory="/d")
    assert stripes.command(made, Path("/d/data")) == ("lfs", "getstripe", "/d/data")
    assert stripes.otherwise(made, LUSTRE.format(count=8, size=MIB), 9 * MIB) == "stripe_count 32, but 8"
    every = settings(["lustre"], {"stripe_count": -1}, {}, directory="/d")
    assert stripes.otherwise(every, LUSTRE.format(count=8, size=MIB), 9 * MIB) == ""


@pytest.mark.parametrize("text", ["", "no stripe info", COMPOSITE])
def test_what_does_not_tell_is_not_taken_for_either(text: str) -> None:
    made = settings(["lustre"], {"stripe_count": 2}, {}, directory="/d")
    assert stripes.otherwise(made, text, MIB) is None


def test_without_stripes_nothing_is_asked() -> None:
    assert stripes.command(settings(["romio"], {}, {}, directory="/d"), Path("/d/data")) == ()
