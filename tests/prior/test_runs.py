"""What phases of a run tell of one another: who wrote what is read, who copies, and what pauses leave to the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from acic.benchmarks.kernels import kernel
from acic.prior import Prior, Resource, Use, uses_of
from acic.prior.demand import demand_of
from acic.prior.disks import flushing
from acic.prior.roofline import networks
from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Workload
from tests.prior.systems import system

Floats = NDArray[np.float64]
NODES = 4
OWN = Characteristics(
    processes=8,
    io_processes=8,
    interface=Interface.POSIX,
    iterations=1,
    data_size=6 * MIB,
    request_size=2 * MIB,
    operation=Operation.WRITE,
    collective=False,
    shared=False,
    access=Access.CONSECUTIVE,
)


def run(*phases: tuple[Characteristics, str, int, dict[str, float]]) -> Workload:
    made = [Phase(characteristics=c, bytes=c.total_bytes, example=e, files=n, details=d) for c, e, n, d in phases]
    return Workload(name="app", processes=8, phases=tuple(made))


def test_what_another_process_wrote_no_client_has(prior: Prior) -> None:
    """IO500's ior-easy: each reads its neighbour's file. CephFS takes 0.8 to 2.2 s, where 0.6 to 1.2 were predicted."""
    read = replace(OWN, operation=Operation.READ)
    ceph = prior.systems([system("CephFS", 4, stripe_size=4 * MIB, consistency="relaxed")])
    mine, others = (
        prior.parts(read, ceph, Use(own=True, reopened=True, others=flag))[0, Resource.SERVER_NETWORK]
        for flag in (False, True)
    )
    assert mine == 0.0
    assert others > 0.2
    _, told = uses_of(kernel("io500-easy", "only").workload)
    assert (told.own, told.reopened, told.others) == (True, True, True)
    _, same = uses_of(kernel("madbench2-unique", "only").workload)
    assert (same.own, same.others) == (True, False)


def test_servers_have_what_others_wrote_whoever_reads_it() -> None:
    """One process gathers what eight wrote: `harvest`, `build`."""
    gather = replace(OWN, operation=Operation.READ, io_processes=1, iterations=8)
    for told, own in (({"written_by_others": True}, True), ({}, False)):
        workload = run((OWN, "part.0", 8, {"opens": 16}), (gather, "part.0", 8, {"opens": 16, **told}))
        assert uses_of(workload)[1].own == own


def test_of_processes_that_copy_some_read_while_others_write(prior: Prior) -> None:
    """`dcp` takes 1.6 s on the baseline, whose network is busy for 1 s each way, and its disks for 0.3 s."""
    read = replace(OWN, operation=Operation.READ, iterations=3)
    write = replace(read, operation=Operation.WRITE)

    def copied(*phases: tuple[Characteristics, str, int, dict[str, float]]) -> list[bool]:
        return [use.copied for use in uses_of(run(*phases))]

    assert copied((read, "from", 8, {}), (write, "to", 8, {})) == [True, True]
    assert copied((read, "from", 8, {}), (write, "from", 8, {})) == [False, False]
    assert copied((read, "from", 8, {}), (replace(write, data_size=MIB, request_size=MIB), "to", 8, {})) == [False] * 2
    assert copied((read, "from", 8, {"pause_seconds": 1.0}), (write, "to", 8, {})) == [False, False]
    assert copied((replace(read, iterations=1), "a", 8, {}), (replace(write, iterations=1), "b", 8, {})) == [False] * 2
    nfs = prior.systems([system("NFS", consistency="relaxed")])
    alone, both = (networks(demand_of(write, NODES, Use(copied=c)), nfs, np.ones(1))[1][0] for c in (False, True))
    assert both == pytest.approx(9 / 16 * alone)  # two links and eight processes
    workload = kernel("dcp", "only").workload
    pairs = zip(workload.phases, uses_of(workload), strict=True)
    assert sum(prior.seconds(p.characteristics, prior.baseline, u)[0] for p, u in pairs) == pytest.approx(1.6, rel=0.1)


@pytest.mark.parametrize(
    ("name", "closing"), [("frames", 0.71), ("trajectory", 0.44), ("xios", 0.43), ("subfiles", 1.12)]
)
def test_what_the_last_iteration_wrote_is_sent_at_the_end(prior: Prior, name: str, closing: float) -> None:
    """s in which the baseline closes files that grew in iterations: the last one's data, and all that is to last."""
    workload = kernel(name, "only").workload
    phase, use = workload.phases[0], uses_of(workload)[0]
    beside = Resource.CLIENT_PROCESSOR  # what writing took before
    found = prior.parts(phase.characteristics, prior.baseline, replace(use, pause=3 * use.pause))[0]
    assert found.sum() - found[beside] == pytest.approx(closing, rel=0.25)


