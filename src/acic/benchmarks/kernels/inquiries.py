"""Applications for a test: pulsars, a database of columns and a crystal."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import MIB

_SPECTRA, _FLOAT = 2_400, 4  # of a block that PRESTO reads of a filterbank file; B
_MASKS = {"mask": 24_000, "stats": 180_000, "rfi": 16_000, "inf": 1_300}  # what rfifind writes, B
_WIDE = {"WatchID": 14, "EventTime": 5, "UserID": 11, "URL": 29, "Referer": 21, "Title": 12}  # of a table, in percent
_SHARES = _WIDE | {"RegionID": 2, "OS": 1, "Width": 2, "Duration": 3}
_QUERIES = (("EventTime", "URL"), ("UserID", "Title"), ("Referer", "Duration"))
_KEYS = {"primary.cidx": 900, "minmax_EventTime.idx": 8, "partition.dat": 4, "checksums.txt": 700}  # B
_TEXTS = {"columns.txt": 260, "count.txt": 6, "default_compression_codec.txt": 10, "serialization.json": 420}  # B
_PART = _KEYS | _TEXTS  # what stands beside the data of a part


def presto(scale: str, *, ranks: int, channels: int, rounds: int, blocks: int, each: int, compute: float) -> Kernel:
    """Pulsars: one reads a beam for all, the others append to a series of each delay, turn them and search in them."""
    block, piece = _SPECTRA * channels, blocks * _SPECTRA * _FLOAT
    mine = [(rank, f"DM{(rank - 1) * each + number}") for rank, number in product(range(1, ranks), range(each))]
    writer = Writer(ranks)
    writer.open("f", "beam.fil", ranks=0, write=False)
    for turn in range(rounds):
        writer.read("f", turn * blocks * block, block, count=blocks, ranks=0)
        writer.compute(compute)
    writer.close("f", ranks=0)
    for name, size in _MASKS.items():
        writer.write_file("m", f"beam_rfifind.{name}", size, ranks=0)
    writer.barrier()
    writer.read_file("m", "beam_rfifind.mask", _MASKS["mask"])
    writer.open("f", "beam.fil", ranks=0, write=False)
    for rank, name in mine:
        writer.open(name, f"{name}.dat", ranks=rank, write=True)
    for turn in range(rounds):
        writer.read("f", turn * blocks * block, block, count=blocks, ranks=0)
        writer.barrier()  # all get it
        writer.compute(compute, ranks=0)
        for rank, name in mine:
            writer.compute(round(compute / each, 9), ranks=rank)
            writer.write(name, turn * piece, piece, ranks=rank)
    writer.close("f", ranks=0)
    for rank, name in mine:
        writer.close(name, ranks=rank)
        writer.put(f"{name}.inf", 1, 1_200, ranks=rank)
    _search(writer, mine, rounds, piece, compute)
    writer.compute(2 * each * compute, ranks=0)  # it waits
    writer.barrier()
    for _, name in mine:
        writer.get(f"{name}_ACCEL_200", 1, 9_000, ranks=0)
    writer.put("cands.txt", 1, 7_000, ranks=0)
    kept = [f"{name}{end}" for (_, name), end in product(mine, (".inf", ".fft", "_ACCEL_200.cand", "_ACCEL_200"))]
    return Kernel(
        name="presto",
        scale=scale,
        title="pulsars: a beam read twice by one and told to all, series appended by delay, transformed, searched",
        source="PRESTO: rfifind, mpiprepsubband with a reader that broadcasts, realfft -del, accelsearch, ACCEL_sift",
        changed=f"{channels} channels, {len(mine)} delays, {rounds * blocks} blocks; .fft shorter, not mapped.",
        run=writer.script,
        prepares=prepared(ranks, [("beam.fil", rounds * blocks * block)]),
        results=(*(f"beam_rfifind.{name}" for name in _MASKS), *kept, "cands.txt"),
    )


def _search(writer: Writer, mine: list[tuple[int, str]], rounds: int, piece: int, compute: float) -> None:
    """Have ranks transform each of their series, and then search in it."""
    part = piece - 400  # so that they are told apart
    for rank, name in mine:
        writer.read_file("d", f"{name}.dat", rounds * piece, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file("t", f"{name}.fft", rounds * part, ranks=rank)
        writer.unlink(f"{name}.dat", ranks=rank)
    for rank, name in mine:
        writer.get(f"{name}.inf", 1, 1_200, ranks=rank)
        writer.read_file("t", f"{name}.fft", part, count=rounds, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.put(f"{name}_ACCEL_200.cand", 1, 3_500, ranks=rank)
        writer.put(f"{name}_ACCEL_200", 1, 9_000, ranks=rank)


def clickhouse(scale: str, *, ranks: int, inserts: int, part: int, compute: float) -> Kernel:
    """A database of columns: each server writes parts of what is inserted, merges them to a wide one and asks it."""
    parts, made = [f"all_{number}_{number}_0" for number in range(inserts)], f"all_0_{inserts - 1}_1"
    sizes = {name: inserts * part * share // 100 for name, share in _SHARES.items()}
    writer = Writer(ranks)
    for name, rank in product(parts, range(ranks)):
        writer.compute(compute, ranks=rank)
        writer.open("p", f"{rank}.{name}.data.bin", ranks=rank, write=True)
        _buffers(writer, "p", part, rank, write=True)
        for end, size in {"data.cmrk3": 2_600, **_PART}.items():
            writer.put(f"{rank}.{name}.{end}", 1, size, ranks=rank)
    for rank in range(ranks):
        _merge(writer, rank, parts, part, made, sizes, compute)
    writer.barrier()
    for query in _QUERIES:  # of all servers, and what they find is put together
        for name, rank in product(query, range(ranks)):
            writer.get(f"{rank}.{made}.{name}.cmrk2", 1, 1_800, ranks=rank)
            writer.open("c", f"{rank}.{made}.{name}.bin", ranks=rank, write=False)
            _buffers(writer, "c", sizes[name], rank, write=False)
            writer.compute(round(compute / 2, 9), ranks=rank)
        writer.barrier()
    for rank, name, end in product(range(ranks), parts, ("data.bin", "data.cmrk3", *_PART)):
        writer.unlink(f"{rank}.{name}.{end}", ranks=rank)
    ends = (*(f"{name}.{end}" for name, end in product(sizes, ("bin", "cmrk2"))), *_PART)
    return Kernel(
        name="clickhouse",
        scale=scale,
        title="a database: compact parts of each server, merged to a file for each column, some of which are asked",
        source="ClickHouse's MergeTree: compact parts of inserts, a horizontal merge to a wide one, no fsync, marks",
        changed=f"{inserts} inserts of {part / 1e6:.3g} MB, {len(sizes)} columns, a merge; no renaming.",
        run=writer.script,
        results=tuple(f"{rank}.{made}.{end}" for rank, end in product(range(ranks), ends)),
    )


def _buffers(writer: Writer, name: str, size: int, rank: int, *, write: bool) -> None:
    """Have a rank move a file that it opened, by the MiB, and close it."""
    move = writer.write if write else writer.read
    if size >= MIB:
        move(name, 0, MIB, count=size // MIB, ranks=rank)
    move(name, size // MIB * MIB, size % MIB, ranks=rank)
    writer.close(name, ranks=rank)


def _merge(
    writer: Writer, rank: int, parts: list[str], part: int, made: str, sizes: dict[str, int], compute: float
) -> None:
    """Have a server read its parts side by side, in two turns, and write a file of each column."""
    for name in parts:
        writer.get(f"{rank}.{name}.data.cmrk3", 1, 2_600, ranks=rank)
        writer.open(name, f"{rank}.{name}.data.bin", ranks=rank, write=False)
    for turn, name in product(range(2), parts):
        writer.read(name, turn * part // 2, part // 2, ranks=rank)
        writer.compute(round(compute / 4, 9), ranks=rank)
    for name in parts:
        writer.close(name, ranks=rank)
    for name, size in sizes.items():
        writer.open("c", f"{rank}.{made}.{name}.bin", ranks=rank, write=True)
        _buffers(writer, "c", size, rank, write=True)
        writer.put(f"{rank}.{made}.{name}.cmrk2", 1, 1_800, ranks=rank)
    for end, size in _PART.items():
        writer.put(f"{rank}.{made}.{end}", 1, 3 * size, ranks=rank)


def dials(scale: str, *, ranks: int, each: int, image: int, compute: float) -> Kernel:
    """A crystal: pictures read whole by all for spots and, in overlapping blocks, twice more; tables by one."""
    images, spots, models = ranks * each, each * 11_000, 90_000
    steps = {"strong": (each, spots), "profiles": (2 * each, 60_000), "integrated": (2 * each, 360_000)}
    expt = {name: models + 7_000 * n for n, name in enumerate(("imported", "indexed", "refined", "integrated"))}
    writer = Writer(ranks)
    writer.stat("#.cbf", images, ranks=0)
    writer.put("imported.expt", 1, expt["imported"], ranks=0)
    writer.barrier()
    for step, (block, found) in steps.items():
        before = "imported" if step == "strong" else "refined"
        for rank in range(ranks):
            writer.get(f"{before}.expt", 1, expt[before], ranks=rank)
            for number in range(rank * each, rank * each + block):
                writer.read_file("i", f"{number % images}.cbf", image, ranks=rank)
                writer.compute(compute, ranks=rank)
            writer.put(f"{step}.{rank}.result", 1, found, ranks=rank)
        writer.barrier()
        writer.get(f"{step}.#.result", ranks, found, ranks=0)
        writer.unlink(f"{step}.#.result", ranks, ranks=0)
        if step == "strong":
            writer.write_file("r", "strong.refl", ranks * spots, ranks=0)
            for old, new in (("strong", "indexed"), ("indexed", "refined")):
                writer.read_file("r", f"{old}.refl", ranks * spots, ranks=0)
                writer.put(f"{new}.expt", 1, expt[new], ranks=0)
                writer.write_file("r", f"{new}.refl", ranks * spots, ranks=0)
            writer.read_file("r", "refined.refl", ranks * spots, ranks=0)
            writer.barrier()
    writer.put("integrated.expt", 1, expt["integrated"], ranks=0)
    writer.write_file("r", "integrated.refl", ranks * 360_000, ranks=0)
    made = ("strong.refl", *(f"{name}.expt" for name in expt), *(f"{name}.refl" for name in (*expt,)[1:]))
    return Kernel(
        name="dials",
        scale=scale,
        title="a crystal: pictures read whole by all, and twice in blocks that overlap, tables by one",
        source="DIALS: import, find_spots, index, refine, integrate in blocks that overlap by half, jobs' result files",
        changed=f"{images} pictures of {image // 1000} kB; the last block wraps; no heads, no scaling.",
        run=writer.script,
        prepares=prepared(ranks, [(f"{number}.cbf", image) for number in range(images)]),
        results=made,
    )
