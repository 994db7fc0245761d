"""`acic data`: measurements in and out."""

import gzip
import hashlib
import os
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from acic.cli.data_shown import fields, row
from acic.platforms import here, load_platform
from acic.platforms.here import Machine, doubts
from acic.platforms.mounts import Storage
from acic.platforms.own_file import kept_file
from acic.store import Basis, Measurement, Outcome
from acic.store.bundled import bundled
from acic.store.database import Store
from acic.store.exchange import export, read_exchange
from acic.store.plausible import contradictory
from acic.units import format_bytes
from acic.workloads import Access
from tests.cli.conftest import DATA, Result
from tests.cli.documented import check_fields
from tests.store.samples import MIB, failure, lustre, measurement, measurements, workload

Acic = Callable[..., Result]
IOR = DATA / "ior"
WHERE = ("--platform", "tianhe-lustre")
EMPTY = ("--platform", "ec2-2013")


def test_an_import_can_be_repeated(acic: Acic) -> None:
    first = acic("data", "import", IOR / "mpiio_coll.json", *WHERE, "--json").json
    check_fields("data import", first)
    again = acic("data", "import", IOR / "mpiio_coll.json", *WHERE, "--json").json
    assert (first["added"], first["duplicates"]) == (2, 0)
    assert (again["added"], again["duplicates"]) == (0, 2)


def test_an_import_that_judges_what_is_known_otherwise_says_so(acic: Acic) -> None:
    words = ("data", "import", IOR / "mpiio_coll.json", *WHERE)
    assert acic(*words).status == 0
    for more, number in (
        ((), 0),
        (("--suspect", "read"), 1),
        (("--timezone", "+02:00"), 2),
        (("--contributor", "me", "--revision", "2025-01"), 2),
    ):
        found = acic(*words, *more)
        assert found.out.endswith("0 new, 2 known already\n")
        assert (f"note: {number} of those known already" in found.err) == bool(number)
        assert "judged_otherwise" in (told := acic(*words, *more, "--json").json)
        assert told["judged_otherwise"] == number
    assert acic(*words, "--contributor", "me", "--dry-run", "--json").json["judged_otherwise"] == 2


def test_figures_in_another_unit_and_times_to_come_are_told(acic: Acic, tmp_path: Path) -> None:
    """They went in without a word, though such a measurement contradicts itself: it moves a thousand times its data."""
    some = [m for m in bundled(load_platform("tianhe-lustre")) if m.outcome is Outcome.OK][:5]
    faster = [
        replace(m, repetitions=tuple(replace(r, bandwidth=1000 * (r.bandwidth or 0)) for r in m.repetitions))
        for m in some
    ]
    longer = [
        replace(m, repetitions=tuple(replace(r, seconds=1e6 * (r.seconds or 0)) for r in m.repetitions)) for m in some
    ]
    later = [replace(m, time=m.time.replace(year=2999)) for m in some[:3]]
    for told, wrong, to_come in ((some, 0, 0), (faster, 5, 0), (longer, 5, 0), (later, 0, 3)):
        export(told, path := tmp_path / "all.jsonl")
        found = acic("data", "import", path, "--dry-run", "--json")
        assert (found.json["contradictory"], found.json["to_come"]) == (wrong, to_come)
        assert (f"note: {wrong} of them contradict themselves" in found.err) == bool(wrong)
        assert (f"note: {to_come} of them have a time that is still to come" in found.err) == bool(to_come)


def test_what_a_run_tells_of_its_bandwidth_and_seconds_is_taken_as_it_is(acic: Acic) -> None:
    """Whatever IOR counts to its seconds: opening and closing too, or the requests alone."""
    assert acic("data", "import", IOR, *WHERE, "--json").json["contradictory"] == 0
    assert contradictory(bundled(load_platform("lab"))) == 0


def test_one_run_with_two_configurations_is_told_and_can_be_taken_out(acic: Acic) -> None:
    """It was counted twice without a word: what came out was known of either."""
    for name in ("mpiio_coll.json", "fail_enospc.txt"):
        words = ("data", "import", IOR / name, *WHERE)
        assert "another configuration" not in acic(*words).err
        assert "another configuration" not in acic(*words).err
        found = acic(*words, "--set", "stripe_count=4")
        number = len(acic("data", "list", "--limit", 9, "--json").json["measurements"]) // 2
        assert f"note: {number} of them are in the store with another configuration too" in found.err
        assert "acic data remove --file" in found.err
        assert acic(*words, "--json").json["configured_otherwise"] == number
        assert acic("data", "remove", "--file", IOR / name).out == f"{2 * number} removed\n"
        assert acic(*words, "--set", "stripe_count=4", "--json").json["configured_otherwise"] == 0
        assert acic("data", "remove", "--file", IOR / name).status == 0


