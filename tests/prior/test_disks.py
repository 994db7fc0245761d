"""What counting I/Os at the lab's disks showed, and training points beside it: disks, commits, reading ahead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acic.prior import Prior, Use
from acic.prior.calls import moved, pieces, shunned
from acic.prior.demand import demand_of
from acic.prior.designs import OVERREAD
from acic.prior.disks import disk_bytes, disk_requests, syncing
from acic.prior.names import opening
from acic.prior.systems import Systems
from acic.space import Configuration
from acic.units import KIB, MIB
from acic.workloads import Access, Characteristics, Interface, Operation

NODES = 4
READS = Characteristics(
    processes=8,
    io_processes=8,
    interface=Interface.POSIX,
    iterations=4,
    data_size=4 * MIB,
    request_size=MIB,
    operation=Operation.READ,
    collective=False,
    shared=True,
    access=Access.CONSECUTIVE,
)
WRITES = replace(READS, operation=Operation.WRITE)
ONE = np.ones(1)


def on(prior: Prior, file_system: str, **more: str | int) -> Systems:
    values: dict[str, str | int] = {
        "instance_type": "lab.400m",
        "device": "ephemeral",
        "raid_devices": 1,
        "file_system": file_system,
        "servers": 1,
        "placement": "dedicated",
    }
    return prior.systems([Configuration({**values, **more})])


def test_ceph_reads_a_stream_in_blobs_of_64_kib(prior: Prior) -> None:
    """Counted: 391 I/Os for 32 MiB at 250 a second; 17 to 20 MiB/s in training, whatever a request's size."""
    demand = demand_of(READS, NODES)
    ceph, nfs = (disk_requests(demand, on(prior, name), ONE)[0] for name in ("CephFS", "NFS"))
    assert READS.total_bytes / MIB / ceph == pytest.approx(250 * 64 / 1024)
    assert nfs == pytest.approx(ceph / 8)


def test_a_second_disk_does_not_help_what_lies_across_both(prior: Prior) -> None:
    """Counted: one disk 391 I/Os for 32 MiB, each of two disks 310; 1.6 and 1.5 s."""
    demand = demand_of(READS, NODES)
    one, two = (disk_requests(demand, on(prior, "CephFS", raid_devices=n), ONE)[0] for n in (1, 2))
    assert two == pytest.approx(one)


def test_a_second_disk_does_not_help_large_random_reads_either(prior: Prior) -> None:
    """Counted: reads of 256 KiB by eight take each of two disks as many I/Os as one alone; those of 16 KiB do not."""
    large, small = (
        demand_of(replace(READS, access=Access.RANDOM, request_size=size), NODES) for size in (256 * KIB, 4 * KIB)
    )
    for demand, gain in ((large, 1.0), (small, 2.0)):
        one, two = (disk_requests(demand, on(prior, "NFS", raid_devices=n), ONE)[0] for n in (1, 2))
        assert one / two == pytest.approx(gain)


def test_each_part_of_a_file_that_many_wrote_takes_an_io(prior: Prior) -> None:
    """Counted: 48 MiB in parts of 48 KiB take one disk 830 I/Os, each of two 660; in parts of 192 KiB 280 and 440."""
    own = replace(READS, processes=16, io_processes=16, shared=False, data_size=3 * MIB, iterations=1)
    for files, one, two in ((64, 832, 664), (16, 275, 440)):
        demand = demand_of(own, NODES, Use(files=files, writers=16.0))
        for disks, counted in ((1, one), (2, two)):
            ios = 250 * disk_requests(demand, on(prior, "NFS", raid_devices=disks), ONE)[0]
            assert ios == pytest.approx(counted, rel=0.25)


def test_parts_of_a_page_or_more_than_an_io_are_no_smaller(prior: Prior) -> None:
    own = replace(READS, processes=16, io_processes=16, shared=False, data_size=3 * MIB, iterations=1)
    uses = [Use(files=16, writers=w) for w in (1.0, 6.0, 768.0, 3000.0)]
    whole, large, page, less = (disk_requests(demand_of(own, NODES, use), on(prior, "NFS"), ONE)[0] for use in uses)
    assert whole == large
    assert page == less == pytest.approx(48 * MIB / (4 * KIB) / 250)


