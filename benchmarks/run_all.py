"""Run every benchmark beside this file, one after the other; alone on the machine the figures are best.

Each runs as it is, without arguments. What this machine has no program for is left out, and told with the reason.
Ends with 0 where all that ran did, else with 1: a benchmark ends with 1 where a bar is missed.
"""

import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = {"native": "ior"}  # programs on PATH
STUDIES = "studies/ (not about speed; most need a lab that is up, or arguments)"


def main() -> int:
    scripts = {path.stem.removeprefix("bench_"): path for path in sorted(Path(__file__).parent.glob("bench_*.py"))}
    missing = {name: program for name, program in NEEDED.items() if name in scripts and shutil.which(program) is None}
    left_out = [*(f"{name} (no {program} on PATH)" for name, program in missing.items()), STUDIES]
    print(f"left out: {'; '.join(left_out)}", flush=True)
    failed = []
    for name in sorted(scripts.keys() - missing.keys()):
        print(f"\n== {name} ==", flush=True)
        if status := subprocess.run([sys.executable, scripts[name]], check=False).returncode:
            failed.append(f"{name} ({status})")
    if failed:
        print(f"\nended with another status than 0: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
