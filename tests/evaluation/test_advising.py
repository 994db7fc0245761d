"""What acic would advise: from the run on the baseline alone, in the order of `acic recommend`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acic.advisor.advice import Goal
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import unmeasured
from acic.advisor.ranking import rates
from acic.advisor.recommend import recommend
from acic.advisor.safety import Unsafe
from acic.advisor.staging import staging_of
from acic.benchmarks.kernels import kernel
from acic.errors import InvalidInput, MissingData
from acic.evaluation.advising import Asked, asked, candidates, foresee, ranked
from acic.evaluation.field import Table, table_of
from acic.platforms import load_platform
from acic.prior import Results, prior_of
from acic.space import Configuration
from acic.store import Outcome
from acic.units import MIB
from acic.workloads import Interface
from tests.evaluation.pretend import LAB, SIX, SLOW_NETWORK, SOME, knowledge, run_of, truth

BTIO = ("btio", "small")


def question(runs: list[object] | None = None) -> Asked:
    return asked(BTIO, truth() if runs is None else runs, LAB)  # type: ignore[arg-type]  # checked by the callee


def whole_space(goal: str) -> Table:
    """A table of every candidate; what stands in it must not matter."""
    space = knowledge().platform.space
    every = tuple(space.configuration(point) for point in knowledge().points)
    return Table((BTIO,), every, np.ones((1, len(every))), goal)


def test_a_user_knows_the_run_on_the_baseline_and_how_large_the_results_are() -> None:
    one = kernel(*BTIO)
    slow = [replace(r, seconds=99.0, io=98.0) for r in truth(repetitions=3) if r.configuration != LAB.baseline]
    logs = [run_of(one, LAB.baseline, i, factor=f) for i, f in enumerate((1.0, 5.0, 1.2))]
    found = asked(BTIO, [*slow, *logs], LAB)
    assert found.workload.run_seconds == logs[2].seconds  # the median
    assert found.workload.io_share == pytest.approx((logs[2].io or 0) / (logs[2].seconds or 1))
    for told, nominal in zip(found.workload.phases, one.workload.phases, strict=True):
        assert told.characteristics == nominal.characteristics
        waited = (logs[2].compute or 0.0) / one.compute  # of a clock: a log knows no processor time
        assert told.details["pause_seconds"] == pytest.approx(waited * float(nominal.details["pause_seconds"]))
    assert found.results == 8 * MIB
    assert asked(BTIO, logs, LAB).results == one.bytes_moved  # never copied out, so what it wrote to what it keeps
    assert asked(("random-reads", "only"), truth(), LAB).results == 0


@pytest.mark.parametrize(("name", "scale", "united"), [("macsio", "large", True), ("weights", "only", False)])
def test_a_log_of_each_process_tells_of_io_in_turn(name: str, scale: str, *, united: bool) -> None:
    """`macsio`'s processes write one after the other: some process is in I/O three times as long as any of them."""
    one = kernel(name, scale)
    log = replace(run_of(one, LAB.baseline), seconds=10.0, io=2.0, compute=1.0)
    found = asked((name, scale), [log], LAB).workload
    assert found.io_share == pytest.approx(0.9 if united else 0.2)  # a file of all processes has one record


def test_nobody_can_ask_who_has_no_good_run_on_the_baseline() -> None:
    failed = run_of(kernel(*BTIO), LAB.baseline, outcome=Outcome.FAILED)
    with pytest.raises(MissingData, match="btio-small was never run well"):
        asked(BTIO, [failed], LAB)
    with pytest.raises(InvalidInput, match="there is no kernel nobody"):
        asked(("nobody", "small"), [failed], LAB)


def test_only_what_all_were_measured_on_can_be_chosen_and_only_what_has_a_baseline_judged() -> None:
    runs = truth()
    lacking = [r for r in runs if (r.kernel, r.configuration) != ("pop", SOME[2])]
    failed = [
        r if (r.kernel, r.scale, r.configuration) != (*BTIO, SOME[0]) else replace(r, outcome=Outcome.FAILED)
        for r in lacking
    ]
    table = candidates(table_of(failed, LAB, "time"), LAB)
    assert set(table.configurations) == {*SOME} - {SOME[2]}
    assert set(table.applications) == {(k.name, k.scale) for k in SIX} - {BTIO}
    assert table.values.shape == (len(SIX) - 1, len(SOME) - 1)
    everything = table_of(runs, LAB, "time")
    assert candidates(everything, LAB).values.tolist() == everything.values.tolist()
    with pytest.raises(MissingData, match="baseline"):
        candidates(table_of([r for r in runs if r.configuration != LAB.baseline], LAB, "time"), LAB)


