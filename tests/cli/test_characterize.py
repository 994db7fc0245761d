"""`acic characterize` and `acic replicate` on real and on damaged logs."""

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from acic.workloads import Quality, characterize_file
from acic.workloads.darshan.counters import LAYOUTS
from tests.cli.conftest import LOGS, Result
from tests.workloads.darshan.mutations import mutate
from tests.workloads.darshan.writing import darshan_log

Acic = Callable[..., Result]
ROOT = Path(__file__).parents[2]
BTIO = LOGS / "apps/btio_A_mpi_io_full.darshan"
TOO_LARGE_A_REQUEST = [
    *("--processes", "4", "--interface", "POSIX", "--operation", "write"),
    *("--data-size", "1m", "--request-size", "2m"),
]
EVERY_LOG = sorted(LOGS.glob("*/*.darshan"))


def test_the_table_tells_what_the_log_tells(acic: Acic) -> None:
    result = acic("characterize", BTIO)
    assert result.status == 0
    for text in ("MPIIO", "2.5 MiB", "collective", "btio.full.out", "4 processes"):
        assert text in result.out


def test_of_many_phases_those_that_take_longest_are_shown(acic: Acic, tmp_path: Path) -> None:
    sizes = [(9 - number, 2.0 * number) for number in range(1, 9)]  # the more they move, the less they take
    phase = '[[phases]]\ninterface = "POSIX"\noperation = "write"\niterations = 1\ncollective = false\nshared = true\n'
    told = "".join(f'{phase}data_size = "{mib}MiB"\nseconds = "{seconds:g}s"\n' for mib, seconds in sizes)
    path = tmp_path / "many.toml"
    path.write_text(f"name = 'many'\nprocesses = 4\n{told}")
    shown = acic("characterize", path).out
    assert "phase 8" in shown
    assert "phase 3" in shown
    assert "phase 2" not in shown
    assert "2 smaller phases, which take 6 s in all, are not shown" in shown


def test_the_page_tells_each_detail_that_is_printed() -> None:
    """Eight were on no page, five of them of every phase."""
    _, details = (ROOT / "docs/characterize.md").read_text().split("\n## Details\n")
    cells = re.findall(r"^\| (`[^|]*) \|", details.partition("\n## ")[0], re.MULTILINE)
    told = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    printed = {name for log in EVERY_LOG for phase in characterize_file(log).phases for name in phase.details}
    assert {"requests", "traced_share", "unaligned_requests"} <= printed
    assert printed <= told


@pytest.mark.parametrize("log", EVERY_LOG, ids=[log.stem for log in EVERY_LOG])
def test_every_bundled_log_in_every_form(acic: Acic, log: Path) -> None:
    found = acic("characterize", log, "--json").json["workload"]
    for phase in found["phases"]:
        assert set(phase["quality"].values()) <= {str(q) for q in Quality}
    made = tomllib.loads(acic("characterize", log, "--toml").out)
    assert len(made["phases"]) == len(found["phases"])
    assert acic("characterize", log).status == 0
    assert acic("replicate", log).out.count("ior ") >= len(found["phases"])


