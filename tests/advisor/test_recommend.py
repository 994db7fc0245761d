"""The advisor on a cluster whose truth is known: direction, Amdahl, money, honesty."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.advice import Goal, Verdict
from acic.advisor.answers import answers
from acic.advisor.cautions import one_writer
from acic.advisor.failing import Failing
from acic.advisor.forecast import CHOSEN, SLIGHT, Forecast, forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import learn
from acic.advisor.prices import one_price
from acic.advisor.ranking import TIE
from acic.advisor.recommend import recommend
from acic.advisor.safety import Unsafe
from acic.advisor.whatif import log_improvements
from acic.errors import MissingData
from acic.models.registry import learner
from acic.platforms import Platform, load_platform
from acic.platforms.platform import Disk
from acic.prior import BENCHMARK
from acic.space import Configuration, Value
from acic.store import Measurement
from acic.store.training import training_table
from acic.units import GIB, MIB, format_seconds, format_usd
from acic.workloads import Access, Interface, Operation
from acic.workloads.inputs import with_input_writers
from tests.advisor.conftest import WRITE, application, true_bandwidth

READ = replace(WRITE, operation=Operation.READ)


def true_seconds(platform: Platform, configuration: Configuration) -> float:
    """Run time of `application(WRITE)`: 60 s of computing, and 40 s of writing on the baseline."""
    return 60 + 40 * true_bandwidth(platform.baseline, WRITE) / true_bandwidth(configuration, WRITE)


def test_the_fastest_is_found_and_the_list_is_sorted(cluster: Platform, knowledge: Knowledge) -> None:
    advice = recommend(application(WRITE), cluster, knowledge, top=8)
    best = min(true_seconds(cluster, c) for c in cluster.space.configurations())
    assert true_seconds(cluster, advice.recommendations[0].configuration) <= best * 1.02
    seconds = [r.seconds.value for r in advice.recommendations]
    assert seconds == sorted(seconds)
    assert advice.verdict is Verdict.CHANGE
    assert advice.extrapolated == ()
    assert advice.covered == 1.0


def test_what_is_safe_with_one_writer_alone_is_said_to_be(cluster: Platform, knowledge: Knowledge) -> None:
    apart, together = replace(WRITE, shared=False, collective=False), replace(WRITE, shared=True)
    (best, *_) = recommend(application(apart), cluster, knowledge).recommendations
    warned = Knowledge(cluster, replace(knowledge.learned, unsafe=Unsafe(shared=frozenset({best.configuration}))))
    advice = recommend(application(apart), cluster, warned)
    plain = recommend(application(apart), cluster, knowledge)
    assert [replace(one, single_writer=False) for one in advice.recommendations] == list(plain.recommendations)
    assert advice.recommendations[0].single_writer
    ranks = [str(one.rank) for one in advice.recommendations if one.single_writer]
    which = "Answer 1 is, or ties" if ranks == ["1"] else f"Answers {', '.join(ranks)} are, or tie"
    (caution,) = advice.cautions
    assert caution.startswith(f"{which} with, what is safe only while each file that the job writes is written by one")
    safe = recommend(application(together), cluster, warned, top=len(warned.points))
    assert best.configuration not in [one.configuration for one in safe.recommendations]
    assert safe.cautions == plain.cautions == ()
    assert any("other bytes" in note for note in safe.notes)
    (other,) = recommend(application(apart), cluster, warned, among=[cluster.baseline]).recommendations
    assert other.configuration == cluster.baseline
    (named,) = recommend(application(apart), cluster, warned, among=[best.configuration]).recommendations
    assert named.configuration == best.configuration


def test_what_keeps_failing_is_advised_with_a_caution_alone(cluster: Platform, knowledge: Knowledge) -> None:
    """What had failed in 6 of 8 measurements with just that workload was a change to make, and nothing was said."""
    plain = recommend(application(WRITE), cluster, knowledge)
    failing = Failing(plain.recommendations[0].configuration, WRITE, failed=6, good=2, note="No space left on device")
    warned = Knowledge(cluster, replace(knowledge.learned, failing=(failing,)))
    advice = recommend(application(WRITE), cluster, warned)
    (caution,) = set(advice.cautions) - set(plain.cautions)
    assert caution.startswith("Answer 1 failed in 6 of the 8 measurements")
    assert replace(advice, cautions=plain.cautions) == plain


def test_one_writer_is_told_of_in_the_words_of_the_job(cluster: Platform, knowledge: Knowledge) -> None:
    """Of a job that only reads it was said that each file that it writes is written by one process, as here."""
    apart = replace(READ, shared=False, collective=False)
    (best, *_) = recommend(application(apart), cluster, knowledge).recommendations
    warned = Knowledge(cluster, replace(knowledge.learned, unsafe=Unsafe(shared=frozenset({best.configuration}))))
    advice = recommend(application(apart), cluster, warned)
    assert advice.recommendations[0].single_writer
    (caution,) = advice.cautions
    assert "is safe only while each file that the job reads was written by one process:" in caution
    assert "copy it there" not in caution
    (caution,) = recommend(with_input_writers(application(apart), 16), cluster, warned).cautions
    assert caution.endswith("Of its input 16 did: copy it there by one process a file, or take another answer.")
    writing = replace(application(replace(WRITE, shared=False, collective=False)), processes=2)
    assert "by one process, as here, and" in one_writer([1], writing)[0]
    assert "by one process, and" in one_writer([1], replace(writing, processes=1))[0]  # its log may be one of many
    idle = recommend(application(apart, io=(0.01,)), cluster, warned)
    assert idle.verdict is Verdict.NOTHING
    assert idle.cautions == ()


def test_disks_that_are_lost_with_their_machines_are_told_of(cluster: Platform, knowledge: Knowledge) -> None:
    """Most of the cheapest answers were on them, and nothing was said of what the job writes."""
    disks = {
        name: Disk(name=name, price=None, persistent=name == "EBS", fact=cluster.fact) for name in ("EBS", "ephemeral")
    }
    fleeting = replace(cluster, disks=disks, roles=replace(cluster.roles, device="device"))
    there = Knowledge(fleeting, knowledge.learned)
    advice = recommend(application(WRITE), fleeting, there, top=3)
    ranks = [one.rank for one in advice.recommendations if one.stages_out]
    assert ranks
    assert all(one.stages_out or one.configuration["device"] != "ephemeral" for one in advice.recommendations)
    (caution,) = advice.cautions
    assert caution.startswith(f"Answer{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))} ")
    assert "lost with their machines" in caution
    assert "the job writes 4 GiB" in caution
    assert recommend(application(WRITE), fleeting, there, results=1).cautions == ()
    (brought,) = recommend(application(READ), fleeting, there).cautions
    assert "Copying input there first is never counted: the job reads 4 GiB that it did not write." in brought
    assert "results" not in brought
    assert recommend(application(WRITE, io=(0.01,)), fleeting, there).cautions == ()
    assert recommend(application(WRITE), cluster, knowledge).cautions == ()


def test_input_is_told_to_be_brought_to_disks_that_are_lost(cluster: Platform, knowledge: Knowledge) -> None:
    """Only of jobs that wrote nothing, and of none that told its results."""
    disks = {
        name: Disk(name=name, price=None, persistent=name == "EBS", fact=cluster.fact) for name in ("EBS", "ephemeral")
    }
    fleeting = replace(cluster, disks=disks, roles=replace(cluster.roles, device="device"))
    there = Knowledge(fleeting, knowledge.learned)

    def said(read: str, *, results: int = 0, **details: float) -> str:
        asked = application(WRITE, READ, io=(20.0, 20.0))
        write, reads = asked.phases
        phases = (replace(write, example="out"), replace(reads, example=read, details=details))
        return " ".join(recommend(replace(asked, phases=phases), fleeting, there, results=results).cautions)

    told = "Copying input there first is never counted: the job reads {} that it did not write."
    both = said("in")
    assert "Copying results is not counted: the job writes 4 GiB." in both
    assert told.format("4 GiB") in both
    assert told.format("256 MiB") in said("in", times_over=16.0)
    assert told.format("4 GiB") in (alone := said("in", results=MIB))
    assert "results" not in alone
    assert said("out", results=MIB) == ""
    assert "input" not in said("out")
    assert "input" not in said("in", times_over=640.0)
    assert "input" not in said("in", written_by_others=True)


def test_more_results_than_the_job_writes_are_told(cluster: Platform, knowledge: Knowledge) -> None:
    """They were charged without a word."""

    def said(results: int, *, complete: bool = True) -> list[str]:
        asked = replace(application(WRITE), complete=complete)
        notes = recommend(asked, cluster, knowledge, results=results).notes
        return [note for note in notes if "more than" in note]

    assert said(8 * GIB) == ["--results tells 8 GiB, more than the 4 GiB that the job is known to write."]
    assert said(8 * GIB, complete=False) == said(4 * GIB + MIB) == said(0) == []


def test_what_if_asks_nothing_unsafe_of_candidates_for_one_writer(cluster: Platform, knowledge: Knowledge) -> None:
    apart, together = replace(WRITE, shared=False, collective=False), replace(WRITE, shared=True)
    unsafe = next(c for c in cluster.space.configurations() if c["file_system"] != cluster.baseline["file_system"])
    warned = Knowledge(cluster, replace(knowledge.learned, unsafe=Unsafe(shared=frozenset({unsafe}))))
    single = warned.safe_for(application(apart))
    assert single.safe_for(application(apart)) is single
    assert len(single.safe_for(application(together)).points) == len(warned.points)
    assert len(single.points) > len(warned.points)
    place = int(np.flatnonzero((single.points == cluster.space.point(unsafe)).all(axis=1))[0])
    seconds = [forecast(application(w), cluster, single, goal=Goal.TIME).seconds for w in (apart, together)]
    assert np.isfinite(seconds[0]).all()
    assert np.isinf(seconds[1][place])
    assert np.isfinite(seconds[1]).any()


def test_computing_is_kept(cluster: Platform, knowledge: Knowledge) -> None:
    for r in recommend(application(WRITE), cluster, knowledge, top=50).recommendations:
        assert r.seconds is not None
        assert r.seconds.value > 60
        assert r.seconds.value == pytest.approx(60 + 40 / r.io_improvement.value)
        assert r.improvement.value == pytest.approx(100 / r.seconds.value)


def test_every_number_lies_in_its_interval(cluster: Platform, knowledge: Knowledge) -> None:
    for r in recommend(application(WRITE), cluster, knowledge, goal=Goal.COST, top=50).recommendations:
        for estimate in (r.improvement, r.io_improvement, r.seconds, r.cost):
            assert estimate is not None
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.basis == "predicted"


def test_the_truth_lies_in_most_intervals(cluster: Platform, knowledge: Knowledge) -> None:
    """The configurations were measured, so the stated 80 % is far below what must be reached here."""
    effect = knowledge.effect(WRITE)
    truth = np.array(
        [
            np.log(true_bandwidth(c, WRITE) / true_bandwidth(cluster.baseline, WRITE))
            for c in cluster.space.configurations()
        ]
    )
    assert np.mean((effect.low <= truth) & (truth <= effect.high)) >= 0.8


def test_a_job_that_the_platform_cannot_run_has_no_cost(cluster: Platform, knowledge: Knowledge) -> None:
    """4 nodes of half a processor were billed for 65,536 processes; what was measured always fits."""
    small = replace(cluster, compute_nodes=2)  # of 16 cores, and measured with 64 processes
    there = Knowledge(small, knowledge.learned)
    fitting = recommend(application(WRITE), small, there)
    assert fitting.baseline_cost is not None
    assert not any("2 compute nodes" in note for note in fitting.notes)
    crowd = application(replace(WRITE, processes=4096, io_processes=4096))
    advice = recommend(crowd, small, there, price=1.0)
    assert "made-up has 2 compute nodes with 32 processors, and the job has 4096 processes" in advice.notes[0]
    assert advice.baseline_cost is None
    assert all(one.cost is None for one in advice.recommendations)
    for goal in (Goal.COST, Goal.PARETO):
        with pytest.raises(MissingData, match="4096 processes") as caught:
            recommend(crowd, small, there, goal=goal, price=1.0)
        assert "--goal time" in caught.value.hint
    assert recommend(crowd, cluster, knowledge).baseline_cost is not None  # as many nodes as it fills


def test_the_goal_cost_saves_money_and_the_goal_time_saves_time(cluster: Platform, knowledge: Knowledge) -> None:
    work = application(WRITE)
    cheap, fast = (recommend(work, cluster, knowledge, goal=g).recommendations[0] for g in (Goal.COST, Goal.TIME))
    assert cheap.cost is not None
    assert fast.cost is not None
    assert fast.seconds is not None
    assert cheap.seconds is not None
    assert cheap.cost.value < fast.cost.value * (1 + TIE)  # of those that tie any may be shown
    assert fast.seconds.value < cheap.seconds.value * 1.01
    truly_cheapest = min(cluster.cost(c, 64, true_seconds(cluster, c)) for c in cluster.space.configurations())
    found = cheap.configuration
    assert cluster.cost(found, 64, true_seconds(cluster, found)) <= truly_cheapest * 1.05


def test_among_ties_for_time_the_cheaper_is_preferred_and_for_cost_the_faster(
    cluster: Platform, knowledge: Knowledge
) -> None:
    found = forecast(application(WRITE), cluster, knowledge, goal=Goal.COST)
    assert found.rate is not None
    as_fast = found.rate  # what those cost that take as long
    as_dear = 1.0 / found.rate  # how long those take that cost as much
    assert (np.argsort(found.other(Goal.TIME), kind="stable") == np.argsort(as_fast, kind="stable")).all()
    assert (np.argsort(found.other(Goal.COST), kind="stable") == np.argsort(as_dear, kind="stable")).all()
    assert not replace(found, rate=None).other(Goal.TIME).any()


def test_dedicated_servers_make_a_run_dearer(cluster: Platform, knowledge: Knowledge) -> None:
    for r in recommend(application(WRITE), cluster, knowledge, goal=Goal.COST, top=50).recommendations:
        assert r.cost is not None
        assert r.seconds is not None
        cores = 16 if r.configuration["instance_type"] == "cc2.8xlarge" else 8
        servers = r.configuration["servers"] if r.configuration["placement"] == "dedicated" else 0
        assert r.nodes == 64 / cores + float(servers)
        unit = 2.40 if cores == 16 else 1.30
        assert r.cost.value == pytest.approx(r.seconds.value * r.nodes * unit / 3600)


def test_the_front_trades_time_for_money(cluster: Platform, knowledge: Knowledge) -> None:
    keep = {"placement": "dedicated"}  # a part-time server costs nothing, so that there is one answer
    front = recommend(application(WRITE), cluster, knowledge, goal=Goal.PARETO, top=20, keep=keep).recommendations
    assert len(front) > 1
    for a, b in pairwise(front):
        assert a.seconds is not None
        assert b.seconds is not None
        assert a.cost is not None
        assert b.cost is not None
        assert a.seconds.value <= b.seconds.value
        assert a.cost.value > b.cost.value


def test_what_gains_nothing_is_no_reason_to_look_between(cluster: Platform, knowledge: Knowledge) -> None:
    """An answer that was slower and dearer than the baseline had a note on what lies between the two."""

    def said(goal: Goal, keep: dict[str, Value], among: Configuration | None = None) -> bool:
        named = None if among is None else [among]
        advice = recommend(application(WRITE), cluster, knowledge, goal=goal, keep=keep, among=named)
        return any("lies between" in note for note in advice.notes)

    worst = recommend(application(WRITE), cluster, knowledge, top=1000).recommendations[-1].configuration
    advice = recommend(application(WRITE), cluster, knowledge, among=[worst])
    assert advice.recommendations[0].improvement.value < 1.0
    assert not said(Goal.TIME, {}, worst)
    assert said(Goal.TIME, {"placement": "dedicated", "servers": 4})


def test_one_price_for_unlike_machines_is_told(cluster: Platform, knowledge: Knowledge) -> None:
    """--price 3 made a machine of $1.30 as dear as one of $2.40, and so the larger one the cheapest."""

    def priced(*prices: float | None) -> Platform:
        pairs = zip(cluster.instances.items(), prices, strict=True)
        return replace(cluster, instances={name: replace(one, price=price) for (name, one), price in pairs})

    (note,) = [n for n in recommend(application(WRITE), priced(1.3, 2.4), knowledge, price=3.0).notes if "--price" in n]
    first, second = cluster.instances
    told = f"to cost $3.00 an hour: {first} (its own: $1.30), {second} (its own: $2.40)."
    assert note.startswith(f"--price takes every kind of machine {told}")
    assert "--keep instance_type=KIND" in note
    assert f": {first}, {second}. So" in one_price(priced(None, None), 3.0)[0]
    assert one_price(priced(1.3, 1.3), 3.0) == one_price(priced(1.3, 2.4), None) == []


def test_what_takes_and_costs_the_same_is_one_answer_of_a_front() -> None:
    """The first in the order of the platform's file was advised, with what it changes for nothing."""
    seconds, cost = np.array([9.0, 2.0, 1.0, 1.0, 2.0, 1.0]), np.array([9.0, 3.0, 5.0, 5.0, 3.0, 6.0])
    found = cast(Forecast, SimpleNamespace(seconds=seconds, objective=lambda _: cost))
    groups = answers(found, np.arange(1, 6), Goal.PARETO, 5)
    assert [group.tolist() for group in groups] == [[2, 3], [1, 4]]