def test_a_wrong_import_can_be_taken_out(acic: Acic, tmp_path: Path) -> None:
    right, wrong = IOR / "mpiio_coll.json", IOR / "posix_fpp.json"
    for file, who in ((right, "alice"), (wrong, "bob")):
        assert acic("data", "import", file, *WHERE, "--contributor", who, "--revision", f"of {who}").status == 0
    everything = tmp_path / "all.jsonl"
    assert acic("data", "export", everything).status == 0
    ids = {m["measurement"]["contributor"]: m["id"] for m in _listed(acic)}
    for filters, left in (
        ([ids["bob"][:12]], {"alice": 2, "bob": 1}),
        (["--contributor", "bob"], {"alice": 2}),
        (["--revision", "of alice", *WHERE], {"bob": 2}),
        (["--file", wrong], {"alice": 2}),
        (["--file", everything, "--contributor", "alice"], {"bob": 2}),
        ([*WHERE], {}),
    ):
        tried = acic("data", "remove", *filters, "--dry-run")
        assert (tried.status, "none removed (dry run)" in tried.out) == (0, True)
        found = acic("data", "remove", *filters, "--json").json
        assert found["found"] == found["removed"] == len(found["ids"]) == 4 - sum(left.values())
        assert Counter(m["measurement"]["contributor"] for m in _listed(acic)) == left
        assert acic("data", "import", everything).status == 0
        assert len(_listed(acic)) == 4


def test_a_folder_that_was_imported_can_be_taken_out(acic: Acic, tmp_path: Path) -> None:
    """It took a command a file; of several files the last alone was taken, without a word."""
    assert acic("data", "import", IOR / "posix_fpp.txt", *WHERE).status == 0
    before = _listed(acic)
    folder = tmp_path / "outputs" / "deeper"
    shutil.copytree(IOR, folder, ignore=shutil.ignore_patterns("posix_fpp.txt", "*.csv*", "dummy*", "fail_*"))
    (folder / "empty.json").touch()
    added = acic("data", "import", folder.parent, *WHERE, "--json").json["added"]
    two = acic(
        "data", "remove", *("--file", folder / "mpiio_coll.json"), *("--file", folder / "mpiio_indep.txt"), "--json"
    )
    assert two.json["removed"] == 4
    assert acic("data", "remove", "--file", folder.parent, "--json").json["removed"] == added - 4
    assert _listed(acic) == before
    (folder / "linked").symlink_to(IOR)
    nothing = acic("data", "remove", "--file", folder.parent)
    assert (nothing.status, f"skipped {folder}/linked: is a link to a folder" in nothing.err) == (4, True)


def test_an_import_is_undone_without_what_was_there_before(acic: Acic, tmp_path: Path) -> None:
    """A file of what is known and new could be taken out whole, or one measurement after the other."""
    for file in ("mpiio_coll.json", "posix_fpp.json"):
        assert acic("data", "import", IOR / file, *WHERE).status == 0
    path = tmp_path / "all.jsonl"
    assert acic("data", "export", path).status == 0
    assert acic("data", "remove", "--file", IOR / "posix_fpp.json").status == 0
    before = _listed(acic)
    told = acic("data", "import", path)
    undo = re.search(r"`acic (data remove --import [0-9a-f]+\.\d+-[0-9a-f]+\.\d+)` takes out", told.err)
    assert undo
    words = undo[1].split()
    assert acic(*words, "--dry-run").out == "2 measurements found, none removed (dry run)\n"
    assert acic(*words, "--contributor", "another").status == 4
    assert acic(*words).out == "2 removed\n"
    assert _listed(acic) == before
    gone = acic(*words)
    assert (gone.status, "is gone" in gone.err) == (4, True)
    again = acic("data", "import", path, "--json").json["import"]
    assert re.sub(r"\.\d+", "", again) == re.sub(r"\.\d+", "", words[-1])
    assert again != words[-1]
    assert acic("data", "import", path, "--json").json["import"] is None
    assert acic("data", "remove", "--import", "4f2a").status == 2


@pytest.mark.parametrize("end", [0, -1], ids=["first", "last"])
def test_an_import_whose_end_was_corrected_takes_nothing_of_others(acic: Acic, tmp_path: Path, end: int) -> None:
    """The end stood behind what a colleague had imported since, and all of that was removed, too."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("mpiio_coll.json", "posix_fpp.json"):
        shutil.copy(IOR / name, folder)
    name = acic("data", "import", folder, *WHERE, "--json").json["import"]
    assert acic("data", "import", IOR / "hdf5_fpp.json", *WHERE, "--contributor", "bob").status == 0
    wrong = sorted(folder.iterdir())[end]
    assert acic("data", "remove", "--file", wrong).out == "2 removed\n"
    assert acic("data", "import", wrong, *WHERE, "--contributor", "alice").status == 0
    refused = acic("data", "remove", "--import", name)
    assert (refused.status, "is gone, or was removed and put back" in refused.err) == (4, True)
    assert len(_listed(acic)) == 6


def test_a_packed_output_is_known_and_taken_out_as_what_it_was(acic: Acic, tmp_path: Path) -> None:
    packed = tmp_path / "4.json.gz"
    packed.write_bytes(gzip.compress((IOR / "mpiio_coll.json").read_bytes()))
    words = ("data", "import", tmp_path, *WHERE, "--rule", "{stripe_count}.json")
    assert acic(*words).out.endswith("2 new, 0 known already\n")
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE, "--set", "stripe_count=4").out.endswith(
        "0 new, 2 known already\n"
    )
    assert acic("data", "remove", "--file", packed).out == "2 removed\n"


def test_an_import_beside_a_damaged_measurement_names_it(acic: Acic, tmp_path: Path) -> None:
    """It was a mistake of acic's, status 70."""
    text = (IOR / "mpiio_coll.json").read_text()
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE).status == 0
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as database, database:
        database.execute("UPDATE acic_measurement SET configuration = '{' WHERE operation = 'read'")
    copy = tmp_path / "copy.json"
    copy.write_text(f"{text}\n")
    refused = acic("data", "import", copy, *WHERE)
    remedy = re.search("`acic (data remove [0-9a-f]+)`", refused.err)
    assert (refused.status, "is damaged: measurement" in refused.err) == (5, True)
    assert remedy
    assert acic(*remedy[1].split()).out == "1 removed\n"
    assert acic("data", "import", copy, *WHERE).out.endswith("1 new, 1 known already\n")


