"""Applications for a test: water in rock, electrons by orbitals, a sky survey, checkpoints of training, neurons."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared
from acic.units import KIB

_Triple = tuple[int, int, int]
_INT, _DOUBLE, _SINGLE, _STREAM = 4, 8, 4, 128 * KIB  # B; the last of gfortran's streams
_BLOCK, _HEAD = 100_000, 2_048  # numbers that PFLOTRAN reads at once; before the first array that it reads, B
_CALIBS = {"bias": 214_560, "flat": 236_160}  # of a detector, compressed, B
_KINDS = dict.fromkeys(("postISRCCD", "initial_pvi", "background", "warp", "deepCoadd"), "fits") | {"source": "parq"}
_KINDS |= {f"{task}_metadata": "json" for task in ("isr", "calibrateImage", "makeWarp", "assembleCoadd")}
_KINDS |= {name.replace("metadata", "log"): "json" for name in [*_KINDS][6:]}
_FOR_A_WHILE = "tmpq3x"
_TREE, _ROOT = ({"d/5e0c": 5_930, "manifest.ocdbt": 427}, {"d/91ab": 23_700, "manifest.ocdbt": 553})  # B
_ABOUT = {"_METADATA": 38_200, "_sharding": 11_600}  # of a state, B
_TRACES = {"F": 91_000, "Fneu": 91_400, "spks": 91_800, "iscell": 3_300, "stat": 402_000}  # of a plane, about, B


def pflotran(scale: str, *, split: _Triple, block: _Triple, outputs: int, steps: int, compute: float) -> Kernel:
    """Water in rock: all read all cells' numbers in blocks, snapshots by collective calls, observations by two."""
    ranks = split[0] * split[1] * split[2]
    whole = (split[0] * block[0], split[1] * block[1], split[2] * block[2])
    cells = whole[0] * whole[1] * whole[2]
    share, total = cells // ranks * _DOUBLE, cells * _DOUBLE
    observers, primary, variables = (1, ranks - 3), 3, 5  # where wells are; unknowns of a cell; what is told of it
    writer = Writer(ranks)
    writer.open("i", "rock.h5", write=False, mpiio=True)
    kinds = ((0, _INT), (_INT, _INT), (2 * _INT, _DOUBLE), (2 * _INT + _DOUBLE, _DOUBLE))
    for (before, size), first in product(kinds, range(0, cells, _BLOCK)):
        writer.read("i", _HEAD + before * cells + first * size, min(_BLOCK, cells - first) * size)
    writer.close("i")
    for rank in observers:
        writer.open(f"o{rank}", f"pflotran-obs-{rank}.tec", ranks=rank, write=True)
    for output in range(outputs):
        for step in range(output * steps, (output + 1) * steps):
            writer.compute(compute)
            writer.barrier()
            for rank in observers:
                writer.write(f"o{rank}", step * 913, 913, ranks=rank)
        writer.open("f", "pflotran.h5", write=True, mpiio=True)
        writer.view("f", 0, _DOUBLE, whole, blocks_of(split, block))
        for number in range(output * variables, (output + 1) * variables):
            writer.write_all("f", [(number * share, share)] * ranks)
        writer.close("f")
        if output % 2:
            writer.open("c", f"pflotran-{output}-restart.h5", write=True, mpiio=True)
            for before, degrees in ((0, primary), (primary, 1), (primary + 1, 1)):
                part, place = degrees * share, before * total
                writer.write_all("c", [(place + rank * part, part) for rank in range(ranks)])
            writer.close("c")
    for rank in observers:
        writer.close(f"o{rank}", ranks=rank)
    made = [f"pflotran-{output}-restart.h5" for output in range(1, outputs, 2)]
    made += ["pflotran.h5", *(f"pflotran-obs-{rank}.tec" for rank in observers)]
    return Kernel(
        name="pflotran",
        scale=scale,
        title="water in rock: cells' numbers read by all in blocks, snapshots and checkpoints together, wells by two",
        source="PFLOTRAN: HDF5ReadCellIndexedRealArray without broadcast, HDF5WriteStructuredDataSet, -restart.h5",
        changed=f"{cells} cells, {variables} variables, {outputs} snapshots; no coordinates, no heads.",
        run=writer.script,
        prepares=prepared(ranks, [("rock.h5", _HEAD + 2 * cells * (_INT + _DOUBLE))]),
        results=tuple(made),
    )


