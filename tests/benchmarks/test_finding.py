"""Which benchmark is taken, and what is told where there is none."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import pytest

import acic
from acic import kept
from acic.benchmarks import Benchmark, building, find_benchmark
from acic.benchmarks.benchmark import hints_text, identify
from acic.errors import AcicError, InvalidInput, MissingData, UnreadableInput, with_extra
from acic.store.ior_options import from_command


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with neither IOR nor an MPI nor anything in the cache; its one folder on PATH."""
    for variable in ("ACIC_BENCH", "ACIC_MPICC", "ACIC_MPIEXEC"):
        monkeypatch.delenv(variable, raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "venv" / "python"))
    return folder


def keep(cache: Path, mpi: str, mpiexec: Path = Path("/mpi/mpiexec")) -> Path:
    """Put a program into the cache, as if it had been built."""
    home = cache / f"bench-{acic.__version__}-{kept.source_digest(building.sources())}-{mpi}"
    (home / "built.json").parent.mkdir(parents=True)
    (home / "built.json").write_text(json.dumps({"mpicc": str(mpiexec.with_name("mpicc")), "mpiexec": str(mpiexec)}))
    return program(home / "acic-bench", "acic-bench-9.9")


def test_ior_on_path_goes_first(bare: Path) -> None:
    program(bare / "ior", "\0ELF IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O\0")
    found = find_benchmark()
    assert (found.name, found.version, found.program) == ("ior", "4.1.0+dev", bare / "ior")
    assert not found.verifies_places
    assert found == find_benchmark("ior")


