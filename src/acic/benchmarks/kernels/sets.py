"""Which applications there are, and how large: those for development, those for a test, those held out."""

from __future__ import annotations

from acic.benchmarks.kernels.analyses import abyss, madbench2, mpiblast
from acic.benchmarks.kernels.analysis_jobs import diamond, fmriprep, hhblits, mintpy, optuna
from acic.benchmarks.kernels.analytics import concat, dcp, kmeans, parquet, sweep
from acic.benchmarks.kernels.checkpoints import btio, flashio, gcrmio, pop, vorpalio, vpicio
from acic.benchmarks.kernels.codes import ensemble, lattice, nek5000, specfem
from acic.benchmarks.kernels.continua import athena, opm, schism, sw4
from acic.benchmarks.kernels.data_jobs import apptainer, cpptraj, gdal2tiles, kaldi, rocksdb
from acic.benchmarks.kernels.dumps import btio_ep, hacc, s3d, wrf
from acic.benchmarks.kernels.dynamics import mapdl, mitgcm, ramses, saturne, vasp
from acic.benchmarks.kernels.endeavours import fdb, flexi, madgraph, mesa, molcas
from acic.benchmarks.kernels.equations import epoch, lpjml, lsdyna, octopus, parflow
from acic.benchmarks.kernels.errands import dask, freesurfer, isce, markduplicates, yolo
from acic.benchmarks.kernels.evidence import faiss, genomicsdb, psana, redis, spark
from acic.benchmarks.kernels.exchanges import alice, microhh, nco, plumed, swift
from acic.benchmarks.kernels.fields import compare, frames, graph, pencils, relion
from acic.benchmarks.kernels.findings import graphbolt, hadd, mhm2, mlflow, wsclean
from acic.benchmarks.kernels.inputs import h5read, samples, seismic, slices
from acic.benchmarks.kernels.inquiries import clickhouse, dials, presto
from acic.benchmarks.kernels.inquiries_jobs import cellranger, deepspeed
from acic.benchmarks.kernels.instruments import autodock, cms, dp3, mp2c, qmcpack
from acic.benchmarks.kernels.jobs import copytree, scan, variants
from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.laboratory_jobs import elasticsearch, nextflow, nwchem, savu, star
from acic.benchmarks.kernels.loads import deepcam, imports, inference, shuffle
from acic.benchmarks.kernels.media import nemo, pluto, psi4, su2, xgc
from acic.benchmarks.kernels.mixtures import dtar, keyvalue, mapreduce, outofcore, tiles
from acic.benchmarks.kernels.models import aspect, castro, enzo, epw, roms
from acic.benchmarks.kernels.observations import lsst, orbax, pflotran, siesta, suite2p
from acic.benchmarks.kernels.outputs import openfoam, pio, restart, subfiles, trajectory
from acic.benchmarks.kernels.packages import chombo, gromacs, macsio, scatter, volume
from acic.benchmarks.kernels.patterns import bursts, mdtest, one_writer, random_reads, shared_log
from acic.benchmarks.kernels.phenomena import cgyro, fds, noisepy, pelegant, telemac
from acic.benchmarks.kernels.physics import gene, openmc, warpx, wavewatch, yambo
from acic.benchmarks.kernels.pieces import cinema, git, kmc, scr, shards
from acic.benchmarks.kernels.pipelines import bwa, io500, montage, tfrecord, zarr
from acic.benchmarks.kernels.records import encode, grib, scalapack, segments, torch
from acic.benchmarks.kernels.replacements import hfdatasets, hipmcl, prometheus, rsync, toil
from acic.benchmarks.kernels.sciences import cp2k, cryosparc, icon, namd, picongpu
from acic.benchmarks.kernels.services import initial, journal, lookup, spool, weights
from acic.benchmarks.kernels.services_jobs import nnunet, pastis, regenie, restic, trinity
from acic.benchmarks.kernels.simulations import awp, basilisk, dlpoly, gadget, mom6
from acic.benchmarks.kernels.solvers import espresso, regrid, rtm
from acic.benchmarks.kernels.steps import exodus, inplace, restore, stencil, xios
from acic.benchmarks.kernels.studies import lammps, megatron, minimap2, rechunker, rockstar
from acic.benchmarks.kernels.surveys import berkeleygw, cactus, caiman, canu, hycom
from acic.benchmarks.kernels.tasks import exchange, harvest, logs, skim, untar
from acic.benchmarks.kernels.tools import build, fsdp, hmmer, samsort, sqlite, visit
from acic.benchmarks.kernels.workflows import bcl, dassa, pegasus, taudem, tomopy
from acic.units import KIB, MIB


