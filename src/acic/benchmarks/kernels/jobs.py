"""Applications for a test: a folder copied, a log looked through, variants called."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB


def copytree(scale: str, *, ranks: int, files: int, size: int) -> Kernel:
    """A folder copied by one process, file by file, while the others of the job wait."""
    writer = Writer(ranks)
    for number in range(files):
        writer.get(f"from.{number}", 1, size, ranks=0)
        writer.put(f"to.{number}", 1, size, ranks=0)
    writer.barrier()
    return Kernel(
        name="copytree",
        scale=scale,
        title="a folder copied by one process, file by file",
        source="cp -r and rsync in job scripts that stage a case in or out",
        changed=f"{files} files of {size // 1000} kB; attributes are not copied.",
        run=writer.script,
        prepares=prepared(ranks, [(f"from.{number}", size) for number in range(files)]),
        results=tuple(f"to.{number}" for number in range(files)),
    )


def scan(scale: str, *, ranks: int, blocks: int, calls: int, compute: float) -> Kernel:
    """Looking through a log: each process has a part of a large file, reads it block by block, and counts."""
    request = 250_000
    block = calls * request
    part = blocks * block
    writer = Writer(ranks)
    writer.open("log", "access.log", write=False)
    for number in range(blocks):
        for rank in range(ranks):
            writer.read("log", rank * part + number * block, request, count=calls, ranks=rank)
        writer.compute(compute)
    writer.close("log")
    for rank in range(ranks):
        writer.put(f"count.{rank}", 1, 10_000, ranks=rank)
    return Kernel(
        name="scan",
        scale=scale,
        title="looking through a log: a part of one large file for each process, block by block",
        source="grep and awk under GNU parallel or MPI, pandas in chunks",
        changed=f"{blocks} blocks of {block // 1000} kB for each process; counts are small files.",
        run=writer.script,
        prepares=prepared(ranks, [("access.log", ranks * part)]),
        results=tuple(f"count.{rank}" for rank in range(ranks)),
    )


def variants(scale: str, *, ranks: int, regions: int, region: int, calls: int, compute: float) -> Kernel:
    """Calling variants: regions of one file of alignments read and worked on, calls of each written, merged by one."""
    request = 64 * KIB
    writer = Writer(ranks)
    writer.open("bam", "sample.bam", write=False)
    for number in range(regions):
        for rank in range(ranks):
            first = (rank * regions + number) * region
            writer.read("bam", first, request, count=region // request, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"calls.{rank}.{number}.vcf", 1, calls, ranks=rank)
    writer.close("bam")
    writer.barrier()
    for rank in range(ranks):
        writer.get(f"calls.{rank}.#.vcf", regions, calls, ranks=0)
    writer.put("merged.vcf", 1, ranks * regions * calls, ranks=0)
    writer.barrier()
    for rank in range(ranks):
        for number in range(regions):
            writer.unlink(f"calls.{rank}.{number}.vcf", ranks=rank)
    return Kernel(
        name="variants",
        scale=scale,
        title="calling variants: regions of a file read and worked on by each process, calls merged by one",
        source="GATK's HaplotypeCaller and bcftools by intervals, then MergeVcfs",
        changed=f"{regions} regions of {region // KIB} KiB, {calls // 1000} kB of calls for each.",
        run=writer.script,
        prepares=prepared(ranks, [("sample.bam", ranks * regions * region)]),
        results=("merged.vcf",),
    )
