"""`acic explain`: from a log to reasons, as JSON too, with the errors of other commands."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from tests.cli.conftest import LOGS, Result

Acic = Callable[..., Result]
LOG = LOGS / "apps/s3d_io_blocking.darshan"
PLATFORM = ("--platform", "tianhe-lustre", "--model", "cart")
FIG_19 = [
    *("--processes", "64", "--interface", "MPIIO", "--operation", "write"),
    *("--data-size", "100MiB", "--request-size", "2MiB", "--access", "consecutive"),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def learned_once(acic: Acic, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 (acic sets it first)
    monkeypatch.setenv("ACIC_CACHE", str(cache))


def test_a_real_log_gets_four_answers(acic: Acic) -> None:
    result = acic("explain", LOG, *PLATFORM, "--elsewhere")
    assert result.status == 0
    for text in ("1. Why this", "2. What would change", "3. What if", "4. What does it rest on?", "By parameter:"):
        assert text in result.out
    assert "note: The seconds in I/O under the baseline are predicted" in result.err


def test_the_json_has_every_number_and_adds_up(acic: Acic) -> None:
    found = acic("explain", *FIG_19, *PLATFORM, "--json").json["explanation"]
    advice = acic("recommend", *FIG_19, *PLATFORM, "--top", "1", "--json").json["advice"]
    assert found["advice"] == advice
    whole = found["theirs"] - found["ours"]
    assert found["ours"] == pytest.approx(advice["recommendations"][0]["seconds"]["value"])
    assert sum(part["saves"] for part in found["parts"]) == pytest.approx(whole)
    assert sum(part["saves"] for part in found["changes"]["parts"]) == pytest.approx(whole)
    (character,) = found["characters"]
    saved = sum(cause["saves"] for cause in (character["typical"], character["level"], *character["causes"]))
    assert saved == pytest.approx(whole)
    assert found["limit"] in ("model", "baseline", "noise")
    assert {one["name"] for one in found["dependences"]} == {
        *("processes", "io_processes", "interface", "iterations", "data_size"),
        *("request_size", "operation", "collective", "shared", "access"),
    }
    for one in found["dependences"]:
        assert one["harm"] == max((error["regret"] for error in one["errors"]), default=0)
    assert found["support"]["workload_steps"] == 0
    steps = [near["steps"] for near in found["support"]["nearest"]]
    assert steps == sorted(steps)


def test_what_would_help_most_is_to_be_typed_for_the_platform_as_it_was_named(acic: Acic, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text(resources.files("acic.platforms").joinpath("data", "tianhe-lustre.toml").read_text())
    said = acic("explain", *FIG_19, "--platform", file, "--model", "cart").out
    assert f"(acictrain--platform{file}--likeLOG)" in "".join(said.split())  # on whatever lines


def test_a_configuration_of_ones_own_is_compared_with(acic: Acic) -> None:
    result = acic("explain", *FIG_19, *PLATFORM, "--instead", "stripe_count=8", "--json")
    found = result.json["explanation"]
    assert found["against"] == "named"
    assert found["other"]["stripe_count"] == 8
    assert {n: v for n, v in found["other"].items() if n != "stripe_count"} == {
        n: v for n, v in found["answer"].items() if n != "stripe_count"
    }
    assert [change["names"] for change in found["changes"]["parts"]] == [["stripe_count"]]


def test_what_takes_less_and_was_not_chosen_is_a_tie_and_said_to_be_one(acic: Acic) -> None:
    lustre = ("--platform", "tianhe-lustre", "--model", "gaussian")
    words = ("explain", *FIG_19, "--collective", *lustre, "--instead", "romio_cb_write=disable")
    found = acic(*words, "--json").json["explanation"]
    assert found["theirs"] < found["ours"] <= found["theirs"] * 1.02
    told = " ".join(acic(*words).out.split())
    assert "so it takes" in told
    assert (
        "That is a tie: of what is within 2% of the I/O, the one that is cheaper, or changes less, is the answer."
        in told
    )


def test_the_runner_up_is_the_second_that_recommend_names(acic: Acic) -> None:
    found = acic("explain", *FIG_19, *PLATFORM, "--against", "runner-up", "--json").json["explanation"]
    assert found["against"] == "runner-up"
    second = acic("recommend", *FIG_19, *PLATFORM, "--top", "2", "--json").json["advice"]["recommendations"][1]
    assert found["other"] == second["configuration"]
    assert found["theirs"] == pytest.approx(second["seconds"]["value"])


def test_money_is_explained_with_a_price(acic: Acic) -> None:
    found = acic("explain", *FIG_19, *PLATFORM, "--goal", "cost", "--price", "1", "--json").json["explanation"]
    assert found["unit"] == "USD"
    assert found["ours"] == pytest.approx(found["advice"]["recommendations"][0]["cost"]["value"])


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--platform", "tianhe-lustre", "--goal", "cost"), 4, "has no prices"),
        ((*PLATFORM, "--instead", "stripe_count"), 2, "sets nothing"),
        ((*PLATFORM, "--instead", "stripe_size"), 2, "write --instead 'stripe_size="),
        ((*PLATFORM, "--instead", "stripe_count=7", "--against", "runner-up"), 2, "both --instead and --against"),
        ((*PLATFORM, "--instead", "stripes=7"), 2, "no parameter 'stripes'"),
        (("--platform", "moon"), 2, "no platform 'moon'"),
        (("--platform", "tianhe-lustre", "--model", "crystal-ball"), 2, "crystal-ball"),
    ],
)
def test_what_cannot_be_is_one_error_with_a_hint(acic: Acic, words: tuple[str, ...], status: int, said: str) -> None:
    result = acic("explain", *FIG_19, *words)
    assert result.status == status
    assert result.out == ""
    assert said in result.err
    assert result.err.count("acic: ") == 1
    assert "hint: " in result.err


def test_no_measurements_are_one_error(acic: Acic) -> None:
    result = acic("explain", LOG, "--platform", "ec2-2013", "--model", "cart")
    assert result.status == 4
    assert result.out == ""
    assert result.err.count("acic: ") == 1


def test_a_workload_that_nothing_speaks_about_is_one_error(acic: Acic) -> None:
    reads = [word if word != "write" else "read" for word in FIG_19]
    result = acic("explain", *reads, *PLATFORM)
    assert result.status == 4
    assert "speaks about the reads" in result.err


def test_the_page_is_written_beside_the_result(acic: Acic, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    plain = acic("explain", *FIG_19, *PLATFORM, "--json")
    asked = acic("explain", *FIG_19, *PLATFORM, "--json", "--html", page)
    assert asked.out == plain.out
    assert f"the page is in {page}" in asked.err
    text = page.read_text()
    assert asked.json["explanation"]["advice"]["reason"] in text
    assert "lfs setstripe -c" in text
    # as it was typed, but for where results go
    assert "acic explain --platform tianhe-lustre --model cart --processes 64 --interface MPIIO" in text
    assert str(page) not in text


def test_the_page_never_replaces_the_log(acic: Acic, tmp_path: Path) -> None:
    log = tmp_path / "run.darshan"
    log.write_bytes(LOG.read_bytes())
    result = acic("explain", log, *PLATFORM, "--elsewhere", "--html", log)
    assert result.status == 2
    assert log.read_bytes() == LOG.read_bytes()


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_learned(acic: Acic, tmp_path: Path) -> None:
    result = acic("explain", *FIG_19, *PLATFORM, "--html", tmp_path / "missing" / "why.html")
    assert result.status == 2
    assert "mkdir -p" in result.err
    assert result.out == ""


def test_wrong_bytes_are_told_where_nothing_that_is_kept_would_be_safe(acic: Acic) -> None:
    """Shards alone have 64 MiB: if the files had several writers after all, the regret was no number, and not told."""
    log = LOGS / "known/ior_posix_fpp.darshan"
    words = ("explain", log, "--platform", "lab", "--elsewhere", "--model", "prior", "--keep", "stripe_size=64MiB")
    found = acic(*words, "--json")
    assert found.status == 0, found.err
    shared = [one for one in found.json["explanation"]["dependences"] if one["name"] == "shared"]
    risks = [what for one in shared if one["harm"] is None for what in (*one["errors"], *one["levels"])]
    assert risks  # of what is written: several readers are none
    assert all(what["changes"] and what["regret"] is None for what in risks)
    assert all(what["instead"]["stripe_size"] != 64 * 2**20 for what in risks)
    assert "a risk of wrong bytes" in acic(*words).out
