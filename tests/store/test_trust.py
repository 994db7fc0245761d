"""Laws of trust, on data that are made up: who is honest is known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from acic.platforms import load_platform
from acic.store.bundled import bundled
from acic.store.judging import _NOISE, _TOLD, FLOOR, Evidence
from acic.store.training import Floats, TrainingRows, training_table
from acic.store.trust import FEWEST, HEARD, Contribution, _some, believed, contributions, trusted

LAB = load_platform("lab")
seeds = st.integers(0, 10_000)
contributors_ = st.integers(FEWEST + 2, 20)


@cache
def real() -> TrainingRows:
    """The bundled measurements, of which only workloads and configurations are used here."""
    return training_table(bundled(LAB), LAB)


def crowd(contributors: int, seed: int, *, noise: float = 0.1) -> TrainingRows:
    """Return rows of contributors who all tell the same smooth truth, up to noise."""
    rng = np.random.default_rng(seed)
    rows = real()
    size = np.array([np.log(w.request_size) for w in rows.workloads])[rows.workload]
    servers = np.array([np.log2(float(c["servers"])) for c in rows.configurations])[rows.configuration]
    mean = 14.0 + 0.5 * size + 0.7 * servers + rng.normal(0.0, noise, len(rows))
    names = tuple(f"made up {i}" for i in range(contributors))
    return replace(
        rows, mean=mean, best=mean, contributors=names, contributor=rng.permutation(len(rows)) % contributors
    )


def lying(rows: TrainingRows, liar: int, by: float) -> TrainingRows:
    return replace(rows, mean=rows.mean + by * (rows.contributor == liar))


def trusts(rows: TrainingRows) -> dict[str, float]:
    return {one.contributor: one.trust for one in contributions(rows, LAB)}


@given(seed=seeds, contributors=contributors_)
@settings(max_examples=6, deadline=None)
def test_honest_contributors_weigh_the_same_to_the_digit(seed: int, contributors: int) -> None:
    found = contributions(crowd(contributors, seed), LAB)
    assert len(found) == contributors
    assert sum(one.rows for one in found) == len(real())
    trust = np.array([one.trust for one in found])
    assert (trust > 0.8).all()
    assert (trust == 1.0).mean() > 0.9


@given(seed=seeds, contributors=contributors_, by=st.sampled_from([np.log(1000.0), -np.log(1000.0), np.log(60.0)]))
@settings(max_examples=6, deadline=None)
def test_who_mistakes_units_is_not_believed_and_the_others_are(seed: int, contributors: int, by: float) -> None:
    found = contributions(lying(crowd(contributors, seed), 1, by), LAB)
    liar = next(one for one in found if one.contributor == "made up 1")
    assert FLOOR <= liar.trust < 0.1
    assert np.log(liar.factor) == pytest.approx(by, abs=0.5)
    assert all(one.trust > 0.8 for one in found if one is not liar)


@pytest.mark.parametrize("bad", [2, 4, 8])
def test_up_to_two_in_five_may_mistake_units(bad: int) -> None:
    rows = crowd(20, 3)
    for liar in range(bad):
        rows = lying(rows, liar, np.log(1000.0))
    found = trusts(rows)
    assert max(found[f"made up {i}"] for i in range(bad)) < 0.1
    assert min(found[f"made up {i}"] for i in range(bad, 20)) > 0.8


def test_who_agree_to_praise_a_configuration_that_others_measured_are_not_believed() -> None:
    rows = crowd(10, 0)
    praised = int(np.argsort(np.bincount(rows.configuration))[-2])  # one that many others measured too
    bad = rows.contributor < 3
    best = rows.mean.max()
    told = replace(
        rows,
        configuration=np.where(bad, praised, rows.configuration),
        mean=np.where(bad, best + 1.0, rows.mean),
    )
    found = trusts(told)
    assert max(found[f"made up {i}"] for i in range(3)) < 0.5
    assert np.mean([found[f"made up {i}"] > 0.8 for i in range(3, 10)]) > 0.8


@pytest.mark.parametrize("bad", [1, 4, 8])
@pytest.mark.parametrize("jitter", [0.0, 0.05])
def test_who_gives_the_same_figure_for_everything_is_not_believed(bad: int, jitter: float) -> None:
    rows = crowd(20, seed=bad)
    same = np.median(rows.mean) + np.random.default_rng(bad).normal(0.0, 1.0, len(rows)) * jitter
    found = contributions(replace(rows, mean=np.where(rows.contributor < bad, same, rows.mean)), LAB)
    liars = {f"made up {i}" for i in range(bad)}
    assert all(one.trust < HEARD for one in found if one.contributor in liars)
    assert all(one.trust > 0.8 for one in found if one.contributor not in liars)


def test_who_gives_one_figure_for_more_than_half_of_all_rows_is_not_believed() -> None:
    """The median distance from the median was 0, so nobody was judged: neither he nor who mistook units by 1000."""
    rows = crowd(6, seed=2)
    rng = np.random.default_rng(2)
    contributor = np.where(rng.random(len(rows)) < 0.6, 0, rows.contributor)
    told = replace(rows, contributor=contributor, mean=np.where(contributor == 0, np.median(rows.mean), rows.mean))
    found = trusts(told)
    assert found["made up 0"] < HEARD
    assert min(found[f"made up {i}"] for i in range(1, 6)) > 0.8


def test_who_measured_the_same_thing_over_and_over_is_believed() -> None:
    rows = crowd(6, seed=3)
    mine = np.flatnonzero(rows.contributor == 0)
    group = replace(
        rows,
        workload=np.where(rows.contributor == 0, rows.workload[mine[0]], rows.workload),
        configuration=np.where(rows.contributor == 0, rows.configuration[mine[0]], rows.configuration),
        mean=np.where(rows.contributor == 0, rows.mean[mine[0]], rows.mean),
    )
    assert all(trust > 0.8 for trust in trusts(group).values())


@given(seed=seeds, scale=st.sampled_from([0.01, 0.1, 1.0]))
@settings(max_examples=6, deadline=None)
def test_how_noisy_all_are_does_not_matter(seed: int, scale: float) -> None:
    found = trusts(crowd(8, seed, noise=scale))
    assert min(found.values()) > 0.8


@given(seed=seeds, factor=st.floats(0.5, 2.0), shift=st.floats(-20.0, 20.0))
@settings(max_examples=3, deadline=None)  # seconds each
def test_the_unit_of_all_does_not_matter(seed: int, factor: float, shift: float) -> None:
    rows = lying(crowd(8, seed), 1, 1.5)
    other = replace(rows, mean=rows.mean * factor + shift)
    assert_allclose(list(trusts(rows).values()), list(trusts(other).values()), atol=2e-2)


@given(seed=seeds)
@settings(max_examples=3, deadline=None)  # seconds each
def test_the_order_of_rows_and_of_names_does_not_matter(seed: int) -> None:
    rows = lying(crowd(8, seed), 1, 2.0)
    mixed = rows.rows(np.random.default_rng(seed).permutation(len(rows)))
    turned = replace(mixed, contributors=mixed.contributors[::-1], contributor=7 - mixed.contributor)
    found, other = trusts(rows), trusts(turned)
    assert list(other) == list(found)
    assert_allclose(list(other.values()), list(found.values()), atol=1e-6)


@given(seed=seeds, contributors=st.integers(1, 6), among=st.integers(0, 40))
@settings(max_examples=25, deadline=None)
def test_what_is_left_out_step_by_step_is_left_out(seed: int, contributors: int, among: int) -> None:
    """A contributor's rows and those of others on a configuration are left out by two small steps, not by one large."""
    rng = np.random.default_rng(seed)
    x, owner = rng.normal(size=(40, 3)), rng.integers(contributors, size=40)
    alike = np.exp(-((x[:, None] - x) ** 2).sum(axis=2))
    y, noise, some = rng.normal(size=40), rng.uniform(0.01, 1.0, 40), rng.permutation(40) < among
    evidence = Evidence(alike, y, noise, [np.flatnonzero(owner == one) for one in range(contributors)])
    for one in range(contributors):
        left, looked = ~(some | (owner == one)), some & (owner == one)
        known = alike[np.ix_(looked, left)] @ np.linalg.inv((alike + np.diag(noise))[np.ix_(left, left)])
        missed = y[looked] - known @ y[left]
        variance = (alike[np.ix_(looked, looked)] - known @ alike[np.ix_(left, looked)]).diagonal()
        told = np.minimum((1.0 - variance) / _TOLD, 1.0)  # of the prior's variance, which is 1
        z = told * missed / np.sqrt(variance + _NOISE)
        assert_allclose(evidence.without_more(one, some), z, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("contributors", [1, 2])
def test_of_one_or_two_nobody_can_be_doubted(contributors: int) -> None:
    rows = lying(crowd(contributors, 0), 0, np.log(1000.0))
    assert set(trusts(rows).values()) == {1.0}
    assert_array_equal(trusted(rows, contributions(rows, LAB)), np.ones(len(rows)))


def test_who_measured_what_nobody_else_did_is_believed() -> None:
    rows = crowd(8, 0)
    ceph = np.array([c["file_system"] == "CephFS" for c in rows.configurations])[rows.configuration]
    apart = replace(rows, contributor=np.where(ceph, 7, rows.contributor % 7), mean=rows.mean - 2.0 * ceph)
    assert trusts(apart)["made up 7"] > 0.8


@pytest.mark.parametrize("others", [2, 3])
def test_who_measured_apart_is_believed_however_narrow_the_others_figures_are(others: int) -> None:
    """What nobody knew was expected within the others' own spread, so that who measured what is slow was not heard."""
    rows = crowd(8, 0)
    rows = rows.rows(np.arange(len(rows)) % 5 == 0)
    ceph = np.array([c["file_system"] == "CephFS" for c in rows.configurations])[rows.configuration]
    mean = np.where(ceph, rows.mean - np.log(30.0), 14.0 + 0.3 * (rows.mean - 14.0))
    apart = replace(rows, contributor=np.where(ceph, others, rows.contributor % others), mean=mean)
    assert set(trusts(apart).values()) == {1.0}
    if others > 2:  # of two, nobody can tell who lies
        found = trusts(lying(apart, 0, np.log(1000.0)))
        assert found.pop("made up 0") < HEARD
        assert min(found.values()) > 0.8


def test_more_rows_than_are_looked_at_give_the_same_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lying(crowd(8, 0), 1, np.log(1000.0))
    monkeypatch.setattr("acic.store.trust.MOST", 150)
    found = contributions(rows, LAB)
    assert sum(one.rows for one in found) == len(rows)
    assert [one.trust < 0.1 for one in found] == [i == 1 for i in range(8)]


@pytest.mark.parametrize("its", [1, 2, 3])
def test_of_many_rows_those_of_who_has_few_are_looked_at_too(monkeypatch: pytest.MonkeyPatch, its: int) -> None:
    """Every tenth of all rows was looked at: of who had fewer none, so that a mistake of a thousand was believed."""
    monkeypatch.setattr("acic.store.trust.MOST", 150)
    honest = crowd(8, 0)
    assert len(honest) > 10 * 150
    baseline = np.flatnonzero(honest.on(LAB.baseline))
    for start in range(0, 3 * its, its):
        few = np.where(np.isin(np.arange(len(honest)), baseline[start : start + its]), 8, honest.contributor)
        rows = replace(honest, contributors=(*honest.contributors, "made up 3 too"), contributor=few)
        found = contributions(lying(rows, 8, np.log(1000.0)), LAB)
        liar = next(one for one in found if one.contributor == "made up 3 too")
        assert (liar.rows, liar.trust < HEARD, liar.factor > 30.0) == (its, True, True)


@given(counts=st.lists(st.integers(1, 60), min_size=1, max_size=80), most=st.integers(1, 60))
@settings(deadline=None)
def test_each_contributor_has_its_even_part_of_what_is_looked_at(counts: list[int], most: int) -> None:
    owner = np.repeat(np.arange(len(counts)), counts)[: len(real())]
    rows = replace(
        real().rows(np.arange(len(owner))), contributors=tuple(map(str, range(len(counts)))), contributor=owner
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acic.store.trust.MOST", most)
        looked = np.bincount(_some(rows).contributor, minlength=len(counts))
    has = np.bincount(owner, minlength=len(counts))
    assert looked.sum() <= most
    assert (looked <= has).all()
    if (present := has[has > 0]).size < most:
        assert (looked[has > 0] > 0).all()
        share = (most - present.size) / has.sum()
        assert (looked >= np.floor(has * min(share, 1.0))).all()


def test_nothing_and_what_does_not_vary_are_no_trouble() -> None:
    rows = crowd(8, 0)
    assert contributions(rows.rows(np.zeros(0, dtype=np.int64)), LAB) == ()
    same = replace(rows, mean=np.full(len(rows), 17.0))
    assert set(trusts(same).values()) == {1.0}


def test_trust_reaches_the_rows_and_spares_baselines_that_nobody_else_has() -> None:
    rows = crowd(8, 0)
    low = [0.1 if i == 1 else 1.0 for i in range(8)]
    found = [Contribution(contributor=f"made up {i}", rows=1, trust=t, factor=2.0) for i, t in enumerate(low)]
    trust: Floats = trusted(rows, found)
    assert_array_equal(trust, np.where(rows.contributor == 1, 0.1, 1.0))
    assert_array_equal(believed(rows, trust, LAB), trust == 1.0)
    alone = replace(rows, contributor=np.ones(len(rows), dtype=np.int64))
    assert believed(alone, trusted(alone, found), LAB).all()


def test_it_is_told_in_words() -> None:
    one = Contribution(contributor="X", rows=40, trust=0.1, factor=1 / 3.1)
    assert str(one) == "contributor X is trusted 0.1: its 40 rows are 3.1x slower than what the others' say"
    assert "scattered around what the others' say" in str(replace(one, factor=1.1))
    assert "(unnamed)" in str(replace(one, contributor=""))