def test_ceph_reads_its_blobs_whoever_wrote_them(prior: Prior) -> None:
    one, many = (demand_of(READS, NODES, Use(writers=writers)) for writers in (1.0, 64.0))
    ceph = on(prior, "CephFS")
    assert disk_requests(one, ceph, ONE)[0] == disk_requests(many, ceph, ONE)[0]


def test_random_reads_take_an_io_of_each_server_that_has_a_part(prior: Prior) -> None:
    """Counted: `parquet` (400 kB at a time) takes each of four OrangeFS servers 200 I/Os, which was 40 before."""
    demand = demand_of(replace(READS, access=Access.RANDOM, request_size=256 * KIB), NODES)
    one, four = (on(prior, "OrangeFS", servers=n, stripe_size=64 * KIB, metadata="one") for n in (1, 4))
    alone, each = disk_requests(demand, one, ONE)[0], disk_requests(demand, four, ONE / 4)[0]
    assert each == pytest.approx(alone)


def test_one_who_syncs_waits_for_all_the_io_and_many_share_it(prior: Prior) -> None:
    """Counted: 20 I/Os for a sync of CephFS alone, 5 each of eight; 4 and 3 on file systems below which xfs is."""
    alone, many = (demand_of(replace(WRITES, processes=n, io_processes=n, shared=False), NODES) for n in (1, 64))
    for name, one, each in (("CephFS", 20, 5), ("GlusterFS", 3, 3)):
        system = on(prior, name)
        assert syncing(alone, system)[0] == pytest.approx(one / 250, rel=0.05)
        assert syncing(many, system)[0] == pytest.approx(64 * each / 250)


def test_a_pause_saves_up_what_a_disk_does_in_a_tenth_of_a_second(prior: Prior) -> None:
    """Measured: 4 writes 17 ms after the last ones take 11 ms at 250 a second, 5 ms after 60 ms, 1 ms after 0.1 s."""
    each = replace(WRITES, processes=1, io_processes=1, shared=False, iterations=60)
    system = on(prior, "GlusterFS")
    uses = (Use(syncs=60, pauses=59, pause=pause) for pause in (0.0, 0.004, 0.1, 9.0))
    at_once, short, long, longer = (syncing(demand_of(each, NODES, use), system)[0] for use in uses)
    assert at_once == pytest.approx(60 * 3 / 250, rel=0.05)
    assert at_once - short == pytest.approx(59 * 0.004)
    assert longer == long < 0.01 * at_once + 60 * 2e-4  # round trips are left


def test_what_joins_disks_saves_up_nothing_in_a_pause(prior: Prior) -> None:
    """A file that all sync often takes as long on two EBS volumes, which btrfs joins, however long the pauses are."""
    all_sync = replace(WRITES, processes=8, io_processes=8, iterations=25)
    system = on(prior, "NFS", raid_devices=2, device="EBS")
    at_once, long = (
        syncing(demand_of(all_sync, NODES, Use(syncs=200, pauses=24, pause=pause)), system)[0] for pause in (0.0, 1.0)
    )
    assert long == at_once == pytest.approx(200 / system.syncs[0])


@pytest.mark.parametrize(
    ("file_system", "piece", "stride", "disks", "networks"),
    [
        ("NFS", 64, 256, 4.0, 1.0),
        ("NFS", 256, 512, 2.0, 2.0),
        ("GlusterFS", 64, 256, 4.0, 2.0),
        ("GlusterFS", 256, 512, 2.0, 3.0),
        ("CephFS", 64, 256, 1.0, 1.0),
        ("CephFS", 256, 512, 2.0, 2.0),
        ("OrangeFS", 64, 256, 2.0, 1.0),
        ("OrangeFS", 256, 512, 2.0, 1.0),
    ],
)
def test_what_lies_between_pieces_of_an_own_file_is_read_too(
    prior: Prior, file_system: str, piece: int, stride: int, disks: float, networks: float
) -> None:
    """Counted in this order: disks 4.0, 2.0, 2.9, 2.0, 1.1, 1.9, 1.7, 2.0; networks 1.7 and 1.5 on NFS."""
    gaps = replace(READS, shared=False, access=Access.STRIDED, request_size=piece * KIB)
    system = on(prior, file_system, device="EBS")
    demand, stream = (demand_of(gaps, NODES, Use(over=over)) for over in (piece / stride, 1.0))
    assert disk_bytes(demand, system, ONE)[0] == pytest.approx(disks * disk_bytes(stream, system, ONE)[0])
    assert moved(demand, system)[0] == pytest.approx(networks * READS.total_bytes)


