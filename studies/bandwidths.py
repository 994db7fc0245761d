"""The bandwidths of file systems on the lab, beside those that were measured before it was built.

Eight ranks on four nodes write and read a shared file: by POSIX, 4 MiB at a time, 32 MiB a rank; by collective MPI-IO,
interleaved 256 KiB, 16 MiB a rank. Before each read page caches are dropped, and each rank reads what one on another
node wrote. Each repetition is a pass over all cases, deployed anew. The medians of the runs so far are printed with
their ratio to what was measured then: 15 % are allowed.

Each run is a line of the file given: what is in it is not measured again, so the script can be stopped at any time.

Two conditions of then are not written down, and are taken from what fits (docs/results.md): an MPICH whose ranks wait
in poll (its device ch3:sock; ACIC_MPIEXEC names such a build, the wheel's ranks sleep and ask), and an OrangeFS client
that answers fsync without doing anything, as released, so writes to OrangeFS are without fsync here.

    sudo python studies/bandwidths.py [--results FILE] [--only REGEX] [--repetitions 3] [--allowed 0.15]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

from acic.benchmarks import find_benchmark
from acic.cluster import Job, State
from acic.errors import AcicError
from acic.filesystems.registry import FILE_SYSTEMS
from acic.lab import Lab, LabFacts, clean_up
from acic.space import Value
from acic.units import GIB, KIB, MIB

PLATFORM = Path(__file__).with_name("lab-md.toml")
PROCESSES = 8
SECONDS = 180.0  # a run takes 5
PATTERNS: Mapping[str, tuple[str, ...]] = {
    "shared": ("-a", "POSIX", "-t", "4m", "-b", "32m"),
    "collective": ("-a", "MPIIO", "-c", "-t", "256k", "-b", "256k", "-s", "64"),
}
OPERATIONS = ("write", "read")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A row of the table: MiB/s of shared write and read, collective write and read; None where not measured.

    `synced` is whether writes end with fsync: not on OrangeFS, whose client, as released, does nothing then.
    """

    title: str
    configuration: Mapping[str, Value]
    expected: tuple[float | None, float | None, float | None, float | None]

    @property
    def synced(self) -> bool:
        return self.configuration["file_system"] != "OrangeFS"

    def wanted(self) -> dict[tuple[str, str], float]:
        keys = [(pattern, operation) for pattern in PATTERNS for operation in OPERATIONS]
        return {key: value for key, value in zip(keys, self.expected, strict=True) if value is not None}


def case(
    title: str, file_system: str, expected: tuple[float | None, ...], *, device: str = "ephemeral", **more: Value
) -> Case:
    values: dict[str, Value] = {
        "instance_type": "1g",
        "file_system": file_system,
        "placement": "dedicated",
        "device": device,
        "servers": 4,
        "raid_devices": 1,
        **more,
    }
    first, second, third, fourth = expected
    return Case(title=title, configuration=values, expected=(first, second, third, fourth))


TIB = 1024 * GIB
CASES = (
    case("NFS", "NFS", (72, 76, 68, 72), servers=1, consistency="relaxed"),
    case("NFS, EBS", "NFS", (37, 38, 36, 38), servers=1, consistency="relaxed", device="EBS"),
    case("NFS, RAID0x2", "NFS", (112, 113, None, None), servers=1, consistency="relaxed", raid_devices=2),
    case("Gluster, 1 server", "GlusterFS", (72, 74, 68, 49), servers=1),
    case("Gluster, 4 servers, shard 4M", "GlusterFS", (187, 214, 145, 52), stripe_size=4 * MIB),
    case("Gluster, 4 servers, shard 4M, EBS", "GlusterFS", (103, 105, None, None), stripe_size=4 * MIB, device="EBS"),
    case("Gluster, 4 servers, no shard", "GlusterFS", (72, 73, None, 50), stripe_size=TIB),
    case("Gluster, 4 servers, shard 64M", "GlusterFS", (134, 149, 76, None), stripe_size=64 * MIB),
    case("OrangeFS, 4 servers, 64K", "OrangeFS", (266, 228, 223, 170), stripe_size=64 * KIB, metadata="one"),
    case("OrangeFS, 4 servers, 4M", "OrangeFS", (161, 134, 100, 84), stripe_size=4 * MIB, metadata="one"),
    case("Ceph, 4 servers, 64K, lazy", "CephFS", (203, 217, 208, 94), stripe_size=64 * KIB, consistency="relaxed"),
    case("Ceph, 4 servers, 64K, strict", "CephFS", (61, 229, 67, 77), stripe_size=64 * KIB, consistency="strict"),
)

Results = dict[tuple[str, str, str], list[float]]  # MiB/s, by title, pattern and operation


