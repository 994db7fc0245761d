"""Applications for a test: proteins, ground that moves, brains, settings of a network and families of proteins."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB


def diamond(scale: str, *, ranks: int, chunks: int, blocks: int, calls: int, turns: int, compute: float) -> Kernel:
    """Proteins: blocks of a database taken by each from a list, hits in a file of each, which one process joins."""
    buffer, part, piece, printed, line = 400_000, 480_000, 90_000, 150_000, 60
    block, every = calls * buffer, ranks * blocks
    writer = Writer(ranks)
    writer.open("q", "query.faa", write=False)
    writer.open("db", "nr.dmnd", write=False)
    for chunk in range(chunks):
        writer.open("d", f"done.{chunk}", write=True)
        writer.read("q", chunk * part, part)
        for number in range(every):
            rank = number % ranks
            writer.get(f"todo.{chunk}", 1, every * line, ranks=rank)
            writer.read("db", number * block, buffer, count=calls, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write_file(f"h{rank}", f"hits.{chunk}.{number}", piece, count=turns, ranks=rank)
            writer.write("d", number * line, line, ranks=rank)
        writer.close("d")
        writer.barrier()
        _join(writer, chunk, chunk * ranks // chunks + 1, every, turns, piece, printed)
    writer.close("q")
    writer.close("db")
    inputs = {f"todo.{n}": every * line for n in range(chunks)} | {"query.faa": chunks * part, "nr.dmnd": every * block}
    return Kernel(
        name="diamond",
        scale=scale,
        title="proteins: blocks of a database from a list for all, hits in files of each, which one joins and removes",
        source="DIAMOND's --multiprocessing in --parallel-tmpdir: align_todo, align_done, ref_block files, join_blocks",
        changed=f"{chunks} parts of a query, {every} blocks of {block / 1e6:g} MB; lists are not cut, nor locked.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(f"nr.out_{chunk}" for chunk in range(chunks)),
    )


def _join(writer: Writer, chunk: int, rank: int, files: int, turns: int, piece: int, printed: int) -> None:
    """Have a process read all hits of a part of the query side by side, write them as text, and remove them."""
    for number in range(files):
        writer.open(f"j{number}", f"hits.{chunk}.{number}", ranks=rank, write=False)
    writer.open("o", f"nr.out_{chunk}", ranks=rank, write=True)
    for turn in range(turns):
        for number in range(files):
            writer.read(f"j{number}", turn * piece, piece, ranks=rank)
        writer.write("o", turn * 4 * printed, printed, count=4, ranks=rank)
    writer.close("o", ranks=rank)
    for number in range(files):
        writer.close(f"j{number}", ranks=rank)
    writer.unlink(f"hits.{chunk}.#", files, ranks=rank)
    writer.unlink(f"done.{chunk}", ranks=rank)


def mintpy(scale: str, *, pairs: int, dates: int, rows: int, boxes: int, compute: float) -> Kernel:
    """Ground that moves: pairs of pictures stacked by process 0, columns for each worker, results by process 0."""
    ranks, width, number, deep, high, wide = 4, 480, 4, 2, 30, 120  # number: B; deep to wide: a chunk of h5py's
    chunk, across, plane = deep * high * wide * number, width // wide, rows * width * number
    lines, layer, stacked = rows // high // boxes, rows // high * across, pairs // deep  # layer: of `deep` pictures
    kinds, near = {"unw": 2 * plane, "cor": plane}, 2  # near: chunks that a third of the columns lies in
    series, one = dates // deep * layer // boxes, round(boxes * compute / (2 * pairs), 9)
    writer = Writer(ranks)
    writer.open("s", "ifgramStack.h5", ranks=0, write=True)
    for part, kind in enumerate(kinds):
        for pair in range(pairs):
            writer.get(f"{pair}.{kind}", 1, kinds[kind], ranks=0)
            writer.compute(one, ranks=0)
            if pair % deep == deep - 1:
                writer.write("s", (part * stacked + pair // deep) * layer * chunk, chunk, count=layer, ranks=0)
    writer.close("s", ranks=0)
    writer.barrier()
    writer.open("t", "timeseries.h5", ranks=0, write=True)
    for box in range(boxes):
        writer.open("s", "ifgramStack.h5", ranks="1-3", write=False)
        for depth, line, worker in product(range(2 * stacked), range(lines), range(1, ranks)):
            first = depth * layer + (box * lines + line) * across + worker - 1
            writer.read("s", first * chunk, chunk, count=near, ranks=worker)
        writer.close("s", ranks="1-3")
        writer.compute(compute, ranks="1-3")
        writer.barrier()
        writer.write("t", box * series * chunk, chunk, count=series, ranks=0)
    writer.close("t", ranks=0)
    inputs = {f"{pair}.{kind}": kinds[kind] for kind, pair in product(kinds, range(pairs))}
    return Kernel(
        name="mintpy",
        scale=scale,
        title="ground that moves: pairs of pictures stacked by process 0, a third of the columns for each other one",
        source="MintPy with Dask: load_data, ifgram_inversion in boxes of rows, columns for workers, chunks of HDF5",
        changed=f"{pairs} pairs of {rows}x{width}, {dates} dates, {boxes} boxes; chunks are written once; no maps.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=("ifgramStack.h5", "timeseries.h5"),
    )


def fmriprep(scale: str, *, ranks: int, nodes: int, calls: int, compute: float) -> Kernel:
    """Brains: a chain of tools for each subject, a folder with many small files for each, removed at the end."""
    buffer, final = 8 * KIB, {"preproc.nii.gz": (calls - 4) * 8 * KIB, "preproc.json": 640, "figure.svg": 130_000}
    before = {"_report/report.rst": 2_900, "node.pklz": 8_700, "inputs.pklz": 1_600, "hash.json": 4_200}
    after = {"result.pklz": 2_300, "command.txt": 420}
    writer = Writer(ranks)
    for node, rank in product(range(nodes), range(ranks)):
        folder, image = f"{rank}.{node}", f"{rank}.{node - 1}/out.nii.gz" if node else f"sub-{rank}.nii.gz"
        if node:
            _touched(writer, f"{rank}.{node - 1}/result.pklz.lock", rank)
            writer.get(f"{rank}.{node - 1}/result.pklz", 1, after["result.pklz"], ranks=rank)
            writer.stat(image, ranks=rank)
        writer.mkdir(folder, ranks=rank)
        writer.mkdir(f"{folder}/_report", ranks=rank)
        _put(writer, folder, before, rank)
        writer.read_file(f"i{rank}", image, buffer, count=calls, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file(f"o{rank}", f"{folder}/out.nii.gz", buffer, count=calls, ranks=rank)
        _put(writer, folder, after, rank)
    for rank in range(ranks):
        writer.read_file(f"i{rank}", f"{rank}.{nodes - 1}/out.nii.gz", buffer, count=calls, ranks=rank)
        for name, size in final.items():
            writer.put(f"sub-{rank}.{name}", 1, size, ranks=rank)
    for node, rank in product(range(nodes), range(ranks)):
        for name in (*before, *after, "out.nii.gz"):
            writer.unlink(f"{rank}.{node}/{name}", ranks=rank)
        writer.rmdir(f"{rank}.{node}/_report", ranks=rank)
        writer.rmdir(f"{rank}.{node}", ranks=rank)
    return Kernel(
        name="fmriprep",
        scale=scale,
        title="brains: tool after tool for each subject, a folder of each with notes and a picture, then removed",
        source="fMRIPrep's Nipype nodes: _node.pklz, result_*.pklz behind a SoftFileLock, .nii.gz by zlib, derivatives",
        changed=f"{nodes} tools, pictures of {calls * buffer / 1000:.0f} kB; without renaming.",
        run=writer.script,
        prepares=prepared(ranks, [(f"sub-{rank}.nii.gz", calls * buffer) for rank in range(ranks)]),
        results=tuple(f"sub-{rank}.{name}" for rank in range(ranks) for name in final),
    )


def _touched(writer: Writer, path: str, rank: int) -> None:
    """Make an empty file, as a lock, and remove it."""
    writer.open(f"e{rank}", path, ranks=rank, write=True)
    writer.close(f"e{rank}", ranks=rank)
    writer.unlink(path, ranks=rank)


def _put(writer: Writer, folder: str, files: dict[str, int], rank: int) -> None:
    """Make files of some sizes, behind a lock where they are pickles."""
    for name, size in files.items():
        if name.endswith(".pklz"):
            _touched(writer, f"{folder}/{name}.lock", rank)
        writer.put(f"{folder}/{name}", 1, size, ranks=rank)


def optuna(scale: str, *, ranks: int, trials: int, entries: int, calls: int, model: int, compute: float) -> Kernel:
    """Settings tried: a log that each adds lines to behind a lock, synced, and reads on; data read for each trial."""
    line, buffer = 250, 256 * KIB
    writer = Writer(ranks)
    for trial in range(trials):
        writer.barrier()
        for entry, rank in product(range(entries), range(ranks)):
            place = (trial * entries + entry) * ranks
            writer.compute(compute, ranks=rank)
            writer.open(f"l{rank}", f"lock.{rank}", ranks=rank, write=True)
            writer.close(f"l{rank}", ranks=rank)
            writer.open(f"j{rank}", "study.log", ranks=rank, write=True)
            writer.write(f"j{rank}", (place + rank) * line, line, ranks=rank)
            writer.sync(f"j{rank}", ranks=rank)
            writer.close(f"j{rank}", ranks=rank)
            writer.unlink(f"lock.{rank}", ranks=rank)
            if trial:
                writer.open(f"j{rank}", "study.log", ranks=rank, write=False)
                writer.read(f"j{rank}", (place - entries * ranks) * line, ranks * line, ranks=rank)
                writer.close(f"j{rank}", ranks=rank)
            if not entry:
                writer.read_file(f"d{rank}", "train.npz", buffer, count=calls, ranks=rank)
        for rank in range(ranks):
            writer.put(f"model.{rank}.{trial}.pkl", 1, model, ranks=rank)
    return Kernel(
        name="optuna",
        scale=scale,
        title="settings tried: one log that each adds synced lines to and reads on, data and a model for each trial",
        source="Optuna's JournalFileBackend on NFS: a lock's file, append, fsync, read_logs from the last line; NumPy",
        changed=f"{trials} trials of each, {entries} lines of {line} B; nobody waits for a lock; read a trial later.",
        run=writer.script,
        prepares=prepared(ranks, [("train.npz", calls * buffer)]),
        results=("study.log", *(f"model.{rank}.{trial}.pkl" for rank in range(ranks) for trial in range(trials))),
    )


def hhblits(scale: str, *, ranks: int, rounds: int, hits: int, sequences: int, lines: int, compute: float) -> Kernel:
    """Families of proteins: states of all read by each, then alignments anywhere in a file, round by round."""
    ahead, entry, buffer, families, report = 128 * KIB, 24 * KIB, 4 * KIB, 2_500, 60_000
    draw = random.Random(55)  # noqa: S311  # the same on every machine
    states = {"bfd_cs219.ffindex": 3, "bfd_a3m.ffindex": 4, "bfd_cs219.ffdata": sequences}
    writer = Writer(ranks)
    for name, count in states.items():
        writer.read_file("s", name, ahead, count=count)
    writer.open("a", "bfd_a3m.ffdata", write=False)
    for _, rank in product(range(rounds), range(ranks)):
        writer.compute(compute, ranks=rank)
        for place in draw.sample(range(families), hits):
            writer.read("a", place * entry, entry, ranks=rank)
        writer.compute(compute, ranks=rank)
    writer.close("a")
    for rank in range(ranks):
        writer.put(f"{rank}.hhr", 1, report, ranks=rank)
        writer.write_file(f"o{rank}", f"{rank}.a3m", buffer, count=lines, ranks=rank)
    inputs = {"bfd_a3m.ffdata": families * entry, **{name: count * ahead for name, count in states.items()}}
    return Kernel(
        name="hhblits",
        scale=scale,
        title="families of proteins: all states read by each, then alignments anywhere in a file, round by round",
        source="HH-suite's hhblits, as AlphaFold starts it for each protein: ffindex, cs219 and a3m data, .hhr, .a3m",
        changed=f"{rounds} rounds of {hits} hits of 24 KiB for each process; files are read, not mapped.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(f"{rank}.{kind}" for rank in range(ranks) for kind in ("hhr", "a3m")),
    )