def test_a_front_that_is_cut_off_tells_of_its_cheap_end(cluster: Platform, knowledge: Knowledge) -> None:
    """Of nine answers five were shown, all dearer than the baseline, and nothing said that four were cheaper."""
    asked = partial(
        recommend, application(WRITE), cluster, knowledge, goal=Goal.PARETO, keep={"placement": "dedicated"}
    )
    whole = asked(top=1000)
    count, cheapest = len(whole.recommendations), whole.recommendations[-1]
    assert cheapest.cost is not None
    assert not any("--top" in note for note in whole.notes)
    assert count > 1
    (note,) = [note for note in asked(top=count - 1).notes if "--top" in note]
    assert f"fastest of {count} answers" in note
    assert f"{format_usd(cheapest.cost.value)} a run" in note
    assert f"takes {format_seconds(cheapest.seconds.value)}; --top {count} shows all" in note


@pytest.mark.parametrize(("goal", "unit"), [(Goal.TIME, "s"), (Goal.PARETO, "s"), (Goal.COST, "USD")])
def test_what_changes_save_adds_up_in_the_unit_of_the_goal(
    cluster: Platform, knowledge: Knowledge, goal: Goal, unit: str
) -> None:
    """The first answer of a front is the fastest, so its changes are told in seconds."""
    advice = recommend(application(WRITE), cluster, knowledge, goal=goal)
    best = advice.recommendations[0]
    assert {one.unit for one in advice.changes} == {unit}
    assert best.cost is not None
    assert advice.baseline_cost is not None
    ours, before = (best.cost.value, advice.baseline_cost) if unit == "USD" else (best.seconds.value, 100.0)
    assert sum(one.saves for one in advice.changes) == pytest.approx(before - ours)


