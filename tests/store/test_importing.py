"""Imports: everything in a folder is either a measurement or a reason."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from acic.errors import InvalidInput, UnreadableInput
from acic.platforms import Platform
from acic.space import Value
from acic.store import Outcome
from acic.store.database import AddResult, Store
from acic.store.exchange import export
from acic.store.importing import ImportOptions, import_path, read_own
from acic.store.naming import NamingRule
from acic.workloads import Operation
from tests.store.samples import lustre, measurement

DATA = Path(__file__).parents[1] / "data" / "ior"
BOTH_WAYS = 8  # runs that wrote and read; two more went one way only


def folder(path: Path, **files: str) -> Path:
    """A folder of genuine outputs under other names: `name="source"`, each with its companions."""
    path.mkdir(exist_ok=True)
    for name, source in files.items():
        for suffix in ("json", "json.rc", "json.out", "json.err"):
            shutil.copy(DATA / f"{source}.{suffix}", path / f"{name}.{suffix}")
    return path


def test_one_file_is_a_measurement_per_direction(tianhe: Platform) -> None:
    report = import_path(DATA / "mpiio_coll.json", tianhe)
    assert [m.workload.operation for m in report.measurements] == [Operation.WRITE, Operation.READ]
    assert all(m.configuration == tianhe.baseline and m.outcome is Outcome.OK for m in report.measurements)
    assert all(m.platform == "tianhe-lustre" and m.revision == tianhe.revision for m in report.measurements)
    assert all(m.tool == "ior" and len(m.raw_sha256) == 64 for m in report.measurements)
    assert (report.files, report.failed, report.skipped) == (1, 0, ())


def test_a_folder_loses_nothing(tianhe: Platform) -> None:
    """Every file but the companions is a measurement, a failure, or a reason."""
    report = import_path(DATA, tianhe)
    accounted = {s.path.name for s in report.skipped}
    assert "README.md" in accounted
    assert {"fail_api.json", "fail_misaligned.txt", "dummy.json", "posix_shared.csv"} <= accounted
    good = [m for m in report.measurements if m.outcome is Outcome.OK]
    assert len(good) == 2 * (2 * BOTH_WAYS + 2)  # in JSON and in text
    assert report.failed == 8  # four failures tell their workload, in JSON and in text
    assert all(s.reason for s in report.skipped)


def test_one_damaged_file_does_not_end_the_import_of_a_folder(tianhe: Platform, tmp_path: Path) -> None:
    path = folder(tmp_path / "x", a="posix_fpp")
    text = (path / "a.json").read_text()
    (path / "b.json").write_text(re.sub(r'"bwMiB": [\d.]+', f'"bwMiB": {10**400}', text))
    report = import_path(path, tianhe)
    assert len(report.measurements) == 2
    assert [(s.path.name, s.reason) for s in report.skipped] == [("b.json", "has a number that makes no sense")]


def test_files_that_cannot_be_read_do_not_end_the_import_of_a_folder(tianhe: Platform, tmp_path: Path) -> None:
    """Not even root reads the beginning of a process's memory."""
    path = folder(tmp_path / "x", ost1="posix_shared", ost4="posix_writeonly")
    (path / "ost4.json.err").unlink()
    for name in ("notes.txt", "ost4.json.err"):
        (path / name).symlink_to("/proc/self/mem")
    report = import_path(path, tianhe, ImportOptions(rule=NamingRule("ost{stripe_count}.json")))
    assert {m.configuration["stripe_count"] for m in report.measurements} == {1}
    assert {s.path.name: s.reason for s in report.skipped} == {
        "notes.txt": f"cannot read {path}/notes.txt: Input/output error",
        "ost4.json": f"cannot read {path}/ost4.json.err: Input/output error",
    }