@pytest.mark.parametrize("name", ["mine.toml", "MINE.TOML"])
def test_a_workload_file_is_taken_where_a_log_is(acic: Acic, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(acic("characterize", BTIO, "--toml").out)
    assert acic("replicate", path).out == acic("replicate", BTIO).out


def test_control_sequences_in_names_do_not_reach_the_terminal(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    told = acic("characterize", BTIO, "--toml").out.replace("bt.A.x", r"\u001b[2J").replace("btio.full", r"\u009b2J")
    path.write_text(told)
    shown = acic("characterize", path).out
    assert shown.startswith(r"\x1b[2J")
    assert r"\x9b2J" in shown
    assert all(line.isprintable() for line in shown.split("\n"))


def test_a_workload_file_by_another_name_is_told_its_own(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "mine.workload"
    path.write_text(acic("characterize", BTIO, "--toml").out)
    result = acic("replicate", path)
    assert result.status == 3
    assert "the name of a workload file ends in .toml" in result.err


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_log_gives_an_error_or_an_answer_and_never_a_traceback(acic: Acic, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "damaged.darshan"
    path.write_bytes(mutate(rng.choice(EVERY_LOG).read_bytes(), rng))
    for words in (["characterize", path], ["characterize", path, "--partial", "--json"]):
        result = acic(*words)
        assert result.status in (0, 3)
        assert (result.status == 3) == result.err.startswith("acic: cannot read")


@pytest.mark.slow
def test_a_thousand_damaged_logs(acic: Acic, tmp_path: Path) -> None:
    rng = random.Random(1000)
    path = tmp_path / "damaged.darshan"
    for _ in range(1000):
        path.write_bytes(mutate(rng.choice(EVERY_LOG).read_bytes(), rng))
        assert acic("characterize", path, "--json").status in (0, 3)
        assert acic("characterize", path, "--partial").status in (0, 3)


def test_a_truncated_log_says_what_is_whole_and_what_to_do(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "cut.darshan"
    path.write_bytes(BTIO.read_bytes()[:5000])
    result = acic("characterize", path)
    assert result.status == 3
    assert "truncated after" in result.err
    assert "--partial" in result.err
    assert acic("characterize", path, "--partial").status == 0


def test_a_log_that_is_named_like_a_workload_file_is_to_be_renamed(acic: Acic, tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(BTIO.read_bytes())
    result = acic("recommend", path, "--platform", "tianhe-lustre")
    assert result.status == 3
    assert "hint: if it is a Darshan log, give it a name that does not end in .toml" in result.err


FLASH = LOGS / "apps" / "flash_io.darshan"


def cut(size: int, folder: Path) -> Path:
    path = folder / "cut.darshan"
    path.write_bytes(FLASH.read_bytes()[:size])
    return path


def test_a_log_whose_counters_were_all_cut_off_is_unreadable(acic: Acic, tmp_path: Path) -> None:
    path = cut(2000, tmp_path)
    for words in (["characterize", path], ["recommend", path, "--platform", "tianhe-lustre"]):
        result = acic(*words, "--partial")
        assert (result.status, result.out) == (3, "")
        assert f"acic: cannot read {path}: none of its modules that count I/O" in result.err


def test_what_was_cut_off_a_log_is_not_said_to_be_missing_in_the_job(acic: Acic, tmp_path: Path) -> None:
    path = cut(3000, tmp_path)
    result = acic("characterize", path, "--partial")
    assert result.status == 0
    assert "of it in I/O" not in result.out
    assert "Module PNETCDF_FILE was left out" in result.err
    assert "what could be read of the log has no module of that library" in result.err
    assert acic("characterize", path, "--partial", "--json").json["workload"]["io_share"] is None
    repeated = acic("replicate", path, "--partial")
    assert "ior" in repeated.out
    assert "note: Module PNETCDF_FILE was left out" in repeated.err
    assert any("PNETCDF_FILE" in note for note in acic("replicate", path, "--partial", "--json").json["notes"])


def test_a_log_of_which_only_what_has_no_io_is_whole_does_not_say_that_there_was_none(
    acic: Acic, tmp_path: Path
) -> None:
    path = tmp_path / "some.darshan"
    idle = np.zeros(1, dtype=LAYOUTS["STDIO"].dtype()).tobytes()
    path.write_bytes(darshan_log({"POSIX": (4, [b"abc"]), "STDIO": (2, [idle])}))
    result = acic("characterize", path, "--partial")
    assert (result.status, result.out.count("what could be read of its log has no I/O")) == (0, 1)
    assert "note: What could be read of the log records no reads and no writes" in result.err
    refused = acic("recommend", path, "--partial", "--platform", "tianhe-lustre")
    assert refused.status == 4
    assert "what could be read of its log has no I/O" in refused.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["characterize", "missing.darshan"], 3, "there is no such file"),
        (["characterize", "."], 3, "directory"),
        (["characterize", ""], 2, "the name is empty"),
        (["replicate", ""], 2, "the name is empty"),
        (["characterize", "-"], 2, "would be a stream"),
        (["characterize"], 2, "Missing argument"),
        (["characterize", BTIO, "--json", "--toml"], 2, "both --json and --toml"),
        (["replicate"], 2, "no workload is given"),
        (["replicate", "--processes", "4"], 2, "lacks --interface, --data-size, --operation"),
        (["replicate", "x.darshan", "--processes", "4"], 2, "both a log and --processes"),
        (["replicate", "--data-size", "4 parsecs"], 2, "is not a size"),
        (["replicate", *TOO_LARGE_A_REQUEST], 2, "request_size"),
        (["replicate", *TOO_LARGE_A_REQUEST[:6], "--data-size", "1m", "--collective"], 2, "POSIX has no collective"),
    ],
)
def test_wrong_input_is_said_with_a_remedy(acic: Acic, words: list[str], status: int, said: str) -> None:
    result = acic(*words)
    assert result.status == status
    assert said in result.err
    assert bool(result.out) is ("--json" in words)  # which has the error


def test_what_lies_elsewhere_counts_as_computing(acic: Acic) -> None:
    log = LOGS / "apps/h5bench_write_1d_cc_coll.darshan"
    whole = acic("characterize", log, "--json").json["workload"]
    folder = whole["phases"][0]["example"].rpartition("/")[0]
    part = acic("characterize", log, "--only", folder)
    assert part.status == 0
    empty = acic("characterize", log, "--only", "")  # as of a variable that is not set: all files would be asked about
    assert (empty.status, empty.out) == (2, "")
    assert "the name is empty" in empty.err
    missing = acic("characterize", log, "--only", "/nowhere")
    assert missing.status != 0
    assert "no file of" in missing.err
    assert "lie below" in missing.err
    assert acic("recommend", "--only", folder, "--platform", "lab", "--processes", 4).status == 2
    assert acic("recommend", log, "--only", folder, "--platform", "lab", "--model", "prior", "--json").status == 0


@pytest.mark.parametrize("option", [("--partial",), ("--only", "/scratch")])
@pytest.mark.parametrize("command", ["recommend", "replicate"])
def test_what_is_about_logs_is_refused_without_one(
    acic: Acic, tmp_path: Path, command: str, option: tuple[str, ...]
) -> None:
    """`--partial` was passed over."""
    path = tmp_path / "mine.toml"
    path.write_text(acic("characterize", BTIO, "--toml").out)
    platform = ("--platform", "lab") if command == "recommend" else ()
    options = ("--processes", "4", "--interface", "POSIX", "--operation", "write", "--data-size", "1m")
    for workload in ((path,), options):
        told = acic(command, *workload, *platform, *option)
        assert (told.status, told.out) == (2, "")
        assert f"leave {option[0]} out" in told.err
