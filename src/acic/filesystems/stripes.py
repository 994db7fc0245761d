"""How a file is striped, as the command that shows it tells: a file system may do less than it was told.

Sources: lfs-getstripe(1); docs.ceph.com, File layouts; pvfs2-viewdist(1), and the OrangeFS documentation on datafiles.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from acic.filesystems.settings import Settings
from acic.units import format_setting

_SHOWN = {  # by the command
    "lfs": {"stripe_count": r"stripe_count:\s*(\d+)", "stripe_size": r"stripe_size:\s*(\d+)"},
    "getfattr": {"stripe_count": r"\bstripe_count=(\d+)", "stripe_size": r"\bstripe_unit=(\d+)"},
    "pvfs2-viewdist": {"stripe_count": r"datafiles/servers = (\d+)", "stripe_size": r"strip_size:(\d+)"},
}


def command(made: Settings, file: Path) -> tuple[str, ...]:
    """Return the command that shows the stripes of a file; () where `made` sets none, or none shows them."""
    return (*shlex.split(made.check)[:-1], str(file)) if made.check else ()


def otherwise(made: Settings, told: str, size: int) -> str | None:
    """Return which stripes of a file are not those of `made`: "stripe_count 32, but 8".

    Args:
        made: what was set.
        told: what `command` printed of the file.
        size: of the file, B.

    Returns:
        "" where all are; None where `told` does not tell, as of a file whose parts are striped in several ways.
    """
    found: dict[str, int] = {}
    for name, shown in _SHOWN[shlex.split(made.check)[0]].items():
        if len(numbers := re.findall(shown, told)) != 1:
            return None
        found[name] = int(numbers[0])
    if size <= found["stripe_size"]:  # all of it is in one object, and OrangeFS makes no others
        found.pop("stripe_count")
    differ = (name for name, value in made.stripes.items() if value > 0 and found.get(name, value) != value)
    return ", ".join(
        f"{name} {format_setting(name, made.stripes[name])}, but {format_setting(name, found[name])}" for name in differ
    )
