"""Measurements as arrays: which give a row, and what it holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from acic.platforms import Platform
from acic.space import Configuration
from acic.store import Basis, Outcome, Repetition
from acic.store.database import Store
from acic.store.training import training_table, unfit_told
from tests.store.samples import failure, lustre, measurement, workload


def bandwidths(*values: float | None) -> tuple[Repetition, ...]:
    return tuple(Repetition(bandwidth=v, seconds=None) for v in values)


def test_a_row_is_the_mean_logarithm_and_the_best_of_its_repetitions(tianhe: Platform) -> None:
    them = [
        measurement(0, repetitions=bandwidths(1e9, 4e9, None, 2e9)),
        measurement(1, repetitions=bandwidths(5e8, 0.0)),
        measurement(2, repetitions=bandwidths(1e8, 4e8)),
    ]
    rows = training_table(them, tianhe)
    assert len(rows) == 3
    assert_allclose(np.exp(rows.mean), [2e9, 5e8, 2e8])
    assert_allclose(np.exp(rows.best), [4e9, 5e8, 4e8])
    assert_array_equal(rows.repetitions, [3, 1, 2])
    spreads = [float(np.log(values).std(ddof=1)) for values in ([1.0, 4.0, 2.0], [1.0, 4.0])]
    assert_allclose(rows.spread, np.array([spreads[0], np.nan, spreads[1]]))
    assert_allclose(rows.time, [m.time.timestamp() for m in them])


def test_only_good_measured_figures_teach(tianhe: Platform) -> None:
    them = [
        measurement(0),
        failure(1),
        measurement(2, outcome=Outcome.SUSPECT),
        measurement(3, basis=Basis.SIMULATED),
        measurement(4, basis=Basis.PREDICTED),
        measurement(5, platform="other"),
        measurement(6, configuration=lustre(stripe_count=100)),
        measurement(7, repetitions=bandwidths(0.0)),
        measurement(0),
    ]
    rows = training_table(them, tianhe)
    assert len(rows) == 1
    assert sum(rows.left_out.values()) + sum(rows.unfit.values()) == len(them) - 1
    assert rows.unfit == {"stripe_count 100 is outside 1 to 32": 1}
    assert rows.left_out["measured, suspect"] == 1
    assert rows.left_out["given twice"] == 1


def test_twins_share_a_group(tianhe: Platform) -> None:
    other = workload(data_size=2**30)
    them = [
        measurement(0, configuration=lustre()),
        measurement(1, configuration=lustre(stripe_count=2)),
        measurement(2, configuration=lustre()),
        measurement(3, configuration=lustre(), workload=other),
        measurement(4, configuration=lustre(stripe_count=2), workload=other),
        measurement(5, configuration=lustre(), workload=other),
    ]
    rows = training_table(them, tianhe)
    assert_array_equal(rows.group, [0, 1, 0, 2, 3, 2])
    assert [rows.workloads[i] for i in rows.workload] == [m.workload for m in them]
    assert [rows.configurations[i] for i in rows.configuration] == [m.configuration for m in them]


def test_revisions_behind_are_told(tianhe: Platform) -> None:
    rows = training_table([measurement(0), measurement(1, revision="2020-01")], tianhe)
    assert_array_equal(rows.behind, [0, 1])


def test_stored_records_teach_what_measurements_do(tianhe: Platform, store: Store) -> None:
    them = [measurement(i, configuration=lustre(stripe_count=1 + i % 3)) for i in range(20)]
    store.add([*them, failure(30), replace(measurement(40), outcome=Outcome.SUSPECT)])
    direct = training_table(them, tianhe)
    stored = training_table((), tianhe, stored=store.training_records(tianhe.name))
    assert stored.workloads == direct.workloads
    assert stored.configurations == direct.configurations
    for name in ("workload", "configuration", "group", "mean", "best", "spread", "repetitions", "time", "behind"):
        assert_array_equal(getattr(stored, name), getattr(direct, name))
    both = training_table(them, tianhe, stored=store.training_records(tianhe.name))
    assert len(both) == len(direct)
    assert both.left_out == {"given twice": 20}


def test_what_does_not_fit_is_told_once_with_the_first_reason(tianhe: Platform) -> None:
    stranger = Configuration({**lustre(), "nosuch": 1})
    them = [measurement(i, configuration=c) for i, c in enumerate((lustre(stripe_count=100), stranger, stranger))]
    told = unfit_told(training_table(them, tianhe).unfit, tianhe)
    assert told == (
        "3 measurements do not fit the platform tianhe-lustre and teach nothing, the first as "
        "stripe_count 100 is outside 1 to 32"
    )
    assert unfit_told({}, tianhe) == ""


def test_nothing_gives_an_empty_table(tianhe: Platform) -> None:
    rows = training_table([], tianhe)
    assert len(rows) == 0
    assert rows.behind.shape == rows.group.shape == rows.spread.shape == (0,)