def test_what_is_to_be_removed_is_told_by_contributor(acic: Acic, tmp_path: Path) -> None:
    """A file of another site held one's own measurements, and its removal took them out, too."""
    for file, who in (("mpiio_coll.json", "alice"), ("posix_fpp.json", ""), ("posix_readonly.json", "bob")):
        assert acic("data", "import", IOR / file, *WHERE, "--contributor", who).status == 0
    path = tmp_path / "all.jsonl"
    assert acic("data", "export", path).status == 0
    words = ("data", "remove", "--file", path)
    whom = "2 of alice, 2 unnamed, 1 of bob"
    assert acic(*words, "--dry-run").out == f"5 measurements found, none removed (dry run): {whom}\n"
    printed = acic(*words, "--dry-run", "--json").json
    check_fields("data remove", printed)
    assert printed["contributors"] == {"alice": 2, "": 2, "bob": 1}
    assert acic(*words, "--contributor", "bob").out == "1 removed: 1 of bob\n"


def test_an_export_tells_whose_names_it_hands_out_or_gives_another(acic: Acic, tmp_path: Path) -> None:
    for file, who in (("mpiio_coll.json", "root"), ("posix_fpp.json", "")):
        assert acic("data", "import", IOR / file, *WHERE, "--contributor", who).status == 0
    path = tmp_path / "all.jsonl"
    assert "note: it names its contributors: (unnamed), root; --contributor" in acic("data", "export", path).err
    assert "note: it names" not in (found := acic("data", "export", path, "--contributor", "hpc@site")).err
    assert found.status == 0
    assert {m.contributor for m in read_exchange(path)} == {"hpc@site"}
    assert acic("data", "import", path).out.endswith("0 new, 4 known already\n")
    assert "note: it names" not in acic("data", "export", path, "--bundled", *WHERE).err


def _listed(acic: Acic) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = acic("data", "list", "--limit", 9, "--json").json["measurements"]
    return found


def test_nothing_is_removed_that_nobody_named(acic: Acic) -> None:
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE).status == 0
    for words, status, said in (
        ([], 2, "nothing says which measurements to remove"),
        (["--dry-run"], 2, "nothing says which measurements to remove"),
        (["--contributor", "nobody"], 4, "no measurement in the store matches"),
        (["--platform", "lab"], 4, "no measurement in the store matches"),
        (["--file", IOR / "missing.json"], 3, "cannot read"),
        (["--file", DATA / "orangefs"], 4, "no measurement in the store matches"),
        (["beef"], 4, "no measurement is called beef"),
        (["xyz"], 2, "is no fingerprint"),
    ):
        found = acic("data", "remove", *words)
        assert (found.status, found.out) == (status, ""), words
        assert said in found.err
        assert "hint: " in found.err
    assert len(_listed(acic)) == 2


@pytest.mark.parametrize("said", ["", "ERROR: block size must be a multiple of transfer size, (ior.c:1520)\n"])
def test_an_output_without_time_or_figure_is_not_told_from_those_of_others(
    acic: Acic, tmp_path: Path, said: str
) -> None:
    alike = hashlib.sha256(said.encode()).hexdigest()
    with Store.open(str(tmp_path / "store.sqlite")) as store:
        store.add(failure(i, raw_sha256=alike, contributor=who) for i, who in enumerate(("alice", "bob")))
    (tmp_path / "mine.txt").write_text(said)
    for more in ([], ["--contributor", "alice"], ["--dry-run"]):
        found = acic("data", "remove", "--file", tmp_path / "mine.txt", *more)
        assert (found.status, found.out) == (2, "")
        assert "mine.txt tells neither a time nor a figure" in found.err
        assert "hint: give the ID" in found.err
    assert len(_listed(acic)) == 2


def test_a_failed_run_that_tells_when_it_was_is_taken_out_by_its_file(acic: Acic) -> None:
    for name in ("fail_enospc.txt", "fail_nodir.txt"):
        assert acic("data", "import", IOR / name, *WHERE).status == 0
    assert acic("data", "remove", "--file", IOR / "fail_nodir.txt").out == "1 removed\n"
    assert ["No space left" in m["measurement"]["note"] for m in _listed(acic)] == [True]