@pytest.mark.parametrize("goal", ["time", "cost"])
@pytest.mark.parametrize("application", [(k.name, k.scale) for k in SIX])
def test_the_first_of_the_order_are_the_answers_of_recommend(application: tuple[str, str], goal: str) -> None:
    asks, table = asked(application, truth(), LAB), whole_space(goal)
    advice = recommend(asks.workload, LAB, knowledge(), goal=Goal(goal), top=5, results=asks.results)
    order = ranked(asks, LAB, knowledge(), table, goal)
    answers = [r.configuration for r in advice.recommendations]
    if advice.verdict == "nothing":
        answers = [LAB.baseline, *(c for c in answers if c != LAB.baseline)]
    assert [table.configurations[i] for i in order[: len(answers)]] == answers
    assert sorted(order) == list(range(len(table.configurations)))


def test_the_truth_of_what_is_judged_is_not_looked_at() -> None:
    table = whole_space("time")
    other = Table(table.applications, table.configurations, table.values * np.nan, "time")
    assert ranked(question(), LAB, knowledge(), table, "time") == ranked(question(), LAB, knowledge(), other, "time")


def test_what_gave_back_wrong_bytes_is_left_out() -> None:
    table = whole_space("time")
    best = table.configurations[ranked(question(), LAB, knowledge(), table, "time")[0]]
    warned = Knowledge(LAB, replace(knowledge().learned, unsafe=Unsafe(frozenset({best}))))
    order = ranked(question(), LAB, warned, table, "time")
    assert best not in [table.configurations[i] for i in order]
    assert len(order) == len(warned.points) < len(table.configurations)


def test_what_is_safe_with_one_writer_is_advised_where_each_file_has_one() -> None:
    table = whole_space("time")
    asks = question()
    best = table.configurations[ranked(asks, LAB, knowledge(), table, "time")[0]]
    warned = Knowledge(LAB, replace(knowledge().learned, unsafe=Unsafe(shared=frozenset({best}))))

    def offered(*, shared: bool) -> set[Configuration]:
        phases = [
            replace(p, characteristics=replace(p.characteristics, shared=shared, collective=False))
            for p in asks.workload.phases
        ]
        job = replace(asks, workload=replace(asks.workload, phases=tuple(phases)))
        some = warned.among(table.configurations)
        foresee(some, [job])
        order = ranked(job, LAB, some, table, "time")
        assert order == ranked(job, LAB, warned, table, "time")
        return {table.configurations[column] for column in order}

    assert best in offered(shared=False)
    assert best not in offered(shared=True)


@pytest.mark.parametrize("goal", ["time", "cost"])
def test_the_first_answer_is_the_same_without_the_others(goal: str) -> None:
    asks, table = question(), whole_space(goal)
    idle = replace(asks, workload=replace(asks.workload, io_share=0.001), results=0)
    for job in (asks, idle):
        whole = ranked(job, LAB, knowledge(), table, goal)
        first = ranked(job, LAB, knowledge(), table, goal, most=1)
        assert first[0] == whole[0]
        assert len(first) < len(whole)


@pytest.mark.parametrize("model", ["prior", "forest"])
def test_what_is_learned_anew_of_the_same_candidates_is_as_if_they_were_new(model: str) -> None:
    other = unmeasured(LAB) if model == "prior" else replace(knowledge().learned, model=model)
    one, another = question(), question([run_of(kernel(*BTIO), LAB.baseline, 0, factor=3.0)])
    wrong = Unsafe(shared=frozenset(SOME[-2:]))
    before = Knowledge(LAB, replace(other, unsafe=wrong)).among(SOME)
    foresee(before, [one])
    after = replace(other, noise=0.3, unsafe=wrong)
    made, new = before.relearned(after), Knowledge(LAB, after).among(SOME)
    table = whole_space("time")
    for job in (one, another):
        phases = [replace(p, characteristics=replace(p.characteristics, shared=False)) for p in job.workload.phases]
        single = replace(job, workload=replace(job.workload, phases=tuple(phases)))
        assert made.safe_for(single.workload).learned is after
        for each in (job, single):
            assert ranked(each, LAB, made, table, "time") == ranked(each, LAB, new, table, "time")


def test_without_a_gain_that_is_worth_it_the_baseline_comes_first() -> None:
    asks = question()
    idle = replace(asks, workload=replace(asks.workload, io_share=0.001), results=0)
    table = whole_space("time")
    first, second = ranked(idle, LAB, knowledge(), table, "time")[:2]
    assert table.configurations[first] == LAB.baseline
    assert table.configurations[second] != LAB.baseline
    assert table.configurations[ranked(asks, LAB, knowledge(), table, "time")[0]] != LAB.baseline


