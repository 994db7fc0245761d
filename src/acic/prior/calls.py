"""What clients and servers say to each other: messages, their sizes, what they move, and who waits for whom."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import Demand
from acic.prior.designs import FUSE_REQUEST, OVERREAD, PAGE
from acic.prior.systems import Systems
from acic.prior.windows import overread

Floats = NDArray[np.float64]


def messages(demand: Demand, systems: Systems) -> Floats:
    """Return how many messages servers get.

    Requests are cut to what a call takes, and joined where they may be, but for what is synced by itself; where several
    servers have a part of a call, each gets a message. Of pieces that are scattered each node has some in every place.
    """
    each = pieces(demand, systems)
    window = systems.ahead if demand.reads else np.where(waits(demand, systems), 0.0, systems.behind)
    whole = demand.random and not demand.reads  # what a cache holds altogether leaves it in order
    scattered = systems.scatters & (not demand.reads) & (not demand.joined)
    joins = (window > 0) & (demand.joined | scattered | (whole & (window >= demand.total / demand.streams)))
    places = demand.total / systems.call * np.where(scattered, demand.nodes, 1.0)
    fewer = np.minimum(each, np.maximum(max(demand.streams, 0.0 if demand.reads else demand.syncs), places))
    found = np.where(joins, fewer * asked(systems.call, systems), _unjoined(demand, systems))
    return found * once(demand, systems)


def _unjoined(demand: Demand, systems: Systems) -> Floats:
    """Return how many messages servers get where no request is joined to another: of whole calls, and of what is left.

    What a request's size has in common with calls and strips is all that is known of where its calls begin.
    """
    most, request = largest(demand, systems), max(1, round(demand.request))
    calls, rest = np.divmod(request, most)
    strips = np.where(np.isfinite(systems.unit), systems.unit, 0.0)  # whole files have none to begin in
    begins = np.gcd.reduce([np.full(len(systems), request), most.astype(np.int64), strips.astype(np.int64)])
    of_each = calls * met(most, begins, systems) + np.where(rest > 0, met(rest, begins, systems), 0.0)
    return np.asarray(demand.streams * demand.requests * of_each + _first_pages(demand, systems))


def met(size: Floats, begins: Floats, systems: Systems) -> Floats:
    """Return how many servers have a part of a call of `size` B that begins at any multiple of `begins` B, on average.

    Where all begin where a strip does it is as many as the call has strips; else it is up to one more.

    Args:
        size: of the call, a multiple of `begins`.
        begins: a divisor of the strips' size.
        systems: where strips are.
    """
    return np.asarray(np.clip(1.0 + (size - begins) / systems.unit, 1.0, systems.servers))


def pieces(demand: Demand, systems: Systems) -> Floats:
    """Return how many pieces all requests are cut to."""
    calls = np.ceil(demand.request / largest(demand, systems))
    return np.asarray(demand.streams * demand.requests * calls + _first_pages(demand, systems))


def _first_pages(demand: Demand, systems: Systems) -> Floats:
    """Return how many beginnings of requests are pieces of their own, where each piece lasts before the next.

    FUSE hands over by itself the part of a page with which a write begins and which the kernel does not have, and then
    all that follows. What a request's size has in common with a page is all that is known of where requests begin; the
    first one of a file begins with it.
    """
    request, writes = max(1, round(demand.request)), demand.streams * demand.requests
    cut = (min(request, PAGE) - math.gcd(request, PAGE)) / PAGE * max(0.0, writes - demand.files)
    return np.where(waits(demand, systems), cut, 0.0)


def largest(demand: Demand, systems: Systems) -> Floats:
    """Return the most that one message moves: what FUSE hands over, where no cache joins it."""
    return np.where(shunned(demand, systems), np.minimum(systems.call, FUSE_REQUEST), systems.call)


def asked(size: Floats | float, systems: Systems) -> Floats:
    """Return how many servers have a part of one call of `size` B."""
    return np.asarray(np.clip(np.ceil(size / systems.unit), 1.0, systems.servers))


def moved(demand: Demand, systems: Systems) -> Floats:
    """Return the B that leave servers, or reach them: more than are asked for where whole pages are read, or ahead.

    A page is gone before the process that it was read for comes back to it, but where processes read a file in turns
    that are neighbours on one node, or have their pieces in one page of a node's cache, which then reads in order.
    """
    if not demand.reads:
        return np.full(len(systems), demand.total)
    if demand.alike > 1:
        return demand.total * once(demand, systems)
    if demand.joined or (demand.block >= OVERREAD and not _apart(demand)):
        return demand.total * np.maximum(_overread(demand, systems), 1.0 + _jumped(demand, systems))
    most = math.inf
    if not _apart(demand):
        in_order = demand.request * demand.streams <= PAGE
        most = demand.nodes if in_order else demand.streams if demand.nodes == 1 else math.inf
    pages = np.minimum(systems.page / demand.request, most)
    return np.asarray(demand.total * np.maximum(behind(demand, systems), pages))


def holes(demand: Demand, systems: Systems) -> Floats:
    """Return how often what processes wrote themselves leaves servers when they read it: what their nodes do not have.

    A page of the kernel's of which a write had only a part it does not keep: it is read again, as a page of the file
    system's, of which the next one has to be read anew.
    """
    size = demand.laid
    if size <= 0 or size % PAGE == 0:
        return np.zeros(len(systems))
    if size < PAGE:
        return np.where(systems.page > 1, 1.0, 0.0)
    between = min(1.0, (size - PAGE) / PAGE)  # of neighbouring writes, whose pages have a whole one between them
    cut = between * (1.0 - math.gcd(size, PAGE) / PAGE)
    page = np.minimum(systems.page, demand.total / demand.over / demand.files)
    return np.where(systems.page > 1, np.maximum(PAGE, cut * page) / size, 0.0)


def _apart(demand: Demand) -> bool:
    """Return whether there are bytes between a process's pieces that nobody reads then."""
    return demand.random or demand.gaps > 1.0