def test_an_application_that_hardly_does_io_is_left_alone(cluster: Platform, knowledge: Knowledge) -> None:
    advice = recommend(application(WRITE, io=(0.01,)), cluster, knowledge)
    assert advice.verdict is Verdict.NOTHING
    assert "change nothing" in advice.reason


def test_two_phases_are_weighed_by_their_time(cluster: Platform, knowledge: Knowledge) -> None:
    """Writes gain more than reads: the more of the time is theirs, the more there is to gain."""
    writing = recommend(application(WRITE, READ, io=(39.0, 1.0)), cluster, knowledge).recommendations[0]
    reading = recommend(application(WRITE, READ, io=(1.0, 39.0)), cluster, knowledge).recommendations[0]
    assert writing.configuration["file_system"] == "PVFS2"
    both = application(WRITE, READ, io=(20.0, 20.0))
    middle = recommend(both, cluster, knowledge).recommendations[0]
    assert writing.improvement.value > middle.improvement.value > reading.improvement.value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"processes": 4096}, "processes of 4096: measured was 64"),
        ({"iterations": 1_000_000}, "iterations of 1000000: measured was 1"),
        ({"data_size": 4096 * MIB}, "data size of 4 GiB: measured was 16 MiB to 256 MiB"),
        ({"interface": Interface.HDF5}, "interface HDF5: measured was MPIIO"),
        ({"collective": False}, "collective no: measured was yes"),
        ({"access": Access.RANDOM}, "access random: measured was consecutive"),
    ],
)
def test_outside_of_what_was_measured_is_told_and_never_trusted(
    cluster: Platform, knowledge: Knowledge, change: dict[str, object], said: str
) -> None:
    advice = recommend(application(replace(WRITE, **change)), cluster, knowledge)  # type: ignore[arg-type]  # checked by the callee
    assert said in advice.extrapolated
    assert advice.verdict is not Verdict.CHANGE


