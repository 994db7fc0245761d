"""`acic recommend`: the main job, from a log to what is typed."""

import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import scipy
import sklearn

from acic.advisor.advice import Advice, Recommendation
from acic.blueprints import Instruction
from acic.cli.applying import show_instructions
from acic.cli.recommend import _values, to_do
from acic.models.registry import BESIDE_PRIOR, DEFAULT
from acic.platforms import Platform, load_platform
from acic.space import Parameter, Scale
from acic.units import MIB
from acic.workloads import Operation
from tests.advisor.conftest import WRITE, application
from tests.cli.conftest import LOGS, Result

Acic = Callable[..., Result]
LOG = LOGS / "apps/s3d_io_blocking.darshan"
FIG_19 = [
    *("--processes", "64", "--interface", "MPIIO", "--operation", "write"),
    *("--data-size", "100MiB", "--request-size", "2MiB"),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def learned_once(acic: Acic, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 (acic sets it first)
    monkeypatch.setenv("ACIC_CACHE", str(cache))


def test_a_real_log_gets_ranked_configurations_with_intervals_and_commands(acic: Acic) -> None:
    result = acic("recommend", LOG, "--platform", "tianhe-lustre", "--elsewhere", "--top", "3")
    assert result.status == 0
    for text in ("Verdict: verify", "80 % intervals", "Why:\n  ", "lfs setstripe -c", "OUTPUT_DIR"):
        assert text in result.out
    assert "extrapolation: processes of 4" in result.err


def test_what_is_to_be_typed_works_as_it_is_printed(acic: Acic, tmp_path: Path) -> None:
    """Lines are pasted with their indentation, into an interactive shell or a script."""
    asked = ("recommend", *FIG_19, "--platform", "tianhe-lustre")
    block = acic(*asked).out.partition("\nTo apply the first:\n")[2]
    wanted = "".join(one["file_text"] for one in acic(*asked, "--json").json["instructions"])
    assert wanted
    (tmp_path / "lfs").write_text("#!/bin/sh\n")
    (tmp_path / "lfs").chmod(0o755)
    script = f'PATH="$PWD:$PATH"\n{block}\necho "$ROMIO_HINTS $OMPI_MCA_io"\ncat "$ROMIO_HINTS"\n'
    done = subprocess.run(["bash", "-e"], input=script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/acic.hints ^ompio\n{wanted}"


def test_aggregators_are_told_for_the_machines_that_the_job_fills() -> None:
    tianhe = load_platform("tianhe-lustre")  # of 16 cores a node
    first = SimpleNamespace(configuration={**tianhe.baseline, "cb_nodes": 16})
    advice = cast(Advice, SimpleNamespace(verdict="change", recommendations=(first,)))
    for platform, listed in ((tianhe, "cb_config_list *:4\n"), (replace(tianhe, compute_nodes=8), "*:2\n")):
        (hints,) = to_do(advice, platform, application(WRITE))
        assert hints.file_text.endswith(listed)


def test_hints_that_no_benchmark_tells_apart_are_said_to_be_chance(acic: Acic) -> None:
    asked = ("recommend", *FIG_19, "--platform", "tianhe-lustre")
    leave = "--keep romio_ds_write=automatic"
    assert leave in acic(*asked).err
    assert leave not in acic(*asked, *leave.split()).err


def test_who_reads_what_is_there_is_told_how_that_gets_stripes() -> None:
    """Directories were told to be striped, which does nothing for files that are there: their user saw no gain."""
    tianhe = load_platform("tianhe-lustre")
    first = SimpleNamespace(configuration={**tianhe.baseline, "stripe_count": 16, "stripe_size": 4 * MIB})
    advice = cast(Advice, SimpleNamespace(verdict="change", recommendations=(first,)))
    writes = application(WRITE)
    reads = application(replace(WRITE, operation=Operation.READ))
    both = replace(writes, phases=(*writes.phases, *reads.phases))  # of one file, which it makes itself
    for job, told in ((reads, True), (writes, False), (both, False)):
        lines = [line for one in to_do(advice, tianhe, job) for line in one.lines]
        assert ("lfs migrate -c 16 -S 4M INPUT_FILE" in lines) is told


def test_what_is_right_for_one_writer_alone_comes_with_a_caution(acic: Acic) -> None:
    words = ["--platform", "lab", "--elsewhere", "--goal", "cost", "--top", "12"]
    alone = acic("recommend", LOGS / "known/ior_posix_fpp.darshan", *words)
    assert re.search(r"\nCaution: Answers .* is safe only while", alone.out)
    told = acic("recommend", LOGS / "known/ior_posix_fpp.darshan", *words, "--json").json["advice"]
    assert any(one["single_writer"] for one in told["recommendations"])
    assert told["cautions"]
    together = acic("recommend", LOGS / "known/ior_posix_shared_seq.darshan", *words)
    assert together.status == 0
    assert "is safe only while" not in together.out


@pytest.mark.parametrize("command", ["recommend", "explain"])
def test_what_is_kept_on_disks_that_are_lost_comes_with_a_caution(acic: Acic, command: str) -> None:
    words = (command, LOG, "--platform", "lab", "--model", "prior", "--elsewhere", "--goal", "cost")
    told = acic(*words)
    assert "on disks that are lost with their machines" in told.out
    assert "the job writes 160 MiB" in told.out
    assert "--results" in told.out
    assert "lost with their machines" not in acic(*words, "--results", "160MiB").out


@pytest.mark.parametrize("log", ["app_ckpt_coll", "ior_posix_shared_seq"])
def test_what_would_be_deployed_and_ties_can_be_seen(acic: Acic, log: str) -> None:
    """Answers were said to tie with what is on disks that are lost, and no column told of disks."""
    words = ("recommend", LOGS / f"known/{log}.darshan", "--platform", "lab", "--model", "prior", "--elsewhere")
    told = acic(*words, "--json").json["advice"]
    answers = told["recommendations"]
    usual = told["baseline"]
    as_usual = [name for name in usual if all(one["configuration"].get(name) == usual[name] for one in answers)]
    free = {name for name in as_usual if any(name in one["free"] for one in answers)}
    assert free
    header = next(line for line in acic(*words).out.splitlines() if "of the I/O alone" in line)
    assert free <= set(header.split())


def test_the_hint_to_tell_the_hardware_shows_how(acic: Acic) -> None:
    result = acic("recommend", LOG, "--platform", "ec2-2013", "--model", "prior")
    assert result.status == 4
    command = result.err.partition("`acic ")[2].partition("`")[0]
    assert acic(*command.split()).json["platform"]["lab"]


def test_the_json_tells_what_learned(acic: Acic) -> None:
    versions = acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--json").json["versions"]
    assert versions == {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}


def test_the_json_says_the_basis_of_every_number(acic: Acic) -> None:
    advice = acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--price", "1", "--json").json["advice"]
    assert len(advice["recommendations"]) == 5
    for recommendation in advice["recommendations"]:
        for name in ("improvement", "io_improvement", "seconds", "cost"):
            number = recommendation[name]
            assert number["basis"] == "predicted"
            assert number["low"] <= number["value"] <= number["high"]


def test_a_measured_workload_is_no_extrapolation(acic: Acic) -> None:
    advice = acic("recommend", *FIG_19, "--access", "consecutive", "--platform", "tianhe-lustre", "--json").json[
        "advice"
    ]
    assert advice["extrapolated"] == []
    assert advice["verdict"] == "change"
    assert advice["recommendations"][0]["configuration"]["stripe_size"] > 64 * 2**20


@pytest.mark.parametrize(
    ("option", "zeros"), [("--data-size", 23), ("--processes", 23), ("--processes", 9), ("--iterations", 23)]
)
def test_numbers_that_no_machine_holds_are_refused(acic: Acic, option: str, zeros: int) -> None:
    words = list(FIG_19)
    if option in words:
        del words[words.index(option) : words.index(option) + 2]
    result = acic("recommend", *words, option, "1" + "0" * zeros, "--platform", "tianhe-lustre")
    assert result.status == 2
    assert "hint: no machine is so large" in result.err


@pytest.mark.parametrize("price", ["0", "-1", "nan", "inf", "cheap", "1e308", "1e-320"])
def test_a_price_is_above_nothing(acic: Acic, price: str) -> None:
    for command in ("recommend", "explain"):
        result = acic(command, *FIG_19, "--platform", "tianhe-lustre", "--goal", "cost", "--price", price)
        assert result.status == 2
        assert "is no price; write dollars above 0" in result.err


def test_hints_are_written_whole_or_not_at_all(acic: Acic, tmp_path: Path) -> None:
    asked = ("recommend", *FIG_19, "--platform", "tianhe-lustre", "--hints-file")
    assert acic(*asked, tmp_path / "hints").status == 0
    assert acic(*asked, os.path.relpath(tmp_path / "-")).status == 0  # as ./- is
    assert "romio_ds_write" in (tmp_path / "hints").read_text()
    for wrong in (tmp_path, tmp_path / "no" / "hints"):
        result = acic(*asked, wrong)
        assert (result.status, result.out) == (2, "")
        assert "cannot write" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("recommend", *FIG_19, "--platform", "tianhe-lustre", "--hints-file"),
        ("replicate", LOG, "--replay"),
        ("campaign", "report", "-o"),
        ("evaluate", "--html"),
        ("evaluate", "--pictures"),
        ("data", "export"),
        ("data", "list", "--store"),
        ("survey", "export", "truth"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_no_file_or_folder_is_made_whose_name_stands_for_a_stream(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...]
) -> None:
    """`--hints-file -` made a file of that name, which few commands then remove."""
    monkeypatch.chdir(tmp_path)
    result = acic(*words, "-")
    assert (result.status, result.out) == (2, "")
    assert "stream" in result.err
    assert "./- if that is its name" in result.err
    assert not Path("-").exists()


def test_what_cannot_be_learned_is_not_announced(acic: Acic) -> None:
    result = acic("recommend", LOG, "--platform", "ec2-2013")
    assert result.status == 4
    assert "acic: platform ec2-2013 has measurements of 0 configurations" in result.err
    assert "learning" not in result.err


def test_results_that_must_last_are_copied_from_disks_that_do_not(acic: Acic) -> None:
    ask = ["recommend", LOG, "--platform", "lab", "--top", "200", "--json"]
    plain = _seconds(acic(*ask))
    copied = _seconds(acic(*ask, "--results", "600MB"))
    both = plain.keys() & copied.keys()
    assert {dict(configuration)["device"] for configuration in both} == {"EBS", "ephemeral"}
    sent = 600e6 / 4 / (480e6 / 8)  # s: each of four nodes sends its share, at 480 Mbit/s or slower
    for configuration in both:
        more = copied[configuration] - plain[configuration]
        if dict(configuration)["device"] == "ephemeral":
            assert sent <= more <= 60 * sent
        else:
            assert more == pytest.approx(0.0, abs=1e-6)


def bundled_log(name: str, folder: Path) -> Path:
    """Return the log of an application of the lab, in a folder."""
    with zipfile.ZipFile(str(resources.files("acic.evaluation").joinpath("data", "lab-logs.zip"))) as archive:
        return Path(archive.extract(f"{name}.darshan", folder))


def test_files_that_are_no_results_are_told_to_be_taken_for_temporary(acic: Acic, tmp_path: Path) -> None:
    ask = ["recommend", bundled_log("kmc", tmp_path), "--platform", "lab"]
    assert "taken to be temporary" not in acic(*ask).err
    result = acic(*ask, "--results", "4MB")
    assert "note: 64 files that the job writes and reads again" in result.err
    assert result.status == 0
    explained = acic("explain", *ask[1:], "--results", "4MB")
    assert (explained.status, explained.err.count("taken to be temporary")) == (0, 1)


def test_an_input_that_many_wrote_takes_ephemeral_disks_longer(acic: Acic, tmp_path: Path) -> None:
    """Eight wrote each file that `hadd` joins, so that a disk reads a part of it with each of few I/Os."""
    ask = ["recommend", bundled_log("hadd", tmp_path), "--platform", "lab", "--top", "200", "--json"]
    one, eight = _seconds(acic(*ask)), _seconds(acic(*ask, "--input-writers", "8"))
    slower: dict[str, list[float]] = {"EBS": [], "ephemeral": []}
    for configuration in one.keys() & eight.keys():
        answer = dict(configuration)
        if answer["file_system"] == "NFS":
            slower[str(answer["device"])].append(eight[configuration] / one[configuration])
    assert min(slower["ephemeral"]) >= 1.0
    assert max(slower["ephemeral"]) > 1.5
    assert max(slower["EBS"]) == pytest.approx(1.0, abs=0.02)
    for wrong in ("0", "1" + 400 * "0"):
        assert acic(*ask, "--input-writers", wrong).status == 2


def _seconds(result: Result) -> dict[frozenset[tuple[str, object]], float]:
    answers = result.json["advice"]["recommendations"]
    return {frozenset(one["configuration"].items()): one["seconds"]["value"] for one in answers}


def test_what_makes_no_difference_is_told_as_such(acic: Acic, tmp_path: Path) -> None:
    """Microseconds of hours are digits that nobody reads."""
    long = tmp_path / "long.toml"
    told = acic("characterize", LOG, "--toml").out
    long.write_text(re.sub(r"^run_seconds = .*$", "run_seconds = 4e5", told, flags=re.MULTILINE))
    result = acic("recommend", long, "--platform", "tianhe-lustre", "--price", "0.5")
    assert result.status == 0
    assert "not 1 MiB: less than 0.1% of the run time\n" in result.out
    assert "saves" not in result.out
    dear = acic("recommend", long, "--platform", "tianhe-lustre", "--price", "0.5", "--goal", "cost")
    assert "not 1 MiB: less than 0.1% of the cost\n" in dear.out


SLOW = pytest.param("boosting", marks=pytest.mark.slow)  # learns for twenty seconds


@pytest.mark.parametrize("name", ["cart", "forest", "extra-trees", SLOW, "ridge", "nonlinear"])
def test_every_model_answers(acic: Acic, name: str) -> None:
    result = acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--model", name, "--top", "1", "--json")
    assert result.status == 0
    assert result.json["advice"]["model"] == name
    assert result.json["advice"]["recommendations"][0]["why"]


def test_the_hints_file_is_written_for_romio(acic: Acic, tmp_path: Path) -> None:
    hints = tmp_path / "hints"
    result = acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--hints-file", hints, "--json")
    assert result.status == 0
    configuration = result.json["advice"]["recommendations"][0]["configuration"]
    changed = {k: v for k, v in configuration.items() if k.startswith("romio_") and v != "automatic"}
    written = dict(line.split() for line in hints.read_text().splitlines()) if hints.exists() else {}
    assert written == changed


def test_what_does_not_apply_is_told_where_it_is_as_good(acic: Acic) -> None:
    result = acic(
        "recommend", LOGS / "known/ior_posix_fpp.darshan", "--platform", "lab", "--model", "prior", "--top", 40
    )
    assert "(or )" not in result.out
    assert re.search(r"\(or [^)]*-\)|\([^)]*, or -\)|- \(or ", result.out)


def test_where_nothing_is_to_be_changed_nothing_is_handed_to_scripts(acic: Acic, tmp_path: Path) -> None:
    hints = tmp_path / "hints"
    idle = tmp_path / "idle.toml"
    told = acic("characterize", LOG, "--toml").out
    idle.write_text(re.sub(r"^seconds = .*$", "seconds = 0.01", told, flags=re.MULTILINE))
    found = acic("recommend", idle, "--platform", "tianhe-lustre", "--hints-file", hints, "--json")
    assert found.json["advice"]["verdict"] == "nothing"
    assert found.json["instructions"] == []
    assert hints.read_text() == ""


def test_where_there_are_no_hints_the_file_is_empty_and_no_older_one_is_left(acic: Acic, tmp_path: Path) -> None:
    hints = tmp_path / "hints"
    hints.write_text("romio_cb_write enable\n")
    words = [*("--processes", "4", "--interface", "POSIX", "--operation", "write", "--data-size", "4MiB")]
    result = acic("recommend", *words, "--platform", "lab", "--model", "prior", "--hints-file", hints)
    assert result.status == 0
    assert f"there are no MPI-IO hints to set, so {hints} is empty" in result.err
    assert hints.read_text() == ""


def test_what_is_asked_for_names_its_figures_and_what_that_costs_is_told(acic: Acic) -> None:
    words = ("recommend", LOGS / "known/ior_posix_fpp.darshan", "--platform", "lab", "--model", "prior")
    fast, cheap = (acic(*words, "--goal", goal, "--top", "1") for goal in ("time", "cost"))
    assert "improvement in cost" not in fast.out
    assert "improvement in cost" in cheap.out
    assert "of the time in I/O alone" in cheap.out
    advice = acic(*words, "--json").json["advice"]
    cost = advice["recommendations"][0]["cost"]["value"] / advice["baseline_cost"]
    assert cost > 1.02
    assert f"The first answer costs {cost:.2f} times what the baseline does" in fast.err
    assert "The first answer costs" not in cheap.err


def test_money_is_asked_for_with_a_price(acic: Acic) -> None:
    without = acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--goal", "cost")
    assert without.status == 4
    assert "--price" in without.err
    assert acic("recommend", *FIG_19, "--platform", "tianhe-lustre", "--goal", "pareto", "--price", "0.5").status == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([LOG, "--platform", "ec2-2013"], 4, "measurements of 0 configurations"),
        ([LOG, "--platform", "moon"], 2, "no platform 'moon'"),
        ([LOG], 2, "--platform"),
        ([LOG, "--platform", "tianhe-lustre", "--model", "oracle"], 2, "no model 'oracle'"),
        ([LOGS / "known/ior_posix_readonly.darshan", "--platform", "tianhe-lustre"], 4, "speaks about the reads"),
        ([LOG, "--platform", "tianhe-lustre", "--store", "mysql://x"], 2, "no store in 'mysql'"),
        ([LOG, "--platform", "tianhe-lustre", "--store", LOG], 5, "not a database"),
    ],
)
def test_what_cannot_be_answered_is_said_with_a_remedy(acic: Acic, words: list[object], status: int, said: str) -> None:
    result = acic("recommend", *words)
    assert result.status == status
    assert said in result.err
    assert result.out == ""


def test_the_same_question_has_the_same_answer(acic: Acic) -> None:
    words = ("recommend", LOG, "--platform", "tianhe-lustre", "--json")
    assert acic(*words).out == acic(*words).out


def test_recommending_needs_no_scikit_learn_once_the_model_is_cached(acic: Acic) -> None:
    import os
    import subprocess
    import sys

    acic("recommend", LOG, "--platform", "tianhe-lustre")
    code = (
        "import sys; from acic.cli.main import run;"
        f"status = run(['recommend', {str(LOG)!r}, '--platform', 'tianhe-lustre']);"
        "print(status, *[m for m in ('sklearn', 'scipy', 'pandas', 'sqlalchemy') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "0"


def test_what_a_hint_says_to_type_names_the_platform_as_its_user_did(acic: Acic, tmp_path: Path) -> None:
    file = tmp_path / "my site.toml"
    text = resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text()
    file.write_text(re.sub("^missing.*", "", text, flags=re.MULTILINE).replace('"tianhe-lustre"', '"mine"', 1))
    found = acic("recommend", LOG, "--platform", file, "--elsewhere")
    assert found.status == 4
    assert f"acic data import FILE --platform '{file}'" in found.err
    assert f"hint: measure it: acic train --platform '{file}' --budget 2h; or import" in found.err
    file.write_text(file.read_text().replace('apply = ["lustre", "romio"]', 'apply = ["deployment"]'))
    found = acic("recommend", LOG, "--platform", file, "--elsewhere")
    assert "hint: import measurements: acic data import" in found.err


def test_what_nothing_sets_has_to_be_set_by_hand(acic: Acic, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    text = resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text()
    text = text.replace('apply = ["lustre", "romio"]', 'apply = ["romio"]\ncopy_of = "tianhe-lustre"')
    file.write_text(text)
    found = acic("recommend", *FIG_19, "--platform", file)
    assert found.status == 0, found.err
    applied = found.out.split("To apply the first:\n")[1]
    assert re.search(
        r"\n  # Set by hand, as nothing in the platform's `apply` does: .*stripe_size to \S+ MiB\n", applied
    )
    assert "lfs setstripe" not in applied


def test_a_stranger_s_platform_types_no_commands(acic: Acic, tmp_path: Path) -> None:
    """A line break in a value ended the comment that it stood in, among lines that are pasted."""
    file = tmp_path / "site.toml"
    text = resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text()
    text = text.replace('apply = ["lustre", "romio"]', 'apply = ["romio"]\ncopy_of = "tianhe-lustre"')
    file.write_text(text.replace('"disable"', '"disable\\ntouch x"'))
    found = acic("recommend", *FIG_19, "--platform", file)
    assert (found.status, found.out) == (2, "")
    assert re.search(r"parameter \d: values has 'disable\\ntouch x'", found.err)


def test_each_line_that_is_typed_is_printed_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    show_instructions([Instruction(title="Set\ntouch x\x1b[2J", commands=("echo 'a\nb'",))], "first")
    assert capsys.readouterr().out.splitlines()[2:] == [r"  # Set\x0atouch x\x1b[2J", r"  echo 'a\x0ab'"]


def test_a_platform_that_cannot_be_measured_is_not_told_to_be(acic: Acic, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    text = resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text()
    text = re.sub("^missing.*", "", text, flags=re.MULTILINE).replace('"tianhe-lustre"', '"mine"', 1)
    file.write_text(text.replace('apply = ["lustre", "romio"]', 'apply = ["lustre"]'))
    found = acic("recommend", LOG, "--platform", file)
    assert found.status == 4
    assert "hint: import measurements: acic data import" in found.err


def test_a_store_that_is_not_there_is_told_but_does_not_matter(acic: Acic, tmp_path: Path) -> None:
    found = acic("recommend", LOG, "--platform", "tianhe-lustre", "--elsewhere", "--store", tmp_path / "none.sqlite")
    assert found.status == 0
    assert "no training database" in found.err
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize("command", ["recommend", "explain", "verify"])
def test_the_help_names_the_models_that_answer_by_default(command: str, acic: Callable[..., Result]) -> None:
    told = "".join(acic(command, "--help").out.split())
    assert f"[default:{BESIDE_PRIOR}wherethehardwareisknown,else{DEFAULT}]" in told


def test_only_answers_with_what_is_kept(acic: Callable[..., Result]) -> None:
    words = ("recommend", *FIG_19, "--platform", "tianhe-lustre", "--model", "cart", "--keep", "stripe_count=4")
    found = acic(*words, "--json")
    assert {one["configuration"]["stripe_count"] for one in found.json["advice"]["recommendations"]} == {4}
    refused = acic(*words, "--keep", "stripe_count=8")
    assert (refused.status, refused.out) == (2, "")
    assert "--keep gives stripe_count two values" in refused.err


@pytest.mark.parametrize(
    ("free", "told"),
    [
        ((1, 2, 4, 8, 16), "16 (1 to 16)"),
        ((8, 16), "16 (8 to 16)"),
        ((1, 16), "16 (or 1)"),
        ((1, 2, 4, 16), "16 (or 1 to 4)"),
        ((None, 1, 4, 16), "16 (or 1, 4, -)"),
        ((None, 8, 16), "16 (8 to 16, or -)"),
    ],
)
def test_values_between_are_as_good_only_where_they_are(free: tuple[int | None, ...], told: str) -> None:
    """A span from 1 to 16 was told where 2 and 4 take longer."""
    count = Parameter(name="stripe_count", values=(1, 2, 4, 8, 16), scale=Scale.LOG)
    platform = cast(Platform, SimpleNamespace(space={"stripe_count": count}))
    one = SimpleNamespace(configuration={"stripe_count": 16}, free={"stripe_count": free})
    assert _values(platform, cast(Recommendation, one), "stripe_count") == told