def test_disks_are_at_work_while_nodes_send_and_not_longer_than_there_is_to_write(prior: Prior) -> None:
    nfs = prior.systems([system("NFS", consistency="relaxed")])
    demand = demand_of(OWN, NODES)
    lasting = demand.total / (nfs.write * nfs.disks)
    for stream, meanwhile in ((0.0, 0.0), (0.1, 0.0375), (9.0, 0.375 * lasting[0])):
        left = lasting - flushing(demand, nfs, np.ones(1), np.full(1, stream))
        assert left == pytest.approx(meanwhile, abs=1e-12)


def test_all_wait_for_a_shared_file_that_is_closed_before_the_next(prior: Prior) -> None:
    """`nek5000`'s dumps: NFS makes each last when it is closed, and nobody goes on to the next meanwhile."""
    dumps = replace(OWN, shared=True, iterations=3, data_size=2 * MIB, request_size=512 * KIB)
    one, three = (prior.parts(dumps, prior.baseline, Use(syncs=0, files=files))[0] for files in (1, 3))
    assert three[Resource.DISK_BANDWIDTH] == pytest.approx(one[Resource.DISK_BANDWIDTH], rel=0.01)


def test_a_faster_processor_never_makes_closing_many_shared_files_slower(prior: Prior) -> None:
    """Hypothesis found it: what sending hides was taken from syncing and from flushing, more than sending takes."""
    tiny = replace(OWN, processes=4, io_processes=2, shared=True, data_size=4608, request_size=512)
    slow = prior.systems(list(prior.platform.space.configurations()))
    fast = replace(slow, cpu=slow.cpu * 3)
    use = Use(files=512)
    assert (prior.seconds(tiny, fast, use) <= prior.seconds(tiny, slow, use) * (1 + 1e-9)).all()


def test_locks_and_names_that_go_take_longest_where_servers_share_names(prior: Prior) -> None:
    """`fmriprep` waits 1.0 s longer on four GlusterFS servers than on NFS for its locks and for what it removes."""
    systems = prior.systems([system("NFS"), system("GlusterFS", 4), system("GlusterFS", 4, stripe_size=4 * MIB)])
    nfs, whole, shards = prior.seconds(OWN, systems, Use(made=188, removed=188, names_by=4.0)) - prior.seconds(
        OWN, systems, Use()
    )
    assert nfs < whole / 1.5
    assert whole < shards / 1.5


def test_who_writes_files_of_his_own_between_pauses_may_do_so_while_others_compute(prior: Prior) -> None:
    """`rechunker` waits 1.4 s on the baseline (2.0 s predicted once), and was advised what took a fifth longer."""
    waits = Use(pauses=9, pause=0.1, syncs=0)
    systems = prior.systems([system("NFS"), system("GlusterFS", 4)])
    many = replace(OWN, iterations=10)

    def gained(one: Characteristics, use: Use) -> Floats:
        together, alone = (prior.seconds(one, systems, replace(use, overlap=overlap)) for overlap in (0.0, 1.0))
        return np.asarray(together / alone)

    assert (gained(many, waits) > 1.05).all()
    assert (gained(many, replace(waits, pauses=0)) == 1.0).all()  # nothing tells of computing between its writes
    assert (gained(replace(many, shared=True), waits) == 1.0).all()  # they step together


