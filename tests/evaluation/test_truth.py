"""Ground truth comes back from its file as it was, and says how much there is to choose."""

import errno
import re
from dataclasses import replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import AcicError, MissingData, UnreadableInput
from acic.evaluation.field import field_of, table_of
from acic.evaluation.truth import Run, read_truth, write_truth
from acic.platforms import load_platform
from acic.space import Configuration, Value
from acic.store.measurement import Outcome

LAB = load_platform("lab")
ALL = list(LAB.space.configurations())
SECONDS = st.floats(0.01, 1e4)


def run(
    kernel: str, configuration: Configuration, seconds: float | None, *, staged: float = 0.0, **more: object
) -> Run:
    return Run(
        kernel=kernel,
        scale="small",
        configuration=configuration,
        repetition=0,
        time=datetime(2026, 11, 21, tzinfo=UTC),
        outcome=Outcome.OK if seconds is not None else Outcome.FAILED,
        seconds=seconds,
        staged=staged,
        **more,  # type: ignore[arg-type]  # checked by the callee
    )


@given(
    st.lists(
        st.builds(
            run,
            st.sampled_from(["btio", "pop"]),
            st.sampled_from(ALL),
            st.one_of(st.none(), SECONDS),
            staged=SECONDS,
            io=st.one_of(st.none(), SECONDS),
            note=st.text(),
            staged_bytes=st.integers(0, 2**60),
        )
    )
)
def test_runs_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, runs: list[Run]) -> None:
    path = tmp_path_factory.mktemp("truth") / "t.parquet"
    write_truth(runs, path)
    assert read_truth(path) == runs
    assert [Run.of(r.content()) for r in runs] == runs


def test_another_file_is_no_ground_truth(tmp_path: Path) -> None:
    for name, content in (("a", b""), ("b", b"PAR1"), ("c", b"kernel,scale\n")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UnreadableInput):
            read_truth(tmp_path / name)
    pq.write_table(pa.table({"kernel": ["btio"]}), tmp_path / "d")
    with pytest.raises(UnreadableInput, match="no ground truth"):
        read_truth(tmp_path / "d")


def test_the_best_the_fixed_and_its_regret_are_those_counted_by_hand() -> None:
    one, two, three = ALL[:3]
    times = {"a": (10.0, 20.0, 11.0), "b": (20.0, 10.0, 11.0), "c": (10.0, 30.0, 11.0)}
    runs = [run(k, c, t) for k, row in times.items() for c, t in zip((one, two, three), row, strict=True)]
    field = field_of(table_of(runs, LAB, "time"))
    assert field.best == {("a", "small"): one, ("b", "small"): two, ("c", "small"): one}
    assert field.distinct == 2
    assert field.fixed == three
    assert field.regret == pytest.approx({("a", "small"): 0.1, ("b", "small"): 0.1, ("c", "small"): 0.1})
    assert field.spread[("c", "small")] == pytest.approx(3.0)


def test_medians_count_staging_and_no_failure_whose_second_try_went_well() -> None:
    one, two = ALL[:2]
    runs = [run("a", one, 1.0, staged=4.0), run("a", one, 2.0), run("a", one, 9.0), run("a", one, None)]
    table = table_of([*runs, run("a", two, None)], LAB, "time")
    values = dict(zip(table.configurations, table.values[0], strict=True))
    assert values == {one: 5.0, two: float("inf")}
    assert field_of(table).fixed == one


def test_what_fails_in_half_of_the_passes_is_no_choice() -> None:
    """One good run of three was all that counted: what fails most of the time was the best."""
    one, two = ALL[:2]
    usual = [replace(run("a", one, 10.0), repetition=i) for i in range(3)]
    flaky = [replace(run("a", two, 5.0 if i == 0 else None), repetition=i) for i in range(3)]
    field = field_of(table_of([*usual, *flaky], LAB, "time"))
    assert field.best["a", "small"] == one
    once = [replace(run("a", two, 5.0 + i if i else None), repetition=i) for i in range(3)]
    table = table_of([*usual, *once], LAB, "time")
    assert dict(zip(table.configurations, table.values[0], strict=True)) == {one: 10.0, two: 7.0}  # of 6, 7 and inf


