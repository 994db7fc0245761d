"""What the jobs of a run write: all of it for as long as it runs, then the one output that tells how it went."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path


class Outputs:
    """The outputs of one run.

    Args:
        kept: the folder that keeps one output of each run.
        name: of the run.
    """

    def __init__(self, kept: Path, name: str) -> None:
        self.folder = kept / name
        self.evidence = self.folder / f"{name}-measure.json"  # the output that tells how it went
        self._raw = kept / f"{name}.json"

    def keep(self) -> str:
        """Remove the outputs, except for the one that tells how it went; return the hash of that, "" without one."""
        raw = ""
        with suppress(OSError):  # there may be none
            raw = hashlib.sha256(self.evidence.read_bytes()).hexdigest() if self.evidence.stat().st_size else ""
            if raw:
                self.evidence.replace(self._raw)
        shutil.rmtree(self.folder, ignore_errors=True)
        return raw

    def forget(self) -> None:
        """Remove all of them, and what was kept."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._raw.unlink(missing_ok=True)
