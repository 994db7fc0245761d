"""Lessons come back as they were written; what is none is refused with one clear error."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms import load_platform
from acic.prior import Use
from acic.store.lessons import Lesson, bundled_lessons, lessons_hash, read_lessons, write_lessons
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation

READ = Characteristics(
    processes=8,
    io_processes=4,
    interface=Interface.POSIX,
    iterations=3,
    data_size=2 * MIB,
    request_size=MIB,
    operation=Operation.READ,
    collective=False,
    shared=True,
    access=Access.STRIDED,
)
LESSON = Lesson(
    application="sketch-007",
    phases=((READ, Use(pauses=2, pause=0.25, syncs=0)),),
    configuration=load_platform("lab").baseline,
    seconds=2.5,
    io=1.5,
    time=datetime(2026, 11, 25, 7, 30, tzinfo=UTC),
)
USES = st.builds(
    Use,
    files=st.none() | st.integers(1, 1000),
    syncs=st.none() | st.integers(0, 1000),
    pauses=st.integers(0, 100),
    pause=st.floats(0.0, 100.0),
    own=st.booleans(),
    gathered=st.booleans(),
)


@given(uses=st.lists(USES, min_size=1, max_size=4), io=st.floats(1e-6, 10.0), more=st.floats(0.0, 10.0))
def test_any_lesson_comes_back_as_it_was(uses: list[Use], io: float, more: float) -> None:
    one = replace(LESSON, phases=tuple((READ, use) for use in uses), io=io, seconds=io + more)
    assert Lesson.of(one.content()) == one


def test_a_file_of_lessons_comes_back(tmp_path: Path) -> None:
    lessons = [LESSON, replace(LESSON, application="sketch-008", seconds=3.0)]
    write_lessons(lessons, tmp_path / "a.parquet")
    assert read_lessons(tmp_path / "a.parquet") == lessons


@pytest.mark.parametrize("change", [{"phases": ()}, {"io": 0.0}, {"io": 3.0}, {"seconds": float("nan")}])
def test_what_cannot_have_been_is_no_lesson(change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="sketch-007 has"):
        replace(LESSON, **change)  # type: ignore[arg-type]  # what is wrong is the point


def test_what_holds_no_lessons_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(UnreadableInput, match="cannot read"):
        read_lessons(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(UnreadableInput, match="has no lessons"):
        read_lessons(path)
    write_lessons([LESSON], path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableInput, match="cannot read"):
        read_lessons(path)


def test_those_that_come_with_acic_are_of_their_platform() -> None:
    lab = load_platform("lab")
    lessons = bundled_lessons("lab")
    assert len({one.application for one in lessons}) > 200
    assert not any(lab.space.problem(one.configuration) for one in lessons)
    assert {one.application for one in lessons if one.configuration == lab.baseline} == {
        one.application for one in lessons
    }
    assert lessons_hash("lab")


def test_other_platforms_have_none() -> None:
    assert bundled_lessons("tianhe-lustre") == []
    assert lessons_hash("tianhe-lustre") == ""
