"""Series: files whose names differ by numbers alone, as dumps of a run's steps do, and the parts of its processes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_MANY = 32  # series, above which names are no guide
_NUMBER = re.compile(r"\d+(?:\.\d+)*(?:[eE][-+]?\d+)?")


def series_of(names: Sequence[str]) -> list[int]:
    """Return the number of each file's series, from 1; 0 where it is in none, or names are no guide.

    Args:
        names: of files, with their folders, which are not looked at.
    """
    if len(names) < 2:
        return [0] * len(names)
    last = "\0".join([name.rpartition("/")[2] for name in names])  # at once, as there may be very many
    called = _NUMBER.sub("#", last).split("\0")
    if called.count(called[0]) == len(called):  # most often, and what follows takes longer than all of this
        return [1] * len(called)
    series = [name for name, files in Counter(called).items() if files > 1]
    if len(series) > _MANY:
        return [0] * len(called)
    number = {name: at for at, name in enumerate(series, 1)}
    return [number.get(name, 0) for name in called]