@pytest.mark.parametrize("words", [["remove", "--revision"], ["remove", "--contributor"], ["export", "x.jsonl"]])
def test_text_in_another_encoding_is_refused(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE).status == 0
    option = [] if words[-1].startswith("--") else ["--contributor"]
    found = acic("data", *words, *option, os.fsdecode("André".encode("latin-1")))
    assert found.status == 2
    assert "it is not valid text; write it in UTF-8" in found.err
    assert len(_listed(acic)) == 2


@pytest.mark.parametrize("words", [["list", "--limit", "3"], ["export", "x.jsonl"], ["remove", "--dry-run"]])
def test_a_platform_in_another_encoding_is_refused(acic: Acic, words: list[str]) -> None:
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE).status == 0
    found = acic("data", *words, "--platform", os.fsdecode("André".encode("latin-1")))
    assert (found.status, found.out) == (2, "")
    assert "--platform is not valid text\nhint: write it in UTF-8" in found.err


def test_a_store_may_be_in_a_folder_of_any_name(acic: Acic, tmp_path: Path) -> None:
    words = ("--store", tmp_path / os.fsdecode(b"Andr\xe9") / "a.sqlite")
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE, *words).out.endswith("2 new, 0 known already\n")
    assert acic("data", "list", *words, "--json").json["counts"][0]["measurements"] == 2


def test_a_dry_run_keeps_nothing_and_tells_what_is_new(acic: Acic) -> None:
    words = ("data", "import", IOR / "mpiio_coll.json", *WHERE)
    assert acic(*words, "--dry-run").out.endswith("2 new, 0 known already, nothing kept (dry run)\n")
    assert acic("data", "list", "--json").json["counts"] == []
    assert acic(*words).status == 0
    assert acic(*words, "--dry-run").out.endswith("0 new, 2 known already, nothing kept (dry run)\n")
    told = acic(*words, "--set", "stripe_count=4", "--dry-run", "--json").json
    assert (told["new"], told["added"], told["duplicates"], told["configured_otherwise"]) == (2, 0, 0, 2)


@pytest.mark.parametrize("name", ["mpiio_coll.json", "posix_fpp.txt"])
def test_a_run_in_a_file_with_other_bytes_is_known(acic: Acic, tmp_path: Path, name: str) -> None:
    """A copy with another line end counted as another run, and made the answer surer of itself."""
    folder = tmp_path / "outputs"
    words = ("data", "import", folder, *WHERE)
    text, other = ((IOR / one).read_text() for one in (name, name.replace("coll", "indep").replace("fpp", "shared")))
    folder.mkdir()
    (folder / "a.out").write_text(text)
    assert acic(*words).out.endswith("2 new, 0 known already\n")
    (folder / "b.out").write_text(text + "\n")
    (folder / "c.out").write_text(text.replace("\n", "\r\n"))
    (folder / "both.out").write_text(text + other)
    for more, kept in ((("--dry-run",), ", nothing kept (dry run)"), ((), "")):
        found = acic(*words, *more)
        assert found.out.endswith(f"2 new, 8 known already{kept}\n")
        assert "note: 6 of those known already are of runs that came from another file" in found.err
    assert len(_listed(acic)) == 4


def test_nothing_is_not_answered_with_silence(acic: Acic, tmp_path: Path) -> None:
    assert "no measurements are in the store; --bundled" in acic("data", "list").err
    assert "no measurements of moon" in acic("data", "export", tmp_path / "none.jsonl", "--platform", "moon").err
    (tmp_path / "empty").mkdir()
    assert "hint: no file is in it" in acic("data", "import", tmp_path / "empty", *WHERE).err
    assert not (tmp_path / "store.sqlite").exists()


def test_a_platform_is_called_as_every_command_calls_it(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert acic("platform", "detect", "--storage", tmp_path).status == 0
    file = tmp_path / "my site.toml"
    file.write_text(kept_file().read_text().replace(load_platform("here").name, "mine"))
    for name in ("here", str(file)):
        assert acic("data", "import", IOR / "mpiio_coll.json", "--platform", name).status == 0
    for name, calls in (("here", load_platform("here").name), (str(file), "mine")):
        for text in (name, calls):
            found = acic("data", "list", "--platform", text, "--limit", 9, "--json").json
            assert [c["platform"] for c in found["counts"]] == [calls]
            assert {m["measurement"]["platform"] for m in found["measurements"]} == {calls}
        assert (
            acic("data", "export", tmp_path / f"{calls}.jsonl", "--platform", name, "--json").json["measurements"] == 2
        )
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "other.sqlite"))
    kept = load_platform("here").name
    assert acic("data", "import", tmp_path / f"{kept}.jsonl", "--json").json["added"] == 2
    assert acic("data", "list", "--platform", tmp_path / "missing.toml").status == 3


def test_a_map_needs_a_rule(acic: Acic) -> None:
    result = acic("data", "import", IOR / "mpiio_coll.json", *WHERE, "--map", "romio_*:0=automatic")
    assert result.status == 2
    assert "--map is given without --rule" in result.err


