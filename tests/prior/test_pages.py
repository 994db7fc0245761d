"""What counting bytes and I/Os of reads showed (studies/ahead.py, studies/inputs.py): pages, jumps, passes, chunks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acic.prior import Prior, Use, uses_of
from acic.prior.calls import holes, moved
from acic.prior.demand import Demand, demand_of
from acic.prior.disks import disk_requests
from acic.prior.resources import Resource
from acic.prior.roofline import parts
from acic.units import KIB, MIB
from acic.workloads import Access, Interface, Operation, Phase, Workload
from tests.prior.test_disks import NODES, ONE, READS, on

OWN = replace(READS, shared=False, processes=4, io_processes=4, iterations=1, data_size=6 * MIB)


def own(request: int, **more: int | float | bool) -> Demand:
    """Return what four processes ask for that read what they wrote by `request` B, and closed."""
    return demand_of(OWN, NODES, Use(**{"own": True, "reopened": True, "laid": request, **more}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_size", "sent"),
    [
        *((4096, 0.02), (32_768, 0.0), (131_072, 0.0)),
        *((3000, 1.02), (5000, 6.44), (6000, 10.53), (8000, 15.62), (12_000, 10.83), (16_000, 7.94), (30_000, 4.36)),
        *((60_000, 2.21), (100_000, 1.32), (200_000, 0.65), (400_000, 0.33), (1_000_000, 0.13)),
    ],
)
def test_gluster_reads_again_the_pages_in_which_a_node_s_writes_meet(
    prior: Prior, request_size: int, sent: float
) -> None:
    """Counted: B that its server sent for each B of a file that a process reads, and has written and closed."""
    assert holes(own(request_size), on(prior, "GlusterFS"))[0] == pytest.approx(sent, rel=0.12, abs=0.03)


def test_a_hole_is_no_larger_than_its_file(prior: Prior) -> None:
    """Of 208 files of 6,288 B each takes its last page again, not 128 KiB."""
    small = own(6288, files=4096)
    assert holes(small, on(prior, "GlusterFS"))[0] <= 1.0


@pytest.mark.parametrize(("name", "share"), [("GlusterFS", 0.0), ("CephFS", 0.0), ("NFS", 1.0), ("OrangeFS", 1.0)])
def test_who_keeps_what_a_process_wrote_when_it_opens_its_files_again(prior: Prior, name: str, share: float) -> None:
    """Counted: GlusterFS and CephFS send 0.00 of it, NFS 1.00 and OrangeFS 0.99."""
    for files in (4, 16):
        system, demand = on(prior, name, device="EBS"), own(32_768, files=files)
        asked = demand_of(OWN, NODES, Use(files=files))
        sent, all_of_it = (parts(one, system)[0, Resource.CLIENT_NETWORK] for one in (demand, asked))
        assert sent == pytest.approx(share * all_of_it, rel=0.05, abs=1e-3)


def test_nobody_keeps_what_others_wrote_or_what_all_share(prior: Prior) -> None:
    """Counted: GlusterFS sends all of it (1.01 to 1.15)."""
    system, asked = on(prior, "GlusterFS"), demand_of(OWN, NODES, Use())
    network = parts(asked, system)[0, Resource.CLIENT_NETWORK]
    others = own(32_768, others=True)
    assert parts(others, system)[0, Resource.CLIENT_NETWORK] == pytest.approx(network, rel=0.05)
    shared = demand_of(replace(OWN, shared=True), NODES, Use(own=True, reopened=True, laid=32_768))
    assert parts(shared, system)[0, Resource.CLIENT_NETWORK] >= 0.9 * network


def test_what_wrote_a_file_is_told_of_who_reads_it() -> None:
    """The C library writes whole buffers, whatever it is asked for."""
    for interface, laid in ((Interface.POSIX, 30_000), (Interface.STDIO, 4096)):
        written = replace(OWN, operation=Operation.WRITE, interface=interface, request_size=30_000)
        both = (written, replace(written, operation=Operation.READ))
        phases = tuple(
            Phase(characteristics=one, quality={}, files=4, bytes=one.total_bytes, example="x", details={"opens": 8})
            for one in both
        )
        told = uses_of(Workload(name="x", processes=4, phases=phases, source=""))
        assert [use.laid for use in told] == [0, laid]


@pytest.mark.parametrize(
    ("stretch", "sent"), [(16_000, 9.25), (40_000, 4.8), (57_600, 3.71), (100_000, 2.33), (57_600, 4.0)]
)
def test_gluster_reads_whole_pages_wherever_a_process_goes_on(prior: Prior, stretch: int, sent: float) -> None:
    """Counted, of files of 2 and of 24 MiB that a process reads by pieces of one to four requests."""
    jumps = OWN.total_bytes // stretch - 4
    demand = demand_of(replace(OWN, request_size=stretch), NODES, Use(jumps=jumps))
    gluster, nfs = (moved(demand, on(prior, name))[0] / OWN.total_bytes for name in ("GlusterFS", "NFS"))
    assert gluster == pytest.approx(sent, rel=0.2)
    assert nfs == pytest.approx(1.0)


def test_no_more_is_read_than_what_is_left_of_a_file(prior: Prior) -> None:
    """`dials` reads images of 220 kB in pieces."""
    files, jumps = 110, 300
    demand = demand_of(OWN, NODES, Use(jumps=jumps, files=files))
    left = 1.0 + (jumps + files) / files  # each time that a process begins anywhere, the whole file
    assert 1.0 < moved(demand, on(prior, "GlusterFS"))[0] / OWN.total_bytes <= left


def test_disks_are_at_work_in_the_first_pass_over_what_is_read(prior: Prior) -> None:
    """Five passes without a cache take the first one's time from disks, and four times the network's.

    `dials` without its computing, eight parts of 27,500 B in each of 96 files: 1.7 s from EBS and 3.3 s from ephemeral
    disks, which need 1.5 s alone.
    """
    reads = replace(READS, iterations=5, data_size=MIB)
    asked = {"reopened": True, "writers": 38.0}
    five, one = (
        parts(demand_of(replace(reads, iterations=n), NODES, Use(over=float(n), **asked)), on(prior, "NFS"))  # type: ignore[arg-type]
        for n in (5, 1)
    )
    disks = [Resource.DISK_IOPS, Resource.DISK_BANDWIDTH]
    assert five[0, disks].sum() == pytest.approx(one[0, disks].sum(), rel=0.05)
    assert five.sum() > one.sum() + 3.0 * 8 * MIB / 50e6


def test_random_reads_that_begin_where_chunks_do_take_one_io(prior: Prior) -> None:
    """Counted: `lookup`, 768 reads of 64 KiB, takes one disk 785 I/Os and each of two 419."""
    demand = demand_of(replace(READS, access=Access.RANDOM, request_size=64 * KIB), NODES)
    one, two = (disk_requests(demand, on(prior, "NFS", raid_devices=n), ONE)[0] for n in (1, 2))
    assert one / two == pytest.approx(2.0)


@pytest.mark.parametrize("file_system", ["NFS", "GlusterFS"])
def test_two_disks_read_what_is_no_stream_chunk_by_chunk(prior: Prior, file_system: str) -> None:
    """Counted: `seismic` reads 70.8 MB piece by piece, 116 I/Os of one disk, 450 of each of two; `psana` 230, 408."""
    pieces = replace(READS, access=Access.STRIDED, request_size=24 * KIB)
    demand = demand_of(pieces, NODES, Use(jumps=pieces.total_bytes // (24 * KIB)))
    one, two = (disk_requests(demand, on(prior, file_system, raid_devices=n), ONE)[0] for n in (1, 2))
    assert one == pytest.approx(pieces.total_bytes / (512 * KIB) / 250)
    assert two == pytest.approx(pieces.total_bytes / (64 * KIB) / 2 / 250)


def test_who_skips_parts_of_a_file_that_he_has_for_himself_takes_an_io_for_each(prior: Prior) -> None:
    """Counted: `nnunet`, 1,920 pieces of 16 files, takes NFS 1,112 I/Os and OrangeFS 1,540; a stream 236."""
    pieces = replace(READS, io_processes=4, processes=4, iterations=12, access=Access.STRIDED, request_size=60 * KIB)
    alone, together = (demand_of(pieces, NODES, Use(files=files, over=1.0)) for files in (16, 2))
    number = pieces.io_processes * 12 * np.ceil(pieces.data_size / (60 * KIB))
    assert alone.skips
    assert not together.skips
    for name, share in (("NFS", 0.5), ("OrangeFS", 1.0)):
        found = 250 * disk_requests(alone, on(prior, name), ONE)[0]
        assert found == pytest.approx(share * number, rel=0.05)
