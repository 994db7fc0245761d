"""Are stripes in force that were set? They are read back of a file that a run has made."""

from __future__ import annotations

import shlex
from pathlib import Path

from acic.errors import on_one_line
from acic.filesystems import Settings, stripes
from acic.platforms.layouts import told

_PATIENCE = 30.0  # s that a file system has to tell, which has just been written to


def read_back(made: Settings, folder: Path) -> tuple[str, str]:
    """Return how a file below `folder` has other stripes than `made`, and that nobody tells; "" for each otherwise.

    What is less than told (objects, of more than there are targets) would be stored, and learned, as what was told.
    """
    try:
        file = next((path for path in folder.rglob("*") if path.is_file()), None) if made.check else None
        if file is None:
            return "", ""
        words = stripes.command(made, file)
        differ = stripes.otherwise(made, told(*words, patience=_PATIENCE), file.stat().st_size)
    except OSError as error:  # a straggler removes the file, say, which takes nothing from what was measured
        return "", f"its stripes were not read back: {on_one_line(error)}"
    if differ is None:
        return "", f"its stripes were not read back: `{shlex.join(words[:-1])}` does not tell them"
    return f"not in force: {differ}" if differ else "", ""
