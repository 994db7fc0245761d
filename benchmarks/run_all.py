"""Run every benchmark beside this file, one after the other; alone on the machine the figures are best."""

import subprocess
import sys
from pathlib import Path


def main() -> int:
    status = 0
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"\n== {script.stem.removeprefix('bench_')} ==", flush=True)
        status |= subprocess.run([sys.executable, script], check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