def test_what_hardly_takes_time_is_no_reason_to_doubt(cluster: Platform, knowledge: Knowledge) -> None:
    """A job's settings are text, in pieces as no benchmark reads: what matters are its data."""
    settings = replace(WRITE, interface=Interface.STDIO, data_size=4096, request_size=16, access=Access.RANDOM)
    plain = recommend(application(WRITE), cluster, knowledge)
    slight = recommend(application(WRITE, settings, io=(40.0, 0.05)), cluster, knowledge)
    assert (slight.verdict, slight.extrapolated) == (plain.verdict, ()) == (Verdict.CHANGE, ())
    data = replace(settings, data_size=64 * MIB)
    heavy = recommend(application(WRITE, data, io=(35.0, 5.0)), cluster, knowledge)
    assert any("interface STDIO" in line for line in heavy.extrapolated)
    assert heavy.verdict is Verdict.VERIFY


def test_what_takes_long_where_it_is_recommended_counts(cluster: Platform, knowledge: Knowledge) -> None:
    found = forecast(application(WRITE, READ, io=(40.0, 1.0)), cluster, knowledge, goal=Goal.TIME)
    other = 0 if found.baseline else 1
    slight, heavy = (0.5 * SLIGHT * found.seconds, 2.0 * SLIGHT * found.seconds)
    there = np.where(np.arange(len(found.seconds)) == other, heavy, slight)
    found = replace(found, log_improvements=(found.log_improvements[0], np.log(found.times.phases[1] / there)))
    assert [one.characteristics for one in found.weighty(found.baseline)] == [WRITE]
    assert [one.characteristics for one in found.weighty(other)] == [WRITE, READ]
    nothing = replace(found, log_improvements=tuple(one + np.inf for one in found.log_improvements))
    assert len(nothing.weighty(other)) == 2


