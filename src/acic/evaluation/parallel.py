"""The same function on many arguments, in several processes of this machine; what comes out does not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def spread(function: Callable[[T], R], arguments: Iterable[T], *, processes: int = 1) -> list[R]:
    """Return `function` of each argument, in their order.

    Args:
        function: of a module, or a partial of one, so that another process finds it; it draws nothing but from what
            its argument seeds.
        arguments: one for each call.
        processes: to share them; 1 makes no other process.
    """
    todo, alone = list(arguments), partial(_alone, function)
    if min(processes, len(todo)) < 2:
        return [alone(one) for one in todo]
    # not forked: a process with threads (of numpy, of progress) may hang when it is
    with ProcessPoolExecutor(min(processes, len(todo)), mp_context=get_context("forkserver")) as pool:
        return list(pool.map(alone, todo))


def _alone(function: Callable[[T], R], argument: T) -> R:
    """Call it with one thread of linear algebra: the matrices are small, and threads that wait cost up to 50x."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        return function(argument)