def _jumped(demand: Demand, systems: Systems) -> Floats:
    """Return how much is read for nothing, for each B, where processes go on elsewhere now and then: a page or more."""
    if demand.stretch >= OVERREAD:
        return np.zeros(len(systems))
    rest = max(0.0, demand.total / demand.over / demand.files - demand.stretch)  # of the file
    further = np.where(demand.stretch > systems.page, OVERREAD, systems.page)
    return np.where(systems.page > 1, np.minimum(further, rest) / demand.stretch, 0.0)


def behind(demand: Demand, systems: Systems) -> Floats:
    """Return how often what is read piece by piece leaves servers: more is read ahead behind large pieces.

    A page cache keeps it, so that no more than a whole file of a process's own is read, and does not read ahead of who
    only skips what others read; where pages go with the process (GlusterFS's) it is all for nothing.
    """
    if demand.request <= FUSE_REQUEST:
        return np.ones(len(systems))
    ahead = 1.0 + np.minimum(systems.ahead, OVERREAD) / demand.request
    kept = np.minimum(ahead, 1.0 / min(1.0, demand.over)) if _apart(demand) and not demand.shared else 1.0
    return np.where(systems.page > 1, ahead, kept)


def once(demand: Demand, systems: Systems) -> Floats:
    """Return the share that clients ask servers for, of what several processes of a node read at the same time."""
    return np.asarray((demand.nodes / max(demand.alike, demand.nodes)) ** systems.shares)


def _overread(demand: Demand, systems: Systems) -> Floats:
    """Return how often what is read of a shared file leaves servers.

    What is read ahead beyond a process's part is another's: as much as was asked for in order before, as far as windows
    grow. No node reads more than the whole file; and where processes compute between their parts, nobody waits for it,
    unless the kernel reads ahead as far as it does.
    """
    if not demand.shared:
        return np.ones(len(systems))
    asked_in_order = float(np.ceil(demand.block / min(demand.request, FUSE_REQUEST)) - 1.0) * FUSE_REQUEST
    ahead = 0.0 if demand.pauses and demand.pause else np.minimum(systems.ahead, min(OVERREAD, asked_in_order))
    found = np.minimum(demand.nodes, 1.0 + ahead / demand.block)
    return np.where(systems.windows, overread(demand, systems), found)


def waits(demand: Demand, systems: Systems) -> NDArray[np.bool_]:
    """Return where each write is on the disk before the next: strict NFS, and strict CephFS on a shared file."""
    if demand.reads:
        return np.zeros(len(systems), dtype=bool)
    return (systems.strict & systems.cached) | shunned(demand, systems)


def shunned(demand: Demand, systems: Systems) -> NDArray[np.bool_]:
    """Return where clients may not cache: strict CephFS, if several nodes write one file (caps are a node's)."""
    return systems.strict & ~systems.cached & (demand.shared and demand.nodes > 1)