def test_a_folder_is_no_store(acic: Acic, tmp_path: Path) -> None:
    result = acic("data", "list", "--store", tmp_path)
    assert result.status == 2
    assert "is a folder" in result.err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["list"], 0),
        (["list", "--limit", "3", "--json"], 0),
        (["export", "x.jsonl"], 4),
        (["show", "beef"], 4),
        (["show", "xyz"], 2),
        (["remove", "beef"], 4),
        (["trust", "--platform", "lab"], 0),
    ],
)
def test_asking_is_no_reason_to_make_a_store(acic: Acic, tmp_path: Path, words: list[str], status: int) -> None:
    store = tmp_path / "none" / "new.sqlite"
    found = acic("data", *words, "--store", store)
    assert found.status == status
    assert f"note: there is no training database at {store} yet\n" in found.err
    assert not store.parent.exists()


def test_suspect_reads_teach_nothing(acic: Acic) -> None:
    acic("data", "import", IOR / "mpiio_coll.json", *WHERE, "--suspect", "read")
    counts = {c["outcome"]: c["measurements"] for c in acic("data", "list", "--json").json["counts"]}
    assert counts == {"ok": 1, "suspect": 1}


def test_a_failed_run_is_imported_as_failed(acic: Acic) -> None:
    result = acic("data", "import", IOR / "fail_enospc.txt", *WHERE, "--json")
    assert result.status == 0
    assert result.json["failed"] >= 1
    assert {c["outcome"] for c in acic("data", "list", "--json").json["counts"]} == {"failed"}


def test_one_command_line_for_outputs_of_other_runs_is_told(acic: Acic, tmp_path: Path) -> None:
    """A collective run and one with a file per process became strided ones of a shared file, without a word."""
    for name in ("posix_shared.csv", "posix_fpp.csv", "mpiio_coll.csv"):
        shutil.copy(IOR / name, tmp_path)
    line = "mpiexec -n {} ior -a POSIX -b {} -t 256k -s 2"
    found = acic("data", "import", tmp_path, *WHERE, "--command", line.format(4, "4m"))
    assert found.out.startswith("4 measurements in 3 files, 0 of failed runs; 4 new")
    assert "note: 3 files do not tell interface, sharing and collective calls" in found.err
    assert "note: 1 files tell otherwise than --command, and their own was taken: -t 256 KiB (the file: 1 MiB)\n" in (
        found.err
    )
    assert "posix_fpp.csv: the command line that was given moves 32 MiB, the file tells 16 MiB\n" in found.err
    words = ("data", "import", tmp_path / "posix_shared.csv", *WHERE, "--command", line.format(16, "8m"))
    assert acic(*words).out.startswith("2 measurements in 1 files")
    found = acic(*words, "--json").json
    assert found["overruled"] == {"-n 16 (the file: 4), -b 8 MiB (the file: 4 MiB)": 1}
    assert found["by_command"] == 1


def test_why_runs_failed_is_said_at_the_import(acic: Acic) -> None:
    line = "mpiexec -n 4 ior -a POSIX -b 4m -t 256k -s 2 -i 3"
    words = ("data", "import", IOR / "posix_shared.csv", *WHERE, "--command", line)
    assert "failed, 2 of 2: 1 of 3 repetitions were reported\n" in acic(*words).err
    assert acic(*words, "--json").json["failures"] == {"1 of 3 repetitions were reported": 2}


def test_wrong_bytes_are_named_among_the_failed(acic: Acic, tmp_path: Path) -> None:
    """The dangerous failure was one of "1 of failed runs"."""
    shutil.copy(IOR / "posix_verify.txt", tmp_path / "run.txt")
    (tmp_path / "run.err").write_text("WARNING: incorrect data on read (17 errors found)\n")
    words = ("data", "import", tmp_path / "run.txt", *WHERE)
    found = acic(*words)
    assert "1 of failed runs (1 corrupt: other bytes came back than were written); " in found.out
    assert acic(*words, "--json").json["corrupt"] == 1
    assert "corrupt" not in acic("data", "import", IOR / "fail_enospc.txt", *WHERE).out


