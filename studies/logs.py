"""Makes Darshan logs of applications, of a run of each on the lab's baseline, as `acic evaluate --logs` takes them.

What a user has to ask acic with is such a log. They are put into the folder, NAME-SCALE.darshan, and what is there is
not made again. `--pack` puts all that are there into a zip file, in which they come with acic.

    sudo acic lab up && sudo python studies/logs.py FOLDER --library libdarshan.so [--pack FILE.zip]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks import find_benchmark
from acic.benchmarks.kernels import kernels
from acic.evaluation.logs import SUFFIX
from acic.evaluation.running import Runs
from acic.platforms import load_platform
from acic.store.measurement import Outcome
from acic.whole import whole
from studies.lab_runs import open_lab

MEMORY = "64"  # MiB for records: some open hundreds of files


def main() -> int:
    arguments = _arguments()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    platform, failed = load_platform("lab"), 0
    every = [one for part in ("development", "test", "heldout") for one in kernels(part)]
    todo = [one for one in every if not (arguments.folder / f"{one.key}{SUFFIX}").exists()]
    with tempfile.TemporaryDirectory() as outputs, tempfile.TemporaryDirectory() as written:
        environment = {
            "LD_PRELOAD": str(arguments.library),
            "DARSHAN_LOGPATH": written,  # of a library that was made --with-log-path-by-env=DARSHAN_LOGPATH
            "DARSHAN_MODMEM": MEMORY,
        }
        runs = Runs(platform, open_lab(), find_benchmark("acic-bench"), Path(outputs), environment=environment)
        for one in todo:
            run = runs.run(one, platform.baseline, 0)
            logs = sorted(Path(written).glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
            if run.outcome is Outcome.OK and logs:
                (arguments.folder / f"{one.key}{SUFFIX}").write_bytes(logs[-1].read_bytes())
            else:
                failed += 1
                print(f"{one.key}: {run.outcome} {run.note or 'no log was written'}", file=sys.stderr)
            for path in logs:
                path.unlink()
    if arguments.pack:
        with whole(arguments.pack) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(arguments.folder.glob(f"*{SUFFIX}")):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes())  # without the time of day
    print(f"{len(todo) - failed} logs made, {failed} failed, {len(every) - len(todo)} were there")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the logs")
    parser.add_argument("--library", type=Path, required=True, help="libdarshan.so for acic-bench's MPI")
    parser.add_argument("--pack", type=Path, help="zip file to put all logs of the folder into")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