def test_who_waits_until_a_write_lasts_waits_for_it_whoever_computes(prior: Prior) -> None:
    """As he does who syncs: `trinity` was advised strict NFS, on which it takes 1.5 times as long as the baseline."""
    strict = prior.systems([system("NFS", consistency="strict")])
    small = replace(OWN, iterations=10, data_size=64 * KIB, request_size=8 * KIB)
    together, alone = (
        prior.parts(small, strict, Use(pauses=9, pause=0.1, syncs=0, overlap=one))[0] for one in (0.0, 1.0)
    )
    assert together[Resource.DISK_IOPS] > 0.5 * together.sum()
    assert alone[Resource.DISK_IOPS] >= 0.95 * together[Resource.DISK_IOPS]


@pytest.mark.parametrize(
    ("few_names", "many_names"),
    [
        (Use(made=10), Use(made=1000)),
        (Use(asked=10), Use(asked=1000)),
        (Use(removed=10), Use(removed=1000)),
        (Use(renamed=10), Use(renamed=1000)),
        (Use(opens=10), Use(opens=1000)),
    ],
)
def test_names_of_which_nothing_is_moved_take_their_time(prior: Prior, few_names: Use, many_names: Use) -> None:
    systems = prior.systems([system("NFS"), system("GlusterFS", 4), system("OrangeFS", 1)])
    few, many = (prior.seconds(OWN, systems, use) for use in (few_names, many_names))
    assert (few > prior.seconds(OWN, systems, Use())).all()
    assert (many > few).all()


def test_one_process_removes_as_many_files_later_than_eight(prior: Prior) -> None:
    systems = prior.systems([system("GlusterFS", 4)])
    one, all_ = (prior.seconds(OWN, systems, Use(removed=192, names_by=by))[0] for by in (1.0, 8.0))
    assert one > all_ + 0.02


def test_names_take_longer_the_more_servers_of_gluster_are_asked_for_them(prior: Prior) -> None:
    """`studies/files.py`: four processes look at a file in 2.0, 2.8 and 4.7 ms on one, two and four servers."""
    systems = prior.systems([system("GlusterFS", servers) for servers in (1, 2, 4)])
    asked = prior.seconds(OWN, systems, Use(asked=1000)) - prior.seconds(OWN, systems, Use())
    assert asked[0] < asked[1] < asked[2] < 2 * asked[0]
    alike = prior.systems([system("OrangeFS", servers, metadata="one") for servers in (1, 4)])
    one, four = prior.seconds(OWN, alike, Use(asked=1000)) - prior.seconds(OWN, alike, Use())
    assert four == pytest.approx(one, rel=0.1)


def test_what_another_node_synced_and_renamed_is_waited_for_on_cephfs(prior: Prior) -> None:
    """`studies/files.py --acts handed`: a lone reader waits about 80 ms for each such file; on NFS nobody does."""
    systems = prior.systems([system("NFS", 1), system("CephFS", 1, consistency="relaxed")])
    every = replace(OWN, operation=Operation.READ)
    lone = replace(every, io_processes=1)
    told, plain = Use(others=True, handed=100), Use(others=True)
    nfs, ceph = prior.seconds(lone, systems, told) - prior.seconds(lone, systems, plain)
    assert nfs == 0.0
    assert ceph == pytest.approx(100 * 0.08 * (1 - 1 / NODES), rel=0.05)  # what does not overlap is dearer
    assert (prior.seconds(every, systems, told) - prior.seconds(every, systems, plain))[1] == pytest.approx(ceph / 8)


@pytest.mark.parametrize("lacks", ["", "syncs", "renames", "written_by_others"])
def test_files_are_handed_on_where_those_who_wrote_them_synced_and_renamed_them(lacks: str) -> None:
    writes = {name: 16.0 for name in ("syncs", "renames") if name != lacks}
    reads: dict[str, float] = {} if lacks == "written_by_others" else {"written_by_others": True}
    job = run((OWN, "a", 16, writes), (replace(OWN, operation=Operation.READ), "a", 16, reads))
    assert uses_of(job)[1].handed == (0 if lacks else 16)


@pytest.mark.parametrize("told", [False, True])
def test_a_log_tells_what_a_run_reads_of_its_own_however_its_files_are_grouped(told: bool) -> None:
    details: dict[str, float] = {"written_before": True} if told else {"opens": 16.0}
    assert uses_of(run((replace(OWN, operation=Operation.READ), "a", 16, details)))[0].own is told


