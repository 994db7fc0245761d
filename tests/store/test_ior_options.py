"""IOR's command line, as IOR itself reads it."""

from __future__ import annotations

import pytest

from acic.errors import InvalidInput
from acic.store.ior_options import IorOptions, from_command
from acic.workloads import Access, Interface, Operation
from tests.store.samples import MIB


@pytest.mark.parametrize(
    "command",
    [
        "ior -a MPIIO -b 4m -t 1m -s 2 -c -w -i 3",
        "/opt/ior-4.0/bin/ior -a=MPIIO -b=4m -t=1m -s=2 -c=1 -w -i=3 -o /scratch/f -k",
        "ior -aMPIIO -b4194304 -t1048576 -s2 -cw -i3 -vv",
        "ior -w -i 3 -O api=MPIIO,blockSize=4m,transferSize=1m -O segmentCount=2,collective=1",
        "ior --collective -w -a MPIIO -b 4m -t 1m -s 2 -i 3 --posix.odirect",
        "-a MPIIO -b 4m -t 1m -s 2 -c -w -i 3",
        "ior -a MPIIO -b 4MB -t 1MiB -s 2 -c -w -i 3",  # of a unit IOR reads the letter alone: powers of 1024
        "ior -a MPIIO -b 4Mb -t '1 M' -s 2 -c -w -i 3",
    ],
)
def test_every_spelling_means_the_same(command: str) -> None:
    assert from_command(command) == IorOptions(
        api="MPIIO", block_size=4 * MIB, transfer_size=MIB, segments=2, repetitions=3, collective=True, read=False
    )


def test_the_defaults_are_those_of_ior() -> None:
    assert from_command("ior") == IorOptions()
    assert from_command("ior").operations == (Operation.WRITE, Operation.READ)


def test_what_is_no_size_of_iors_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'much' is not a size of IOR's"):
        from_command("ior -b much")


@pytest.mark.parametrize(
    "launcher", ["mpiexec -n 8", "mpirun --hostfile h -np 8", "srun --ntasks=8 -N 2", "aprun -n 8"]
)
def test_the_launcher_tells_the_processes(launcher: str) -> None:
    assert from_command(f"{launcher} ior -a POSIX").tasks == 8
    assert from_command(f"{launcher} ./ior -a POSIX -N 4").tasks == 4


@pytest.mark.parametrize(
    ("flags", "operations"),
    [("-w", "write"), ("-r", "read"), ("-wr", "write read"), ("-w -W", "write"), ("-R", "read"), ("-F", "write read")],
)
def test_directions(flags: str, operations: str) -> None:
    assert " ".join(from_command(f"ior {flags}").operations) == operations


def test_what_it_makes_of_the_file() -> None:
    options = from_command("mpiexec -n 4 ior -F -z -a NCMPI -T 5")
    made = options.characteristics(Operation.READ)
    assert (made.shared, made.access, made.interface) == (False, Access.RANDOM, Interface.PNETCDF)
    assert options.may_stop_early


def test_what_it_cannot_tell_is_said() -> None:
    with pytest.raises(InvalidInput, match="how many processes"):
        from_command("ior -a POSIX").characteristics(Operation.READ)
    with pytest.raises(InvalidInput, match="MMAP"):
        from_command("mpiexec -n 2 ior -a MMAP").characteristics(Operation.READ)


@pytest.mark.parametrize("command", ["ior -b four", "ior -o 'unclosed"])
def test_what_cannot_be_read_is_refused(command: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_command(command)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("directives", "operations"),
    [
        ("writeFile=1,readFile=0", "write"),
        ("readFile=1", "read"),
        ("checkRead=1", "read"),
        ("checkWrite=1", "write"),
        ("writeFile=0", "write read"),
    ],
)
def test_directions_by_their_long_names(directives: str, operations: str) -> None:
    """A read that was never asked for was invented, and counted as failed."""
    assert " ".join(from_command(f"ior -O {directives}").operations) == operations


def test_a_hints_file_attached_to_its_option_is_no_flags() -> None:
    assert from_command("ior -a MPIIO -Uhints -b 4m") == from_command("ior -a MPIIO -b 4m")


def test_acic_bench_is_found_behind_its_launcher() -> None:
    options = from_command("srun -N 2 -n 8 /opt/bin/acic-bench -b 4m")
    assert (options.tasks, options.block_size) == (8, 4 * MIB)


@pytest.mark.parametrize("launcher", ["srun -N 2 -n 8", "/opt/bin/mpiexec.hydra -f hosts -n 8"])
def test_a_launchers_options_are_not_taken_for_iors(launcher: str) -> None:
    with pytest.raises(InvalidInput, match="is called ior"):
        from_command(f"{launcher} ./run_it.sh -b 4m")
