"""Staging results out, beside runs of the lab: medians of MB of results, seconds of the copy (docs/prior.md)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.platforms import load_platform
from acic.prior import Prior, Results, prior_of
from acic.prior.facts import facts_of
from acic.space import Configuration
from acic.units import KIB, MIB

LAB = load_platform("lab")
EPHEMERAL = [one for one in LAB.space.configurations() if one["device"] == "ephemeral"][::11]
RESULTS = 48 * MIB


def system(file_system: str, servers: int, placement: str, **more: str | int) -> Configuration:
    values: dict[str, str | int] = {
        "instance_type": "lab.400m",
        "device": "ephemeral",
        "raid_devices": 1,
        "file_system": file_system,
        "servers": servers,
        "placement": placement,
    }
    return Configuration({**values, **more})


@pytest.mark.parametrize(
    ("configuration", "own", "measured"),
    [
        (system("NFS", 1, "part-time", consistency="relaxed"), True, 1.06),
        (system("OrangeFS", 1, "dedicated"), True, 1.07),
        (system("OrangeFS", 2, "dedicated", stripe_size=65_536, metadata="all"), True, 0.55),
        (system("OrangeFS", 4, "dedicated", stripe_size=65_536, metadata="all"), True, 0.53),
        (system("OrangeFS", 2, "part-time", stripe_size=65_536, metadata="all"), True, 0.80),
        (system("OrangeFS", 4, "part-time", stripe_size=65_536, metadata="all"), False, 0.75),
        (system("GlusterFS", 1, "part-time"), True, 0.28),
        (system("GlusterFS", 4, "part-time", stripe_size=4 * MIB), True, 0.27),
    ],
)
def test_copies_take_what_was_measured(prior: Prior, configuration: Configuration, own: bool, measured: float) -> None:
    """What an hour of `fsdp`, `io500-easy`, `restore` and `initial` took (own files), and `restart` (shared)."""
    results = Results(size=RESULTS, files=8 if own else 2, own=own, one=own)
    found = prior.staging(results, prior.systems([configuration]))[0]
    assert found == pytest.approx(measured, rel=0.3)


@pytest.mark.parametrize(
    ("configuration", "files", "size", "measured"),
    [
        (system("NFS", 1, "part-time", consistency="strict"), 152, 14_135_040, 0.43),
        (system("GlusterFS", 2, "dedicated", stripe_size=4 * MIB), 152, 14_135_040, 0.35),
        (system("GlusterFS", 2, "dedicated", stripe_size=4 * MIB), 336, 26_080_000, 0.71),
        (system("GlusterFS", 2, "dedicated", stripe_size=4 * MIB), 256, 89_600_000, 1.38),
        (system("GlusterFS", 1, "part-time", raid_devices=2), 256, 89_600_000, 2.04),
        (system("OrangeFS", 1, "dedicated"), 152, 14_135_040, 0.76),
        (system("OrangeFS", 2, "dedicated", stripe_size=65_536, metadata="all"), 336, 26_080_000, 1.21),
        (system("OrangeFS", 4, "part-time", stripe_size=65_536, metadata="one"), 336, 26_080_000, 1.28),
    ],
)
def test_many_files_take_longer(
    prior: Prior, configuration: Configuration, files: int, size: int, measured: float
) -> None:
    """What `dp3`, `gdal2tiles` and `openfoam` took, up to ten times as long as by their bytes alone (version 27)."""
    found = prior.staging(Results(size=size, files=files, own=True), prior.systems([configuration]))[0]
    assert found == pytest.approx(measured, rel=0.3)


@given(each=st.integers(1, 64 * KIB), files=st.integers(8, 1 << 20), own=st.booleans())
def test_small_files_take_longer_the_more_they_are(each: int, files: int, own: bool) -> None:
    """Of few large ones it may be the other way round: they lie on fewer servers."""
    prior = prior_of(LAB)
    assert prior is not None
    systems = prior.systems(EPHEMERAL)
    few, many = (prior.staging(Results(size=each * files, files=n, own=own), systems) for n in (files, 16 * files))
    assert (many > few).all()


def test_every_node_sends_a_share_as_fast_as_the_archive_takes_it(prior: Prior) -> None:
    slow = replace(prior, facts=replace(prior.facts, archive=1e6))
    found = slow.staging(Results(size=RESULTS), slow.systems(EPHEMERAL))
    assert (found >= RESULTS / prior.facts.nodes / 1e6).all()
    assert prior.facts.archive == 60e6  # B/s, of 480 Mbit/s


@given(size=st.integers(1, 1 << 40), files=st.integers(1, 1 << 20), own=st.booleans())
def test_no_copy_is_faster_than_the_nodes_send(size: int, files: int, own: bool) -> None:
    prior = prior_of(LAB)
    assert prior is not None
    systems = prior.systems(EPHEMERAL)
    found = prior.staging(Results(size=size, files=files, own=own, one=own), systems)
    assert np.isfinite(found).all()
    assert (found >= size / prior.facts.nodes / np.minimum(systems.nic, prior.facts.archive)).all()


def test_a_platform_whose_archive_takes_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not above 0"):
        facts_of(replace(LAB, lab={**LAB.lab, "archive": {"rate": 0}}))
