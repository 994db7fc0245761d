"""What a job takes no notice of is left out of what is measured of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acic.campaign.points import Field
from acic.errors import InvalidInput
from acic.filesystems.inert import inert
from acic.platforms import load_platform
from acic.space import Configuration, Parameter, Space
from acic.workloads import Characteristics, Interface, Operation
from tests.campaign.fakes import lab_platform
from tests.campaign.test_trials import READ, WRITE

POSIX = replace(WRITE, interface=Interface.POSIX)
ALONE = replace(WRITE, io_processes=1)
APART = replace(WRITE, shared=False)
COLLECTIVE = replace(READ, collective=True)


@pytest.mark.parametrize(
    ("workloads", "left_out"),
    [
        ((WRITE,), set()),
        ((POSIX,), {"romio_ds_write", "romio_no_indep_rw"}),
        ((READ,), {"files", "romio_ds_write"}),
        ((ALONE, APART), {"files"}),
        ((WRITE, READ, POSIX), set()),
    ],
)
def test_a_campaign_of_a_job_measures_nothing_that_it_takes_no_notice_of(
    workloads: tuple[Characteristics, ...], left_out: set[str]
) -> None:
    platform = lab_platform()
    assert set(inert(platform, workloads)) == left_out
    assert set(Field(platform, workloads).system.names) == set(platform.space.names) - left_out
    assert set(Field(platform).system.names) == set(platform.space.names)


@pytest.mark.parametrize(
    ("workloads", "left_out"),
    [
        ((POSIX, replace(POSIX, operation=Operation.READ)), {"cb_write", "cb_read", "ds_write", "ds_read"}),
        ((WRITE,), {"cb_write", "cb_read", "ds_read"}),
        ((READ,), {"cb_write", "cb_read", "ds_write"}),
        ((COLLECTIVE,), {"cb_write", "ds_write"}),
        ((WRITE, COLLECTIVE), {"cb_write"}),
        ((replace(WRITE, collective=True), READ), {"cb_read"}),
    ],
)
def test_hints_are_for_reads_or_writes_and_some_for_collective_calls(
    workloads: tuple[Characteristics, ...], left_out: set[str]
) -> None:
    assert set(inert(load_platform("tianhe-lustre"), workloads)) == {f"romio_{name}" for name in left_out}


@pytest.mark.parametrize(("workload", "left_out"), [(WRITE, "ind_rd_buffer_size"), (READ, "ind_wr_buffer_size")])
def test_buffers_of_data_sieving_are_for_reads_or_writes(workload: Characteristics, left_out: str) -> None:
    sizes = [2**19, 2**22]
    names = ("ind_rd_buffer_size", "ind_wr_buffer_size")
    platform = load_platform("tianhe-lustre")
    space = Space(tuple(Parameter(name=name, values=tuple(sizes)) for name in names))
    platform = replace(platform, space=space, baseline=Configuration(dict.fromkeys(names, sizes[0])))
    assert inert(platform, [workload]) == (left_out,)


def test_where_nothing_makes_a_difference_there_is_nothing_to_measure() -> None:
    with pytest.raises(InvalidInput, match="nothing that pretended chooses makes a difference to this job") as told:
        Field(lab_platform(), (replace(POSIX, shared=False),))
    assert "acic platform detect" in told.value.hint


def test_what_was_asked_for_is_measured_all_the_same() -> None:
    field = Field(lab_platform(), (APART,), {"files": "one per process"})
    rows = field.space.enumerate()
    assert {field.point(row).configuration["files"] for row in rows} == {"one per process"}
