"""What comes with acic: whole, documented, and made of the raw data by the imports that its sheet lists."""

from __future__ import annotations

import sys
import zoneinfo
from collections import Counter
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms import Platform, load_platform
from acic.store import Basis, Outcome
from acic.store.bundled import bundled
from acic.store.content import fingerprint
from acic.store.data_sheets import DataSheet, parse_data_sheet, rebuild
from acic.store.exchange import SUFFIXES
from acic.store.timezones import parse_timezone
from acic.workloads import Operation

SHARED = Path(__file__).parents[3] / "shared" / "data" / "oprael" / "raw"
LARGEST = 1.5e6  # B
FOLDER = resources.files("acic.store").joinpath("data")
NAMES = sorted(f.name.removesuffix(end) for f in FOLDER.iterdir() for end in SUFFIXES if f.name.endswith(end))


def data_sheet(name: str) -> DataSheet:
    return parse_data_sheet(FOLDER.joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def test_every_file_has_a_sheet_and_the_other_way_round() -> None:
    assert "tianhe-lustre" in NAMES
    sheets = [f.name for f in FOLDER.iterdir() if f.name.endswith(".toml")]
    assert sorted(sheets) == [f"{name}.toml" for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_says_where_from_whose_and_when(name: str) -> None:
    sheet = data_sheet(name)
    assert sheet.platform == name
    assert sheet.source
    assert sheet.licence
    assert sheet.date
    assert sheet.about
    assert sheet.imports or "acic train" in sheet.about  # made of others' files, or measured by us


@pytest.mark.parametrize("name", NAMES)
def test_bundled_measurements_are_small_valid_and_distinct(name: str) -> None:
    platform = load_platform(name)
    them = bundled(platform)
    assert them
    assert len({fingerprint(m) for m in them}) == len(them)
    for m in them:
        assert m.platform == name
        assert m.basis is Basis.MEASURED
        assert not platform.space.problem(m.configuration)
        assert m.contributor
        assert len(m.raw_sha256) == 64 or m.outcome is Outcome.TIMEOUT  # what was cut off printed nothing
    (file,) = (f for f in FOLDER.iterdir() if f.name in (f"{name}.jsonl", f"{name}.parquet"))
    assert len(file.read_bytes()) < LARGEST


def test_platforms_without_measurements_have_none() -> None:
    assert bundled(load_platform("ec2-2013")) == []


def test_the_tianhe_data_are_what_the_sheet_says(tianhe: Platform) -> None:
    them = bundled(tianhe)
    kinds = Counter((m.workload.operation, m.outcome) for m in them)
    assert kinds == {
        (Operation.WRITE, Outcome.OK): 258 + 30 + 30 + 25 + 4 + 5,  # Fig-19, 10, 8, 9, and the defaults of 14 and 15
        (Operation.READ, Outcome.SUSPECT): 30 + 30 + 25,
    }
    assert all(len(m.repetitions) == 10 for m in them)
    fig_19 = [m for m in them if m.workload.data_size == 100 * 2**20]
    assert len(fig_19) == len({m.configuration for m in fig_19}) == 258
    first = min(them, key=lambda m: m.time)
    assert first.time.astimezone(parse_timezone("+08:00")).isoformat() == "2023-02-11T14:27:26+08:00"


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the raw data of OPRAEL are not beside the project ({SHARED.name})")
def test_the_raw_data_give_the_same_again(tianhe: Platform) -> None:
    sheet = data_sheet("tianhe-lustre")
    assert rebuild(sheet, SHARED, tianhe) == bundled(tianhe)


def test_a_rebuild_accounts_for_every_file(tianhe: Platform, tmp_path: Path) -> None:
    sheet = data_sheet("tianhe-lustre")
    for step in sheet.imports:
        (tmp_path / step["path"]).mkdir(parents=True)
    assert rebuild(sheet, tmp_path, tianhe) == []
    (tmp_path / sheet.imports[0]["path"] / "surprise.json").write_text("{}")
    with pytest.raises(UnreadableInput, match="surprise"):
        rebuild(sheet, tmp_path, tianhe)


def test_a_sheet_that_lacks_something_is_refused() -> None:
    with pytest.raises(InvalidInput, match="title"):
        parse_data_sheet('platform = "x"')
    with pytest.raises(UnreadableInput, match="TOML"):
        parse_data_sheet("platform = ")


def test_timezones_are_offsets_or_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_timezone("+08:00").utcoffset(None) == timedelta(hours=8)
    assert parse_timezone("Z").utcoffset(None) == timedelta()
    assert parse_timezone("UTC").utcoffset(None) == timedelta()
    berlin = parse_timezone("Europe/Berlin")
    for month, hours in ((1, 1), (7, 2)):
        assert datetime(2026, month, 1, tzinfo=berlin).utcoffset() == timedelta(hours=hours)
    for wrong in ("", "CST", "+8 hours", "Europe", "../Europe/Berlin", "a\0", "noon"):
        with pytest.raises(InvalidInput, match="is no offset from UTC") as caught:
            parse_timezone(wrong)
        assert "or a name" in caught.value.hint
    for package in ("tzdata", "tzdata.zoneinfo", "tzdata.zoneinfo.Europe"):
        monkeypatch.setitem(sys.modules, package, None)
    zoneinfo.ZoneInfo.clear_cache()
    zoneinfo.reset_tzpath(to=[])
    try:
        assert parse_timezone("UTC").utcoffset(None) == timedelta()
        with pytest.raises(InvalidInput, match="'Europe/Berlin' is no offset") as caught:
            parse_timezone("Europe/Berlin")
        assert "this machine has no list of named timezones" in caught.value.hint
    finally:
        zoneinfo.reset_tzpath()
