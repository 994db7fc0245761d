"""What was learned is cached, found again, and made anew when anything changed."""

import errno
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from acic.advisor import known as module
from acic.advisor.application import Effect
from acic.advisor.known import Trust, kept, known, stored_rows, training_rows, versions
from acic.advisor.learning import learn
from acic.advisor.safety import at_fault
from acic.errors import MissingData
from acic.platforms import Platform, load_platform
from acic.space import Configuration
from acic.store import Measurement, Outcome
from acic.store.bundled import bundled
from acic.store.database import Store
from acic.workloads import Operation
from tests.advisor.conftest import WHEN, WRITE, measurement


@pytest.fixture
def store(tmp_path: Path, training: list[Measurement], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    url = str(tmp_path / "store.sqlite")
    with Store.open(url) as opened:
        opened.add(training)
    return url


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each fit saw: empty while only the cache answers."""
    seen: list[int] = []
    original = learn

    def counted(rows, *args, **kwargs):  # type: ignore[no-untyped-def]  # whatever the original takes
        seen.append(len(rows))
        return original(rows, *args, **kwargs)

    monkeypatch.setattr(module, "learn", counted)
    return seen


def ask(platform: Platform, store: str, *, now: datetime = WHEN, trust: Trust | None = None) -> np.ndarray:
    effect = known(platform, "ridge", store=store, trust=trust or Trust(), now=now).effect(WRITE)
    return np.array([effect.mean, effect.low, effect.high])


def test_the_second_question_is_answered_from_the_cache(cluster: Platform, store: str, fits: list[int]) -> None:
    assert not kept(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    first = ask(cluster, store)
    assert kept(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    np.testing.assert_array_equal(first, ask(cluster, store))
    assert len(fits) == 1


def test_who_needs_no_intervals_waits_for_none(cluster: Platform, store: str, fits: list[int]) -> None:
    def point() -> Effect:
        return known(cluster, "ridge", store=store, trust=Trust(), now=WHEN, intervals=False).effect(WRITE)

    first, again = point(), point()
    assert len(fits) == 1
    assert kept(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    mean, low, high = ask(cluster, store)  # is not answered by what has none
    assert len(fits) == 2
    others = mean != 0.0
    for one in (first, again, point()):
        np.testing.assert_array_equal(one.mean, mean)
    assert np.isinf(first.low[others]).all()
    assert np.isinf(first.high[others]).all()
    assert np.isfinite([low, high, point().low]).all()
    assert len(fits) == 2


def test_what_takes_long_tells_how_far_it_is_and_what_is_kept_tells_nothing(cluster: Platform, store: str) -> None:
    def told(*, intervals: bool = True) -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []

        def watch(done: int, total: int) -> None:
            seen.append((done, total))

        known(cluster, "ridge", store=store, trust=Trust(), now=WHEN, intervals=intervals, watch=watch)
        return seen

    assert told(intervals=False) == []  # one fit
    seen = told()
    total = seen[0][1]
    assert total > 2
    assert seen == [(done, total) for done in range(1, total + 1)]
    assert told() == []


def test_what_was_learned_beside_other_formulas_answers_no_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A model learned beside a half-finished version of the prior once answered for the finished one."""
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    lab, nothing = load_platform("lab"), str(tmp_path / "none.sqlite")
    known(lab, "prior", store=nothing, trust=Trust(), now=WHEN)
    assert kept(lab, "prior", store=nothing, trust=Trust(), now=WHEN)
    monkeypatch.setattr(module, "formulas", lambda: "others")
    assert not kept(lab, "prior", store=nothing, trust=Trust(), now=WHEN)


@pytest.mark.parametrize("code", ["weighing", "judging"])
def test_what_other_code_weighed_or_judged_answers_no_more(
    cluster: Platform, store: str, fits: list[int], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """What was learned while a liar was believed answered on after the code that weighs contributors was mended."""
    ask(cluster, store)
    monkeypatch.setattr(module, code, lambda: "other")
    assert not kept(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    ask(cluster, store)
    assert len(fits) == 2


def test_what_other_libraries_learned_answers_no_more(
    cluster: Platform, store: str, fits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Splits of trees that are as good are told apart by the last digit, which a release may change."""
    ask(cluster, store)
    assert set(versions()) == {"numpy", "scipy", "scikit-learn"}
    for name in versions():
        monkeypatch.setattr(module, "versions", lambda name=name: versions() | {name: "0.1"})
        ask(cluster, store)
    assert len(fits) == 4


def test_new_measurements_are_learned(
    cluster: Platform, store: str, fits: list[int], training: list[Measurement]
) -> None:
    ask(cluster, store)
    with Store.open(store) as opened:
        opened.add([replace(training[0], time=WHEN + timedelta(days=1), seed=2)])
    ask(cluster, store)
    assert fits == [len(training), len(training) + 1]


def test_what_failed_is_kept_beside_what_was_learned(cluster: Platform, store: str, fits: list[int]) -> None:
    good = measurement(cluster, WRITE, cluster.baseline, 1e8)
    bad = replace(good, outcome=Outcome.FAILED, repetitions=())
    with Store.open(store) as opened:
        opened.add([replace(bad, outcome=outcome, note="ENOSPC") for outcome in (Outcome.FAILED, Outcome.UNKNOWN)])
        opened.add([replace(bad, outcome=Outcome.TIMEOUT, time=WHEN + timedelta(days=1), note="later")])
    asked = [known(cluster, "ridge", store=store, trust=Trust(), now=WHEN).learned.failing for _ in range(2)]
    assert len(fits) == 1
    assert asked[0] == asked[1]
    (mine,) = (one for one in asked[0] if one.failed)
    assert (mine.configuration, mine.workload, mine.failed, mine.note) == (cluster.baseline, WRITE, 2, "later")


def test_rows_are_read_once_until_one_more_is_there(
    cluster: Platform, store: str, training: list[Measurement], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(store) as opened:
        first = training_rows(cluster, opened)
        with monkeypatch.context() as patch:
            patch.setattr(module, "training_table", None)
            again = training_rows(cluster, opened)
        np.testing.assert_array_equal(again.mean, first.mean)
        opened.add([replace(training[0], time=WHEN + timedelta(days=1), seed=2)])
        assert len(training_rows(cluster, opened)) == len(first) + 1


def test_another_platform_file_is_another_question(cluster: Platform, store: str, fits: list[int]) -> None:
    ask(cluster, store)
    ask(replace(cluster, revision="2099-01"), store)
    assert len(fits) == 2


def test_ages_count_in_days(cluster: Platform, store: str, fits: list[int]) -> None:
    fading = Trust(half_life=30 * 86400.0)
    ask(cluster, store, trust=fading)
    ask(cluster, store, trust=fading, now=WHEN + timedelta(hours=1))
    assert len(fits) == 1
    ask(cluster, store, trust=fading, now=WHEN + timedelta(days=2))
    assert len(fits) == 2


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not an archive", None])
def test_a_damaged_cache_is_made_anew(
    cluster: Platform, store: str, fits: list[int], tmp_path: Path, damage: bytes | None
) -> None:
    first = ask(cluster, store)
    files = list((tmp_path / "cache").iterdir())
    assert len(files) == 2  # what was learned, and the rows
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    np.testing.assert_array_equal(first, ask(cluster, store))
    assert len(fits) == 2


def test_a_cache_that_cannot_be_written_is_no_error_but_told(
    cluster: Platform, store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ACIC_CACHE", "/proc/nowhere")
    told: list[str] = []
    found = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN, announce=told.append)
    assert np.isfinite(found.effect(WRITE).mean).all()
    assert any("nothing can be kept in /proc/nowhere" in line for line in told)
    assert not any("the next answer comes at once" in line for line in told)
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    known(cluster, "ridge", store=store, trust=Trust(), now=WHEN, announce=told.append)
    assert "the next answer comes at once" in told[-1]


def test_on_a_full_disk_no_answer_is_promised_to_come_at_once(
    cluster: Platform, store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was, and the next line said that nothing can be kept."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("os.posix_fallocate", full)
    told: list[str] = []
    known(cluster, "ridge", store=store, trust=Trust(), now=WHEN, announce=told.append)
    assert any(line.startswith("learning ") for line in told)
    assert not any("the next answer comes at once" in line for line in told)


def test_what_a_site_learned_of_what_comes_with_acic_answers_all_and_what_a_store_told_its_readers(
    cluster: Platform, store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def modes(platform: Platform, store: str) -> set[int]:
        cache = tmp_path / f"cache-{len(list(tmp_path.iterdir()))}"
        monkeypatch.setenv("ACIC_CACHE", str(cache))
        known(platform, "ridge", store=store, trust=Trust(), now=WHEN)
        return {file.stat().st_mode & 0o777 for file in cache.iterdir()}

    lustre = load_platform("tianhe-lustre")
    assert modes(lustre, str(tmp_path / "none.sqlite")) == modes(lustre, store) == {0o644}
    names = [{file.name for file in cache.iterdir()} for cache in sorted(tmp_path.glob("cache-*"))]
    assert names[0] == names[1], "a store of other platforms changes nothing"
    assert modes(cluster, store) == {0o600}
    monkeypatch.setattr(Store, "is_open_to_all", True)
    assert modes(cluster, store) == {0o644}


def test_a_platform_without_data_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="ec2-2013 has measurements of 0") as caught:
        known(load_platform("ec2-2013"), "cart", store=str(tmp_path / "s.sqlite"), trust=Trust(), now=WHEN)
    assert "acic data import" in caught.value.hint


def test_a_configuration_that_gave_back_wrong_bytes_is_never_recommended(
    cluster: Platform, store: str, fits: list[int], training: list[Measurement]
) -> None:
    before = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    best = cluster.space.configuration(before.points[int(before.effect(WRITE).mean.argmax())])
    assert best != cluster.baseline
    with Store.open(store) as opened:
        wrong = next(m for m in training if m.configuration == best)
        opened.add([replace(wrong, outcome=Outcome.CORRUPT, repetitions=(), time=WHEN + timedelta(days=1))])
    learned_now = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    cached = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    assert len(fits) == 2
    for knowledge in (learned_now, cached):
        left = [cluster.space.configuration(point) for point in knowledge.points]
        assert best not in left
        assert len(left) == len(before.points) - at_fault(cluster, before.points, [best]).sum()
        assert any("other bytes" in note for note in knowledge.safety_notes())


def test_a_baseline_that_gave_back_wrong_bytes_stays_but_is_told(
    cluster: Platform, store: str, training: list[Measurement]
) -> None:
    with Store.open(store) as opened:
        wrong = next(m for m in training if m.configuration == cluster.baseline)
        opened.add([replace(wrong, outcome=Outcome.CORRUPT, repetitions=(), time=WHEN + timedelta(days=1))])
    knowledge = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN)
    assert len(knowledge.points) == len(cluster.space.enumerate())
    assert "baseline" in knowledge.safety_notes()[0]


def test_measurements_that_do_not_fit_the_platform_are_told_of(
    cluster: Platform, store: str, training: list[Measurement]
) -> None:
    """They went without a word: a value was renamed in the platform's file, and nothing was learned any more."""
    strange = Configuration({**cluster.baseline, "nosuch": 1})
    with Store.open(store) as opened:
        opened.add([replace(one, configuration=strange) for one in training[:3]])
    reason = (
        "3 measurements do not fit the platform made-up and teach nothing, the first as there is no parameter 'nosuch'"
    )
    for _ in ("learned", "cached"):
        notes = known(cluster, "ridge", store=store, trust=Trust(), now=WHEN).safety_notes()
        assert [note[: len(reason)] for note in notes] == [reason]
    said: list[str] = []
    rows = stored_rows(cluster, store, announce=said.append)
    assert len(rows) == len(training)
    assert [line[: len(reason) + 6] for line in said] == [f"note: {reason}"]


def test_reads_without_a_baseline_leave_the_advice_for_writes_as_it_is(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two imported reads ended every answer for jobs that write: "the baseline was not measured with any read"."""
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    store = str(tmp_path / "writes.sqlite")
    with Store.open(store) as opened:
        opened.add([one for one in training if one.workload.operation is Operation.WRITE])
    before = ask(cluster, store)
    read = replace(WRITE, operation=Operation.READ)
    other = next(c for c in cluster.space.configurations() if c != cluster.baseline)
    with Store.open(store) as opened:
        opened.add([measurement(cluster, read, other, 1e9), measurement(cluster, read, other, 2e9)])
    np.testing.assert_array_equal(before, ask(cluster, store))
    told = f"2 measurements teach nothing: the baseline of {cluster.name} was measured with writes only"
    assert told in known(cluster, "ridge", store=store, trust=Trust(), now=WHEN).learned.doubts
    said: list[str] = []
    stored_rows(cluster, store, announce=said.append)
    assert said == [f"note: {told}"]


def test_where_nothing_fits_the_platform_the_remedy_is_its_file(
    cluster: Platform, tmp_path: Path, training: list[Measurement], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    url = str(tmp_path / "other.sqlite")
    with Store.open(url) as opened:
        opened.add([replace(one, configuration=Configuration(nosuch=i)) for i, one in enumerate(training[:9])])
    with pytest.raises(MissingData, match="measurements of 0 configurations") as caught:
        known(cluster, "ridge", store=url, trust=Trust(), now=WHEN)
    assert "9 measurements do not fit the platform made-up" in caught.value.hint


@pytest.mark.parametrize("name", ["lab", "tianhe-lustre"])
def test_what_comes_with_acic_fits(name: str) -> None:
    platform = load_platform(name)
    assert training_rows(platform, None).unfit == {}


def test_asking_makes_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    known(load_platform("tianhe-lustre"), "ridge", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    assert not (tmp_path / "none.sqlite").exists()


def test_what_gave_wrong_bytes_in_bundled_measurements_is_never_advised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    lab = load_platform("lab")
    wrong = {m.configuration for m in bundled(lab) if m.outcome is Outcome.CORRUPT}
    knowledge = known(lab, "ridge", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    candidates = {lab.space.configuration(point) for point in knowledge.points}
    assert wrong
    assert not wrong & candidates
    assert knowledge.learned.unsafe.all == wrong
    assert any("gave back other bytes" in note for note in knowledge.safety_notes())


def test_the_prior_where_there_is_none_is_refused_with_a_remedy_that_helps(
    cluster: Platform, store: str, tmp_path: Path
) -> None:
    """Another model helps where something was measured; else it would only ask for measurements."""
    remedies = []
    for url in (store, str(tmp_path / "empty.sqlite")):
        with pytest.raises(MissingData, match="hardware of made-up is not known") as caught:
            known(cluster, "prior", store=url, trust=Trust(), now=WHEN)
        remedies.append(caught.value.hint)
    measured, nothing = remedies
    assert "another model" in measured
    assert "another model" not in nothing
    assert "docs/platforms.md" in nothing
    assert "acic platform show lab --json" in nothing  # the table for people has no hardware
    assert "acic data import FILE --platform made-up" in nothing
