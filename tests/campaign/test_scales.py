"""What a search learns from at smaller scales: which scales there are, and which configurations are run there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.campaign.points import Field
from acic.campaign.scales import PARTS, drawn, scales_of, size_of
from acic.platforms import load_platform
from acic.space import Configuration
from acic.units import KIB, MIB
from acic.workloads import Characteristics, Interface, Operation

WRITE = Characteristics(
    processes=64,
    io_processes=64,
    interface=Interface.MPIIO,
    iterations=1,
    data_size=16 * MIB,
    request_size=4 * MIB,
    operation=Operation.WRITE,
    collective=True,
    shared=True,
)
ALONE = replace(WRITE, io_processes=1, data_size=4 * MIB, collective=False, shared=False)


@st.composite
def phases(draw: st.DrawFn) -> Characteristics:
    few = st.integers(1, 9)
    io_processes, request = draw(few), draw(st.integers(1, 64)) * KIB
    return replace(
        WRITE,
        processes=io_processes + draw(few),
        io_processes=io_processes,
        iterations=draw(few),
        data_size=request * draw(few) + draw(st.integers(0, 1)) * (request // 2),
        request_size=request,
    )


@given(job=st.lists(phases(), min_size=1, max_size=3).map(tuple))
def test_scales_are_smaller_than_the_job_and_no_two_alike(job: tuple[Characteristics, ...]) -> None:
    scales = scales_of(job)
    assert list(scales) == [part for part in PARTS if part in scales]
    sizes = [size_of(job), *map(size_of, scales.values())]
    assert all(one not in sizes[:i] for i, one in enumerate(sizes))
    for scale in scales.values():
        pairs = list(zip(scale, job, strict=True))
        assert all(less == whole or less.total_bytes < whole.total_bytes for less, whole in pairs)
        assert any(less != whole for less, whole in pairs)


def test_a_job_that_cannot_be_made_smaller_has_no_smaller_scale() -> None:
    """It was run 42 times as it is, none of which counted as a run of it."""
    assert scales_of([ALONE]) == {}
    assert scales_of([replace(ALONE, data_size=8 * MIB)]) == {4: (ALONE,)}  # at a half the same
    assert scales_of([WRITE]).keys() == {4, 2}


def test_steps_of_one_request_each_become_fewer() -> None:
    """Such phases stayed as they are at any scale."""
    assert scales_of([replace(ALONE, iterations=100)]) == {
        4: (replace(ALONE, iterations=25),),
        2: (replace(ALONE, iterations=50),),
    }


def test_scales_are_told_by_all_phases_and_not_by_the_largest() -> None:
    """The largest one was alike at all: a run at one scale counted as the improvement on the baseline of another."""
    large = replace(ALONE, data_size=2**31, request_size=2**31)
    scales = scales_of([large, WRITE])
    assert [scale[0] for scale in scales.values()] == [large, large]
    assert len({tuple(size_of(one).values()) for one in (*scales.values(), (large, WRITE))}) == 3


@pytest.mark.parametrize("platform", ["tianhe-lustre", "ec2-2013", "lab"])
def test_what_is_learned_from_varies_every_parameter(platform: str) -> None:
    """The first few of the platform's file only: of tianhe-lustre's last one run in forty had another value."""
    field = Field(load_platform(platform), [WRITE])
    baseline = field.platform.baseline
    found = [drawn(field, 40, seed=seed) for seed in range(6)]
    assert all(len(set(one)) == 40 for one in found)
    assert not any(baseline.only(field.system.names) in one for one in found)

    def share(parameter: str, those: Sequence[Configuration]) -> float:
        return float(np.mean([one.get(parameter) != baseline.get(parameter) for one in those]))

    every, some = list(field.system.configurations()), [one for those in found for one in those]
    assert all(share(name, some) > share(name, every) / 3 for name in field.system.names)