def test_what_is_lost_with_its_machines_is_staged_out_and_nothing_else() -> None:
    points = LAB.space.enumerate()
    staging, prior = staging_of(LAB, points), prior_of(LAB)
    assert prior is not None
    configurations = [LAB.space.configuration(point) for point in points]
    lost = np.array([one["device"] == "ephemeral" for one in configurations])
    results = Results(size=120_000_000)
    expected = prior.staging(results, prior.systems(configurations))
    assert staging.seconds(results).tolist() == np.where(lost, expected, 0.0).tolist()
    assert not staging.seconds(Results(size=0)).any()
    untold = replace(LAB, lab={key: value for key, value in LAB.lab.items() if key != "archive"})
    assert not staging_of(untold, points).seconds(results).any()
    tianhe = load_platform("tianhe-lustre")
    assert not staging_of(tianhe, tianhe.space.enumerate()[:9]).seconds(results).any()


@pytest.mark.parametrize("results", [0, 10**8])
def test_results_whose_copies_are_not_counted_are_said_not_to_be(results: int) -> None:
    untold = replace(LAB, lab={key: value for key, value in LAB.lab.items() if key != "archive"})
    for platform, notes in ((untold, int(results > 0)), (LAB, 0)):
        knows = Knowledge(platform, unmeasured(platform))
        advice = recommend(question().workload, platform, knows, goal=Goal.TIME, results=results)
        assert sum("is not counted" in note for note in advice.notes) == notes


def test_who_wrote_files_of_his_own_hands_them_over_from_his_cache() -> None:
    """Where everybody writes one file, or one for all, most of it has to be read over the network first."""

    def staged(**changes: Any) -> float:
        asks = question()
        c = asks.workload.phases[0].characteristics
        phase = replace(asks.workload.phases[0], characteristics=replace(c, **changes))
        found = forecast(replace(asks.workload, phases=(phase,)), LAB, knowledge(), goal=Goal.TIME, results=10**8)
        gluster = [i for i, point in enumerate(knowledge().points) if kept(LAB.space.configuration(point))]
        return float(found.staging[gluster].max())

    def kept(one: Configuration) -> bool:
        return one["file_system"] == "GlusterFS" and one["device"] == "ephemeral"

    own = {"shared": False, "collective": False, "interface": Interface.POSIX, "io_processes": 4, "processes": 4}
    assert staged(**own) < 0.6 * staged(**{**own, "shared": True})
    assert staged(**own) < 0.6 * staged(**{**own, "io_processes": 1})


def test_large_results_are_not_put_on_disks_that_are_lost() -> None:
    asks = question()
    kept, scratch = (
        recommend(asks.workload, LAB, knowledge(), results=size).recommendations[0] for size in (2 * 10**9, 0)
    )
    assert kept.configuration["device"] == "EBS"
    assert scratch.configuration["device"] == "ephemeral"


def test_disks_are_paid_for() -> None:
    found = rates(LAB, LAB.space.enumerate(), 4, None)
    wanted = [LAB.cost(configuration, 4, 1.0) for configuration in LAB.space.configurations()]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_io_of_unequal_phases_is_shared_by_what_the_baseline_needs_for_each() -> None:
    """Random reads of few bytes take most of the time: bytes alone would give it all to the stream."""
    from acic.advisor.forecast import forecast

    asks = asked(("mpiblast", "small"), truth(applications=[kernel("mpiblast", "small")]), LAB)
    found = forecast(asks.workload, LAB, knowledge(), goal=Goal.TIME)
    wanted = np.array([knowledge().baseline_seconds(p.characteristics) for p in asks.workload.phases])
    np.testing.assert_allclose(np.array(found.times.phases) / sum(found.times.phases), wanted / wanted.sum())
    assert found.times.total == pytest.approx(asks.workload.run_seconds)


def test_configurations_of_another_platform_are_refused() -> None:
    one = next(c for c in SLOW_NETWORK if c != LAB.baseline)
    only = Knowledge(LAB, replace(knowledge().learned, unsafe=Unsafe(frozenset({one}))))
    with pytest.raises(MissingData, match="no configuration"):
        ranked(question(), LAB, only, Table((BTIO,), (Configuration(one),), np.ones((1, 1)), "time"), "time")


def test_fewer_candidates_are_advised_as_among_all() -> None:
    table = whole_space("time")
    few = Table(table.applications, table.configurations[::7], table.values[:, ::7], "time")
    some = knowledge().among(few.configurations)
    foresee(some, [question()])
    assert len(some.points) == len({*few.configurations, LAB.baseline})
    assert ranked(question(), LAB, some, few, "time") == ranked(question(), LAB, knowledge(), few, "time")
    best = few.configurations[ranked(question(), LAB, knowledge(), few, "time")[0]]
    warned = Knowledge(LAB, replace(knowledge().learned, unsafe=Unsafe(frozenset({best}))))
    kept = {LAB.space.configuration(point) for point in warned.points}
    assert len(warned.among(few.configurations).points) == len({*few.configurations, LAB.baseline} & kept)