def test_what_is_picked_because_it_seems_best_is_less_sure(cluster: Platform, knowledge: Knowledge) -> None:
    """Errors in its favour are why it is picked, so its slow end is farther; of one that was named it is not."""
    workload = application(WRITE)
    picked = recommend(workload, cluster, knowledge).recommendations[0]
    (named,) = recommend(workload, cluster, knowledge, among=[picked.configuration]).recommendations
    assert picked.seconds.value == named.seconds.value
    assert picked.seconds.low == named.seconds.low
    farther = np.log(picked.seconds.high / picked.seconds.value) / np.log(named.seconds.high / named.seconds.value)
    assert farther == pytest.approx(CHOSEN)
    assert picked.improvement.low < named.improvement.low
    assert picked.io_improvement.low < named.io_improvement.low
    assert picked.improvement.high == named.improvement.high


@given(value=st.floats(0.1, 10.0), slower=st.floats(1.0, 20.0), computing=st.floats(0.0, 1000.0))
def test_the_slow_ends_of_a_run_and_of_its_io_are_the_same_end(
    cluster: Platform, knowledge: Knowledge, value: float, slower: float, computing: float
) -> None:
    """Each was stretched by itself: "at least 1.06x" of a run stood beside I/O told to take 0.91x as the slow end."""
    found = forecast(application(WRITE), cluster, knowledge, goal=Goal.TIME)
    io = np.full(len(found.seconds), 10.0 / value)
    slow, fixed = io * slower, np.full_like(io, computing)
    picked = replace(
        found, seconds=fixed + io, slowest=fixed + slow, fastest=fixed + io, io_seconds=(io, slow, io)
    ).chosen()
    assert picked.slowest == pytest.approx(fixed + picked.io_seconds[1])
    assert (picked.io_seconds[1] >= slow).all()