def test_an_application_that_ran_well_nowhere_hides_no_other() -> None:
    """Its regret was no number, and so the first configuration was taken for the best one for all."""
    one, two = ALL[:2]
    runs = [run("a", one, 9.0), run("a", two, 1.0), run("b", one, None), run("b", two, None)]
    field = field_of(table_of(runs, LAB, "time"))
    assert (field.fixed, set(field.best)) == (two, {("a", "small")})
    with pytest.raises(MissingData, match="no application ran well"):
        field_of(table_of(runs[2:], LAB, "time"))


def test_of_configurations_that_all_failed_somewhere_the_one_that_did_so_least_is_for_all() -> None:
    one, two = ALL[:2]
    times = {"a": (1.0, None), "b": (None, 5.0), "c": (None, 5.0)}
    runs = [run(k, c, t) for k, row in times.items() for c, t in zip((one, two), row, strict=True)]
    assert field_of(table_of(runs, LAB, "time")).fixed == two


def test_a_configuration_that_gave_wrong_bytes_once_is_no_choice() -> None:
    one, two = ALL[:2]
    wrong = replace(run("a", one, None), outcome=Outcome.CORRUPT)
    field = field_of(table_of([run("a", one, 1.0), wrong, run("a", one, 1.0), run("a", two, 9.0)], LAB, "time"))
    assert field.best["a", "small"] == two


def test_a_configuration_that_some_application_lacks_is_no_choice() -> None:
    one, two = ALL[:2]
    runs = [run("a", one, 5.0), run("b", one, 5.0), run("a", two, 1.0)]
    assert set(field_of(table_of(runs, LAB, "time")).best.values()) == {one}
    with pytest.raises(MissingData):
        field_of(table_of([], LAB, "time"))


def test_cost_counts_servers_of_their_own_and_disks_that_are_paid() -> None:
    base: dict[str, Value] = {
        "instance_type": "lab.1g",
        "file_system": "GlusterFS",
        "servers": 4,
        "stripe_size": 2**22,
        "raid_devices": 2,
    }
    part, own = (Configuration(base, device="ephemeral", placement=p) for p in ("part-time", "dedicated"))
    paid = Configuration(base, device="EBS", placement="part-time")
    table = table_of([run("a", c, 3600.0) for c in (part, own, paid)], LAB, "cost")
    dollars = dict(zip(table.configurations, table.values[0], strict=True))
    assert dollars == pytest.approx({part: 4 * 2.40, own: 8 * 2.40, paid: 4 * 2.40 + 8 * 0.43})


def test_what_cannot_be_written_whole_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "truth.parquet"
    file.write_text("old")

    def full(_table: object, where: BinaryIO, **_options: object) -> None:
        where.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    with pytest.raises(AcicError, match="No space left"):
        write_truth([], file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_the_data_sheet_tells_how_the_runs_of_every_file_ended() -> None:
    """It told of 28 runs that gave wrong bytes, where there were 309."""
    sheet = (Path(__file__).parents[2] / "docs" / "lab-data.md").read_text()
    told = {
        name: [int(count.replace(",", "")) for count in counts.split(" | ")]
        for name, counts in re.findall(r"^\| `([a-z0-9-]+)` \| ([\d,]+(?: \| [\d,]+){3}) \|$", sheet, re.MULTILINE)
    }
    found = {}
    for file in resources.files("acic.evaluation").joinpath("data").iterdir():
        if file.name.endswith(".parquet"):
            with resources.as_file(file) as path:
                ended = [one.outcome for one in read_truth(path)]
            outcomes = (Outcome.OK, Outcome.FAILED, Outcome.CORRUPT)
            found[path.stem] = [len(ended), *(ended.count(outcome) for outcome in outcomes)]
    assert told == found


def test_what_is_no_file_is_said_to_be_none() -> None:
    with pytest.raises(UnreadableInput, match="cannot read /dev/null: it is no file"):
        read_truth(Path("/dev/null"))