def for_development() -> tuple[Kernel, ...]:
    """Return the kernels that are looked at while advice is made better."""
    small, large, only = "small", "large", "only"
    return (
        btio(small, ranks=4, grid=64, dumps=5, compute=0.12),
        btio(large, ranks=16, grid=72, dumps=6, compute=0.04),
        flashio(small, ranks=4, blocks=65, compute=0.035),
        flashio(large, ranks=16, blocks=65, compute=0.01),
        vpicio(small, ranks=4, particles=240_000, compute=0.2),
        vpicio(large, ranks=16, particles=240_000, compute=0.05),
        vorpalio(small, split=(1, 2, 2), compute=0.2),
        vorpalio(large, split=(2, 2, 4), compute=0.05),
        gcrmio(only, ranks=16, panels=320, compute=0.05),
        pop(small, ranks=4, dumps=3, slices=12, compute=0.15),
        pop(large, ranks=16, dumps=5, slices=16, compute=0.04),
        madbench2(small, ranks=4, pixels=640, compute=0.015),
        madbench2(large, ranks=16, pixels=800, compute=0.004),
        madbench2(only, ranks=4, pixels=640, compute=0.015, unique=True),
        mpiblast(small, ranks=4, segment=1 * MIB, compute=0.06),
        mpiblast(large, ranks=16, segment=3 * MIB, compute=0.06),
        abyss(small, ranks=4, requests=2560, compute=0.4),
        abyss(large, ranks=8, requests=4096, compute=0.2),
        mdtest(small, ranks=4, files=64),
        mdtest(large, ranks=16, files=32),
        random_reads(only, ranks=8, batches=5, reads=16, file_size=96 * MIB, compute=0.02),
        one_writer(only, ranks=4, size=64 * MIB),
        shared_log(only, ranks=8, rounds=25, compute=0.004),
        bursts(only, ranks=8, steps=6, compute=0.1),
    )