def test_small_pieces_with_gaps_are_read_one_by_one_where_clients_do_not_read_far_ahead(prior: Prior) -> None:
    """Counted, for each MiB wanted: GlusterFS 11 I/Os, OrangeFS 14, NFS 5."""
    gaps = replace(READS, shared=False, access=Access.STRIDED, request_size=64 * KIB)
    demand = demand_of(gaps, NODES, Use(over=0.25))
    wanted = READS.total_bytes / MIB
    for name, each in (("GlusterFS", 16), ("OrangeFS", 16), ("NFS", 8)):
        assert disk_requests(demand, on(prior, name), ONE)[0] == pytest.approx(each * wanted / 250)


@pytest.mark.parametrize(("file_system", "gain"), [("NFS", 2.0), ("CephFS", 1.0)])
def test_syncs_of_many_files_share_disks_where_they_do_not_wait_for_one_journal(
    prior: Prior, file_system: str, gain: float
) -> None:
    demand = demand_of(replace(WRITES, shared=False, processes=64, io_processes=64), NODES)
    one, two = (syncing(demand, on(prior, file_system, raid_devices=n))[0] for n in (1, 2))
    assert one / two == pytest.approx(gain)


def test_a_write_that_waits_for_the_disk_is_no_faster_on_two(prior: Prior) -> None:
    """Training: strict NFS, 16 to 19 ms a write on two ephemeral disks, 12 on one: btrfs mirrors its journal."""
    demand = demand_of(replace(WRITES, request_size=16 * KIB), NODES)
    one, two = (disk_requests(demand, on(prior, "NFS", consistency="strict", raid_devices=n), ONE)[0] for n in (1, 2))
    assert two == pytest.approx(one)


@pytest.mark.parametrize(("whole", "within", "more"), [(8192, 9608, 2.0), (4096, 3000, 1.73), (4096, 1000, 1.24)])
def test_a_lasting_write_that_begins_within_a_page_is_two(prior: Prior, whole: int, within: int, more: float) -> None:
    """Counted: eight processes of strict NFS write 8 KiB in 3.1 I/Os, 9608 B in 6.4, 3000 in 5.1 and 1000 in 3.6."""
    strict = on(prior, "NFS", consistency="strict")
    for file_system in (strict, on(prior, "NFS", consistency="relaxed")):
        asked = [replace(WRITES, request_size=size, data_size=100 * size) for size in (whole, within)]
        one, other = (pieces(demand_of(w, NODES), file_system)[0] for w in asked)
        assert other / one == pytest.approx(more if file_system is strict else 1.0, abs=0.01)


def test_the_first_write_of_a_file_begins_where_a_page_does(prior: Prior) -> None:
    """Counted: files that are written at once take no more I/Os for it, whatever their size (`copytree`)."""
    own = replace(WRITES, shared=False, request_size=150_000, data_size=150_000)
    strict = on(prior, "NFS", consistency="strict")
    once, all_of_one = (pieces(demand_of(own, NODES, Use(files=files)), strict)[0] for files in (32, 8))
    assert once == 32
    assert all_of_one == pytest.approx(32 + 24, rel=0.02)