def test_measurements_travel_in_both_formats(acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suffix in ("jsonl", "parquet"):
        path = tmp_path / f"all.{suffix}"
        assert acic("data", "export", path, "--bundled", *WHERE).status == 0
        monkeypatch.setenv("ACIC_STORE", str(tmp_path / f"{suffix}.sqlite"))
        assert acic("data", "import", path, *WHERE, "--json").json["added"] == 437
        again = tmp_path / f"again.{suffix}"
        acic("data", "export", again)
        if suffix == "jsonl":
            assert again.read_bytes() == path.read_bytes()


def test_one_measurement_is_shown_by_its_first_digits(acic: Acic) -> None:
    acic("data", "import", IOR / "mpiio_coll.json", *WHERE)
    printed = acic("data", "list", "--limit", "2", "--json").json
    check_fields("data list", printed)
    (one, _) = printed["measurements"]
    shown = acic("data", "show", one["id"][:8], "--json").json
    check_fields("data show", shown)
    assert shown["measurement"] == one["measurement"]
    listed = acic("data", "list", "--limit", "1").out
    assert "bandwidth" in listed
    assert "stripe_size 1 MiB" in listed
    assert acic("data", "show", one["id"][:8]).status == 0


def test_a_row_tells_what_baselines_differ_by(acic: Acic) -> None:
    """Collective writes of 15 MiB/s and independent ones of 98 MiB/s looked the same."""
    assert acic("data", "import", IOR / "mpiio_coll.json", *WHERE).status == 0
    assert acic("data", "list", "--limit", 9).out.count("MPIIO shared, collective") == 2
    plain = replace(workload(), collective=False)
    told = {access: row(measurement(workload=replace(plain, access=access)))[3] for access in Access}
    assert len(set(told.values())) == len(Access)
    assert all(text.endswith(", random") == (access is Access.RANDOM) for access, text in told.items())


@settings(max_examples=50)
@given(one=measurements())
def test_a_measurement_is_shown_in_units_and_words(one: Measurement) -> None:
    shown = dict(fields(replace(one, configuration=lustre(stripe_size=4 * MIB))))
    assert set(shown) == set(one.__dataclass_fields__)
    for name in ("workload", "configuration", "outcome", "basis", "seed", "time", "repetitions"):
        assert not re.search(r"[({<]|None|True|False", shown[name])
    assert "stripe_size 4 MiB" in shown["configuration"].split(", ")
    assert f"data_size {format_bytes(one.workload.data_size)}" in shown["workload"].split(", ")
    assert f"shared {'yes' if one.workload.shared else 'no'}" in shown["workload"].split(", ")
    assert shown["seed"] == ("-" if one.seed is None else str(one.seed))


def test_control_sequences_of_strangers_do_not_reach_the_terminal(acic: Acic, tmp_path: Path) -> None:
    told = {"contributor": "\x1b[31mred\x1b[2J", "note": "\x1b]0;owned\x07\r\nplatform        other", "tool": "\x9b2J"}
    export([measurement(1, **told), measurement(2, platform="\x1b[2J")], tmp_path / "some.jsonl")
    said = acic("data", "import", tmp_path / "some.jsonl", *WHERE).err
    assert r"1 measurements of \x1b[2J, which are left out" in said
    (one,) = acic("data", "list", "--limit", 1, "--json").json["measurements"]
    shown = acic("data", "show", one["id"]).out
    assert re.search(r"^contributor +\\x1b\[31mred\\x1b\[2J$", shown, re.MULTILINE)
    for line in (said + shown).split("\n"):
        assert line.isprintable()
    assert len(re.findall("^platform ", shown, re.MULTILINE)) == 1


def test_an_import_says_how_many_were_not_measured(acic: Acic, tmp_path: Path) -> None:
    """Advice said that nothing was there, after an import that had said that all was new."""
    export([measurement(1), measurement(2, basis=Basis.SIMULATED)], tmp_path / "some.jsonl")
    said = acic("data", "import", tmp_path / "some.jsonl", *WHERE)
    assert said.out.endswith("2 new, 0 known already\n")
    assert said.err.startswith("note: 1 of them were not measured but simulated or predicted, and teach nothing\n")


def test_an_import_warns_of_what_does_not_fit_the_platform(acic: Acic, tmp_path: Path) -> None:
    export([measurement(1), measurement(2, configuration=lustre(stripe_count=100))], tmp_path / "some.jsonl")
    words = ("data", "import", tmp_path / "some.jsonl", "--platform", "tianhe-lustre")
    said = acic(*words)
    assert said.out.endswith("2 new, 0 known already\n")
    assert said.err.startswith("note: 1 measurements do not fit the platform tianhe-lustre and teach nothing")
    assert acic(*words, "--json").json["unfit"] == {"stripe_count 100 is outside 1 to 32": 1}
    trusted = acic("data", "trust", "--platform", "tianhe-lustre").err
    assert trusted.startswith("note: 1 measurements do not fit")


def test_one_that_comes_with_acic_is_shown_too(acic: Acic) -> None:
    (one,) = acic("data", "list", "--bundled", "--limit", "1", "--json").json["measurements"]
    assert acic("data", "show", one["id"], "--bundled", "--json").json["measurement"] == one["measurement"]
    found = acic("data", "show", one["id"])
    assert found.status == 4
    assert "--bundled shows one of those that come with acic" in found.err
    for prefix, status in (("", 2), ("0", 2), ("beefbeef", 4)):
        assert acic("data", "show", prefix, "--bundled").status == status


@pytest.mark.parametrize(
    "option",
    [
        ("--set", "stripe_count=4"),
        ("--rule", "{_}.jsonl"),
        ("--suspect", "read"),
        ("--timezone", "Z"),
        ("--revision", "7"),
        ("--contributor", "me"),
        ("--command", "ior -w"),
        ("--processes", "4"),
    ],
)
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_an_exchange_file_tells_itself_is_not_told_beside_it(
    acic: Acic, tmp_path: Path, option: tuple[str, str], suffix: str
) -> None:
    path = tmp_path / f"all.{suffix}"
    export(bundled(load_platform("tianhe-lustre"))[:1], path)
    found = acic("data", "import", path, *option)
    assert found.status == 2
    assert found.err.startswith(f"acic: {option[0]} does nothing with an exchange file\nhint: ")
    assert acic("data", "import", path, *WHERE, "--dry-run").status == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["import", "nowhere", *WHERE], 3, "nowhere"),
        (["import", IOR / "mpiio_coll.json", *WHERE, "--set", "stripe_count"], 2, "sets nothing"),
        (["import", IOR / "mpiio_coll.json", *WHERE, "--set", "stripe_count=99"], 2, "outside 1 to 32"),
        (["import", IOR / "mpiio_coll.json", *WHERE, "--set", "stripe_count=many"], 2, "hint: give a number, as 1\n"),
        (
            ["import", IOR / "mpiio_coll.json", *WHERE, "--set", "stripe_count=1", "--set", "stripe_count=4"],
            2,
            "--set gives stripe_count two values\nhint: write --set once for each parameter\n",
        ),
        (["import", IOR / "mpiio_coll.json", *WHERE, "--timezone", "noon"], 2, "offset from UTC"),
        (["import", IOR / "mpiio_coll.json", *WHERE, "--rule", "{stripe}"], 2, "no parameter 'stripe'"),
        (["import", IOR / "README.md", *WHERE], 3, "README.md"),
        (["export", "all.csv"], 2, "neither JSON Lines nor Parquet"),
        (["show", "beef"], 4, "no measurement is called beef"),
        (["show", "xyz"], 2, "no fingerprint"),
    ],
)
def test_wrong_input_is_said_with_a_remedy(acic: Acic, words: list[object], status: int, said: str) -> None:
    result = acic("data", *words)
    assert result.status == status
    assert said in result.err
    assert "hint:" in result.err