def main() -> int:
    arguments = _arguments()
    measured = _read(arguments.results)
    wanted = [each for each in CASES if re.search(arguments.only, each.title)]
    if any(_short(each, measured, arguments.repetitions) for each in wanted):
        clean_up(arguments.state, name=arguments.name)
        facts = LabFacts.of(tomllib.loads(PLATFORM.read_text())["lab"])
        lab = Lab.up(facts, nic="1g", state=arguments.state, name=arguments.name, network=arguments.network)
        try:
            for repetition in range(1, arguments.repetitions + 1):
                for each in wanted:
                    if patterns := _short(each, measured, repetition):
                        _measure(lab, each, patterns, measured, arguments.results)
        finally:
            lab.down()
    return _table(wanted, measured, arguments.allowed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("lab-bandwidths.jsonl"), help="file of the runs so far")
    parser.add_argument("--only", default="", help="regular expression: rows to measure and show")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--allowed", type=float, default=0.15, help="deviation that is no failure")
    parser.add_argument("--state", type=Path, default=Path("/run/acic-lab-bw"), help="folder of the lab's record")
    parser.add_argument("--name", default="bw", help="of the lab")
    parser.add_argument("--network", default="10.48.0.0/24", help="of the lab")
    return parser.parse_args()


def _read(path: Path) -> Results:
    found: Results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            run = json.loads(line)
            found.setdefault((run["case"], run["pattern"], run["operation"]), []).append(run["MiB/s"])
    return found


def _short(each: Case, measured: Results, repetitions: int) -> list[str]:
    """Return the patterns of which runs are missing, in the table's order."""
    wanted = each.wanted()
    return [
        pattern
        for pattern in PATTERNS
        if any(
            len(measured.get((each.title, pattern, operation), ())) < repetitions
            for operation in OPERATIONS
            if (pattern, operation) in wanted
        )
    ]


def _measure(lab: Lab, each: Case, patterns: Sequence[str], measured: Results, results: Path) -> None:
    """Deploy a case anew, and run it by each of the patterns."""
    if each.configuration["file_system"] not in FILE_SYSTEMS:
        print(f"{each.title}: not measured, acic has no such file system here", file=sys.stderr)
        return
    try:
        lab.deploy(each.configuration)
        for pattern in patterns:
            for operation, bandwidth in _run(lab, pattern, synced=each.synced):
                measured.setdefault((each.title, pattern, operation), []).append(bandwidth)
                run = {"case": each.title, "pattern": pattern, "operation": operation, "MiB/s": bandwidth}
                with results.open("a") as file:
                    file.write(json.dumps(run) + "\n")
                print(each.title, pattern, operation, f"{bandwidth:.0f} MiB/s", file=sys.stderr, flush=True)
    except AcicError as error:
        print(f"{each.title}: {error.problem}", file=sys.stderr)
    finally:
        lab.undeploy()


def _run(lab: Lab, pattern: str, *, synced: bool) -> Iterator[tuple[str, float]]:
    """Write, drop page caches, read; yield each operation with its MiB/s."""
    site = lab.site
    if site is None:
        raise AcicError("nothing is deployed")
    program = find_benchmark("acic-bench").program
    path = f"{site.deployment.directory}/run-{uuid4().hex[:12]}"
    made = lab.run("c0", ["touch", path])
    if made.returncode:
        raise AcicError(f"no file can be made: {made.stderr}")
    with tempfile.TemporaryDirectory(prefix="acic-bandwidths-") as folder:
        for operation, flags in (("write", ("-w", "-e") if synced else ("-w",)), ("read", ("-r", "-C"))):
            if troubles := lab.audit():
                raise AcicError(f"the lab is not as it should be: {'; '.join(troubles)}")
            lab.room.drop_caches()  # as then: clients stay mounted, which CephFS's strict mode notices
            hints = Path(folder) / "hints"
            hints.write_text("".join(f"IOR_HINT__MPI__{key}={value}\n" for key, value in site.deployment.hints.items()))
            with_hints = ("-U", str(hints)) if pattern == "collective" else ()
            command = (str(program), *PATTERNS[pattern], *flags, "-k", "-E", "-G", "7", *with_hints, "-o", path)
            yield operation, _bandwidth(lab, (*command, "-O", "summaryFormat=JSON"), Path(folder), operation)
    lab.run("c0", ["rm", "-f", path], seconds=60)


def _bandwidth(lab: Lab, command: Sequence[str], folder: Path, operation: str) -> float:
    name = f"bw-{uuid4().hex[:12]}"
    job = Job(name=name, command=tuple(command), processes=PROCESSES, folder=folder, time_limit=SECONDS, nodes=4)
    runner = lab.runner()
    runner.submit(job)
    ending = runner.wait(job)
    if ending.state is not State.DONE:
        raise AcicError(f"a run failed: {ending.reason}: {job.stderr.read_text()[-400:]}")
    text = job.stdout.read_text()
    summary = json.loads(text[text.index("{") :])["summary"]
    return float(next(one["bwMaxMIB"] for one in summary if one["operation"] == operation))


def _table(cases: Sequence[Case], measured: Results, allowed: float) -> int:
    print("| configuration | pattern | operation | MiB/s | then | ratio | runs |\n|---|---|---|---|---|---|---|")
    far = 0
    for each in cases:
        for (pattern, operation), then in each.wanted().items():
            runs = measured.get((each.title, pattern, operation), [])
            if not runs:
                print(f"| {each.title} | {pattern} | {operation} | | {then:g} | | 0 |")
                continue
            ratio = median(runs) / then
            far += abs(ratio - 1) > allowed
            mark = " !" if abs(ratio - 1) > allowed else ""
            row = f"{median(runs):.0f} | {then:g} | {ratio:.2f}{mark} | {len(runs)}"
            print(f"| {each.title} | {pattern} | {operation} | {row} |")
    print(f"\n{far} further off than {allowed:.0%}")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