def test_a_file_that_may_not_be_looked_at_does_not_either(
    tianhe: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said by a fake, as root may look at everything: of a folder that may be listed, and not entered."""
    path = folder(tmp_path / "x", a="posix_fpp")
    shutil.copy(DATA / "posix_fpp.json", path / "b.json")
    stat = Path.stat

    def refusing(self: Path, **options: bool) -> os.stat_result:
        if self.name == "b.json":
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat(self, **options)

    monkeypatch.setattr(Path, "stat", refusing)
    report = import_path(path, tianhe)
    assert len(report.measurements) == 2
    assert [(s.path.name, s.reason) for s in report.skipped] == [
        ("b.json", f"cannot read {path}/b.json: Permission denied")
    ]


def test_what_is_not_looked_into_is_told(tianhe: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A colleague's closed folder, one that is a link, and what was purged behind a link, were left out in silence.

    The closed one is said by a fake, as root may look at everything.
    """
    path = folder(tmp_path / "x", a="posix_fpp")
    folder(tmp_path / "elsewhere", b="posix_shared")
    closed = folder(path / "closed", c="posix_shared")
    (path / "linked").symlink_to(tmp_path / "elsewhere")
    (path / "purged.json").symlink_to(tmp_path / "gone.json")
    (path / "a.json.rc").unlink()
    (path / "a.json.rc").symlink_to(tmp_path / "gone.rc")
    os.mkfifo(path / "pipe")
    scandir = os.scandir

    def refusing(place: str) -> Iterator[os.DirEntry[str]]:
        if place == str(closed):
            raise PermissionError(errno.EACCES, "Permission denied", place)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    report = import_path(path, tianhe)
    assert len(report.measurements) == 2
    nothing = "No such file or directory"
    assert {s.path.relative_to(path).as_posix(): s.reason for s in report.skipped} == {
        "a.json.rc": f"cannot read {path}/a.json.rc: {nothing}",
        "closed": "cannot be looked into: Permission denied",
        "linked": "is a link to a folder, and not followed: give that folder itself",
        "pipe": "is no regular file",
        "purged.json": f"cannot read {path}/purged.json: {nothing}",
    }
    assert [s.path for s in import_path(closed, tianhe).skipped] == [closed]


def test_names_tell_configurations(tianhe: Platform, tmp_path: Path) -> None:
    path = folder(tmp_path / "x", ost1="posix_shared", ost4="posix_writeonly", ost64="posix_fpp", notes="posix_fpp")
    report = import_path(path, tianhe, ImportOptions(rule=NamingRule("ost{stripe_count}.json")))
    assert {m.configuration["stripe_count"] for m in report.measurements} == {1, 4}
    assert {s.path.name: s.reason for s in report.skipped} == {
        "notes.json": "its name does not fit the rule ost{stripe_count}.json",
        "ost64.json": "this is no configuration of tianhe-lustre: stripe_count 64 is outside 1 to 32",
    }


def test_what_the_name_tells_goes_before_what_was_said(tianhe: Platform, tmp_path: Path) -> None:
    path = folder(tmp_path / "x", ost4="posix_writeonly")
    said: dict[str, Value] = {"stripe_count": 2, "romio_cb_write": "enable"}
    options = ImportOptions(rule=NamingRule("ost{stripe_count}.json"), configuration=said)
    (only,) = import_path(path, tianhe, options).measurements
    assert only.configuration == lustre(stripe_count=4, romio_cb_write="enable")


def test_suspect_figures_are_kept_and_marked(tianhe: Platform) -> None:
    options = ImportOptions(suspect=Operation.READ, timezone=timezone(timedelta(hours=8)), contributor="me")
    write, read = import_path(DATA / "posix_shared.json", tianhe, options).measurements
    assert (write.outcome, read.outcome) == (Outcome.OK, Outcome.SUSPECT)
    assert "suspect" in read.note
    assert read.bandwidth
    assert write.contributor == "me"
    assert write.time.utcoffset() == timedelta(hours=8)


def test_a_failed_read_stays_failed_though_reads_are_suspect(tianhe: Platform, tmp_path: Path) -> None:
    path = folder(tmp_path / "x", a="posix_readonly")
    (path / "a.json.rc").write_text("1")
    (only,) = import_path(path, tianhe, ImportOptions(suspect=Operation.READ)).measurements
    assert only.outcome is Outcome.FAILED


def test_what_files_do_not_tell_can_be_said(tianhe: Platform) -> None:
    options = ImportOptions(command="ior -a POSIX -b 4m -t 256k -s 2", revision="2022-01")
    write, _ = import_path(DATA / "posix_shared.csv", tianhe, options).measurements
    assert write.workload == import_path(DATA / "posix_shared.json", tianhe).measurements[0].workload
    assert write.revision == "2022-01"
    options = ImportOptions(command="ior -a POSIX", processes=2)
    (failed,) = import_path(DATA / "fail_api.json", tianhe, options).measurements
    assert failed.outcome is Outcome.FAILED
    assert "Unrecognized" in failed.note


def test_an_import_repeated_adds_nothing(tianhe: Platform, store: Store, tmp_path: Path) -> None:
    first = import_path(DATA, tianhe)
    again = import_path(Path(shutil.copytree(DATA, tmp_path / "copy", copy_function=shutil.copy2)), tianhe)
    assert store.add(first.measurements).duplicates == 0
    assert store.add(again.measurements) == AddResult(0, len(first.measurements))


def test_exchange_files_are_imported_too(tianhe: Platform, tmp_path: Path) -> None:
    theirs = [measurement(1), measurement(2, platform="ec2-2013")]
    for name in ("a.jsonl", "b.parquet"):
        export(theirs, tmp_path / name)
    (tmp_path / "c.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes()[:-20])
    report = import_path(tmp_path, tianhe, ImportOptions(rule=NamingRule("{stripe_count}.json")))
    assert report.measurements == (measurement(1), measurement(1))
    assert [s.path.name for s in report.skipped] == ["a.jsonl", "b.parquet", "c.jsonl"]
    assert "line 3" in report.skipped[2].reason


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (ImportOptions(configuration={"stripe_count": 4}), "--set"),
        (ImportOptions(suspect=Operation.READ), "--suspect"),
        (ImportOptions(revision="1999-01", contributor="me"), "--revision and --contributor"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_in_a_folder_exchange_files_are_not_said_to_be_otherwise(
    tianhe: Platform, tmp_path: Path, options: ImportOptions, named: str
) -> None:
    path = folder(tmp_path / "x", a="posix_shared")
    export([measurement(1)], path / "b.jsonl")
    report = import_path(path, tianhe, options)
    assert {m.tool for m in report.measurements} == {"ior"}
    assert [(s.path.name, s.reason) for s in report.skipped] == [("b.jsonl", f"an exchange file tells {named} itself")]
    with pytest.raises(InvalidInput, match=f"an exchange file tells {named} itself") as caught:
        import_path(path / "b.jsonl", tianhe, options)
    assert "import it without" in caught.value.hint


@pytest.mark.parametrize("text", ["exchange", "ior"])
def test_what_can_be_read_once_only_is_refused(tianhe: Platform, tmp_path: Path, text: str) -> None:
    """A pipe gave its head to the look at what it is, and the rest made no sense."""
    export([measurement(1)], tmp_path / "a.jsonl")
    source = tmp_path / "a.jsonl" if text == "exchange" else DATA / "mpiio_coll.json"
    with subprocess.Popen(["cat", source], stdout=subprocess.PIPE) as cat:
        assert cat.stdout is not None
        pipe = Path(f"/dev/fd/{cat.stdout.fileno()}")
        for ask in (lambda: import_path(pipe, tianhe), lambda: read_own(pipe)):
            with pytest.raises(UnreadableInput, match="is no regular file") as caught:
                ask()
            assert "copy" in caught.value.hint
        assert cat.stdout.read() == source.read_bytes()
    with source.open("rb") as file:
        assert import_path(Path(f"/dev/fd/{file.fileno()}"), tianhe).measurements


def test_what_does_not_fit_the_platform_is_imported_and_told(tianhe: Platform, tmp_path: Path) -> None:
    """Another platform file may have been in use where it was measured."""
    them = [measurement(1), measurement(2, configuration=lustre(stripe_count=100)), measurement(3)]
    export(them, tmp_path / "a.jsonl")
    report = import_path(tmp_path / "a.jsonl", tianhe)
    assert report.measurements == tuple(them)
    assert report.unfit == {"stripe_count 100 is outside 1 to 32": 1}
    assert import_path(DATA / "mpiio_coll.json", tianhe).unfit == {}


def test_one_file_that_cannot_be_read_is_an_error(tianhe: Platform, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        import_path(DATA / "README.md", tianhe)
    with pytest.raises(UnreadableInput, match="No such file"):
        import_path(tmp_path / "nowhere", tianhe)
    with pytest.raises(UnreadableInput, match="No such file"):
        import_path(tmp_path / "nowhere", tianhe, ImportOptions(rule=NamingRule("{stripe_count}")))


def test_what_no_machine_gives_is_refused_with_its_place(tianhe: Platform, tmp_path: Path) -> None:
    """1e300 MiB/s were imported without a word, and taught models."""
    path = folder(tmp_path / "x", a="mpiio_coll", b="posix_shared")
    text = (path / "a.json").read_text()
    told = re.findall(r'"bwMiB": ([\d.]+)', text)
    (path / "a.json").write_text(text.replace(f'"bwMiB": {told[0]}', '"bwMiB": 1e300', 1))
    with pytest.raises(InvalidInput, match=r"a.json cannot be right: write repetition 1 has 1.*e\+306 B/s") as caught:
        import_path(path / "a.json", tianhe)
    assert "correct its bandwidth" in caught.value.hint
    report = import_path(path, tianhe)
    assert [s.path.name for s in report.skipped] == ["a.json"]
    assert report.skipped[0].reason.startswith("cannot be right: write repetition 1")
    assert len(report.measurements) == 2


def test_options_that_do_not_fit_the_platform_are_refused_at_once(tianhe: Platform) -> None:
    with pytest.raises(InvalidInput):
        import_path(DATA, tianhe, ImportOptions(rule=NamingRule("{colour}.json")))
    with pytest.raises(InvalidInput):
        import_path(DATA, tianhe, ImportOptions(configuration={"stripe_count": 1000}))


def test_an_empty_folder_gives_an_empty_report(tianhe: Platform, tmp_path: Path) -> None:
    assert import_path(tmp_path, tianhe).measurements == ()


def test_progress_is_told(tianhe: Platform) -> None:
    told: list[int] = []
    report = import_path(DATA, tianhe, progress=told.append)
    assert told == list(range(1, report.files + 1))