def test_an_exchange_file_tells_where_it_was_measured(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acic("data", "import", IOR / "mpiio_coll.json", *WHERE)
    acic("data", "export", tmp_path / "all.jsonl")
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "other.sqlite"))
    assert acic("data", "import", tmp_path / "all.jsonl", "--json").json["added"] == 2
    for path in (IOR / "mpiio_coll.json", IOR):
        found = acic("data", "import", path)
        assert found.status == 2
        assert "give --platform NAME" in found.err
    acic("data", "import", IOR / "mpiio_coll.json", "--platform", "lab")
    acic("data", "export", tmp_path / "two.jsonl")
    found = acic("data", "import", tmp_path / "two.jsonl")
    assert "measurements of lab, tianhe-lustre" in found.err
    assert acic("data", "import", tmp_path / "missing.jsonl").status == 3


def test_a_machine_that_is_described_anew_loses_no_edits_and_tells_what_it_loses(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A price that was typed in was gone, and 124 measurements fitted no more: both without a word."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "second").mkdir()
    assert acic("platform", "detect", "--storage", tmp_path).status == 0
    assert acic("data", "import", IOR / "mpiio_coll.json", "--platform", "here").status == 0
    edited = kept_file().read_text().replace("[[instance]]\n", "[[instance]]\nprice = 0.5\n")
    kept_file().write_text(edited)
    copy = kept_file().with_name(f"{kept_file().name}.1")
    two = acic("platform", "detect", "--storage", tmp_path, "--storage", tmp_path / "second")
    assert f"note: the one before, with all that was edited in it, is kept as {copy}\n" in two.err
    assert copy.read_text() == edited
    assert "note: 2 measurements fit that one and do not fit this one, and teach nothing any more; to go" in two.err
    assert f"to go back: mv {copy} {kept_file()}\n" in two.err
    again = acic("platform", "detect", "--storage", tmp_path, "--storage", tmp_path / "second")
    assert "note:" not in again.err, "it is the same"
    back = acic("platform", "detect", "--storage", tmp_path, "--json").json
    check_fields("platform detect", back, acic("platform", "detect", "--dry-run", "--json").json)
    assert (back["copy"], back["orphans"]) == (f"{kept_file()}.2", 0)
    kept_file().write_text("no TOML")
    assert acic("platform", "detect", "--storage", tmp_path).status == 0, "nobody knows what fitted it"


@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["kept", "dry run"])
def test_what_a_machines_file_has_to_be_read_with_is_told_in_json_too(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    storage = (Storage("/scratch/me", "lustre", "/scratch"),)
    machine = Machine(host="x", kernel="1", cores=2, memory=1 << 30, storage=storage)
    monkeypatch.setattr(here, "find_machine", lambda _: machine)
    assert acic("platform", "detect", *more, "--json").json["doubts"] == doubts(machine) != []


def test_what_another_machine_measured_asks_for_its_platform_file(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A colleague was told to use one of the bundled platforms, or that the file held measurements of here "too"."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("socket.gethostname", lambda: "vm")
    assert acic("platform", "detect", "--storage", tmp_path).status == 0
    sent = shutil.copy(kept_file(), tmp_path)
    assert acic("data", "import", IOR / "mpiio_coll.json", "--platform", "here").status == 0
    check_fields("data export", acic("data", "export", tmp_path / "mine.jsonl", "--json").json)
    kept_file().unlink()
    asked = acic("data", "import", tmp_path / "mine.jsonl")
    assert asked.err.startswith("acic: there is no platform 'here-vm'\nhint: ")
    assert "acic platform detect" in asked.err
    assert "another" not in asked.err  # it is this host, which was not described yet
    monkeypatch.setattr("socket.gethostname", lambda: "theirs")
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "theirs.sqlite"))
    asked = acic("data", "import", tmp_path / "mine.jsonl")
    assert asked.status == 2
    assert "hint: that is another machine, so give the file that describes it: --platform FILE" in asked.err
    assert "here-vm.toml" in asked.err
    wrong = acic("data", "import", tmp_path / "mine.jsonl", "--platform", "here")
    assert wrong.status == 3
    assert " measurements of here-vm, and none of here-theirs: give --platform here-vm\n" in wrong.err
    assert "is a measurement of here-theirs\nhint: see the reasons above; --platform has to name" in wrong.err
    assert acic("data", "import", tmp_path / "mine.jsonl", "--platform", sent, "--json").json["added"] == 2