def for_test() -> tuple[Kernel, ...]:
    """Return those that were held out, or kept from sight, until advice was finished for a time."""
    small, large, only = "small", "large", "only"
    return (
        hacc(small, ranks=4, particles=200_007, compute=0.1),
        hacc(large, ranks=16, particles=90_000, compute=0.02),
        s3d(small, split=(1, 2, 2), side=32, dumps=3, compute=0.1),
        s3d(large, split=(2, 2, 4), side=24, dumps=3, compute=0.02),
        wrf(small, split=(2, 2), patch=160, frames=3, compute=0.1),
        wrf(large, split=(4, 4), patch=80, frames=6, compute=0.01),
        btio_ep(only, ranks=4, dumps=4, compute=0.1),
        h5read(small, ranks=4, steps=3, size=512 * KIB, compute=0.1),
        h5read(large, ranks=16, steps=3, size=256 * KIB, compute=0.02),
        samples(only, ranks=8, each=16, size=320 * KIB, compute=0.02),
        slices(only, ranks=8, steps=4, count=64, request=48 * KIB, compute=0.05),
        openfoam(small, ranks=4, fields=16, size=800_000, compute=0.03),
        openfoam(large, ranks=16, fields=16, size=350_000, compute=0.008),
        restart(small, ranks=4, size=768 * KIB, compute=0.15),
        restart(large, ranks=16, size=384 * KIB, compute=0.04),
        pio(only, ranks=16, steps=5, variables=6, size=640 * KIB, compute=0.03),
        subfiles(only, ranks=8, steps=4, chunk=1920 * KIB, compute=0.06),
        trajectory(only, ranks=8, frames=6, lines=160, compute=0.05),
        tiles(only, split=(2, 4), frames=4, rows=48, row=24 * KIB, compute=0.05),
        mapreduce(only, ranks=8, share=4 * MIB, compute=0.15),
        outofcore(small, ranks=4, requests=48, compute=0.12),
        outofcore(large, ranks=16, requests=16, compute=0.03),
        seismic(only, ranks=16, shots=3, traces=60, trace=24 * KIB, compute=0.04),
        keyvalue(only, ranks=8, rounds=9, table=64 * MIB, compute=0.01),
        dtar(only, ranks=8, each=24, size=150_000),
        gromacs(only, ranks=8, frames=12, frame=750_000, state=6 * MIB, compute=0.08),
        scatter(only, ranks=16, size=48 * MIB, compute=0.1),
        chombo(small, ranks=4, dumps=2, boxes=48, side=26, compute=0.2),
        chombo(large, ranks=16, dumps=2, boxes=32, side=22, compute=0.05),
        macsio(small, ranks=4, groups=2, request=1_500_000, count=6, compute=0.2),
        macsio(large, ranks=16, groups=4, request=900_000, count=6, compute=0.05),
        volume(only, split=(2, 2, 4), block=(48, 64, 100), compute=0.03),
        bwa(only, ranks=8, index=8 * MIB, chunks=4, chunk=1280 * KIB, compute=0.12),
        montage(only, ranks=8, each=6, raw=700_000, projected=900_000, compute=0.06),
        tfrecord(only, ranks=8, batches=8, batch=768 * KIB, weights=12 * MIB, compute=0.04),
        zarr(only, ranks=8, each=10, chunk=520_000, compute=0.1),
        io500(only, ranks=8, request=2 * MIB, count=3, hard=False),
        io500(only, ranks=16, request=47_008, count=40, hard=True),
        nek5000(small, ranks=4, dumps=3, each=560_000, compute=0.15),
        nek5000(large, ranks=16, dumps=3, each=264_000, compute=0.04),
        specfem(only, ranks=16, record=72_000, records=56, frames=2, compute=0.06),
        ensemble(only, ranks=16, state=1536 * KIB, history=760_000, days=4, compute=0.04),
        lattice(only, split=(2, 2, 2), block=(16, 16, 20), compute=0.12),
        hmmer(only, ranks=8, parts=4, part=3 * MIB, compute=0.08),
        samsort(only, ranks=8, share=3 * MIB, compute=0.2),
        build(only, ranks=8, units=14, source=24_000, made=120_000, compute=0.02),
        fsdp(only, ranks=8, saves=2, shard=6 * MIB, compute=0.1),
        visit(only, ranks=4, domains=4, size=5 * MIB, compute=0.12),
        sqlite(only, ranks=4, transactions=60, pages=5, compute=0.01),
        espresso(only, ranks=8, steps=3, calls=6, density=4 * MIB, compute=0.06),
        regrid(only, ranks=16, variables=4, coarse=400_000, fine=1_000_000, compute=0.02),
        rtm(only, ranks=8, snapshots=4, calls=2, compute=0.05),
        imports(only, ranks=16, modules=160, size=16_000, compute=0.05),
        inference(only, ranks=8, weights=12 * MIB, compute=0.1),
        shuffle(only, ranks=8, part=400_000, compute=0.1),
        deepcam(only, ranks=8, batches=5, samples=4, size=256 * KIB, file_size=96 * MIB, compute=0.05),
        copytree(only, ranks=4, files=150, size=150_000),
        scan(only, ranks=16, blocks=3, calls=8, compute=0.03),
        variants(only, ranks=8, regions=3, region=2 * MIB, calls=150_000, compute=0.1),
        xios(only, ranks=16, servers=2, steps=5, calls=6, compute=0.05),
        exodus(only, ranks=8, steps=12, variables=10, size=24 * KIB, compute=0.05),
        stencil(only, side=160, halo=4, compute=0.1),
        inplace(only, ranks=8, saves=4, calls=3, compute=0.05),
        restore(only, ranks=16, calls=3, compute=0.03),
        kmeans(only, ranks=8, passes=4, calls=8, compute=0.05),
        parquet(only, ranks=8, files=4, wanted=4, chunk=400_000, compute=0.04),
        concat(only, ranks=4, files=10, calls=3),
        dcp(only, ranks=8, turns=3, chunk=2 * MIB),
        sweep(only, ranks=16, table=5 * MIB, result=500_000, compute=0.04),
        lookup(only, ranks=8, queries=96, size=64 * KIB, index=96 * MIB),
        weights(only, ranks=16, calls=3, compute=0.04),
        journal(only, ranks=8, entries=12, size=64 * KIB, compute=0.03),
        spool(only, ranks=8, rounds=4, calls=6, compute=0.08),
        initial(only, ranks=16, case=24 * MIB, state=3 * MIB, compute=0.03),
        torch(only, ranks=8, saves=3, size=20 * MIB, compute=0.06),
        segments(only, ranks=16, dumps=2, calls=3, compute=0.04),
        scalapack(only, grid=4, tile=56, tiles=10, compute=0.03),
        grib(only, ranks=8, hours=5, wanted=20, record=64 * KIB, compute=0.03),
        encode(only, ranks=8, turns=6, chunk=1200 * KIB, made=300 * KIB, compute=0.06),
        pencils(only, rows=4, columns=4, side=128, fields=2, compute=0.03),
        frames(only, ranks=8, steps=12, size=500 * KIB, compute=0.04),
        graph(only, ranks=16, calls=3, ranking=6 * MIB, compute=0.05),
        relion(only, ranks=8, rounds=4, images=10, image=128 * KIB, stack=96 * MIB, compute=0.05),
        compare(only, ranks=8, calls=8, request=512 * KIB),
        skim(only, ranks=8, clusters=8, cluster=512 * KIB, kept=128 * KIB, compute=0.04),
        untar(only, ranks=4, files=160, size=200_000),
        logs(only, ranks=16, lines=60, size=8 * KIB, compute=0.005),
        harvest(only, ranks=8, each=12, size=96 * KIB, table=1_200_000, compute=0.02),
        exchange(only, ranks=8, rounds=3, calls=6, compute=0.06),
        openmc(only, ranks=16, nuclides=20, size=140_000, sites=12_000, compute=0.06),
        wavewatch(only, ranks=8, points=480, restarts=2, compute=0.1),
        warpx(only, ranks=4, dumps=3, fields=9, size=600_000, compute=0.12),
        gene(only, block=(60, 80, 24), records=8, record=300 * KIB, compute=0.02),
        yambo(only, ranks=8, fragments=3, request=200_000, compute=0.06),
        scr(only, ranks=16, dumps=3, calls=6, compute=0.06),
        shards(only, ranks=8, epochs=2, each=3, blocks=150, compute=0.03),
        kmc(only, ranks=8, chunks=6, chunk=600_000, piece=40_000, table=500_000, compute=0.005),
        cinema(only, ranks=8, steps=4, piece=1_000_000, pictures=15, picture=90_000, compute=0.008),
        git(only, ranks=4, files=400, packed=9_000, size=24_000, pack=24 * MIB),
        gadget(only, ranks=8, particles=15_000, rounds=2, compute=0.08),
        basilisk(only, ranks=4, calls=640, dumps=2, frames=5, frame=300_000, compute=0.06),
        awp(only, block=(32, 50, 80), outputs=5, steps=25, compute=0.06),
        mom6(only, ranks=16, rows=13, levels=60, days=8, compute=0.025),
        dlpoly(only, ranks=8, batches=10, atoms=1_200, frames=6, compute=0.08),
        taudem(only, ranks=8, request=100_000, calls=3, compute=0.08),
        dassa(only, ranks=16, files=12, samples=600, channels=120, result=960 * KIB, compute=0.018),
        bcl(only, ranks=8, cycles=30, tile=200_000, samples=6, calls=8, compute=0.05),
        tomopy(only, ranks=4, scans=3, angles=240, rows=12, width=512, compute=0.02),
        pegasus(only, ranks=8, tasks=3, sizes=(900_000, 700_000, 400_000), compute=0.05),
        mp2c(only, ranks=16, particles=28_000, dumps=2, compute=0.09),
        qmcpack(only, ranks=16, orbitals=75, waves=27_000, walkers=80, blocks=4, compute=0.015),
        dp3(only, ranks=4, tiles=16, rows=270, compute=0.045),
        cms(only, ranks=8, sections=6, calls=88, compute=0.06),
        autodock(only, ranks=8, ligands=6, maps=75, calls=86, compute=0.06),
        cpptraj(only, ranks=16, frames=10, atoms=30_000, kept=3_100, sections=6, compute=0.02),
        kaldi(only, ranks=8, rounds=3, batches=5, reads=52, layers=7, compute=0.021),
        gdal2tiles(only, ranks=8, tops=2, block=96_000, sizes=(75_000, 85_000, 90_000), compute=0.009),
        rocksdb(only, ranks=4, fills=4, batches=50, batch=24_000, table=1_000_000, compute=0.14),
        apptainer(only, ranks=16, blocks=40, given=6, made=8, compute=0.02),
        icon(only, ranks=16, calls=20, record=70_000, steps=4, message=60_000, compute=0.048),
        namd(only, ranks=16, atoms=92_224, frames=24, every=6, compute=0.008),
        cryosparc(only, ranks=4, movies=8, frames=40, frame=38_000, picture=390_000, compute=0.09),
        picongpu(only, ranks=8, cells=40_960, particles=36_864, outputs=3, compute=0.12),
        cp2k(only, ranks=8, basis=2_560, orbitals=256, side=96, steps=6, compute=0.06),
        minimap2(only, ranks=8, index=8, chunks=4, reads=12, rounds=10, compute=0.072),
        rechunker(only, ranks=8, times=8, parts=3, piece=100_000, compute=0.012),
        lammps(only, ranks=16, frames=12, atoms=3_300, groups=4, compute=0.004),
        megatron(only, ranks=8, saves=2, steps=4, tensors=12, tensor=200_000, compute=0.044),
        rockstar(only, ranks=16, snapshots=3, readers=4, particles=80_000, compute=0.005),
        mitgcm(only, side=4, tile=(60, 40), levels=8, periods=4, compute=0.04),
        saturne(only, ranks=16, cells=10_000, outputs=4, steps=6, compute=0.008),
        ramses(only, ranks=8, grids=(500, 1_200), particles=10_000, outputs=2, compute=0.18),
        mapdl(only, ranks=4, solves=2, panels=10, panel=256 * KIB, compute=0.04),
        vasp(only, ranks=8, bands=288, waves=12_000, grid=72, moves=5, compute=0.018),
        diamond(only, ranks=8, chunks=2, blocks=2, calls=4, turns=4, compute=0.085),
        mintpy(only, pairs=16, dates=10, rows=240, boxes=2, compute=0.19),
        fmriprep(only, ranks=4, nodes=8, calls=88, compute=0.08),
        optuna(only, ranks=8, trials=4, entries=9, calls=3, model=300_000, compute=0.008),
        hhblits(only, ranks=16, rounds=3, hits=16, sequences=12, lines=70, compute=0.04),
        lpjml(only, ranks=16, cells=200, years=4, saved=62, compute=0.004),
        parflow(only, ranks=8, columns=1_600, levels=10, outputs=12, compute=0.03),
        octopus(only, ranks=8, states=20, points=8_000, outputs=4, steps=6, compute=0.012),
        lsdyna(only, ranks=4, nodes=60_000, shells=58_000, states=5, steps=8, compute=0.025),
        epoch(only, split=(2, 2, 4), side=22, particles=10_000, dumps=2, compute=0.04),
        mhm2(only, ranks=16, parts=6, calls=48, rounds=4, contigs=170_000, compute=0.036),
        wsclean(only, ranks=4, tiles=16, rows=12, majors=2, side=320, compute=0.11),
        graphbolt(only, ranks=8, epochs=2, batches=7, nodes=8, tensor=1_400_000, compute=0.034),
        mlflow(only, ranks=16, epochs=6, params=6, calls=11, compute=0.009),
        hadd(only, ranks=8, files=10, reads=8, request=240_000, basket=30_000),
        cgyro(only, ranks=16, radial=128, species=2, state=800_000, steps=12, compute=0.016),
        fds(only, ranks=16, cells=(12, 15, 20), arrays=24, frames=12, compute=0.014),
        telemac(only, ranks=8, nodes=160_000, variables=6, frames=5, compute=0.06),
        noisepy(only, ranks=4, each=4, stations=8, trace=150_000, piece=32_000, compute=0.12),
        pelegant(only, ranks=8, particles=44_000, pages=2, turns=6, calls=8, compute=0.035),
        trinity(only, ranks=8, clusters=3, reads=9, compute=0.015),
        regenie(only, ranks=8, people=12_000, blocks=3, snps=250, variants=90, compute=0.055),
        nnunet(only, ranks=4, epochs=3, samples=4, planes=20, rows=96, compute=0.06),
        restic(only, ranks=4, small=30, large=4, reads=8, pack=48, compute=0.17),
        pastis(only, ranks=16, share=1_450_000, overlap=10_000, found=2_350_000, blocks=4, compute=0.05),
        athena(only, ranks=16, own=3, side=16, dumps=3, steps=4, compute=0.012),
        schism(only, ranks=16, nodes=15_000, layers=20, stacks=2, steps=4, compute=0.02),
        sw4(only, ranks=8, grid=(64, 60, 50), stations=80, cycles=15, compute=0.035),
        opm(only, ranks=4, cells=60_000, fields=12, reports=8, steps=3, compute=0.03),
        star(only, ranks=4, genome=1_000_000, chunks=4, reads=36, bins=16, compute=0.008),
        nwchem(only, ranks=8, records=3, cycles=6, functions=240, compute=0.012),
        savu(only, ranks=16, each=6, columns=256, compute=0.01),
        nextflow(only, ranks=8, waves=4, reads=4, compute=0.04),
        elasticsearch(only, ranks=8, bulks=12, bulk=300_000, blocks=16, compute=0.02),
        su2(only, ranks=16, points=800, fields=22, times=6, compute=0.075),
        xgc(only, ranks=16, group=4, particles=6_300, nodes=20_000, outputs=6, compute=0.07),
        nemo(only, split=(4, 2), tile=(40, 90), levels=8, outputs=4, compute=0.2),
        pluto(only, split=(2, 2, 2), block=(28, 32, 44), outputs=6, compute=0.13),
        psi4(only, ranks=4, auxiliary=80, pairs=7_680, blocks=3, compute=0.09),
        psana(only, ranks=16, rounds=6, batch=5, compute=0.08),
        redis(only, ranks=8, keys=30, steps=4, tensors=3, tensor=180_000, compute=0.075),
        genomicsdb(only, ranks=8, batches=3, samples=5, reads=3, compute=0.08),
        spark(only, ranks=8, maps=3, reduces=2, calls=26, pieces=3, compute=0.16),
        faiss(only, ranks=4, lists=50, vectors=160, batches=4, probes=5, compute=0.1),
        enzo(only, ranks=8, grids=6, fields=13, dumps=3, compute=0.15),
        castro(only, ranks=16, files=4, variables=24, plots=2, compute=0.12),
        roms(only, ranks=8, points=18_000, levels=18, times=12, every=3, compute=0.04),
        epw(only, ranks=8, coarse=3, fine=3, vectors=32, compute=0.09),
        aspect(only, ranks=16, outputs=3, steps=4, cells=930, compute=0.03),
        presto(only, ranks=8, channels=256, rounds=8, blocks=4, each=6, compute=0.018),
        clickhouse(only, ranks=4, inserts=5, part=1_300_000, compute=0.05),
        deepspeed(only, ranks=16, numbers=45_000, steps=6, compute=0.08),
        cellranger(only, ranks=8, reads=36, runs=2, shard=190_000, index=2, compute=0.09),
        dials(only, ranks=8, each=12, image=220_000, compute=0.009),
        nco(only, ranks=4, years=4, points=5_400, levels=4, compute=0.03),
        microhh(only, columns=2, rows=4, grid=(84, 80, 132), crosses=6, steps=3, compute=0.015),
        plumed(only, ranks=8, exchanges=10, hills=45, bins=84, every=2, compute=0.049),
        alice(only, ranks=8, frames=12, raw=730_000, packed=210_000, compute=0.04),
        swift(only, ranks=16, gas=3_100, dark=3_300, snapshots=4, steps=3, compute=0.03),
        hfdatasets(only, ranks=8, parts=2, part=1_310_000, record=173_000, rows=96, compute=0.07),
        hipmcl(only, ranks=16, batches=3, text=412_000, rounds=4, compute=0.06),
        prometheus(only, ranks=4, rounds=3, log=(9, 61_300), block=(1_130_000, 436_000), compute=0.015),
        toil(only, ranks=8, jobs=4, given=830_000, made=472_000, compute=0.096),
        rsync(only, ranks=4, files=(12, 6, 3), sizes=(743_000, 1_326_000), compute=0.03),
        berkeleygw(only, split=4, bands=3, waves=38_700, order=560, points=6, compute=0.014),
        cactus(only, ranks=8, side=17, levels=3, outputs=4, steps=4, compute=0.027),
        caiman(only, ranks=8, frames=52, sides=(96, 108), patch=36, compute=0.11),
        canu(only, ranks=8, block=800_000, overlaps=4, compute=0.12),
        hycom(only, tiles=4, grid=(192, 320), levels=8, days=6, compute=0.056),
        pflotran(only, split=(2, 2, 2), block=(24, 24, 30), outputs=4, steps=4, compute=0.02),
        siesta(only, ranks=8, moves=3, cycles=6, nonzeros=131_000, mesh=100, compute=0.02),
        lsst(only, ranks=8, visits=2, exposure=936_000, warp=570_000, compute=0.045),
        orbax(only, ranks=8, saves=3, steps=4, records=3, state=770_000, compute=0.03),
        suite2p(only, ranks=4, frame=24_200, batches=4, batch=40, compute=0.025),
    )


def held_out() -> tuple[Kernel, ...]:
    """Return those whose runs came last; docs/history.md tells which version of the prior saw them first."""
    only = "only"
    return (
        fdb(only, ranks=16, steps=4, field=26_300, levels=20, surface=12, compute=0.048),
        molcas(only, ranks=8, batches=4, vectors=7, vector=36_400, cycles=5, compute=0.06),
        flexi(only, ranks=16, elements=70, order=5, outputs=3, samples=110, compute=0.04),
        madgraph(only, ranks=8, channels=21, density=40, events=44, compute=0.03),
        mesa(only, ranks=8, tables=15, profiles=4, every=23, zones=1_070, compute=0.005),
        markduplicates(only, ranks=8, parts=22, mates=8, compute=0.01),
        freesurfer(only, ranks=4, compute=0.024),
        yolo(only, ranks=4, train=76, epochs=3, weights=2_130_000, compute=0.013),
        isce(only, ranks=8, bursts=2, lines=24, samples=2_115, compute=0.1),
        dask(only, ranks=16, parts=3, columns=5, chunk=86_300, shard=23_900, compute=0.06),
    )
