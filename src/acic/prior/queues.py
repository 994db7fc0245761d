"""How long processes wait that come to a resource each in its own time, from computing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MANY = 1024  # customers: more wait as these do, each of whom asks for more at a time


def by_turns(customers: float) -> float:
    """Return the share of the time of two resources that customers wait who need one and the other by turns.

    All of it for one customer; for many half, because the other is at work meanwhile.

    Args:
        customers: how many there are, 1 or more; each needs both resources for as long.

    Source: as of `waiting`: in a closed network of two equal queues each works customers / (customers + 1) of the time.
    """
    return (customers + 1.0) / (2.0 * customers)


def waiting(busy: Floats, customers: int, visits: int, think: float) -> Floats:
    """Return the seconds that each customer waits for a resource in all its visits, shape (resources,).

    All of `busy` where nobody computes in between; less, the more of them compute meanwhile; never less than the own
    service takes. Of more than `MANY` customers so many are taken, with all the work: what they wait differs by less
    than 3 % of `busy`.

    Args:
        busy: s that the resource works for all customers together, shape (resources,).
        customers: how many there are, 1 or more.
        visits: of each of them, 1 or more.
        think: s between two visits of a customer, 0.0 or more.

    Source: Reiser & Lavenberg, "Mean-value analysis of closed multichain queuing networks", JACM 1980: one queue and
    a delay (the machine repairman).
    """
    customers = min(customers, MANY)
    own = np.asarray(busy, dtype=np.float64) / (customers * visits)
    queue, response = np.zeros_like(own), own
    for number in range(1, customers + 1):
        response = own * (1.0 + queue)
        cycle = think + response
        queue = np.divide(number * response, cycle, out=np.full_like(own, number), where=cycle > 0.0)
    return response * visits
