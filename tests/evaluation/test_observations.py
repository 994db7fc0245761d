"""The paper's observations on truths that are made so that they hold, do not hold, or cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acic.benchmarks.kernels import Kernel, kernels
from acic.evaluation.advising import candidates
from acic.evaluation.apart import _other
from acic.evaluation.field import Table, table_of
from acic.evaluation.fresh import Fresh
from acic.evaluation.observations import Holds, Observation, _goals, _interval, _wilson, observations
from acic.evaluation.truth import Run
from acic.space import Configuration
from acic.store import Outcome
from tests.evaluation.pretend import LAB, SLOW_NETWORK, run_of, truth

LITTLE = tuple(k for k in kernels() if k.name in ("abyss", "mdtest", "shared-log", "random-reads"))
SEVERAL = (*LITTLE, *(k for k in kernels() if k.name in ("btio", "vpicio")))
TWO_DISKS = tuple(
    c for c in SLOW_NETWORK if c["raid_devices"] == 2 and c["file_system"] in ("NFS", "OrangeFS")
)  # the baseline among them
SAYS = {
    "part-time": "part-time servers cost less",
    "servers": "four PVFS2 (OrangeFS) servers are faster",
    "ephemeral": "ephemeral disks are faster",
    "nfs": "NFS is faster",
}


def told(runs: list[Run], *, fresh: Sequence[Run] = (), noise: float = 0.05) -> dict[str, Observation]:
    tables = {goal: candidates(table_of(runs, LAB, goal), LAB) for goal in ("time", "cost")}
    again, rng = Fresh(fresh, LAB, "time"), np.random.default_rng(0)
    return {o.says: o for o in observations(tables, runs, again, noise=noise, rng=rng)}


def of(found: dict[str, Observation], begin: str) -> Observation:
    return next(o for says, o in found.items() if says.startswith(begin))


def with_factor(name: str, value: object, factor: float) -> list[Run]:
    """I/O on configurations with that value takes `factor` times as long, and all else as long as all else."""

    def by(kernel: Kernel, configuration: Configuration) -> float:
        return (factor if configuration.get(name) == value else 1.0) / (run_of(kernel, configuration).io or 1.0)

    return truth(applications=SEVERAL, configurations=TWO_DISKS, factor=by)


@pytest.mark.parametrize(
    ("key", "name", "value"),
    [
        ("servers", "servers", 4),
        ("ephemeral", "device", "ephemeral"),
        ("nfs", "file_system", "NFS"),
    ],
)
def test_what_is_made_faster_holds_and_what_is_made_slower_does_not(key: str, name: str, value: object) -> None:
    assert of(told(with_factor(name, value, 0.3)), SAYS[key]).holds is Holds.YES
    assert of(told(with_factor(name, value, 5.0)), SAYS[key]).holds is Holds.NO


def test_part_time_servers_save_machines_unless_they_are_much_slower() -> None:
    cheap = of(told(with_factor("placement", "part-time", 1.0)), SAYS["part-time"])
    assert cheap.holds is Holds.YES
    assert "x as good" in cheap.figures
    assert of(told(with_factor("placement", "part-time", 9.0)), SAYS["part-time"]).holds is Holds.NO


def test_what_makes_no_difference_cannot_be_told() -> None:
    """Applications that go either way at random: the interval reaches both sides."""
    rng = np.random.default_rng(3)
    sign = {k.key: float(np.exp(rng.normal(0.0, 0.8))) for k in kernels()}

    def by(kernel: Kernel, configuration: Configuration) -> float:
        own = sign[kernel.key] if configuration["device"] == "ephemeral" else 1.0
        return own / (run_of(kernel, configuration).io or 1.0)

    runs = [replace(r, staged=0.0) for r in truth(applications=SEVERAL, configurations=TWO_DISKS, factor=by)]
    assert of(told(runs), SAYS["ephemeral"]).holds is Holds.UNKNOWN


def test_scales_of_one_application_are_one_witness() -> None:
    """NFS held to be faster for little I/O as mdtest, which was run at two scales, was counted twice."""

    def by(kernel: Kernel, configuration: Configuration) -> float:
        gain = (9.0 if kernel.name == "mdtest" else 1.02) if configuration["file_system"] == "NFS" else 1.0
        return 1.0 / gain / (run_of(kernel, configuration).io or 1.0)

    found = of(told(truth(applications=SEVERAL, configurations=TWO_DISKS, factor=by)), SAYS["nfs"])
    assert found.holds is Holds.UNKNOWN
    assert "better for 3 of 3 applications" in found.figures


def test_what_a_statement_is_not_made_of_is_told_beside_it() -> None:
    """Part-time servers save with aggregators, and no less without."""
    found = of(told(with_factor("placement", "part-time", 1.0)), SAYS["part-time"])
    assert found.figures.endswith("; 1.49x for the 3 others")
    assert "others" not in of(told(with_factor("servers", 4, 0.3)), SAYS["servers"]).figures


def test_few_applications_cannot_tell() -> None:
    found = told(truth(applications=SEVERAL[-2:], configurations=TWO_DISKS))
    assert {o.holds for o in found.values() if "1 % of runs" not in o.says} == {Holds.UNKNOWN}


def test_one_that_is_best_for_all_refutes_that_there_is_none() -> None:
    only = TWO_DISKS[5]

    def by(_: Kernel, configuration: Configuration) -> float:
        return 0.01 if configuration == only else 1.0

    assert of(told(truth(factor=by, configurations=TWO_DISKS)), "no configuration is the best").holds is Holds.NO
    own = {k.key: TWO_DISKS[i] for i, k in enumerate(SEVERAL)}

    def each(kernel: Kernel, configuration: Configuration) -> float:
        return 0.01 if configuration == own[kernel.key] else 1.0

    mixed = of(told(truth(applications=SEVERAL, configurations=TWO_DISKS, factor=each), noise=1e-3), "no configuration")
    assert mixed.holds is Holds.YES
    assert mixed.figures.startswith("10 different best ones for 10 applications")
    assert "it takes 10 to serve all" in mixed.figures


def test_failures_are_counted_over_all_runs() -> None:
    runs = truth(repetitions=5, configurations=TWO_DISKS[:20])
    bad = [replace(r, outcome=Outcome.FAILED, seconds=None) if i % 10 == 9 else r for i, r in enumerate(runs)]
    sound, rotten = of(told(runs), "failures"), of(told(bad), "failures")
    assert sound.holds is Holds.NO
    assert rotten.holds is Holds.YES
    assert f"{len(runs) // 10} of {len(runs)} runs failed: 10.00%" in rotten.figures


def test_wrong_bytes_are_told_beside_failures_and_are_none() -> None:
    """22 configurations of one software, wrong in each pass, were 660 failures of runs that were said to be drawn."""
    runs = truth(repetitions=5, configurations=TWO_DISKS[:20])
    software = {c for c in TWO_DISKS[:20] if c != LAB.baseline and c["servers"] == 1}
    wrong = [replace(r, outcome=Outcome.CORRUPT, seconds=None) if r.configuration in software else r for r in runs]
    found = of(told(wrong), "failures")
    assert found.holds is Holds.NO
    assert f"wrong bytes, on {len(software)} of 20 configurations" in found.figures


def with_noise(seed: int, *, kinds: int = 1) -> list[Run]:
    """Four applications of two scales, that want the same five configurations at both, which are nearly as good.

    Of two kinds, the larger scale wants what is worst for the smaller one.
    """
    place = {c: i for i, c in enumerate(dict.fromkeys((LAB.baseline, *TWO_DISKS[:10])))}
    both = [k for k in kernels() if k.name in ("btio", "abyss", "madbench2", "flashio")]

    def by(kernel: Kernel, configuration: Configuration) -> float:
        turned = kinds > 1 and kernel.scale == "large"
        rank = len(place) - 1 - place[configuration] if turned else place[configuration]
        return (1.0 + 0.01 * min(rank, 5) + 0.4 * max(rank - 4, 0)) / (run_of(kernel, configuration).io or 1.0)

    runs = truth(applications=both, configurations=tuple(place), repetitions=3, noise=0.05, seed=seed, factor=by)
    return [replace(r, staged=0.0) for r in runs]


def test_what_differs_by_noise_alone_is_no_other_configuration() -> None:
    """That one application of ten had another least median at another scale was enough: it held in 200 of 200."""
    for seed in range(10):
        found = told(with_noise(seed), noise=0.1)
        assert of(found, "one application wants").holds is Holds.NO
    other = of(told(with_noise(0, kinds=2), noise=0.1), "one application wants")
    assert other.holds is Holds.YES
    assert other.figures.startswith("4 of 4 applications")


def test_one_application_of_four_is_not_many() -> None:
    """It held as soon as one application wanted another configuration at another scale."""
    place = {c: i for i, c in enumerate(dict.fromkeys((LAB.baseline, *TWO_DISKS[:10])))}

    def by(kernel: Kernel, configuration: Configuration) -> float:
        rank = place[configuration] * (-1 if kernel.key == "btio-large" else 1)
        return (12.0 + rank) / (run_of(kernel, configuration).io or 1.0)

    both = [k for k in kernels() if k.name in ("btio", "abyss", "madbench2", "flashio")]
    runs = [replace(r, staged=0.0) for r in truth(applications=both, configurations=tuple(place), factor=by)]
    found = of(told(runs, noise=0.1), "one application wants")
    assert found.holds is Holds.NO
    assert found.figures.startswith("1 of 4 applications")


def test_the_cheapest_that_is_as_fast_within_the_noise_is_no_other_configuration() -> None:
    applications = tuple((name, "small") for name in "abc")
    time, cost = (
        Table(applications, TWO_DISKS[:2], np.array([row] * 3), goal)
        for row, goal in (([1.0, 1.02], "time"), ([1.02, 1.0], "cost"))
    )
    assert goals(time, cost, 0.1) is Holds.NO
    assert goals(time, cost, 0.01) is Holds.YES
    assert goals(time, cost, 0.0) is Holds.YES


def goals(time: Table, cost: Table, noise: float) -> Holds:
    return _goals(time, cost, noise, Fresh((), LAB, "time"), np.random.default_rng(0)).holds


def test_one_that_is_behind_in_both_does_not_make_the_fastest_the_cheapest() -> None:
    """The fastest cost twice the cheapest, and "does not hold" was the answer, as a third was near to both."""
    applications = tuple((name, "small") for name in "abc")
    time, cost = (
        Table(applications, TWO_DISKS[:3], np.array([row] * 3), goal)
        for row, goal in (([1.0, 1.15, 2.0], "time"), ([2.0, 1.15, 1.0], "cost"))
    )
    assert goals(time, cost, 0.2) is Holds.UNKNOWN
    assert goals(time, cost, 0.1) is Holds.YES


@pytest.mark.parametrize(("slower", "holds"), [(1.1, Holds.YES), (1.0, Holds.UNKNOWN), (0.9, Holds.NO)])
def test_fresh_runs_tell_whether_the_fastest_is_the_cheapest(slower: float, holds: Holds) -> None:
    """What costs half as much is so little slower, as fast, or faster, that single runs do not tell."""
    dear = next(c for c in TWO_DISKS if c["placement"] == "dedicated" and c["servers"] == 1)
    cheap = Configuration({**dear, "placement": "part-time"})

    def by(kernel: Kernel, configuration: Configuration) -> float:
        return {dear: 1.0, cheap: slower}.get(configuration, 9.0) / (run_of(kernel, configuration).io or 1.0)

    both = tuple(dict.fromkeys((LAB.baseline, dear, cheap)))
    runs, fresh = (
        truth(applications=SEVERAL, configurations=both, repetitions=n, noise=noise, seed=1, factor=by)
        for n, noise in ((1, 0.0), (5, 0.02))
    )
    found = of(told(runs, fresh=[replace(r, staged=0.0) for r in fresh], noise=0.2), "in many cases")
    assert found.holds is holds
    assert f"({len(SEVERAL)} by fresh runs)" in found.figures


def test_what_was_not_drawn_is_no_slower_for_that() -> None:
    """Three passes of thirty are in 96 of 100 draws; in the others the fastest was another one than the cheapest."""
    one, application = SEVERAL[0], (SEVERAL[0].name, SEVERAL[0].scale)
    both, fast, cheap = TWO_DISKS[:3]
    took = {both: (10.0, 3), fast: (11.0, 30), cheap: (12.0, 30)}
    each = [(c, seconds, n) for c, (seconds, passes) in took.items() for n in range(passes)]
    runs = [replace(run_of(one, c, n), seconds=seconds, staged=0.0) for c, seconds, n in each]
    fresh = Fresh(runs, LAB, "time")
    assert np.isnan(fresh.drawn(application, np.random.default_rng(0))[both]).any()
    assert _other(application, {both: 1.0, fast: 1.2, cheap: 1.0}, fresh, np.random.default_rng(0)) == 0.0


def test_the_interval_of_a_mean_is_students() -> None:
    assert _interval(np.array([1.0, 2.0, 3.0])) == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-4)  # t is 4.3027


def test_the_interval_of_a_share_is_wilsons() -> None:
    low, high = _wilson(0.1, 50)  # Wilson, 1927: by hand
    assert (low, high) == pytest.approx((0.0435, 0.2136), abs=1e-4)
    assert _wilson(0.0, 100)[0] == pytest.approx(0.0, abs=1e-12)