def test_a_program_where_none_may_run_is_said(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice was to leave the benchmark to acic, which had just built it there."""
    ior = program(bare / "ior", "IOR-4.1.0")
    (ior.parent / "plain").touch()
    with pytest.raises(UnreadableInput, match="it cannot be executed"):
        identify(ior.parent / "plain")
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC | os.ST_NODEV))
    with pytest.raises(UnreadableInput, match="its file system is mounted noexec") as caught:
        identify(ior)
    assert "ACIC_CACHE" in caught.value.hint


def test_a_program_in_the_home_of_nobody_is_said() -> None:
    with pytest.raises(InvalidInput, match="~nosuchuser") as caught:
        find_benchmark("~nosuchuser/ior")
    assert caught.value.hint


def test_without_ior_it_is_acic_bench(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = program(tmp_path / "named", "acic-bench-1.2.3")
    monkeypatch.setenv("ACIC_BENCH", str(named))
    found = find_benchmark()
    assert (found.name, found.version, found.program) == ("acic-bench", "1.2.3", named)
    assert found.verifies_places
    program(bare / "ior", "IOR-4.0.0")
    assert find_benchmark("acic-bench") == found
    assert find_benchmark().name == "ior"


def test_a_program_in_the_cache_needs_no_compiler(tmp_path: Path) -> None:
    """The newest of several MPIs' is taken, and no unfinished or foreign one."""
    cache = tmp_path / "cache"
    kept = [keep(cache, mpi) for mpi in ("one", "two")]
    os.utime(kept[0], (2e9, 2e9))
    program(cache / "bench-unfinished-x" / "acic-bench", "acic-bench-6")
    program(cache / "bench-0.0.1-other-one" / "acic-bench", "acic-bench-7")
    found = find_benchmark()
    assert (found.program, found.version, found.mpiexec) == (kept[0], "9.9", Path("/mpi/mpiexec"))


def test_the_launcher_that_the_user_names_goes_before_that_of_the_build(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once acic-bench was built, ACIC_MPIEXEC was not looked at."""
    mpicc = program(bare / "mpicc", "#!/bin/sh")
    keep(tmp_path / "cache", building._identity(mpicc))
    assert find_benchmark().mpiexec == Path("/mpi/mpiexec")
    monkeypatch.setenv("ACIC_MPIEXEC", str(program(bare / "mpirun", "#!/bin/sh")))
    assert find_benchmark().mpiexec is None  # so that a runner looks for it


def test_what_was_built_for_another_mpi_is_not_started_in_place_of_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ACIC_MPIEXEC without a compiler was an error in an empty cache, and else not used without a word."""
    keep(tmp_path / "cache", "one")
    named = program(tmp_path / "mpi" / "mpirun", "#!/bin/sh")
    monkeypatch.setenv("ACIC_MPIEXEC", str(named))
    with pytest.raises(MissingData, match="mpirun, without an mpicc beside it") as caught:
        find_benchmark()
    assert "ACIC_BENCH" in caught.value.hint
    own, newest = keep(tmp_path / "cache", "its own", mpiexec=named), keep(tmp_path / "cache", "newest")
    os.utime(newest, (2e9, 2e9))
    assert (find_benchmark().program, find_benchmark().mpiexec) == (own, named)
    link = tmp_path / "mpiexec"
    link.symlink_to(named)
    monkeypatch.setenv("ACIC_MPIEXEC", str(link))  # as Debian's alternatives
    assert find_benchmark().program == own
    monkeypatch.delenv("ACIC_MPIEXEC")
    assert find_benchmark().program == newest


@pytest.mark.parametrize("facts", ["", "{}", "[]", '{"mpiexec": null}'])
def test_a_cache_that_somebody_touched_still_serves(tmp_path: Path, facts: str) -> None:
    kept = keep(tmp_path / "cache", "one")
    (kept.parent / "built.json").write_text(facts)
    assert find_benchmark() == Benchmark(name="acic-bench", program=kept, version="9.9", mpiexec=None)


def test_a_build_that_takes_too_long_is_told(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("sh", "sleep", "mkdir", "make"):
        (bare / tool).symlink_to(str(shutil.which(tool, path="/usr/bin:/bin")))
    busy = tmp_path / "busy"
    turns = " ".join(map(str, range(200)))
    program(bare / "mpicc", f"#!/bin/sh\nfor turn in {turns}; do echo >> {busy}; sleep 0.02; done\n")
    monkeypatch.setattr(building, "_SECONDS", 1)
    with pytest.raises(AcicError, match=r"not built with .* within"):
        find_benchmark()
    said = busy.stat().st_size
    time.sleep(0.2)
    assert busy.stat().st_size == said > 0  # no compiler goes on
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["acic-bench.lock"]


def test_a_path_is_taken_for_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_benchmark(str(program(tmp_path / "x", "has IOR-3.3.0 in it"))).name == "ior"
    assert find_benchmark(str(program(tmp_path / "y", "has acic-bench-1.0 in it"))).name == "acic-bench"
    wrapper = find_benchmark(str(program(tmp_path / "acic-bench-wrapper", "#!/bin/sh")))
    assert (wrapper.name, wrapper.version) == ("acic-bench", "")
    assert find_benchmark("./x").program == tmp_path / "x"


@pytest.mark.parametrize("choice", ["mdtest", "", "acic_bench"])
def test_another_word_is_no_choice(choice: str) -> None:
    with pytest.raises(InvalidInput, match="is no benchmark") as caught:
        find_benchmark(choice)
    assert "acic-bench" in caught.value.hint


def test_what_is_no_program_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableInput, match="no such file"):
        find_benchmark(str(tmp_path / "missing"))
    (tmp_path / "text").write_text("IOR-4")
    with pytest.raises(UnreadableInput, match="cannot be executed"):
        find_benchmark(str(tmp_path / "text"))
    monkeypatch.setenv("ACIC_BENCH", str(tmp_path / "missing"))
    with pytest.raises(UnreadableInput, match="missing"):
        find_benchmark("acic-bench")
    with pytest.raises(InvalidInput, match="no ior on PATH"):
        find_benchmark("ior")


def test_without_an_mpi_the_error_says_how_to_get_one() -> None:
    with pytest.raises(AcicError, match="no MPI") as caught:
        find_benchmark()
    assert with_extra("mpi") in caught.value.hint


def test_a_variable_that_names_no_program_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ACIC_MPIEXEC", "ACIC_MPICC"):
        monkeypatch.setenv(variable, "/nowhere/mpi")
        with pytest.raises(InvalidInput, match=f"{variable} names /nowhere/mpi"):
            find_benchmark()


@pytest.mark.parametrize(
    ("variable", "named"), [("ACIC_MPICC", "mpi/mpicc"), ("ACIC_MPIEXEC", "./mpi/mpiexec"), ("PATH", "mpi")]
)
def test_an_mpi_is_found_from_where_one_stands_and_used_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, named: str
) -> None:
    for tool in ("mpicc", "mpiexec"):
        program(tmp_path / "mpi" / tool, "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, named)
    assert building.find_mpicc() == tmp_path / "mpi" / "mpicc"


def test_without_make_or_a_compiler_the_error_says_so(bare: Path, tmp_path: Path) -> None:
    program(bare / "mpicc", "#!/bin/sh\necho the compiler is broken >&2\nexit 3\n")
    with pytest.raises(AcicError, match="there is no make"):
        find_benchmark()
    for tool in ("sh", "mkdir", "echo", "make"):
        (bare / tool).symlink_to(str(shutil.which(tool, path="/usr/bin:/bin")))
    with pytest.raises(AcicError, match="the compiler is broken") as caught:
        find_benchmark()
    assert "install a C compiler" in caught.value.hint
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["acic-bench.lock"]


def test_a_cache_that_cannot_be_made_is_told(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare / "mpicc", "#!/bin/sh\n")
    (tmp_path / "file").touch()
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(AcicError, match="cannot build acic-bench in") as caught:
        find_benchmark()
    assert "ACIC_CACHE" in caught.value.hint


def test_a_full_disk_is_told_in_a_few_words(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told of each of the sources' files, as a list of Python's, in 14 kB."""

    def full(_: str, target: str, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", target)

    program(bare / "mpicc", "#!/bin/sh\n")
    program(bare / "make", "#!/bin/sh\n")
    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(MissingData) as caught:  # exit status 4: what runs are made with is not there
        find_benchmark()
    assert caught.value.problem == f"cannot build acic-bench in {tmp_path / 'cache'}: No space left on device"
    assert caught.value.hint.startswith("free some space there, or name another folder in ACIC_CACHE")


def test_it_is_found_in_less_than_5_ms(tmp_path: Path) -> None:
    keep(tmp_path / "cache", "one")
    find_benchmark()
    taken = []
    for _ in range(9):
        begin = time.perf_counter()
        find_benchmark()
        taken.append(time.perf_counter() - begin)
    assert median(taken) < 5e-3


def test_a_command_writes_its_summary_to_the_file(tmp_path: Path) -> None:
    bench = Benchmark(name="ior", program=Path("/opt/ior"), version="4")
    command = bench.command(("-a", "POSIX", "-b", "4m"), tmp_path / "s.json")
    assert command[0] == "/opt/ior"
    assert command[-4:] == ("-O", "summaryFormat=JSON", "-O", f"summaryFile={tmp_path / 's.json'}")
    assert from_command(" ".join(command)).block_size == 4 << 20
    for name in ("a,b", "a;b", "a#b"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            bench.command((), tmp_path / name)


def test_hints_are_lines_that_both_programs_read(tmp_path: Path) -> None:
    assert hints_text({"cb_nodes": "2", "striping_factor": "4"}) == (
        "IOR_HINT__MPI__cb_nodes=2\nIOR_HINT__MPI__striping_factor=4\n"
    )
    for name, value in (("a b", "1"), ("a", ""), ("a", "1\n2"), ("a", "1#2"), ("", "1")):
        with pytest.raises(InvalidInput, match="hint"):
            hints_text({name: value})
    bench = identify(program(tmp_path / "x", "IOR-4.0"))
    assert bench.hints_arguments(Path("h")) == ("--mpiio.hintsFileName=h",)