def test_a_slow_end_without_bound_stays_so(cluster: Platform, knowledge: Knowledge) -> None:
    found = forecast(application(WRITE), cluster, knowledge, goal=Goal.TIME)
    endless = np.full_like(found.seconds, np.inf)
    io, _, fast = found.io_seconds
    picked = replace(found, slowest=endless, io_seconds=(io, endless, fast)).chosen()
    assert np.isinf(picked.slowest).all()
    assert np.isinf(picked.io_seconds[1]).all()


def test_a_new_workload_gets_a_wider_interval(knowledge: Knowledge) -> None:
    known, new = (knowledge.effect(c) for c in (WRITE, replace(WRITE, data_size=100 * MIB)))
    assert (new.high - new.low).mean() > (known.high - known.low).mean() * 0.99


def test_the_baseline_itself_is_no_gain(knowledge: Knowledge) -> None:
    effect = knowledge.effect(WRITE)
    assert effect.mean[knowledge.baseline] == effect.low[knowledge.baseline] == effect.high[knowledge.baseline] == 0


def test_what_a_model_cannot_tell_from_the_baseline_is_no_gain(cluster: Platform, training: list[Measurement]) -> None:
    """`nonlinear` sees no labels, yet told another device or placement to be faster than the baseline, which is 1x."""
    rows = training_table(training, cluster)
    known = Knowledge(cluster, learn(rows, cluster, learner("nonlinear"), weight=np.ones(len(rows)), seed=1))
    baseline = known.points[known.baseline]
    numbers = [cluster.space.names.index(p.name) for p in cluster.space.parameters if p.is_numeric]
    twins = (known.points[:, numbers] == baseline[numbers]).all(axis=1)
    assert twins.sum() > 1
    assert not twins.all()
    other = replace(WRITE, request_size=MIB)
    known.foresee([(other, BENCHMARK)])
    for workload in (WRITE, other):
        effect = known.effect(workload)
        np.testing.assert_array_equal(effect.mean[twins], 0.0)
        assert (effect.mean[~twins] != 0.0).all()
        np.testing.assert_array_equal(log_improvements(known, [workload])[0], effect.mean)
        some = np.flatnonzero(twins)[-1:]  # without the baseline beside it
        np.testing.assert_array_equal(log_improvements(known, [workload], some.tolist()), 0.0)