def test_parts_that_were_written_one_by_one_and_begin_within_a_page_lie_in_two_places(prior: Prior) -> None:
    """Counted: 27,500 B of each of 16 processes take strict NFS 1.36 I/Os each, 24 KiB 0.89; relaxed 0.88 and 0.80."""
    found = []
    for size in (28 * KIB, 27_500):
        own = replace(READS, shared=False, data_size=size, request_size=size, iterations=2)
        demand = demand_of(own, NODES, Use(files=1, writers=16.0))
        strict, relaxed = (
            disk_requests(demand, on(prior, "NFS", consistency=one), ONE)[0] * 250 / 16 for one in ("strict", "relaxed")
        )
        assert relaxed == pytest.approx(1.0, rel=0.01)
        found.append(strict)
    assert found == [pytest.approx(1.0), pytest.approx(1.5, abs=0.01)]


def test_clients_of_ceph_cache_for_the_processes_of_their_node(prior: Prior) -> None:
    """Training: two processes of one node wrote 8 MiB in 0.4 s where 6 had been predicted, of two nodes in 3."""
    strict = on(prior, "CephFS", consistency="strict")
    together, apart = (demand_of(replace(WRITES, processes=n, io_processes=2), NODES) for n in (16, 4))
    assert not shunned(together, strict).any()
    assert shunned(apart, strict).all()


def test_what_ceph_may_not_cache_goes_in_pieces_through_one_journal(prior: Prior) -> None:
    """Training and FLASH-IO: as long on four servers as on one, and 1 MiB as long as eight of 128 KiB."""
    large, small = (demand_of(replace(WRITES, request_size=size), NODES) for size in (MIB, 128 * KIB))
    one, four = (on(prior, "CephFS", consistency="strict", servers=n, stripe_size=4 * MIB) for n in (1, 4))
    took = [disk_requests(demand, where, ONE)[0] for demand, where in ((large, one), (small, one), (large, four))]
    assert took == [pytest.approx(took[0])] * 3


def test_ceph_commits_each_object_and_each_client_s_part_of_it(prior: Prior) -> None:
    demand = demand_of(replace(WRITES, data_size=16 * MIB), NODES)
    parts = demand_of(replace(WRITES, data_size=MIB, iterations=64), NODES)
    whole, cut = (disk_requests(one, on(prior, "CephFS"), ONE)[0] for one in (demand, parts))
    objects = demand.total / (4 * MIB)
    assert cut - whole == pytest.approx((NODES - 1) * objects * 5 / 250)


@pytest.mark.parametrize(("file_system", "more"), [("GlusterFS", 1.125), ("OrangeFS", 1.0)])
def test_what_is_read_ahead_beyond_a_part_is_another_s(prior: Prior, file_system: str, more: float) -> None:
    """Training: parts of 256 KiB on four nodes took 3 times as long on NFS, requests of 1 MiB apart 1.5 times."""
    where = on(prior, file_system)
    assert moved(demand_of(READS, NODES), where)[0] == pytest.approx(more * READS.total_bytes)
    apart = replace(READS, access=Access.STRIDED, request_size=MIB)
    assert moved(demand_of(apart, NODES), where)[0] == pytest.approx((1 + 4 * (more - 1)) * READS.total_bytes)


def test_nobody_reads_more_than_the_whole_file_or_waits_for_it_while_it_computes(prior: Prior) -> None:
    where = on(prior, "GlusterFS")
    tiny = replace(READS, data_size=OVERREAD // 64, request_size=4 * KIB)
    assert moved(demand_of(tiny, NODES), where)[0] == NODES * tiny.total_bytes
    for alone in (
        demand_of(replace(tiny, shared=False), NODES),
        demand_of(replace(tiny, processes=32), NODES),
        demand_of(tiny, NODES, Use(syncs=0, pauses=3, pause=0.1)),
    ):
        assert moved(alone, where)[0] == alone.total


def test_opening_is_cheaper_than_making(prior: Prior) -> None:
    """Measured with eight processes, ms a file: NFS 0.2 and 0.4, OrangeFS 1.7 and 2.7."""
    own = replace(READS, shared=False)
    for name in ("NFS", "GlusterFS", "CephFS", "OrangeFS"):
        where = on(prior, name)
        read, made = (opening(demand_of(replace(own, operation=o), NODES), where)[0] for o in Operation)
        assert read < made
