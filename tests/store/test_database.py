"""The contract of the store, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData, StoreError
from acic.space import Configuration
from acic.store import Basis, Measurement, Outcome
from acic.store.content import fingerprint
from acic.store.database import AddResult, Count, Store
from acic.store.rows import training_record
from acic.workloads import Operation
from tests.store.samples import failure, measurement, measurements, workload


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(measurement=measurements())
def test_what_goes_in_comes_out(store: Store, measurement: Measurement) -> None:
    store.add([measurement])
    assert store.get(fingerprint(measurement)) == measurement
    store.remove([fingerprint(measurement)])


def test_a_new_store_is_empty(store: Store) -> None:
    assert store.measurements() == []
    assert store.counts() == []
    assert store.count() == 0


def test_measurements_come_in_the_order_they_were_added(store: Store) -> None:
    them = [measurement(i) for i in (5, 3, 9, 1)]
    assert store.add(them) == AddResult(added=4, duplicates=0)
    assert store.measurements() == them
    assert store.measurements(limit=2) == them[:2]


def test_duplicates_are_recognised_and_the_first_stays(store: Store) -> None:
    store.add([measurement(1)])
    relabelled = replace(measurement(1), contributor="somebody else", outcome=Outcome.SUSPECT)
    assert store.add([relabelled, measurement(2), measurement(2)]) == AddResult(added=1, duplicates=2)
    assert store.measurements() == [measurement(1), measurement(2)]


def test_a_store_keeps_what_it_has_when_opened_again(url: str) -> None:
    with Store.open(url) as first:
        first.add([measurement(1), failure(2)])
        before = first.fingerprint("tianhe-lustre")
    with Store.open(url) as second:
        assert second.measurements() == [measurement(1), failure(2)]
        assert second.fingerprint("tianhe-lustre") == before


def test_measurements_are_found_by_what_they_are(store: Store) -> None:
    read = replace(measurement(2), workload=workload(operation=Operation.READ), outcome=Outcome.SUSPECT)
    simulated = replace(measurement(3), basis=Basis.SIMULATED)
    elsewhere = replace(measurement(4), platform="ec2-2013")
    them = [measurement(1), read, simulated, elsewhere, failure(5)]
    store.add(them)
    assert store.measurements("ec2-2013") == [elsewhere]
    assert store.measurements(outcome=Outcome.FAILED) == [failure(5)]
    assert store.measurements(basis=Basis.SIMULATED) == [simulated]
    assert store.measurements("tianhe-lustre", operation=Operation.READ) == [read]
    assert store.measurements("nowhere") == []
    assert store.counts() == [
        Count("ec2-2013", Outcome.OK, 1),
        Count("tianhe-lustre", Outcome.FAILED, 1),
        Count("tianhe-lustre", Outcome.OK, 2),
        Count("tianhe-lustre", Outcome.SUSPECT, 1),
    ]
    assert store.count() == 5
    assert store.count("tianhe-lustre") == 4


def test_training_records_are_those_of_the_good_measurements(store: Store) -> None:
    them = [measurement(1), failure(2), replace(measurement(3), basis=Basis.SIMULATED), measurement(4)]
    store.add([*them, replace(measurement(5), platform="other")])
    assert store.training_records("tianhe-lustre") == [r for r in map(training_record, them) if r]
    assert store.training_records("tianhe-lustre")[0].bandwidths == measurement(1).bandwidths


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("configuration", '{"stripe_count": 4'),
        ("repetitions", "[[1.0]]"),
        ("repetitions", "null"),
        ("repetitions", '[["fast", 1.0, 1.0]]'),
        ("repetitions", "[[1e999, 1.0, 1.0]]"),
        ("configuration", '{"stripe_count": [4]}'),
        ("repetitions", "[" * 100_000),
        ("interface", "POSIY"),
        ("processes", 0),
        ("time", "yesterday"),
        ("outcome", "great"),
        ("versions", ""),
        ("versions", "[]"),
        ("host_shape", '{"nodes": [4]}'),
        ("seed", "x"),
    ],
)
def test_a_damaged_row_is_told_and_can_be_taken_out(store: Store, column: str, value: object) -> None:
    """It ended in a traceback, and not even `acic data remove` knew a way out."""
    them = [measurement(i) for i in range(3)]
    store.add(them)
    mark = fingerprint(them[1])
    damage(store, mark, column, value)
    readers: list[Callable[[], object]] = [store.measurements, lambda: store.get(mark)]
    if column == "outcome":
        readers.append(store.counts)
    elif column not in ("versions", "host_shape", "seed"):
        readers.append(lambda: store.training_records("tianhe-lustre"))
    for read in readers:
        with pytest.raises(StoreError, match=f"damaged: measurement {mark[:12]}") as caught:
            read()
        assert f"acic data remove {mark[:12]}" in caught.value.hint
    assert store.remove([store.named(mark[:12])]) == 1
    assert store.measurements() == [them[0], them[2]]


@pytest.mark.parametrize(
    ("column", "value", "asked"),
    [
        ("configuration", '{"stripe_count": 4', (Store.of_another_file, Store.configured_otherwise)),
        ("configuration", "{}", ()),  # whole, if not what it was
        ("repetitions", "null", (Store.of_another_file,)),
        ("versions", '{"MPIIO": []}', (Store.of_another_file,)),
        ("processes", -1, (Store.of_another_file,)),
        ("time", "yesterday", (Store.judged_otherwise,)),
        ("time", "2026-01-01T00:00:01", (Store.judged_otherwise,)),  # of no timezone
    ],
)
def test_what_is_asked_at_an_import_tells_a_damaged_row_too(
    store: Store, column: str, value: object, asked: tuple[Callable[[Store, list[Measurement]], object], ...]
) -> None:
    """`acic data import` ended in a traceback, beside a damaged measurement of the same moment or output."""
    them = [measurement(i, raw_sha256="a") for i in range(3)]
    store.add(them)
    mark = fingerprint(them[1])
    damage(store, mark, column, value)
    for ask in (Store.of_another_file, Store.judged_otherwise, Store.configured_otherwise):
        if ask not in asked:
            ask(store, them)
            continue
        with pytest.raises(StoreError, match=f"damaged: measurement {mark[:12]}") as caught:
            ask(store, them)
        assert f"acic data remove {mark[:12]}" in caught.value.hint


def damage(store: Store, mark: str, column: str, value: object) -> None:
    table = store._reader.table
    with store._connections.connected(write=True) as connection:
        connection.execute(table.update().where(table.c.fingerprint == mark).values({column: value}))


def test_a_prefix_names_a_measurement_if_only_one(store: Store) -> None:
    them = [measurement(i) for i in range(40)]
    store.add(them)
    assert all(store.get(fingerprint(m)[:16].upper()) == m for m in them[:3])
    with pytest.raises(MissingData):
        store.get("0123456789abcdef")
    with pytest.raises(InvalidInput, match="several"):
        store.get(max("0123456789abcdef", key=lambda c: sum(fingerprint(m)[0] == c for m in them)))
    for wrong in ("", "xyz", "ab%"):
        with pytest.raises(InvalidInput):
            store.get(wrong)


def test_what_is_removed_is_gone_and_can_be_added_again(store: Store) -> None:
    store.add([measurement(1), measurement(2)])
    assert store.remove([fingerprint(measurement(1)), "0" * 64]) == 1
    assert store.measurements() == [measurement(2)]
    assert store.add([measurement(1)]).added == 1


def test_what_was_added_at_once_is_found_by_its_ends(store: Store) -> None:
    """Also where some of it was known, or added and removed, before; it is no more where an end is gone."""
    store.add([measurement(1), measurement(2), measurement(99)])
    store.remove([fingerprint(measurement(99))])  # whose row number SQLite would give to the next
    added = store.add(map(measurement, range(6)))
    new = [fingerprint(measurement(i)) for i in (0, 3, 4, 5)]
    assert (added.added, [mark for mark, _ in added.ends]) == (4, [new[0], new[-1]])
    later = store.add([measurement(7)])
    assert [mark for mark, _ in later.ends] == [fingerprint(measurement(7))] * 2
    assert store.add([measurement(7)]).ends == ()
    assert store.between(*added.ends) == new
    assert store.between(*later.ends) == [fingerprint(measurement(7))]
    store.remove([new[1]])
    assert store.between(*added.ends) == [new[0], *new[2:]]
    store.remove([new[0]])
    assert store.between(*added.ends) == []
    store.add([measurement(0)])  # behind what was added with it at first
    assert store.between(*added.ends) == []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(theirs=st.integers(1, 4), gone=st.sets(st.integers(0, 3)), back=st.permutations(range(4)), after=st.booleans())
def test_what_others_added_is_never_between_the_ends(
    store: Store, theirs: int, gone: set[int], back: list[int], after: bool
) -> None:
    """An end that was removed and put back had others' measurements before it, which were taken for one's own."""
    others = [measurement(10 + i) for i in range(theirs)]
    store.remove(store.fingerprints())
    mine = store.add(map(measurement, range(4)))
    if not after:
        store.add(others)
    store.remove([fingerprint(measurement(i)) for i in gone])
    if after:  # where what was removed last has left its place
        store.add(others)
    for i in back:
        store.add([measurement(i)])
    found = store.between(*mine.ends)
    assert found == ([] if gone & {0, 3} else [fingerprint(measurement(i)) for i in range(4) if i not in gone])


def test_measurements_are_found_by_what_they_say_and_compared_with_what_is_said_now(store: Store) -> None:
    them = [measurement(1), measurement(2, contributor="a"), measurement(3, contributor="a", revision="other")]
    store.add(them)
    assert store.fingerprints() == list(map(fingerprint, them))
    assert store.fingerprints(contributor="a") == list(map(fingerprint, them[1:]))
    assert store.fingerprints(contributor="a", revision="other") == [fingerprint(them[2])]
    assert store.fingerprints(platform="none") == []
    assert store.judged_otherwise([*them, measurement(4)]) == 0
    changed = [replace(them[0], outcome=Outcome.SUSPECT), replace(them[1], contributor="b"), measurement(4)]
    assert store.judged_otherwise(changed) == 2
    for later, number in ((timedelta(hours=2), 1), (timedelta(minutes=-330), 1), (timedelta(seconds=7201.5), 0)):
        store.add([first := measurement(9, raw_sha256="a")])
        assert store.judged_otherwise([replace(first, time=first.time + later)]) == number, later


def test_a_run_has_one_configuration_and_outputs_without_figures_are_of_many_runs(store: Store) -> None:
    other = Configuration({"stripe_count": 999})
    one, failed = measurement(1, raw_sha256="a"), failure(2, raw_sha256="b")
    store.add([one, failed, measurement(3, raw_sha256="")])
    for again, number in (
        (one, 0),
        (replace(one, configuration=other), 1),
        (replace(one, configuration=other, time=one.time + timedelta(hours=1)), 1),
        (replace(one, configuration=other, raw_sha256="c"), 0),
        (replace(one, configuration=other, platform="another"), 0),
        (replace(failed, configuration=other), 1),
        (replace(failed, configuration=other, time=failed.time + timedelta(hours=1)), 0),
        (measurement(3, raw_sha256="", configuration=other), 0),
    ):
        assert store.configured_otherwise([again]) == number, again


def test_a_run_is_known_by_its_moment_where_its_file_is_another(store: Store) -> None:
    one = measurement(1, raw_sha256="a")
    store.add([one, measurement(2, raw_sha256="b"), measurement(3, raw_sha256="")])
    copied = replace(one, raw_sha256="c")
    for same in (copied, replace(copied, contributor="b", revision="other", note="odd")):
        assert store.of_another_file([same]) == {fingerprint(same)}
    for other in (
        one,
        replace(copied, time=one.time + timedelta(seconds=1)),
        replace(copied, repetitions=measurement(2).repetitions),  # of two jobs that began in one second
        replace(copied, configuration=Configuration(stripe_count=999)),
        replace(copied, platform="another"),
        replace(copied, seed=7),
        measurement(4, raw_sha256="d"),
    ):
        assert store.of_another_file([other]) == set()
    twice = [measurement(5, raw_sha256="e"), measurement(5, raw_sha256="f")]
    assert store.of_another_file(twice) == {fingerprint(twice[1])}
    assert store.known(map(fingerprint, [one, copied])) == {fingerprint(one)}


def test_an_import_that_fails_leaves_nothing(store: Store) -> None:
    store.add([measurement(0)])

    def broken() -> Iterator[Measurement]:
        yield from map(measurement, range(1, 2500))
        raise InvalidInput("the 2500th cannot be read", hint="")

    with pytest.raises(InvalidInput, match="2500th"):
        store.add(broken())
    assert store.measurements() == [measurement(0)]
    assert store.add(map(measurement, range(2500))) == AddResult(added=2499, duplicates=1)


def test_progress_is_told(store: Store) -> None:
    told: list[int] = []
    store.add(map(measurement, range(2300)), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 2300


@pytest.mark.parametrize(
    "change",
    [{"note": "a\0b"}, {"tool": "\ud800"}, {"workload": workload(data_size=2**64)}],
    ids=["NUL", "surrogate", "too large"],
)
def test_what_no_database_holds_is_refused(store: Store, change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        store.add([measurement(1), replace(measurement(2), **change)])  # type: ignore[arg-type]  # checked by the callee
    assert store.count() == 0


def test_the_state_tells_the_data_and_nothing_else(url: str, store: Store) -> None:
    platform = "tianhe-lustre"
    empty = store.fingerprint(platform)
    store.add([measurement(1), measurement(2)])
    both = store.fingerprint(platform)
    assert both != empty != store.fingerprint("ec2-2013")
    store.add([replace(measurement(3), platform="ec2-2013"), measurement(1)])
    assert store.fingerprint(platform) == both
    store.remove([fingerprint(measurement(1))])
    assert store.fingerprint(platform) not in (empty, both)
    store.add([measurement(1)])
    assert store.fingerprint(platform) == both  # in another order
    store.remove([fingerprint(measurement(2))])
    store.add([replace(measurement(2), outcome=Outcome.SUSPECT)])
    assert store.fingerprint(platform) != both  # the same run, judged otherwise
    store.remove([fingerprint(measurement(2))])
    store.add([replace(measurement(2), time=measurement(2).time + timedelta(hours=9))])
    assert store.fingerprint(platform) != both  # at another time: what is learned of it ages otherwise
    store.remove([fingerprint(measurement(2))])
    store.add([replace(measurement(2), contributor="somebody else")])
    assert store.fingerprint(platform) != both  # by another, whom others believe less, or more
    with Store.open(url) as another:
        assert another.fingerprint(platform) == store.fingerprint(platform)


def test_a_closed_store_opens_by_itself(store: Store) -> None:
    store.close()
    store.add([measurement(1)])
    store.close()
    assert store.count() == 1


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_server_in_another_encoding_gives_back_what_it_was_given(
    new_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", encoding)  # as a user may have it
    them = [measurement(1, contributor="André", note="±5 µs"), failure(2, contributor="André")]
    with Store.open(new_database(encoding)) as store:
        assert store.add(them) == AddResult(added=2, duplicates=0)
        assert store.measurements() == them
        assert store.fingerprints(contributor="André") == list(map(fingerprint, them))
        assert [record.contributor for record in store.training_records("tianhe-lustre")] == ["André"]


def test_a_server_without_a_letter_says_so_and_what_to_do(new_database: Callable[..., str]) -> None:
    with Store.open(new_database("LATIN1")) as store:
        with pytest.raises(StoreError, match="has no equivalent in encoding") as caught:
            store.add([measurement(1), measurement(2, note="→")])
        assert "UTF8" in caught.value.hint
        with pytest.raises(StoreError, match="has no equivalent in encoding"):
            store.fingerprints(contributor="→")
        assert store.count() == 0
