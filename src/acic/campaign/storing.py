"""Putting measurements into a store whose server may restart meanwhile: a campaign of days outlives that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acic.errors import StoreAway
from acic.store.database import Store
from acic.store.measurement import Measurement
from acic.units import format_seconds

NAPS = (1.0, 2.0, 4.0, 8.0, *[15.0] * 19)  # s between tries: 5 min in all


def add_patiently(
    store: Store, made: Sequence[Measurement], *, announce: Callable[[str], None], sleep: Callable[[float], None]
) -> None:
    """Add what was `made` to `store`; where its server does not answer now, again and again for some minutes.

    Args:
        store: where they go.
        made: the measurements; adding them again changes nothing.
        announce: is told, once, that the store is waited for.
        sleep: waits so many s.

    Raises:
        StoreError: it cannot be written, or still does not answer after all of `NAPS`.
    """
    for number, nap in enumerate(NAPS):
        try:
            store.add(made)
        except StoreAway as error:
            if number == 0:
                announce(f"note: {error.problem}; it is tried again for {format_seconds(sum(NAPS))}")
            sleep(nap)
        else:
            return
    store.add(made)