def test_renaming_takes_longest_where_names_are_hashed(prior: Prior) -> None:
    """`studies/files.py --acts renamed`: four processes rename a file in 1.7 ms on NFS, in 6.2 and 14 on GlusterFS."""
    systems = prior.systems([system("NFS"), system("GlusterFS"), system("GlusterFS", 4)])
    nfs, one, four = prior.seconds(OWN, systems, Use(renamed=1000)) - prior.seconds(OWN, systems, Use())
    assert 2 * nfs < one
    assert one < four


def test_a_lone_process_has_its_client_beside_a_part_time_server(prior: Prior) -> None:
    """`nextflow` removes 504 files in one process: 0.7 s, where its client's work had been spread over all nodes."""
    systems = prior.systems([system("GlusterFS", placement=place) for place in ("dedicated", "part-time")])

    def more(named_by: float) -> float:
        use = Use(removed=504, names_by=named_by)
        away, beside = prior.seconds(OWN, systems, use) - prior.seconds(OWN, systems, Use())
        return float(beside - away)

    assert more(1.0) > 3 * more(4.0) > 0
    assert more(4.0) == pytest.approx(more(8.0))  # on all nodes


def test_opening_a_file_again_is_a_round_trip_on_every_file_system(prior: Prior) -> None:
    """`mlflow` opens files 1,200 times to add lines to them: 8.1 s on CephFS, where it was thought to be free."""
    systems = prior.systems([system(name) for name in ("NFS", "GlusterFS", "OrangeFS", "CephFS")])
    once, often = (prior.seconds(OWN, systems, Use(opens=opens)) for opens in (0, 1200))
    assert (often > once + 0.05).all()


def test_opening_a_file_for_each_record_is_more_than_opening_it() -> None:
    """`optuna`: a journal that each of eight processes opens for each line that it reads or adds."""
    write = replace(OWN, shared=True, iterations=4)
    read = replace(write, operation=Operation.READ)
    anew = run((write, "log", 1, {"opens": 504}), (read, "log", 1, {"opens": 504}))
    assert [use.opens for use in uses_of(anew)] == [504 - 2 * 8, 0]
    once = run((write, "log", 1, {"opens": 16}), (read, "log", 1, {"opens": 16}))
    assert [use.opens for use in uses_of(once)] == [0, 0]
    library = run((replace(write, interface=Interface.HDF5), "log", 1, {"opens": 504}))
    assert [use.opens for use in uses_of(library)] == [0]


def test_opening_by_mpi_io_asks_first_on_what_file_system_a_file_is(prior: Prior) -> None:
    """`saturne`, 22 files by 16 processes: 3.1 s on four OrangeFS servers predicted, 5.6 s measured."""
    orange = [system("OrangeFS", 4, stripe_size=64 * KIB, metadata=on) for on in ("one", "all")]
    gluster = [system("GlusterFS"), system("GlusterFS", 4, stripe_size=1 << 40)]
    systems = prior.systems([system("NFS"), *gluster, *orange])
    shared = replace(OWN, shared=True, interface=Interface.MPIIO)
    for operation in Operation:
        asked = replace(shared, operation=operation)
        few, many = (prior.parts(asked, systems, Use(files=10, openers=n))[:, Resource.METADATA] for n in (8, 64))
        assert (many > few).all()
        assert few[4] > few[3]  # where folders are spread over all servers, all are asked
        assert few[2] > few[1]  # and where a name is not where its hash says


def test_a_log_tells_how_many_processes_open_a_file_of_which_some_move_nothing() -> None:
    """Their opens counted as those of files that are opened again, which cost less."""
    few = replace(OWN, shared=True, interface=Interface.MPIIO, processes=16, io_processes=4, iterations=2)

    def told(opens: int, workload: Characteristics = few) -> tuple[int | None, int]:
        (use,) = uses_of(run((workload, "log", 2, {"opens": opens})))
        return use.openers, use.opens

    assert told(32) == (16, 0)
    assert told(8) == (None, 0)
    assert told(64) == (None, 64 - 8)  # more often than there are processes: again
    assert told(32, replace(few, interface=Interface.POSIX)) == (None, 32 - 8)
