"""Putting a campaign's measurements into a store, whose server may restart: a campaign of days outlives that."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from acic.campaign.patience import patiently
from acic.campaign.recording import measurements_of
from acic.campaign.state import Progress, State
from acic.errors import StoreAway
from acic.platforms import Platform
from acic.store.database import Store
from acic.store.measurement import Measurement


class Storing:
    """Puts what a campaign measures into a store; doing it again changes nothing.

    Args:
        store: where measurements go.
        platform: of the campaign.
        tool: the benchmark's name.
        contributor: who measures.
        host_shape: what runs are made on: nodes, the machine's name.
        announce: is told what the store lacked, or that it is waited for.
        sleep: waits so many s, for a store that does not answer.
    """

    def __init__(
        self,
        store: Store,
        platform: Platform,
        *,
        tool: str,
        contributor: str = "",
        host_shape: Mapping[str, str | int] | None = None,
        announce: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._platform = platform
        self._tool = tool
        self._contributor = contributor
        self._host_shape = host_shape or {}
        self._announce = announce
        self._sleep = sleep

    def put(self, progress: Progress) -> None:
        """Put what was measured of a point into the store.

        Raises:
            StoreError: it cannot be written, or does not answer for long.
        """
        if made := self._measured(progress):
            add_patiently(self._store, made, announce=self._announce, sleep=self._sleep)

    def put_back(self, state: State) -> None:
        """Give the store what it lacks of what the journal says it has: it may be another one, or an older copy."""
        made = [m for number in state.order for m in self._measured(state.progress[number])]
        lacked = self._store.add(made).added if made else 0
        if lacked:
            self._announce(f"note: {lacked} measurements of this campaign were not in the store, and are now")

    def _measured(self, progress: Progress) -> list[Measurement]:
        return measurements_of(
            progress, self._platform, tool=self._tool, contributor=self._contributor, host_shape=self._host_shape
        )


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
        StoreError: it cannot be written, or still does not answer after some minutes.
    """
    patiently(lambda: store.add(made), StoreAway, announce=announce, sleep=sleep)