def siesta(scale: str, *, ranks: int, moves: int, cycles: int, nonzeros: int, mesh: int, compute: float) -> Kernel:
    """Electrons by orbitals: a density matrix gathered and written over by one in each cycle, all else by it, too."""
    matrix = nonzeros * (_INT + 2 * _DOUBLE) + 26_400  # with spin
    writer = Writer(ranks)
    for name, size in {"Fe": 231_700, "O": 187_300}.items():
        writer.read_file("p", f"{name}.psf", size, ranks=0)
        writer.put(f"{name}.ion.xml", 1, 2 * size, ranks=0)
    _stream(writer, "oxide.DM.saved", matrix, write=False)
    writer.barrier()
    for _ in range(moves):
        for _ in range(cycles):
            writer.compute(compute)
            writer.barrier()
            _stream(writer, "oxide.DM", matrix, write=True)
            writer.barrier()  # its rows come from all
        for name, size in {"XV": 18_900, "FA": 9_700, "STRUCT_OUT": 8_300}.items():
            writer.put(f"oxide.{name}", 1, size, ranks=0)
    _stream(writer, "oxide.HSX", nonzeros * (_INT + 6 * _SINGLE) + 61_000, write=True)
    _stream(writer, "oxide.RHO", 2 * mesh**3 * _SINGLE, write=True)
    _stream(writer, "oxide.VH", mesh**3 * _SINGLE, write=True)
    return Kernel(
        name="siesta",
        scale=scale,
        title="electrons by orbitals: a density matrix written over by one in each cycle, coordinates, at last grids",
        source="SIESTA: write_dm of m_iodm each cycle, ioxv, HSX and iorho, all by the node of I/O, unformatted",
        changed=f"{nonzeros} elements, two spins, {moves} moves of {cycles} cycles; no .MD, no .EIG.",
        run=writer.script,
        prepares=prepared(ranks, [("Fe.psf", 231_700), ("O.psf", 187_300), ("oxide.DM.saved", matrix)]),
        results=writer.script.made,
    )


def _stream(writer: Writer, path: str, size: int, *, write: bool) -> None:
    """Have process 0 move a file as Fortran's library does."""
    whole, rest = divmod(size, _STREAM)
    writer.open("u", path, ranks=0, write=write)
    move = writer.write if write else writer.read
    move("u", 0, _STREAM, count=whole, ranks=0)
    move("u", whole * _STREAM, rest, ranks=0)
    writer.close("u", ranks=0)


