"""Windows: how far Linux reads ahead of a process that reads a part of a file, in windows that double."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import Demand
from acic.prior.systems import Systems

Floats = NDArray[np.float64]

_PAGE = 4096.0
_SLOW, _HALF = 32.0, 4.0  # up to these parts of the largest window the first one is four requests, or two
_FAST = 16.0  # windows below this part of the largest grow to four times as much, others to twice


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is read for a part of a file, B from its beginning.

    Args:
        needed: to the end of the window that has the part's last byte.
        fetched: to the end of all windows that were asked for by then.
        first: how long the first window is.
    """

    needed: float
    fetched: float
    first: float


def read_ahead(length: float, request: float, most: float) -> Ahead:
    """Return what Linux reads of a file whose part of `length` B is read in order, by `request` B at a time.

    A process that begins inside a file gets no more than it asks for at first. Its second request begins the windows;
    who comes to where one begins that was read ahead has the next one asked for. A request above the largest window
    begins them at once.

    Args:
        length: of the part, B, at least `request`.
        request: B.
        most: B of the largest window (`read_ahead_kb` of the mount).

    Source: Linux 6.1, `mm/readahead.c`: ondemand_readahead, get_init_ra_size, get_next_ra_size.
    """
    rounded = 2.0 ** math.ceil(math.log2(max(request, _PAGE)))
    times = 4.0 if rounded <= most / _SLOW else 2.0
    first = times * rounded if rounded <= most / _HALF else most
    if length <= request <= most:
        return Ahead(length, length, 0.0)
    begin = 0.0 if request > most else request
    mark, end = begin + (request if request < first else 0.0), begin + first
    needed, size = end, first
    while mark < length and size < most:
        size = min(most, size * (4.0 if size < most / _FAST else 2.0))
        needed = needed if needed >= length else end + size
        mark, end = end, end + size
    if mark < length:  # as many of the largest as it takes: there may be millions
        more = max(0.0, math.ceil((length - end) / most)) * most
        needed, end = needed if needed >= length else end + more, end + more + most
    return Ahead(needed, end, first)


def overread(demand: Demand, systems: Systems) -> Floats:
    """Return how often what is read of a shared file leaves servers, where the kernel's page cache reads ahead.

    What is read beyond a process's part is on its node as far as the next process there wants it, and else for nothing;
    a file ends with its last part. What the last window has is asked for after all that a process wants, so nobody
    waits for it but who goes on to another part, and who computes before that has it read meanwhile. What was read is
    dropped when another process of the node opens the file (close-to-open), so that its first windows are read again.
    """
    own = demand.total / demand.streams
    length = min(own, demand.apart or own if math.isinf(demand.block) else demand.block)
    parts, on_node = own / length, demand.streams / demand.nodes
    ahead = read_ahead(length, min(demand.request, length), float(systems.ahead[systems.windows].max(initial=_PAGE)))
    again = parts > demand.in_turn
    inside = max(0.0, 1.0 - demand.files / (demand.nodes * parts))
    beyond = ((ahead.fetched if again else ahead.needed) - length) * inside
    taken = systems.nic * np.minimum(1.0, systems.servers / demand.nodes)
    meanwhile = demand.pause * taken * demand.pauses / (demand.pauses + 1.0) if again else 0.0
    dropped = ahead.first * (on_node - 1.0) / parts
    more = (np.maximum(0.0, beyond - meanwhile) + dropped) / (on_node * length)
    return np.minimum(demand.nodes, 1.0 + more)