def test_seconds_of_another_machine_are_predicted_from_the_baseline(cluster: Platform, knowledge: Knowledge) -> None:
    advice = recommend(application(WRITE), cluster, knowledge, elsewhere=True)
    baseline = WRITE.total_bytes / true_bandwidth(cluster.baseline, WRITE)
    assert advice.baseline_seconds == pytest.approx(60 + baseline, rel=0.05)


def test_without_a_run_time_the_io_alone_is_told(cluster: Platform, knowledge: Knowledge) -> None:
    advice = recommend(application(WRITE, run=None, io=(None,)), cluster, knowledge)
    assert advice.baseline_seconds == pytest.approx(
        WRITE.total_bytes / true_bandwidth(cluster.baseline, WRITE), rel=0.05
    )


def test_without_a_run_time_the_seconds_of_all_phases_are_those_of_the_io(
    cluster: Platform, knowledge: Knowledge
) -> None:
    """They were dropped: a log whose end is 0 tells 2 s of I/O, and 2.56 s were predicted of it. Of some it is said."""
    advice = recommend(application(WRITE, run=None, io=(180.0,)), cluster, knowledge)
    assert advice.baseline_seconds == pytest.approx(180.0)
    assert any("log's own seconds" in note for note in advice.notes)
    other = replace(WRITE, iterations=2)
    for io, said in (((180.0, None), 1), ((None, None), 0), ((180.0, 1.0), 0)):
        notes = recommend(application(WRITE, other, run=None, io=io), cluster, knowledge).notes
        assert sum("seconds of some phases are not used" in note for note in notes) == said