def lsst(scale: str, *, ranks: int, visits: int, exposure: int, warp: int, compute: float) -> Kernel:
    """A sky survey: each detector's exposures cleaned and measured, cut to patches, added; all get their names."""
    raw, clean, cut, coadd = 4 * exposure // 7, 3 * exposure // 4, exposure // 4, 3 * warp // 2
    writer, made = Writer(ranks), []
    for kind in _KINDS:
        writer.mkdir(kind, ranks=0)
    writer.barrier()
    for visit, rank in product(range(visits), range(ranks)):
        own = f"{visit}_{rank}"
        for name, size in {f"raw_{visit}": raw, **_CALIBS}.items():
            writer.stat(f"{name}_{rank}.fits", ranks=rank)
            writer.read_file("i", f"{name}_{rank}.fits", size, ranks=rank)
        writer.compute(compute, ranks=rank)
        made += _put(writer, rank, own, postISRCCD=clean, isr_metadata=9_310, isr_log=17_840)
        writer.stat(f"postISRCCD/{own}.fits", ranks=rank)
        writer.read_file("i", f"postISRCCD/{own}.fits", clean, ranks=rank)
        writer.compute(compute, ranks=rank)
        made += _put(writer, rank, own, initial_pvi=exposure, source=121_000, background=28_800)
        made += _put(writer, rank, own, calibrateImage_metadata=31_470, calibrateImage_log=46_120)
    writer.barrier()
    for rank, visit in product(range(ranks), range(visits)):
        for path in (f"initial_pvi/{visit}_{(rank + step) % ranks}.fits" for step in (1, 2)):  # where the patch lies
            writer.stat(path, ranks=rank)
            writer.open("i", path, ranks=rank, write=False)
            writer.read("i", 0, 14_400, ranks=rank)
            writer.read("i", exposure // 3, cut, ranks=rank)
            writer.close("i", ranks=rank)
            writer.compute(compute, ranks=rank)
        made += _put(writer, rank, f"{visit}_{rank}", warp=warp, makeWarp_metadata=7_120, makeWarp_log=12_630)
    for rank in range(ranks):
        for half, visit in product(range(2), range(visits)):
            writer.open("i", f"warp/{visit}_{rank}.fits", ranks=rank, write=False)
            writer.read("i", half * (warp // 2), warp // 2, ranks=rank)
            writer.close("i", ranks=rank)
            writer.compute(round(compute / 4, 9), ranks=rank)
        made += _put(writer, rank, f"{rank}", deepCoadd=coadd, assembleCoadd_metadata=5_870, assembleCoadd_log=10_290)
    inputs = [(f"raw_{visit}_{rank}.fits", raw) for visit, rank in product(range(visits), range(ranks))]
    inputs += [(f"{name}_{rank}.fits", size) for rank, (name, size) in product(range(ranks), _CALIBS.items())]
    return Kernel(
        name="lsst",
        scale=scale,
        title="a sky survey: exposures cleaned, measured, cut to patches and added, each file made under another name",
        source="LSST pipelines: isr, calibrateImage, makeWarp, assembleCoadd; FormatterV2.write_locally_then_move",
        changed=f"{ranks} detectors, {visits} visits, exposures of {exposure / 1e6:.3g} MB; no registry.",
        run=writer.script,
        prepares=prepared(ranks, inputs),
        results=tuple(made),
    )


def _put(writer: Writer, rank: int, name: str, **sets: int) -> list[str]:
    """Put data sets of some kinds, each under a name for a while, and move them; return their last names."""
    named = {kind: f"{name}.{_KINDS[kind]}" for kind in sets}
    for kind, path in named.items():
        writer.put(f"{kind}/{_FOR_A_WHILE}{path}", 1, sets[kind], ranks=rank)
        writer.rename(f"{kind}/{_FOR_A_WHILE}{path}", f"{kind}/{path}", ranks=rank)
    return [f"{kind}/{path}" for kind, path in named.items()]


def orbax(scale: str, *, ranks: int, saves: int, steps: int, records: int, state: int, compute: float) -> Kernel:
    """Checkpoints of training: a database of each and one that leads to them, files and folders that are renamed."""
    record, kept, held = 61_300, 2, 96  # records of a file
    draw = random.Random(74)  # noqa: S311  # the same on every machine
    data = [f"train-{number}.array_record" for number in range(3)]
    writer = Writer(ranks)
    given = {f"0.{name.replace('/', '.')}": size for name, size in (*_ROOT.items(), *_ABOUT.items())}
    for name, size in given.items():
        writer.read_file("r", name, size)
    for rank in range(ranks):
        writer.read_file("r", f"0.process_{rank}.d", state, count=3, ranks=rank)
    for name in data:
        writer.open(name, name, write=False)
    for save in range(1, saves + 1):
        for _, rank in product(range(steps), range(ranks)):
            for at in draw.sample(range(held), records):
                writer.read(data[save % len(data)], at * record, record, ranks=rank)
            writer.compute(compute, ranks=rank)
        _save(writer, save, ranks, state)
        if save > kept:
            _remove(writer, save - kept, ranks)
        writer.barrier()
    for name in data:
        writer.close(name)
    given |= {f"0.process_{rank}.d": 3 * state for rank in range(ranks)} | dict.fromkeys(data, held * record)
    return Kernel(
        name="orbax",
        scale=scale,
        title="checkpoints of training: a database of each process, put together by one, under names for a while",
        source="Orbax: OCDBT by process and merge, atomicity by rename, max_to_keep; TensorStore's .__lock",
        changed=f"{saves} saves of {3 * state / 1e6:.3g} MB a process, not behind the steps; records read by pread.",
        run=writer.script,
        prepares=prepared(ranks, given.items()),
        results=tuple(path for save in range(max(1, saves - kept + 1), saves + 1) for path in _saved(save, ranks)),
    )


def _save(writer: Writer, save: int, ranks: int, state: int) -> None:
    """Have each process of Orbax write what it has of a state, and process 0 what leads to all, under its last name."""
    top, tree = f"{save}00.orbax-checkpoint-tmp", {name: size + 13 * save for name, size in _TREE.items()}
    for folder in ("", "/d", "/array_metadatas"):
        writer.mkdir(f"{top}{folder}", ranks=0)
    writer.barrier()
    for rank in range(ranks):
        own = f"{top}/ocdbt.process_{rank}"
        writer.mkdir(own, ranks=rank)
        writer.mkdir(f"{own}/d", ranks=rank)
        _locked(writer, rank, f"{own}/d/a371", state, 3)
        for name, size in tree.items():
            _locked(writer, rank, f"{own}/{name}", size, 1)
        writer.put(f"{top}/array_metadatas/process_{rank}", 1, 3_780, ranks=rank)
    writer.barrier()
    for (name, size), rank in product(tree.items(), range(ranks)):
        writer.get(f"{top}/ocdbt.process_{rank}/{name}", 1, size, ranks=0)
    for name, size in _ROOT.items():
        _locked(writer, 0, f"{top}/{name}", size, 1)
    for name, size in (*_ABOUT.items(), ("_CHECKPOINT_METADATA", 612)):
        writer.put(f"{top}/{name}", 1, size, ranks=0)
    writer.rename(top, f"{save}00", ranks=0)


def _remove(writer: Writer, save: int, ranks: int) -> None:
    """Have process 0 remove a checkpoint of Orbax."""
    for path in _saved(save, ranks):
        writer.unlink(path, ranks=0)
    own = [f"/ocdbt.process_{rank}{end}" for rank, end in product(range(ranks), ("/d", ""))]
    for folder in (*own, "/array_metadatas", "/d", ""):
        writer.rmdir(f"{save}00{folder}", ranks=0)


def _saved(save: int, ranks: int) -> list[str]:
    """Return the files of a checkpoint of Orbax, by their last names."""
    own = [f"ocdbt.process_{rank}/{name}" for rank in range(ranks) for name in ("d/a371", *_TREE)]
    own += [f"array_metadatas/process_{rank}" for rank in range(ranks)]
    return [f"{save}00/{name}" for name in (*own, *_ROOT, *_ABOUT, "_CHECKPOINT_METADATA")]


def _locked(writer: Writer, rank: int, path: str, size: int, count: int) -> None:
    """Write a file as TensorStore does: under the name of a lock, to the disks, then renamed."""
    writer.write_file("l", f"{path}.__lock", size, count=count, ranks=rank, sync=True)
    writer.rename(f"{path}.__lock", path, ranks=rank)


def suite2p(scale: str, *, ranks: int, frame: int, batches: int, batch: int, compute: float) -> Kernel:
    """Neurons: pages of pictures to a raw film, registered in batches to another, which is read twice for cells."""
    used, page = batch - 1, frame + 242  # frames that are processed of a batch; a page with its tags
    draw = random.Random(75)  # noqa: S311  # the same on every machine
    writer, places = Writer(ranks), [number * used * frame for number in range(batches)]
    for rank in range(ranks):
        folder = f"plane{rank}"
        writer.mkdir(folder, ranks=rank)
        writer.open("raw", f"{folder}/data_raw.bin", ranks=rank, write=True)
        for number in range(batches):
            writer.read_file("t", f"p{rank}_{number:03}.tif", page, count=batch, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write("raw", number * batch * frame, batch * frame, ranks=rank)
        writer.close("raw", ranks=rank)
        writer.put(f"{folder}/ops.npy", 1, 176_000, ranks=rank)
        writer.open("raw", f"{folder}/data_raw.bin", ranks=rank, write=False)
        for at in sorted(draw.sample(range(batches * used), used)):  # for the picture to compare with
            writer.read("raw", at * frame, frame, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.open("reg", f"{folder}/data.bin", ranks=rank, write=True)
        for place in places:
            writer.read("raw", place, used * frame, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write("reg", place, used * frame, ranks=rank)
        writer.close("raw", ranks=rank)
        writer.put(f"{folder}/ops.npy", 1, 176_000, ranks=rank)
        for place in 2 * places:  # to find cells, and to get their traces
            writer.read("reg", place, used * frame, ranks=rank)
            writer.compute(compute, ranks=rank)
        writer.close("reg", ranks=rank)
        for name, size in _TRACES.items():
            writer.put(f"{folder}/{name}.npy", 1, size, ranks=rank)
    made = ("data_raw.bin", "data.bin", "ops.npy", *(f"{name}.npy" for name in _TRACES))
    inputs = [(f"p{rank}_{number:03}.tif", batch * page) for rank, number in product(range(ranks), range(batches))]
    return Kernel(
        name="suite2p",
        scale=scale,
        title="neurons: pages to a raw film, batches of it to a registered one, which is read twice, arrays of traces",
        source="Suite2p: tiff_to_binary, BinaryFile, register_frames with keep_movie_raw, detection, extraction, npy",
        changed=f"{ranks} films of {batches * batch} frames of {frame} B, {batches * used} used; one plane each.",
        run=writer.script,
        prepares=prepared(ranks, inputs),
        results=tuple(f"plane{rank}/{name}" for rank, name in product(range(ranks), made)),
    )
