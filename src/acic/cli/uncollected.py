"""Commands that make many objects and keep them all: there the collector of garbage looks at each in vain."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave objects that refer to one another in a circle alone, until this ends; all others go at once, as ever."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