def test_nothing_is_neither_exported_nor_imported(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text("the old one")
    for words in (["--platform", "nope"], [], ["--bundled", "--platform", "ec2-2013"]):
        found = acic("data", "export", path, *words)
        assert (found.status, found.out) == (4, ""), words
        assert "hint: " in found.err
        assert path.read_text() == "the old one"
    for empty in (path, tmp_path / "old.parquet"):
        export([], empty)
        for words in ([], [*WHERE], [*WHERE, "--dry-run"]):
            found = acic("data", "import", empty, *words)
            assert found.status == 3
            assert f"{empty} holds no measurements" in found.err
            assert "above" not in found.err


def test_a_hint_leads_to_measurements_and_to_no_empty_table(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert "hint: fill it by `acic train` or `acic data import`" in acic("data", "export", path).err
    assert "hint: `acic data list --bundled` tells of which" in acic("data", "export", path, "--bundled", *EMPTY).err
    acic("data", "import", IOR / "mpiio_coll.json", *WHERE)
    assert "hint: `acic data list` tells of which" in acic("data", "export", path, *EMPTY).err


@pytest.mark.parametrize("words", [("show", "xyz"), ("remove", "xyz"), ("show", "--help"), ("remove", "--help")])
def test_who_needs_an_id_is_led_to_the_list_that_shows_them(words: tuple[str, ...], acic: Acic) -> None:
    acic("data", "import", IOR / "mpiio_coll.json", *WHERE)
    result = acic("data", *words)
    (listing,) = re.findall(r"`acic (data list[^`]*)` shows", " ".join((result.out + result.err).split()))
    last = acic(*listing.split()).out.strip().split("\n")[-1]
    assert acic("data", "show", last.split()[0]).status == 0


@pytest.mark.parametrize("name", ["A.JSONL", "A.Parquet"])
def test_a_suffix_may_be_in_capitals(acic: Acic, tmp_path: Path, name: str) -> None:
    assert acic("data", "export", tmp_path / name, "--bundled", *WHERE).status == 0
    assert is_parquet(tmp_path / name) == name.endswith("Parquet")
    assert acic("data", "import", tmp_path / name, "--json").json["added"] == 437


def is_parquet(path: Path) -> bool:
    return path.read_bytes().startswith(b"PAR1")


def test_trust_tells_who_is_believed(acic: Acic, tmp_path: Path) -> None:
    platform = load_platform("tianhe-lustre")
    some = [m for m in bundled(platform) if m.outcome is Outcome.OK][:120]
    given = [replace(m, contributor=f"site {i % 4}", seed=i) for i, m in enumerate(some)]
    liar = [
        replace(
            m, contributor="liar", seed=1000 + i, repetitions=tuple(replace(r, bandwidth=1e15) for r in m.repetitions)
        )
        for i, m in enumerate(some[:40])
    ]
    export([*given, *liar], tmp_path / "all.jsonl")
    acic("data", "import", tmp_path / "all.jsonl")
    found = {c["contributor"]: c for c in acic("data", "trust", *WHERE, "--json").json["contributors"]}
    assert found["liar"]["trust"] < 0.1
    assert not found["liar"]["heard"]
    assert found["liar"]["rows"] == 40
    assert found["site 1"]["trust"] > 0.5
    lines = {line.split()[0]: line for line in acic("data", "trust", *WHERE).out.splitlines() if line.strip()}
    assert "left out" in lines["liar"]
    assert "faster" in lines["liar"]
    assert "left out" not in lines["site"]


def test_trust_says_when_nobody_can_be_doubted_and_makes_no_store(acic: Acic, tmp_path: Path) -> None:
    result = acic("data", "trust", "--platform", "lab", "--store", tmp_path / "none.sqlite")
    assert result.status == 0
    assert "it takes 3 contributors" in result.err
    assert "alike" not in result.out  # nothing was compared; of two who differed 1000 times it was said too
    printed = acic("data", "trust", "--platform", "lab", "--json").json
    check_fields("data trust", printed)
    told = printed["contributors"]
    assert {one["factor"] for one in told} == {None}
    assert not (tmp_path / "none.sqlite").exists()