@pytest.mark.parametrize("goal", [Goal.TIME, Goal.COST])
def test_a_run_time_alone_is_that_of_computing_and_of_the_io_that_is_predicted(
    cluster: Platform, knowledge: Knowledge, goal: Goal
) -> None:
    told = replace(application(WRITE, io=(None,)), io_share=None)
    io = recommend(replace(told, run_seconds=None), cluster, knowledge).baseline_seconds
    assert 1.0 < io < 100.0
    advice = recommend(told, cluster, knowledge, goal=goal)
    best = advice.recommendations[0]
    assert advice.baseline_seconds == pytest.approx(100.0)
    assert best.seconds.value == pytest.approx(100.0 - io + io / best.io_improvement.value)
    assert advice.baseline_cost == pytest.approx(cluster.cost(cluster.baseline, 64, 100.0))
    assert not any("log's own seconds" in note for note in advice.notes)
    assert any("counts as computing" in note for note in advice.notes)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_run_time_shorter_than_the_io_that_is_predicted_leaves_no_computing(
    cluster: Platform, knowledge: Knowledge, elsewhere: bool
) -> None:
    told = replace(application(WRITE, run=1.0, io=(None,)), io_share=None)
    io = recommend(replace(told, run_seconds=None), cluster, knowledge).baseline_seconds
    advice = recommend(told, cluster, knowledge, elsewhere=elsewhere)
    assert advice.baseline_seconds == pytest.approx(io)
    assert any("more than the 1 s that the run is said to take" in note for note in advice.notes)


@pytest.mark.parametrize(("io", "share"), [((0.0,), 0.0), ((None,), 0.5), ((0.0,), None)])
def test_a_run_that_takes_no_time_is_none_that_a_clock_saw(
    cluster: Platform, knowledge: Knowledge, io: tuple[float | None, ...], share: float | None
) -> None:
    nothing = replace(application(WRITE, run=0.0, io=io), io_share=share)
    untold = application(WRITE, run=None, io=(None,))
    found, expected = (recommend(one, cluster, knowledge) for one in (nothing, untold))
    assert found == replace(expected, workload=found.workload)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_run_that_takes_no_time_takes_that_of_its_phases(
    cluster: Platform, knowledge: Knowledge, share: float
) -> None:
    found = recommend(replace(application(WRITE, run=0.0, io=(5.0,)), io_share=share), cluster, knowledge)
    assert found.baseline_seconds == pytest.approx(5.0)


def test_a_run_without_time_in_io_needs_no_change(cluster: Platform, knowledge: Knowledge) -> None:
    advice = recommend(application(WRITE, io=(0.0,)), cluster, knowledge)
    assert advice.verdict is Verdict.NOTHING
    best = advice.recommendations[0]
    assert best.improvement.value == best.io_improvement.value == 1.0


def test_what_nothing_measured_speaks_about_keeps_its_time(cluster: Platform, training: list[Measurement]) -> None:
    rows = training_table([m for m in training if m.workload.operation is Operation.WRITE], cluster)
    writes = Knowledge(cluster, learn(rows, cluster, learner("ridge"), weight=np.ones(len(rows)), seed=1))
    advice = recommend(application(WRITE, READ, io=(20.0, 30.0)), cluster, writes)
    assert advice.covered == pytest.approx(0.4)
    assert any("speaks about reads" in note for note in advice.notes)
    assert all(r.seconds.value > 80 for r in advice.recommendations)
    with pytest.raises(MissingData, match="reads"):
        recommend(application(READ), cluster, writes)


def test_no_recorded_io_is_said(cluster: Platform, knowledge: Knowledge) -> None:
    with pytest.raises(MissingData, match="no I/O"):
        recommend(replace(application(WRITE), phases=()), cluster, knowledge)


def test_no_price_no_cost(training: list[Measurement]) -> None:
    tianhe = load_platform("tianhe-lustre")
    rows = training_table(training, tianhe)
    with pytest.raises(MissingData, match="nothing can be learned"):
        learn(rows, tianhe, learner("cart"), weight=np.ones(len(rows)), seed=1)


def test_learning_twice_gives_the_same_to_the_digit(cluster: Platform, training: list[Measurement]) -> None:
    rows = training_table(training, cluster)
    one, two = (
        Knowledge(cluster, learn(rows, cluster, learner("cart"), weight=np.ones(len(rows)), seed=7)).effect(WRITE)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.mean, two.mean)
    np.testing.assert_array_equal(one.low, two.low)
